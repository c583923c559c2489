"""What a Choice proves: data that a rule has tested is there on the way the rule opens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from infra.saga.checks.paths import PathSyntaxError, read_path
from infra.saga.checks.shapes import ANY, EMPTY, NUMBER, OTHER, TEXT, Shape, with_field

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from infra.saga.asl import State
    from infra.saga.checks.paths import Path

__all__ = ["outcomes"]

_KINDS = {"IsString": TEXT, "IsTimestamp": TEXT, "IsNumeric": NUMBER, "IsBoolean": OTHER}


def outcomes(state: State, data: Shape, resolve: Callable[[Path, Shape], Shape]) -> Iterator[tuple[str, Shape]]:
    """Where the Choice may lead, with what is known there."""
    for choice in state.get("Choices", ()):
        known = _assume(choice, data, resolve)
        if "Next" in choice:
            yield choice["Next"], known
    if "Default" in state:
        yield state["Default"], data


def _assume(rule: State, data: Shape, resolve: Callable[[Path, Shape], Shape]) -> Shape:
    """What is known once ``rule`` holds; every comparison reads its paths with what the tests before it proved."""
    if "And" in rule:
        for part in rule["And"]:
            data = _assume(part, data, resolve)
        return data
    if "Or" in rule:
        for part in rule["Or"]:
            _assume(part, data, resolve)
        return data
    if "Not" in rule:
        inner: dict[str, Any] = rule["Not"]
        if inner.get("IsPresent") is False and "Variable" in inner:
            return _assume({"Variable": inner["Variable"], "IsPresent": True}, data, resolve)
        _assume(inner, data, resolve)
        return data
    return _compare(rule, data, resolve)


def _compare(rule: State, data: Shape, resolve: Callable[[Path, Shape], Shape]) -> Shape:
    try:
        path = read_path(str(rule.get("Variable", "$")))
    except PathSyntaxError:
        return data
    if "IsPresent" in rule:
        return _present(data, path.names, ANY) if rule["IsPresent"] is True and path.root == "$" else data
    resolve(path, data)
    for field, other in rule.items():
        if field != "Variable" and field.endswith("Path"):
            try:
                resolve(read_path(str(other)), data)
            except PathSyntaxError:
                continue
    kinds = [shape for test, shape in _KINDS.items() if rule.get(test) is True]
    kinds += [TEXT] if any(field.startswith("String") for field in rule) else []
    return _present(data, path.names, kinds[0]) if kinds and path.root == "$" and path.exact else data


def _present(data: Shape, names: tuple[str, ...], found: Shape) -> Shape:
    """``data``, where ``names`` is now known to be."""
    if not names:
        return found if data.kind in ("any", "answer", "maybe") else data
    if data.kind == "any":
        return data
    first, rest = names[0], names[1:]
    before = data.field(first) or (EMPTY if rest else ANY)
    inner = (before.field("") or ANY) if before.kind == "maybe" else before
    return with_field(data, first, _present(inner, rest, found))
