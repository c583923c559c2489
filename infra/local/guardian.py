"""The process that ends everything the embedded stack started, however its parent ends.

``python -m infra.local.guardian`` leads a session of its own (so a Ctrl-C in the terminal does not reach what it
guards) and reads commands from its standard input, the read end of a pipe whose only writer is the parent. A parent
that exits, crashes or is killed closes that pipe: the kernel does it, on Linux and macOS alike, so no end of the
parent goes unseen. Then, or on SIGTERM, or when a process it guards dies, it kills every process of its session and
removes the run directory.

Commands, one JSON object a line: ``{"start": {"name", "argv", "env"}}``.
Events, one JSON object a line on standard output: ``{"event": "ready", "run_dir"}``,
``{"event": "started", "name", "pid"}``, ``{"event": "died", "name", "exit_code", "log_tail"}``.
"""

from __future__ import annotations

import json
import os
import selectors
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypedDict

import psutil

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import FrameType

__all__ = ["LOG_TAIL_BYTES", "RUN_DIR_PREFIX", "StartCommand", "end_session", "main", "session_members"]

RUN_DIR_PREFIX: Final = "cesta-local-"
LOG_TAIL_BYTES: Final = 4000
TICK_SECONDS: Final = 0.1
KILL_DEADLINE_SECONDS: Final = 10.0


class StartCommand(TypedDict):
    """One process to start: its name in messages, its command line and its whole environment."""

    name: str
    argv: list[str]
    env: dict[str, str]


def session_members(session: int) -> list[psutil.Process]:
    """The live processes of a session, its leader left out.

    A session holds every descendant, those whose own parent died included (a killed emulator's Lambda workers are
    no longer anybody's children), and its id is not given to a new process while a member lives. Descendants that
    left the session are found as long as their parents live.
    """
    found = {process.pid: process for process in psutil.process_iter() if _belongs(process, session)}
    with suppress(psutil.Error):
        for process in psutil.Process(session).children(recursive=True):
            found.setdefault(process.pid, process)
    return list(found.values())


def _belongs(process: psutil.Process, session: int) -> bool:
    try:
        # A zombie is dead already: only its parent can collect it, and that may be an init that never does.
        return process.pid != session and os.getsid(process.pid) == session and process.status() != psutil.STATUS_ZOMBIE
    except (OSError, psutil.Error):
        return False


def end_session(session: int) -> None:
    """Kill every member of the session but its leader, again and again until none is left (they may be forking)."""
    deadline = time.monotonic() + KILL_DEADLINE_SECONDS
    while (members := session_members(session)) and time.monotonic() < deadline:
        for process in members:
            with suppress(psutil.Error):
                process.kill()
        psutil.wait_procs(members, timeout=0.2)


class _Guardian:
    """The guardian's loop: commands in, deaths out, until it is time to end."""

    def __init__(self, run_dir: Path) -> None:
        self._run_dir = run_dir
        self._children: dict[str, subprocess.Popen[bytes]] = {}
        self._buffer = b""
        self._ending = False
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._on_signal)

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self._ending = True

    def run(self) -> None:
        """Serve the parent until it is gone, a child dies or a signal asks to end."""
        self._emit({"event": "ready", "run_dir": str(self._run_dir)})
        with selectors.DefaultSelector() as selector:
            selector.register(sys.stdin, selectors.EVENT_READ)
            while not self._ending:
                if selector.select(timeout=TICK_SECONDS):
                    self._read_commands()
                self._look_for_deaths()

    def _read_commands(self) -> None:
        chunk = os.read(sys.stdin.fileno(), 65536)
        if not chunk:
            self._ending = True
            return
        *lines, self._buffer = (self._buffer + chunk).split(b"\n")
        for line in lines:
            self._start(json.loads(line)["start"])

    def _start(self, command: StartCommand) -> None:
        name = command["name"]
        log = self._log_path(name)
        try:
            with log.open("ab") as output:
                child = subprocess.Popen(  # noqa: S603 - the command line comes from our own parent
                    command["argv"],
                    env=command["env"],
                    cwd=self._run_dir,
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=subprocess.STDOUT,
                )
        except OSError as error:
            self._report_death(name, exit_code=127, log_tail=str(error))
            return
        self._children[name] = child
        self._emit({"event": "started", "name": name, "pid": child.pid})

    def _look_for_deaths(self) -> None:
        for name, child in self._children.items():
            exit_code = child.poll()
            if exit_code is not None:
                self._report_death(name, exit_code=exit_code, log_tail=self._log_tail(name))
                return

    def _report_death(self, name: str, *, exit_code: int, log_tail: str) -> None:
        self._ending = True
        self._emit({"event": "died", "name": name, "exit_code": exit_code, "log_tail": log_tail})

    def _log_path(self, name: str) -> Path:
        return self._run_dir / f"{name}.log"

    def _log_tail(self, name: str) -> str:
        content = self._log_path(name).read_bytes()
        return content[-LOG_TAIL_BYTES:].decode(errors="replace").strip()

    def _emit(self, event: Mapping[str, object]) -> None:
        try:
            sys.stdout.write(json.dumps(event) + "\n")
            sys.stdout.flush()
        except OSError:
            # Nobody reads: the parent is gone.
            self._ending = True


def main() -> None:
    """Guard until the parent is gone, then leave no process and no file."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    run_dir = Path(tempfile.mkdtemp(prefix=RUN_DIR_PREFIX)).resolve()
    try:
        _Guardian(run_dir).run()
    finally:
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        end_session(os.getpid())
        shutil.rmtree(run_dir, ignore_errors=True)


if __name__ == "__main__":
    main()
