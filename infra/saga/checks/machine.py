"""One machine as the checks see it: the definition itself, or what a Parallel or Map holds."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from infra.saga.asl import edges, reachable, submachines

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from infra.saga.asl import Definition, State

__all__ = ["Integration", "Machine", "integration", "machines"]


@dataclass(frozen=True)
class Integration:
    """What a Task calls.

    Attributes:
        service: ``lambda``, ``dynamodb``, ``sqs``...; ``activity``; empty when it cannot be told.
        action: the call, or empty.
        pattern: ``""`` (answers at once), ``sync``, ``sync:2`` or ``waitForTaskToken``.
        sdk: True for the AWS SDK integrations.
        direct: True when the resource is the function's own ARN.
    """

    service: str
    action: str = ""
    pattern: str = ""
    sdk: bool = False
    direct: bool = False

    @property
    def waits(self) -> bool:
        """True if somebody else answers, with a token."""
        return self.pattern == "waitForTaskToken"

    @property
    def is_function(self) -> bool:
        """True for a Lambda function, called either way."""
        return self.service == "lambda"


_PARTITION = r"arn:aws(?:-cn|-us-gov)?"
_FUNCTION = re.compile(_PARTITION + r":lambda:[a-z0-9-]+:[0-9]{12}:function:[A-Za-z0-9_-]+(?::[A-Za-z0-9_$-]+)?")
_ACTIVITY = re.compile(_PARTITION + r":states:[a-z0-9-]+:[0-9]{12}:activity:.+")
_SERVICE = re.compile(
    _PARTITION
    + r":states:::(?P<sdk>aws-sdk:)?(?P<service>[a-z0-9-]+):(?P<action>[A-Za-z0-9]+)(?:\.(?P<pattern>[A-Za-z:0-9]+))?"
)
_PLACEHOLDER = re.compile(r"\$\{.+\}|\{\{.+\}\}|%.+%")


def integration(state: Mapping[str, Any]) -> Integration | None:
    """What ``state`` calls; None when its Resource is no ARN that Step Functions knows the form of.

    A placeholder that a deployment tool fills in (``${Function.Arn}``) is taken for a function called directly.
    """
    resource = state.get("Resource")
    if not isinstance(resource, str):
        return None
    if _PLACEHOLDER.fullmatch(resource) or _FUNCTION.fullmatch(resource):
        return Integration("lambda", "invoke", direct=True)
    if _ACTIVITY.fullmatch(resource):
        return Integration("activity")
    match = _SERVICE.fullmatch(resource)
    if match is None:
        return None
    return Integration(match["service"], match["action"], match["pattern"] or "", sdk=match["sdk"] is not None)


@dataclass(frozen=True)
class Machine:
    """A start and its states.

    Attributes:
        definition: the object with ``StartAt`` and ``States``.
        inside: True for a machine inside a Parallel or Map, whose errors the state around it may catch.
    """

    definition: Definition
    inside: bool = False

    @property
    def start(self) -> str:
        """Name of the first state, which may not exist."""
        return self.definition["StartAt"]

    @property
    def states(self) -> dict[str, State]:
        """The states by name."""
        return self.definition["States"]

    def tasks(self) -> Iterator[tuple[str, State]]:
        """The Task states."""
        return ((name, state) for name, state in self.states.items() if state.get("Type") == "Task")

    @cached_property
    def alive(self) -> frozenset[str]:
        """Names of the states something leads to."""
        return reachable(self.states, self.start)

    @cached_property
    def after_failure(self) -> frozenset[str]:
        """Names of the states that only a Catch leads to: what undoes, records and calls people."""
        return self.alive - reachable(self.states, self.start, without="catch")

    def targets(self, name: str) -> list[str]:
        """The existing states ``name`` leads to."""
        return [
            edge.target for edge in edges(self.states[name]) if edge.target is not None and edge.target in self.states
        ]


def machines(definition: Definition, *, inside: bool = False) -> Iterator[Machine]:
    """The definition's machine and, in order, those inside its states."""
    machine = Machine(definition, inside)
    yield machine
    for state in machine.states.values():
        for inner in submachines(state):
            yield from machines(inner, inside=True)
