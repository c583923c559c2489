"""What a DynamoDB status write would do, read off the definition: the status, and over which statuses it is written.

Only what is said about the status attribute is evaluated; any other condition counts as possibly true.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ConditionalWrite", "status_write"]

_TOKEN = re.compile(r"\s*(<>|<=|>=|[(),=<>]|[#:\w.\[\]-]+)")
_PUT = "dynamodb:putItem"
_UPDATE = "dynamodb:updateItem"


@dataclass(frozen=True)
class ConditionalWrite:
    """A status write.

    Attributes:
        status: the status written.
        condition: tokens of its condition; empty means that it is written over anything.
        names: what the ``#`` names stand for.
        values: the texts the ``:`` values stand for; other types are left out.
        attribute: the status attribute.
    """

    status: str
    condition: tuple[str, ...]
    names: Mapping[str, str]
    values: Mapping[str, str]
    attribute: str
    _known: dict[str, bool] = field(default_factory=dict[str, bool], compare=False)

    def allows(self, present: str) -> bool:
        """True unless the condition surely refuses to write over the status ``present``."""
        if present not in self._known:
            self._known[present] = not self.condition or _Reader(self, present).read() is not False
        return self._known[present]


def status_write(state: Mapping[str, Any], attribute: str) -> ConditionalWrite | None:
    """The status write that a DynamoDB integration state makes; None if it makes none that can be read."""
    resource: str = state.get("Resource", "")
    parameters: dict[str, Any] = state.get("Parameters", {})
    names: dict[str, str] = parameters.get("ExpressionAttributeNames", {})
    given: dict[str, dict[str, Any]] = parameters.get("ExpressionAttributeValues", {})
    values = {name: value["S"] for name, value in given.items() if isinstance(value.get("S"), str)}
    if _PUT in resource:
        status = parameters.get("Item", {}).get(attribute, {}).get("S")
    elif _UPDATE in resource:
        status = _assigned(parameters.get("UpdateExpression", ""), names, values, attribute)
    else:
        return None
    if not isinstance(status, str):
        return None
    condition = tuple(_TOKEN.findall(parameters.get("ConditionExpression", "")))
    return ConditionalWrite(status, condition, names, values, attribute)


def _assigned(update: str, names: Mapping[str, str], values: Mapping[str, str], attribute: str) -> str | None:
    tokens = _TOKEN.findall(update)
    for name, equals, value in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if equals == "=" and names.get(name, name) == attribute:
            return values.get(value)
    return None


class _Reader:
    """Recursive descent over the condition, in three values: true, false, None for "cannot tell"."""

    def __init__(self, write: ConditionalWrite, present: str) -> None:
        self.write = write
        self.present = present
        self.tokens = [*write.condition, ""]
        self.at = 0

    def read(self) -> bool | None:
        return self._any()

    def _peek(self) -> str:
        return self.tokens[min(self.at, len(self.tokens) - 1)]

    def _take(self) -> str:
        token = self._peek()
        self.at += 1
        return token

    def _any(self) -> bool | None:
        values = [self._all()]
        while self._peek().upper() == "OR":
            self._take()
            values.append(self._all())
        if True in values:
            return True
        return None if None in values else False

    def _all(self) -> bool | None:
        values = [self._one()]
        while self._peek().upper() == "AND":
            self._take()
            values.append(self._one())
        if False in values:
            return False
        return None if None in values else True

    def _one(self) -> bool | None:
        word = self._take()
        if word.upper() == "NOT":
            value = self._one()
            return None if value is None else not value
        if word == "(":
            value = self._any()
            self._take()
            return value
        if self._peek() == "(":
            return self._function(word)
        return self._comparison(word)

    def _function(self, name: str) -> bool | None:
        self._take()
        arguments = self._list()
        if name == "attribute_exists" and self._is_status(arguments[0]):
            return True
        if name == "attribute_not_exists" and self._is_status(arguments[0]):
            return False
        return None

    def _list(self) -> list[str]:
        items: list[str] = []
        while (item := self._take()) not in (")", ""):
            if item != ",":
                items.append(item)
        return items

    def _comparison(self, left: str) -> bool | None:
        operator = self._take()
        if operator.upper() == "IN":
            self._take()
            values = [self.write.values.get(item) for item in self._list()]
            return self.present in values if self._is_status(left) else None
        right = self._take()
        if self._is_status(right):
            left, right = right, left
        if not self._is_status(left) or operator not in ("=", "<>"):
            return None
        return (self.present == self.write.values.get(right)) is (operator == "=")

    def _is_status(self, name: str) -> bool:
        return self.write.names.get(name, name) == self.write.attribute
