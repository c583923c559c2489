"""The starters' pace: the work first and at once, then the wait, and no more of it than is due."""

from __future__ import annotations

import time

import pytest

from api.chalicelib.ritmo import Ritmo
from tests.api.world import PEDIDO, World

pytestmark = pytest.mark.api


class Clock:
    """A clock that moves as work and sleep take their time."""

    def __init__(self) -> None:
        self.now = 100.0
        self.slept: list[float] = []

    def read(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def test_a_quick_batch_lasts_as_long_as_its_records_are_worth() -> None:
    clock = Clock()
    with Ritmo(0.2, relogio=clock.read, dormir=clock.sleep).manter(10):
        assert clock.slept == [], "the records start at once; only what follows them waits"
        clock.now += 0.5
    assert clock.slept == [pytest.approx(1.5)]


def test_a_slow_batch_waits_for_nothing() -> None:
    clock = Clock()
    with Ritmo(0.2, relogio=clock.read, dormir=clock.sleep).manter(2):
        clock.now += 3.0
    assert clock.slept == []


def test_so_many_starters_together_begin_so_many_a_second_whatever_the_queue_holds() -> None:
    starters, per_second = 10, 90
    clocks = [Clock() for _ in range(starters)]
    begun = 0
    for clock in clocks:
        ritmo = Ritmo(starters / per_second, relogio=clock.read, dormir=clock.sleep)
        while clock.now < 160.0:
            with ritmo.manter(10):
                clock.now += 0.05
                begun += 10
    # A minute's worth, and the batch each has begun with.
    assert 60 * per_second <= begun <= 60 * per_second + starters * 10


def test_a_batch_that_raises_is_not_held_up() -> None:
    clock = Clock()
    with pytest.raises(ValueError, match="x"), Ritmo(0.2, relogio=clock.read, dormir=clock.sleep).manter(10):
        raise ValueError("x")
    assert clock.slept == []


def test_the_starter_keeps_the_stacks_pace(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEGUNDOS_POR_INICIO", "0.1")
    for pedido_id in ("p-1", "p-2", "p-3"):
        assert world.post({**PEDIDO, "pedidoId": pedido_id}).status == 202
    began = time.monotonic()
    assert world.start(*world.sqs.bodies[-3:]) == []
    assert 0.3 <= time.monotonic() - began < 2
    assert len(world.sfn.inputs) == 3
