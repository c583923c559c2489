"""The parent's side of the guardian: start processes that can't outlive us, and hear of their deaths."""

from __future__ import annotations

import json
import os
import random
import shutil
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Final, Self, TypeVar

from infra.local.errors import DeadlineError, PortInUseError, ProcessDiedError
from infra.local.guardian import StartCommand, end_session

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from types import TracebackType

__all__ = ["LOOPBACK", "Guardian", "child_environment", "choose_port", "poll_until"]

LOOPBACK: Final = "127.0.0.1"
START_DEADLINE_SECONDS: Final = 30.0
END_DEADLINE_SECONDS: Final = 20.0
# Below the ranges from which Linux and macOS take a client's own ports, so that no connection steals the port
# between choosing it and binding it.
FREE_PORTS: Final = range(20_000, 32_000)
# All that the processes inherit from us: no AWS_*, whose credentials must never reach an emulator, no *_PROXY, which
# would send the workers' calls to 127.0.0.1 to a proxy, no PYTHONPATH, which would show the project to the Lambda
# workers, and none of the emulator's own switches.
INHERITED: Final = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH")

T = TypeVar("T")


def poll_until(
    probe: Callable[[], T | None],
    *,
    awaited: str,
    seconds: float,
    interval: float = 0.05,
    check: Callable[[], None] | None = None,
) -> T:
    """Call ``probe`` until it gives something other than None.

    Args:
        probe: what to try; None means "not yet".
        awaited: what is awaited, for the message.
        seconds: deadline.
        interval: pause between tries, seconds.
        check: called before each try; raises when waiting has become pointless.

    Raises:
        DeadlineError: nothing came in time.
    """
    deadline = time.monotonic() + seconds
    while True:
        if check is not None:
            check()
        result = probe()
        if result is not None:
            return result
        if time.monotonic() >= deadline:
            raise DeadlineError(awaited, seconds=seconds)
        time.sleep(interval)


def _is_free(port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        if probe.connect_ex((LOOPBACK, port)) == 0:
            return False
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        # As the servers do: a port in TIME_WAIT is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((LOOPBACK, port))
        except OSError:
            return False
    return True


def child_environment(run_dir: Path) -> dict[str, str]:
    """The environment every process of the stack starts from.

    Args:
        run_dir: where it writes its temporary files.
    """
    inherited = {name: os.environ[name] for name in INHERITED if name in os.environ}
    # UTC as in Lambda: the emulator's environment is the one its Lambda workers get.
    return inherited | {"TMPDIR": str(run_dir), "TZ": "UTC"}


def choose_port(given: int | None, *, option: str, taken: Sequence[int] = ()) -> int:
    """The port given, or a free one.

    Args:
        given: the port the user asked for, if any.
        option: the option it is given with, for the message.
        taken: ports already chosen and not bound yet.

    Raises:
        PortInUseError: the port given is taken.
    """
    if given is not None:
        if given in taken or not _is_free(given):
            raise PortInUseError(given, option=option)
        return given
    candidates = (port for port in random.sample(FREE_PORTS, len(FREE_PORTS)) if port not in taken)
    return next(port for port in candidates if _is_free(port))


class Guardian:
    """Starts processes that end with this one, however this one ends.

    Use it as a context manager. ``run_dir`` is a fresh directory for everything the processes write; it is removed
    with them.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._run_dir: Path | None = None
        self._pids: dict[str, int] = {}
        self._death: ProcessDiedError | None = None
        self._closing = False
        self._process = subprocess.Popen(
            [sys.executable, "-m", "infra.local.guardian"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        )
        self._reader = threading.Thread(target=self._read_events, name="guardian-events", daemon=True)
        self._reader.start()
        try:
            self.run_dir = self._await(lambda: self._run_dir, "o guardião dos processos")
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def session(self) -> int:
        """Id of the session all guarded processes belong to."""
        return self._process.pid

    def start(self, name: str, argv: Sequence[str], env: Mapping[str, str]) -> int:
        """Start a process and return its pid.

        Args:
            name: the process in messages and the name of its log file.
            argv: command line.
            env: its whole environment: nothing is inherited.

        Raises:
            ProcessDiedError: it (or another one) could not start or died meanwhile.
        """
        command = StartCommand(name=name, argv=list(argv), env=dict(env))
        line = json.dumps({"start": command}).encode() + b"\n"
        stdin = self._process.stdin
        assert stdin is not None  # noqa: S101 - opened with PIPE
        with suppress(BrokenPipeError):  # a guardian that is gone is reported by the wait below
            stdin.write(line)
            stdin.flush()
        return self._await(lambda: self._pids.get(name), f"o início do processo {name}")

    def check(self) -> None:
        """Raise ProcessDiedError if a process of the stack, the guardian included, has died."""
        if self._death is not None:
            raise self._death

    def wait(self, seconds: float | None = None) -> None:
        """Block until a process dies (then raise ProcessDiedError) or the seconds are over."""
        with self._changed:
            self._changed.wait_for(lambda: self._death is not None, timeout=seconds)
        self.check()

    def close(self) -> None:
        """End every process and remove the run directory; returns when it is done. Safe to call again."""
        self._closing = True
        assert self._process.stdin is not None  # noqa: S101 - opened with PIPE
        with suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(timeout=END_DEADLINE_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join()

    def _await(self, probe: Callable[[], T | None], awaited: str) -> T:
        with self._changed:
            self._changed.wait_for(
                lambda: self._death is not None or probe() is not None, timeout=START_DEADLINE_SECONDS
            )
            self.check()
            result = probe()
        if result is None:
            raise DeadlineError(awaited, seconds=START_DEADLINE_SECONDS)
        return result

    def _read_events(self) -> None:
        assert self._process.stdout is not None  # noqa: S101 - opened with PIPE
        with self._process.stdout as events:
            for line in events:
                self._on_event(json.loads(line))
        # End of file: the guardian has ended, or is about to.
        exit_code = self._process.wait()
        if exit_code != 0:
            self._clean_up_after_guardian()
        if not self._closing and self._death is None:
            self._set_death(ProcessDiedError("guardião", exit_code=exit_code, log_tail=""))

    def _on_event(self, event: Mapping[str, object]) -> None:
        match event:
            case {"event": "ready", "run_dir": str(run_dir)}:
                with self._changed:
                    self._run_dir = Path(run_dir)
                    self._changed.notify_all()
            case {"event": "started", "name": str(name), "pid": int(pid)}:
                with self._changed:
                    self._pids[name] = pid
                    self._changed.notify_all()
            case {"event": "died", "name": str(name), "exit_code": int(exit_code), "log_tail": str(log_tail)}:
                self._set_death(ProcessDiedError(name, exit_code=exit_code, log_tail=log_tail))
            case _:
                raise ValueError(f"unknown event of the guardian: {sorted(event)}")

    def _set_death(self, death: ProcessDiedError) -> None:
        with self._changed:
            self._death = death
            self._changed.notify_all()

    def _clean_up_after_guardian(self) -> None:
        """The guardian was killed: its session still names all that it started."""
        end_session(self.session)
        if self._run_dir is not None:
            shutil.rmtree(self._run_dir, ignore_errors=True)
