"""What a compiled saga's states do, derived from its model by the contracts the model states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from infra.saga.effects import (
    RESULT,
    AnswerEffect,
    AnswerMeaning,
    ClosingEffect,
    CompensationEffect,
    Doubt,
    Effects,
    FailureEnd,
    ForwardEffect,
    Late,
    Meaning,
    PersonEffect,
    PivotEffect,
    RecordEffect,
    StepEffect,
)
from infra.saga.model import StepKind

if TYPE_CHECKING:
    from infra.saga.compiler import Resources
    from infra.saga.effects import StateEffect, Writer
    from infra.saga.model import Answer, Compensation, HumanStep, Saga, StatusRecord, Step

__all__ = ["effects_of"]

_ALL: Final = "States.ALL"


def effects_of(saga: Saga, resources: Resources | None = None) -> Effects:
    """What the compiled saga does, by the contracts of its model.

    A compensation with a doubt window awaits what may still arrive; any other refuses it, and may skip that once its
    step's answer came back. An execution that dies reaches a person: that is the safety net around the machine.

    Args:
        saga: the saga.
        resources: what it is compiled with; with it, a state that calls another state's function is found.
    """
    states: dict[str, StateEffect] = {}
    for step in saga.steps:
        states[step.name] = _of_step(step)
    for step in reversed(saga.compensable()):
        if step.compensation is not None:
            states[step.compensation.name] = _of_compensation(step, step.compensation)
    states[saga.nothing_done.name] = _of_record(saga.nothing_done, Meaning.NOTHING_DONE)
    states[saga.compensated.name] = _of_record(saga.compensated, Meaning.COMPENSATED)
    states |= _of_person(saga, saga.human, after_pivot=False)
    for step in saga.steps:
        if step.pending is not None:
            states |= _of_person(saga, step.pending, after_pivot=True)
    states[saga.undelivered] = FailureEnd(meaning=None)
    return Effects(
        states=states,
        initial=_initial(saga.nothing_done),
        transient=_names(saga.errors.transient),
        unknown=_names(saga.errors.unknown),
        net=True,
        functions=dict(resources.functions) if resources is not None else {},
        owners=_owners(saga),
        fields=saga.input_fields,
        spread=saga.policies.step.transient.jitter,
        attribute=saga.table.status,
    )


def _names(errors: tuple[type[Exception], ...]) -> tuple[str, ...]:
    return tuple(error.__name__ for error in errors)


def _initial(nothing_done: StatusRecord) -> str:
    """The status of a saga that has not begun: what "nothing was done" is written over, other than itself."""
    return next((status for status in nothing_done.allowed_from if status != nothing_done.status), "")


def _label(step: Step) -> str:
    return step.leaves or step.name


def _of_step(step: Step) -> StateEffect:
    match step.kind:
        case StepKind.COMPENSABLE:
            key = step.result.key if step.result is not None else None
            return StepEffect(_label(step), _names(step.refusals), answer_key=key)
        case StepKind.PIVOT:
            return PivotEffect(_names(step.refusals), step.writes)
        case StepKind.RETRIABLE:
            return ForwardEffect(_label(step))


def _of_compensation(step: Step, compensation: Compensation) -> CompensationEffect:
    doubt = compensation.doubt
    return CompensationEffect(
        effect=_label(step),
        pivot_won=compensation.pivot_won.__name__ if compensation.pivot_won is not None else None,
        claims=compensation.claims,
        doubt=Doubt(doubt.error.__name__, doubt.seconds) if doubt is not None else None,
        late=Late.AWAITED if doubt is not None else Late.REFUSED,
        late_unless=step.result.key if doubt is None and step.result is not None else None,
    )


def _of_record(record: StatusRecord, meaning: Meaning) -> RecordEffect:
    return RecordEffect(meaning, record.allowed_from, record.status)


def _of_person(saga: Saga, human: HumanStep, *, after_pivot: bool) -> dict[str, StateEffect]:
    states: dict[str, StateEffect] = {}
    if human.record is not None:
        states[human.record.name] = _of_record(human.record, Meaning.PERSON)
    states[human.wait] = PersonEffect(
        answers=tuple(_of_answer(answer) for answer in human.answers),
        decide=human.decide,
        answer_key=saga.answer_key,
        decision_field=human.decision_field,
        needs_status=human.record.status if human.record is not None else None,
        after_pivot=after_pivot,
    )
    for answer in human.answers:
        if answer.record is not None:
            meaning = Meaning.AUDIT if answer.then is None else Meaning.CLOSED
            states[answer.record.name] = _of_record(answer.record, meaning)
    if isinstance(human.closing, str):
        states[human.closing] = ClosingEffect()
    else:
        states[human.closing.name] = _of_record(human.closing, Meaning.CLOSED)
    return states


def _of_answer(answer: Answer) -> AnswerEffect:
    audit = answer.record.name if answer.record is not None else None
    meaning = AnswerMeaning.RETRY if answer.then is None else AnswerMeaning.CLOSE
    return AnswerEffect(answer.decision, meaning, answer.required, answer.given, answer.then or audit)


def _owners(saga: Saga) -> dict[Writer, str]:
    """One field, one meaning: the error of a step is never written over by the error of its undoing, and so on."""
    humans = [saga.human, *(step.pending for step in saga.steps if step.pending is not None)]
    owners: dict[Writer, str] = {}
    for step in saga.steps:
        if step.refusals:
            owners[(step.name, step.refusals[0].__name__)] = saga.error_key
        owners[(step.name, _ALL)] = saga.error_key
        if step.result is not None:
            owners[(step.name, RESULT)] = step.result.key
    undoing = [compensation.name for compensation in saga.compensations()]
    undoing += [saga.nothing_done.name, saga.compensated.name]
    for human in humans:
        owners[(human.wait, RESULT)] = saga.answer_key
        undoing += [human.wait, *_closing_names(human)]
    return owners | {(name, _ALL): saga.compensation_error_key for name in undoing}


def _closing_names(human: HumanStep) -> list[str]:
    records = [answer.record.name for answer in human.answers if answer.record is not None and answer.then is not None]
    return records if isinstance(human.closing, str) else [human.closing.name, *records]
