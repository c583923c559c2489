"""The fastest AWS there can be, on loopback: knows the few calls of POST and the starter, and nothing else.

A process of its own, so that its processor time is not taken for its caller's; it answers at once, or after the same
time always. Rows are kept, conditions are not looked at: every order of a benchmark is new.
"""

from __future__ import annotations

import asyncio
import json
from contextlib import contextmanager
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Generator
    from multiprocessing.connection import Connection

__all__ = ["ARN", "QUEUE", "TABLE", "AwsStub", "aws_stub", "client_environment"]

TABLE: Final = "cesta-bench-pedidos"
QUEUE: Final = "cesta-bench-pedidos-criados"
ARN: Final = "arn:aws:states:us-east-1:000000000000:stateMachine:cesta-bench-saga-pedido"

_HEAD_END: Final = b"\r\n\r\n"


class AwsStub:
    """What the calls answer. Pure: a target and a body in, an answer out.

    Attributes:
        calls: how many of each operation came.
    """

    def __init__(self) -> None:
        self.calls: dict[str, int] = {}
        self._rows: dict[str, Any] = {}

    def answer(self, operation: str, body: bytes) -> dict[str, Any]:
        """The JSON answer of one operation.

        Raises:
            NotImplementedError: no benchmark calls this operation.
        """
        self.calls[operation] = self.calls.get(operation, 0) + 1
        request = json.loads(body)
        match operation:
            case "PutItem":
                self._rows[request["Item"]["pedidoId"]["S"]] = request["Item"]
                return {}
            case "GetItem":
                row = self._rows.get(request["Key"]["pedidoId"]["S"])
                return {} if row is None else {"Item": {name: row[name] for name in row if name != "cartaoToken"}}
            case "SendMessage":
                return {"MessageId": str(self.calls[operation])}
            case "StartExecution":
                arn = f"{ARN.replace('stateMachine', 'execution')}:{request['name']}"
                return {"executionArn": arn, "startDate": 1_780_000_000.0}
            case _:
                raise NotImplementedError(f"o AWS de mentira não conhece {operation}")


class _Connection(asyncio.Protocol):
    """HTTP/1.1 with keep-alive; every request has a Content-Length, as botocore's do."""

    def __init__(self, stub: AwsStub, latency: float) -> None:
        self._stub = stub
        self._latency = latency
        self._buffer = b""
        self._transport: asyncio.Transport | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        head, end, rest = self._buffer.partition(_HEAD_END)
        if not end:
            return
        headers = _headers(head)
        length = int(headers.get("content-length", "0"))
        if len(rest) < length:
            return
        self._buffer = rest[length:]
        answer = self._answered(headers.get("x-amz-target", ""), rest[:length])
        if self._latency:
            asyncio.get_running_loop().call_later(self._latency, self._send, answer)
        else:
            self._send(answer)

    def _answered(self, target: str, body: bytes) -> bytes:
        content = json.dumps(self._stub.answer(target.partition(".")[2], body)).encode()
        kind = "1.1" if target.startswith("StepFunctions") else "1.0"
        head = (
            f"HTTP/1.1 200 OK\r\nContent-Type: application/x-amz-json-{kind}\r\nContent-Length: {len(content)}\r\n\r\n"
        )
        return head.encode() + content

    def _send(self, answer: bytes) -> None:
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(answer)


def _headers(head: bytes) -> dict[str, str]:
    lines = (line.partition(":") for line in head.decode("latin-1").split("\r\n")[1:])
    return {name.strip().lower(): value.strip() for name, _, value in lines}


@contextmanager
def aws_stub(latency: float = 0.0) -> Generator[str]:
    """A running stub's URL.

    Args:
        latency: seconds before every answer.
    """
    context = get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=_serve, args=(theirs, latency), name="aws-stub", daemon=True)
    process.start()
    theirs.close()
    try:
        yield f"http://127.0.0.1:{ours.recv()}"
    finally:
        ours.close()
        process.terminate()
        process.join()


def client_environment(url: str) -> dict[str, str]:
    """By what a function finds the stub, and what else it reads."""
    return {
        "AWS_ENDPOINT_URL": url,
        "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ACCESS_KEY_ID": "bench",
        "AWS_SECRET_ACCESS_KEY": "bench",
        "TABELA_PEDIDOS": TABLE,
        "FILA_CRIADOS_URL": f"{url}/000000000000/{QUEUE}",
        "MAQUINA_ARN": ARN,
        # The pace that a stack sets for all its starters together is not what is measured.
        "SEGUNDOS_POR_INICIO": "0.000001",
        "INJECAO_DE_FALHAS": "false",
        "POWERTOOLS_SERVICE_NAME": "api",
        "POWERTOOLS_METRICS_NAMESPACE": "Cesta",
        "POWERTOOLS_LOG_LEVEL": "INFO",
    }


def _serve(ready: Connection, latency: float) -> None:
    asyncio.run(_run(ready, latency))


async def _run(ready: Connection, latency: float) -> None:
    stub = AwsStub()
    server = await asyncio.get_running_loop().create_server(lambda: _Connection(stub, latency), "127.0.0.1", 0)
    ready.send(server.sockets[0].getsockname()[1])
    await server.serve_forever()
