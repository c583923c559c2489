"""The worlds in which a walk begins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from infra.saga.effects import PersonEffect
from infra.saga.world import Known, Race, World

if TYPE_CHECKING:
    from collections.abc import Iterator

    from infra.saga.dynamics import Dynamics
    from infra.saga.effects import Effects
    from infra.saga.world import Found

__all__ = ["starts"]


def starts(dynamics: Dynamics) -> Iterator[tuple[World, tuple[Found, ...]]]:
    """The world before the saga; for a machine that resumes a case, each world in which a person may resume it.

    Each with the rules broken by starting there.
    """
    effects = dynamics.effects
    start: str = dynamics.definition["StartAt"]
    every = (*effects.steps(), *effects.forwards())
    none = (0,) * len(every)
    fresh = World(start, none, none, none, none, effects.initial)
    if start not in dynamics.choosers:
        yield dynamics.rules.arrive(fresh, start)
        return
    wait, _ = dynamics.choosers[start]
    for world in _interrupted(effects, fresh):
        for heard, answer in enumerate(dynamics.answers[wait]):
            yield world._replace(heard=heard, order=answer.order, due=answer.due), ()


def _interrupted(effects: Effects, fresh: World) -> Iterator[World]:
    """Worlds that an execution that died may leave: any steps done, the pivot decided or not."""
    steps, every = len(effects.steps()), len(fresh.counts)
    known = tuple(Known.MAYBE if index < steps else Known.NO for index in range(every))
    resumed = fresh._replace(known=known, touched=True, failed=True, undoing=True, resort=True)
    for done in range(steps + 1):
        held = resumed._replace(counts=tuple(int(index < done) for index in range(every)))
        yield held._replace(status=_asked(effects))
        pivot = effects.pivot()
        if pivot is not None and done == steps:
            status = pivot[1].writes.status if pivot[1].writes is not None else effects.initial
            yield held._replace(status=status, race=Race.PIVOT, known_pivot=Known.MAYBE)


def _asked(effects: Effects) -> str:
    """The status of an order whose undoing a person decides about."""
    people = (effect for effect in effects.states.values() if isinstance(effect, PersonEffect))
    return next((person.needs_status for person in people if person.needs_status), effects.initial)
