"""An execution's history, folded: one line per visit to a state, retries counted, never one per event."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, cast

from botocore.exceptions import ClientError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from mypy_boto3_stepfunctions import SFNClient

__all__ = ["Execution", "Visit", "fold", "json_object", "read_execution"]

_ATTEMPTS: Final = {"TaskScheduled", "LambdaFunctionScheduled"}
_ENDS: Final = {"ExecutionSucceeded", "ExecutionFailed", "ExecutionTimedOut", "ExecutionAborted"}
_CALLBACK: Final = ".waitForTaskToken"
_FAILURES: Final = {
    "TaskFailed": "taskFailedEventDetails",
    "TaskTimedOut": "taskTimedOutEventDetails",
    "TaskStartFailed": "taskStartFailedEventDetails",
    "TaskSubmitFailed": "taskSubmitFailedEventDetails",
    "LambdaFunctionFailed": "lambdaFunctionFailedEventDetails",
    "LambdaFunctionTimedOut": "lambdaFunctionTimedOutEventDetails",
}


@dataclass(frozen=True)
class Visit:
    """One passage through a state.

    Attributes:
        state: its name.
        entered: when it was entered.
        left: when it was left, or None while it is there.
        attempts: times its task was scheduled (0 for a choice or an end).
        error: name of the last error of its task, or "".
        failed: whether the last attempt failed: the state was left through a catcher, ended the execution, or waits for
            its next attempt.
        cause: what the last error said of itself: JSON, text or "".
        touched: when something last happened in it, or None if nothing did.
        answer: what a person answered, where the state waited for one.
    """

    state: str
    entered: datetime
    left: datetime | None = None
    attempts: int = 0
    error: str = ""
    failed: bool = False
    cause: str = ""
    touched: datetime | None = None
    answer: Mapping[str, Any] | None = None


@dataclass(frozen=True)
class Execution:
    """What is known of one execution.

    Attributes:
        arn: its ARN.
        status: RUNNING, SUCCEEDED, FAILED, TIMED_OUT or ABORTED.
        started: when it started.
        stopped: when it ended, or None.
        input: its input, as text.
        visits: the states in the order in which they were entered.
        error: the error it ended with, or "".
    """

    arn: str
    status: str
    started: datetime
    stopped: datetime | None
    input: str
    visits: tuple[Visit, ...]
    error: str

    @property
    def name(self) -> str:
        """The order's id, or ``<pedidoId>-c<n>`` for a resumption."""
        return self.arn.rpartition(":")[2]

    def states(self) -> tuple[str, ...]:
        """Names of the states visited, in order."""
        return tuple(visit.state for visit in self.visits)

    def attempts(self, state: str) -> int:
        """Times the task of ``state`` was scheduled, over all visits."""
        return sum(visit.attempts for visit in self.visits if visit.state == state)


def read_execution(sfn: SFNClient, arn: str) -> Execution | None:
    """The execution with its folded history, or None if there is none."""
    try:
        described = sfn.describe_execution(executionArn=arn)
    except ClientError as error:
        if error.response.get("Error", {}).get("Code") == "ExecutionDoesNotExist":
            return None
        raise
    pages = sfn.get_paginator("get_execution_history").paginate(executionArn=arn)
    events = [event for page in pages for event in page["events"]]
    return Execution(
        arn=arn,
        status=described["status"],
        started=described["startDate"],
        stopped=described.get("stopDate"),
        # The emulator has null where AWS leaves the field out.
        input=described.get("input") or "",
        visits=fold(events),
        error=described.get("error") or "",
    )


def fold(events: Iterable[Mapping[str, Any]]) -> tuple[Visit, ...]:
    """The visits told by a history of a machine without parallel branches."""
    visits: list[Visit] = []
    over = False
    for event in events:
        kind = event["type"]
        if kind == "ExecutionRedriven":
            over = False
        if over:
            # The emulator goes on writing for a while after StopExecution; AWS does not.
            continue
        over = kind in _ENDS
        if kind.endswith("StateEntered"):
            visits.append(Visit(event["stateEnteredEventDetails"]["name"], event["timestamp"]))
        elif visits:
            visits[-1] = _after(visits[-1], kind, event)
    return tuple(visits)


def _after(visit: Visit, kind: str, event: Mapping[str, Any]) -> Visit:
    now = event["timestamp"]
    if kind in _ATTEMPTS:
        return replace(visit, attempts=visit.attempts + 1, failed=False, touched=now)
    if kind in _FAILURES:
        details = event.get(_FAILURES[kind], {})
        error, cause = details.get("error") or "States.Timeout", details.get("cause") or ""
        return replace(visit, failed=True, error=error, cause=cause, touched=now)
    if kind == "TaskSucceeded":
        details = event.get("taskSucceededEventDetails", {})
        waited = details.get("resource", "").endswith(_CALLBACK)
        return replace(visit, touched=now, answer=json_object(details.get("output")) if waited else None)
    if kind.endswith("StateExited") or (kind in _ENDS and visit.left is None):
        return replace(visit, left=now)
    return visit


def json_object(text: object) -> dict[str, Any]:
    """The JSON object a text holds; empty where it holds none."""
    try:
        loaded: object = json.loads(text) if isinstance(text, str) else None
    except ValueError:
        return {}
    return cast("dict[str, Any]", loaded) if isinstance(loaded, dict) else {}
