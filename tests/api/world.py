"""The world around the API in memory: the orders table, the queue, Step Functions, and API Gateway's events."""

from __future__ import annotations

import io
import json
import logging
import sys
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO, cast

from botocore.exceptions import ClientError, EndpointConnectionError

from handlers.domain import aws
from infra.openapi import load_app
from tests.support.dynamo import FakeDynamo, direct

if TYPE_CHECKING:
    import threading
    from collections.abc import Generator, Mapping

    import pytest
    from chalice.app import Chalice

    from tests.support.dynamo import Item, Outside

TABELA = "cesta-test-pedidos"
FILA = "https://sqs.example/cesta-test-pedidos-criados"
MAQUINA = "arn:aws:states:us-east-1:123456789012:stateMachine:cesta-test-saga-pedido"
URL = "https://abc.execute-api.us-east-1.amazonaws.com/api"
TOKEN = "tok_segredo_9f2e"
PEDIDO: Mapping[str, object] = {
    "pedidoId": "p-1",
    "sku": "sku-abc",
    "quantidade": 2,
    "valorCentavos": 4590,
    "cartaoToken": TOKEN,
}

LOGGER = "cesta-test-api"
API_DIR = Path(__file__).resolve().parents[2] / "api"


def down(operation: str = "Operation") -> EndpointConnectionError:
    """What boto3 raises when AWS can't be reached."""
    return EndpointConnectionError(endpoint_url=f"https://{operation}.example")


