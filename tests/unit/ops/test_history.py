"""A history is folded into one line per visit, retries counted."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from infra.ops.history import fold

pytestmark = pytest.mark.unit

START = datetime(2026, 8, 7, 13, 4, 11, tzinfo=UTC)


def _events(*kinds: str | tuple[str, dict[str, Any]]) -> list[dict[str, Any]]:
    events: list[dict[str, Any]] = []
    for index, kind in enumerate(kinds):
        name, details = kind if isinstance(kind, tuple) else (kind, {})
        events.append({"type": name, "timestamp": START + timedelta(seconds=index), **details})
    return events


def _entered(kind: str, state: str) -> tuple[str, dict[str, Any]]:
    return kind, {"stateEnteredEventDetails": {"name": state}}


def _failed(error: str) -> tuple[str, dict[str, Any]]:
    return "TaskFailed", {"taskFailedEventDetails": {"error": error, "cause": "..."}}


def test_a_step_that_went_well_is_one_line() -> None:
    (visit,) = fold(
        _events(
            "ExecutionStarted",
            _entered("TaskStateEntered", "ReservarEstoque"),
            "TaskScheduled",
            "TaskSucceeded",
            "TaskStateExited",
        )
    )
    assert (visit.state, visit.attempts, visit.failed, visit.error) == ("ReservarEstoque", 1, False, "")
    assert visit.left == START + timedelta(seconds=4)


def test_retries_are_counted_and_the_last_error_is_kept() -> None:
    (visit,) = fold(
        _events(
            _entered("TaskStateEntered", "CobrarPagamento"),
            "TaskScheduled",
            _failed("GatewayIndisponivelError"),
            "TaskScheduled",
            "TaskSucceeded",
            "TaskStateExited",
        )
    )
    assert (visit.attempts, visit.failed, visit.error) == (2, False, "GatewayIndisponivelError")


def test_a_step_left_through_a_catcher_failed() -> None:
    first, second = fold(
        _events(
            _entered("TaskStateEntered", "CobrarPagamento"),
            "TaskScheduled",
            _failed("CartaoRecusadoError"),
            "TaskStateExited",
            _entered("TaskStateEntered", "LiberarEstoque"),
            "TaskScheduled",
        )
    )
    assert (first.failed, first.error) == (True, "CartaoRecusadoError")
    assert (second.failed, second.left) == (False, None)


def test_a_timeout_without_a_name_is_a_timeout() -> None:
    (visit,) = fold(_events(_entered("TaskStateEntered", "X"), "TaskScheduled", ("TaskTimedOut", {})))
    assert (visit.failed, visit.error) == (True, "States.Timeout")


def test_a_state_where_the_execution_was_stopped_is_left_then() -> None:
    (visit,) = fold(_events(_entered("TaskStateEntered", "X"), "TaskScheduled", "ExecutionAborted"))
    assert visit.left == START + timedelta(seconds=2)
    assert not visit.failed
