"""cesta-conciliador: finds what died outside any catcher, and calls a person once for each (design §8).

Runs every few minutes, and at once for an execution of either machine that ended FAILED, TIMED_OUT or ABORTED. That
event is best effort and may come twice; the round is the real net.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final, TypeAlias, cast

from handlers.domain import aws, environment, wiring
from handlers.domain.errors import ErroInesperado
from handlers.domain.event import PEDIDO_DESCONHECIDO
from handlers.domain.failures import as_cesta_error
from handlers.domain.metrics import Metrica, emit
from handlers.domain.reconciliation import RODADA, Prazos
from handlers.domain.reconciliation_closed import Conferencia
from handlers.domain.reconciliation_executions import Execucoes, pedido_da_execucao
from handlers.domain.reconciliation_round import Conciliador, Resultado
from handlers.domain.reconciliation_rows import Linhas
from handlers.domain.redaction import make_logger
from handlers.domain.settings import required, seconds

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aws_lambda_powertools.utilities.typing import LambdaContext

logger = make_logger()

FIM_DE_EXECUCAO: Final = "aws.states"

Contagem: TypeAlias = "dict[str, int]"


@logger.inject_lambda_context(log_event=False, clear_state=True)
def handler(event: object, context: LambdaContext) -> Contagem:
    """The Lambda entry point.

    Raises:
        CestaError: the order an event names could not be looked at: the function's on-failure destination is the
            human queue, so a person looks. A round that fails raises nothing: the next one makes up for it, and a
            message about it would be no case anybody could close. Its alarm rings by its metric.
    """
    envelope = cast("Mapping[str, object]", event if isinstance(event, dict) else {})
    if envelope.get("source") == RODADA:
        return _rodada(context)
    pedido_id = PEDIDO_DESCONHECIDO
    try:
        pedido_id = _pedido_do_evento(envelope)
        logger.set_correlation_id(pedido_id)
        return _contar({_conciliador().sobre(pedido_id): 1})
    except Exception as error:
        failure = as_cesta_error(pedido_id, error)
    raise failure


def _rodada(context: LambdaContext) -> Contagem:
    try:
        rodada = _conciliador().rodada(restam=lambda: context.get_remaining_time_in_millis() / 1000)
    except Exception as error:
        failure = as_cesta_error(PEDIDO_DESCONHECIDO, error)
        emit(Metrica.RODADAS_FALHADAS)
        logger.error("rodada não concluída; a próxima recomeça", erro=type(failure).__name__, detalhe=str(failure))
        return {str(Metrica.RODADAS_FALHADAS): 1}
    emit(Metrica.IDADE_DO_CASO, rodada.caso_mais_antigo_segundos)
    return _contar(rodada.contagem)


def _pedido_do_evento(envelope: Mapping[str, object]) -> str:
    """The order whose execution ended, from the execution's name: its input may be left out of the event."""
    detail = envelope.get("detail")
    arn = cast("Mapping[str, object]", detail).get("executionArn") if isinstance(detail, dict) else None
    if envelope.get("source") != FIM_DE_EXECUCAO or not isinstance(arn, str):
        raise ErroInesperado(PEDIDO_DESCONHECIDO, "evento que não é do agendamento nem do fim de uma execução")
    return pedido_da_execucao(arn, retomada_arn=required(environment.MAQUINA_RETOMADA_ARN))


def _contar(contagem: Mapping[Resultado, int]) -> Contagem:
    for resultado, quantos in contagem.items():
        emit(Metrica(resultado), quantos)
    feito = {str(resultado): quantos for resultado, quantos in contagem.items()}
    logger.info("conciliação concluída", resultado=feito)
    return feito


def _anotar(pedido_id: str, resultado: Resultado, error: Exception | None) -> None:
    if error is None:
        if resultado is not Resultado.SADIO:
            logger.info("pedido conciliado", correlation_id=pedido_id, resultado=resultado)
        return
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
        anotar=_anotar,
    )
