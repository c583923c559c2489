"""Makes what a baseline needs on the emulator: tables, queues, a role, functions, the entry's mapping."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from handlers.domain.credentials import COBRANCA, ESTORNO
from infra.local import worker_env
from infra.local.creators.functions import repack
from policies.documents import allow, document, trust_lambda

if TYPE_CHECKING:
    from collections.abc import Mapping

    from infra.local.stack import EmbeddedStack

__all__ = ["FUNCTION_SECONDS", "Workshop"]

FUNCTION_SECONDS: Final = 12
"""The functions' timeout: many times what the longest of them takes, the gateway's standing still included."""
_LAMBDAS: Final = Path(__file__).with_name("lambdas")


@dataclass(frozen=True)
class Workshop:
    """One baseline's corner of the emulator.

    Attributes:
        stack: where.
        aws_url: the AWS its functions see: the fault proxy.
        prefix: what all its names begin with.
        gateway_read_seconds: how long its functions wait for the gateway: as long as the product's.
    """

    stack: EmbeddedStack
    aws_url: str
    prefix: str
    gateway_read_seconds: float

    def table(self, name: str, key: str) -> str:
        """A table; its name."""
        full = f"{self.prefix}-{name}"
        self.stack.aws.client("dynamodb").create_table(
            TableName=full,
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": key, "AttributeType": "S"}],
            KeySchema=[{"AttributeName": key, "KeyType": "HASH"}],
        )
        return full

    def put_stock(self, table: str, stock: Mapping[str, int]) -> None:
        """The SKUs, with their units and no reservation."""
        for sku, units in stock.items():
            self.stack.aws.client("dynamodb").put_item(
                TableName=table, Item={"sku": {"S": sku}, "saldo": {"N": str(units)}, "reservas": {"M": {}}}
            )

    def queue(self, name: str, **attributes: str) -> str:
        """A queue; its URL."""
        sqs = self.stack.aws.client("sqs")
        typed: Any = attributes
        return sqs.create_queue(QueueName=f"{self.prefix}-{name}", Attributes=typed)["QueueUrl"]

    def queue_arn(self, url: str) -> str:
        """The ARN of a queue."""
        sqs = self.stack.aws.client("sqs")
        return sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]

    def role(self) -> str:
        """The one role of its functions: what they need on what is the baseline's own; its ARN."""
        aws = self.stack.aws
        name = f"{self.prefix}-papel"
        created = aws.client("iam").create_role(
            RoleName=name, AssumeRolePolicyDocument=json.dumps(trust_lambda(account=aws.account_id))
        )
        where = f"{aws.region}:{aws.account_id}"
        granted = document(
            allow(
                "Tabelas",
                ["dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"],
                [f"arn:aws:dynamodb:{where}:table/{self.prefix}-*"],
            ),
            allow(
                "Filas",
                ["sqs:SendMessage", "sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"],
                [f"arn:aws:sqs:{where}:{self.prefix}-*"],
            ),
            allow("Maquina", ["states:StartExecution"], [f"arn:aws:states:{where}:stateMachine:{self.prefix}-*"]),
            allow(
                "Logs",
                ["logs:CreateLogGroup", "logs:CreateLogStream", "logs:PutLogEvents"],
                [f"arn:aws:logs:{where}:log-group:/aws/lambda/{self.prefix}-*"],
            ),
        )
        aws.client("iam").put_role_policy(RoleName=name, PolicyName=name, PolicyDocument=json.dumps(granted))
        return created["Role"]["Arn"]

    def function(self, name: str, handler: str, role: str, environment: Mapping[str, str]) -> str:
        """A function of `lambdas`; its ARN."""
        created = self.stack.aws.client("lambda").create_function(
            FunctionName=f"{self.prefix}-{name}",
            Role=role,
            Handler=f"lambdas.{handler}",
            Runtime="provided.al2023",
            Code={"ZipFile": repack(_zip(), worker_env.ensure())},
            Timeout=FUNCTION_SECONDS,
            Environment={"Variables": {**self._everywhere(), **environment}},
        )
        return created["FunctionArn"]

    def feed(self, queue_url: str, function_arn: str) -> None:
        """Deliver the queue's messages to the function, one at a time: a bad one takes no good one with it."""
        mapping: dict[str, Any] = {"ScalingConfig": {"MaximumConcurrency": 2}, "BatchSize": 1}
        self.stack.aws.client("lambda").create_event_source_mapping(
            EventSourceArn=self.queue_arn(queue_url), FunctionName=function_arn, **mapping
        )

    def _everywhere(self) -> dict[str, str]:
        """What every function is told; the gateway's credentials are those the product's functions read."""
        ssm = self.stack.aws.client("ssm")
        names = self.stack.settings.parametros_do_gateway
        secret = {
            operation: ssm.get_parameter(Name=names[operation], WithDecryption=True)["Parameter"].get("Value", "")
            for operation in (COBRANCA, ESTORNO)
        }
        return {
            "AWS_ENDPOINT_URL": self.aws_url,
            "GATEWAY_URL": self.stack.gateway_url,
            "LEITURA_SEGUNDOS": str(self.gateway_read_seconds),
            "CREDENCIAL_COBRANCA": secret[COBRANCA],
            "CREDENCIAL_ESTORNO": secret[ESTORNO],
        }


def _zip() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path in sorted(_LAMBDAS.glob("*.py")):
            archive.write(path, f"lambdas/{path.name}")
    return buffer.getvalue()
