"""Everything one attempt at a task may do to the world, and everything a row of attempts may.

An attempt is done, refused, or fails; it fails before its effect, after it, or its effect is still on the way. The
retriers are folded: any number of attempts, to a fixed point, since only what they leave behind matters. The next
attempt starts when the one before is over (a retrier waits longer than a function may run; the checks see to that),
so only the last one may leave an effect on the way.
"""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from infra.saga.asl import catcher_for, retrier_for
from infra.saga.conditions import status_write
from infra.saga.effects import (
    CompensationEffect,
    ForwardEffect,
    Late,
    NoticeEffect,
    PersonEffect,
    PivotEffect,
    RecordEffect,
    StepEffect,
)
from infra.saga.world import Fault, Found, Race, put

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from infra.saga.effects import Effects, StateEffect
    from infra.saga.world import World

__all__ = [
    "CONDITION_FAILED",
    "DEFAULT_ATTEMPTS",
    "PLATFORM",
    "Outcome",
    "Outcomes",
    "attempts",
    "error_names",
]

CONDITION_FAILED: Final = "DynamoDB.ConditionalCheckFailedException"

DEFAULT_ATTEMPTS: Final = 3
"""MaxAttempts of a retrier that does not say (Amazon States Language, "Retrying after error")."""

PLATFORM: Final = (
    "States.Timeout",
    "Lambda.Unknown",
    "Lambda.ServiceException",
    "Lambda.AWSLambdaException",
    "Lambda.SdkClientException",
    "Lambda.ClientExecutionTimeoutException",
    "Lambda.TooManyRequestsException",
    "Sandbox.Timedout",
)

_ANY_ERROR: Final = "QualquerOutroErro"
"""An error whose name nobody lists: a bug, a library's exception."""

_SERVICE: Final = ("States.Timeout", _ANY_ERROR)


class Outcome(NamedTuple):
    """How a task ended.

    Attributes:
        label: for the story.
        world: the world after it, still in the task's state.
        error: the error's name, or None.
        found: rules broken on the way.
        over: False if the attempt's effect may still arrive.
        refusal: True if the error says that nothing was done.
    """

    label: str
    world: World
    error: str | None
    found: tuple[Found, ...] = ()
    over: bool = True
    refusal: bool = False


def attempts(state: Mapping[str, Any], error: str) -> int:
    """How many times ``state`` tries again after ``error``."""
    retrier = retrier_for(state, error)
    return retrier.get("MaxAttempts", DEFAULT_ATTEMPTS) if retrier is not None else 0


def error_names(state: Mapping[str, Any], effects: Effects, effect: StateEffect | None) -> tuple[str, ...]:
    """The errors, refusals aside, that a task of this kind may end in."""
    if isinstance(effect, PersonEffect):
        return (_ANY_ERROR,)
    resource: str = state.get("Resource", "")
    if resource.startswith("arn:aws:states:::") and ":::lambda:" not in resource:
        return _SERVICE
    doubt = effect.doubt.error if isinstance(effect, CompensationEffect) and effect.doubt is not None else None
    own = (*effects.transient, *effects.unknown)
    return (*(name for name in own if name != doubt), *PLATFORM, _ANY_ERROR)


