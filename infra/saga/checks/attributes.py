"""Types of DynamoDB's AttributeValue: a wrong one fails before the task starts, where no Catch sees it (case C05)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from infra.saga.checks.shapes import ANY, Shape

if TYPE_CHECKING:
    from collections.abc import Iterator

    from infra.saga.checks.findings import Severity

__all__ = ["WrongAttribute", "attribute_types"]

_TYPES = frozenset({"S", "N", "B", "BOOL", "NULL", "M", "L", "SS", "NS", "BS"})
_HOLDERS = ("Item", "Key", "ExpressionAttributeValues")
_SAID = {"number": "um número", "object": "um objeto", "other": "um lógico ou nulo"}
_AS_TEXT = "use States.Format('{}', ...), States.JsonToString(...), ou deixe a função escrever"


@dataclass(frozen=True)
class WrongAttribute:
    """One attribute value of a wrong type.

    Attributes:
        where: the names that lead to it.
        problem: what is wrong.
        mend: what to change.
        severity: ``aviso`` where the value's type is not known.
    """

    where: str
    problem: str
    mend: str
    severity: Severity = "erro"


def attribute_types(parameters: object, made: Shape) -> Iterator[WrongAttribute]:
    """The wrong attribute values of a DynamoDB call; ``made`` is the shape its Parameters give."""
    if not isinstance(parameters, dict):
        return
    for holder in _HOLDERS:
        values = cast("dict[str, object]", parameters).get(holder)
        if isinstance(values, dict):
            yield from _map(cast("dict[str, object]", values), made.field(holder) or ANY, holder)


def _map(values: dict[str, object], made: Shape, where: str) -> Iterator[WrongAttribute]:
    for name, value in values.items():
        here = f"{where}.{name}"
        if name.endswith(".$"):
            continue
        if not isinstance(value, dict):
            yield WrongAttribute(here, "não é um AttributeValue", 'escreva {"S": ...}, {"N": "..."} ou outro tipo')
            continue
        yield from _value(cast("dict[str, object]", value), made.field(name) or ANY, here)


def _value(value: dict[str, object], made: Shape, where: str) -> Iterator[WrongAttribute]:
    types = [name.removesuffix(".$") for name in value]
    if len(types) != 1 or types[0] not in _TYPES:
        yield WrongAttribute(where, f"tem {', '.join(types) or 'nada'}", f"use um só de {', '.join(sorted(_TYPES))}")
        return
    kind = types[0]
    shape = made.field(kind) or ANY
    if kind == "M" and isinstance(value.get("M"), dict):
        yield from _map(cast("dict[str, object]", value["M"]), shape, f"{where}.M")
    elif kind in ("S", "N"):
        yield from _text(value, kind, shape, where)


def _text(value: dict[str, object], kind: str, shape: Shape, where: str) -> Iterator[WrongAttribute]:
    if kind in value:
        if not isinstance(value[kind], str):
            yield WrongAttribute(f"{where}.{kind}", f"é {value[kind]!r}, e não um texto", "ponha o valor entre aspas")
        return
    expression = value[f"{kind}.$"]
    if shape.kind in _SAID:
        yield WrongAttribute(f"{where}.{kind}", f"{expression} dá {_SAID[shape.kind]}, e não um texto", _AS_TEXT)
    elif kind == "N" and shape.kind != "text":
        yield WrongAttribute(
            f"{where}.N", f"{expression} será um número em quase toda entrada, e não um texto", _AS_TEXT, "aviso"
        )
