"""The creators of every resource type the embedded stack knows, by type token."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from infra.local.creators import (
    apigateway,
    cloudwatch,
    dynamodb,
    events,
    functions,
    iam,
    messaging,
    provider,
    stepfunctions,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from infra.local.creators.base import Creator

__all__ = ["CREATORS"]

CREATORS: Final[Mapping[str, Creator]] = {
    creator.type: creator
    for module in (apigateway, cloudwatch, dynamodb, events, functions, iam, messaging, provider, stepfunctions)
    for creator in module.CREATORS
}
