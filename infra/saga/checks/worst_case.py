"""The worst a definition may cost on one way through it: seconds and events of the history.

An estimate: every attempt takes its whole timeout and fails, every state of the longest way is visited once. Cycles
are counted once; one that nothing bounds is a finding of its own.
"""

from __future__ import annotations

from graphlib import TopologicalSorter
from typing import TYPE_CHECKING, Any

from infra.saga.asl import reachable
from infra.saga.checks.numbers import number

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from infra.saga.checks.machine import Machine

__all__ = ["cycles", "events_once", "longest_events", "longest_seconds", "seconds_waited"]

_DEFAULT_TIMEOUT = 99_999_999
_MANY = 10_000
_EVENTS_OF_ATTEMPT = 3
"""Scheduled, started, failed or succeeded (Step Functions, "HistoryEvent")."""
_EVENTS_OF_STATE = 2
"""Entered and exited."""


def longest_seconds(machine: Machine) -> float:
    """Seconds of the longest way through the machine."""
    return _longest(machine, _seconds)


def longest_events(machine: Machine) -> int:
    """History events of the longest way through the machine."""
    return int(_longest(machine, _events)) + 2


def cycles(machine: Machine) -> list[frozenset[str]]:
    """The groups of states that lead to one another."""
    return [group for group in set(_groups(machine).values()) if len(group) > 1]


def events_once(state: Mapping[str, Any]) -> int:
    """History events of one visit that succeeds at once."""
    return _EVENTS_OF_STATE + (_EVENTS_OF_ATTEMPT if state.get("Type") == "Task" else 0)


def seconds_waited(state: Mapping[str, Any]) -> float:
    """Seconds a Wait state surely waits; 0 for any other."""
    return number(state.get("Seconds"), 0) if state.get("Type") == "Wait" else 0


def _longest(machine: Machine, weigh: Callable[[Mapping[str, Any]], float]) -> float:
    """The heaviest way from the start; states on one cycle weigh together, each once."""
    groups = _groups(machine)
    # A sorter wants what comes first; here that is what a group leads to.
    order = TopologicalSorter({group: _followers(machine, group, groups) for group in groups.values()})
    best: dict[frozenset[str], float] = {}
    for group in order.static_order():
        after = max((best[follower] for follower in _followers(machine, group, groups)), default=0.0)
        best[group] = sum(weigh(machine.states[name]) for name in group) + after
    return max(best.values(), default=0.0)


def _groups(machine: Machine) -> dict[str, frozenset[str]]:
    """For each reachable state, the states it is on a cycle with, itself among them."""
    leads_to = {name: reachable(machine.states, name) for name in machine.alive}
    return {name: frozenset(other for other in after if name in leads_to[other]) for name, after in leads_to.items()}


def _followers(machine: Machine, group: frozenset[str], groups: Mapping[str, frozenset[str]]) -> set[frozenset[str]]:
    return {groups[target] for name in group for target in machine.targets(name)} - {group}


def _attempts(state: Mapping[str, Any]) -> float:
    return 1 + sum(number(retrier.get("MaxAttempts"), 3) for retrier in state.get("Retry", ()))


def _events(state: Mapping[str, Any]) -> float:
    if state.get("Type") != "Task":
        return _EVENTS_OF_STATE
    return _EVENTS_OF_STATE + _EVENTS_OF_ATTEMPT * _attempts(state)


def _seconds(state: Mapping[str, Any]) -> float:
    if state.get("Type") == "Wait":
        return seconds_waited(state)
    if state.get("Type") != "Task":
        return 0
    waits = sum(_waiting(retrier) for retrier in state.get("Retry", ()))
    return _attempts(state) * number(state.get("TimeoutSeconds"), _DEFAULT_TIMEOUT) + waits


def _waiting(retrier: Mapping[str, Any]) -> float:
    interval, backoff = number(retrier.get("IntervalSeconds"), 1), number(retrier.get("BackoffRate"), 2)
    ceiling = number(retrier.get("MaxDelaySeconds"), float("inf"))
    attempts = int(min(number(retrier.get("MaxAttempts"), 3), _MANY))
    # Past ten doublings a wait is days: what matters then is that it is long.
    return sum(min(interval * backoff ** min(attempt, 10), ceiling) for attempt in range(attempts))
