"""What is done to the processes of a stack: workers killed, the gateway stood still, executions stopped."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import psutil
from botocore.exceptions import BotoCoreError, ClientError

from tests.campaign.plan import FROZEN_SECONDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from infra.local.stack import EmbeddedStack
    from tests.campaign.system import System

__all__ = ["Blows"]

HUNT_SECONDS: Final = 3.0
"""How long a worker of the function in turn may take to be at work."""
HUNT_PAUSE_SECONDS: Final = 0.2
STOP_SECONDS: Final = 30.0
STOP_PAUSE_SECONDS: Final = 0.2
_WORKER: Final = "awslambdaric"
_FUNCTION: Final = "AWS_LAMBDA_FUNCTION_NAME"


@dataclass
class Blows:
    """Strikes one system; every strike tells whether it found something to strike.

    Attributes:
        killed: workers killed, by function; every function of the system is there.
    """

    stack: EmbeddedStack
    system: System
    seed: int
    killed: Counter[str] = field(init=False)
    _aimed: Counter[str] = field(init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _thaw: threading.Timer | None = None
    _draw: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.killed = Counter(dict.fromkeys(self.system.functions, 0))
        self._aimed = self.killed.copy()
        self._draw = random.Random(f"{self.seed}-vitimas")  # noqa: S311 - reproducible, not secret

    def kill(self) -> bool:
        """SIGKILL a worker of the function whose turn it is: while it works, or else while it waits.

        In turn, among those that have a worker: whoever is busiest would take nearly all of them.
        """
        with self._lock:
            present = sorted({name for name, _ in self._workers()})
            if not present:
                return False
            function = min(present, key=lambda name: self._aimed[name])
            self._aimed[function] += 1
        victim = self._at_work(function) or next((worker for name, worker in self._workers() if name == function), None)
        if victim is None:
            return False
        with suppress(psutil.NoSuchProcess):
            victim.kill()
        with self._lock:
            self.killed[function] += 1
        return True

    def _at_work(self, function: str) -> psutil.Process | None:
        deadline = time.monotonic() + HUNT_SECONDS
        while time.monotonic() < deadline:
            for name, worker in self._workers():
                if name == function and _is_at_work(worker):
                    return worker
            time.sleep(HUNT_PAUSE_SECONDS)
        return None

    def stop(self) -> bool:
        """StopExecution of one execution that runs, waiting for one if need be."""
        deadline = time.monotonic() + STOP_SECONDS
        while time.monotonic() < deadline:
            running = sorted(self.system.running())
            # One that ended by itself a moment ago is refused.
            with suppress(ClientError, BotoCoreError):
                if running:
                    self.system.stop(self._draw.choice(running))
                    return True
            time.sleep(STOP_PAUSE_SECONDS)
        return False

    def freeze(self) -> bool:
        """Stand the gateway still for a while: it answers nobody, and then does all it was asked meanwhile."""
        if self._thaw is not None and self._thaw.is_alive():
            return False
        gateway = self._gateway()
        gateway.suspend()
        self._thaw = threading.Timer(FROZEN_SECONDS, _resume, [gateway])
        self._thaw.start()
        return True

    def end(self) -> None:
        """Nothing stays frozen."""
        if self._thaw is not None:
            self._thaw.join()

    def _gateway(self) -> psutil.Process:
        return next(process for process in self.stack.processes() if "infra.local.simulator" in _command(process))

    def _workers(self) -> Iterator[tuple[str, psutil.Process]]:
        """The system's workers, each with its function."""
        for process in self.stack.processes():
            if _WORKER not in _command(process):
                continue
            with suppress(psutil.Error):
                name = process.environ().get(_FUNCTION, "")
                if name in self.killed:
                    yield name, process


def _resume(process: psutil.Process) -> None:
    with suppress(psutil.NoSuchProcess):
        process.resume()


def _command(process: psutil.Process) -> list[str]:
    try:
        return process.cmdline()
    except psutil.Error:
        return []


def _is_at_work(worker: psutil.Process) -> bool:
    """Whether it talks to somebody besides the runtime that hands it invocations."""
    try:
        return len(worker.net_connections("tcp")) > 1 and worker.cpu_percent(interval=0.01) > 0
    except psutil.Error:
        return False
