"""How much processor time each function's workers take: what a call costs on any machine, unlike how long it takes."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import psutil

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["cpu_between", "cpu_of_workers"]

FUNCTION_NAME = "AWS_LAMBDA_FUNCTION_NAME"


def cpu_of_workers(processes: Iterable[psutil.Process]) -> dict[tuple[str, int], float]:
    """Processor seconds each live Lambda worker has taken, user and system together, by function and process."""
    found: dict[tuple[str, int], float] = {}
    for process in processes:
        try:
            function = process.environ().get(FUNCTION_NAME)
            times = process.cpu_times()
        except psutil.Error:
            # Gone since it was listed.
            continue
        if function:
            found[function, process.pid] = times.user + times.system
    return found


def cpu_between(before: Mapping[tuple[str, int], float], after: Mapping[tuple[str, int], float]) -> dict[str, float]:
    """Processor seconds by function from one look to the other.

    A worker that ended in between is not counted: a lower bound.
    """
    taken: defaultdict[str, float] = defaultdict(float)
    for (function, pid), seconds in after.items():
        taken[function] += seconds - before.get((function, pid), 0.0)
    return dict(sorted(taken.items()))
