"""``python -m tests.campaign``: the campaign, on an embedded stack of its own. Exit codes: 0 good, 1 a promise broken.

Progress on the error stream, the report on the output stream.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from handlers.domain.reconciliation import AVISO_EM_CURSO_SEGUNDOS
from infra.config_errors import SettingsError
from infra.local.errors import EmbeddedStackError
from infra.local.stack import EmbeddedStack
from infra.ops.facts import Facts
from tests.campaign.baselines.systems import Document000, NestedTryExcept
from tests.campaign.fault_proxy import FaultProxy
from tests.campaign.page import write
from tests.campaign.plan import CampaignPlan
from tests.campaign.report import as_report, findings
from tests.campaign.run import run_campaign
from tests.campaign.saga import Saga
from tests.campaign.verdict import Harm

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.campaign.run import Outcome
    from tests.campaign.system import System

WAIT_SCALE: Final = 0.02
"""Waits fifty times shorter, and a doubt window of 18 s: longer than whatever leads into it, the gateway's standing
still included."""
PATIENCE_SECONDS: Final = AVISO_EM_CURSO_SEGUNDOS + 30.0
"""What the product is given at rest: longer than the reconciler leaves a call to a person to whoever claimed it, and
may have died or lost the answer, and than its second look at a charge in doubt (30 s)."""
OTHERS_PATIENCE_SECONDS: Final = 30.0
"""What the other designs are given at rest, where nothing of theirs mends itself: the latest charge lands in 27 s."""
REPORT: Final = Path(__file__).resolve().parents[2] / ".cesta" / "campaign.json"

_progress = Console(stderr=True, highlight=False)
_results = Console(highlight=False)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--pedidos", type=click.IntRange(20, 10_000), default=1_000, show_default=True)
@click.option("--por-segundo", type=click.FloatRange(0.1, 100), default=4, show_default=True)
@click.option("--semente", type=int, default=8, show_default=True, help="dela saem os pedidos e os golpes")
@click.option("--limite-minutos", type=click.FloatRange(1, 120), default=18, show_default=True, help="de tudo")
@click.option("--so-cesta", is_flag=True, help="sem os dois desenhos de comparação")
@click.option("--docs/--sem-docs", default=False, help="escreve docs/campaign.md e as figuras")
@click.option("--json", "as_json", is_flag=True, help="imprime o relatório em JSON, sozinho na saída padrão")
def main(
    pedidos: int, por_segundo: float, semente: int, limite_minutos: float, so_cesta: bool, docs: bool, as_json: bool
) -> None:
    """Põe muitos pedidos e muitas falhas ao mesmo tempo numa pilha local só dela, e confere todas as promessas."""
    plan = CampaignPlan(pedidos, semente, por_segundo=por_segundo)
    try:
        with _progress.status("subindo a pilha local") as status:
            outcomes = _campaign(plan, 60 * limite_minutos, so_cesta=so_cesta, tell=status.update)
    except (EmbeddedStackError, SettingsError) as error:
        _progress.print(f"[red]erro:[/red] {escape(str(error))}")
        sys.exit(1)
    found = findings(outcomes[0], plan)
    report = as_report(plan, WAIT_SCALE, outcomes, found)
    REPORT.parent.mkdir(exist_ok=True)
    REPORT.write_text(json.dumps(report, ensure_ascii=False, indent=1), encoding="utf-8")
    if docs:
        write(report)
    if as_json:
        print(json.dumps(report, ensure_ascii=False))  # noqa: T201 - one line, alone
    else:
        _tell(plan, outcomes, found)
    sys.exit(1 if found else 0)


def _campaign(plan: CampaignPlan, limit: float, *, so_cesta: bool, tell: Callable[[str], None]) -> Sequence[Outcome]:
    with EmbeddedStack.start(escala_espera=WAIT_SCALE, iam=True) as stack:
        proxy = FaultProxy.start(stack, plan.semente)
        outcomes: list[Outcome] = []
        systems = _systems(stack, proxy, so_cesta=so_cesta)
        deadline = time.monotonic() + limit
        for place, system in enumerate(systems):
            tell(f"{system.title}: implantando")
            system.deploy(plan)
            others = len(systems) - place - 1
            left = deadline - time.monotonic()
            outcomes.append(
                run_campaign(
                    system,
                    stack,
                    proxy,
                    plan,
                    patience=OTHERS_PATIENCE_SECONDS if place else PATIENCE_SECONDS,
                    # The first may take what the others surely do not need; none less than its equal share.
                    limit=max(left / (others + 1), left - others * (plan.seconds + 2 * OTHERS_PATIENCE_SECONDS)),
                    on_progress=tell,
                )
            )
            _progress.print(
                f"  {system.title}: {len(outcomes[-1].verdict.broken)} quebrados, {outcomes[-1].duration:.0f} s"
            )
        return outcomes


def _systems(stack: EmbeddedStack, proxy: FaultProxy, *, so_cesta: bool) -> Sequence[System]:
    saga = Saga(stack, proxy.url)
    if so_cesta:
        return (saga,)
    facts = Facts(saga.bench.target)
    others = (design(stack, proxy.url, facts.statement, saga.bench.run) for design in (Document000, NestedTryExcept))
    return (saga, *others)


def _tell(plan: CampaignPlan, outcomes: Sequence[Outcome], found: Sequence[str]) -> None:
    table = Table(title=f"{plan.pedidos} pedidos, semente {plan.semente}")
    table.add_column("")
    for outcome in outcomes:
        table.add_column(outcome.title, justify="right")
    rows: dict[str, Callable[[Outcome], int]] = {
        "aceitos": lambda outcome: outcome.accepted,
        "quebrados": lambda outcome: len(outcome.verdict.broken),
        **{harm.value: lambda outcome, harm=harm: len(outcome.verdict.harms[harm]) for harm in Harm},
        "unidades vendidas além do estoque": lambda outcome: outcome.verdict.oversold,
        "unidades que sumiram": lambda outcome: outcome.verdict.vanished,
        "com uma pessoa": lambda outcome: outcome.held,
    }
    for name, count in rows.items():
        table.add_row(name, *(str(count(outcome)) for outcome in outcomes))
    _results.print(table)
    for finding in found:
        _results.print(f"[red]·[/red] {escape(finding)}")
    _results.print("a Cesta cumpriu todas as promessas" if not found else f"{len(found)} achados")


if __name__ == "__main__":
    main()
