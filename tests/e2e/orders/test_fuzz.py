"""A small slice of ``make fuzz``: no request gets a 5xx, and every refusal of ours is a problem answer."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from infra.local.settlement import wait_until_settled
from infra.ops.books import read_books
from infra.public_openapi import PATH
from tests.e2e.fuzz import documented, raw
from tests.e2e.fuzz.tally import Tally

if TYPE_CHECKING:
    from collections.abc import Iterator

    from infra.local.proofs.workbench import Workbench
    from infra.local.stack import EmbeddedStack

pytestmark = pytest.mark.e2e

SEED = 20260807
"""Always the same slice: new requests are what ``make fuzz`` is for."""


@pytest.fixture(autouse=True)
def _left_as_it_was(bench: Workbench) -> Iterator[None]:
    """Nothing is under way when the next test of the shared stack begins."""
    before = read_books(bench.target).orders.keys()
    yield
    wait_until_settled(bench, read_books(bench.target).orders.keys() - before)


def test_raw_requests_get_no_5xx_and_no_refusal_that_is_no_problem(bench: Workbench, stack: EmbeddedStack) -> None:
    tally = Tally()
    raw.ask(bench.target.api, tally, cases=200, seed=SEED)
    assert tally.complaints == []
    assert tally.cases == 200
    assert {400, 403, 413, 415} <= tally.statuses.keys(), "it reached the parser's refusals"
    stack.check()


def test_the_api_answers_as_its_document_says(bench: Workbench, stack: EmbeddedStack) -> None:
    tally = Tally()
    phases = ("examples", "coverage", "fuzzing")
    documented.ask(bench.target.api, json.loads(PATH.read_text()), tally, cases=100, seed=SEED, phases=phases)
    assert tally.complaints == []
    assert {200, 202, 400, 404, 409, 415} <= tally.statuses.keys(), "it reached acceptance and refusals"
    stack.check()


def test_a_document_that_lies_is_found_out(bench: Workbench) -> None:
    document = json.loads(PATH.read_text())
    del document["paths"]["/pedidos"]["post"]["responses"]["202"]
    tally = Tally()
    documented.ask(bench.target.api, document, tally, cases=1, seed=SEED, phases=("examples",))
    assert any("202" in complaint for complaint in tally.complaints)
