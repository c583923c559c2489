"""What the compiler makes of any saga."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infra.saga import compile_resumption, compile_saga, to_json
from infra.saga.asl import reachable
from infra.saga.compiler import PLATFORM_ERRORS
from tests.saga.samples import compensable, pivot, resources, retriable, trip
from tests.saga.statelint import problems

if TYPE_CHECKING:
    from infra.saga import Saga

pytestmark = pytest.mark.saga


def _compile(saga: Saga) -> dict[str, Any]:
    return compile_saga(saga, resources(saga))


def _catches(state: dict[str, Any]) -> dict[str, str]:
    return {error: catch["Next"] for catch in state["Catch"] for error in catch["ErrorEquals"]}


def test_a_refused_step_undoes_what_came_before_and_an_unknown_one_undoes_itself() -> None:
    states = _compile(trip())["States"]
    assert _catches(states["BookFlight"]) == {"SeatTakenError": "RecordNothingDone", "States.ALL": "CancelFlight"}
    assert _catches(states["BookHotel"]) == {"SeatTakenError": "CancelFlight", "States.ALL": "CancelHotel"}
    assert _catches(states["IssueTicket"]) == {"States.ALL": "CancelHotel"}


def test_compensations_run_in_the_mirror_order_and_end_in_the_record() -> None:
    states = _compile(trip())["States"]
    assert states["CancelHotel"]["Next"] == "CancelFlight"
    assert states["CancelFlight"]["Next"] == "RecordUndone"
    assert states["RecordUndone"]["End"] is True


def test_a_compensation_that_finds_the_pivot_done_goes_forward() -> None:
    states = _compile(trip())["States"]
    assert _catches(states["CancelHotel"]) == {"TripIssuedError": "SendVoucher", "States.ALL": "TripNeedsPerson"}


def test_a_pivot_with_nothing_after_it_sends_a_lost_race_to_a_person() -> None:
    states = _compile(trip(compensable("Flight", guard=True), pivot()))["States"]
    assert states["IssueTicket"]["End"] is True
    assert _catches(states["CancelFlight"])["TripIssuedError"] == "TripNeedsPerson"


def test_every_retriable_step_has_a_case_of_its_own_and_comes_back_to_itself() -> None:
    states = _compile(trip(compensable("A", guard=True), pivot(), retriable("R"), retriable("S")))["States"]
    for name in ("R", "S"):
        assert _catches(states[name]) == {"States.ALL": f"{name}AskPerson"}
        again, close = states[f"{name}Decide"]["Choices"]
        assert again["Next"] == name
        assert close["Next"] == f"{name}Closed"
        assert states[f"{name}Decide"]["Default"] == f"{name}AskPerson"
        assert states[f"{name}Closed"] == {"Type": "Succeed"}


def test_a_case_nobody_answered_is_asked_again_and_one_nobody_heard_fails() -> None:
    wait = _compile(trip())["States"]["TripAskPerson"]
    assert [(catch["ErrorEquals"], catch["Next"]) for catch in wait["Catch"]] == [
        (["States.Timeout"], "TripNeedsPerson"),
        (["States.ALL"], "NobodyCalled"),
    ]
    assert all("States.Timeout" not in retrier["ErrorEquals"] for retrier in wait["Retry"])
    assert wait["TimeoutSeconds"] == 86_400


def test_a_status_that_cannot_be_written_does_not_stop_the_call_for_a_person() -> None:
    states = _compile(trip())["States"]
    record = states["TripNeedsPerson"]
    assert record["Next"] == "TripAskPerson"
    assert record["Catch"] == [{"ErrorEquals": ["States.ALL"], "ResultPath": None, "Next": "TripAskPerson"}]
    for name in ("RecordNothingDone", "RecordUndone", "TripClosed"):
        assert _catches(states[name]) == {"States.ALL": "TripNeedsPerson"}


def test_a_decision_is_compared_only_after_its_presence_and_type() -> None:
    close = _compile(trip())["States"]["TripDecide"]["Choices"][1]
    assert close["And"] == [
        {"Variable": "$.answer.what", "IsPresent": True},
        {"Variable": "$.answer.what", "IsString": True},
        {"Variable": "$.answer.what", "StringEquals": "CLOSE"},
        {"Variable": "$.answer.who", "IsPresent": True},
        {"Variable": "$.answer.who", "IsString": True},
        {"Not": {"Variable": "$.answer.who", "StringEquals": ""}},
        {"Variable": "$.answer.why", "IsPresent": True},
        {"Variable": "$.answer.why", "IsString": True},
        {"Not": {"Variable": "$.answer.why", "StringEquals": ""}},
    ]


def test_a_status_write_is_a_conditional_update_of_strings() -> None:
    parameters = _compile(trip())["States"]["RecordUndone"]["Parameters"]
    assert parameters == {
        "TableName": "trips",
        "Key": {"trip": {"S.$": "$.trip"}},
        "UpdateExpression": "SET #status = :status, #reason = :reason",
        "ConditionExpression": "#status IN (:allowed0, :allowed1)",
        "ExpressionAttributeNames": {"#status": "status", "#reason": "reason"},
        "ExpressionAttributeValues": {
            ":status": {"S": "UNDONE"},
            ":reason": {"S.$": "$.error.Error"},
            ":allowed0": {"S": "OPEN"},
            ":allowed1": {"S": "UNDONE"},
        },
    }


def test_refusals_are_never_retried_and_come_before_everything_that_is() -> None:
    states = _compile(trip())["States"]
    retry = states["BookFlight"]["Retry"]
    assert retry[0] == {"ErrorEquals": ["SeatTakenError"], "MaxAttempts": 0}
    assert retry[1]["ErrorEquals"] == ["BusyError"]
    assert retry[1]["JitterStrategy"] == "FULL"
    assert retry[2]["ErrorEquals"] == list(PLATFORM_ERRORS)
    assert "JitterStrategy" not in retry[2]


def test_a_doubt_is_retried_on_its_own_before_the_rest() -> None:
    saga = trip(compensable("Flight", guard=True, doubt=True), pivot())
    retry = _compile(saga)["States"]["CancelFlight"]["Retry"]
    assert [retrier["ErrorEquals"][0] for retrier in retry] == [
        "TripIssuedError",
        "MaybeHeldError",
        "BusyError",
        PLATFORM_ERRORS[0],
    ]
    assert retry[1] == {
        "ErrorEquals": ["MaybeHeldError"],
        "IntervalSeconds": 30,
        "MaxAttempts": 5,
        "BackoffRate": 1.0,
    }


def test_the_resumption_starts_at_the_decision_and_can_do_nothing_forward_but_settle() -> None:
    saga = trip()
    definition = compile_resumption(saga, resources(saga))
    assert definition["StartAt"] == "TripDecide"
    assert {"BookFlight", "BookHotel", "IssueTicket"}.isdisjoint(definition["States"])
    assert {"CancelHotel", "CancelFlight", "RecordUndone", "SendVoucher"} <= set(definition["States"])
    assert problems(definition) == []


def test_the_same_saga_gives_the_same_text() -> None:
    assert to_json(_compile(trip())) == to_json(_compile(trip()))


def test_times_of_a_task_may_be_its_own() -> None:
    slow = replace(compensable("Flight", guard=True), timeouts=replace(trip().timeouts, state=99))
    states = _compile(trip(slow, pivot()))["States"]
    assert states["BookFlight"]["TimeoutSeconds"] == 99
    assert states["CancelFlight"]["TimeoutSeconds"] == 30


@st.composite
def sagas(draw: st.DrawFn) -> Saga:
    """Any legal mix of one to four compensable steps, a pivot or none, and what may follow it."""
    count = draw(st.integers(1, 4))
    has_pivot = draw(st.booleans())
    doubts = draw(st.lists(st.booleans(), min_size=count, max_size=count))
    steps = [
        compensable(f"S{index}", guard=has_pivot and index == count - 1, doubt=doubts[index]) for index in range(count)
    ]
    if has_pivot:
        steps.append(pivot())
        steps += [retriable(f"R{index}") for index in range(draw(st.integers(0, 2)))]
    return trip(*steps)


@given(sagas())
@settings(max_examples=40, deadline=None)
def test_any_legal_saga_compiles_to_a_definition_without_dead_ends(saga: Saga) -> None:
    definition = _compile(saga)
    states = definition["States"]
    assert problems(definition) == []
    assert reachable(states, definition["StartAt"]) == frozenset(states)
    for name, state in states.items():
        if state["Type"] != "Task":
            continue
        assert state["TimeoutSeconds"] > 0, name
        assert "ResultPath" in state, name
        assert state["Catch"][-1]["ErrorEquals"] == ["States.ALL"], name
        assert all("ResultPath" in catch for catch in state["Catch"]), name
        assert all("States.ALL" not in retrier["ErrorEquals"] for retrier in state["Retry"]), name
    assert json.loads(to_json(definition)) == definition
