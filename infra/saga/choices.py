"""What a Choice does with an answer that is known, and with everything else that is not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["ABSENT", "AbsentPathError", "branches"]

ABSENT: Final = object()
"""The value of a path that leads nowhere."""

_UNKNOWN: Final = object()


class AbsentPathError(Exception):
    """A comparison reads a path that is not there: ``States.Runtime``, which no catcher takes."""


def branches(state: Mapping[str, Any], key: str, value: object) -> Iterator[tuple[str, str | None]]:
    """The branches a Choice may take when ``$.<key>`` is ``value`` and the rest is unknown.

    Yields:
        A few words that name the branch, and its target; None for no branch at all (``States.NoChoiceMatched``).

    Raises:
        AbsentPathError: a rule compares a path that is surely absent.
    """
    for rule in state.get("Choices", ()):
        outcome = _test(rule, key, value)
        if outcome is not False:
            yield "a regra que serve", rule["Next"]
        if outcome is True:
            return
    yield "nenhuma regra serve", state.get("Default")


def _test(rule: Mapping[str, Any], key: str, value: object) -> bool | None:
    if "And" in rule:
        return _every(rule["And"], key, value)
    if "Or" in rule:
        opposite = _every([{"Not": test} for test in rule["Or"]], key, value)
        return None if opposite is None else not opposite
    if "Not" in rule:
        opposite = _test(rule["Not"], key, value)
        return None if opposite is None else not opposite
    return _compare(rule, _read(rule.get("Variable", ""), key, value))


def _every(tests: list[Mapping[str, Any]], key: str, value: object) -> bool | None:
    """In order, stopping at the first that is false: what comes after it is not evaluated."""
    result: bool | None = True
    for test in tests:
        outcome = _test(test, key, value)
        if outcome is False:
            return False
        if outcome is None:
            result = None
    return result


def _read(path: str, key: str, value: object) -> object:
    root, *fields = path.removeprefix("$.").split(".")
    if root != key or not path.startswith("$."):
        return _UNKNOWN
    for name in fields:
        if not isinstance(value, dict):
            return ABSENT
        value = cast("dict[str, object]", value).get(name, ABSENT)
    return value


def _compare(rule: Mapping[str, Any], found: object) -> bool | None:
    if found is _UNKNOWN:
        return None
    if "IsPresent" in rule:
        return (found is not ABSENT) is rule["IsPresent"]
    if found is ABSENT:
        raise AbsentPathError(rule.get("Variable", ""))
    match rule:
        case {"IsNull": expected}:
            return (found is None) is expected
        case {"IsString": expected}:
            return isinstance(found, str) is expected
        case {"IsBoolean": expected}:
            return isinstance(found, bool) is expected
        case {"IsNumeric": expected}:
            return (isinstance(found, int | float) and not isinstance(found, bool)) is expected
        case {"StringEquals": expected}:
            return found == expected
        case _:
            return None
