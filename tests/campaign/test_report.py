"""What a campaign's outcome is told as: its findings, its page, its plots."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from tests.campaign.evidence import CONFIRMED, UNDONE
from tests.campaign.fault_proxy import RULES, Calls
from tests.campaign.page import DOCS, PAGE, REPORT, headline, page, with_headline, write
from tests.campaign.plan import Blow, CampaignPlan
from tests.campaign.report import as_report, findings, percentile
from tests.campaign.run import Outcome, Sample
from tests.campaign.verdict import judge

if TYPE_CHECKING:
    from pathlib import Path

    from tests.campaign.evidence import Books

pytestmark = pytest.mark.unit

PLAN = CampaignPlan(100, 8)
SQS_RULE = "SQS limita (antes)"
CALLS = Calls(Counter(dynamodb=4000, sqs=250, stepfunctions=71), Counter(dynamodb=200, sqs=9))


def _outcome(books: Books = CONFIRMED, system: str = "cesta", **changed: Any) -> Outcome:
    good = Outcome(
        system=system,
        title=system,
        accepted=100,
        answers={202: 110},
        ends={"CONFIRMADO": 90, "": 10},
        held=3,
        verdict=judge(books.evidence),
        complaints=(),
        under_way=0,
        blows={blow.value: 1 for blow in Blow},
        kills={"cesta-api": 2, "cesta-iniciador": 1},
        struck=dict.fromkeys(RULES, 4),
        calls=CALLS,
        seconds=[1.0, 2.0, 30.0],
        samples=[Sample(2.0, 10, 5), Sample(4.0, 100, 100)],
        marks=[(1.0, Blow.KILL), (2.5, Blow.FREEZE), (3.0, Blow.REPOST)],
        duration=12.3,
        memory_mib=900,
    )
    return replace(good, **changed)


def test_a_good_outcome_has_no_findings() -> None:
    assert findings(_outcome(), PLAN) == []


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (_outcome(UNDONE.but(refunds=())), "1 pedidos com dinheiro tomado"),
        (_outcome(CONFIRMED.but(saldo=10)), "1 unidades vendidas além"),
        (_outcome(UNDONE.but(saldo=8)), "2 unidades que saíram"),
        (_outcome(under_way=2), "2 pedidos ainda em andamento"),
        (_outcome(complaints=["na DLQ sem dever: x"]), "na DLQ sem dever"),
        (_outcome(accepted=98), "2 de 100 pedidos nunca foram aceitos"),
        (_outcome(blows={blow.value: int(blow is not Blow.STOP) for blow in Blow}), "nenhum golpe: StopExecution"),
        (_outcome(struck=dict.fromkeys(RULES, 0), calls=Calls(Counter(), Counter())), "proxy de falhas não atingiu"),
        (_outcome(struck=dict.fromkeys(RULES, 4) | {SQS_RULE: 0}), f"não atingiu nenhuma chamada: {SQS_RULE}"),
        (_outcome(kills={"cesta-api": 12, "cesta-iniciador": 0}), "nenhum worker morto: cesta-iniciador"),
    ],
)
def test_what_is_wrong_is_a_finding(outcome: Outcome, words: str) -> None:
    found = findings(outcome, PLAN)
    assert len(found) == 1
    assert words in found[0]


def test_a_rule_that_met_too_few_calls_to_fire_for_certain_is_no_finding() -> None:
    few = Calls(Counter(dynamodb=4000, sqs=150), Counter())
    assert findings(_outcome(struck=dict.fromkeys(RULES, 4) | {SQS_RULE: 0}, calls=few), PLAN) == []


def test_one_customer_in_a_hundred_may_give_up() -> None:
    assert findings(_outcome(accepted=99), PLAN) == []


@pytest.mark.parametrize(("percent", "seconds"), [(50, 2.0), (99, 30.0), (1, 1.0)])
def test_percentiles_are_nearest_rank(percent: int, seconds: float) -> None:
    assert percentile([1.0, 2.0, 30.0], percent) == seconds
    assert percentile([], percent) is None


@pytest.fixture
def report() -> dict[str, Any]:
    broken = UNDONE.but(refunds=(), saldo=9, reservas={"p": 1})
    outcomes = [_outcome(), _outcome(broken, "doc000", seconds=[]), _outcome(broken, "minimo", seconds=[])]
    return json.loads(json.dumps(as_report(PLAN, 0.02, outcomes, [])))


def test_the_headline_has_the_broken_orders_of_each(report: dict[str, Any]) -> None:
    lines = headline(report).splitlines()
    assert lines[0] == "|  | Cesta | 000, as written | nested try/except |"
    assert "| **left broken** | **0** | **1** | **1** |" in lines
    assert "| money taken, order not confirmed | 0 | 1 | 1 |" in lines
    assert "| stock held, order not confirmed | 0 | 1 | 1 |" in lines


def test_the_page_says_what_was_found(report: dict[str, Any]) -> None:
    assert "Cesta kept every promise." in page(report)
    assert "p50 2 s, p99 30 s, of 3 orders" in page(report)
    assert "| SQS | 250, 9 | 250, 9 | 250, 9 |" in page(report)
    assert "- Cesta: `cesta-api` 2, `cesta-iniciador` 1" in page(report)
    broken = page({**report, "achados": ["na DLQ sem dever: x"]})
    assert "Cesta kept every promise." not in broken
    assert "- na DLQ sem dever: x" in broken


def test_the_same_report_gives_the_same_files(report: dict[str, Any], tmp_path: Path) -> None:
    folders = (tmp_path / "a", tmp_path / "b")
    for folder in folders:
        folder.mkdir()
        (folder / "README.md").write_text("none\n")
        write(report, folder, folder / "README.md")
    first, second = ({path.name: path.read_bytes() for path in folder.rglob("*.*")} for folder in folders)
    assert first == second
    assert {name for name in first if name.endswith(".svg")} == {
        "campaign-broken.svg",
        "campaign-progress.svg",
        "campaign-seconds.svg",
    }
    for word in (b"Cesta", b"000, as written", b"nested try/except", b"money taken, order not confirmed"):
        assert word in first["campaign-broken.svg"]


def test_only_what_is_between_the_marks_of_the_readme_is_written(report: dict[str, Any]) -> None:
    readme = "before\n<!-- campaign -->\nold\n<!-- /campaign -->\nafter\n"
    assert with_headline(readme, report) == (
        f"before\n<!-- campaign -->\n\n{headline(report)}\n\n<!-- /campaign -->\nafter\n"
    )
    assert with_headline("no marks\n", report) == "no marks\n"


def test_the_page_and_the_readme_in_the_repository_are_of_the_report() -> None:
    committed = json.loads((DOCS / REPORT).read_text(encoding="utf-8"))
    readme = (DOCS.parent / "README.md").read_text(encoding="utf-8")
    assert with_headline(readme, committed) == readme
    assert (DOCS / PAGE).read_text(encoding="utf-8") == page(committed)
    assert committed["achados"] == []
    assert committed["sistemas"][0]["quebrados"] == 0
