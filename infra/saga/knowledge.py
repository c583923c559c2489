"""What the machine may conclude from how a task ended, whatever really happened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from infra.saga.effects import CompensationEffect, ForwardEffect, PivotEffect, RecordEffect, StepEffect
from infra.saga.world import Known, put

if TYPE_CHECKING:
    from infra.saga.effects import StateEffect
    from infra.saga.outcomes import Outcome
    from infra.saga.world import World

__all__ = ["known_after"]


def known_after(effect: StateEffect | None, outcome: Outcome, index: int | None) -> World:
    """``outcome.world`` with what the machine may conclude from how the task ended."""
    unsure = outcome.error is not None and not outcome.refusal
    forward = isinstance(effect, StepEffect | PivotEffect | ForwardEffect)
    failed = outcome.world.failed or (forward and outcome.error is not None)
    after = outcome.world if failed == outcome.world.failed else outcome.world._replace(failed=failed)
    match effect:
        case StepEffect() if index is not None:
            value = Known.NO if outcome.refusal else Known.MAYBE if unsure else Known.YES
            return after._replace(known=put(after.known, index, value), touched=after.touched or not outcome.refusal)
        case ForwardEffect() if index is not None:
            value = Known.MAYBE if unsure else Known.YES
            return after._replace(known=put(after.known, index, value), resort=after.resort or unsure)
        case PivotEffect():
            value = Known.NO if outcome.refusal else Known.MAYBE if unsure else Known.YES
            return after._replace(known_pivot=value)
        case CompensationEffect() if index is not None:
            if outcome.refusal:
                return after._replace(known_pivot=Known.YES)
            if unsure:
                return after._replace(resort=True)
            lost = Known.NO if effect.pivot_won is not None else after.known_pivot
            return after._replace(known=put(after.known, index, Known.NO), known_pivot=lost)
        case RecordEffect():
            return _after_record(after, effect, outcome)
        case _:
            return after


def _after_record(after: World, effect: RecordEffect, outcome: Outcome) -> World:
    asked = not effect.meaning.final
    return after._replace(
        tried=after.tried or asked,
        closed=after.closed or (effect.meaning.final and outcome.error is None),
        resort=after.resort or (outcome.error is not None and not outcome.refusal),
    )
