"""What went wrong with an order, in words: the reason it was given up, and the last error of all."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, TypedDict

from infra.ops.executions import ASKING
from infra.ops.history import json_object
from infra.ops.words import clean, error_told, moment, state_told

if TYPE_CHECKING:
    from collections.abc import Iterator

    from infra.ops.dossier import Dossier
    from infra.ops.facts import OrderRow
    from infra.ops.history import Visit

__all__ = ["ErrorView", "first_failure", "last_error", "reason"]

_EPOCH: Final = re.compile(r"\ba época (\d{10})\b")


class ErrorView(TypedDict):
    """An error.

    ``nome`` is its class, ``significado`` what that means, ``mensagem`` what it said of itself (fit to be shown, may be
    empty), ``estado`` and ``etapa`` where it came up (empty where only the row tells of it), ``superado`` whether a
    further attempt went well.
    """

    nome: str
    significado: str
    mensagem: str
    estado: str
    etapa: str
    tentativas: int
    superado: bool


def reason(row: OrderRow) -> ErrorView | None:
    """Why the order was given up, by its row; None while it was not."""
    if "motivo" not in row:
        return None
    detail = json_object(row.get("detalhe"))
    return _view(clean(row["motivo"]), _message(detail.get("Cause"), row["pedidoId"]))


def last_error(dossier: Dossier) -> ErrorView | None:
    """The last error of any state; where the history is no more, the row's reason."""
    # That nobody answered in time is no error of the order's.
    visits = [visit for visit in _visits(dossier) if visit.error and visit.state not in ASKING]
    return _of(visits[-1], dossier.pedido_id) if visits else reason(dossier.row)


def first_failure(dossier: Dossier) -> ErrorView | None:
    """What first turned the order away from its end: the state it did not get past."""
    failed = next((visit for visit in _visits(dossier) if visit.failed and visit.left is not None), None)
    return _of(failed, dossier.pedido_id) if failed is not None else None


def _visits(dossier: Dossier) -> Iterator[Visit]:
    return (visit for execution in dossier.executions for visit in execution.visits)


def _of(visit: Visit, pedido_id: str) -> ErrorView:
    view = _view(clean(visit.error), _message(visit.cause, pedido_id))
    view["estado"], view["etapa"] = visit.state, state_told(visit.state)
    view["tentativas"], view["superado"] = visit.attempts, not visit.failed
    return view


def _view(name: str, message: str) -> ErrorView:
    return {
        "nome": name,
        "significado": error_told(name),
        "mensagem": message,
        "estado": "",
        "etapa": "",
        "tentativas": 0,
        "superado": False,
    }


def _message(cause: object, pedido_id: str) -> str:
    """The error's own sentence: never its traceback. A cause may be JSON, text or absent."""
    told = json_object(cause)
    said = (told.get("errorMessage") if told else cause) or ""
    return _EPOCH.sub(_date, clean(said).removeprefix(f"pedido {pedido_id}:").strip())


def _date(epoch: re.Match[str]) -> str:
    """Our own errors count in epoch seconds; people do not."""
    return moment(datetime.fromtimestamp(int(epoch[1]), UTC))
