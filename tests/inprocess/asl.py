"""The part of the Amazon States Language that our machines use, run rather than reasoned about.

What it does not know it refuses: a definition that begins to use more of the language fails here, and not silently.
Retriers and catchers are matched by `infra.saga.asl`, which the checks use too.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["MissingPathError", "choose", "filled", "placed"]

_JSON_TO_STRING = re.compile(r"States\.JsonToString\((\$[\w.]*)\)")


class MissingPathError(Exception):
    """A path that is not there: States.Runtime, which no catcher takes."""


def filled(template: object, data: Mapping[str, Any], context: Mapping[str, Any]) -> Any:
    """``Parameters`` or ``ResultSelector`` with every ``.$`` field in its place."""
    if isinstance(template, dict):
        fields = cast("dict[str, object]", template)
        return {
            name.removesuffix(".$"): _value(str(value), data, context)
            if name.endswith(".$")
            else filled(value, data, context)
            for name, value in fields.items()
        }
    if isinstance(template, list):
        return [filled(item, data, context) for item in cast("list[object]", template)]
    return template


def placed(data: Mapping[str, Any], path: str | None, result: Any) -> dict[str, Any]:
    """The data with ``result`` at a ResultPath of one key; null leaves it as it is."""
    if path is None:
        return dict(data)
    match = re.fullmatch(r"\$\.(\w+)", path)
    if match is None:
        raise AssertionError(f"ResultPath {path}: only one key below the root is known here")
    return {**data, match[1]: result}


def choose(state: Mapping[str, Any], data: Mapping[str, Any]) -> str:
    """Where a Choice leads."""
    for rule in state["Choices"]:
        if _holds(rule, data):
            return rule["Next"]
    return state["Default"]


def _value(expression: str, data: Mapping[str, Any], context: Mapping[str, Any]) -> Any:
    match = _JSON_TO_STRING.fullmatch(expression)
    if match is not None:
        return json.dumps(_at(match[1], data), separators=(",", ":"), ensure_ascii=False)
    if expression.startswith("$$"):
        return _at(expression[1:], context)
    if re.fullmatch(r"\$[\w.]*", expression):
        return _at(expression, data)
    raise AssertionError(f"{expression} is not known here")


def _at(path: str, data: Mapping[str, Any]) -> Any:
    value: Any = data
    for name in path.split(".")[1:]:
        if not isinstance(value, dict) or name not in value:
            raise MissingPathError(path)
        value = cast("dict[str, Any]", value)[name]
    return value


def _holds(rule: Mapping[str, Any], data: Mapping[str, Any]) -> bool:
    if "And" in rule:
        return all(_holds(part, data) for part in rule["And"])
    if "Not" in rule:
        return not _holds(rule["Not"], data)
    if "IsPresent" in rule:
        return _present(rule["Variable"], data) is rule["IsPresent"]
    value = _at(rule["Variable"], data)
    if "IsString" in rule:
        return isinstance(value, str) is rule["IsString"]
    if "StringEquals" in rule:
        return isinstance(value, str) and value == rule["StringEquals"]
    raise AssertionError(f"the rule {sorted(rule)} is not known here")


def _present(path: str, data: Mapping[str, Any]) -> bool:
    try:
        _at(path, data)
    except MissingPathError:
        return False
    return True
