"""A bill is arithmetic on what was counted."""

from __future__ import annotations

from dataclasses import replace

import pytest

from infra.packaging import ROOT
from infra.saga.cost import Prices
from tests.bench.bill import Assumptions, Usage, at_rate, bill, mixed, of_definition, without_functions
from tests.scale.money import ListPrices

pytestmark = pytest.mark.unit

ORDER = Usage(
    transitions=4,
    invocations=6,
    calls=12,
    gateway_calls=1,
    cpu_ms=10,
    write_units=10,
    read_units=4,
    queue_requests=3,
    log_bytes=6000,
    machine_log_bytes=4000,
)
PRICES = ListPrices(saga=Prices(transition=0.025 / 1000, call=0.2e-6, gb_second=0.0000133334))


def test_every_line_is_its_count_times_its_price_for_a_million_orders() -> None:
    lines = bill(ORDER, PRICES, Assumptions(aws_call_ms=10, gateway_call_ms=200))
    billed_ms = 10 * 1769 / 256 + 12 * 10 + 200
    assert lines == {
        "state transitions": pytest.approx(100),
        "function calls": pytest.approx(1.2),
        "function time": pytest.approx(0.0000133334 * 0.25 * billed_ms * 1000),
        "DynamoDB writes": pytest.approx(6.25),
        "DynamoDB reads": pytest.approx(0.5),
        "API request": pytest.approx(3.5),
        "SQS requests": pytest.approx(1.2),
        "logs": pytest.approx(5.0),
    }


def test_failures_are_shared_evenly_among_their_kinds() -> None:
    usages = {"bem": ORDER, "mal": replace(ORDER, transitions=8), "pior": replace(ORDER, transitions=12)}
    assert at_rate(usages, 0.0) == ORDER
    assert at_rate(usages, 0.1).transitions == pytest.approx(0.9 * 4 + 0.05 * 8 + 0.05 * 12)
    assert mixed([(0.5, ORDER), (0.5, replace(ORDER, calls=14))]).calls == 13


def test_a_move_made_by_the_machine_saves_the_call_and_its_share_but_no_transition() -> None:
    direct = without_functions(ORDER, 2)
    assert (direct.transitions, direct.write_units, direct.invocations, direct.calls) == (4, 10, 4, 10)
    assert (direct.cpu_ms, direct.log_bytes) == (pytest.approx(10 * 4 / 6), pytest.approx(4000))


def test_somebody_elses_definition_is_counted_by_its_own_way_through() -> None:
    other = of_definition(ROOT / "tests" / "saga" / "exhibits" / "000.json", ORDER, 0.0)
    assert (other.transitions, other.invocations) == (3, 5), "three states, two functions before them"
    assert other.write_units == ORDER.write_units
