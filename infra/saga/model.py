"""The declarative model of a saga: what the steps are, what undoes them, who is told when that fails.

A saga is a row of **compensable** steps, at most one **pivot** (the point of no return), then **retriable**
steps that can only go forward. Every step has three outcomes: done, refused (surely not done), unknown.
Only a refusal takes the short way out; unknown is undone. The vocabulary is that of Garcia-Molina & Salem,
"Sagas" (1987), and of Richardson's compensable / pivot / retriable transactions.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "Answer",
    "Compensation",
    "Constant",
    "Context",
    "DoubtWindow",
    "ErrorClass",
    "ErrorClasses",
    "HumanStep",
    "Input",
    "JsonText",
    "Policies",
    "Result",
    "Retry",
    "Saga",
    "StatusRecord",
    "StatusTable",
    "StatusWrite",
    "Step",
    "StepKind",
    "TaskRetries",
    "Timeouts",
    "Value",
]

ErrorClass: TypeAlias = type[Exception]
"""An error of the saga. Step Functions sees its class name, so the definition takes names from classes."""


class StepKind(Enum):
    """What can happen to a step that was tried."""

    COMPENSABLE = "compensable"
    PIVOT = "pivot"
    RETRIABLE = "retriable"


# --- Values a service integration writes -------------------------------------------------------------------


@dataclass(frozen=True)
class Constant:
    """A text known when the saga is compiled."""

    text: str


@dataclass(frozen=True)
class Input:
    """A value of the state's input, by path below ``$`` (``"erro.Error"``): a text where an attribute is written."""

    path: str


@dataclass(frozen=True)
class JsonText:
    """A value of the state's input written as JSON text, whatever it holds."""

    path: str


@dataclass(frozen=True)
class Context:
    """A value of the context object, by path below ``$$`` (``"State.EnteredTime"``)."""

    path: str


Value: TypeAlias = "Constant | Input | JsonText | Context"


# --- Times and retries ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Timeouts:
    """The chain of one task, in seconds: each must be shorter than the next (case C15).

    Attributes:
        http: the longest a function waits for anybody outside (connect plus read).
        function: the Lambda timeout.
        state: the state's ``TimeoutSeconds``.
    """

    http: float
    function: int
    state: int


@dataclass(frozen=True)
class Retry:
    """One retrier's numbers, as in the Amazon States Language.

    Attributes:
        interval: seconds before the first retry.
        attempts: retries after the first attempt.
        backoff: factor by which the interval grows.
        max_delay: ceiling of the interval in seconds, or None.
        jitter: True for ``JitterStrategy: FULL``: only where the failed attempt is surely over.
    """

    interval: int
    attempts: int
    backoff: float = 2.0
    max_delay: int | None = None
    jitter: bool = False

    def shortest_total(self) -> float:
        """Seconds the retrier waits in all, with every interval at its full length and attempts taking no time."""
        waits = (self.interval * self.backoff**n for n in range(self.attempts))
        return sum(min(wait, self.max_delay) if self.max_delay else wait for wait in waits)


@dataclass(frozen=True)
class TaskRetries:
    """The retriers of a task.

    Attributes:
        transient: for errors our own code raised, when the attempt is over.
        platform: for what the platform reports, when the attempt may still run: no jitter, and an interval
            longer than the function's timeout, so that two attempts never overlap.
    """

    transient: Retry
    platform: Retry


@dataclass(frozen=True)
class Policies:
    """The saga's default retries.

    Attributes:
        step: for steps.
        compensation: for compensations, which try harder.
        record: for status writes.
        notice: for the message that calls a person.
        service_timeout: ``TimeoutSeconds`` of status writes, in seconds.
    """

    step: TaskRetries
    compensation: TaskRetries
    record: Retry
    notice: Retry
    service_timeout: int


@dataclass(frozen=True)
class DoubtWindow:
    """A compensation that must wait until an unknown outcome can no longer change.

    Attributes:
        error: what the compensation raises while the window is open.
        seconds: how long the window is.
        retry: the retrier of ``error``; it must outlast the window.
    """

    error: ErrorClass
    seconds: float
    retry: Retry


# --- Tasks ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Result:
    """What a task adds to the saga's state, beside the input and never over it (case C07).

    Attributes:
        key: the field below ``$``.
        fields: the fields of the function's answer that are kept.
    """

    key: str
    fields: tuple[str, ...]


@dataclass(frozen=True)
class StatusWrite:
    """A status that a function writes by itself, conditionally: the machine does not see it, the explorer must.

    Attributes:
        status: the status written.
        allowed_from: the statuses it may be written over.
    """

    status: str
    allowed_from: tuple[str, ...]


@dataclass(frozen=True)
class Compensation:
    """What undoes a compensable step. Idempotent by contract: it runs twice, late, and with nothing to undo.

    Attributes:
        name: state name; also the function's logical name.
        pivot_won: the refusal by which it says that the pivot happened after all, so the saga goes forward.
        doubt: the window in which an unknown outcome may still change, if any.
        timeouts: its own chain, or the saga's.
        claims: the status it writes before undoing anything, if any.
    """

    name: str
    pivot_won: ErrorClass | None = None
    doubt: DoubtWindow | None = None
    timeouts: Timeouts | None = None
    claims: StatusWrite | None = None


