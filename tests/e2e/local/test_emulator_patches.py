"""Each patch of the launcher works, and is still needed: a test of what stock does fails once upstream mends it."""

from __future__ import annotations

import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pytest

from infra.local import launcher
from infra.local.emulator import AwsLocal, environment, is_up
from infra.local.errors import EmulatorVersionError
from infra.local.processes import LOOPBACK, Guardian, choose_port, poll_until
from tests.e2e.local import function

if TYPE_CHECKING:
    from collections.abc import Generator

pytestmark = pytest.mark.e2e

PATCHES = {
    "disable_nagle": "launcher.disable_nagle(lambda_runtime.ProvidedWorker)",
    "shorten_log_wait": "launcher.shorten_log_wait(lambda_runtime.Worker)",
    "bound_concurrency": "launcher.bound_concurrency(lambda_svc)",
}
SCRIPT = """
import sys
from infra.local import launcher
from ministack import app
from ministack.core import lambda_runtime
from ministack.services import lambda_svc
{patches}
sys.argv = ["ministack"]
app.main()
"""
BURST = 10
# A packet held back by Nagle's algorithm waits 40 ms for the delayed ACK; the emulator waits 50 ms for a log line.
HELD_BACK_SECONDS = 0.035


@contextmanager
def emulator_without(patch: str) -> Generator[AwsLocal]:
    """An emulator with every patch but one, and the sample function on it."""
    script = SCRIPT.format(patches="\n".join(line for name, line in PATCHES.items() if name != patch))
    with Guardian() as guardian:
        port = choose_port(None, option="--porta-aws")
        guardian.start("emulador", [sys.executable, "-c", script], environment(port=port, run_dir=guardian.run_dir))
        aws = AwsLocal(endpoint=f"http://{LOOPBACK}:{port}")
        poll_until(
            lambda: True if is_up(f"{aws.endpoint}/_ministack/health") else None,
            awaited="the emulator",
            seconds=30,
            check=guardian.check,
        )
        function.create(aws, guardian.run_dir)
        yield aws


def fastest_seconds(aws: AwsLocal) -> float:
    """Of an invocation on a warm worker, past the first ones that TCP acknowledges at once.

    The fastest, because a busy machine makes any invocation slower and none faster.
    """

    def invoke() -> float:
        started = time.perf_counter()
        function.invoke(aws)
        return time.perf_counter() - started

    return min([invoke() for _ in range(20)][5:])


def workers_of_a_burst(aws: AwsLocal) -> set[int]:
    """The processes that served ten simultaneous invocations."""
    with ThreadPoolExecutor(BURST) as threads:
        running = [threads.submit(function.invoke, aws, action="sleep", seconds=0.3) for _ in range(BURST)]
        return {invocation.result()["pid"] for invocation in running}


@pytest.mark.usefixtures("deployment")
def test_a_patched_emulator_answers_at_once(emulator: AwsLocal) -> None:
    assert fastest_seconds(emulator) < HELD_BACK_SECONDS


@pytest.mark.parametrize("patch", ["disable_nagle", "shorten_log_wait"])
def test_upstream_still_holds_answers_back_without(patch: str) -> None:
    with emulator_without(patch) as aws:
        assert fastest_seconds(aws) >= HELD_BACK_SECONDS, f"upstream no longer needs {patch}: remove it"


@pytest.mark.usefixtures("deployment")
def test_a_patched_emulator_bounds_the_workers_of_a_function_and_refuses_nobody(emulator: AwsLocal) -> None:
    assert len(workers_of_a_burst(emulator)) <= launcher.CONCURRENCY_PER_FUNCTION


def test_upstream_still_starts_a_worker_per_concurrent_invocation() -> None:
    with emulator_without("bound_concurrency") as aws:
        workers = workers_of_a_burst(aws)
    assert len(workers) > launcher.CONCURRENCY_PER_FUNCTION, "upstream no longer needs bound_concurrency: remove it"


def test_another_version_of_the_emulator_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def newer(_package: str) -> str:
        return "1.5.34"

    monkeypatch.setattr(launcher, "version", newer)
    with pytest.raises(EmulatorVersionError, match=r"1\.5\.34.*1\.5\.33"):
        launcher.apply_patches()
