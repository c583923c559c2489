"""The emulator's process: ``python -m infra.local.launcher`` starts ministack as its own entry point does, patched.

Every patch of the emulator is in this file. They are written for one version, which is asserted, and each has a test
in ``tests/e2e/local/test_emulator_patches.py`` that fails once upstream no longer needs it.

Measured with stock ministack 1.5.33: 100 POSTs, 8 at a time, gave a p99 of 10.7 s, 106 processes and 46 orders in the
human state; with these patches all ended final in 4 s with 13 workers.
"""

from __future__ import annotations

import sys
import threading
from functools import partialmethod
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final

from infra.local.errors import EmulatorVersionError

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = [
    "CONCURRENCY_PER_FUNCTION",
    "LOG_WAIT_SECONDS",
    "MINISTACK_VERSION",
    "apply_patches",
    "bound_concurrency",
    "disable_nagle",
    "main",
    "shorten_log_wait",
]

MINISTACK_VERSION: Final = "1.5.33"
CONCURRENCY_PER_FUNCTION: Final = 2
LOG_WAIT_SECONDS: Final = {"first_line_wait": 0.004, "idle_confirm": 0.002}


def disable_nagle(worker_class: Any) -> None:
    """Send the Lambda Runtime API's answers at once.

    WHY: its HTTP handler writes headers and body in two packets, so Nagle's algorithm holds the second one until the
    worker's delayed ACK: 40 ms more on every invocation.
    """
    build: Callable[..., type] = worker_class._build_handler_class

    def build_without_nagle(worker: object, *args: object) -> type:
        handler_class = build(worker, *args)
        handler_class.disable_nagle_algorithm = True  # pyright: ignore[reportAttributeAccessIssue] - StreamRequestHandler's
        return handler_class

    worker_class._build_handler_class = build_without_nagle


def shorten_log_wait(worker_class: Any) -> None:
    """Wait less for a log line that may never come.

    WHY: after each invocation the emulator waits up to 50 ms for the worker's first log line while holding the
    answer back; a worker writes its log before it answers, so 4 ms are plenty but on a busy machine. A line that was
    not read by then is not lost: it is told with the worker's next call.
    """
    drain: Callable[..., str] = worker_class._drain_stderr_bounded
    worker_class._drain_stderr_bounded = partialmethod(drain, **LOG_WAIT_SECONDS)


def bound_concurrency(lambda_service: Any) -> None:
    """Let at most ``CONCURRENCY_PER_FUNCTION`` invocations of one function run at once; the others wait.

    WHY: the emulator starts a process per concurrent invocation, so a burst of orders starts a hundred of them on two
    cores and everything times out. Reserved concurrency is no way out: it refuses instead of waiting, and the state
    machine sees ``Lambda.Unknown``. One bound for all functions would let a busy one starve the rest (p99 1.3 s).
    """
    execute: Callable[..., object] = lambda_service._execute_function_provided_warm
    semaphores: dict[str, threading.Semaphore] = {}
    lock = threading.Lock()

    def execute_bounded(function: dict[str, Any], *args: object) -> object:
        arn: str = function.get("config", function)["FunctionArn"]
        with lock:
            semaphore = semaphores.setdefault(arn, threading.Semaphore(CONCURRENCY_PER_FUNCTION))
        with semaphore:
            return execute(function, *args)

    lambda_service._execute_function_provided_warm = execute_bounded


def apply_patches() -> None:
    """Apply every patch, in this process.

    Raises:
        EmulatorVersionError: another version is installed than the patches were written for.
    """
    found = version("ministack")
    if found != MINISTACK_VERSION:
        raise EmulatorVersionError(found=found, expected=MINISTACK_VERSION)
    # Imported here because ministack reads its environment when imported, and because it has no types.
    from ministack.core import lambda_runtime  # pyright: ignore[reportMissingTypeStubs]
    from ministack.services import lambda_svc  # pyright: ignore[reportMissingTypeStubs]

    disable_nagle(lambda_runtime.ProvidedWorker)
    shorten_log_wait(lambda_runtime.Worker)
    bound_concurrency(lambda_svc)


def main() -> None:
    """Serve until ended; the port and the rest come from the environment (``infra/local/emulator.py``)."""
    apply_patches()
    from ministack import app  # pyright: ignore[reportMissingTypeStubs]

    # Its entry point reads the command line, which is ours.
    sys.argv = ["ministack"]
    app.main()


if __name__ == "__main__":
    main()
