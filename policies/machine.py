"""What a state machine may do, derived from its own definition: neither more nor less than its states call.

The definition is an Amazon States Language document (JSONPath). A state this module does not understand, or that
names a resource it was not told about, is an error: a role guessed too narrow fails in production, in a compensation.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from policies.conditions import writing
from policies.documents import PolicyDocument, allow, document

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["LOG_DELIVERY", "MachineTargets", "UnknownTaskError", "machine"]

Definition: TypeAlias = "Mapping[str, Any]"
"""JSON: its values are of any type."""

LOG_DELIVERY: Final = (
    "logs:CreateLogDelivery",
    "logs:DeleteLogDelivery",
    "logs:DescribeLogGroups",
    "logs:DescribeResourcePolicies",
    "logs:GetLogDelivery",
    "logs:ListLogDeliveries",
    "logs:PutResourcePolicy",
    "logs:UpdateLogDelivery",
)
"""What vended logs need (Step Functions, "Using CloudWatch Logs to log execution history"); all take only ``*``."""

_WRITE: Final = "dynamodb:UpdateItem"
_INTEGRATION: Final = "arn:aws:states:::"
_WORD: Final = re.compile(r"(?<![#:\w])[A-Za-z_]\w*")
"""What stands in an expression without being a placeholder."""
_HEAD: Final = re.compile(r"(?<!\.)#\w+")
_SYNTAX: Final = frozenset(
    {"set", "remove", "add", "delete", "and", "or", "not", "in", "between"}
    | {"if_not_exists", "list_append", "attribute_exists", "attribute_not_exists", "attribute_type"}
    | {"begins_with", "contains", "size"}
)
"""Keywords and functions of DynamoDB's update and condition expressions."""


@dataclass(frozen=True)
class MachineTargets:
    """The resources a definition may name, by the name it uses for them, and their ARNs.

    Attributes:
        functions: ARNs, by ARN.
        tables: ARNs, by table name.
        queues: ARNs, by queue URL.
    """

    functions: Mapping[str, str]
    tables: Mapping[str, str]
    queues: Mapping[str, str]


class UnknownTaskError(Exception):
    """A Task that the role cannot be derived from.

    Attributes:
        state: name of the state.
        problem: what is not understood.
    """

    def __init__(self, state: str, problem: str) -> None:
        self.state = state
        self.problem = problem
        super().__init__(
            f"state {state}: {problem}, so the machine's role cannot be derived; teach policies.machine about it"
        )


@dataclass
class _Calls:
    """What a definition calls: ARNs by action, and the attributes it touches in each table it writes."""

    arns: dict[str, set[str]] = field(default_factory=dict[str, set[str]])
    writes: dict[str, set[str]] = field(default_factory=dict[str, set[str]])


def machine(definition: Definition, targets: MachineTargets) -> PolicyDocument:
    """The role's policy: what the states call, on what, touching what; and the delivery of the machine's log.

    Raises:
        UnknownTaskError: a Task uses an integration or a resource this module does not know.
    """
    calls = _Calls()
    for name, state in _tasks(definition):
        action, arn = _call(name, state, targets)
        if action == _WRITE:
            calls.writes.setdefault(arn, set()).update(_attributes(name, state["Parameters"]))
        else:
            calls.arns.setdefault(action, set()).add(arn)
    return document(
        *(allow(_sid(action), [action], arns) for action, arns in sorted(calls.arns.items())),
        *(
            allow(f"Escrever{_letters(arn)}", [_WRITE], [arn], when=writing(attributes))
            for arn, attributes in sorted(calls.writes.items())
        ),
        allow("LogDelivery", LOG_DELIVERY, ["*"]),
    )


def _tasks(definition: Definition) -> Iterator[tuple[str, Definition]]:
    """Every Task, those inside Map and Parallel states among them."""
    for name, state in definition["States"].items():
        if state["Type"] == "Task":
            yield name, state
        inner = [*state.get("Branches", ()), state.get("ItemProcessor"), state.get("Iterator")]
        for nested in inner:
            if nested is not None:
                yield from _tasks(nested)


def _call(name: str, state: Definition, targets: MachineTargets) -> tuple[str, str]:
    resource: str = state["Resource"]
    known: dict[str, tuple[str, str, Mapping[str, str]]] = {
        "lambda:invoke": ("lambda:InvokeFunction", "FunctionName", targets.functions),
        "dynamodb:updateItem": (_WRITE, "TableName", targets.tables),
        "sqs:sendMessage": ("sqs:SendMessage", "QueueUrl", targets.queues),
    }
    integration = resource.removeprefix(_INTEGRATION).removesuffix(".waitForTaskToken")
    if not resource.startswith(_INTEGRATION) or integration not in known:
        raise UnknownTaskError(name, f"{resource} is not a known integration")
    action, parameter, arns = known[integration]
    target = state["Parameters"].get(parameter)
    if target not in arns:
        raise UnknownTaskError(name, f"{parameter} is {target!r}, none of the stack's")
    return action, arns[target]


def _attributes(name: str, parameters: Definition) -> set[str]:
    """Every top-level attribute an update touches, sets a condition on, or is keyed by."""
    if parameters.get("ReturnValues", "NONE") != "NONE":
        raise UnknownTaskError(name, "it asks for the values it replaces")
    expressions = f"{parameters['UpdateExpression']} {parameters.get('ConditionExpression', '')}"
    if bare := {word for word in _WORD.findall(expressions) if word.lower() not in _SYNTAX}:
        raise UnknownTaskError(name, f"attributes without a placeholder ({', '.join(sorted(bare))})")
    names: Mapping[str, str] = parameters.get("ExpressionAttributeNames", {})
    # What follows a dot is inside an attribute, and IAM sees the attribute.
    return {*(names[head] for head in _HEAD.findall(expressions)), *parameters["Key"]}


def _sid(action: str) -> str:
    service, _, verb = action.partition(":")
    return f"{service.capitalize()}{verb}"


def _letters(arn: str) -> str:
    """The last part of an ARN as a statement's name may have it."""
    return "".join(word.capitalize() for word in re.findall(r"[A-Za-z0-9]+", arn.rpartition("/")[2]))
