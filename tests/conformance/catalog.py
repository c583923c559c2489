"""Every fact, in the order of the table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tests.conformance.areas import errors, executions, functions, language, queues, tables, watching

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.conformance.behaviour import Behaviour

__all__ = ["AREAS", "CATALOG"]

AREAS: Final[Mapping[str, tuple[Behaviour, ...]]] = {
    "Executions": executions.BEHAVIOURS,
    "Errors, retries and timeouts": errors.BEHAVIOURS,
    "Data, callbacks and definitions": language.BEHAVIOURS,
    "DynamoDB": tables.BEHAVIOURS,
    "SQS and its readers": queues.BEHAVIOURS,
    "Functions, events and roles": functions.BEHAVIOURS,
    "Metrics, alarms and the API": watching.BEHAVIOURS,
}

CATALOG: Final = tuple(behaviour for behaviours in AREAS.values() for behaviour in behaviours)
