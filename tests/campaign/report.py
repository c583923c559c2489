"""What a campaign found, as JSON-able data: the page and the plots are made from it alone."""

from __future__ import annotations

import os
import platform
import time
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Final

from handlers.domain.clock import iso
from tests.campaign.fault_proxy import silent
from tests.campaign.plan import Blow

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.campaign.plan import CampaignPlan
    from tests.campaign.run import Outcome

__all__ = ["as_report", "findings", "percentile"]

REFUSED_PERCENT: Final = 1
"""Orders, in percent, whose customer may give up without an answer: more, and the campaign was an outage."""
KILLS_EACH: Final = 3
"""Kills planned, for each function, from which on one that met none says that the campaign misses it."""
MARKED: Final = frozenset({Blow.KILL, Blow.STOP, Blow.FREEZE})
"""Blows that are drawn."""


def findings(outcome: Outcome, plan: CampaignPlan) -> list[str]:
    """Everything that should not have been, for a system that promises what the product promises; empty when good."""
    return [*_harms(outcome), *outcome.complaints, *_proves_nothing(outcome, plan)]


def _harms(outcome: Outcome) -> Iterator[str]:
    for harm, ids in outcome.verdict.harms.items():
        if ids:
            yield f"{len(ids)} pedidos com {harm}: {', '.join(sorted(ids)[:5])}"
    if outcome.verdict.oversold:
        yield f"{outcome.verdict.oversold} unidades vendidas além do estoque"
    if outcome.verdict.vanished:
        yield f"{outcome.verdict.vanished} unidades que saíram do estoque para ninguém"
    if outcome.under_way:
        yield f"{outcome.under_way} pedidos ainda em andamento no fim do tempo"


def _proves_nothing(outcome: Outcome, plan: CampaignPlan) -> Iterator[str]:
    """What makes the campaign itself worth nothing: nothing accepted, or nothing struck."""
    refused = plan.pedidos - outcome.accepted
    if refused * 100 > plan.pedidos * REFUSED_PERCENT:
        yield f"{refused} de {plan.pedidos} pedidos nunca foram aceitos"
    for blow in Blow:
        if plan.count(blow) and not outcome.blows[blow]:
            yield f"nenhum golpe: {blow}"
    if not plan.golpes:
        return
    for function, killed in outcome.kills.items():
        if not killed and plan.count(Blow.KILL) >= KILLS_EACH * len(outcome.kills):
            yield f"nenhum worker morto: {function}"
    if not sum(outcome.struck.values()):
        yield "o proxy de falhas não atingiu nenhuma chamada"
    for rule in silent(outcome.calls, outcome.struck):
        yield f"a regra não atingiu nenhuma chamada: {rule}"


def as_report(
    plan: CampaignPlan, wait_scale: float, outcomes: Sequence[Outcome], found: Sequence[str]
) -> dict[str, Any]:
    """The report of a campaign.

    Args:
        plan: what was sent and struck.
        wait_scale: factor of the waits between tries, and of the doubt window.
        outcomes: one of each system, the product's first.
        found: the product's findings.
    """
    return {
        "em": iso(time.time()),
        "maquina": {"nucleos": os.cpu_count(), "python": platform.python_version(), "sistema": platform.platform()},
        "plano": {**asdict(plan), "escalaEspera": wait_scale, "skus": dict(plan.stock)},
        "sistemas": [_system(outcome) for outcome in outcomes],
        "achados": list(found),
    }


def _system(outcome: Outcome) -> dict[str, Any]:
    verdict = outcome.verdict
    return {
        "sistema": outcome.system,
        "titulo": outcome.title,
        "aceitos": outcome.accepted,
        "respostas": {str(status): count for status, count in outcome.answers.items()},
        "fins": dict(sorted(outcome.ends.items())),
        "comPessoa": outcome.held,
        "quebrados": len(verdict.broken),
        "danos": {harm.value: len(ids) for harm, ids in verdict.harms.items()},
        "unidadesVendidasAlem": verdict.oversold,
        "unidadesSumidas": verdict.vanished,
        "emAndamento": outcome.under_way,
        "golpes": dict(outcome.blows),
        "mortos": dict(outcome.kills),
        "chamadas": dict(outcome.calls.seen),
        "chamadasFalhas": dict(outcome.calls.failed),
        "atingidasPorRegra": dict(outcome.struck),
        "segundos": round(outcome.duration, 1),
        "p50Segundos": percentile(outcome.seconds, 50),
        "p99Segundos": percentile(outcome.seconds, 99),
        "memoriaMib": outcome.memory_mib,
        "duracoes": [round(seconds, 2) for seconds in outcome.seconds],
        "amostras": [[sample.seconds, sample.posted, sample.ended] for sample in outcome.samples],
        "marcas": [[round(at, 1), blow.value] for at, blow in outcome.marks if blow in MARKED],
    }


def percentile(ordered: Sequence[float], percent: int) -> float | None:
    """Nearest-rank percentile of sorted seconds; None of nothing."""
    if not ordered:
        return None
    rank = -(-len(ordered) * percent // 100)
    return round(ordered[max(rank, 1) - 1], 2)
