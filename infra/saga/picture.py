"""What there is to draw in a definition: boxes by what they are, arrows by why they are taken."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from infra.saga.asl import edges

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from infra.saga.asl import Edge

__all__ = ["Arrow", "Box", "BoxKind", "Style", "arrows", "box_kind"]

Style: TypeAlias = Literal["forward", "back", "failure", "answer"]
"""``forward``: the way on; ``back``: after a success off that way; ``failure``: a Catch; ``answer``: a Choice."""

BoxKind: TypeAlias = Literal["task", "record", "person", "choice", "success", "failure", "other"]


@dataclass(frozen=True)
class Box:
    """A state.

    Attributes:
        name: of the state.
        kind: what it is.
    """

    name: str
    kind: BoxKind


@dataclass(frozen=True)
class Arrow:
    """One way out of a state.

    Attributes:
        source: the state.
        target: the state it leads to, or None for the end.
        style: why it is taken.
        label: lines of text, or none.
        errors: what the catcher lists (``failure`` only).
    """

    source: str
    target: str | None
    style: Style
    label: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()


def box_kind(state: Mapping[str, Any]) -> BoxKind:
    """What a state is to a reader."""
    resource = str(state.get("Resource", ""))
    if "waitForTaskToken" in resource:
        return "person"
    if "dynamodb" in resource:
        return "record"
    kinds: dict[str, BoxKind] = {"Task": "task", "Choice": "choice", "Succeed": "success", "Fail": "failure"}
    return kinds.get(str(state.get("Type")), "other")


def arrows(definition: Mapping[str, Any]) -> Iterator[Arrow]:
    """The arrows of a definition, state by state: next, end, choices, default, catches."""
    states: Mapping[str, Mapping[str, Any]] = definition["States"]
    forward = set(_way_forward(states, definition["StartAt"]))
    for name, state in states.items():
        order = {"next": 0, "end": 1, "choice": 2, "default": 3, "catch": 4}
        for edge in sorted(edges(state), key=lambda edge: order[edge.kind]):
            if edge.kind != "end" or state.get("Type") not in ("Succeed", "Fail"):
                yield _arrow(name, state, edge, on_the_way=name in forward)


def _way_forward(states: Mapping[str, Mapping[str, Any]], start: str) -> Iterator[str]:
    """The states passed when all goes well, up to the first Choice."""
    name: str | None = start
    seen: set[str] = set()
    while name is not None and name in states and name not in seen:
        yield name
        seen.add(name)
        name = states[name].get("Next")


def _arrow(name: str, state: Mapping[str, Any], edge: Edge, *, on_the_way: bool) -> Arrow:
    if edge.kind == "catch":
        return Arrow(
            name, edge.target, "failure", tuple(error.removesuffix("Error") for error in edge.errors), edge.errors
        )
    if edge.kind == "choice":
        return Arrow(name, edge.target, "answer", (_decision(state["Choices"][edge.index]),))
    if edge.kind == "default":
        return Arrow(name, edge.target, "failure", ("outra resposta",))
    return Arrow(name, edge.target, "forward" if on_the_way else "back")


def _decision(rule: Mapping[str, Any]) -> str:
    """What a rule of a Choice asks, in few words."""
    parts: list[Mapping[str, Any]] = rule.get("And", [rule])
    texts = [str(part["StringEquals"]) for part in parts if "StringEquals" in part]
    if texts:
        return texts[0]
    compared = {key: value for key, value in parts[0].items() if key not in ("Variable", "Next", "Comment")}
    test, value = next(iter(compared.items()), ("?", ""))
    variable = str(parts[0].get("Variable", "")).removeprefix("$.")
    return f"{variable} {test} {value}".strip() if not isinstance(value, dict | list) else test
