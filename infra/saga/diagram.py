"""A definition as a picture: Mermaid, which GitHub and most viewers draw.

The way forward is thick, the undoing is solid, what only happens on failure is dotted; shapes tell apart tasks,
status writes, people and ends, so that nothing is said by colour alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["mermaid"]

_SHAPES = {
    "Choice": ("{", "}"),
    "Succeed": ("([", "])"),
    "Fail": ("[[", "]]"),
}
_RECORD = ("[/", "/]")
_PERSON = (">", "]")
_TASK = ("[", "]")


def mermaid(definition: Mapping[str, Any]) -> str:
    """The state machine as a Mermaid flowchart, in the order of its states."""
    states: Mapping[str, Mapping[str, Any]] = definition["States"]
    forward = set(_way_forward(states, definition["StartAt"]))
    lines = ["flowchart TD", f"    inicio((início)) ==> {definition['StartAt']}"]
    lines += [f"    {name}{_shape(name, state)}" for name, state in states.items()]
    for name, state in states.items():
        lines += [f"    {edge}" for edge in _edges(name, state, thick=name in forward)]
    return "\n".join(lines) + "\n"


def _way_forward(states: Mapping[str, Mapping[str, Any]], start: str) -> Iterator[str]:
    name: str | None = start
    while name is not None:
        yield name
        name = states[name].get("Next")


def _shape(name: str, state: Mapping[str, Any]) -> str:
    opening, closing = _SHAPES.get(state["Type"], _TASK)
    resource: str = state.get("Resource", "")
    if "dynamodb" in resource:
        opening, closing = _RECORD
    if "waitForTaskToken" in resource:
        opening, closing = _PERSON
    return f'{opening}"{name}"{closing}'


def _edges(name: str, state: Mapping[str, Any], *, thick: bool) -> Iterator[str]:
    if "Next" in state:
        yield f"{name} {'==>' if thick else '-->'} {state['Next']}"
    if state.get("End"):
        yield f"{name} {'==>' if thick else '-->'} fim((fim))"
    for choice in state.get("Choices", ()):
        decision = next(test["StringEquals"] for test in choice["And"] if "StringEquals" in test)
        yield f"{name} -->|{decision}| {choice['Next']}"
    if "Default" in state:
        yield f"{name} -.->|outra resposta| {state['Default']}"
    for catch in state.get("Catch", ()):
        errors = "<br/>".join(error.removesuffix("Error") for error in catch["ErrorEquals"])
        yield f"{name} -.->|{errors}| {catch['Next']}"
