"""What a function's output holds in CloudWatch's embedded metric format, read as CloudWatch reads it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Emitted", "emitted", "json_lines"]


class Emitted(NamedTuple):
    """One metric of one line."""

    namespace: str
    name: str
    unit: str
    dimensions: dict[str, str]
    values: list[float]


def json_lines(output: str) -> list[dict[str, Any]]:
    """The lines of ``output`` that are JSON objects."""
    return [json.loads(line) for line in output.splitlines() if line.startswith("{")]


def emitted(output: str) -> list[Emitted]:
    """Every metric in ``output``, each value a list as Powertools writes it.

    CloudWatch Logs, "Specification: embedded metric format".
    """
    return [metric for line in json_lines(output) if "_aws" in line for metric in _of(line)]


def _of(line: dict[str, Any]) -> Iterable[Emitted]:
    for directive in line["_aws"]["CloudWatchMetrics"]:
        for names in directive["Dimensions"]:
            dimensions = {name: line[name] for name in names}
            for definition in directive["Metrics"]:
                name = definition["Name"]
                yield Emitted(directive["Namespace"], name, definition["Unit"], dimensions, list(line[name]))
