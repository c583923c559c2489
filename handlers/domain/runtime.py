"""What every step has around it: typed event, logs, metrics, injected faults, and a closed set of errors."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from aws_lambda_powertools import Metrics
from aws_lambda_powertools.metrics import MetricUnit

from handlers.domain import environment, faults
from handlers.domain.errors import CestaError, CobrancaIndefinidaError, RecusaError, TransitorioError
from handlers.domain.event import PEDIDO_DESCONHECIDO, Evento, parse
from handlers.domain.failures import as_cesta_error
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

_NAMESPACE: Final = "Cesta"

logger = make_logger()
metrics = Metrics(namespace=_NAMESPACE)


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
        _count("PassoConcluido")
        logger.info("passo concluído", resultado=dict(resultado))
        return resultado
    _count(_metric(failure))
    logger.warning("passo não concluído", erro=type(failure).__name__, detalhe=str(failure), pilha=stack)
    # Out of the except block, so that not even __context__ leads back to what was caught.
    raise failure


def _run(etapa: Etapa, passo: Passo, evento: Evento) -> Resultado:
    falha = faults.planejada(evento, etapa) if flag(environment.INJECAO_DE_FALHAS) else None
    faults.antes_do_efeito(falha)
    resultado = passo(evento)
    faults.depois_do_efeito(falha)
    return resultado


def _count(name: str) -> None:
    metrics.add_metric(name=name, unit=MetricUnit.Count, value=1)
    metrics.flush_metrics()


def _metric(failure: CestaError) -> str:
    if isinstance(failure, RecusaError):
        return "PassoRecusado"
    if isinstance(failure, TransitorioError):
        return "PassoTransitorio"
    if isinstance(failure, CobrancaIndefinidaError):
        return "CobrancaIndefinida"
    return "PassoInesperado"


def _stack(error: Exception) -> list[str]:
    """Where it happened, as ``file:line function``: no source line and no value."""
    return [
        f"{Path(frame.f_code.co_filename).name}:{line} {frame.f_code.co_name}"
        for frame, line in traceback.walk_tb(error.__traceback__)
    ]
