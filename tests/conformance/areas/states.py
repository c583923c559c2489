"""States the experiments are made of."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tests.conformance.lab import Lab

__all__ = ["CAUGHT", "asks", "caught", "fails_by_condition", "invokes", "token_in"]

CAUGHT = {"Type": "Pass", "End": True}
"""Where a Catch leads in an experiment that only asks whether it did."""


def invokes(
    lab: Lab, payload: dict[str, Any] | None = None, *, function: str | None = None, **fields: Any
) -> dict[str, Any]:
    """A Task that invokes the function named, or the shared one, with the payload and the attempt."""
    given = {**(payload or {}), "tentativa.$": "$$.State.RetryCount"}
    return {
        "Type": "Task",
        "Resource": "arn:aws:states:::lambda:invoke",
        "Parameters": {"FunctionName": lab.arn_of(function or lab.function), "Payload": given},
        "TimeoutSeconds": 60,
        **_ending(fields),
    }


def fails_by_condition(
    lab: Lab, resource: str = "arn:aws:states:::dynamodb:updateItem", **fields: Any
) -> dict[str, Any]:
    """A Task whose write is refused at once: an error that takes no function."""
    return {
        "Type": "Task",
        "Resource": resource,
        "Parameters": {
            "TableName": lab.table,
            "Key": {"id": {"S": lab.key()}},
            "UpdateExpression": "SET vezes = :um",
            "ConditionExpression": "attribute_exists(id)",
            "ExpressionAttributeValues": {":um": {"N": "1"}},
        },
        "TimeoutSeconds": 20,
        **_ending(fields),
    }


def asks(queue: str, **fields: Any) -> dict[str, Any]:
    """A Task that sends its token to the queue and waits for the answer."""
    return {
        "Type": "Task",
        "Resource": "arn:aws:states:::sqs:sendMessage.waitForTaskToken",
        "Parameters": {"QueueUrl": queue, "MessageBody": {"taskToken.$": "$$.Task.Token", "entrada.$": "$"}},
        "TimeoutSeconds": 60,
        **_ending(fields),
    }


def token_in(message: Any) -> str:
    """The token in a message of `asks`."""
    return json.loads(message["Body"])["taskToken"]


def caught(names: list[str], to: str = "Pego", **fields: Any) -> dict[str, Any]:
    """A catcher."""
    return {"ErrorEquals": names, "Next": to, **fields}


def _ending(fields: dict[str, Any]) -> dict[str, Any]:
    return fields if "Next" in fields else {**fields, "End": True}
