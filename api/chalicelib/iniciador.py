"""The starter: from a message of the created-orders queue to one execution of the saga (design §6).

The message is only a bell: what is started is the stored order, and a message that differs from it is refused. Each
record stands alone: one that fails is retried by the queue, and ends in its dead-letter queue.
"""

from __future__ import annotations

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from botocore.exceptions import ClientError

from handlers.domain.metrics import Metrica, emit
from handlers.domain.orders import entrada_canonica
from handlers.domain.status import Status

from .observabilidade import correlacionar, descrever, logger
from .parsing import ler_json, pedido_id_valido
from .prazo import vencido
from .problems import CorpoMalformadoError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from mypy_boto3_stepfunctions import SFNClient

    from handlers.domain.clock import Clock
    from handlers.domain.orders import PedidoRegistrado, Pedidos

    from .ritmo import Ritmo

__all__ = ["Iniciador", "Mensagem", "MensagemRecusadaError", "Resultado"]

CONCORRENCIA: Final = 10
"""A batch has at most ten records (design §6: records start concurrently)."""

MAX_MENSAGEM_BYTES: Final = 16 * 1024
"""As the queue's own limit (case C31); an order is some 300 bytes."""


class Resultado(StrEnum):
    """What became of a record, and the metric that counts it."""

    INICIADA = Metrica.EXECUCOES_INICIADAS
    JA_INICIADA = Metrica.EXECUCOES_JA_INICIADAS
    JA_ANDOU = Metrica.MENSAGENS_DE_PEDIDO_JA_ANDADO
    FALHOU = Metrica.MENSAGENS_FALHADAS


@dataclass(frozen=True)
class Mensagem:
    """A record of the batch.

    Attributes:
        id: SQS's ``messageId``, the ``itemIdentifier`` of a failure.
        corpo: the body as received.
    """

    id: str
    corpo: str


class MensagemRecusadaError(Exception):
    """The record must not start anything; the text says why and repeats nothing of the message."""


class Iniciador:
    """Starts executions for the records of a batch.

    Args:
        pedidos: the orders.
        stepfunctions: one client, shared by the threads.
        maquina_arn: the saga's state machine.
        agora: the time.
        ritmo: keeps the starters to their pace.
    """

    def __init__(
        self, pedidos: Pedidos, stepfunctions: SFNClient, maquina_arn: str, *, agora: Clock, ritmo: Ritmo
    ) -> None:
        self._pedidos = pedidos
        self._stepfunctions = stepfunctions
        self._maquina_arn = maquina_arn
        self._agora = agora
        self._ritmo = ritmo

    def iniciar_lote(self, mensagens: Sequence[Mensagem]) -> dict[str, list[dict[str, str]]]:
        """Handle every record; the answer names those that failed (``ReportBatchItemFailures``)."""
        with self._ritmo.manter(len(mensagens)), ThreadPoolExecutor(CONCORRENCIA) as threads:
            resultados = list(threads.map(self._iniciar_ou_falhar, mensagens))
        for resultado, quantos in Counter(resultados).items():
            emit(Metrica(resultado), quantos)
        return {
            "batchItemFailures": [
                {"itemIdentifier": mensagem.id}
                for mensagem, resultado in zip(mensagens, resultados, strict=True)
                if resultado is Resultado.FALHOU
            ]
        }

    def iniciar(self, corpo: str) -> Resultado:
        """Start the order of one message.

        Raises:
            MensagemRecusadaError: it is no order of ours, differs from the stored one, or came too late.
        """
        registrado, recebido = self._ler(corpo)
        entrada = entrada_canonica(registrado.pedido)
        if _normalizado(recebido) != _normalizado(json.loads(entrada)):
            raise MensagemRecusadaError("a mensagem difere do pedido gravado")
        if registrado.status is not Status.RECEBIDO:
            return Resultado.JA_ANDOU
        if vencido(registrado.pedido.criado_em, self._agora()):
            raise MensagemRecusadaError("o pedido tem mais de 24 h e não começa mais")
        return self._comecar(registrado.pedido.pedido_id, entrada)

    def _iniciar_ou_falhar(self, mensagem: Mensagem) -> Resultado:
        # A thread takes one record after another: nothing of the last order may stick to the next.
        correlacionar(None)
        try:
            return self.iniciar(mensagem.corpo)
        except MensagemRecusadaError as recusa:
            logger.error("mensagem recusada", extra={"message_id": mensagem.id, "motivo": str(recusa)})
        except Exception as erro:
            logger.warning("mensagem falhou e volta à fila", extra={"message_id": mensagem.id, **descrever(erro)})
        return Resultado.FALHOU

    def _ler(self, corpo: str) -> tuple[PedidoRegistrado, Mapping[str, object]]:
        # surrogatepass: a lone surrogate is no UTF-8, and then the strict decoding refuses it.
        bruto = corpo.encode("utf-8", "surrogatepass")
        if len(bruto) > MAX_MENSAGEM_BYTES:
            raise MensagemRecusadaError(f"a mensagem tem {len(bruto)} bytes; o máximo é {MAX_MENSAGEM_BYTES}")
        try:
            recebido = ler_json(bruto)
        except CorpoMalformadoError as problema:
            raise MensagemRecusadaError(problema.detalhe) from None
        pedido_id = recebido.get("pedidoId")
        if not isinstance(pedido_id, str) or not pedido_id_valido(pedido_id):
            raise MensagemRecusadaError("a mensagem não tem um pedidoId válido")
        correlacionar(pedido_id)
        registrado = self._pedidos.ler(pedido_id)
        if registrado is None:
            raise MensagemRecusadaError("o pedido da mensagem não está gravado")
        return registrado, recebido

    def _comecar(self, pedido_id: str, entrada: str) -> Resultado:
        try:
            self._stepfunctions.start_execution(stateMachineArn=self._maquina_arn, name=pedido_id, input=entrada)
        except ClientError as erro:
            if erro.response.get("Error", {}).get("Code") != "ExecutionAlreadyExists":
                raise
            self._conferir_existente(pedido_id, entrada)
            return Resultado.JA_INICIADA
        logger.info("execução iniciada")
        return Resultado.INICIADA

    def _conferir_existente(self, pedido_id: str, entrada: str) -> None:
        arn = f"{self._maquina_arn.replace(':stateMachine:', ':execution:', 1)}:{pedido_id}"
        existente = self._stepfunctions.describe_execution(executionArn=arn).get("input", "")
        if existente != entrada:
            raise MensagemRecusadaError("já existe uma execução desse pedido com outra entrada")


def _normalizado(objeto: Mapping[str, object]) -> str:
    """Text by which 1, 1.0 and true are told apart, which ``==`` would not."""
    return json.dumps(objeto, sort_keys=True, default=repr)
