"""A gateway simulator process per test module, over real HTTP."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

import pytest
import urllib3

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

WINDOW_SECONDS = 2.0
HANG_SECONDS = 1.0


@dataclass(frozen=True)
class Simulator:
    """A running simulator and a client of it that never retries."""

    url: str
    process: subprocess.Popen[str]
    http: urllib3.PoolManager

    def post(
        self, path: str, body: object, *, chave: str | None = None, read: float = 5
    ) -> tuple[int, dict[str, object]]:
        headers = {"Content-Type": "application/json"} | ({"Idempotency-Key": chave} if chave else {})
        response = self.http.request(
            "POST",
            f"{self.url}{path}",
            body=body if isinstance(body, bytes) else json.dumps(body).encode(),
            headers=headers,
            retries=False,
            timeout=urllib3.Timeout(connect=1, read=read),
        )
        return response.status, cast("dict[str, object]", response.json())

    def get(self, path: str) -> tuple[int, dict[str, object]]:
        response = self.http.request("GET", f"{self.url}{path}", retries=False, timeout=5)
        return response.status, cast("dict[str, object]", response.json())

    def charge(self, token: str, pedido_id: str, *, read: float = 5) -> tuple[int, dict[str, object]]:
        body = {"pedidoId": pedido_id, "cartaoToken": token, "valorCentavos": 4590}
        return self.post("/cobrancas", body, chave=f"cobranca-{pedido_id}", read=read)

    def seen(self, pedido_id: str) -> list[dict[str, object]]:
        _, body = self.get(f"/cobrancas?pedidoId={pedido_id}")
        return cast("list[dict[str, object]]", body["cobrancas"])


@contextmanager
def simulator(*arguments: str) -> Generator[Simulator]:
    """Run the simulator for the block; whatever happens in it, the process is gone after."""
    command = [sys.executable, "-m", "infra.local.simulator", "--porta", "0", *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            ready: dict[str, str] = json.loads(process.stdout.readline())
            yield Simulator(ready["gateway"], process, urllib3.PoolManager(maxsize=64))
        finally:
            process.kill()


@pytest.fixture(scope="module")
def gateway() -> Iterator[Simulator]:
    with simulator("--janela-duvida-segundos", str(WINDOW_SECONDS), "--pendura-segundos", str(HANG_SECONDS)) as running:
        yield running
