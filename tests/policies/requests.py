"""SDK calls as IAM sees them: the action, the resource, and the condition keys our documents use."""

from __future__ import annotations

import re
from typing import Any, Final

from policies.evaluation.evaluator import Request

TABLES: Final = "arn:aws:dynamodb:us-east-1:123456789012:table/"


def as_iam_sees(action: str, request: dict[str, Any]) -> Request:
    """The condition keys of a table's request (DynamoDB, "Using IAM policy conditions"): attributes are top-level."""
    names: dict[str, str] = request.get("ExpressionAttributeNames", {})
    expressions = " ".join(text for key, text in request.items() if key.endswith("Expression"))
    heads = {names[head] for head in re.findall(r"(?<!\.)#\w+", expressions)}
    keys = {name for part in ("Key", "Item", "ExclusiveStartKey") for name in request.get(part, {})}
    context: dict[str, str | tuple[str, ...]] = {"dynamodb:Attributes": tuple(sorted(heads | keys))}
    if action in ("dynamodb:GetItem", "dynamodb:Query"):
        context["dynamodb:Select"] = "SPECIFIC_ATTRIBUTES" if "ProjectionExpression" in request else "ALL_ATTRIBUTES"
    else:
        context["dynamodb:ReturnValues"] = request.get("ReturnValues", "NONE")
    index = f"/index/{request['IndexName']}" if "IndexName" in request else ""
    return Request(action, f"{TABLES}{request['TableName']}{index}", context=context)


def named(request: Request) -> set[str]:
    """The attributes a table's request mentions."""
    return set(request.context["dynamodb:Attributes"])
