"""What every step has around it: typed event, logs, metrics, injected faults, and a closed set of errors."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from handlers.domain import environment, faults
from handlers.domain.errors import CestaError, CobrancaIndefinidaError, RecusaError, TransitorioError
from handlers.domain.event import PEDIDO_DESCONHECIDO, Evento, parse
from handlers.domain.failures import as_cesta_error
from handlers.domain.metrics import Metrica, emit
from handlers.domain.redaction import make_logger
from handlers.domain.settings import flag

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

    from handlers.domain.status import Etapa

__all__ = ["Handler", "Passo", "step"]

Resultado = Mapping[str, object]
Passo = Callable[[Evento], Resultado]
"""A step proper: does its work and answers with the flat object the state machine keeps."""
Handler = Callable[[object, "LambdaContext"], Resultado]
"""What Lambda calls."""

logger = make_logger()


def step(etapa: Etapa) -> Callable[[Passo], Handler]:
    """Makes a step into the Lambda handler of ``etapa``.

    The handler raises nothing but `CestaError`s. Step Functions keeps the error's text and stack for 90 days,
    so what is raised never drags the SDK's own error along.
    """

    def decorate(passo: Passo) -> Handler:
        # log_event=False beats POWERTOOLS_LOGGER_LOG_EVENT: the event is never logged.
        @logger.inject_lambda_context(log_event=False, clear_state=True)
        def handler(event: object, _context: LambdaContext) -> Resultado:
            return _attempt(etapa, passo, event)

        return handler

    return decorate


def _attempt(etapa: Etapa, passo: Passo, event: object) -> Resultado:
    pedido_id = PEDIDO_DESCONHECIDO
    try:
        evento = parse(event)
        pedido_id = evento.pedido_id
        logger.set_correlation_id(pedido_id)
        logger.append_keys(etapa=etapa, tentativa=evento.tentativa, execucao=evento.execucao)
        resultado = _run(etapa, passo, evento)
    except Exception as error:
        failure = as_cesta_error(pedido_id, error)
        stack = _stack(error)
    else:
        emit(Metrica.PASSO_CONCLUIDO)
        logger.info("passo concluído", resultado=dict(resultado))
        return resultado
    emit(_metric(failure))
    logger.warning("passo não concluído", erro=type(failure).__name__, detalhe=str(failure), pilha=stack)
    # Out of the except block, so that not even __context__ leads back to what was caught.
    raise failure


def _run(etapa: Etapa, passo: Passo, evento: Evento) -> Resultado:
    falha = faults.planejada(evento, etapa) if flag(environment.INJECAO_DE_FALHAS) else None
    faults.antes_do_efeito(falha)
    resultado = passo(evento)
    faults.depois_do_efeito(falha)
    return resultado


def _metric(failure: CestaError) -> Metrica:
    if isinstance(failure, RecusaError):
        return Metrica.PASSO_RECUSADO
    if isinstance(failure, TransitorioError):
        return Metrica.PASSO_TRANSITORIO
    if isinstance(failure, CobrancaIndefinidaError):
        return Metrica.COBRANCA_INDEFINIDA
    return Metrica.PASSO_INESPERADO


def _stack(error: Exception) -> list[str]:
    """Where it happened, as ``file:line function``: no source line and no value."""
    return [
        f"{Path(frame.f_code.co_filename).name}:{line} {frame.f_code.co_name}"
        for frame, line in traceback.walk_tb(error.__traceback__)
    ]
