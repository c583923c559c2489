"""Run a Pulumi program against the emulator, without the pulumi binary."""

from __future__ import annotations

import asyncio
import contextvars
import logging
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pulumi.runtime
from pulumi.runtime import settings
from pulumi.runtime.mocks import MockEngine
from pulumi.runtime.stack import run_in_stack

from infra.local import worker_env
from infra.local.creators.base import Context
from infra.local.emulator import AwsLocal
from infra.local.monitor import DeployedResource, LocalMonitor

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

    from infra.local.monitor import OnResource

__all__ = ["PROJECT", "STACK", "Deployment", "deploy", "preview"]

PROJECT: Final = "cesta"
STACK: Final = "local"


@dataclass(frozen=True)
class Deployment:
    """What a run of the program made.

    Attributes:
        outputs: the stack's exports.
        resources: every resource, in order of completion, with the seconds each took.
        seconds: the whole run.
    """

    outputs: Mapping[str, Any]
    resources: tuple[DeployedResource, ...]
    seconds: float


def deploy(
    aws: AwsLocal,
    config: Mapping[str, str],
    program: Callable[[], None],
    *,
    on_resource: OnResource | None = None,
    worker_python: Path | None = None,
) -> Deployment:
    """Create everything the program declares, in dependency order.

    Args:
        aws: the emulator.
        config: stack settings by full key (``cesta:gatewayUrl``), values as text.
        program: the Pulumi program.
        on_resource: called after each resource, from the thread that created it, one at a time.
        worker_python: the Python that runs the functions; the workers' environment by default.

    Raises:
        DeployError: the program uses what the embedded stack does not know, or the emulator refused a resource.
    """
    context = Context(aws=aws, worker_python=worker_python or worker_env.ensure())
    return _run(context, config, program, dry_run=False, on_resource=on_resource)


def preview(config: Mapping[str, str], program: Callable[[], None]) -> Deployment:
    """Run the program without creating anything; outputs that only creation gives are unknown to it.

    Raises:
        UnknownResourceTypeError: names every type without a creator.
        DeployError: the program uses something else the embedded stack does not know.
    """
    nowhere = Context(aws=AwsLocal(endpoint="http://127.0.0.1:1"), worker_python=Path("python"))
    return _run(nowhere, config, program, dry_run=True, on_resource=None)


def _run(
    context: Context,
    config: Mapping[str, str],
    program: Callable[[], None],
    *,
    dry_run: bool,
    on_resource: OnResource | None,
) -> Deployment:
    monitor = LocalMonitor(context, dry_run=dry_run, on_resource=on_resource or (lambda _: None))

    async def run() -> None:
        pulumi.runtime.set_all_config(dict(config), [])
        settings.configure(
            settings.Settings(project=PROJECT, stack=STACK, monitor=monitor, engine=MockEngine(None), dry_run=dry_run)
        )
        await run_in_stack(program)

    started = time.monotonic()
    with _quiet_asyncio(), asyncio.Runner() as runner:
        try:
            # The SDK keeps its state in context variables: a context of its own makes each run independent.
            runner.run(run(), context=contextvars.Context())
        except Exception as error:
            # The SDK reports a failed resource once per dependent and wrapped; the first cause is ours to tell.
            if monitor.failure is None or error is monitor.failure:
                raise
            raise monitor.failure from error
    if monitor.failure is not None:
        raise monitor.failure
    return Deployment(outputs=monitor.outputs, resources=monitor.deployed, seconds=time.monotonic() - started)


@contextmanager
def _quiet_asyncio() -> Generator[None]:
    """A failed run leaves futures nobody awaits any more, and asyncio logs each with a stack trace."""
    logger = logging.getLogger("asyncio")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(level)
