"""An order at a glance: five sentences, each the answer to a question of support."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Final, TypedDict

from handlers.domain.status import Etapa, Status
from infra.ops.errors_told import first_failure
from infra.ops.executions import ASKING
from infra.ops.money import money_told
from infra.ops.timeline import expired
from infra.ops.words import REASONS, STATUSES, ago, clean, moment, state_told

if TYPE_CHECKING:
    from infra.ops.dossier import Dossier
    from infra.ops.history import Execution
    from infra.ops.intervention import Case

__all__ = ["Summary", "summary"]

_WELL: Final = ("SUCCEEDED", "RUNNING")


class Summary(TypedDict):
    """``titulo``: what became of it; ``onde``: where it stopped; ``espera``: for a person, since when, or null."""

    titulo: str
    onde: str
    espera: str | None
    dinheiro: str
    estoque: str


def summary(case: Case, dossier: Dossier, now: datetime) -> Summary:
    """The order in five sentences."""
    return {
        "titulo": _title(case),
        "onde": _where(case, dossier),
        "espera": _waiting(case, now),
        "dinheiro": money_told(case.row),
        "estoque": _stock(case, dossier),
    }


def _title(case: Case) -> str:
    if case.status is Status.CONFIRMADO and case.waiting and case.reserved:
        return "Confirmado, com a reserva por efetivar"
    dead = case.execution is not None and not case.running
    if case.status in {Status.RECEBIDO, Status.COMPENSANDO} and dead:
        return "Parado: a execução morreu no meio"
    if case.status is Status.RECEBIDO and case.running:
        return "Em andamento"
    if case.status in {Status.FALHOU_SEM_RESERVA, Status.FALHOU_COMPENSADO}:
        return _undone(case)
    return STATUSES[case.status]


def _undone(case: Case) -> str:
    """The status says that all was undone; money that turned up since, or may have been taken, says otherwise."""
    if case.reserved or case.money["situacao"] == "cobrado":
        return "Cancelado, e as contas não fecham"
    return "Cancelado, com a cobrança em dúvida" if case.money["situacao"] == "em_duvida" else STATUSES[case.status]


def _where(case: Case, dossier: Dossier) -> str:
    if case.execution is None:
        if expired(dossier):
            return "o histórico da execução já não existe (o Step Functions o guarda por 90 dias)"
        return "a saga ainda não começou" if case.status is Status.RECEBIDO else "a saga nunca começou"
    last = _last(case.execution)
    if case.asking:
        return f"está em {last}{_failures(dossier)}"
    if case.running:
        return f"está em {last}"
    if case.execution.status != "SUCCEEDED":
        return f"parou em {last}"
    if case.execution.visits and case.execution.visits[-1].state == Etapa.EFETIVAR_RESERVA:
        return "passou por todas as etapas"
    dead = next((execution for execution in dossier.executions if execution.status not in _WELL), None)
    if dead is not None:
        return f"parou em {_last(dead)}; retomado por uma pessoa, terminou em {last}"
    failure = first_failure(dossier)
    return f"não passou de {_named(failure['estado'])}" if failure is not None else f"terminou em {last}"


def _last(execution: Execution) -> str:
    return _named(execution.visits[-1].state) if execution.visits else "o início"


def _failures(dossier: Dossier) -> str:
    """What the order did not get past, and what could not be undone then."""
    visits = (visit for execution in dossier.executions for visit in execution.visits)
    failed = list(dict.fromkeys(visit.state for visit in visits if visit.failed and visit.state not in ASKING))
    if not failed:
        return ""
    also = f", e depois {_named(failed[-1])} também" if len(failed) > 1 else ""
    return f": {_named(failed[0])} falhou{also}"


def _named(state: str) -> str:
    return f"“{state_told(state)}” ({state})"


def _waiting(case: Case, now: datetime) -> str | None:
    if not (case.asking or (case.waiting and "caso" in case.row)):
        return None
    opened = case.row.get("caso", {}).get("abertoEm")
    # A confirmed order's pending settlement has no case in the row.
    since = datetime.fromisoformat(opened) if opened else case.execution and case.execution.visits[-1].entered
    if not since:
        return None
    # The saga calls because it could not undo, which `onde` tells; the reconciler has reasons of its own.
    why = REASONS.get(case.row.get("caso", {}).get("motivo", ""), "")
    return f"uma pessoa precisa decidir desde {moment(since)}, {ago(since, now)}{why and ': '}{why}"


def _stock(case: Case, dossier: Dossier) -> str:
    sku, units = clean(case.row["sku"]), case.row["quantidade"]
    if dossier.stock is None:
        return f"o produto {sku} não existe no estoque"
    if case.reserved:
        return f"{case.reserved} unidade(s) de {sku} reservada(s) para este pedido"
    if case.status is Status.CONFIRMADO:
        return f"{units} unidade(s) de {sku} vendida(s); nada mais reservado"
    return f"nada reservado: nenhuma unidade de {sku} está presa a este pedido"
