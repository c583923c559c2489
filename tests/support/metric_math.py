"""As much of CloudWatch's metric math as our alarms use, to run them on made-up series.

"Using math expressions with CloudWatch metrics" says what each function means. A point without data is None, and
arithmetic with it has none.
"""

from __future__ import annotations

import ast
import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

__all__ = ["FUNCTIONS", "evaluate", "names_in"]

Point: TypeAlias = "float | None"
Points: TypeAlias = "list[Point]"

FUNCTIONS: Final = frozenset({"ANOMALY_DETECTION_BAND", "DIFF", "FILL", "IF", "METRICS", "SUM"})
_OPERATORS: Final[Mapping[type[ast.AST], Callable[[float, float], float]]] = {
    ast.Gt: lambda a, b: a > b,
    ast.GtE: lambda a, b: a >= b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
}


def names_in(expression: str) -> tuple[set[str], set[str]]:
    """The functions an expression calls, and the ids of metrics it names; raises SyntaxError when it is malformed."""
    nodes = list(ast.walk(_parsed(expression)))
    called = {node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    return called, {node.id for node in nodes if isinstance(node, ast.Name)} - called


def evaluate(expression: str, series: Mapping[str, Sequence[Point]]) -> Points:
    """The expression's value at each point; every series has as many points."""
    value = _value(_parsed(expression).body, {key: list(points) for key, points in series.items()})
    assert isinstance(value, list), "an alarm's expression is one series"
    return value


def _parsed(expression: str) -> ast.Expression:
    python = re.sub(r"\b(AND|OR)\b", lambda word: word[0].lower(), expression)
    return ast.parse(python, mode="eval")


def _value(node: ast.expr, series: Mapping[str, Points]) -> Points | float:
    match node:
        case ast.Constant(value=int() | float() as number):
            return number
        case ast.Name(id=name):
            return series[name]
        case ast.List(elts=each):
            members = [_value(one, series) for one in each]
            assert all(isinstance(member, list) for member in members)
            return [_sum(points) for points in zip(*members, strict=True)]  # pyright: ignore[reportArgumentType] - as asserted
        case ast.BinOp(left=left, op=op, right=right):
            return _pointwise(_OPERATORS[type(op)], _value(left, series), _value(right, series))
        case ast.Compare(left=left, ops=[op], comparators=[right]):
            return _pointwise(_OPERATORS[type(op)], _value(left, series), _value(right, series))
        case ast.BoolOp(op=ast.And(), values=[left, right]):
            return _pointwise(lambda a, b: bool(a) and bool(b), _value(left, series), _value(right, series))
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return _call(name, arguments, series)
        case _:
            raise AssertionError(f"not in this subset: {ast.unparse(node)}")


def _call(name: str, arguments: list[ast.expr], series: Mapping[str, Points]) -> Points | float:
    if name == "SUM" and ast.unparse(arguments[0]) == "METRICS()":
        return [_sum(points) for points in zip(*series.values(), strict=True)]
    values = [_value(argument, series) for argument in arguments]
    match name, values:
        case "SUM", [list() as listed]:
            return listed
        case "DIFF", [list() as points]:
            return [None, *(_minus(b, a) for a, b in pairwise(points))]
        case "FILL", [list() as points, int() | float() as filler]:
            return [filler if point is None else point for point in points]
        case "IF", [list() as condition, then, other]:
            return [_choose(test, then, other, i) for i, test in enumerate(condition)]
        case _:
            raise AssertionError(f"not in this subset: {name}")


def _choose(test: Point, then: Points | float, other: Points | float, i: int) -> Point:
    if test is None:
        return None
    chosen = then if test else other
    return chosen[i] if isinstance(chosen, list) else chosen


def _minus(b: Point, a: Point) -> Point:
    return None if a is None or b is None else b - a


def _sum(points: Sequence[Point]) -> Point:
    """Of the points there are: none only where all are absent."""
    known = [point for point in points if point is not None]
    return sum(known) if known else None


def _pointwise(function: Callable[[float, float], float], a: Points | float, b: Points | float) -> Points:
    length = max(len(side) for side in (a, b) if isinstance(side, list))
    left, right = (side if isinstance(side, list) else [side] * length for side in (a, b))
    return [None if x is None or y is None else function(x, y) for x, y in zip(left, right, strict=True)]
