"""``cd api && chalice local`` against a running stack, as the README says it: a real shell, a real server."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import psutil
import pytest
import urllib3

from infra.local.guardian import RUN_DIR_PREFIX, end_session, session_members
from infra.local.processes import LOOPBACK, choose_port, poll_until
from infra.ops.target import announce

if TYPE_CHECKING:
    from collections.abc import Generator

    from infra.local.proofs.workbench import Workbench
    from infra.local.stack import EmbeddedStack

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).resolve().parents[3]
COMMANDS = 'eval "$(python -m infra.local.environment)" && cd api && exec chalice local --port "$PORT"'
START_SECONDS = 30.0


@contextmanager
def chalice_local(port: int, temp_dir: Path, log: Path) -> Generator[subprocess.Popen[bytes]]:
    """The server, in a session of its own: the child that reloads it outlives a SIGTERM of its parent."""
    # As after `source .venv/bin/activate`.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    with log.open("wb") as output:
        server = subprocess.Popen(
            ["bash", "-c", COMMANDS],
            cwd=ROOT,
            env={
                **os.environ,
                "PATH": path,
                "PORT": str(port),
                "TMPDIR": str(temp_dir),
                "AWS_PROFILE": "de-outra-conta",
            },
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    try:
        yield server
    finally:
        end_session(server.pid)
        server.kill()
        server.wait()


def test_chalice_local_serves_the_app_on_the_running_stack(
    bench: Workbench, stack: EmbeddedStack, tmp_path: Path
) -> None:
    # A temporary directory of its own: on this machine other stacks may be up.
    run_dir = tmp_path / f"{RUN_DIR_PREFIX}chalice"
    run_dir.mkdir()
    announce(stack.endpoints(), run_dir, os.getpid())
    port = choose_port(None, option="--port")
    url, log = f"http://{LOOPBACK}:{port}", tmp_path / "chalice.log"
    order = bench.order("chalice-local", bench.stock_sku("chalice-local"))
    with chalice_local(port, tmp_path, log) as server:

        def asked(method: str, path: str, **options: object) -> urllib3.BaseHTTPResponse | None:
            try:
                return urllib3.request(method, url + path, retries=False, timeout=10.0, **options)  # pyright: ignore[reportArgumentType] - json or nothing
            except urllib3.exceptions.HTTPError:
                return None

        def still_up() -> None:
            assert server.poll() is None, log.read_text()

        posted = poll_until(
            lambda: asked("POST", "/pedidos", json=order),
            awaited="an answer of chalice local",
            seconds=START_SECONDS,
            check=still_up,
        )
        assert posted.status == 202, posted.data
        assert bench.end(order["pedidoId"]).status == "SUCCEEDED"
        # The link leads back to the same server.
        link = posted.json()["links"]["self"]
        seen = asked("GET", link.removeprefix(url))
        assert link == f"{url}/pedidos/{order['pedidoId']}"
        assert seen is not None
        assert (seen.status, seen.json()["status"]) == (200, "CONFIRMADO")
        refused = asked("DELETE", "/pedidos")
        assert refused is not None
        assert (refused.status, refused.headers["Content-Type"]) == (405, "application/problem+json")
        assert json.loads(refused.data)["type"] == "urn:cesta:problema:metodo-nao-permitido"
    assert not session_members(server.pid)
    assert not psutil.pid_exists(server.pid)


def test_without_a_running_stack_the_environment_is_refused(tmp_path: Path) -> None:
    told = subprocess.run(
        [sys.executable, "-m", "infra.local.environment"],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (told.returncode, told.stdout) == (1, "")
    assert "cesta local" in told.stderr
