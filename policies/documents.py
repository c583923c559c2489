"""The shape of an IAM policy, and the few words the documents are written with.

Everything in this package is a pure function from ARNs to a document: no AWS, no Pulumi, so that what a role may do
can be read, printed and tested without deploying anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NotRequired, TypeAlias, TypedDict

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["Conditions", "PolicyDocument", "Statement", "allow", "document", "trust", "trust_lambda"]

Conditions: TypeAlias = "Mapping[str, Mapping[str, str | list[str]]]"
"""Operator -> condition key -> the values that satisfy it (any one of them)."""


class Statement(TypedDict):
    """One statement of a policy."""

    Sid: str
    Effect: Literal["Allow", "Deny"]
    Action: list[str]
    Resource: NotRequired[list[str]]
    """Absent in a trust policy only."""
    Principal: NotRequired[dict[str, str] | Literal["*"]]
    """Present in a resource or trust policy only."""
    Condition: NotRequired[Conditions]


class PolicyDocument(TypedDict):
    """A policy, ready for ``json.dumps``."""

    Version: Literal["2012-10-17"]
    Statement: list[Statement]


def document(*statements: Statement) -> PolicyDocument:
    """A policy of these statements."""
    return {"Version": "2012-10-17", "Statement": list(statements)}


def allow(sid: str, actions: Iterable[str], resources: Iterable[str], *, when: Conditions | None = None) -> Statement:
    """Permission for ``actions`` on ``resources``, both sorted: the same grant is always the same text.

    Args:
        sid: the statement's name: letters and digits.
        actions: in full, never a pattern.
        resources: ARNs, or ``*`` where AWS takes nothing else.
        when: what the call must look like (`policies.conditions`).
    """
    statement: Statement = {"Sid": sid, "Effect": "Allow", "Action": sorted(actions), "Resource": sorted(resources)}
    if when is not None:
        statement["Condition"] = when
    return statement


def trust(service: str, *, account: str | None = None, source: str | None = None) -> PolicyDocument:
    """Who may take the role: one AWS service, on behalf of one resource of one account.

    Without the two, another customer's resource could make the service take this role (the confused deputy).

    Args:
        service: the service's principal.
        account: 12 digits; None only where the service does not say for whom it acts.
        source: ARN of the resource the service acts for, where the service names it.
    """
    statement: Statement = {
        "Sid": "Trust",
        "Effect": "Allow",
        "Action": ["sts:AssumeRole"],
        "Principal": {"Service": service},
    }
    condition: dict[str, dict[str, str | list[str]]] = {}
    if account is not None:
        condition["StringEquals"] = {"aws:SourceAccount": account}
    if source is not None:
        condition["ArnLike"] = {"aws:SourceArn": source}
    if condition:
        statement["Condition"] = condition
    return document(statement)


def trust_lambda(*, account: str) -> PolicyDocument:
    """Lambda takes the role, for this account where it says for which.

    IfExists, because Lambda's documentation does not promise the key when it takes a role, and a trust that is too
    narrow is a deploy that fails. A role cannot be passed to another account's function anyway (IAM, "Granting a user
    permissions to pass a role to an AWS service").
    """
    return document(
        {
            "Sid": "Trust",
            "Effect": "Allow",
            "Action": ["sts:AssumeRole"],
            "Principal": {"Service": "lambda.amazonaws.com"},
            "Condition": {"StringEqualsIfExists": {"aws:SourceAccount": account}},
        }
    )
