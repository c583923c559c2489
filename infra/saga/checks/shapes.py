"""What is surely in a JSON value: the abstract data the checks carry along the arrows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from infra.saga.checks.findings import Kind

__all__ = [
    "ANSWER",
    "ANY",
    "CAUGHT",
    "EMPTY",
    "NUMBER",
    "TEXT",
    "Look",
    "Shape",
    "holds_less",
    "look",
    "maybe",
    "of_kind",
    "put",
    "record",
    "with_field",
]

ShapeKind: TypeAlias = Literal["any", "answer", "text", "number", "other", "object", "maybe"]


@dataclass(frozen=True)
class Shape:
    """A value's shape.

    Attributes:
        kind: ``any``: it exists, and what is below is taken on trust; ``answer``: it exists, and below it surely
            are ``fields`` and whatever else somebody answered; ``object``: exactly ``fields``; ``maybe``: it may be
            absent.
        fields: by name; of a maybe, the one value under an empty name.
    """

    kind: ShapeKind
    fields: tuple[tuple[str, Shape], ...] = ()

    def field(self, name: str) -> Shape | None:
        """The field's shape, or None."""
        return next((shape for key, shape in self.fields if key == name), None)


ANY = Shape("any")
ANSWER = Shape("answer")
TEXT = Shape("text")
NUMBER = Shape("number")
OTHER = Shape("other")
EMPTY = Shape("object")


def record(fields: Mapping[str, Shape]) -> Shape:
    """An object with exactly these fields."""
    return Shape("object", tuple(sorted(fields.items())))


def maybe(shape: Shape) -> Shape:
    """A value that may be absent."""
    return Shape("maybe", (("", shape),))


CAUGHT = record({"Error": TEXT, "Cause": maybe(TEXT)})
"""What a Catch writes. Cause may be absent, and may be JSON or any text (design §4)."""


def of_kind(kind: Kind) -> Shape:
    """The shape of an input field."""
    return {
        "texto": TEXT, "numero": NUMBER, "logico": OTHER, "objeto": ANY, "erro": CAUGHT, "qualquer": ANY,
    }[kind]  # fmt: skip


Look: TypeAlias = Literal["there", "missing", "maybe", "answer"]


def look(shape: Shape, names: Iterable[str]) -> tuple[Look, Shape]:
    """Whether ``names`` can be walked from ``shape``, and what is found there (ANY where nothing is known)."""
    doubt: Look = "there"
    for name in names:
        if shape.kind == "any":
            return doubt, ANY
        found = shape.field(name)
        if found is None:
            return "answer" if shape.kind == "answer" else "missing", ANY
        if found.kind == "maybe":
            doubt, found = "maybe", found.field("") or ANY
        shape = found
    return doubt, shape


def holds_less(one: Shape, other: Shape) -> bool:
    """True if whatever is surely in ``one`` is in ``other`` too: what ``one`` does not lack, ``other`` does not."""
    if one == other:
        return True
    if one.kind != other.kind or one.kind not in ("object", "answer"):
        return False
    return all((found := other.field(name)) is not None and holds_less(shape, found) for name, shape in one.fields)


def put(shape: Shape, names: tuple[str, ...], value: Shape) -> Shape:
    """``shape`` with ``value`` at ``names``; with no names, ``value`` itself (what ResultPath does)."""
    if not names:
        return value
    if shape.kind == "any":
        return shape
    first, rest = names[0], names[1:]
    return with_field(shape, first, put(shape.field(first) or EMPTY, rest, value))


def with_field(shape: Shape, name: str, value: Shape) -> Shape:
    """``shape`` with ``value`` under ``name``; what cannot hold fields becomes an object."""
    fields = dict(shape.fields) if shape.kind in ("object", "answer") else {}
    fields[name] = value
    return Shape("answer" if shape.kind == "answer" else "object", tuple(sorted(fields.items())))
