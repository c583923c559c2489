"""From one state of the world to every state that may follow it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from infra.saga.answered import Answered
from infra.saga.answers import Answer, possible_answers
from infra.saga.choices import AbsentPathError, branches
from infra.saga.effects import (
    CompensationEffect,
    FailureEnd,
    PersonEffect,
    PivotEffect,
    RecordEffect,
    StepEffect,
)
from infra.saga.errors import UnsupportedStateError
from infra.saga.knowledge import known_after
from infra.saga.late_writes import LateWrites
from infra.saga.model import StatusWrite
from infra.saga.outcomes import Outcomes
from infra.saga.rules import Rules
from infra.saga.world import END, FAILED, KILLED, UNCAUGHT, Fault, Found, World, put

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from infra.saga.asl import Definition
    from infra.saga.effects import Effects
    from infra.saga.outcomes import Outcome

__all__ = ["Dynamics", "Move", "UnsupportedStateError", "final_statuses"]

_SILENT = ("Pass", "Wait")


class Move(NamedTuple):
    """A step of the walk.

    Attributes:
        label: what happened, in Portuguese.
        world: the world after it.
        edge: the edge of the definition that was taken, for people; empty if none was.
        found: rules broken by it.
        person: True if it is a person's doing (an answer, or none in time): the machine waited for it.
    """

    label: str
    world: World
    edge: str = ""
    found: tuple[Found, ...] = ()
    person: bool = False


class Dynamics:
    """One definition with its effects, as a relation between states of the world."""

    def __init__(self, definition: Definition, effects: Effects) -> None:
        self.definition = definition
        self.states: Mapping[str, Mapping[str, Any]] = definition["States"]
        self.effects = effects
        self.finals = final_statuses(definition, effects)
        self.outcomes = {
            name: Outcomes(name, state, effects, self.finals)
            for name, state in self.states.items()
            if state.get("Type") == "Task"
        }
        self.written = {
            name: status
            for name, effect in effects.states.items()
            if isinstance(effect, RecordEffect)
            for status in _statuses_of(name, effect, definition, effects)
        }
        self.statuses = self._statuses()
        self.late_writes = LateWrites(effects, self.written, self.outcomes, self.statuses)
        self.rules = Rules(effects, self.written)
        self.every = (*effects.steps(), *effects.forwards())
        self.positions = {effect: index for index, effect in enumerate(self.every)}
        self.pivot = effects.pivot()
        steps = [effect for effect in effects.states.values() if isinstance(effect, StepEffect)]
        self.repeatable = frozenset(step.effect for step in steps if not step.idempotent)
        self.answered = Answered(effects, self.states, self.positions)
        none = (0,) * len(self.every)
        self.held = World(KILLED, none, none, none, none, effects.initial)
        self.choosers = {
            effect.decide: (name, effect) for name, effect in effects.states.items() if isinstance(effect, PersonEffect)
        }
        self.answers = {
            name: self._telling_apart(tuple(possible_answers(effect)))
            for name, effect in effects.states.items()
            if isinstance(effect, PersonEffect)
        }

    def _statuses(self) -> frozenset[str]:
        """Every status that the saga knows of."""
        known = {self.effects.initial, *self.written.values()}
        for effect in self.effects.states.values():
            match effect:
                case RecordEffect(allowed_from=tuple(froms)):
                    known.update(froms)
                case PivotEffect(writes=StatusWrite(status)) | CompensationEffect(claims=StatusWrite(status)):
                    known.add(status)
                case _:
                    pass
        return frozenset(known)

    def _telling_apart(self, answers: tuple[Answer, ...]) -> tuple[Answer, ...]:
        """One answer of each kind that every choice of the definition treats alike."""
        kinds: dict[object, Answer] = {}
        for answer in answers:
            treated = tuple(self._treated(name, person, answer) for name, (_, person) in self.choosers.items())
            kinds.setdefault((answer.order, answer.due, treated), answer)
        return tuple(kinds.values())

    def _treated(self, name: str, person: PersonEffect, answer: Answer) -> tuple[str | None, ...]:
        try:
            return tuple(target for _, target in branches(self.states.get(name, {}), person.answer_key, answer.value))
        except AbsentPathError as error:
            return ("#", str(error))

    # --- Moves ---

    def moves(self, world: World) -> Iterator[Move]:
        """Everything that may happen next."""
        for move in self._moves(world):
            settled = self.answered.settle(move.world)
            yield move if settled is move.world else move._replace(world=settled)

    def _moves(self, world: World) -> Iterator[Move]:
        yield from self._arrivals_by_chance(world)
        if world.ended:
            return
        state = self.states[world.state]
        match state.get("Type"):
            case "Task":
                yield from self._task(world, state)
                # Where a net catches what dies, a person holds the case, whatever the world was.
                yield Move("a execução morre aqui", self.held if self.effects.net else world._replace(state=KILLED))
            case "Choice":
                yield from self._choice(world, state)
            case "Succeed":
                yield Move("fim", world._replace(state=END))
            case "Fail":
                yield Move("a execução termina como falha", self._failed(world))
            case kind if kind in _SILENT:
                yield self._go(world, state, "passa adiante")
            case kind:
                raise UnsupportedStateError(world.state, str(kind))

    def _arrivals_by_chance(self, world: World) -> Iterator[Move]:
        """What was on the way arrives, or will never."""
        if world.state == KILLED:
            return
        for index, effect in enumerate(self.every):
            if world.late[index]:
                counts = put(world.counts, index, min(2, world.counts[index] + (effect in self.repeatable)) or 1)
                landed = world._replace(counts=counts, late=put(world.late, index, 0))
                yield Move(f"chega agora a tentativa atrasada de '{effect}'", landed, found=self._late(world, effect))
        if world.late_pivot and self.pivot is not None:
            name, pivot = self.pivot
            landed_pivot = self.outcomes[name].pivot_lands(world, pivot)
            after, found = landed_pivot or (world._replace(late_pivot=False), ())
            yield Move(f"chega agora a decisão atrasada de {name}", after, found=found)
        for name in sorted(world.late_records):
            record = self.effects.states[name]
            written = self.outcomes[name].record_lands(world, record) if isinstance(record, RecordEffect) else None
            if written is not None:
                after = self.late_writes.settle(written[0])
                yield Move(f"chega agora a escrita atrasada de {after.status}", after, found=written[1])

    def _late(self, world: World, effect: str) -> tuple[Found, ...]:
        if effect not in self.repeatable or not world.counts[self.positions[effect]]:
            return ()
        return Outcomes.twice(effect, 2)

    def _failed(self, world: World) -> World:
        if self.effects.net and self.effects.states.get(world.state) == FailureEnd(meaning=None):
            return self.held
        return world._replace(state=FAILED + ":" + world.state)

    # --- Tasks ---

    def _task(self, world: World, state: Mapping[str, Any]) -> Iterator[Move]:
        effect = self.effects.states.get(world.state)
        if isinstance(effect, PersonEffect):
            yield from self._ask(world, state, effect)
            return
        index = self.positions.get(getattr(effect, "effect", ""))
        for outcome in self.outcomes[world.state].row(world):
            after = known_after(effect, outcome, index)
            if isinstance(effect, CompensationEffect) and outcome.refusal and not self.effects.forwards():
                # The pivot was the last step: there is nothing forward to go to, so whoever is called is right to be.
                after = after._replace(resort=True)
            label = f"{world.state}: {outcome.label}"
            yield self._leave(after, state, label, outcome)

    def _leave(self, world: World, state: Mapping[str, Any], label: str, outcome: Outcome) -> Move:
        if outcome.error is None:
            return self._go(self._written(world, state.get("ResultPath", "$")), state, label, outcome.found)
        catcher = self.outcomes[world.state].catcher(outcome.error)
        if catcher is None:
            message = f"{world.state} falha com {outcome.error} e nenhum Catch pega: a execução acaba ali"
            found = (*outcome.found, Found(Fault.UNCAUGHT, world.state, message))
            return Move(label, world._replace(state=UNCAUGHT), f"{world.state}, sem Catch", found)
        errors = ", ".join(catcher["ErrorEquals"])
        written = self._written(world, catcher.get("ResultPath", "$"))
        return self._to(written, catcher["Next"], label, f"Catch [{errors}]", outcome.found)

    def _go(self, world: World, state: Mapping[str, Any], label: str, found: tuple[Found, ...] = ()) -> Move:
        if "Next" not in state:
            return Move(label, world._replace(state=END), f"{world.state} → fim", found)
        return self._to(world, state["Next"], label, "Next", found)

    def _to(self, world: World, target: str, label: str, way: str, found: tuple[Found, ...] = ()) -> Move:
        if target not in self.states:
            message = f"{world.state} leva a {target}, que não existe"
            lost = Found(Fault.UNCAUGHT, world.state, message)
            return Move(label, world._replace(state=UNCAUGHT), f"{world.state}, {way} → {target}", (*found, lost))
        after, broken = self.rules.arrive(world, target)
        return Move(label, self.late_writes.settle(after), f"{world.state}, {way} → {target}", (*found, *broken))

    def _written(self, world: World, path: str | None) -> World:
        if path == "$":
            return world._replace(keys=frozenset()) if world.keys else world
        key = (path or "").removeprefix("$.")
        new = key in self.answered.keys and key not in world.keys
        return world._replace(keys=world.keys | {key}) if new else world

    # --- People ---

    def _ask(self, world: World, state: Mapping[str, Any], effect: PersonEffect) -> Iterator[Move]:
        listened = state.get("ResultPath", "$") == f"$.{effect.answer_key}"
        for heard, answer in enumerate(self.answers[world.state]):
            told = world._replace(heard=heard if listened else -1, order=answer.order, due=answer.due, resort=True)
            yield self._go(told, state, f"{world.state}: {answer.label}")._replace(person=True)
        if "TimeoutSeconds" in state:
            yield self._unanswered(world)
        yield from self._unsent(world)

    def _unanswered(self, world: World) -> Move:
        label = f"{world.state}: ninguém responde no prazo"
        catcher = self.outcomes[world.state].catcher("States.Timeout")
        if catcher is None:
            message = f"{world.state}: ninguém responde no prazo e nenhum Catch pega: o caso se perde"
            return Move(label, world._replace(state=UNCAUGHT), "", (Found(Fault.UNCAUGHT, world.state, message),), True)
        errors = ", ".join(catcher["ErrorEquals"])
        return self._to(world, catcher["Next"], label, f"Catch [{errors}]")._replace(person=True)

    def _unsent(self, world: World) -> Iterator[Move]:
        outcomes = self.outcomes[world.state]
        unsent = world._replace(call_failed=True)
        for error in outcomes.errors:
            label = f"{world.state}: a mensagem não sai ({error})"
            catcher = outcomes.catcher(error)
            if catcher is None:
                message = f"{world.state} falha com {error} e nenhum Catch pega: a execução acaba ali"
                found = (Found(Fault.UNCAUGHT, world.state, message),)
                yield Move(label, unsent._replace(state=UNCAUGHT), f"{world.state}, sem Catch", found)
                continue
            errors = ", ".join(catcher["ErrorEquals"])
            yield self._to(unsent, catcher["Next"], label, f"Catch [{errors}]")

    def _choice(self, world: World, state: Mapping[str, Any]) -> Iterator[Move]:
        wait, person = self.choosers.get(world.state, ("", None))
        known = person is not None and world.heard >= 0
        key = person.answer_key if person is not None and known else ""
        value = self.answers[wait][world.heard].value if known else None
        read = world._replace(heard=-1) if world.heard >= 0 else world
        try:
            for way, target in branches(state, key, value):
                label = f"{world.state}: {way}"
                if target is None:
                    message = f"{world.state}: nenhuma regra serve e não há Default: a execução acaba ali"
                    found = (Found(Fault.UNCAUGHT, world.state, message),)
                    yield Move(label, read._replace(state=UNCAUGHT), world.state, found)
                    continue
                yield self._to(read, target, label, "Default" if target == state.get("Default") else "regra")
        except AbsentPathError as error:
            message = f"{world.state} compara {error}, que pode faltar: States.Runtime, que nenhum Catch pega"
            found = (Found(Fault.UNCAUGHT, world.state, message),)
            yield Move(f"{world.state}: lê {error}", read._replace(state=UNCAUGHT), world.state, found)


def final_statuses(definition: Definition, effects: Effects) -> frozenset[str]:
    """The statuses that nothing may be written over."""
    finals: set[str] = set()
    for name, effect in effects.states.items():
        if isinstance(effect, PivotEffect) and effect.writes is not None:
            finals.add(effect.writes.status)
        if isinstance(effect, RecordEffect) and effect.meaning.final:
            finals |= _statuses_of(name, effect, definition, effects)
        if isinstance(effect, FailureEnd) and effect.meaning is not None:
            finals.add(name)
    return frozenset(finals)


def _statuses_of(name: str, effect: RecordEffect, definition: Definition, effects: Effects) -> set[str]:
    state = definition["States"].get(name)
    if effect.status is not None or state is None:
        return {effect.status} if effect.status is not None else set()
    write = Outcomes(name, state, effects, frozenset()).write
    return {write.status} if write is not None else set()
