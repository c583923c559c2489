"""What each state of a saga does to the world: the half of the proof that a definition does not say.

For a saga of our own it is derived from the model (`infra.saga.derivation`); for anybody's definition it is read from
a small YAML file (`infra.saga.effects_file`).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from infra.saga.model import StatusWrite

__all__ = [
    "RESULT",
    "AnswerEffect",
    "AnswerMeaning",
    "ClosingEffect",
    "CompensationEffect",
    "Doubt",
    "Effects",
    "FailureEnd",
    "ForwardEffect",
    "Late",
    "Meaning",
    "NoticeEffect",
    "PersonEffect",
    "PivotEffect",
    "RecordEffect",
    "StateEffect",
    "StepEffect",
    "Writer",
]


class Late(Enum):
    """What a compensation does about an attempt of its step that may still arrive."""

    UNSEEN = "nada"
    REFUSED = "recusa"
    """It leaves a mark by which what arrives late is refused."""
    AWAITED = "espera"
    """It succeeds only once the outcome can no longer change; what turns up even later is looked up again."""


class Meaning(Enum):
    """What a recorded status says."""

    SUCCESS = "sucesso"
    NOTHING_DONE = "nada_feito"
    COMPENSATED = "desfeito"
    PERSON = "pessoa"
    AUDIT = "auditoria"
    """What a person ordered, before it is done: nothing waits for it."""
    CLOSED = "encerrado"

    @property
    def final(self) -> bool:
        """True if no other status may follow."""
        return self not in (Meaning.PERSON, Meaning.AUDIT)


class AnswerMeaning(Enum):
    """What a person decided."""

    RETRY = "desfazer"
    CLOSE = "encerrar"


@dataclass(frozen=True)
class StepEffect:
    """A step that can be undone.

    Attributes:
        effect: what it leaves behind, once, when it is done.
        refusals: errors by which it says that it did nothing.
        idempotent: False if a second attempt is a second effect.
        answer_key: the field that tells later states that its answer came back, if any.
    """

    effect: str
    refusals: tuple[str, ...] = ()
    idempotent: bool = True
    answer_key: str | None = None


@dataclass(frozen=True)
class PivotEffect:
    """The point of no return.

    Attributes:
        refusals: as for a step.
        writes: the status by which it decides, if it writes one; None in `allowed_from` means from anywhere.
        guarded: False if it decides even though the undoing has begun.
    """

    refusals: tuple[str, ...] = ()
    writes: StatusWrite | None = None
    guarded: bool = True


@dataclass(frozen=True)
class ForwardEffect:
    """A step after the pivot: never undone.

    Attributes:
        effect: what it leaves behind.
    """

    effect: str


@dataclass(frozen=True)
class Doubt:
    """An error that says "ask again later", and how long asking may be needed, in seconds."""

    error: str
    seconds: float


@dataclass(frozen=True)
class CompensationEffect:
    """What undoes a step.

    Attributes:
        effect: the step's effect.
        idempotent: False if a second run undoes a second time.
        pivot_won: the error by which it says that the pivot happened, so that nothing may be undone.
        claims: the status it writes first, if any.
        doubt: its "ask again later", if any.
        late: what it does about an attempt that may still arrive.
        late_unless: the field whose presence makes it skip that, since the answer came back.
    """

    effect: str
    idempotent: bool = True
    pivot_won: str | None = None
    claims: StatusWrite | None = None
    doubt: Doubt | None = None
    late: Late = Late.UNSEEN
    late_unless: str | None = None


@dataclass(frozen=True)
class RecordEffect:
    """A status write.

    Attributes:
        meaning: what the status says.
        allowed_from: the statuses it may be written over; None if no table of transitions is known.
        status: the status; None where only the definition shows it.
    """

    meaning: Meaning
    allowed_from: tuple[str, ...] | None = None
    status: str | None = None


@dataclass(frozen=True)
class AnswerEffect:
    """What a person may decide.

    Attributes:
        decision: the value of the decision field.
        meaning: what it orders.
        required: fields that must come with it as non-empty texts.
        given: fields whose presence makes it this answer rather than the next with the same decision.
        state: the state that must run for it: what closes the case, or what records the order; None if any will do.
    """

    decision: str
    meaning: AnswerMeaning
    required: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    state: str | None = None


@dataclass(frozen=True)
class PersonEffect:
    """A wait for a person's answer.

    Attributes:
        answers: what may be answered, in the order in which it is tried.
        decide: the choice that reads the answer.
        answer_key: the field that holds the answer.
        decision_field: the answer's field that holds the decision.
        needs_status: the status that shows that a person is asked, if one is recorded before asking.
        after_pivot: True if the case is a step after the pivot that could not finish.
    """

    answers: tuple[AnswerEffect, ...]
    decide: str
    answer_key: str
    decision_field: str
    needs_status: str | None = None
    after_pivot: bool = False


@dataclass(frozen=True)
class NoticeEffect:
    """A message that tells a person, and no wait: whoever reads it holds the case."""


@dataclass(frozen=True)
class ClosingEffect:
    """The end of a case that a person closed."""


@dataclass(frozen=True)
class FailureEnd:
    """A Fail state.

    Attributes:
        meaning: what ending so says; None if it is the last resort, when no person could be called.
    """

    meaning: Meaning | None


StateEffect: TypeAlias = (
    StepEffect
    | PivotEffect
    | ForwardEffect
    | CompensationEffect
    | RecordEffect
    | PersonEffect
    | NoticeEffect
    | ClosingEffect
    | FailureEnd
)

RESULT: Final = "resultado"

Writer: TypeAlias = "tuple[str, str]"
"""Who writes a field of the execution's state: a state's name, and `RESULT` or the first error of its catcher."""


@dataclass(frozen=True)
class Effects:
    """What a whole definition does.

    Attributes:
        states: by state name; a state that is not here does nothing that matters.
        initial: the status before the saga.
        transient: errors by which any function says that the attempt is over and another one is safe.
        unknown: errors by which any function says that it may have acted.
        net: True if a person is called whenever an execution dies.
        functions: the function each state must call, by state name; empty if not known.
        owners: the field that each writer must write; who is not here writes none. Empty if not known.
        fields: the fields there are, besides those; no state writes them.
        spread: True if what our own code raises is tried again at random moments, so that not all come back at once.
        attribute: the attribute that holds the status.
    """

    states: Mapping[str, StateEffect]
    initial: str
    transient: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    net: bool = False
    functions: Mapping[str, str] = field(default_factory=dict[str, str])
    owners: Mapping[Writer, str] = field(default_factory=dict["Writer", str])
    fields: tuple[str, ...] = ()
    spread: bool = False
    attribute: str = "status"

    def steps(self) -> tuple[str, ...]:
        """The effects that can be undone, in the order in which they are done."""
        return tuple(effect.effect for effect in self.states.values() if isinstance(effect, StepEffect))

    def forwards(self) -> tuple[str, ...]:
        """The effects after the pivot, in order."""
        return tuple(effect.effect for effect in self.states.values() if isinstance(effect, ForwardEffect))

    def pivot(self) -> tuple[str, PivotEffect] | None:
        """The pivot's state and effect, if there is one."""
        found = ((name, effect) for name, effect in self.states.items() if isinstance(effect, PivotEffect))
        return next(found, None)
