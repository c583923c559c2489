"""IAM's decision over one document, for the part of its language our documents are written in.

An explicit deny wins over any allow; what nothing allows is denied (IAM, "Policy evaluation logic"). Whatever else a
document might hold (``NotAction``, an operator we do not use, a policy variable) is an error, never a guess: a
verdict on something not understood is worth nothing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from policies.evaluation.catalog import actions_like

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from policies.documents import PolicyDocument, Statement

__all__ = ["Context", "Evaluator", "Request", "UnsupportedPolicyError", "decide", "names"]

Context: TypeAlias = "Mapping[str, str | tuple[str, ...]]"
"""Condition keys of a request; a tuple for a key of many values. An absent key is a key the request lacks."""

_ELEMENTS: Final = {"Sid", "Effect", "Action", "Resource", "Principal", "Condition"}


class UnsupportedPolicyError(Exception):
    """A document holds something the evaluator does not know.

    Attributes:
        what: the part that is not understood.
    """

    def __init__(self, what: str) -> None:
        self.what = what
        super().__init__(f"{what} não é avaliado aqui; escreva o documento sem isso ou ensine policies.evaluation")


@dataclass(frozen=True)
class Request:
    """One call, as IAM sees it.

    Attributes:
        action: ``service:Action`` in its own spelling.
        resource: an ARN, or ``*`` for an action that takes none.
        principal: ARN of a caller or name of a service; used by policies that name a principal only.
        context: condition keys.
    """

    action: str
    resource: str
    principal: str = ""
    context: Context = field(default_factory=dict[str, "str | tuple[str, ...]"])


class Evaluator:
    """One document, ready to be asked many times.

    Raises:
        UnsupportedPolicyError: the document holds something that is not evaluated here.
    """

    def __init__(self, document: PolicyDocument) -> None:
        self._statements = [(statement, _actions(statement)) for statement in document["Statement"]]

    @property
    def actions(self) -> frozenset[str]:
        """Every action some statement speaks of, patterns expanded over all that AWS has."""
        return frozenset[str]().union(*(actions for _, actions in self._statements))

    def about(self, action: str, resource: str) -> tuple[Statement, ...]:
        """The statements that speak of the action on the resource, whoever calls and however."""
        return tuple(
            statement for statement, actions in self._statements if action in actions and _covers(statement, resource)
        )

    def allowed_by(self, request: Request) -> str | None:
        """The ``Sid`` of a statement that allows the request; None when it is denied."""
        return decide(self.about(request.action, request.resource), request.principal, request.context)


def names(statement: Statement, principal: str) -> bool:
    """Whether the statement speaks of the principal; one without ``Principal`` speaks of whoever it is attached to."""
    return "Principal" not in statement or _is_principal(statement["Principal"], principal)


def decide(statements: Iterable[Statement], principal: str, context: Context) -> str | None:
    """The ``Sid`` of one of the statements that allows the call; None when it is denied."""
    found: str | None = None
    for statement in statements:
        if not _applies(statement, principal, context):
            continue
        if statement["Effect"] == "Deny":
            return None
        found = found or statement["Sid"]
    return found


def _actions(statement: Statement) -> frozenset[str]:
    if unknown := statement.keys() - _ELEMENTS:
        raise UnsupportedPolicyError(", ".join(sorted(unknown)))
    for operator in statement.get("Condition", {}):
        _operator(operator)
    return frozenset[str]().union(*(actions_like(pattern) for pattern in _listed(statement["Action"])))


def _covers(statement: Statement, resource: str) -> bool:
    # A trust policy has no Resource: it speaks of the role it is attached to.
    return "Resource" not in statement or any(_like(at)(resource) for at in _listed(statement["Resource"]))


def _applies(statement: Statement, principal: str, context: Context) -> bool:
    return names(statement, principal) and all(
        _operator(operator)(context.get(key), _listed(expected))
        for operator, keys in statement.get("Condition", {}).items()
        for key, expected in keys.items()
    )


def _is_principal(principal: dict[str, str] | str, caller: str) -> bool:
    if isinstance(principal, str):
        return principal == "*"
    return caller in [name for names in principal.values() for name in _listed(names)]


def _listed(value: Any) -> list[str]:
    """IAM takes a single value where it takes a list."""
    return [value] if isinstance(value, str) else list(value)


# --- Conditions -------------------------------------------------------------------------------------------------------

_Test: TypeAlias = "Callable[[str | tuple[str, ...] | None, Sequence[str]], bool]"


def _equals(value: str, expected: Sequence[str]) -> bool:
    return value in expected


def _arn_like(value: str, expected: Sequence[str]) -> bool:
    return any(_like(pattern)(value) for pattern in expected)


def _bool(value: str, expected: Sequence[str]) -> bool:
    return value.lower() in [word.lower() for word in expected]


_COMPARISONS: Final[dict[str, Callable[[str, Sequence[str]], bool]]] = {
    "StringEquals": _equals,
    "ArnEquals": _arn_like,
    "ArnLike": _arn_like,
    "Bool": _bool,
}


@cache
def _operator(name: str) -> _Test:
    """The test a condition operator makes (IAM, "IAM JSON policy elements: Condition operators")."""
    set_operator, _, rest = name.rpartition(":")
    base = rest.removesuffix("IfExists")
    if base not in _COMPARISONS or set_operator not in ("", "ForAllValues"):
        raise UnsupportedPolicyError(f"o operador {name}")
    compare = _COMPARISONS[base]
    # A request without the key satisfies IfExists, and ForAllValues too: no value is outside the list.
    absent = set_operator == "ForAllValues" or rest.endswith("IfExists")

    def test(value: str | tuple[str, ...] | None, expected: Sequence[str]) -> bool:
        if value is None:
            return absent
        values = (value,) if isinstance(value, str) else value
        return all(compare(one, expected) for one in values)

    return test


@cache
def _like(pattern: str) -> Callable[[str], bool]:
    if "${" in pattern:
        raise UnsupportedPolicyError(f"a variável em {pattern}")
    regex = re.compile("".join({"*": ".*", "?": "."}.get(char, re.escape(char)) for char in pattern), re.DOTALL)
    return lambda text: regex.fullmatch(text) is not None
