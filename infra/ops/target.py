"""Where the commands look: the embedded stack running on this machine, or a stack deployed on AWS.

Everything above this module is the same code for both.
"""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import boto3
import psutil
from botocore.config import Config
from botocore.exceptions import ClientError

from handlers.domain import environment
from handlers.domain.status import Etapa
from infra.local.emulator import AwsLocal
from infra.local.guardian import RUN_DIR_PREFIX
from infra.names import ESTAGIO, Names
from infra.ops.errors import NoEmbeddedStackError, StackNotFoundError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from botocore.credentials import Credentials
    from mypy_boto3_apigateway import APIGatewayClient
    from mypy_boto3_cloudwatch import CloudWatchClient
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_lambda import LambdaClient
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_stepfunctions import SFNClient

    from infra.local.endpoints import Endpoints

__all__ = ["Target", "announce", "aws", "embedded", "running_embedded"]

ANNOUNCEMENT = "endpoints.json"
"""File in a running stack's own directory, gone with it: how other commands find the stack."""

_CLIENT_CONFIG = Config(connect_timeout=5, read_timeout=20, retries={"total_max_attempts": 4, "mode": "standard"})


class Clients(Protocol):
    """Where SDK clients come from: `AwsLocal` or `AwsAccount`."""

    def client(self, name: Any) -> Any:
        """The client of a service."""
        ...

    def environment(self) -> dict[str, str]:
        """Environment variables by which another process finds the same account."""
        ...


@dataclass(frozen=True)
class AwsAccount:
    """The account and region of the environment (``AWS_PROFILE``, ``AWS_REGION``...)."""

    session: boto3.Session
    region: str

    def client(self, name: str) -> Any:
        """The boto3 client of a service."""
        make_client: Any = self.session.client  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] - overloaded
        return make_client(name, region_name=self.region, config=_CLIENT_CONFIG)

    def environment(self) -> dict[str, str]:
        """What another process needs besides the environment it inherits."""
        return {"AWS_DEFAULT_REGION": self.region}


@dataclass(frozen=True)
class Target:
    """One deployed stack.

    Attributes:
        alvo: ``local`` or ``aws``.
        stack: the Pulumi stack.
        regiao: AWS region.
        api: the API's URL without trailing slash.
        gateway: the payment gateway's URL.
        tabelas: table names.
        filas: queue URLs.
        maquinas: state machine ARNs.
        clients: where SDK clients come from.
        signing: credentials that sign requests to the API, or None where it takes anybody's.
    """

    alvo: str
    stack: str
    regiao: str
    api: str
    gateway: str
    tabelas: Mapping[str, str]
    filas: Mapping[str, str]
    maquinas: Mapping[str, str]
    clients: Clients
    signing: Credentials | None = None

    @property
    def names(self) -> Names:
        """The stack's resource names."""
        return Names(self.stack)

    @cached_property
    def dynamodb(self) -> DynamoDBClient:
        """The tables' client."""
        return self.clients.client("dynamodb")

    @cached_property
    def sqs(self) -> SQSClient:
        """The queues' client."""
        return self.clients.client("sqs")

    @cached_property
    def sfn(self) -> SFNClient:
        """The machines' client."""
        return self.clients.client("stepfunctions")

    @cached_property
    def cloudwatch(self) -> CloudWatchClient:
        """The alarms' client."""
        return self.clients.client("cloudwatch")

    def execution_arn(self, pedido_id: str) -> str:
        """ARN of the order's first execution: its name is the order's id."""
        return f"{self.maquinas['pedido'].replace(':stateMachine:', ':execution:')}:{pedido_id}"


def embedded(endpoints: Endpoints) -> Target:
    """The embedded stack behind the JSON of ``cesta local --json``."""
    credentials = endpoints["credenciais"]
    return Target(
        alvo="local",
        stack="local",
        regiao=endpoints["regiao"],
        api=endpoints["api"],
        gateway=endpoints["gateway"],
        tabelas=endpoints["tabelas"],
        filas=endpoints["filas"],
        maquinas=endpoints["maquinas"],
        clients=AwsLocal(
            endpoint=endpoints["aws"],
            region=endpoints["regiao"],
            account_id=endpoints["conta"],
            access_key=credentials["id"],
            secret_key=credentials["segredo"],
        ),
    )


def announce(endpoints: Endpoints, run_dir: Path, pid: int) -> None:
    """Let other commands on this machine find the stack that process ``pid`` keeps up."""
    path = run_dir / ANNOUNCEMENT
    path.write_text(json.dumps({"pid": pid, "endpoints": endpoints}))
    path.chmod(0o600)


def running_embedded() -> Target:
    """The embedded stack started last on this machine; raises `NoEmbeddedStackError`."""
    found = Path(tempfile.gettempdir()).glob(f"{RUN_DIR_PREFIX}*/{ANNOUNCEMENT}")
    for path in sorted(found, key=lambda path: path.stat().st_mtime, reverse=True):
        announced = json.loads(path.read_text())
        if psutil.pid_exists(announced["pid"]):
            return embedded(announced["endpoints"])
    raise NoEmbeddedStackError


def aws(stack: str) -> Target:
    """A stack deployed on the account and region of the environment; raises `StackNotFoundError`."""
    session = boto3.Session()
    region = session.region_name or "us-east-1"
    account = AwsAccount(session, region)
    lookup = _Lookup(account, Names(stack))
    names = lookup.names
    account_id: str = account.client("sts").get_caller_identity()["Account"]
    machine = f"arn:aws:states:{region}:{account_id}:stateMachine:"
    return Target(
        alvo="aws",
        stack=stack,
        regiao=region,
        api=lookup.api_url(),
        gateway=lookup.gateway_url(),
        tabelas={"pedidos": names.tabela_pedidos, "estoque": names.tabela_estoque},
        filas={
            "criados": lookup.queue_url(names.fila_criados),
            "criadosDlq": lookup.queue_url(names.fila_criados_dlq),
            "humana": lookup.queue_url(names.fila_humana),
        },
        maquinas={"pedido": machine + names.maquina_pedido, "retomada": machine + names.maquina_retomada},
        clients=account,
        signing=session.get_credentials(),
    )


@dataclass(frozen=True)
class _Lookup:
    """What cannot be derived from names alone is asked of AWS."""

    account: AwsAccount
    names: Names

    def queue_url(self, name: str) -> str:
        sqs: SQSClient = self.account.client("sqs")
        try:
            return sqs.get_queue_url(QueueName=name)["QueueUrl"]
        except ClientError as error:
            raise StackNotFoundError(f"a fila {name}", self.names.stack) from error

    def api_url(self) -> str:
        gateway: APIGatewayClient = self.account.client("apigateway")
        for page in gateway.get_paginator("get_rest_apis").paginate():
            for api in page["items"]:
                if api.get("name") == self.names.api:
                    return f"https://{api.get('id')}.execute-api.{self.account.region}.amazonaws.com/{ESTAGIO}"
        raise StackNotFoundError(f"a API {self.names.api}", self.names.stack)

    def gateway_url(self) -> str:
        function = self.names.funcao_da_etapa(Etapa.COBRAR_PAGAMENTO)
        lambdas: LambdaClient = self.account.client("lambda")
        try:
            configuration = lambdas.get_function_configuration(FunctionName=function)
        except ClientError as error:
            raise StackNotFoundError(f"a função {function}", self.names.stack) from error
        return configuration.get("Environment", {}).get("Variables", {})[environment.GATEWAY_URL]
