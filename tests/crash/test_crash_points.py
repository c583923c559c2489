"""A process dies, or a call goes wrong, in every place there is: the order still ends well, or a person holds it.

Here, each place on each way through each function, once; ``make crash`` has all of them in every scenario.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.crash.points import Point, fewer_points, spread
from tests.crash.scenarios import SCENARIOS, Scenario, run
from tests.inprocess.functions import API, FUNCTIONS
from tests.inprocess.process import Moment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.inprocess.functions import Installed
    from tests.inprocess.process import Call

pytestmark = pytest.mark.saga

_IN_AS_MANY_SCENARIOS = 1
_WITH_EVERY_FUNCTION = ("caminho feliz", "cobrança ambígua", "confirmação ambígua", "parada em EfetivarReserva")
_ORDER_CLOSED = 600.0
"""Seconds after which an order of those scenarios is closed, but for the one that waits for a person."""


@pytest.fixture(scope="module")
def recorded(here: Installed) -> Mapping[str, Sequence[Call]]:
    """What each scenario calls when nobody dies."""
    return {scenario.name: run(here, scenario).world.calls for scenario in SCENARIOS}


@pytest.fixture(scope="module")
def points(recorded: Mapping[str, Sequence[Call]]) -> Mapping[str, list[Point]]:
    derived = {name: fewer_points(calls) for name, calls in recorded.items()}
    return spread(derived, recorded, each=_IN_AS_MANY_SCENARIOS)


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_when_nobody_dies_it_ends_as_it_should(here: Installed, scenario: Scenario) -> None:
    ran = run(here, scenario)
    assert not ran.wrongs(scenario.ends), ran.told()
    # The safety net makes up for a front door that accepts nothing, and would hide it.
    assert ran.world.answers == [202] * scenario.posts, ran.told()


@pytest.mark.parametrize("scenario", SCENARIOS, ids=lambda scenario: scenario.name)
def test_wherever_something_dies_nothing_is_lost(
    here: Installed, scenario: Scenario, points: Mapping[str, list[Point]]
) -> None:
    for point in points[scenario.name]:
        ran = run(here, scenario, point)
        wrongs = ran.wrongs(scenario.ends_after(point))
        assert not wrongs, ran.told(scenario.name, point, *wrongs)


def test_a_client_that_gives_up_loses_no_order_it_was_promised(here: Installed) -> None:
    scenario = SCENARIOS[0]
    calls = [call for call in run(here, scenario).world.calls if call.function == API]
    ends: set[str] = set()
    for point in fewer_points(calls):
        ran = run(here, scenario, point, patient=False)
        assert not ran.broken, ran.told(point)
        ends.add(ran.status)
    # Either there is no order at all, or it goes its whole way.
    assert ends == {"", "CONFIRMADO"}


def test_only_a_reservation_must_not_arrive_after_the_order_is_closed(here: Installed) -> None:
    """Why its attempts never follow each other at once (docs/decisions.md); every other write keeps itself out."""
    sent: set[str] = set()
    broke: set[str] = set()
    for scenario in SCENARIOS:
        if scenario.name not in _WITH_EVERY_FUNCTION:
            continue
        for point in fewer_points(run(here, scenario).world.calls):
            if point.moment is Moment.LATE:
                ran = run(here, scenario, point, late_seconds=_ORDER_CLOSED)
                sent.add(point.function)
                broke |= {point.function} if ran.broken else set()
    assert sent >= FUNCTIONS.keys()
    assert broke == {"ReservarEstoque"}


@pytest.mark.parametrize(("moment", "late_seconds"), [(Moment.DIES_AFTER, None), (Moment.LATE, 0.5)])
def test_a_late_charge_lands_though_nobody_waits_for_it(
    here: Installed, moment: Moment, late_seconds: float | None
) -> None:
    scenario = next(scenario for scenario in SCENARIOS if scenario.name == "cobrança tardia")
    charge = next(call for call in run(here, scenario).world.calls if call.name == "gateway POST /cobrancas")
    point = Point(charge.function, charge.invocation, 1, charge.index, moment, charge.name)
    ran = run(here, scenario, point, late_seconds=late_seconds)
    assert not ran.wrongs(scenario.ends), ran.told(point)
    told: Any = ran.world.statement()
    assert [charge["estado"] for charge in told["cobrancas"]] == ["aprovada"]
    assert [refund["estado"] for refund in told["estornos"]] == ["concluido"]


def test_the_points_are_everywhere(recorded: Mapping[str, Sequence[Call]], points: Mapping[str, list[Point]]) -> None:
    chosen = [point for of_scenario in points.values() for point in of_scenario]
    assert FUNCTIONS.keys() <= {point.function for point in chosen}
    # Every call anybody makes has a death after it, and every function one before its first.
    made = {(call.function, call.name) for calls in recorded.values() for call in calls}
    assert made == {(point.function, point.name) for point in chosen if point.moment is Moment.DIES_AFTER}
    first = {point.function for point in chosen if point.moment is Moment.DIES_BEFORE and point.index == 0}
    assert first == {function for function, _ in made}
