"""What a saga costs: billed transitions and Lambda calls of each way through it, and dollars per million orders.

Step Functions bills a Standard workflow by state transition, one for each state entered and one for each retry
(AWS, "Step Functions pricing"); Lambda bills calls and GB-seconds. Tables, queues and logs are not counted: they are
the same for every way of ordering the states.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from infra.saga.asl import edges, retrier_for
from infra.saga.checks.numbers import number
from infra.saga.picture import box_kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from infra.saga.asl import Definition

__all__ = ["PathCost", "Prices", "Usage", "dollars_per_million", "path_costs"]

_ANY_ERROR = "UmErroQualquer"
_MILLION = 1_000_000


@dataclass(frozen=True)
class Prices:
    """Prices in dollars, which change: give today's.

    Attributes:
        transition: of one state transition.
        call: of one Lambda call.
        gb_second: of one GB-second of Lambda.
        date: when these were right, and where.
    """

    transition: float = 0.025 / 1000
    call: float = 0.20 / _MILLION
    gb_second: float = 0.0000133334
    date: str = "2026-03, us-east-1, arm64, sem o nível gratuito"


@dataclass(frozen=True)
class Usage:
    """What one Lambda call takes.

    Attributes:
        memory_mb: memory of the function, in MiB.
        milliseconds: billed duration.
    """

    memory_mb: int = 256
    milliseconds: float = 100


@dataclass(frozen=True)
class PathCost:
    """One way through a saga.

    Attributes:
        failed: the state that fails on this way, or empty on the way without failures.
        errors: what it fails with, as in its Catch.
        states: the states entered, in order.
        transitions: billed transitions: states and retries.
        calls: Lambda calls, retries among them.
        person: True if the way leads to a person, and is counted up to there.
    """

    failed: str
    errors: tuple[str, ...]
    states: tuple[str, ...]
    transitions: int
    calls: int
    person: bool

    def dollars(self, prices: Prices, usage: Usage) -> float:
        """What one order on this way costs."""
        call = prices.call + prices.gb_second * usage.memory_mb / 1024 * usage.milliseconds / 1000
        return self.transitions * prices.transition + self.calls * call


def path_costs(definition: Definition) -> list[PathCost]:
    """The way without failures, then one way for each Catch on it: all tries used, and what undoes succeeds at once."""
    states: Mapping[str, Mapping[str, Any]] = definition["States"]
    forward, person = _follow(states, definition["StartAt"])
    costs = [_cost(states, "", (), forward, 0, person=person)]
    for position, name in enumerate(forward):
        for edge in edges(states[name]):
            if edge.kind == "catch" and edge.target is not None and edge.target in states:
                back, person = _follow(states, edge.target)
                retries = _retries(states[name], edge.errors)
                costs.append(
                    _cost(states, name, edge.errors, (*forward[: position + 1], *back), retries, person=person)
                )
    return costs


def dollars_per_million(
    costs: Sequence[PathCost], failing: float, prices: Prices | None = None, usage: Usage | None = None
) -> float:
    """Dollars per million orders of which the share ``failing`` (0 to 1) fails.

    Failures are shared evenly among the states that may fail, and then among each one's catchers.
    """
    at, use = prices or Prices(), usage or Usage()
    good = [cost.dollars(at, use) for cost in costs if not cost.failed]
    by_state: dict[str, list[float]] = {}
    for cost in costs:
        if cost.failed:
            by_state.setdefault(cost.failed, []).append(cost.dollars(at, use))
    bad = [_mean(group) for group in by_state.values()]
    return _MILLION * ((1 - failing) * _mean(good) + failing * _mean(bad)) if bad else _MILLION * _mean(good)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _follow(states: Mapping[str, Mapping[str, Any]], start: str) -> tuple[tuple[str, ...], bool]:
    """The states entered from ``start`` when nothing more fails, up to the end, a person, a Choice or a cycle."""
    entered = list(_entered(states, start))
    return tuple(entered), box_kind(states[entered[-1]]) == "person" if entered else False


def _entered(states: Mapping[str, Mapping[str, Any]], start: str) -> Iterator[str]:
    name: str | None = start
    seen: set[str] = set()
    while name is not None and name in states and name not in seen:
        yield name
        seen.add(name)
        name = None if box_kind(states[name]) == "person" else states[name].get("Next")


def _retries(state: Mapping[str, Any], errors: Sequence[str]) -> int:
    """Retries before the Catch of ``errors`` takes over."""
    error = _ANY_ERROR if not errors or errors[0] in ("States.ALL", "States.TaskFailed") else errors[0]
    retrier = retrier_for(state, error)
    return 0 if retrier is None else int(number(retrier.get("MaxAttempts"), 3))


def _cost(
    states: Mapping[str, Mapping[str, Any]],
    failed: str,
    errors: tuple[str, ...],
    entered: tuple[str, ...],
    retries: int,
    *,
    person: bool,
) -> PathCost:
    calls = sum(_is_function(states[name]) for name in entered)
    if failed and _is_function(states[failed]):
        calls += retries
    return PathCost(failed, errors, entered, len(entered) + retries, calls, person)


def _is_function(state: Mapping[str, Any]) -> bool:
    return ":lambda:" in str(state.get("Resource", ""))
