"""Measuring two ways of doing a thing so that whatever else the machine does weighs on both alike."""

from __future__ import annotations

import gc
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from statistics import median
from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

__all__ = ["Samples", "apart", "interleaved", "percentile", "ratio_of_pairs", "variables"]

P = ParamSpec("P")
T = TypeVar("T")


@dataclass
class Samples:
    """What one way took, call by call.

    Attributes:
        wall: seconds that passed.
        cpu: seconds of this process's processor time.
    """

    wall: list[float] = field(default_factory=list[float])
    cpu: list[float] = field(default_factory=list[float])


def interleaved(ways: Mapping[str, Callable[[int], object]], rounds: int) -> dict[str, Samples]:
    """Calls every way once a round, the first one in turn, and keeps what each call took.

    Args:
        ways: by name; each is told the round, so that it can do something new.
        rounds: how many.
    """
    samples = {name: Samples() for name in ways}
    names = list(ways)
    gc.collect()
    for number in range(rounds):
        turn = number % len(names)
        for name in (*names[turn:], *names[:turn]):
            wall, cpu = time.perf_counter(), time.process_time()
            ways[name](number)
            samples[name].cpu.append(time.process_time() - cpu)
            samples[name].wall.append(time.perf_counter() - wall)
    return samples


def percentile(values: Sequence[float], percent: float) -> float:
    """Nearest-rank percentile.

    Raises:
        ValueError: there are no values, or the percentage is not above 0 and up to 100.
    """
    if not values or not 0 < percent <= 100:
        raise ValueError(f"no {percent} % of {len(values)} values; give some values and 0 < percent <= 100")
    rank = -int(-len(values) * percent // 100)
    return sorted(values)[rank - 1]


def ratio_of_pairs(ours: Sequence[float], limit: Sequence[float]) -> float:
    """The median, over the rounds, of ours to the limit's in the same round: what slows a round slows both.

    Raises:
        ValueError: the two were not measured in the same rounds.
    """
    return median(one / other for one, other in zip(ours, limit, strict=True))


def apart(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """The function's result, from a fresh process of its own that keeps its standard output to itself.

    It must be importable, and its arguments and result picklable.
    """
    with ProcessPoolExecutor(1, mp_context=get_context("spawn"), initializer=_hush) as process:
        return process.submit(function, *args, **kwargs).result()


@contextmanager
def variables(values: Mapping[str, str]) -> Generator[None]:
    """Those environment variables, and no other of AWS, for the length of the block."""
    before = dict(os.environ)
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        del os.environ[name]
    os.environ.update(values)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def _hush() -> None:
    # Functions log to standard output, as on Lambda: it costs them the same, and nobody reads it.
    sys.stdout = open(os.devnull, "w")  # noqa: PTH123, SIM115 - for the process's life
