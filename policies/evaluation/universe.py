"""Which requests are tried: the stack's own resources, those that look like them, and every way a call may differ.

Each list here is what a loosened document could let in: another account's twin, a name that merely begins the same,
the stack next door, a read that names nothing, a service that acts for somebody else.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from policies.evaluation.catalog import describe, fits

if TYPE_CHECKING:
    from collections.abc import Iterator

    from policies.evaluation.evaluator import Context
    from policies.evaluation.grants import Place

__all__ = [
    "FOREIGN_ACCOUNT",
    "ON_ITS_OWN",
    "PRINCIPALS",
    "RETURN_VALUES",
    "SERVICES",
    "STRANGE_ATTRIBUTES",
    "acting",
    "contexts",
    "resources",
]

FOREIGN_ACCOUNT: Final = "999999999999"
FOREIGN_REGION: Final = "sa-east-1"
SIBLING: Final = "-x"
"""What makes another resource's name out of ours: a pattern that ends in ``*`` lets it in."""

STRANGE_ATTRIBUTES: Final = ("cartaoToken", "saldo", "hashConteudo", "inventado")
"""Tried besides whatever attributes a document or its declaration names: the secret, and one that nobody has."""
SELECTS: Final = ("SPECIFIC_ATTRIBUTES", "ALL_ATTRIBUTES", "ALL_PROJECTED_ATTRIBUTES", "COUNT")
RETURN_VALUES: Final = ("NONE", "UPDATED_OLD", "UPDATED_NEW", "ALL_OLD", "ALL_NEW")
SERVICES: Final = (
    *("lambda.amazonaws.com", "states.amazonaws.com", "events.amazonaws.com", "cloudwatch.amazonaws.com"),
    *("apigateway.amazonaws.com", "ec2.amazonaws.com"),
)
_CALLERS: Final = ("cloudwatch", "events", "lambda", "states")
"""Services whose resources make them call others."""
_REQUESTS: Final = tuple(
    f"arn:aws:execute-api:{{region}}:{{account}}:{api}/api/{route}"
    for api in ("abc123", "outra")
    for route in ("POST/pedidos", "GET/pedidos/p-1", "DELETE/pedidos/p-1", "GET/outra")
)
"""Requests to REST APIs, for which API Gateway acts."""
PRINCIPALS: Final = (*SERVICES, f"arn:aws:iam::{FOREIGN_ACCOUNT}:root")

ON_ITS_OWN: Final[tuple[Context, ...]] = ({}, {"aws:SecureTransport": "true"}, {"aws:SecureTransport": "false"})
"""Calls that a role makes for itself."""

_FOREIGN: Final = (
    "arn:aws:s3:::um-balde",
    "arn:aws:s3:::um-balde/um-objeto",
    "arn:aws:iam::{account}:user/alguem",
    "arn:aws:iam::{account}:role/Administrador",
    "arn:aws:iam::{account}:policy/outra",
    "arn:aws:kms:{region}:{account}:key/0f0f0f0f-0000-0000-0000-000000000000",
    "arn:aws:secretsmanager:{region}:{account}:secret:outro-AbCdEf",
    "arn:aws:ssm:{region}:{account}:parameter/outro",
    "arn:aws:dynamodb:{region}:{account}:table/outra",
    "arn:aws:sqs:{region}:{account}:outra",
    "arn:aws:sns:{region}:{account}:outro",
    "arn:aws:lambda:{region}:{account}:function:outra",
    "arn:aws:lambda:{region}:{account}:event-source-mapping:0f0f0f0f-0000-0000-0000-000000000000",
    "arn:aws:states:{region}:{account}:stateMachine:outra",
    "arn:aws:states:{region}:{account}:execution:outra:e-1",
    "arn:aws:logs:{region}:{account}:log-group:outro",
    "arn:aws:logs:{region}:{account}:log-group:outro:log-stream:s",
    "arn:aws:events:{region}:{account}:rule/outra",
    "arn:aws:cloudwatch:{region}:{account}:alarm:outro",
    "arn:aws:cloudwatch:{region}:{account}:alarm:{prefix}-sagaz",
    "arn:aws:apigateway:{region}::/restapis",
    "arn:aws:apigateway:{region}::/restapis/outra",
    "arn:aws:apigateway:{region}::/restapis/outra/stages/api",
    "arn:aws:apigateway:{region}::/account",
    "arn:aws:apigateway:{region}::/apikeys",
    "arn:aws:apigateway:{region}::/tags/arn",
)


