"""A small saga that is not ours: the compiler is a library for any saga, so its tests do not lean on the order's."""

from __future__ import annotations

from infra.saga import (
    Answer,
    Compensation,
    Context,
    DoubtWindow,
    ErrorClasses,
    HumanStep,
    Input,
    Policies,
    Resources,
    Result,
    Retry,
    Saga,
    StatusRecord,
    StatusTable,
    Step,
    StepKind,
    TaskRetries,
    Timeouts,
)


class SeatTakenError(Exception):
    """A refusal."""


class TripIssuedError(Exception):
    """The refusal by which a compensation says that the pivot won."""


class BusyError(Exception):
    """A transient error."""


class MaybeHeldError(Exception):
    """An unknown outcome."""


def closing(name: str, status: str) -> StatusRecord:
    return StatusRecord(name, status, allowed_from=("OPEN", status), assign={"reason": Input("error.Error")})


def human(name: str = "Trip", *, record: bool = True) -> HumanStep:
    return HumanStep(
        wait=f"{name}AskPerson",
        decide=f"{name}Decide",
        queue="people",
        message={"trip": Input("trip"), "run": Context("Execution.Id")},
        deadline=86_400,
        answers=(Answer("AGAIN", None, ("who",)), Answer("CLOSE", f"{name}Closed", ("who", "why"))),
        decision_field="what",
        record=closing(f"{name}NeedsPerson", "STUCK") if record else None,
        closing=closing(f"{name}Closed", "CLOSED") if record else f"{name}Closed",
    )


def compensable(name: str, *, guard: bool = False, doubt: bool = False) -> Step:
    window = DoubtWindow(MaybeHeldError, 100, Retry(interval=30, attempts=5, backoff=1.0)) if doubt else None
    return Step(
        f"Book{name}",
        StepKind.COMPENSABLE,
        refusals=(SeatTakenError,),
        compensation=Compensation(f"Cancel{name}", pivot_won=TripIssuedError if guard else None, doubt=window),
        result=Result(f"booked{name}", ("code",)),
    )


def pivot(name: str = "IssueTicket") -> Step:
    return Step(name, StepKind.PIVOT)


def retriable(name: str) -> Step:
    return Step(name, StepKind.RETRIABLE, pending=human(name, record=False))


DEFAULT_STEPS = (compensable("Flight"), compensable("Hotel", guard=True), pivot(), retriable("SendVoucher"))

POLICIES = Policies(
    step=TaskRetries(Retry(1, 2, jitter=True), Retry(21, 2, max_delay=60)),
    compensation=TaskRetries(Retry(1, 5, max_delay=60, jitter=True), Retry(21, 5, max_delay=60)),
    record=Retry(1, 4),
    notice=Retry(1, 4),
    service_timeout=30,
)


def trip(*steps: Step, policies: Policies = POLICIES, timeouts: Timeouts | None = None) -> Saga:
    return Saga(
        name="Trip",
        input_fields=("trip", "passenger"),
        steps=steps or DEFAULT_STEPS,
        errors=ErrorClasses((SeatTakenError, TripIssuedError), (BusyError,), (MaybeHeldError,)),
        table=StatusTable("trips", "trip", "trip", "status"),
        nothing_done=closing("RecordNothingDone", "REFUSED"),
        compensated=closing("RecordUndone", "UNDONE"),
        human=human(),
        undelivered="NobodyCalled",
        timeouts=timeouts or Timeouts(http=5, function=20, state=30),
        policies=policies,
        error_key="error",
        compensation_error_key="undoError",
        answer_key="answer",
    )


def resources(saga: Saga) -> Resources:
    names = [step.name for step in saga.steps] + [compensation.name for compensation in saga.compensations()]
    arn = "arn:aws:lambda:us-east-1:111122223333:function:"
    return Resources(
        functions={name: arn + name for name in names},
        queues={"people": "https://sqs.us-east-1.amazonaws.com/111122223333/people"},
        tables={"trips": "trips"},
    )
