"""The document keeps what people wrote, and shows what was measured."""

from __future__ import annotations

import pytest

from infra.packaging import ROOT
from tests.bench.__main__ import SCENARIOS
from tests.bench.report import Goal, MissingSectionError, table, written

pytestmark = pytest.mark.unit

DOCUMENT = "antes\n\n<!-- bench:waits -->\nvelho\n<!-- /bench -->\n\ndepois\n\n<!-- bench:goals -->\n<!-- /bench -->\n"


def test_a_table_takes_the_place_of_the_last_one_and_touches_nothing_else() -> None:
    once = written(DOCUMENT, {"waits": {"cesta --help": 0.25}})
    assert once == (
        "antes\n\n<!-- bench:waits -->\n"
        "| wait | seconds |\n| --- | --- |\n| cesta --help | 0.25 |\n"
        "<!-- /bench -->\n\ndepois\n\n<!-- bench:goals -->\n"
        "| what | goal | reached |  |\n| --- | --- | --- | --- |\n"
        "| `cesta --help`, seconds | ≤ 0.3 | 0.25 | met |\n"
        "<!-- /bench -->\n"
    )
    assert written(once, {"waits": {"cesta --help": 0.25}}) == once


def test_a_result_without_a_place_is_an_error_that_names_it() -> None:
    with pytest.raises(MissingSectionError, match="bench:waits") as missing:
        written("nada", {"waits": {}})
    assert missing.value.name == "waits"


def test_a_goal_is_met_at_its_bound_and_missed_beyond_it() -> None:
    at_most, at_least = Goal("a", "m", lambda _: None, 1.15), Goal("b", "m", lambda _: None, 0.8, at_least=True)
    assert [goal.row(reached)[3] for goal, reached in ((at_most, 1.15), (at_most, 1.16))] == ["met", "**missed**"]
    assert [goal.row(reached)[3] for goal, reached in ((at_least, 0.8), (at_least, 0.79))] == ["met", "**missed**"]
    assert at_least.row(0.5)[:3] == ("b", "≥ 0.8", "0.50")


def test_a_table_is_one_line_a_row() -> None:
    assert table(["a", "b"], [[1, "x"]]) == "| a | b |\n| --- | --- |\n| 1 | x |"


def test_the_document_has_a_place_for_everything_that_is_measured() -> None:
    document = (ROOT / "docs" / "performance.md").read_text()
    for name in ("machine", "goals", *SCENARIOS):
        assert document.count(f"<!-- bench:{name} -->") == 1, name
