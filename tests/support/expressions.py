"""DynamoDB's condition and update expressions, as far as this project uses them, and strict about the rest.

Syntax that is not known here raises, so that a test can't pass because the fake shrugged: a reserved word without
a placeholder, a placeholder that is not defined or not used, a path into a map that is not there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from operator import eq, ge, gt, le, lt
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["InvalidExpressionError", "Scope", "check_placeholders", "condition", "copied", "projection", "update"]

Attribute = dict[str, Any]
Attributes = dict[str, Attribute]
Path = tuple[str, ...]

_TOKEN = re.compile(r"\s*(<=|>=|<>|[=<>(),.+-]|[#:]\w+|\w+)")

_WORDS = (
    "AND ANY AS ATTRIBUTE BATCH BEGIN BETWEEN BY CASE CHECK COMMENT COMMIT CONDITION CONTAINS COUNT DATA DATE "
    "DATETIME DELETE DESC DETAIL DETAILS END ERROR EVENT EXISTS FROM GROUP HASH IN INDEX INPUT ITEM ITEMS KEY KEYS "
    "LANGUAGE LAST LEVEL LIMIT LIST LOCAL LOCATION MAP MESSAGE MODE NAME NEW NEXT NOT NULL NUMBER OBJECT OLD "
    "OPERATION OPTION OR ORDER OUTPUT OWNER PARAMETER PATH PLAN POSITION QUANTITY QUEUE RANGE READ REFERENCE "
    "REGION REQUEST RESOURCE RESULT RETURN ROLE ROW SCHEMA SCORE SECOND SEQUENCE SESSION SET SIZE SOURCE START "
    "STATE STATUS STORAGE STREAM STRING TABLE TAG TEXT TIME TIMESTAMP TOKEN TOTAL TRANSACTION TTL TYPE UNIQUE "
    "UPDATE USER UUID VALUE VALUES VERSION VIEW WHEN WRITE YEAR ZONE"
)
RESERVED = frozenset(_WORDS.split())
"""The part of AWS's list of reserved words that an attribute of ours could ever be called."""


class InvalidExpressionError(Exception):
    """What AWS answers with a ValidationException; the fake client turns it into one."""


def copied(item: Attributes) -> Attributes:
    """A copy that shares the scalars, which nobody changes in place: a good deal quicker than ``deepcopy``."""
    return {name: {"M": copied(value["M"])} if "M" in value else value for name, value in item.items()}


def check_placeholders(expressions: str, names: Mapping[str, str], values: Mapping[str, Attribute]) -> None:
    """Every placeholder of the expressions defined, and every one defined used: AWS refuses the request otherwise."""
    strange = _placeholders(expressions) ^ (names.keys() | values.keys())
    if strange:
        raise InvalidExpressionError(f"placeholders undefined or unused: {sorted(strange)}")


@lru_cache
def _placeholders(expressions: str) -> frozenset[str]:
    return frozenset(re.findall(r"[#:]\w+", expressions))


@dataclass(frozen=True)
class Scope:
    """An item and the placeholders of the request about it."""

    item: Attributes
    names: Mapping[str, str]
    values: Mapping[str, Attribute]

    def path(self, parts: Path) -> Path:
        return tuple([self.names[part] if part.startswith("#") else part for part in parts])

    def get(self, parts: Path) -> Attribute | None:
        return _lookup(self.item, self.path(parts))


def _lookup(item: Attributes, path: Path) -> Attribute | None:
    attribute: Attribute | None = {"M": item}
    for name in path:
        if attribute is None or "M" not in attribute:
            return None
        attribute = attribute["M"].get(name)
    return attribute


class _Parser:
    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = self._tokens(text)
        self.at = 0

    @staticmethod
    def _tokens(text: str) -> list[str]:
        tokens: list[str] = []
        at = 0
        while at < len(text.rstrip()):
            match = _TOKEN.match(text, at)
            if match is None:
                raise InvalidExpressionError(f"syntax error at {text[at:]!r}")
            tokens.append(match[1])
            at = match.end()
        return tokens

    def peek(self) -> str:
        return self.tokens[self.at] if self.at < len(self.tokens) else ""

    def take(self, *expected: str) -> str:
        token = self.peek()
        if not token or (expected and token not in expected):
            raise InvalidExpressionError(f"{self.text!r}: expected {expected or 'more'}, found {token!r}")
        self.at += 1
        return token

    def end(self) -> None:
        if self.peek():
            raise InvalidExpressionError(f"{self.text!r}: unexpected {self.peek()!r}")

    def path(self) -> Path:
        parts = [self._name()]
        while self.peek() == ".":
            self.take(".")
            parts.append(self._name())
        return tuple(parts)

    def _name(self) -> str:
        token = self.take()
        if not re.fullmatch(r"#?\w+", token):
            raise InvalidExpressionError(f"{self.text!r}: {token!r} is no attribute name")
        if token.upper() in RESERVED:
            raise InvalidExpressionError(f"{token} is a reserved word")
        return token

    def operand(self) -> Callable[[Scope], Attribute | None]:
        if self.peek().startswith(":"):
            placeholder = self.take()
            return lambda scope: scope.values[placeholder]
        path = self.path()
        return lambda scope: scope.get(path)

    def any_of(self) -> Callable[[Scope], bool]:
        terms = [self.all_of()]
        while self.peek() == "OR":
            self.take("OR")
            terms.append(self.all_of())
        return terms[0] if len(terms) == 1 else lambda scope: any(term(scope) for term in terms)

    def all_of(self) -> Callable[[Scope], bool]:
        terms = [self.negation()]
        while self.peek() == "AND":
            self.take("AND")
            terms.append(self.negation())
        return terms[0] if len(terms) == 1 else lambda scope: all(term(scope) for term in terms)

    def negation(self) -> Callable[[Scope], bool]:
        if self.peek() != "NOT":
            return self.predicate()
        self.take("NOT")
        term = self.negation()
        return lambda scope: not term(scope)

    def predicate(self) -> Callable[[Scope], bool]:
        if self.peek() == "(":
            self.take("(")
            inner = self.any_of()
            self.take(")")
            return inner
        if self.peek() in ("attribute_exists", "attribute_not_exists"):
            wanted = self.take() == "attribute_exists"
            self.take("(")
            path = self.path()
            self.take(")")
            return lambda scope: (scope.get(path) is not None) is wanted
        left = self.operand()
        if self.peek() == "IN":
            return self._membership(left)
        operator = self.take("=", "<", "<=", ">", ">=")
        right = self.operand()
        return lambda scope: _compare(left(scope), operator, right(scope))

    def _membership(self, left: Callable[[Scope], Attribute | None]) -> Callable[[Scope], bool]:
        self.take("IN")
        self.take("(")
        options = [self.operand()]
        while self.peek() == ",":
            self.take(",")
            options.append(self.operand())
        self.take(")")
        return lambda scope: any(_compare(left(scope), "=", option(scope)) for option in options)


_COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {"=": eq, "<": lt, "<=": le, ">": gt, ">=": ge}


def _compare(left: Attribute | None, operator: str, right: Attribute | None) -> bool:
    """False as soon as either side is absent or the types differ, as DynamoDB has it."""
    if left is None or right is None or left.keys() != right.keys():
        return False
    (kind,) = left.keys()
    a, b = left[kind], right[kind]
    if kind == "N":
        a, b = Decimal(a), Decimal(b)
    elif kind != "S" and operator != "=":
        raise InvalidExpressionError(f"{kind} has no order")
    return _COMPARISONS[operator](a, b)


@lru_cache
def condition(text: str) -> Callable[[Scope], bool]:
    """The predicate of a ConditionExpression."""
    parser = _Parser(text)
    predicate = parser.any_of()
    parser.end()
    return predicate


@lru_cache
def projection(text: str) -> tuple[Path, ...]:
    """The paths, placeholders and all, of a ProjectionExpression."""
    parser = _Parser(text)
    paths = [parser.path()]
    while parser.peek() == ",":
        parser.take(",")
        paths.append(parser.path())
    parser.end()
    return tuple(paths)


@dataclass(frozen=True)
class _Update:
    assignments: tuple[tuple[Path, Callable[[Scope], Attribute]], ...]
    removals: tuple[Path, ...]

    def __call__(self, scope: Scope) -> tuple[Attributes, set[Path]]:
        """The item after the update, and the paths it touched; operands see the item as it was."""
        written = [(scope.path(path), expression(scope)) for path, expression in self.assignments]
        removed = [scope.path(path) for path in self.removals]
        touched = [path for path, _ in written] + removed
        for i, path in enumerate(touched):
            for other in touched[i + 1 :]:
                shortest = min(len(path), len(other))
                if path[:shortest] == other[:shortest]:
                    raise InvalidExpressionError(f"two document paths overlap: {path} and {other}")
        after = copied(scope.item)
        for path, value in written:
            _parent(after, path)[path[-1]] = value
        for path in removed:
            _parent(after, path).pop(path[-1], None)
        return after, set(touched)


def _parent(item: Attributes, path: Path) -> Attributes:
    if len(path) == 1:
        return item
    parent = _lookup(item, path[:-1])
    if parent is None or "M" not in parent:
        raise InvalidExpressionError(f"the document path {path} is invalid for update")
    return parent["M"]


@lru_cache
def update(text: str) -> Callable[[Scope], tuple[Attributes, set[Path]]]:
    """The effect of an UpdateExpression of SET and REMOVE clauses."""
    parser = _Parser(text)
    assignments: list[tuple[Path, Callable[[Scope], Attribute]]] = []
    removals: list[Path] = []
    clauses: set[str] = set()
    while parser.peek():
        clause = parser.take("SET", "REMOVE")
        if clause in clauses:
            raise InvalidExpressionError(f"{text!r}: {clause} may appear once")
        clauses.add(clause)
        while True:
            path = parser.path()
            if clause == "SET":
                parser.take("=")
                assignments.append((path, _sum(parser)))
            else:
                removals.append(path)
            if parser.peek() != ",":
                break
            parser.take(",")
    return _Update(tuple(assignments), tuple(removals))


def _sum(parser: _Parser) -> Callable[[Scope], Attribute]:
    if parser.peek() == "if_not_exists":
        return _default(parser)
    first = parser.operand()
    if parser.peek() not in ("+", "-"):
        return lambda scope: _present(first(scope))
    operator = parser.take()
    second = parser.operand()

    def evaluate(scope: Scope) -> Attribute:
        a, b = (_number(_present(side(scope))) for side in (first, second))
        return {"N": str(a + b if operator == "+" else a - b)}

    return evaluate


def _default(parser: _Parser) -> Callable[[Scope], Attribute]:
    parser.take("if_not_exists")
    parser.take("(")
    path = parser.path()
    parser.take(",")
    otherwise = parser.operand()
    parser.take(")")

    def evaluate(scope: Scope) -> Attribute:
        there = scope.get(path)
        return _present(otherwise(scope)) if there is None else there

    return evaluate


def _present(attribute: Attribute | None) -> Attribute:
    if attribute is None:
        raise InvalidExpressionError("the expression refers to an attribute that does not exist in the item")
    return attribute


def _number(attribute: Attribute) -> Decimal:
    if "N" not in attribute:
        raise InvalidExpressionError("an operand of + or - is no number")
    return Decimal(attribute["N"])
