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
└── MissingResourceError          nothing was given for a function, queue or table the saga names
"""

from __future__ import annotations

__all__ = [
    "CompensationIsStepError",
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
