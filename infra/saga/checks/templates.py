"""Payload templates (Parameters, ResultSelector, ItemSelector): what they read and what they make."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from infra.saga.checks.findings import finding
from infra.saga.checks.paths import PathSyntaxError, looks_like_path, read_expression
from infra.saga.checks.shapes import ANY, NUMBER, OTHER, TEXT, Shape, record

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from infra.saga.checks.findings import Finding
    from infra.saga.checks.paths import Path

__all__ = ["Leaf", "check_template", "leaves", "template_shape"]

_TEXT_FUNCTIONS = ("States.Format", "States.JsonToString", "States.Base64", "States.Hash", "States.UUID")
_NUMBER_FUNCTIONS = ("States.Math", "States.ArrayLength")


@dataclass(frozen=True)
class Leaf:
    """One value of a template.

    Attributes:
        where: the names and positions that lead to it, the last without its ``.$``.
        value: the value as written.
        dynamic: True if the name ends in ``.$``.
    """

    where: tuple[str, ...]
    value: object
    dynamic: bool


def leaves(template: object, where: tuple[str, ...] = ()) -> Iterator[Leaf]:
    """The values of a template that are no objects or lists, and those of its ``.$`` fields."""
    if isinstance(template, dict):
        for name, value in cast("dict[str, object]", template).items():
            if name.endswith(".$"):
                yield Leaf((*where, name.removesuffix(".$")), value, dynamic=True)
            else:
                yield from leaves(value, (*where, name))
    elif isinstance(template, list):
        for index, item in enumerate(cast("list[object]", template)):
            yield from leaves(item, (*where, str(index)))
    else:
        yield Leaf(where, template, dynamic=False)


def check_template(state: str, field: str, template: object) -> Iterator[Finding]:
    """Forgotten ``.$``, ``.$`` without a path, and paths that cannot be read."""
    for leaf in leaves(template):
        name = ".".join((field, *leaf.where))
        if not leaf.dynamic:
            if isinstance(leaf.value, str) and looks_like_path(leaf.value):
                yield finding(
                    "SG408", state, f"{name} é o texto {leaf.value!r}", f'escreva "{leaf.where[-1]}.$" no nome'
                )
        elif not isinstance(leaf.value, str) or not leaf.value.startswith(("$", "States.")):
            yield finding("SG409", state, f"{name}.$ é {leaf.value!r}", "tire o .$ ou escreva um caminho")
        else:
            try:
                list(read_expression(leaf.value))
            except PathSyntaxError as error:
                yield finding("SG410", state, f"{name}.$: {error}", "corrija o caminho")


def template_shape(template: object, resolve: Callable[[Path], Shape]) -> Shape:
    """What the template makes, given what each path it reads finds."""
    if isinstance(template, dict):
        made: dict[str, Shape] = {}
        for name, value in cast("dict[str, Any]", template).items():
            if name.endswith(".$"):
                made[name.removesuffix(".$")] = expression_shape(value, resolve)
            else:
                made[name] = template_shape(value, resolve)
        return record(made)
    if isinstance(template, str):
        return TEXT
    if isinstance(template, int | float) and not isinstance(template, bool):
        return NUMBER
    return OTHER if template is None or isinstance(template, bool) else ANY


def expression_shape(text: object, resolve: Callable[[Path], Shape]) -> Shape:
    """What a ``.$`` value gives; every path in it is resolved, so that what is missing is seen."""
    if not isinstance(text, str):
        return ANY
    try:
        found = [(path, resolve(path)) for path in read_expression(text)]
    except PathSyntaxError:
        return ANY
    if text.startswith("$"):
        path, shape = found[0]
        return shape if path.exact else ANY
    if text.startswith(_TEXT_FUNCTIONS):
        return TEXT
    return NUMBER if text.startswith(_NUMBER_FUNCTIONS) else ANY
