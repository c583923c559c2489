"""Counts what each function asks of AWS: a proxy between the functions and the emulator.

A function is told its own address (``http://<proxy>/<function>``), so that every call is known by who made it.
"""

from __future__ import annotations

import json
import threading
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any, Final

import urllib3

from tests.bench.capacity import Index, read_units, write_units

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

    from mypy_boto3_dynamodb import DynamoDBClient

__all__ = ["Counted", "CountingProxy", "counting"]

_WRITES: Final = frozenset({"PutItem", "UpdateItem", "DeleteItem"})
_READS: Final = frozenset({"GetItem"})


@dataclass
class Counted:
    """What was asked since the last `CountingProxy.take`.

    Attributes:
        calls: by function and operation.
        write_units: of DynamoDB, indexes included, by function.
        read_units: of DynamoDB, by function.
    """

    calls: Counter[tuple[str, str]] = field(default_factory=Counter["tuple[str, str]"])
    write_units: Counter[str] = field(default_factory=Counter[str])
    read_units: Counter[str] = field(default_factory=Counter[str])


class CountingProxy:
    """What the proxy knows.

    Args:
        upstream: the emulator's URL.
        dynamodb: a client of the emulator's own, by which items are looked at before and after a write.
    """

    def __init__(self, upstream: str, dynamodb: DynamoDBClient) -> None:
        self._upstream = upstream
        self._dynamodb = dynamodb
        self._pool = urllib3.PoolManager(maxsize=16, retries=False)
        self._tables: dict[str, tuple[tuple[str, ...], tuple[Index, ...]]] = {}
        self._counted = Counted()
        self._lock = threading.Lock()

    def take(self) -> Counted:
        """What was counted, which is then forgotten."""
        with self._lock:
            counted, self._counted = self._counted, Counted()
        return counted

    def forward(self, path: str, headers: Mapping[str, str], body: bytes) -> urllib3.BaseHTTPResponse:
        """Counts a call, and makes it."""
        function, _, rest = path.lstrip("/").partition("/")
        operation = headers.get("X-Amz-Target", "").partition(".")[2]
        request: dict[str, Any] = json.loads(body) if operation in _WRITES | _READS else {}
        before = self._item(request) if operation in _WRITES else None
        passed = {name: value for name, value in headers.items() if name.lower() not in ("host", "content-length")}
        answer = self._pool.request("POST", f"{self._upstream}/{rest}", body=body, headers=passed, redirect=False)
        with self._lock:
            self._counted.calls[function, operation] += 1
            if operation in _WRITES:
                indexes = self._table(request["TableName"])[1]
                self._counted.write_units[function] += write_units(before, self._item(request), indexes)
            elif operation in _READS:
                self._counted.read_units[function] += read_units(self._item(request))
        return answer

    def machine_units(self, table: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> int:
        """Write units of a write that the machine itself made, which no proxy sees."""
        return write_units(before, after, self._table(table)[1])

    def _item(self, request: Mapping[str, Any]) -> Mapping[str, Any] | None:
        keys, _ = self._table(request["TableName"])
        known = request.get("Key") or request["Item"]
        key = {name: known[name] for name in keys}
        return self._dynamodb.get_item(TableName=request["TableName"], Key=key, ConsistentRead=True).get("Item")

    def _table(self, name: str) -> tuple[tuple[str, ...], tuple[Index, ...]]:
        if name not in self._tables:
            table: Any = self._dynamodb.describe_table(TableName=name)["Table"]
            own = tuple(key["AttributeName"] for key in table["KeySchema"])
            indexes = tuple(
                Index(
                    (*(key["AttributeName"] for key in index["KeySchema"]), *own),
                    tuple(index["Projection"].get("NonKeyAttributes", ())),
                )
                for index in table.get("GlobalSecondaryIndexes", ())
            )
            self._tables[name] = own, indexes
        return self._tables[name]


@contextmanager
def counting(upstream: str, dynamodb: DynamoDBClient) -> Generator[tuple[str, CountingProxy]]:
    """A running proxy's URL, and what it counts."""
    proxy = CountingProxy(upstream, dynamodb)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        # An answer in two packets would wait 40 ms for an acknowledgement.
        disable_nagle_algorithm = True

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
            answer = proxy.forward(self.path, dict(self.headers.items()), body)
            self.send_response(answer.status)
            for name, value in answer.headers.items():
                if name.lower() not in ("content-length", "transfer-encoding", "connection"):
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(answer.data)))
            self.end_headers()
            self.wfile.write(answer.data)

        def log_message(self, format: str, *args: object) -> None:
            """Nothing: the calls are counted, not told."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, name="counting-proxy", daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}", proxy
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
