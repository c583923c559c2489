"""A definition as a picture: Mermaid, which GitHub and most viewers draw.

The way forward is thick, the undoing is solid, what only happens on failure is dotted; shapes tell apart tasks,
status writes, people and ends, so that nothing is said by colour alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from infra.saga.picture import arrows, box_kind

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from infra.saga.picture import Arrow, BoxKind

__all__ = ["mermaid"]

_SHAPES: Mapping[BoxKind, tuple[str, str]] = {
    "task": ("[", "]"),
    "record": ("[/", "/]"),
    "person": (">", "]"),
    "choice": ("{", "}"),
    "success": ("([", "])"),
    "failure": ("[[", "]]"),
    "other": ("[", "]"),
}
_LINES = {"forward": "==>", "back": "-->", "answer": "-->", "failure": "-.->"}


def mermaid(definition: Mapping[str, Any], *, route: Sequence[str] = ()) -> str:
    """The state machine as a Mermaid flowchart, in the order of its states.

    Args:
        definition: the state machine.
        route: states of a counterexample, whose boxes are then marked.
    """
    states: Mapping[str, Mapping[str, Any]] = definition["States"]
    ids = {name: _id(name, index) for index, name in enumerate(states)}
    lines = ["flowchart TD", f"    inicio((início)) ==> {ids.get(definition['StartAt'], 'inexistente')}"]
    for name, state in states.items():
        opening, closing = _SHAPES[box_kind(state)]
        lines.append(f'    {ids[name]}{opening}"{_text(name)}"{closing}')
    lines += [f"    {_line(arrow, ids)}" for arrow in arrows(definition)]
    marked = [ids[name] for name in dict.fromkeys(route) if name in ids]
    if marked:
        lines += ["    classDef marcado stroke:#bf5b00,stroke-width:4px", f"    class {','.join(marked)} marcado"]
    return "\n".join(lines) + "\n"


def _id(name: str, index: int) -> str:
    """The name itself where Mermaid takes it as an identifier."""
    plain = name.isascii() and name.replace("_", "").isalnum() and name.lower() != "end"
    return name if plain else f"estado{index}"


def _text(text: str) -> str:
    return text.replace('"', "#quot;")


def _line(arrow: Arrow, ids: Mapping[str, str]) -> str:
    target = "fim((fim))" if arrow.target is None else ids.get(arrow.target, "inexistente")
    line = _LINES[arrow.style]
    label = f"|{'<br/>'.join(_label(text) for text in arrow.label)}|" if arrow.label else ""
    return f"{ids[arrow.source]} {line}{label} {target}"


def _label(text: str) -> str:
    """What would end a Mermaid label is taken out."""
    return _text(text).replace("|", "/")
