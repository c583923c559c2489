"""The shape of an IAM policy, and the few words the documents are written with.

Everything in this package is a pure function from ARNs to a document: no AWS, no Pulumi, so that what a role may do
can be read, printed and tested without deploying anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NotRequired, TypeAlias, TypedDict

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["Conditions", "PolicyDocument", "Statement", "allow", "document", "trust"]

Conditions: TypeAlias = "Mapping[str, Mapping[str, str]]"


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


def allow(sid: str, actions: Iterable[str], resources: Iterable[str]) -> Statement:
    """Permission for ``actions`` on ``resources``, both sorted: the same grant is always the same text."""
    return {"Sid": sid, "Effect": "Allow", "Action": sorted(actions), "Resource": sorted(resources)}


def trust(service: str, *, account: str | None = None) -> PolicyDocument:
    """Who may take the role: one AWS service, on behalf of one account where the service says for whom it acts."""
    statement: Statement = {
        "Sid": "Trust",
        "Effect": "Allow",
        "Action": ["sts:AssumeRole"],
        "Principal": {"Service": service},
    }
    if account is not None:
        # Otherwise another customer's resource could make the service take this role (the confused deputy).
        statement["Condition"] = {"StringEquals": {"aws:SourceAccount": account}}
    return document(statement)
