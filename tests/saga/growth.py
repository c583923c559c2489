"""How the proof grows with the saga: ``python -m tests.saga.growth`` prints the table of docs/checks.md."""

from __future__ import annotations

import time

from infra.saga import compile_saga
from infra.saga.derivation import effects_of
from infra.saga.explorer import Exploration, explore
from tests.saga.samples import compensable, pivot, resources, retriable, trip

__all__ = ["prove_of"]


def prove_of(steps: int) -> Exploration:
    """The proof of a saga of so many steps: all compensable but the last two, a pivot and a retriable one."""
    last = steps - 3
    row = [compensable(f"S{index}", guard=index == last, doubt=index % 2 == 1) for index in range(steps - 2)]
    saga = trip(*row, pivot(), retriable("R"))
    return explore(compile_saga(saga, resources(saga)), effects_of(saga, resources(saga)))


if __name__ == "__main__":
    for size in (3, 5, 8, 12):
        started = time.process_time()
        found = prove_of(size)
        print(f"{size} | {found.paths:,} | {found.states:,} | {time.process_time() - started:.2f} s")  # noqa: T201
