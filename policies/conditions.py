"""The conditions our documents use, each where AWS supports it for that action.

The DynamoDB ones are as its Developer Guide writes them ("Using IAM policy conditions for fine-grained access
control"): attributes are the top-level names a request mentions, the key's and those of its conditions among them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from policies.documents import Conditions

__all__ = ["acting_for", "attaching", "feeding", "passed_to", "reading", "writing"]


def reading(attributes: Iterable[str]) -> Conditions:
    """A read that names what it wants, and wants nothing but ``attributes``.

    Without Select, a read that names nothing brings the whole item: the list of attributes would be empty, and an
    empty list is within any other. A read always has a Select (``ALL_ATTRIBUTES`` unless it says otherwise).
    """
    return {
        "ForAllValues:StringEquals": {"dynamodb:Attributes": sorted(attributes)},
        "StringEquals": {"dynamodb:Select": "SPECIFIC_ATTRIBUTES"},
    }


def writing(attributes: Iterable[str], *, returning: Iterable[str] = ("NONE",)) -> Conditions:
    """A write that touches nothing but ``attributes`` and brings back no more than ``returning``.

    Never with Select: writes have none, and the condition would refuse them all. ReturnValues matters because a write
    may ask for the item it met: removing the card token with ``UPDATED_OLD`` would be a way to read it. IfExists
    weakens nothing (a write that does not say means NONE) and is the guide's own form for mixed actions.
    """
    return {
        "ForAllValues:StringEquals": {"dynamodb:Attributes": sorted(attributes)},
        "StringEqualsIfExists": {"dynamodb:ReturnValues": sorted(returning)},
    }


def acting_for(*, account: str, source: str) -> Conditions:
    """A service that acts for one resource, or pattern of them, of one account (the confused deputy)."""
    return {"ArnLike": {"aws:SourceArn": source}, "StringEquals": {"aws:SourceAccount": account}}


def passed_to(service: str) -> Conditions:
    """A role handed to this service and to no other."""
    return {"StringEquals": {"iam:PassedToService": service}}


def attaching(policies: Iterable[str]) -> Conditions:
    """One of these managed policies, by ARN, and no other."""
    return {"ArnEquals": {"iam:PolicyARN": sorted(policies)}}


def feeding(function: str) -> Conditions:
    """An event source of this function, by ARN, and of no other."""
    return {"ArnEquals": {"lambda:FunctionArn": function}}
