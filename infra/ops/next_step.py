"""What to do about an order now: the next safe step, and the command for it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final, Literal

from handlers.domain.status import Status
from infra.ops.timeline import expired
from infra.ops.words import REASONS, clean, moment

if TYPE_CHECKING:
    from infra.ops.dossier import Dossier
    from infra.ops.intervention import Case

__all__ = ["Action", "NextStep", "next_step"]

Action = Literal["nada", "esperar", "acompanhar", "decidir"]
"""``decidir``: a person must, now; ``acompanhar``: nobody must now, and yet it is not over."""

_RUNBOOK: Final = "docs/runbook.md diz como escolher"
_WELL: Final = "nenhum: o pedido chegou ao fim e as contas fecham"


@dataclass(frozen=True)
class NextStep:
    """The next step.

    Attributes:
        action: what kind of step it is.
        text: in words.
        command: what to type, or "" when nothing; safe as it stands, since it only shows.
    """

    action: Action
    text: str
    command: str = ""


def next_step(case: Case, dossier: Dossier, options: str) -> NextStep:
    """What to do.

    Args:
        case: the order as a case.
        dossier: the same order, as read.
        options: what the commands need to find its stack, "" for the embedded one.
    """
    look = f"cesta pedido {case.pedido_id}{options}"
    again = _simulated(f"reprocessar {case.pedido_id}", options)
    if case.asking:
        what = "efetivar a reserva" if case.status is Status.CONFIRMADO else "desfazer o pedido"
        text = f"o plantão precisa decidir: reprocessar (tentar {what} de novo) ou encerrar; {_RUNBOOK}"
        return NextStep("decidir", text, again)
    if case.running:
        return NextStep("esperar", "nenhum: a saga está em andamento; consulte de novo em alguns minutos", look)
    if case.execution is None and case.status is Status.RECEBIDO and not expired(dossier):
        text = "esperar: o pedido foi aceito e aguarda início; o conciliador o reenvia, e repetir o mesmo POST é seguro"
        return NextStep("esperar", text, look)
    if case.status is Status.RESOLVIDO_MANUALMENTE:
        return _closed_by_a_person(case, options)
    if case.status is Status.CONFIRMADO:
        return _confirmed(case, again)
    if case.status in {Status.FALHOU_SEM_RESERVA, Status.FALHOU_COMPENSADO}:
        return _failed(case, look)
    return NextStep("decidir", _stopped(case), again)


def _stopped(case: Case) -> str:
    opened = case.row.get("caso", {})
    why = REASONS.get(opened.get("motivo", ""), "a execução parou antes do fim")
    called = "o plantão precisa decidir" if opened else "o conciliador chama o plantão em até 5 minutos"
    return f"{why}, e o pedido precisa de uma pessoa: {called}; {_RUNBOOK}"


def _simulated(decision: str, options: str) -> str:
    """Only shows what the saga would do; without ``--simular`` it is done."""
    return f'cesta intervencao {decision} --responsavel NOME --justificativa "..." --simular{options}'


def _closed_by_a_person(case: Case, options: str) -> NextStep:
    left = sorted(case.named)
    unnamed = sorted(case.open - case.named)
    if unnamed:
        names = " ".join(f"--pendencias {pending}" for pending in sorted({*left, *unnamed}))
        held = " e ".join(unnamed)
        text = f"ainda há {held} em aberto que ninguém nomeou: acerte por fora, ou diga que fica em aberto"
        return NextStep("decidir", text, _simulated(f"encerrar {case.pedido_id} {names}", options))
    if left and case.open:
        who = clean(case.row.get("responsavel", "quem encerrou"))
        return NextStep("acompanhar", f"acertar por fora o que {who} deixou em aberto de propósito: {' e '.join(left)}")
    return NextStep("nada", "nenhum: uma pessoa encerrou o pedido")


def _confirmed(case: Case, again: str) -> NextStep:
    if case.reserved == 0:
        return NextStep("nada", _WELL)
    if case.waiting:
        return NextStep("decidir", f"a reserva não foi efetivada: o plantão precisa reprocessar; {_RUNBOOK}", again)
    return NextStep("acompanhar", "a reserva ficou por acertar: uma pessoa encerrou a pendência e responde por ela")


def _failed(case: Case, look: str) -> NextStep:
    if case.reserved or case.money["situacao"] == "cobrado":
        return NextStep("esperar", "as contas não fecham: o conciliador chama o plantão em até 5 minutos", look)
    if case.money["situacao"] != "em_duvida":
        return NextStep("nada", _WELL)
    if "verificarEm" not in case.row:
        return NextStep("nada", "nenhum: a cobrança em dúvida foi procurada de novo em 24 h e não apareceu")
    when = moment(datetime.fromisoformat(case.row["verificarEm"]))
    text = f"nenhum agora: o conciliador procura a cobrança de novo (a partir de {when}) e chama o plantão se aparecer"
    return NextStep("acompanhar", text, look)