def client_error(code: str, operation: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": f"about {TOKEN}"}}, operation)


class FakeSqs:
    """Keeps what is sent; where ``error`` is set it is raised instead, or after it where the answer is ``lost``."""

    def __init__(self) -> None:
        self.bodies: list[str] = []
        self.error: Exception | None = None
        self.lost = False

    def send_message(self, *, QueueUrl: str, MessageBody: str) -> dict[str, str]:  # noqa: N803 - boto3's names
        assert QueueUrl == FILA
        if self.error is not None and not self.lost:
            raise self.error
        self.bodies.append(MessageBody)
        if self.error is not None:
            raise self.error
        return {"MessageId": str(len(self.bodies))}


class FakeStepFunctions:
    """Executions by ARN. As AWS: the same name with the same input is the same execution while it runs."""

    def __init__(self) -> None:
        self.inputs: dict[str, str] = {}
        self.finished: set[str] = set()
        self.errors: dict[str, Exception] = {}
        self.barrier: threading.Barrier | None = None

    def start_execution(self, *, stateMachineArn: str, name: str, input: str) -> dict[str, str]:  # noqa: N803
        assert stateMachineArn == MAQUINA
        if self.barrier is not None:
            self.barrier.wait(timeout=5)
        if name in self.errors:
            raise self.errors[name]
        arn = execution_arn(name)
        if arn in self.inputs and (arn in self.finished or self.inputs[arn] != input):
            raise client_error("ExecutionAlreadyExists", "StartExecution")
        self.inputs[arn] = input
        return {"executionArn": arn}

    def describe_execution(self, *, executionArn: str) -> dict[str, str]:  # noqa: N803 - boto3's names
        if executionArn not in self.inputs:
            raise client_error("ExecutionDoesNotExist", "DescribeExecution")
        return {"input": self.inputs[executionArn], "status": "RUNNING"}


def execution_arn(name: str) -> str:
    return f"arn:aws:states:us-east-1:123456789012:execution:cesta-test-saga-pedido:{name}"


@dataclass(frozen=True)
class Resposta:
    """An answer of the API."""

    status: int
    headers: Mapping[str, str]
    texto: str

    @property
    def corpo(self) -> dict[str, Any]:
        return json.loads(self.texto)

    @property
    def campos(self) -> list[str]:
        """Names of the fields a problem complains of."""
        return [erro["campo"] for erro in self.corpo["erros"]]


@dataclass
class World:
    """The app, loaded fresh, and the fakes it talks to."""

    app: Chalice
    dynamo: FakeDynamo
    sqs: FakeSqs
    sfn: FakeStepFunctions
    log: io.StringIO = field(default_factory=io.StringIO)

    @property
    def rows(self) -> dict[str, Item]:
        return self.dynamo.tables[TABELA]

    def post(
        self,
        corpo: object = PEDIDO,
        *,
        headers: Mapping[str, str] | None = None,
        contexto: Mapping[str, object] | None = None,
        base64_encoded: bool = False,
    ) -> Resposta:
        """``POST /pedidos``; bytes and text are sent as they are, anything else as JSON."""
        body = corpo if isinstance(corpo, bytes | str) else json.dumps(corpo)
        event = gateway_event("POST", "/pedidos", body=body, contexto=contexto)
        event["headers"] = dict(headers or {"Content-Type": "application/json"})
        event["isBase64Encoded"] = base64_encoded
        return self.call(event)

    def get(
        self,
        pedido_id: str,
        *,
        headers: Mapping[str, str] | None = None,
        contexto: Mapping[str, object] | None = None,
    ) -> Resposta:
        """``GET /pedidos/{pedidoId}``."""
        event = gateway_event("GET", "/pedidos/{pedidoId}", parameters={"pedidoId": pedido_id}, contexto=contexto)
        return self.call({**event, "headers": dict(headers or {})})

    def call(self, event: dict[str, object]) -> Resposta:
        """The app, called as Lambda calls it."""
        answer = self.app(event, None)
        return Resposta(answer["statusCode"], cast("dict[str, str]", answer["headers"]), answer["body"])

    def start(self, *bodies: str) -> list[str]:
        """The starter, one record per body (ids m-0, m-1, ...); the ids it reports as failed."""
        records = [
            {"messageId": f"m-{i}", "body": body, "receiptHandle": "r", "eventSource": "aws:sqs"}
            for i, body in enumerate(bodies)
        ]
        handler = self.app.handler_map["iniciador"]
        answer: dict[str, list[dict[str, str]]] = handler({"Records": records}, None)
        assert set(answer) == {"batchItemFailures"}
        return [failure["itemIdentifier"] for failure in answer["batchItemFailures"]]


def gateway_event(
    method: str,
    route: str,
    *,
    parameters: Mapping[str, str] | None = None,
    body: str | bytes | None = None,
    contexto: Mapping[str, object] | None = None,
) -> dict[str, object]:
    """What API Gateway (REST, proxy integration) sends to the function."""
    path = route.format(**(parameters or {}))
    return {
        "resource": route,
        "path": path,
        "httpMethod": method,
        "headers": {},
        "multiValueQueryStringParameters": None,
        "pathParameters": parameters,
        "stageVariables": None,
        "body": body,
        "isBase64Encoded": False,
        "requestContext": {
            "httpMethod": method,
            "resourcePath": route,
            "path": f"/api{path}",
            "stage": "api",
            "domainName": "abc.execute-api.us-east-1.amazonaws.com",
            "identity": {"sourceIp": "203.0.113.9", "userArn": None},
            **(contexto or {}),
        },
    }


@contextmanager
def build(monkeypatch: pytest.MonkeyPatch, *, outside: Outside = direct, falhas: bool = False) -> Generator[World]:
    """A world with the app loaded by Chalice, as in production, and boto3's clients replaced."""
    dynamo, sqs, stepfunctions = FakeDynamo({TABELA: "pedidoId"}, {TABELA: {}}, outside), FakeSqs(), FakeStepFunctions()
    clients: dict[str, object] = {"dynamodb": dynamo, "sqs": sqs, "stepfunctions": stepfunctions}

    def client(service: str, **_: object) -> object:
        return clients[service]

    environment = {
        "TABELA_PEDIDOS": TABELA,
        "FILA_CRIADOS_URL": FILA,
        "MAQUINA_ARN": MAQUINA,
        "SEGUNDOS_POR_INICIO": "0.001",
        "INJECAO_DE_FALHAS": "true" if falhas else "false",
        "POWERTOOLS_SERVICE_NAME": LOGGER,
        "POWERTOOLS_METRICS_NAMESPACE": "Cesta",
    }
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.delenv("API_URL_BASE", raising=False)
    monkeypatch.setattr("handlers.domain.aws.new_client", client)
    _forget_clients()
    world = World(load_app(API_DIR), dynamo, sqs, stepfunctions)
    # Powertools keeps one handler per service name for the whole process.
    (handler,) = cast("list[logging.StreamHandler[TextIO]]", logging.getLogger(LOGGER).handlers)
    before = handler.setStream(world.log)
    try:
        yield world
    finally:
        handler.setStream(before or sys.stdout)
        _forget_clients()


def _forget_clients() -> None:
    """A process keeps its clients for life; each world is a process of its own."""
    for maker in (aws.dynamodb, aws.sqs, aws.stepfunctions):
        maker.cache_clear()
