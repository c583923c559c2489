"""cesta-conciliador: finds what died outside any catcher, and calls a person once for each (design §8).

Runs every few minutes, and at once for an execution of either machine that ended FAILED, TIMED_OUT or ABORTED. That
event is best effort and may come twice; the round is the real net.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final, TypeAlias, cast

from aws_lambda_powertools import Metrics
from aws_lambda_powertools.metrics import MetricUnit

from handlers.domain import aws, environment, wiring
from handlers.domain.errors import ErroInesperado
from handlers.domain.event import PEDIDO_DESCONHECIDO
from handlers.domain.failures import as_cesta_error
from handlers.domain.reconciliation import Prazos
from handlers.domain.reconciliation_closed import Conferencia
from handlers.domain.reconciliation_executions import Execucoes, pedido_da_execucao
from handlers.domain.reconciliation_round import Conciliador
from handlers.domain.reconciliation_rows import Linhas
from handlers.domain.redaction import make_logger
from handlers.domain.settings import required, seconds

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aws_lambda_powertools.utilities.typing import LambdaContext

    from handlers.domain.reconciliation_round import Resultado

logger = make_logger()
metrics = Metrics(namespace="Cesta")

RODADA: Final = "aws.events"
"""Source of the schedule's events (EventBridge, "Creating a rule that runs on a schedule")."""
FIM_DE_EXECUCAO: Final = "aws.states"

Contagem: TypeAlias = "dict[str, int]"


@logger.inject_lambda_context(log_event=False, clear_state=True)
def handler(event: object, context: LambdaContext) -> Contagem:
    """The Lambda entry point.

    Raises:
        CestaError: the index could not be read, or the order an event names could not be looked at. The function's
            on-failure destination is the human queue.
    """
    envelope = cast("Mapping[str, object]", event if isinstance(event, dict) else {})
    pedido_id = PEDIDO_DESCONHECIDO
    try:
        conciliador = _conciliador()
        if envelope.get("source") == RODADA:
            return _contar(conciliador.rodada(restam=lambda: context.get_remaining_time_in_millis() / 1000))
        pedido_id = _pedido_do_evento(envelope)
        return _contar({conciliador.sobre(pedido_id): 1})
    except Exception as error:
        failure = as_cesta_error(pedido_id, error)
    raise failure


def _pedido_do_evento(envelope: Mapping[str, object]) -> str:
    """The order whose execution ended, from the execution's name: its input may be left out of the event."""
    detail = envelope.get("detail")
    arn = cast("Mapping[str, object]", detail).get("executionArn") if isinstance(detail, dict) else None
    if envelope.get("source") != FIM_DE_EXECUCAO or not isinstance(arn, str):
        raise ErroInesperado(PEDIDO_DESCONHECIDO, "evento que não é do agendamento nem do fim de uma execução")
    return pedido_da_execucao(arn, retomada_arn=required(environment.MAQUINA_RETOMADA_ARN))


def _contar(contagem: Mapping[Resultado, int]) -> Contagem:
    for resultado, quantos in contagem.items():
        metrics.add_metric(name=resultado, unit=MetricUnit.Count, value=quantos)
    if contagem:
        metrics.flush_metrics()
    feito = {resultado.value: quantos for resultado, quantos in contagem.items()}
    logger.info("conciliação concluída", resultado=feito)
    return feito


def _relatar(pedido_id: str, error: Exception) -> None:
    failure = as_cesta_error(pedido_id, error)
    logger.warning(
        "pedido não conciliado; a próxima rodada tenta de novo",
        correlation_id=pedido_id,
        erro=type(failure).__name__,
        detalhe=str(failure),
    )


def _conciliador() -> Conciliador:
    prazos = Prazos(
        inicio=seconds(environment.ESPERA_INICIO_SEGUNDOS),
        reverificacao=seconds(environment.REVERIFICACAO_SEGUNDOS),
        reverificacao_final=seconds(environment.REVERIFICACAO_FINAL_SEGUNDOS),
    )
    criados, humana = required(environment.FILA_CRIADOS_URL), required(environment.FILA_HUMANA_URL)
    return Conciliador(
        linhas=Linhas(aws.dynamodb(), required(environment.TABELA_PEDIDOS), agora=time.time),
        execucoes=Execucoes(
            aws.stepfunctions(),
            pedido_arn=required(environment.MAQUINA_ARN),
            retomada_arn=required(environment.MAQUINA_RETOMADA_ARN),
        ),
        pedidos=wiring.pedidos(),
        estoque=wiring.estoque(),
        conferencia=Conferencia(
            livro=wiring.livro(), estoque=wiring.estoque(), gateway=wiring.gateway(), prazos=prazos
        ),
        enviar_pedido=lambda corpo: aws.sqs().send_message(QueueUrl=criados, MessageBody=corpo),
        chamar_pessoa=lambda corpo: aws.sqs().send_message(QueueUrl=humana, MessageBody=corpo),
        agora=time.time,
        prazos=prazos,
        relatar=_relatar,
    )
