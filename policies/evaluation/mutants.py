"""Documents made wrong on purpose, one way at a time: a verification that lets one through proves nothing.

A mutant that means the same as the original (a pattern that matches what was named, and nothing else AWS has) is not
made: nothing could tell it apart.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from policies.evaluation.catalog import actions_like, describe
from policies.evaluation.universe import FOREIGN_ACCOUNT, RETURN_VALUES, SERVICES, STRANGE_ATTRIBUTES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from policies.documents import PolicyDocument, Statement

__all__ = ["Mutant", "mutants"]

_STRANGE_VALUES: Final = {
    "dynamodb:Attributes": STRANGE_ATTRIBUTES,
    "dynamodb:ReturnValues": RETURN_VALUES,
    "dynamodb:Select": ("ALL_ATTRIBUTES",),
    "iam:PassedToService": SERVICES,
    "iam:PolicyARN": ("arn:aws:iam::aws:policy/AdministratorAccess",),
    "aws:SourceAccount": (FOREIGN_ACCOUNT,),
    "aws:SourceArn": ("*",),
    "lambda:FunctionArn": ("*",),
    "aws:SecureTransport": ("true",),
}
"""For each condition key, values that a loosened condition would let in."""


class Mutant(NamedTuple):
    """A document with one thing wrong.

    Attributes:
        change: what was done to it, for a person.
        document: the result.
        actions: those whose decision may have changed.
    """

    change: str
    document: PolicyDocument
    actions: frozenset[str]


def mutants(document: PolicyDocument) -> Iterator[Mutant]:
    """Every mutant of a document."""
    elsewhere = frozenset[str]().union(*(_meant(statement) for statement in document["Statement"]))
    for index, statement in enumerate(document["Statement"]):
        sid, meant = statement["Sid"], _meant(statement)
        yield Mutant(f"{sid}: sem a declaração", _with(document, index, None), meant)
        for change, other in _changed(statement, elsewhere):
            yield Mutant(f"{sid}: {change}", _with(document, index, other), meant | _meant(other))


def _meant(statement: Statement) -> frozenset[str]:
    return frozenset[str]().union(*(actions_like(action) for action in statement["Action"]))


def _changed(statement: Statement, elsewhere: frozenset[str]) -> Iterator[tuple[str, Statement]]:
    effect = "Deny" if statement["Effect"] == "Allow" else "Allow"
    yield f"{effect} no lugar de {statement['Effect']}", {**statement, "Effect": effect}
    yield from _actions(statement, elsewhere)
    # A policy on a resource is about that resource alone, however its ARN is written.
    if "Resource" in statement and "Principal" not in statement:
        yield from _resources(statement, statement["Resource"])
    if "Principal" in statement:
        yield from _principals(statement)
    if "Condition" in statement:
        yield from _conditions(statement)


def _actions(statement: Statement, elsewhere: frozenset[str]) -> Iterator[tuple[str, Statement]]:
    named, meant = statement["Action"], _meant(statement)
    for action in named:
        if len(named) > 1:
            yield f"sem {action}", {**statement, "Action": [other for other in named if other != action]}
        service, _, verb = action.partition(":")
        for wider in (f"{service}:*", f"{action.rstrip('*')}*", f"{service}:{_first_word(verb)}*"):
            if actions_like(wider) - meant:
                yield f"{wider} no lugar de {action}", {**statement, "Action": [wider]}
    for neighbour in _neighbours(meant, elsewhere):
        yield f"com {neighbour}", {**statement, "Action": [*named, neighbour]}


def _first_word(verb: str) -> str:
    """``Get`` of ``GetItem``."""
    capital = next((index for index, char in enumerate(verb) if index and char.isupper()), len(verb))
    return verb[:capital]


def _neighbours(meant: frozenset[str], elsewhere: frozenset[str]) -> Iterator[str]:
    """Of the same services, one action more of each level, of those the document does not speak of."""
    seen: set[tuple[str, str]] = set()
    for service in sorted({action.partition(":")[0] for action in meant}):
        for action in sorted(actions_like(f"{service}:*") - elsewhere):
            kind = (service, describe(action).level)
            if kind not in seen:
                seen.add(kind)
                yield action


def _resources(statement: Statement, named: list[str]) -> Iterator[tuple[str, Statement]]:
    for index, resource in enumerate(named):
        others = [*named[:index], *named[index + 1 :]]
        if others:
            yield f"sem {resource}", {**statement, "Resource": others}
        for looser in _looser(resource):
            yield f"{looser} no lugar de {resource}", {**statement, "Resource": [*others, looser]}
    if named == ["*"]:
        yield "um ARN no lugar de *", {**statement, "Resource": ["arn:aws:sqs:us-east-1:123456789012:outra"]}


def _looser(resource: str) -> Iterator[str]:
    if resource == "*":
        return
    yield "*"
    if not resource.endswith("*"):
        yield f"{resource}*"
    parts = resource.split(":", 5)
    for position in (3, 4):
        if parts[position]:
            yield ":".join((*parts[:position], "*", *parts[position + 1 :]))
    # The stack's own name loosened: ``cesta-pedidos`` as ``cesta*``.
    head, separator, tail = parts[5].rpartition("-")
    if separator:
        yield ":".join((*parts[:5], f"{head}*{':*' if tail.endswith(':*') else ''}"))


def _principals(statement: Statement) -> Iterator[tuple[str, Statement]]:
    principal = statement.get("Principal")
    if principal == "*":
        return
    yield "* como principal", {**statement, "Principal": "*"}
    foreign = {"AWS": f"arn:aws:iam::{FOREIGN_ACCOUNT}:root"}
    yield "outra conta como principal", {**statement, "Principal": foreign}
    for service in SERVICES:
        if principal != {"Service": service}:
            yield f"{service} como principal", {**statement, "Principal": {"Service": service}}


def _conditions(statement: Statement) -> Iterator[tuple[str, Statement]]:
    condition = cast("dict[str, dict[str, Any]]", statement.get("Condition", {}))
    yield "sem condição", _conditioned(statement, {})
    for operator, keys in condition.items():
        for key, expected in keys.items():
            without = {name: value for name, value in keys.items() if name != key}
            yield f"sem {key}", _conditioned(statement, {**condition, operator: without})
            values = [expected] if isinstance(expected, str) else list(expected)
            for value in values:
                if len(values) > 1:
                    fewer = [other for other in values if other != value]
                    yield f"{key} sem {value}", _conditioned(statement, _put(condition, operator, key, fewer))
            for strange in _STRANGE_VALUES[key]:
                if strange not in values:
                    more = [*values, strange]
                    yield f"{key} com {strange}", _conditioned(statement, _put(condition, operator, key, more))
            if not operator.endswith("IfExists") and not operator.startswith("ForAllValues"):
                rest = {name: value for name, value in condition.items() if name != operator}
                weaker = {**rest, f"{operator}IfExists": keys}
                yield f"{operator}IfExists no lugar de {operator}", _conditioned(statement, weaker)


def _put(condition: dict[str, dict[str, Any]], operator: str, key: str, values: list[str]) -> dict[str, dict[str, Any]]:
    return {**condition, operator: {**condition[operator], key: values}}


def _conditioned(statement: Statement, condition: dict[str, dict[str, Any]]) -> Statement:
    kept = {operator: keys for operator, keys in condition.items() if keys}
    bare = cast("Statement", {name: value for name, value in statement.items() if name != "Condition"})
    return {**bare, "Condition": kept} if kept else bare


def _with(document: PolicyDocument, index: int, statement: Statement | None) -> PolicyDocument:
    others = document["Statement"]
    put = [] if statement is None else [statement]
    return {"Version": document["Version"], "Statement": [*others[:index], *put, *others[index + 1 :]]}
