"""DynamoDB calls: what a write does to a record, and what an expression may not say."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from infra.saga.checks.findings import finding
from infra.saga.checks.machine import integration
from infra.saga.checks.reserved_words import RESERVED_WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from infra.saga.checks.findings import Finding
    from infra.saga.checks.machine import Machine

__all__ = ["check_dynamodb"]

_EXPRESSIONS = (
    "UpdateExpression", "ConditionExpression", "FilterExpression", "KeyConditionExpression", "ProjectionExpression",
)  # fmt: skip
_GRAMMAR = frozenset({
    "SET", "REMOVE", "ADD", "DELETE", "AND", "OR", "NOT", "IN", "BETWEEN",
})  # fmt: skip
_TOKEN = re.compile(r"[#:]?[A-Za-z_][A-Za-z0-9_]*(\s*\()?")


def check_dynamodb(machine: Machine) -> Iterator[Finding]:
    """putItem and updateItem without a condition, reserved words, placeholders."""
    for name, state in machine.tasks():
        called = integration(state)
        parameters: Mapping[str, Any] = state.get("Parameters", {})
        if called is None or called.service != "dynamodb":
            continue
        yield from _write(name, called.action, parameters)
        yield from _words(name, parameters)
        yield from _placeholders(name, parameters)


def _write(name: str, action: str, parameters: Mapping[str, Any]) -> Iterator[Finding]:
    condition = str(parameters.get("ConditionExpression", parameters.get("ConditionExpression.$", "")))
    if action == "putItem" and "attribute_not_exists" not in condition:
        yield finding(
            "SG506",
            name,
            "putItem sem a condição de que o registro não existe",
            "use updateItem; se o registro é novo, diga attribute_not_exists(chave)",
        )
    if action == "updateItem" and not condition:
        yield finding(
            "SG509",
            name,
            "updateItem sem ConditionExpression",
            "escreva só a partir dos estados permitidos: #status IN (...)",
        )


def _tokens(parameters: Mapping[str, Any]) -> Iterator[tuple[str, str, bool]]:
    """Each word of each expression: the field, the word, and whether it is a function's name."""
    for field in _EXPRESSIONS:
        text = parameters.get(field)
        if isinstance(text, str):
            for match in _TOKEN.finditer(text):
                yield field, match[0].rstrip("( \t\n"), match[1] is not None


def _words(name: str, parameters: Mapping[str, Any]) -> Iterator[Finding]:
    for field, word, is_function in _tokens(parameters):
        if word[0] in "#:" or is_function or word.upper() in _GRAMMAR:
            continue
        if word.upper() in RESERVED_WORDS:
            yield finding(
                "SG507", name, f"{field} usa {word}", f'use #{word} e ExpressionAttributeNames {{"#{word}": "{word}"}}'
            )


def _placeholders(name: str, parameters: Mapping[str, Any]) -> Iterator[Finding]:
    if any(f"{field}.$" in parameters for field in _EXPRESSIONS):
        return  # What the expression says is known only when it runs.
    used = {word for _, word, _ in _tokens(parameters) if word[0] in "#:"}
    defined: set[str] = set()
    for holder in ("ExpressionAttributeNames", "ExpressionAttributeValues"):
        if f"{holder}.$" in parameters or not isinstance(parameters.get(holder, {}), dict):
            return
        defined |= {key.removesuffix(".$") for key in parameters.get(holder, {})}
    for word in sorted(used - defined):
        yield finding("SG508", name, f"{word} é usado e não definido", "defina-o em ExpressionAttributeNames ou Values")
    for word in sorted(defined - used):
        yield finding("SG508", name, f"{word} é definido e não usado", "apague-o")
