"""The crash points can fail: each mistake made on purpose is found, and only once something dies or is lost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.crash.bugs import BUGS, Bug
from tests.crash.points import Point, fewer_points
from tests.crash.scenarios import SCENARIOS, Scenario, run
from tests.inprocess.functions import installed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.inprocess.functions import Installed

pytestmark = pytest.mark.saga


@pytest.fixture
def fresh() -> Iterator[Installed]:
    """What a process keeps for life must not be of a process without the mistake."""
    with installed() as ready:
        yield ready


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: bug.name)
def test_it_is_found(fresh: Installed, bug: Bug) -> None:
    scenario = next(scenario for scenario in SCENARIOS if scenario.name == bug.scenario)
    with bug.made():
        well = run(fresh, scenario)
        assert not well.wrongs(scenario.ends), "it shows without a death: any test would find it"
        assert any(_shows(fresh, scenario, point) for point in fewer_points(well.world.calls))


def _shows(fresh: Installed, scenario: Scenario, point: Point) -> bool:
    ran = run(fresh, scenario, point)
    return bool(ran.wrongs(scenario.ends_after(point)))