@dataclass(frozen=True)
class Answer:
    """What a person may decide.

    Attributes:
        decision: the value of the answer's decision field.
        then: name of the state it leads to, or None for the way back (undo again, or try the step again).
        required: fields of the answer that must be non-empty texts.
        given: further fields that must be there, whatever they hold. The first answer that fits is taken.
        record: written when this is the answer. Named in ``then`` it closes the case; with None it is an audit, which
            stops nothing when it cannot be written.
    """

    decision: str
    then: str | None
    required: tuple[str, ...]
    given: tuple[str, ...] = ()
    record: StatusRecord | None = None


@dataclass(frozen=True)
class HumanStep:
    """A message that calls a person, a wait for the answer, and the choice that follows it.

    Attributes:
        wait: name of the waiting state.
        decide: name of the choice.
        queue: logical name of the queue.
        message: what the person is told; the task token goes beside it as ``taskToken``.
        deadline: seconds until the case is asked again with a new token.
        answers: what may be answered; anything else is asked again.
        decision_field: the answer's field that holds the decision.
        record: status written before asking, if any; asking goes on when that write fails.
        closing: the record that closes the case, or the name of a plain success state.
    """

    wait: str
    decide: str
    queue: str
    message: Mapping[str, Value]
    deadline: int
    answers: tuple[Answer, ...]
    decision_field: str
    record: StatusRecord | None
    closing: StatusRecord | str


@dataclass(frozen=True)
class Step:
    """A step forward.

    Attributes:
        name: state name; also the function's logical name.
        kind: compensable, pivot or retriable.
        refusals: errors by which the step says that it surely did nothing.
        compensation: what undoes it (compensable steps only).
        result: what it adds to the saga's state, if anything is used later.
        pending: who is called when it fails for good (retriable steps only).
        timeouts: its own chain, or the saga's.
        leaves: what it leaves behind, for people ("estoque reservado"); its name if empty.
        writes: the status by which a pivot decides, if it writes one.
    """

    name: str
    kind: StepKind
    refusals: tuple[ErrorClass, ...] = ()
    compensation: Compensation | None = None
    result: Result | None = None
    pending: HumanStep | None = None
    timeouts: Timeouts | None = None
    leaves: str = ""
    writes: StatusWrite | None = None


# --- Records ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class StatusTable:
    """Where statuses are written.

    Attributes:
        table: logical name of the table.
        key: its key attribute.
        key_path: field of the input that holds the key.
        status: the attribute that holds the status.
    """

    table: str
    key: str
    key_path: str
    status: str


@dataclass(frozen=True)
class StatusRecord:
    """A conditional status write: ``updateItem``, never ``putItem`` (case C03), from an allowed status only (C08).

    Attributes:
        name: state name.
        status: the status written.
        allowed_from: the statuses it may be written over, itself among them.
        assign: attributes set beside the status; a dot goes into a map, which must be there.
        assign_once: map attributes set only if absent.
        remove: attributes removed.
    """

    name: str
    status: str
    allowed_from: tuple[str, ...]
    assign: Mapping[str, Value] = field(default_factory=dict[str, Value])
    assign_once: Mapping[str, Mapping[str, Value]] = field(default_factory=dict[str, "Mapping[str, Value]"])
    remove: tuple[str, ...] = ()


# --- The saga --------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ErrorClasses:
    """Every error the saga's functions may raise by name.

    Attributes:
        refusals: surely not done.
        transient: the attempt is over and another one is safe.
        unknown: may have been done.
    """

    refusals: tuple[ErrorClass, ...]
    transient: tuple[ErrorClass, ...]
    unknown: tuple[ErrorClass, ...] = ()


@dataclass(frozen=True)
class Saga:
    """A whole saga.

    Attributes:
        name: for people, in the definition's comment.
        input_fields: fields of the input; no state ever writes over them.
        steps: in order.
        errors: the errors its functions raise.
        table: where statuses are written.
        nothing_done: the record of a saga refused before any effect.
        compensated: the record of a saga undone.
        human: who decides when a compensation, or a record, cannot finish.
        undelivered: name of the Fail state reached when even the call for a person fails.
        timeouts: the default chain.
        policies: the default retries.
        error_key: field that holds the error of a step.
        compensation_error_key: field that holds the error of a compensation or record.
        answer_key: field that holds the person's answer.
    """

    name: str
    input_fields: tuple[str, ...]
    steps: tuple[Step, ...]
    errors: ErrorClasses
    table: StatusTable
    nothing_done: StatusRecord
    compensated: StatusRecord
    human: HumanStep
    undelivered: str
    timeouts: Timeouts
    policies: Policies
    error_key: str
    compensation_error_key: str
    answer_key: str

    def compensable(self) -> tuple[Step, ...]:
        """The compensable steps, in order."""
        return tuple(step for step in self.steps if step.kind is StepKind.COMPENSABLE)

    def compensations(self) -> tuple[Compensation, ...]:
        """The compensations in the order in which they undo: the mirror of the steps."""
        undoing = (step.compensation for step in reversed(self.compensable()))
        return tuple(compensation for compensation in undoing if compensation is not None)

    def pivot(self) -> Step | None:
        """The pivot, if the saga has one."""
        return next((step for step in self.steps if step.kind is StepKind.PIVOT), None)
