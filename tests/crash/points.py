"""The crash points of a scenario, derived from the calls it was seen to make.

Between two calls of one invocation nothing happens that anybody could see, so a process can die in as many places as it
makes calls, and one more: after each, and before the first. Besides dying, a call can lose its request, its answer, be
repeated by the SDK, or arrive late.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Final

from tests.inprocess.functions import CONCILIADOR, DEFINITIONS, MAQUINA
from tests.inprocess.process import GATEWAY, Call, Moment

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

__all__ = ["FOREVER", "Point", "every_point", "fewer_points", "pairs", "spread"]

FOREVER: Final = 10**6
"""As many invocations as there will ever be."""

_LOSSES: Final = (Moment.REQUEST_LOST, Moment.ANSWER_LOST)
_OF_WRITES: Final = (Moment.REPEATED, Moment.LATE, Moment.REPEATED_LATE)
_READS: Final = ("get_", "query", "describe_", f"{GATEWAY} GET")
_BY_THE_SDK: Final = (Moment.REPEATED, Moment.REPEATED_LATE)
_MOST_TRIES: Final = 5
"""Receives of a message, tries of an order by its client: what has no retrier in a definition."""


@dataclass(frozen=True)
class Point:
    """Something that befalls one call, in one invocation of a function or in several in a row.

    Attributes:
        function: whose.
        first: the first invocation it befalls.
        times: how many in a row.
        index: which of the invocation's calls.
        moment: what.
        name: the call, as it was seen; for who reads.
    """

    function: str
    first: int
    times: int
    index: int
    moment: Moment
    name: str

    def __call__(self, call: Call) -> Moment | None:
        """What befalls the call."""
        if call.function != self.function or call.index != self.index:
            return None
        return self.moment if self.first <= call.invocation < self.first + self.times else None

    def __str__(self) -> str:
        which = f"da {self.first + 1}ª" if self.times == 1 else f"de {self.times} a partir da {self.first + 1}ª"
        times = "de todas" if self.times == FOREVER else which
        return f"{self.function}, chamada {self.index + 1} ({self.name}) {times} vez(es): {self.moment}"


def every_point(calls: Sequence[Call]) -> list[Point]:
    """All of them: each place of each invocation, and each place of the first N invocations, for every N."""
    return [*_deaths(calls), *_befalling(calls, (*_LOSSES, *_OF_WRITES)), *_repeated(calls, every=True)]


def fewer_points(calls: Sequence[Call]) -> list[Point]:
    """The same places, of invocations that differ: of a row of equal ones the first and the last; and N as many as
    there are attempts. Of what is not a death, only what befalls writes, and leaves them undone or late."""
    kept = list(_of_differing(calls))
    writes = [call for call in kept if not call.name.startswith(_READS)]
    spoilt = _befalling(writes, (Moment.REQUEST_LOST, Moment.LATE, Moment.REPEATED_LATE))
    return [*_deaths(kept), *spoilt, *_repeated(kept, every=False)]


def spread(
    points: Mapping[str, Sequence[Point]], calls: Mapping[str, Sequence[Call]], *, each: int
) -> dict[str, list[Point]]:
    """By scenario, the points without those that ``each`` shorter scenarios have: the same place on the same way
    through the same function."""
    seen: Counter[object] = Counter()
    chosen: dict[str, list[Point]] = {}
    for scenario, candidates in sorted(points.items(), key=lambda item: len(calls[item[0]])):
        ways: dict[tuple[str, int], list[str]] = {}
        for call in calls[scenario]:
            ways.setdefault((call.function, call.invocation), []).append(call.name)
        chosen[scenario] = []
        for point in candidates:
            place = (point.function, *ways[point.function, point.first], point.index, point.moment, point.times)
            seen[place] += 1
            if seen[place] <= each:
                chosen[scenario].append(point)
    return chosen


def pairs(first: Point, calls: Sequence[Call]) -> Iterator[tuple[Point, Point]]:
    """``first``, and then a second death anywhere in what was seen to follow it."""
    at = next((i for i, call in enumerate(calls) if first(call) is not None), len(calls))
    following = list(_of_differing(calls[at + 1 :]))
    for second in _deaths(following):
        if second.function != first.function or second.first > first.first:
            yield first, second


def _deaths(calls: Iterable[Call]) -> Iterator[Point]:
    for call in calls:
        if call.index == 0:
            yield _at(call, Moment.DIES_BEFORE)
        yield _at(call, Moment.DIES_AFTER)


def _befalling(calls: Iterable[Call], moments: Sequence[Moment]) -> Iterator[Point]:
    for call in calls:
        reads, repeats = call.name.startswith(_READS), not call.name.startswith(GATEWAY)
        for moment in moments:
            # A read changes nothing, whenever it arrives; the gateway's client never repeats by itself.
            if (moment not in _OF_WRITES or not reads) and (moment not in _BY_THE_SDK or repeats):
                yield _at(call, moment)


def _repeated(calls: Sequence[Call], *, every: bool) -> Iterator[Point]:
    """The first N invocations of a function die at the same call: up to all there can be."""
    places = {(call.function, call.index): call for call in reversed(calls) if call.invocation == 0}
    for (function, _), call in sorted(places.items()):
        tries = _tries(function)
        # Without a reconciler that works now and then nothing is promised.
        most = (FOREVER,) if every and function != CONCILIADOR else ()
        for times in (*(range(2, tries + 1) if every else (tries,)), *most):
            for moment in (Moment.DIES_BEFORE, Moment.DIES_AFTER) if call.index == 0 else (Moment.DIES_AFTER,):
                yield _at(call, moment, times)


def _at(call: Call, moment: Moment, times: int = 1) -> Point:
    return Point(call.function, call.invocation, times, call.index, moment, call.name)


def _tries(function: str) -> int:
    """Attempts the machine makes of a state whose function dies; of other functions, those of who calls them."""
    state = DEFINITIONS[MAQUINA]["States"].get(function)
    if state is None:
        return _MOST_TRIES
    return 1 + max(retrier.get("MaxAttempts", 3) for retrier in state["Retry"])


def _of_differing(calls: Sequence[Call]) -> Iterator[Call]:
    """The calls without those of invocations between two that made the same calls in the same order."""
    invocations: dict[tuple[str, int], list[Call]] = {}
    for call in calls:
        invocations.setdefault((call.function, call.invocation), []).append(call)
    by_function: dict[str, list[list[Call]]] = {}
    for (function, _), made in sorted(invocations.items()):
        by_function.setdefault(function, []).append(made)
    for made in by_function.values():
        for _, alike in groupby(made, key=lambda calls: [(call.index, call.name) for call in calls]):
            row = list(alike)
            yield from (call for calls in ([row[0]] if len(row) == 1 else [row[0], row[-1]]) for call in calls)
