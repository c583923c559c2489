"""The compiler refuses a malformed model with an error that names the place and the mend."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from infra.saga import (
    Answer,
    Compensation,
    CompensationIsStepError,
    Constant,
    DoubtWindow,
    ErrorClasses,
    MissingCompensationError,
    MissingGuardError,
    MissingPendingCaseError,
    MissingResourceError,
    ModelError,
    NamingError,
    Resources,
    Result,
    Retry,
    RetryPolicyError,
    Step,
    StepKind,
    StepOrderError,
    TaskRetries,
    TimeoutChainError,
    Timeouts,
    UnknownErrorClassError,
    compile_saga,
)
from tests.saga.samples import (
    POLICIES,
    BusyError,
    MaybeHeldError,
    SeatTakenError,
    TripIssuedError,
    compensable,
    human,
    pivot,
    resources,
    retriable,
    trip,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from infra.saga import Saga

pytestmark = pytest.mark.saga


class StrangerError(Exception):
    """An error the saga does not declare."""


def _step(**changes: object) -> Saga:
    first = replace(compensable("Flight"), **changes)  # pyright: ignore[reportArgumentType] - a table of changes
    return trip(first, compensable("Hotel", guard=True), pivot())


def _compensation(**changes: object) -> Saga:
    compensation = Compensation("CancelHotel", pivot_won=TripIssuedError)
    changed = replace(compensation, **changes)  # pyright: ignore[reportArgumentType]
    return trip(replace(compensable("Hotel"), compensation=changed), pivot())


def _human(**changes: object) -> Saga:
    return replace(trip(), human=replace(human(), **changes))  # pyright: ignore[reportArgumentType]


def _doubt(retry: Retry) -> Saga:
    return _compensation(doubt=DoubtWindow(MaybeHeldError, 100, retry))


def _step_policy(**changes: Retry) -> Saga:
    return trip(policies=replace(POLICIES, step=replace(POLICIES.step, **changes)))


def _compensation_policy(**changes: Retry) -> Saga:
    return trip(policies=replace(POLICIES, compensation=replace(POLICIES.compensation, **changes)))


MALFORMED: dict[str, tuple[Callable[[], Saga], type[ModelError], str, str]] = {
    "no step": (lambda: replace(trip(), steps=()), StepOrderError, "Trip", "at least one"),
    "two pivots": (
        lambda: trip(compensable("A", guard=True), pivot("P"), pivot("Q")),
        StepOrderError,
        "Q",
        "one point",
    ),
    "compensable after the pivot": (
        lambda: trip(compensable("A", guard=True), pivot(), compensable("B")),
        StepOrderError,
        "BookB",
        "put it before",
    ),
    "retriable before the pivot": (
        lambda: trip(compensable("A", guard=True), retriable("R"), pivot()),
        StepOrderError,
        "IssueTicket",
        "put it before",
    ),
    "retriable without a pivot": (
        lambda: trip(compensable("A"), retriable("R")),
        StepOrderError,
        "R",
        "as the pivot",
    ),
    "nothing to undo": (lambda: trip(pivot()), StepOrderError, "TripDecide", "compensable step"),
    "no compensation": (lambda: _step(compensation=None), MissingCompensationError, "BookFlight", "what undoes it"),
    "a compensation that is a step": (
        lambda: _step(compensation=Compensation("BookHotel")),
        CompensationIsStepError,
        "BookFlight",
        "not its inverse",
    ),
    "a pivot with a compensation": (
        lambda: trip(compensable("A", guard=True), replace(pivot(), compensation=Compensation("Unissue"))),
        CompensationIsStepError,
        "IssueTicket",
        "before the pivot",
    ),
    "a retriable step nobody watches": (
        lambda: trip(compensable("A", guard=True), pivot(), Step("R", StepKind.RETRIABLE)),
        MissingPendingCaseError,
        "R",
        "pending",
    ),
    "a compensable step that waits by itself": (
        lambda: _step(pending=human("X", record=False)),
        MissingPendingCaseError,
        "BookFlight",
        "retriable",
    ),
    "no guard on the pivot": (lambda: trip(compensable("A"), pivot()), MissingGuardError, "CancelA", "pivot_won"),
    "a guard too early": (
        lambda: trip(compensable("A", guard=True), compensable("B", guard=True), pivot()),
        MissingGuardError,
        "CancelA",
        "CancelB alone",
    ),
    "a name twice": (
        lambda: trip(compensable("A"), compensable("A", guard=True), pivot()),
        NamingError,
        "BookA",
        "name of its own",
    ),
    "a name too long": (lambda: _step(name="B" * 81), NamingError, "B" * 81, "80"),
    "a reserved name": (lambda: _step(name="States"), NamingError, "States", "another name"),
    "a name with a dot": (lambda: _step(name="Book.Flight"), NamingError, "Book.Flight", "letters"),
    "an empty name": (lambda: _step(name=""), NamingError, "(empty)", "letters"),
    "a result over the input": (
        lambda: _step(result=Result("passenger", ("x",))),
        NamingError,
        "passenger",
        "never written again",
    ),
    "a result over the error": (lambda: _step(result=Result("error", ("x",))), NamingError, "error", "never written"),
    "a result with a dot": (lambda: _step(result=Result("a.b", ("x",))), NamingError, "a.b", "letters"),
    "a key outside the input": (
        lambda: replace(trip(), input_fields=("passenger",)),
        NamingError,
        "trip",
        "input_fields",
    ),
    "an undeclared refusal": (
        lambda: _step(refusals=(StrangerError,)),
        UnknownErrorClassError,
        "BookFlight",
        "ErrorClasses.refusals",
    ),
    "a transient error as a refusal": (
        lambda: _step(refusals=(BusyError,)),
        UnknownErrorClassError,
        "BookFlight",
        "ErrorClasses.refusals",
    ),
    "an undeclared guard": (
        lambda: _compensation(pivot_won=StrangerError),
        UnknownErrorClassError,
        "CancelHotel",
        "ErrorClasses.refusals",
    ),
    "an undeclared doubt": (
        lambda: _compensation(doubt=DoubtWindow(StrangerError, 10, Retry(30, 5, 1.0))),
        UnknownErrorClassError,
        "CancelHotel",
        "ErrorClasses.unknown",
    ),
    "an error of two kinds": (
        lambda: replace(
            trip(), errors=ErrorClasses((SeatTakenError, TripIssuedError), (SeatTakenError,), (MaybeHeldError,))
        ),
        UnknownErrorClassError,
        "SeatTakenError",
        "refused, transient or unknown",
    ),
    "two classes of one name": (
        lambda: replace(
            trip(),
            errors=ErrorClasses(
                (SeatTakenError, TripIssuedError), (BusyError, type("BusyError", (Exception,), {})), (MaybeHeldError,)
            ),
        ),
        UnknownErrorClassError,
        "BusyError",
        "only the name",
    ),
    "a bare Exception": (
        lambda: replace(trip(), errors=ErrorClasses((SeatTakenError, TripIssuedError), (Exception,), ())),
        UnknownErrorClassError,
        "Exception",
        "declare a class",
    ),
    "HTTP longer than the function": (
        lambda: trip(timeouts=Timeouts(20, 20, 30)),
        TimeoutChainError,
        "BookFlight",
        "shorter than the next",
    ),
    "function longer than the state": (
        lambda: trip(timeouts=Timeouts(5, 31, 30)),
        TimeoutChainError,
        "BookFlight",
        "shorter than the next",
    ),
    "no timeout": (lambda: trip(timeouts=Timeouts(0, 20, 30)), TimeoutChainError, "BookFlight", "positive"),
    "a compensation's own chain": (
        lambda: _compensation(timeouts=Timeouts(9, 8, 10)),
        TimeoutChainError,
        "CancelHotel",
        "shorter",
    ),
    "attempts that overlap": (
        lambda: _step_policy(platform=Retry(20, 2)),
        TimeoutChainError,
        "BookFlight",
        "never overlap",
    ),
    "platform jitter": (
        lambda: _step_policy(platform=Retry(21, 2, jitter=True)),
        RetryPolicyError,
        "policies.step.platform",
        "our own code",
    ),
    "interval 0": (
        lambda: _step_policy(transient=Retry(0, 2)),
        RetryPolicyError,
        "policies.step.transient",
        "1..",
    ),
    "no attempts": (
        lambda: trip(policies=replace(POLICIES, record=Retry(1, 0))),
        RetryPolicyError,
        "policies.record",
        "at least once",
    ),
    "backoff below 1": (
        lambda: _step_policy(transient=Retry(1, 2, 0.5)),
        RetryPolicyError,
        "policies.step.transient",
        "1.0",
    ),
    "a delay below the interval": (
        lambda: trip(policies=replace(POLICIES, notice=Retry(10, 2, max_delay=5))),
        RetryPolicyError,
        "policies.notice",
        "between",
    ),
    "a compensation that gives up like a step": (
        lambda: _compensation_policy(transient=Retry(1, 2)),
        RetryPolicyError,
        "policies.compensation.transient",
        "tries harder",
    ),
    "a compensation that waits too long": (
        lambda: _compensation_policy(platform=Retry(21, 5)),
        RetryPolicyError,
        "policies.compensation.platform",
        "60 s",
    ),
    "a doubt that ends before its window": (
        lambda: _doubt(Retry(30, 3, 1.0)),
        RetryPolicyError,
        "CancelHotel.doubt",
        "outlasts",
    ),
    "a doubt with jitter": (
        lambda: _doubt(Retry(30, 50, 1.0, jitter=True)),
        RetryPolicyError,
        "CancelHotel.doubt",
        "jitter",
    ),
    "no service timeout": (
        lambda: trip(policies=replace(POLICIES, service_timeout=0)),
        RetryPolicyError,
        "policies.service_timeout",
        "positive",
    ),
    "no deadline": (lambda: _human(deadline=0), TimeoutChainError, "TripAskPerson", "positive"),
    "no answer": (lambda: _human(answers=()), StepOrderError, "TripDecide", "at least one"),
    "an answer that skips the undoing": (
        lambda: _human(answers=(Answer("SKIP", "RecordUndone", ()),)),
        StepOrderError,
        "TripDecide",
        "cannot skip",
    ),
    "a message with the token": (
        lambda: _human(message={"taskToken": Constant("x")}),
        NamingError,
        "TripAskPerson",
        "itself",
    ),
    "a record that refuses its own status": (
        lambda: replace(trip(), compensated=replace(trip().compensated, allowed_from=("OPEN",))),
        StepOrderError,
        "RecordUndone",
        "lost answer",
    ),
    "a record that sets and removes": (
        lambda: replace(trip(), compensated=replace(trip().compensated, remove=("reason",))),
        NamingError,
        "RecordUndone",
        "one of the two",
    ),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_a_malformed_model_is_refused_where_it_is_wrong(case: str) -> None:
    build, error, where, mend = MALFORMED[case]
    saga = build()
    with pytest.raises(error) as caught:
        compile_saga(saga, resources(saga))
    assert type(caught.value) is error
    assert caught.value.where == where
    assert mend in f"{caught.value.problem} {caught.value.mend}"
    assert str(caught.value) == f"{where}: {caught.value.problem}. Mend: {caught.value.mend}."


@pytest.mark.parametrize(
    ("kind", "lacking"),
    [
        ("function", {"functions": {}}),
        ("queue", {"queues": {}}),
        ("table", {"tables": {}}),
    ],
)
def test_a_resource_nobody_gave_is_named(kind: str, lacking: dict[str, dict[str, str]]) -> None:
    saga = trip()
    given: Resources = replace(resources(saga), **lacking)
    with pytest.raises(MissingResourceError) as caught:
        compile_saga(saga, given)
    assert caught.value.kind == kind
    assert f"Resources.{kind}s" in str(caught.value)


def test_every_policy_of_the_sample_is_the_one_refused_in_the_table() -> None:
    # The table above changes one thing of a saga that compiles: if the sample itself broke, each case would lie.
    saga = trip()
    assert compile_saga(saga, resources(saga))["StartAt"] == "BookFlight"
    assert isinstance(POLICIES.step, TaskRetries)
