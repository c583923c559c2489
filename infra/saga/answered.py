"""Answers that came back: which of them can matter, so that a walk need not carry the others along."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from infra.saga.asl import reachable
from infra.saga.effects import CompensationEffect, StepEffect

if TYPE_CHECKING:
    from collections.abc import Mapping

    from infra.saga.effects import Effects
    from infra.saga.world import World

__all__ = ["Answered"]


class Answered:
    """The fields by which the compensations of one definition know that their steps answered.

    A compensation reads its field only to know whether an attempt may still arrive. Where none may, and the step cannot
    run again, worlds with and without the field do the same from then on, and are one.

    Args:
        effects: what the states do.
        states: the definition's.
        positions: of each effect in a world's tuples.

    Attributes:
        keys: the fields.
    """

    def __init__(self, effects: Effects, states: Mapping[str, Mapping[str, Any]], positions: Mapping[str, int]) -> None:
        readers = [
            (effect.late_unless, effect.effect)
            for effect in effects.states.values()
            if isinstance(effect, CompensationEffect) and effect.late_unless is not None
        ]
        self.keys = frozenset(key for key, _ in readers)
        self._readers = [(key, positions[effect]) for key, effect in readers]
        steps = {name: effect.effect for name, effect in effects.states.items() if isinstance(effect, StepEffect)}
        self._ahead: dict[str, frozenset[str]] = {}
        for name in states:
            may_run = {steps[after] for after in reachable(states, name) if after in steps}
            self._ahead[name] = frozenset(key for key, effect in readers if effect in may_run)

    def settle(self, world: World) -> World:
        """``world`` without the fields that nothing will ever depend on."""
        if not world.keys:
            return world
        ahead = self._ahead.get(world.state, frozenset())
        matter = ahead.union(key for key, index in self._readers if world.late[index])
        return world if world.keys <= matter else world._replace(keys=world.keys & matter)
