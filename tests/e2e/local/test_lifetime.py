"""Everything that is started ends with its parent, however the parent ends, and leaves no file."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import psutil
import pytest

from infra.local import worker_env
from infra.local.emulator import PROCESS_NAME, start_emulator
from infra.local.errors import PortInUseError, ProcessDiedError
from infra.local.guardian import session_members
from infra.local.processes import Guardian, child_environment, choose_port, poll_until

if TYPE_CHECKING:
    from collections.abc import Generator

pytestmark = pytest.mark.e2e

GONE_SECONDS = 15.0


@dataclass
class Parent:
    """A running ``tests.e2e.local.parent`` whose temporary directory is ours to look at."""

    process: subprocess.Popen[str]
    temp_dir: Path
    session: int
    run_dir: Path
    worker: int

    def next_line(self) -> dict[str, Any]:
        return json.loads(_out(self.process).readline())


def _out(process: subprocess.Popen[str]) -> IO[str]:
    assert process.stdout is not None
    return process.stdout


@contextmanager
def running_parent(temp_dir: Path, how: str) -> Generator[Parent]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.e2e.local.parent", how],
        env={**os.environ, "TMPDIR": str(temp_dir)},
        cwd=worker_env.REPO_ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A process group of its own, as a shell gives a command: what Ctrl-C interrupts.
        start_new_session=True,
    )
    try:
        said = json.loads(_out(process).readline())
        yield Parent(process, temp_dir, said["session"], Path(said["run_dir"]), said["worker"])
    finally:
        process.kill()
        process.communicate()


def processes_of(temp_dir: Path) -> list[psutil.Process]:
    """Every live process whose environment names the temporary directory."""

    def names_it(process: psutil.Process) -> bool:
        with suppress(psutil.Error):
            alive = process.status() != psutil.STATUS_ZOMBIE
            return alive and any(str(temp_dir) in value for value in process.environ().values())
        return False

    return [process for process in psutil.process_iter() if names_it(process)]


def assert_nothing_is_left(parent: Parent) -> None:
    """Within the deadline no process and no file of the run is left."""

    def gone() -> bool | None:
        left = bool(processes_of(parent.temp_dir) or session_members(parent.session) or any(parent.temp_dir.iterdir()))
        return None if left else True

    poll_until(gone, awaited="the end of every process and file", seconds=GONE_SECONDS, interval=0.1)


def test_what_the_lifetime_tests_look_for_is_there_while_the_parent_lives(tmp_path: Path) -> None:
    with running_parent(tmp_path, "wait") as parent:
        found = {process.pid for process in processes_of(tmp_path)}
        assert {parent.process.pid, parent.session, parent.worker} <= found
        assert parent.worker in {process.pid for process in session_members(parent.session)}
        assert parent.run_dir.parent == tmp_path.resolve()
        assert parent.run_dir.is_dir()


@pytest.mark.parametrize(("how", "code"), [("return", 0), ("raise", 1), ("exit", 3)])
def test_nothing_is_left_when_the_parent_ends_by_itself(tmp_path: Path, how: str, code: int) -> None:
    with running_parent(tmp_path, how) as parent:
        assert parent.process.wait(timeout=30) == code
        assert_nothing_is_left(parent)


def test_nothing_is_left_when_the_parent_is_killed(tmp_path: Path) -> None:
    with running_parent(tmp_path, "wait") as parent:
        parent.process.kill()
        parent.process.wait(timeout=10)
        assert_nothing_is_left(parent)


def test_nothing_is_left_when_the_whole_embedded_stack_is_killed(tmp_path: Path) -> None:
    with running_parent(tmp_path, "stack") as parent:
        assert len(session_members(parent.session)) > 3, "emulator, gateway and workers are up"
        parent.process.kill()
        parent.process.wait(timeout=10)
        assert_nothing_is_left(parent)


def test_ctrl_c_ends_the_whole_embedded_stack(tmp_path: Path) -> None:
    with running_parent(tmp_path, "stack") as parent:
        os.killpg(parent.process.pid, signal.SIGINT)
        assert parent.process.wait(timeout=30) != 0
        assert_nothing_is_left(parent)


def test_ctrl_c_ends_everything_but_only_after_the_parent_has_had_its_say(tmp_path: Path) -> None:
    with running_parent(tmp_path, "wait") as parent:
        os.killpg(parent.process.pid, signal.SIGINT)
        assert parent.next_line() == {"still_up": True}
        assert parent.process.wait(timeout=30) == 0
        assert_nothing_is_left(parent)


def test_nothing_is_left_when_parent_and_emulator_are_killed_together(tmp_path: Path) -> None:
    with running_parent(tmp_path, "wait") as parent:
        emulator = psutil.Process(parent.worker).ppid()
        os.kill(emulator, signal.SIGKILL)
        parent.process.kill()
        parent.process.wait(timeout=10)
        assert_nothing_is_left(parent)


def test_a_killed_guardian_is_reported_and_its_processes_are_ended_by_the_parent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with Guardian() as guardian:
        start_emulator(guardian, choose_port(None, option="--porta-aws"))
        os.kill(guardian.session, signal.SIGKILL)
        with pytest.raises(ProcessDiedError) as caught:
            guardian.wait(GONE_SECONDS)
        assert (caught.value.process, caught.value.exit_code) == ("guardião", -signal.SIGKILL)
    assert session_members(guardian.session) == []
    assert list(tmp_path.iterdir()) == []


def test_a_terminated_guardian_ends_its_processes_by_itself() -> None:
    with Guardian() as guardian:
        start_emulator(guardian, choose_port(None, option="--porta-aws"))
        os.kill(guardian.session, signal.SIGTERM)
        with pytest.raises(ProcessDiedError, match="guardião"):
            guardian.wait(GONE_SECONDS)
    assert session_members(guardian.session) == []
    assert not guardian.run_dir.exists()


def test_a_killed_emulator_is_reported_and_takes_its_orphaned_workers_along(tmp_path: Path) -> None:
    with running_parent(tmp_path, "watch") as parent:
        os.kill(psutil.Process(parent.worker).ppid(), signal.SIGKILL)
        assert parent.next_line() == {"process": PROCESS_NAME, "exit_code": -signal.SIGKILL}
        assert parent.process.wait(timeout=30) == 0
        assert_nothing_is_left(parent)


def test_an_early_death_is_told_with_the_end_of_its_log() -> None:
    with Guardian() as guardian:
        script = "import sys; print('por causa disto'); sys.exit(3)"
        guardian.start("coitado", [sys.executable, "-c", script], child_environment(guardian.run_dir))
        with pytest.raises(ProcessDiedError) as caught:
            guardian.wait(GONE_SECONDS)
    death = caught.value
    assert (death.process, death.exit_code, death.log_tail) == ("coitado", 3, "por causa disto")
    assert "coitado" in str(death)
    assert "por causa disto" in str(death)


def test_a_command_that_does_not_exist_is_an_early_death() -> None:
    with Guardian() as guardian, pytest.raises(ProcessDiedError, match="/nao/existe"):
        guardian.start("coitado", ["/nao/existe"], child_environment(guardian.run_dir))


def test_an_emulator_that_cannot_start_is_told_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with Guardian() as guardian:
        monkeypatch.setattr("infra.local.emulator.sys.executable", "/bin/false")
        started = time.monotonic()
        with pytest.raises(ProcessDiedError, match=PROCESS_NAME):
            start_emulator(guardian, choose_port(None, option="--porta-aws"))
    assert time.monotonic() - started < 10


def test_a_port_asked_for_and_taken_is_a_clear_error() -> None:
    with Guardian() as guardian:
        port = choose_port(None, option="--porta-aws")
        start_emulator(guardian, port)
        with pytest.raises(PortInUseError, match=rf"{port} \(--porta-gateway\)"):
            choose_port(port, option="--porta-gateway")


def test_everything_listens_on_loopback_only() -> None:
    with Guardian() as guardian:
        start_emulator(guardian, choose_port(None, option="--porta-aws"))
        listening = [
            connection.laddr.ip
            for process in session_members(guardian.session)
            for connection in process.net_connections(kind="inet")
            if connection.status == psutil.CONN_LISTEN
        ]
    assert set(listening) == {"127.0.0.1"}