@cache
def resources(action: str, place: Place, arns: tuple[str, ...]) -> tuple[str, ...]:
    """Every resource a call of the action is tried on: those of a form it takes, or ``*`` where it takes none.

    Args:
        action: ``service:Action``.
        place: where the stack is.
        arns: the stack's own.
    """
    known = describe(action)
    return tuple(arn for arn in _all_resources(place, arns) if fits(known, arn)) if known.resources else ("*",)


@cache
def _all_resources(place: Place, arns: tuple[str, ...]) -> tuple[str, ...]:
    """The stack's own resources, what is inside them, what looks like them, and strangers."""
    found: dict[str, None] = {}
    for arn in (*arns, *(place.arn(template) for template in _FOREIGN)):
        for own in (arn, *_inside(arn)):
            found |= dict.fromkeys((own, *_look_alikes(own, place)))
    return tuple(found)


def _inside(arn: str) -> Iterator[str]:
    """What belongs to a resource and has an ARN of its own."""
    service = arn.split(":")[2]
    if ":table/" in arn:
        yield from (f"{arn}/index/pendentes", f"{arn}/index/outro", f"{arn}/stream/1")
    if service == "states":
        yield from (arn.replace(":stateMachine:", ":execution:") + ":p-1", f"{arn}:apelido")
    if ":log-group:" in arn:
        yield f"{arn}:log-stream:2026/08/07/[$LATEST]0f"


def _look_alikes(arn: str, place: Place) -> Iterator[str]:
    parts = arn.split(":", 5)
    yield arn + SIBLING
    yield arn.replace(place.prefix, f"{place.prefix}-vizinha", 1)
    yield arn.replace(place.prefix, f"{place.prefix}{SIBLING}", 1)
    # The name itself continued, with what is inside it still there.
    head, separator, tail = parts[5].rpartition(":")
    if separator:
        yield ":".join((*parts[:5], f"{head}{SIBLING}:{tail}"))
    if parts[4]:
        yield ":".join((*parts[:4], FOREIGN_ACCOUNT, parts[5]))
    if parts[3]:
        yield ":".join((*parts[:3], FOREIGN_REGION, *parts[4:]))


@cache
def contexts(action: str, place: Place, attributes: tuple[str, ...]) -> tuple[Context, ...]:
    """Every way a call of the action by a role or a person may look, by the condition keys it can carry.

    Args:
        action: ``service:Action``.
        place: where the stack is.
        attributes: table attributes to try, each.
    """
    known = describe(action).conditions
    if "dynamodb:Attributes" in known:
        return tuple(_touching(known, attributes))
    for key, values in _one_valued(place).items():
        if key in known:
            return ({}, *({key: value} for value in values))
    return ({},)


@cache
def acting(place: Place, arns: tuple[str, ...]) -> tuple[Context, ...]:
    """Every way a service may act for somebody, over TLS or not: for each resource that could make it call."""
    sources = [arn for arn in arns if arn.split(":")[2] in _CALLERS]
    sources += [place.arn(request) for request in _REQUESTS]
    tried = dict.fromkeys(one for source in sources for one in (source, *_look_alikes(source, place)))
    accounts: tuple[Context, ...] = (
        {},
        {"aws:SourceAccount": place.account},
        {"aws:SourceAccount": FOREIGN_ACCOUNT},
    )
    by_source: tuple[Context, ...] = ({}, *({"aws:SourceArn": source} for source in tried))
    return tuple({**account, **source, **tls} for account in accounts for source in by_source for tls in ON_ITS_OWN)


def _one_valued(place: Place) -> dict[str, tuple[str, ...]]:
    """Values tried for the condition keys of which we use one value at a time."""
    function = place.arn("arn:aws:lambda:{region}:{account}:function:{prefix}-iniciador")
    return {
        "iam:PassedToService": SERVICES,
        "iam:PolicyARN": (
            "arn:aws:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs",
            "arn:aws:iam::aws:policy/AdministratorAccess",
        ),
        "lambda:FunctionArn": (function, *_look_alikes(function, place)),
    }


def _touching(known: frozenset[str], attributes: tuple[str, ...]) -> Iterator[Context]:
    # One attribute at a time: a condition over all of them holds exactly when it holds for each.
    selects = [{"dynamodb:Select": select} for select in SELECTS] if "dynamodb:Select" in known else []
    returns = [{"dynamodb:ReturnValues": value} for value in RETURN_VALUES] if "dynamodb:ReturnValues" in known else []
    for how in ({}, *selects, *returns):
        yield how
        for attribute in attributes:
            yield {**how, "dynamodb:Attributes": (attribute,)}
