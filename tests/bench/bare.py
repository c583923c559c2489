"""The least that each job could be: plain functions that make the AWS calls and nothing else."""

from __future__ import annotations

import hashlib
import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import boto3
from botocore.config import Config

from tests.bench.stub import QUEUE, TABLE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["bare_post", "bare_start"]

_CONFIG = Config(
    connect_timeout=1, read_timeout=2, retries={"mode": "standard", "total_max_attempts": 2}, max_pool_connections=20
)
"""Our own clients' settings, written out: those being measured must not share code with what measures them."""


def bare_post(url: str) -> Callable[[Mapping[str, Any], object], dict[str, Any]]:
    """A Lambda handler of ``POST /pedidos`` that trusts what it gets: one conditional write, one message."""
    dynamodb: Any = boto3.client("dynamodb", endpoint_url=url, config=_CONFIG)  # pyright: ignore[reportUnknownMemberType]
    sqs: Any = boto3.client("sqs", endpoint_url=url, config=_CONFIG)  # pyright: ignore[reportUnknownMemberType]
    queue = f"{url}/000000000000/{QUEUE}"

    def handler(event: Mapping[str, Any], _context: object) -> dict[str, Any]:
        order = json.loads(event["body"])
        now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        dynamodb.put_item(
            TableName=TABLE,
            Item={
                "pedidoId": {"S": order["pedidoId"]},
                "sku": {"S": order["sku"]},
                "quantidade": {"N": str(order["quantidade"])},
                "valorCentavos": {"N": str(order["valorCentavos"])},
                "cartaoToken": {"S": order["cartaoToken"]},
                "hashConteudo": {"S": hashlib.sha256(event["body"].encode()).hexdigest()},
                "status": {"S": "RECEBIDO"},
                "criadoEm": {"S": now},
                "atualizadoEm": {"S": now},
                "pendenteDesde": {"S": now},
            },
            ConditionExpression="attribute_not_exists(#pedidoId)",
            ExpressionAttributeNames={"#pedidoId": "pedidoId"},
        )
        message = {name: order[name] for name in ("pedidoId", "quantidade", "sku", "valorCentavos")}
        sqs.send_message(QueueUrl=queue, MessageBody=json.dumps({**message, "criadoEm": now}))
        return {
            "statusCode": 202,
            "headers": {"Content-Type": "application/json"},
            "body": json.dumps({"pedidoId": order["pedidoId"], "status": "RECEBIDO"}),
        }

    return handler


def bare_start(url: str, machine: str) -> Callable[[Mapping[str, Any], object], dict[str, Any]]:
    """A Lambda handler of the queue that starts what the messages say, one after the other, believing them."""
    sfn: Any = boto3.client("stepfunctions", endpoint_url=url, config=_CONFIG)  # pyright: ignore[reportUnknownMemberType]

    def handler(event: Mapping[str, Any], _context: object) -> dict[str, Any]:
        for record in event["Records"]:
            body = record["body"]
            sfn.start_execution(stateMachineArn=machine, name=json.loads(body)["pedidoId"], input=body)
        return {"batchItemFailures": []}

    return handler
