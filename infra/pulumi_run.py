"""One run of a Pulumi program through the SDK alone, on a monitor of ours: no engine, no pulumi binary."""

from __future__ import annotations

import asyncio
import contextvars
import logging
from contextlib import contextmanager
from typing import TYPE_CHECKING

import pulumi.runtime
from pulumi.runtime import settings
from pulumi.runtime.stack import run_in_stack

from infra.names import PROJETO

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

    from pulumi.runtime.mocks import MockEngine, MockMonitor

__all__ = ["run_on_monitor"]


def run_on_monitor(
    program: Callable[[], None],
    *,
    stack: str,
    config: Mapping[str, str],
    monitor: MockMonitor,
    engine: MockEngine,
    dry_run: bool,
) -> None:
    """Run the program to its end; raises what it raises. May be called again in the same process.

    Args:
        program: declares the resources.
        stack: the stack's name.
        config: its settings, all texts, by full key (``cesta:gatewayUrl``).
        monitor: told of each resource, and answers for it.
        engine: told of what the program logs.
        dry_run: whether this is a preview.
    """

    async def in_stack() -> None:
        pulumi.runtime.set_all_config(dict(config), [])
        settings.configure(
            settings.Settings(project=PROJETO, stack=stack, monitor=monitor, engine=engine, dry_run=dry_run)
        )
        await run_in_stack(program)

    # The SDK keeps its state in context variables: a context of its own makes each run independent.
    with _quiet_asyncio(), asyncio.Runner() as runner:
        runner.run(in_stack(), context=contextvars.Context())


@contextmanager
def _quiet_asyncio() -> Generator[None]:
    """A run that fails leaves futures nobody awaits any more, and asyncio logs each with a stack trace."""
    logger = logging.getLogger("asyncio")
    level = logger.level
    logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        logger.setLevel(level)