class Outcomes:
    """What the task of one state may do.

    Attributes:
        catcher: the first catcher of the state that takes an error, None if none does.
    """

    def __init__(self, name: str, state: Mapping[str, Any], effects: Effects, finals: frozenset[str]) -> None:
        self.name = name
        self.state = state
        self.effects = effects
        self.effect = effects.states.get(name)
        self.finals = finals
        self.positions = {effect: index for index, effect in enumerate((*effects.steps(), *effects.forwards()))}
        # The same few errors are asked about from every state of the world.
        self.catcher = cache(partial(catcher_for, state))
        self._attempts = cache(partial(attempts, state))
        self.errors = self._telling_apart(error_names(state, effects, self.effect))
        self.write = status_write(state, effects.attribute)

    def _telling_apart(self, names: tuple[str, ...]) -> tuple[str, ...]:
        """One name of each kind the definition treats alike: the story of one is the story of all."""
        kinds: dict[tuple[bool, int | None], str] = {}
        for name in names:
            catcher = self.catcher(name)
            kinds.setdefault((self._attempts(name) > 0, id(catcher) if catcher is not None else None), name)
        return tuple(kinds.values())

    def row(self, world: World) -> Iterator[Outcome]:
        """How the task may end after any number of attempts; each way once, by the fewest attempts."""
        told: set[tuple[World, str | None]] = set()
        seen = {world}
        waiting: list[tuple[World, tuple[str, ...], tuple[Found, ...]]] = [(world, (), ())]
        for before, labels, found in waiting:
            for outcome in self.attempt(before):
                error = outcome.error
                row = (*labels, outcome.label)
                together = (*found, *outcome.found)
                known = len(told)
                told.add((outcome.world, error))  # hashed once: a world is long
                if len(told) > known:
                    # By the first attempt, it is told as it is.
                    yield outcome._replace(label="; de novo: ".join(row), found=together) if labels else outcome
                again = error is not None and outcome.over and self._attempts(error) > 0
                if again and outcome.world not in seen:
                    seen.add(outcome.world)
                    waiting.append((outcome.world, row, together))

    def attempt(self, world: World) -> Iterator[Outcome]:
        """How one attempt may end."""
        match self.effect:
            case StepEffect():
                yield from self._step(world, self.effect)
            case PivotEffect():
                yield from self._pivot(world, self.effect)
            case ForwardEffect():
                yield from self._forward(world, self.effect)
            case CompensationEffect():
                yield from self._compensation(world, self.effect)
            case RecordEffect():
                yield from self._record(world, self.effect)
            case NoticeEffect():
                told = world._replace(told=True)
                yield Outcome("avisado", told, None)
                yield from self._failures(world, told)
            case _:
                yield Outcome("feito", world, None)
                yield from self._failures(world, None)

    def _failures(self, world: World, after: World | None, late: World | None = None) -> Iterator[Outcome]:
        """Failures before the effect, after it, and with it on the way."""
        for error in self.errors:
            what = "tempo esgotado" if error == "States.Timeout" else f"falhou com {error}"
            yield Outcome(f"{what} antes do efeito", world, error)
            if after is not None:
                yield Outcome(f"{what} depois do efeito", after, error)
            if late is not None:
                yield Outcome(f"{what} com o efeito ainda a caminho", late, error, over=False)

    # --- Forward ---

    def _step(self, world: World, effect: StepEffect) -> Iterator[Outcome]:
        index = self.positions[effect.effect]
        done, found = self._take(world, index, effect)
        yield Outcome("feito", done, None, found)
        if not world.counts[index]:
            # A refusal speaks for the step, not for one attempt: the same key, the same answer.
            refused = world._replace(late=put(world.late, index, False))
            for refusal in effect.refusals:
                yield Outcome(f"recusado com {refusal}", refused, refusal, refusal=True)
        on_the_way = world._replace(late=put(world.late, index, True))
        for outcome in self._failures(world, done._replace(late=world.late), on_the_way):
            taken = found if outcome.world.counts[index] > world.counts[index] else ()
            yield outcome._replace(found=taken)

    def _take(self, world: World, index: int, effect: StepEffect) -> tuple[World, tuple[Found, ...]]:
        if effect.idempotent:
            once = put(world.counts, index, 1)
            return world._replace(counts=once, late=put(world.late, index, False)), ()
        times = min(2, world.counts[index] + 1)
        return world._replace(counts=put(world.counts, index, times)), self.twice(effect.effect, times)

    @staticmethod
    def twice(effect: str, times: int) -> tuple[Found, ...]:
        """The finding for an effect in force more than once, if it is."""
        if times < 2:
            return ()
        return (Found(Fault.TWICE, effect, f"{effect} mais de uma vez: o passo não é idempotente e foi repetido"),)

    def pivot_lands(self, world: World, effect: PivotEffect) -> tuple[World, tuple[Found, ...]] | None:
        """The pivot's own write; None if its guard refuses it."""
        writes = effect.writes
        in_time = world.race != Race.UNDOING and (writes is None or world.status in writes.allowed_from)
        if effect.guarded and not in_time:
            return None
        found: tuple[Found, ...] = ()
        if world.race == Race.UNDOING or (world.status in self.finals and not in_time):
            message = f"{self.name} decide sobre um pedido que já está {world.status or 'sendo desfeito'}"
            found = (Found(Fault.OVERTURNED, self.name, message),)
        status = writes.status if writes is not None else world.status
        return world._replace(race=Race.PIVOT, status=status, late_pivot=False), found

    def _pivot(self, world: World, effect: PivotEffect) -> Iterator[Outcome]:
        landed = self.pivot_lands(world, effect)
        if landed is None:
            yield from self._failures(world, None)
            return
        done, found = landed
        yield Outcome("decidido", done, None, found)
        for refusal in effect.refusals:
            yield Outcome(f"recusado com {refusal}", world, refusal, refusal=True)
        yield from self._failures(world, done, world._replace(late_pivot=True))

    def _forward(self, world: World, effect: ForwardEffect) -> Iterator[Outcome]:
        index = self.positions[effect.effect]
        done = world._replace(counts=put(world.counts, index, 1), late=put(world.late, index, False))
        yield Outcome("feito", done, None)
        yield from self._failures(world, done._replace(late=world.late), world._replace(late=put(world.late, index, 1)))

    # --- Back ---

    def _compensation(self, world: World, effect: CompensationEffect) -> Iterator[Outcome]:
        if effect.pivot_won is not None and world.race == Race.PIVOT:
            yield Outcome(f"recusado com {effect.pivot_won}", world, effect.pivot_won, refusal=True)
            yield from self._failures(world, None)
            return
        if effect.claims is not None and world.status not in effect.claims.allowed_from:
            yield Outcome(f"nada feito: o pedido já está {world.status}", world, None)
            yield from self._failures(world, None)
            return
        claimed = self._claim(world, effect)
        undone, found = self._undo(claimed, effect)
        yield Outcome("desfeito", undone, None, found)
        index = self.positions[effect.effect]
        if effect.doubt is not None and world.late[index]:
            yield Outcome(f"em dúvida ({effect.doubt.error})", claimed, effect.doubt.error)
        for outcome in self._failures(world, undone):
            yield outcome._replace(found=found) if outcome.world is undone else outcome
        if claimed is not world:
            for outcome in self._failures(world, claimed):
                if outcome.world is claimed:
                    yield outcome._replace(label=outcome.label.replace("depois do efeito", "sem ter desfeito"))

    def _claim(self, world: World, effect: CompensationEffect) -> World:
        if effect.pivot_won is None:
            return world
        status = effect.claims.status if effect.claims is not None else world.status
        pivot = self.effects.pivot()
        # A guarded pivot that still arrives is refused from now on, so whether one does no longer matters.
        late = world.late_pivot and pivot is not None and not pivot[1].guarded
        return world._replace(race=Race.UNDOING, status=status, late_pivot=late)

    def _undo(self, world: World, effect: CompensationEffect) -> tuple[World, tuple[Found, ...]]:
        index = self.positions[effect.effect]
        found: list[Found] = []
        if world.race == Race.PIVOT and world.counts[index]:
            message = f"{self.name} desfaz '{effect.effect}' de um pedido já confirmado"
            found.append(Found(Fault.AFTER_PIVOT, effect.effect, message))
        if not effect.idempotent and world.undone[index]:
            message = f"'{effect.effect}' desfeito mais de uma vez: a compensação não é idempotente e foi repetida"
            found.append(Found(Fault.TWICE, self.name, message))
        undone = put(world.undone, index, True) if not effect.idempotent else world.undone
        settles = effect.late is Late.AWAITED or (effect.late is Late.REFUSED and effect.late_unless not in world.keys)
        late = put(world.late, index, False) if settles else world.late
        left = world._replace(counts=put(world.counts, index, 0), undone=undone, late=late)
        return left, tuple(found)

    # --- Records ---

    def _record(self, world: World, effect: RecordEffect) -> Iterator[Outcome]:
        written = self.record_lands(world, effect)
        if written is None:
            found: tuple[Found, ...] = ()
            if self.write is not None and world.status == self.write.status:
                message = f"{self.name} recusa o próprio status: a repetição de uma escrita que chegou vira conflito"
                found = (Found(Fault.GUARD, self.name, message),)
            label = f"a condição recusa (o status é {world.status or 'outro'})"
            yield Outcome(label, world, CONDITION_FAILED, found, refusal=True)
            yield from self._failures(world, None)
            return
        done, found = written
        yield Outcome("registrado", done, None, found)
        yield from self._failures(world, done, world._replace(late_records=world.late_records | {self.name}))

    def may_write_over(self, present: str) -> bool:
        """True unless the record surely refuses to be written over the status ``present``."""
        if self.write is not None:
            return self.write.allows(present)
        allowed = self.effect.allowed_from if isinstance(self.effect, RecordEffect) else None
        return allowed is None or present in allowed

    def record_lands(self, world: World, effect: RecordEffect) -> tuple[World, tuple[Found, ...]] | None:
        """The record's own write; None if its condition refuses it."""
        status = self.write.status if self.write is not None else effect.status
        if status is None:
            return world, ()
        if not self.may_write_over(world.status):
            return None
        found: tuple[Found, ...] = ()
        if status != world.status and world.status in self.finals:
            message = f"{self.name} escreve {status} sobre {world.status}, que é final"
            found = (Found(Fault.OVERTURNED, self.name, message),)
        return world._replace(status=status, late_records=world.late_records - {self.name}), found
