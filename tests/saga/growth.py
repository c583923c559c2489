"""Sagas of as many steps as wanted, to see how the proof grows with them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from infra.saga import compile_saga
from infra.saga.derivation import effects_of
from infra.saga.explorer import Exploration, explore
from tests.saga.samples import compensable, pivot, resources, retriable, trip

if TYPE_CHECKING:
    from infra.saga.model import Saga

__all__ = ["prove_of", "saga_of"]


def saga_of(steps: int) -> Saga:
    """A saga of so many steps: all compensable but the last two, a pivot and a retriable one."""
    last = steps - 3
    row = [compensable(f"S{index}", guard=index == last, doubt=index % 2 == 1) for index in range(steps - 2)]
    return trip(*row, pivot(), retriable("R"))


def prove_of(steps: int) -> Exploration:
    """The proof of `saga_of`."""
    saga = saga_of(steps)
    return explore(compile_saga(saga, resources(saga)), effects_of(saga, resources(saga)))
