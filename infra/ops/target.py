"""Where the commands look: the embedded stack running on this machine, or a stack deployed on AWS.

Everything above this module is the same code for both.
"""

from __future__ import annotations

import json
import os
import tempfile
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import boto3
import psutil
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from handlers.domain import environment
from handlers.domain.status import Etapa
from infra.local.emulator import AwsLocal
from infra.local.guardian import RUN_DIR_PREFIX
from infra.names import ESTAGIO, Names
from infra.ops.errors import AwsUnreachableError, NoEmbeddedStackError, StackNotFoundError

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from botocore.credentials import Credentials
    from mypy_boto3_apigateway import APIGatewayClient
    from mypy_boto3_cloudwatch import CloudWatchClient
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_lambda import LambdaClient
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_stepfunctions import SFNClient

    from infra.local.endpoints import Endpoints

__all__ = ["KnownEntrances", "Target", "announce", "aws", "embedded", "running_embedded", "told"]

ANNOUNCEMENT = "endpoints.json"
"""File in a running stack's own directory, gone with it: how other commands find the stack."""

_ABSENT = frozenset({"AWS.SimpleQueueService.NonExistentQueue", "QueueDoesNotExist", "ResourceNotFoundException"})

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

    @classmethod
    def of_environment(cls) -> AwsAccount:
        """The one the environment names; in us-east-1 where nothing names a region.

        boto3 itself reads AWS_DEFAULT_REGION only; AWS's other tools, and whoever follows the runbook, set AWS_REGION.
        """
        session = boto3.Session(region_name=os.environ.get("AWS_REGION") or None)
        return cls(session, session.region_name or "us-east-1")

    def client(self, name: str) -> Any:
        """The boto3 client of a service."""
        make_client: Any = self.session.client  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] - overloaded
        return make_client(name, region_name=self.region, config=_CLIENT_CONFIG)

    def environment(self) -> dict[str, str]:
        """What another process needs besides the environment it inherits."""
        return {"AWS_DEFAULT_REGION": self.region}


class Entrances(Protocol):
    """What cannot be derived from names: asked of AWS when first used, since not every command needs every right."""

    def api(self) -> str:
        """The API's URL without trailing slash."""
        ...

    def gateway(self) -> str:
        """The payment gateway's URL."""
        ...

    def filas(self) -> Mapping[str, str]:
        """Queue URLs."""
        ...


@dataclass(frozen=True)
class KnownEntrances:
    """Entrances known from the start."""

    known_api: str
    known_gateway: str
    known_filas: Mapping[str, str]

    def api(self) -> str:
        """The API's URL without trailing slash."""
        return self.known_api

    def gateway(self) -> str:
        """The payment gateway's URL."""
        return self.known_gateway

    def filas(self) -> Mapping[str, str]:
        """Queue URLs."""
        return self.known_filas


@dataclass(frozen=True)
class Target:
    """One deployed stack.

    Attributes:
        alvo: ``local`` or ``aws``.
        stack: the Pulumi stack.
        regiao: AWS region.
        entrances: where the API, the gateway and the queues are.
        tabelas: table names.
        maquinas: state machine ARNs.
        clients: where SDK clients come from.
        signing: credentials that sign requests to the API, or None where it takes anybody's.
    """

    alvo: str
    stack: str
    regiao: str
    entrances: Entrances
    tabelas: Mapping[str, str]
    maquinas: Mapping[str, str]
    clients: Clients
    signing: Credentials | None = None

    @cached_property
    def api(self) -> str:
        """The API's URL without trailing slash."""
        return self.entrances.api()

    @cached_property
    def gateway(self) -> str:
        """The payment gateway's URL."""
        return self.entrances.gateway()

    @cached_property
    def filas(self) -> Mapping[str, str]:
        """Queue URLs."""
        return self.entrances.filas()

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
        entrances=KnownEntrances(endpoints["api"], endpoints["gateway"], endpoints["filas"]),
        tabelas=endpoints["tabelas"],
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
    """A stack deployed on the account and region of the environment.

    Raises:
        AwsUnreachableError: no credentials, no right, or no answer.
    """
    with told():
        account = AwsAccount.of_environment()
        names = Names(stack)
        account_id: str = account.client("sts").get_caller_identity()["Account"]
    machine = f"arn:aws:states:{account.region}:{account_id}:stateMachine:"
    return Target(
        alvo="aws",
        stack=stack,
        regiao=account.region,
        entrances=_AwsEntrances(account, names),
        tabelas={"pedidos": names.tabela_pedidos, "estoque": names.tabela_estoque},
        maquinas={"pedido": machine + names.maquina_pedido, "retomada": machine + names.maquina_retomada},
        clients=account,
        signing=account.session.get_credentials(),
    )


@contextmanager
def told() -> Generator[None]:
    """Turn what the SDK raises into an `AwsUnreachableError`, for whoever reads it at a terminal."""
    try:
        yield
    except ClientError as error:
        code = error.response.get("Error", {}).get("Code", "")
        raise AwsUnreachableError(f"{code or 'erro'} em {error.operation_name}") from error
    except BotoCoreError as error:
        raise AwsUnreachableError(type(error).__name__) from error


@dataclass(frozen=True)
class _AwsEntrances:
    """Entrances of a deployed stack; raises `StackNotFoundError` where it lacks one."""

    account: AwsAccount
    names: Names

    def filas(self) -> Mapping[str, str]:
        return {
            "criados": self._queue_url(self.names.fila_criados),
            "criadosDlq": self._queue_url(self.names.fila_criados_dlq),
            "humana": self._queue_url(self.names.fila_humana),
        }

    def api(self) -> str:
        gateway: APIGatewayClient = self.account.client("apigateway")
        for page in gateway.get_paginator("get_rest_apis").paginate():
            for api in page["items"]:
                if api.get("name") == self.names.api:
                    return f"https://{api.get('id')}.execute-api.{self.account.region}.amazonaws.com/{ESTAGIO}"
        raise StackNotFoundError(f"a API {self.names.api}", self.names.stack)

    def gateway(self) -> str:
        function = self.names.funcao_da_etapa(Etapa.COBRAR_PAGAMENTO)
        lambdas: LambdaClient = self.account.client("lambda")
        with self._found(f"a função {function}"):
            configuration = lambdas.get_function_configuration(FunctionName=function)
        return configuration.get("Environment", {}).get("Variables", {})[environment.GATEWAY_URL]

    def _queue_url(self, name: str) -> str:
        sqs: SQSClient = self.account.client("sqs")
        with self._found(f"a fila {name}"):
            return sqs.get_queue_url(QueueName=name)["QueueUrl"]

    @contextmanager
    def _found(self, what: str) -> Generator[None]:
        try:
            yield
        except ClientError as error:
            code = error.response.get("Error", {}).get("Code", "")
            if code in _ABSENT:
                raise StackNotFoundError(what, self.names.stack) from error
            raise
