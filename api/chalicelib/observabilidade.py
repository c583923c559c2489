"""Logs of the API and the starter.

No exception's text is ever logged: botocore puts parameter values into its messages, and one of ours is the card
token. A failure is told by its class, AWS error code and place in the code, and that is enough to find it.
"""

from __future__ import annotations

import traceback
from pathlib import Path
from typing import TYPE_CHECKING, Final

from botocore.exceptions import ClientError

from handlers.domain.metrics import emit
from handlers.domain.redaction import make_logger
from handlers.domain.settings import SettingError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from handlers.domain.metrics import Metrica

__all__ = ["correlacionar", "descrever", "logger", "registrar"]

logger: Final = make_logger()


def correlacionar(pedido_id: str | None, request_id: str | None = None) -> None:
    """Say which order this thread's lines are about from here on; None for none.

    The order's id is what ties its lines together, from the POST to the last state: it is the execution's name, the
    message's and the row's key, and every function logs it as ``correlation_id``.

    Args:
        pedido_id: the order.
        request_id: API Gateway's id of the request, as in the access log.
    """
    logger.thread_safe_clear_keys()
    known = {"correlation_id": pedido_id, "request_id": request_id}
    logger.thread_safe_append_keys(**{key: value for key, value in known.items() if value is not None})


def registrar(metrica: Metrica, mensagem: str, **mais: str) -> None:
    """Count something that happened to an order, and say it: one line for both, with the keys every log line has.

    Two lines would say the same thing twice, and a line is the dearest part of a POST that is ours.
    """
    emit(metrica, sobre={"level": "INFO", "message": mensagem, **logger.thread_safe_get_current_keys(), **mais})


def descrever(erro: BaseException) -> Mapping[str, str]:
    """What may be logged of an exception."""
    descricao = {"erro": type(erro).__name__}
    if isinstance(erro, ClientError):
        descricao["codigo"] = erro.response.get("Error", {}).get("Code", "")
    if isinstance(erro, SettingError):
        descricao["mensagem"] = str(erro)  # ours: it names a variable and holds no value
    quadros = traceback.extract_tb(erro.__traceback__)
    if quadros:
        descricao["onde"] = f"{Path(quadros[-1].filename).name}:{quadros[-1].lineno}"
    return descricao
