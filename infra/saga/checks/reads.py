"""Which paths a state reads from its own input, and which keys a machine writes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from infra.saga.checks.paths import PathSyntaxError, read_expression, reference_path
from infra.saga.checks.templates import leaves

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from infra.saga.asl import State
    from infra.saga.checks.machine import Machine
    from infra.saga.checks.paths import Path

__all__ = ["reads_of", "rule_paths", "single_path_fields", "written_keys"]

_SINGLE = (
    "ItemsPath", "TimeoutSecondsPath", "HeartbeatSecondsPath", "SecondsPath", "TimestampPath", "ErrorPath", "CausePath",
    "MaxConcurrencyPath", "ToleratedFailurePercentagePath", "ToleratedFailureCountPath",
)  # fmt: skip
_TEMPLATES = ("Parameters", "ItemSelector")


def single_path_fields(state: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The fields that hold one path, with it; InputPath, OutputPath and ResultPath are not among them."""
    for field in _SINGLE:
        if isinstance(state.get(field), str):
            yield field, state[field]


def reads_of(state: State, *, templates: bool = True) -> Iterator[Path]:
    """Paths of the state's data it reads, well-written ones only; with ``templates`` off, those of single fields."""
    texts = [text for _, text in single_path_fields(state)]
    if templates:
        texts += [state["InputPath"]] if isinstance(state.get("InputPath"), str) else []
        texts += [
            leaf.value
            for field in _TEMPLATES
            for leaf in leaves(state.get(field, {}))
            if leaf.dynamic and isinstance(leaf.value, str)
        ]
        texts += [text for choice in state.get("Choices", ()) for _, text in rule_paths(choice)]
    for text in texts:
        try:
            yield from (path for path in read_expression(text) if path.root == "$")
        except PathSyntaxError:
            continue


def rule_paths(rule: State) -> Iterator[tuple[str, str]]:
    """The paths a Choice rule compares, with the field that holds each."""
    for field, value in rule.items():
        if field == "Not":
            yield from rule_paths(value)
        elif field in ("And", "Or"):
            for part in value:
                yield from rule_paths(part)
        elif (field == "Variable" or field.endswith("Path")) and isinstance(value, str):
            yield field, value


def written_keys(machine: Machine) -> set[str]:
    """First names below ``$`` that some state or catcher writes."""
    keys: set[str] = set()
    for name in machine.states:
        state = machine.states[name]
        places: list[Mapping[str, Any]] = [state, *state.get("Catch", ())]
        for place in places:
            target = place.get("ResultPath")
            if isinstance(target, str):
                try:
                    keys.update(reference_path(target).names[:1])
                except PathSyntaxError:
                    continue
    return keys
