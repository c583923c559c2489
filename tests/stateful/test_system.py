"""The short form: as many examples as a suite has time for. ``make stateful`` plays for longer, from a seed."""

from __future__ import annotations

import pytest
from hypothesis.stateful import run_state_machine_as_test

from tests.inprocess.functions import installed
from tests.stateful.play import examples
from tests.stateful.system import system

pytestmark = pytest.mark.saga

EXAMPLES = 45
SEED = 8


def test_whatever_happens_nothing_is_lost() -> None:
    with installed() as here:
        run_state_machine_as_test(system(here, seed_of_all=SEED), settings=examples(EXAMPLES))
