"""An execution's history, folded: one line per visit to a state, retries counted, never one per event."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ClientError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from datetime import datetime

    from mypy_boto3_stepfunctions import SFNClient

__all__ = ["Execution", "Visit", "fold", "read_execution"]

_ATTEMPTS = {"TaskScheduled", "LambdaFunctionScheduled"}
_FAILURES = {
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
        failed: whether the last attempt failed: the state was left through a catcher, or ended the execution.
    """

    state: str
    entered: datetime
    left: datetime | None = None
    attempts: int = 0
    error: str = ""
    failed: bool = False


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
        input=described.get("input", ""),
        visits=fold(events),
        error=described.get("error", ""),
    )


def fold(events: Iterable[Mapping[str, Any]]) -> tuple[Visit, ...]:
    """The visits told by a history of a machine without parallel branches."""
    visits: list[Visit] = []
    for event in events:
        kind = event["type"]
        if kind.endswith("StateEntered"):
            visits.append(Visit(event["stateEnteredEventDetails"]["name"], event["timestamp"]))
            continue
        if visits:
            visits[-1] = _after(visits[-1], kind, event)
    return tuple(visits)


def _after(visit: Visit, kind: str, event: Mapping[str, Any]) -> Visit:
    if kind in _ATTEMPTS:
        return replace(visit, attempts=visit.attempts + 1, failed=False)
    if kind in _FAILURES:
        details = event.get(_FAILURES[kind], {})
        return replace(visit, failed=True, error=details.get("error", "") or "States.Timeout")
    if kind.endswith("StateExited"):
        return replace(visit, left=event["timestamp"])
    if kind.startswith("Execution") and visit.left is None:
        return replace(visit, left=event["timestamp"])
    return visit
