"""What a declaration is made of: an action on a place, and what the call must look like.

Written without IAM's own pattern language on purpose: a declaration and a document that agree were read by two
different pieces of code.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from policies.evaluation.evaluator import Context

__all__ = [
    "ANY_ID",
    "Account",
    "ActsFor",
    "Grant",
    "Limit",
    "Only",
    "Place",
    "Reads",
    "Trusted",
    "Writes",
    "grants",
]

ANY_ID = "<id>"
"""In a place: one name or id, whatever it is."""


@dataclass(frozen=True)
class Place:
    """Where a stack is: what turns a declaration's place into ARNs.

    Attributes:
        prefix: what the stack's names begin with.
        region: AWS region.
        account: 12 digits.
    """

    prefix: str
    region: str
    account: str

    def arn(self, template: str) -> str:
        """A declaration's place with this stack's names in it."""
        return template.format(prefix=self.prefix, region=self.region, account=self.account)


class Limit(Protocol):
    """What a call must look like for a grant to hold."""

    def holds(self, context: Context, place: Place) -> bool:
        """Whether a call with these condition keys is granted."""
        ...


@dataclass(frozen=True)
class Reads:
    """A read of named attributes, of these and no other."""

    attributes: frozenset[str]

    def holds(self, context: Context, place: Place) -> bool:  # noqa: ARG002 - the protocol's
        """Whether the call names what it wants, within the attributes."""
        named = set(context.get("dynamodb:Attributes", ()))
        return context.get("dynamodb:Select") == "SPECIFIC_ATTRIBUTES" and named <= self.attributes


@dataclass(frozen=True)
class Writes:
    """A write of these attributes, which brings back no more than it says."""

    attributes: frozenset[str]
    returning: frozenset[str] = frozenset({"NONE"})

    def holds(self, context: Context, place: Place) -> bool:  # noqa: ARG002 - the protocol's
        """Whether the call stays within the attributes and within what may come back."""
        returned = context.get("dynamodb:ReturnValues", "NONE")
        return set(context.get("dynamodb:Attributes", ())) <= self.attributes and returned in self.returning


@dataclass(frozen=True)
class Only:
    """A call whose condition key has one of these values: a role passed to one service, a policy attached and no other.

    Attributes:
        key: the condition key.
        values: as `Grant.at`.
    """

    key: str
    values: frozenset[str]

    def holds(self, context: Context, place: Place) -> bool:
        """Whether the key is there, with one of the values."""
        return context.get(self.key) in {place.arn(value) for value in self.values}


class Account(Enum):
    """Whether a service has to act for our account."""

    OURS = "ours"
    OURS_IF_SAID = "ours where it says for which"
    ANY = "any"
    """The source's ARN says it, or the service says for no one."""


@dataclass(frozen=True)
class ActsFor:
    """A service acting for a resource of ours.

    Attributes:
        source: the resource, as `Grant.at`; None for any.
        account: whether our account is asked for besides.
    """

    source: str | None = None
    account: Account = Account.OURS

    def holds(self, context: Context, place: Place) -> bool:
        """Whether the call is made for us, and for that resource."""
        account = context.get("aws:SourceAccount")
        if self.account is Account.OURS and account != place.account:
            return False
        if self.account is Account.OURS_IF_SAID and account not in (None, place.account):
            return False
        if self.source is None:
            return True
        return _at(place.arn(self.source)).fullmatch(str(context.get("aws:SourceArn"))) is not None


@dataclass(frozen=True)
class Grant:
    """Something a role may do.

    Attributes:
        action: ``service:Action``.
        at: where: an ARN with ``{prefix}``, ``{region}``, ``{account}`` and `ANY_ID` in it, or ``*``.
        only: what the call must look like; None for any call.
        by: who, in a policy that says so; empty for the role itself.
        why: for ``*`` alone: why AWS takes nothing else.
    """

    action: str
    at: str
    only: Limit | None = None
    by: str = ""
    why: str = ""

    def covers(self, resource: str, place: Place) -> bool:
        """Whether the grant is about the resource."""
        return _at(place.arn(self.at)).fullmatch(resource) is not None


@dataclass(frozen=True)
class Trusted:
    """Who may take a role: a service, acting for a resource of ours."""

    service: str
    limit: ActsFor


def grants(actions: str, *at: str, only: Limit | None = None, by: str = "", why: str = "") -> tuple[Grant, ...]:
    """One grant per action and place; actions in one text: ``"sqs:SendMessage sqs:GetQueueUrl"``."""
    return tuple(Grant(action, place, only, by, why) for action in actions.split() for place in at)


@cache
def _at(arn: str) -> re.Pattern[str]:
    return re.compile("[^:]+".join(re.escape(part) for part in arn.split(ANY_ID)))
