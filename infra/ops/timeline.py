"""What happened to an order, line by line: its executions' histories in order, and what only its row tells.

A history lives 90 days; of an older order the row alone speaks, and says less.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, Literal, TypedDict

from handlers.domain.reconciliation_rows import ORIGEM
from handlers.domain.status import FINAIS, Status
from infra.ops.decisions import decisions
from infra.ops.executions import ASKING
from infra.ops.words import REASONS, STATUSES, ago, error_told, iso, moment, state_told

if TYPE_CHECKING:
    from collections.abc import Iterator

    from infra.ops.decisions import Taken
    from infra.ops.dossier import Dossier
    from infra.ops.facts import OrderRow
    from infra.ops.history import Execution, Visit

__all__ = [
    "ACCEPTED",
    "DECISION",
    "ENDED",
    "FROM_THE_ROW",
    "RECONCILER",
    "RESUMED",
    "Line",
    "Outcome",
    "Who",
    "expired",
    "timeline",
]

Who = Literal["cliente", "iniciador", "saga", "conciliador", "pessoa"]
Outcome = Literal["concluido", "falhou", "esperando", "andamento", "interrompido", "informacao"]

ACCEPTED: Final = "POST /pedidos"
RESUMED: Final = "(retomada)"
DECISION: Final = "(decisão)"
RECONCILER: Final = "(conciliador)"
ENDED: Final = "(fim)"
FROM_THE_ROW: Final = "(registro)"

_ENDED_TOLD: Final = {
    "SUCCEEDED": "a saga terminou",
    "FAILED": "a saga parou com um erro, fora de qualquer tratamento (FAILED)",
    "TIMED_OUT": "a saga passou do prazo e foi encerrada (TIMED_OUT)",
    "ABORTED": "a saga foi interrompida de fora (ABORTED)",
}


class Line(TypedDict):
    """One line of the timeline.

    ``em`` and ``ate`` are ISO-8601 UTC (``ate`` null while it lasts, or for a moment), ``tentativas`` counts attempts
    of the state's task (0 where there is none), ``quem`` acted, ``resultado`` is what came of it, and ``erro`` the
    name of the last error, if there was one.
    """

    em: str
    ate: str | None
    estado: str
    nome: str
    quem: Who
    resultado: Outcome
    evento: str
    erro: str | None
    tentativas: int
    execucao: str | None


def timeline(dossier: Dossier, now: datetime) -> list[Line]:
    """Every line, oldest first."""
    row = dossier.row
    accepted = _line(row["criadoEm"], ACCEPTED, "o pedido foi recebido", "cliente")
    accepted["tentativas"] = 1
    # First of those of its moment: what follows a decision begins in the same millisecond.
    lines = [_decision(taken) for taken in decisions(dossier)]
    lines += [line for execution in dossier.executions for line in _execution(execution, now)]
    lines += _reconciler(row)
    if expired(dossier):
        lines += _from_the_row(row)
    # Stable: what one execution did stays in its order. The front door's clock is not the machine's.
    return [accepted, *sorted(lines, key=lambda line: line["em"])]


def expired(dossier: Dossier) -> bool:
    """Whether the order had an execution whose history is no more."""
    row = dossier.row
    if dossier.executions or (row["status"] == Status.RECEBIDO and "cobranca" not in row):
        return False
    never_started = row.get("caso", {}).get("motivo") == "NAO_INICIADO" and "cobranca" not in row
    return not never_started


def _line(em: str, estado: str, evento: str, quem: Who, resultado: Outcome = "informacao") -> Line:
    return {
        "em": em,
        "ate": None,
        "estado": estado,
        "nome": state_told(estado),
        "quem": quem,
        "resultado": resultado,
        "evento": evento,
        "erro": None,
        "tentativas": 0,
        "execucao": None,
    }


# --- An execution ----------------------------------------------------------------------------------------------------


def _execution(execution: Execution, now: datetime) -> Iterator[Line]:
    for visit in execution.visits:
        yield _visit(visit, execution, now)
    if execution.stopped is not None:
        well = execution.status == "SUCCEEDED"
        said = _ENDED_TOLD.get(execution.status, f"a saga terminou ({execution.status})")
        yield _line(iso(execution.stopped), ENDED, said, "saga", "concluido" if well else "interrompido")


def _decision(taken: Taken) -> Line:
    if taken.retomada:
        said = f"{taken.responsavel} retomou o pedido ({taken.retomada}) e {taken.told()}"
        return _line(taken.em, RESUMED, said, "pessoa")
    return _line(taken.em, DECISION, f"{taken.responsavel} {taken.told()}", "pessoa")


def _visit(visit: Visit, execution: Execution, now: datetime) -> Line:
    last = visit is execution.visits[-1]
    resultado = _outcome(visit, execution, last=last)
    return {
        "em": iso(visit.entered),
        "ate": iso(visit.left) if visit.left is not None else None,
        "estado": visit.state,
        "nome": state_told(visit.state),
        "quem": "saga",
        "resultado": resultado,
        "evento": _event(visit, resultado, now),
        "erro": visit.error or None,
        "tentativas": visit.attempts,
        "execucao": execution.name,
    }


def _outcome(visit: Visit, execution: Execution, *, last: bool) -> Outcome:
    if last and execution.status == "RUNNING":
        return "esperando" if visit.failed or visit.state in ASKING else "andamento"
    if visit.failed:
        return "falhou"
    return "interrompido" if last and execution.status != "SUCCEEDED" else "concluido"


def _event(visit: Visit, outcome: Outcome, now: datetime) -> str:
    if outcome == "esperando" and visit.state in ASKING and not visit.failed:
        # Two days may have passed, or two minutes: that decides whether somebody should be woken.
        return f"aguardando decisão de uma pessoa desde {moment(visit.entered)}, {ago(visit.entered, now)}"
    if outcome == "esperando":
        failed = f"a última falhou {ago(visit.touched or visit.entered, now)}: {error_told(visit.error)}"
        return f"aguardando nova tentativa; {failed}"
    if outcome == "andamento":
        return f"em andamento {ago(visit.entered, now)}{_after(visit)}"
    if outcome == "falhou":
        unanswered = visit.state in ASKING and visit.error == "States.Timeout"
        return "ninguém respondeu no prazo: pergunta de novo" if unanswered else f"falhou: {error_told(visit.error)}"
    if outcome == "interrompido":
        return f"interrompida no meio{_after(visit)}"
    return "uma pessoa respondeu" if visit.answer else f"concluída{_after(visit)}"


def _after(visit: Visit) -> str:
    return f", depois de uma falha ({error_told(visit.error)})" if visit.error else ""


# --- What the row alone tells ----------------------------------------------------------------------------------------


def _reconciler(row: OrderRow) -> Iterator[Line]:
    sent: dict[str, Any] = row.get("reenvio", {})
    if sent:
        times = "" if sent["vezes"] == 1 else f" ({sent['vezes']} vezes até aqui)"
        yield _line(_of(sent["em"]), RECONCILER, f"reenviou a mensagem do pedido{times}", "conciliador")
    case: dict[str, Any] = row.get("caso", {})
    if case.get("origem") == ORIGEM:
        why = REASONS.get(case.get("motivo", ""), "motivo não registrado")
        # The claim is in whole seconds; the opening is exact, and older where a case is claimed again.
        em = max(case["abertoEm"], _of(case.get("reivindicadoEm", 0)))
        yield _line(em, RECONCILER, f"chamou uma pessoa: {why}", "conciliador")


def _from_the_row(row: OrderRow) -> Iterator[Line]:
    charge, refund = row.get("cobranca", {}), row.get("estorno", {})
    if charge:
        yield _line(
            _of(charge["em"]),
            "CobrarPagamento",
            f"primeira tentativa de cobrança; o registro diz {charge['estado']}",
            "saga",
        )
    if refund:
        said = f"primeira tentativa de devolução; o registro diz {refund['estado']}"
        yield _line(_of(refund["em"]), "EstornarPagamento", said, "saga")
    if row.get("caso", {}).get("origem") == "saga":
        yield _line(row["caso"]["abertoEm"], FROM_THE_ROW, "a saga chamou uma pessoa", "saga")
    if row["status"] in FINAIS:
        told = f"o pedido ficou {STATUSES[Status(row['status'])].lower()}; o histórico da execução já não existe"
        yield _line(row["atualizadoEm"], FROM_THE_ROW, f"{told} (90 dias)", "saga", "concluido")


def _of(epoch: float) -> str:
    return iso(datetime.fromtimestamp(epoch, UTC))
