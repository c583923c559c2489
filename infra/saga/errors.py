"""What the compiler refuses, in one hierarchy::

SagaError
├── ModelError                    the saga itself is malformed
│   ├── NamingError               a name is too long, reserved, malformed or used twice
│   ├── StepOrderError            no step, two pivots, a step on the wrong side of the pivot
│   ├── MissingCompensationError  a compensable step nobody can undo
│   ├── CompensationIsStepError   a compensation that is a step too, or that a pivot or retriable step declares
│   ├── MissingGuardError         a pivot whose unknown outcome the compensation could not tell
│   ├── MissingPendingCaseError   a retriable step whose failure no person would see
│   ├── UnknownErrorClassError    an error that is not among the saga's own
│   ├── TimeoutChainError         HTTP < function < state broken, or attempts that could overlap
│   └── RetryPolicyError          a number Step Functions refuses, or a compensation that gives up before a step
├── MissingResourceError          nothing was given for a function, queue or table the saga names
├── DefinitionError               a definition that cannot be read
├── EffectsError                  what its states do cannot be read
├── UnsupportedStateError         a state the explorer does not walk
└── UnprovedSagaError             a saga that loses something on some path
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from infra.saga.story import Counterexample

__all__ = [
    "CompensationIsStepError",
    "DefinitionError",
    "EffectsError",
    "MissingCompensationError",
    "MissingGuardError",
    "MissingPendingCaseError",
    "MissingResourceError",
    "ModelError",
    "NamingError",
    "RetryPolicyError",
    "SagaError",
    "StepOrderError",
    "TimeoutChainError",
    "UnknownErrorClassError",
    "UnprovedSagaError",
    "UnsupportedStateError",
]


class SagaError(Exception):
    """Base of every error of the compiler."""


class ModelError(SagaError):
    """The model is malformed.

    Attributes:
        where: the step, compensation, record or policy at fault, by name.
        problem: what is wrong.
        mend: what to change.
    """

    def __init__(self, where: str, problem: str, mend: str) -> None:
        self.where = where
        self.problem = problem
        self.mend = mend
        super().__init__(f"{where}: {problem}. Mend: {mend}.")


class NamingError(ModelError):
    """A name is too long, reserved, malformed or used twice."""


class StepOrderError(ModelError):
    """No step, two pivots, or a step on the wrong side of the pivot."""


class MissingCompensationError(ModelError):
    """A compensable step without a compensation."""


class CompensationIsStepError(ModelError):
    """A compensation that is itself a step, or is declared where nothing may be undone."""


class MissingGuardError(ModelError):
    """A pivot whose ambiguous outcome the first compensation could not tell from a failure."""


class MissingPendingCaseError(ModelError):
    """A retriable step whose last failure would reach no person."""


class UnknownErrorClassError(ModelError):
    """An error class that the saga does not declare."""


class TimeoutChainError(ModelError):
    """HTTP read < function timeout < state timeout does not hold, or two attempts could overlap (case C15)."""


class RetryPolicyError(ModelError):
    """A retry number that Step Functions refuses or that defeats its purpose."""


class MissingResourceError(SagaError):
    """The saga names a function, queue or table that `Resources` does not hold.

    Attributes:
        kind: ``function``, ``queue`` or ``table``.
        name: the logical name the saga uses.
    """

    def __init__(self, kind: str, name: str) -> None:
        self.kind = kind
        self.name = name
        super().__init__(f"no {kind} was given for {name!r}. Mend: add it to Resources.{kind}s.")


class DefinitionError(SagaError):
    """A definition that cannot be read: malformed, a key twice, or JSONata. For an operator, so in Portuguese.

    Attributes:
        code: the finding's code (docs/checks.md).
        problem: what is wrong.
        mend: what to change.
        source: the file, or empty.
        where: the state, or empty.
    """

    def __init__(self, code: str, problem: str, mend: str, *, source: str = "", where: str = "") -> None:
        self.code = code
        self.problem = problem
        self.mend = mend
        self.source = source
        self.where = where
        place = ", ".join(part for part in (source, where) if part)
        super().__init__(f"{place or 'definição'}: {problem}. Conserto: {mend}.")


class EffectsError(SagaError):
    """The effects cannot be read. For an operator, so in Portuguese.

    Attributes:
        where: the state or key at fault.
        problem: what is wrong.
        mend: what to change.
    """

    def __init__(self, where: str, problem: str, mend: str, *, source: str = "") -> None:
        self.where = where
        self.problem = problem
        self.mend = mend
        place = ", ".join(part for part in (source, where) if part)
        super().__init__(f"{place or 'efeitos'}: {problem}. Conserto: {mend}.")


class UnsupportedStateError(SagaError):
    """A state the explorer does not walk. For an operator, so in Portuguese.

    Attributes:
        state: its name.
        kind: its type.
    """

    def __init__(self, state: str, kind: str) -> None:
        self.state = state
        self.kind = kind
        super().__init__(
            f"{state}: o explorador não percorre estados {kind}. Conserto: prove à parte cada máquina que ele contém."
        )


class UnprovedSagaError(SagaError):
    """A saga that loses something on some path.

    Attributes:
        counterexample: how.
    """

    def __init__(self, name: str, counterexample: Counterexample) -> None:
        self.counterexample = counterexample
        super().__init__(f"a saga {name!r} não está provada.\n{counterexample.story()}")
