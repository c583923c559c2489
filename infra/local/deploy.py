"""Run a Pulumi program against the emulator, without the pulumi binary."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pulumi.runtime.mocks import MockEngine

from infra.config import LOCAL
from infra.local import worker_env
from infra.local.creators.base import Context
from infra.local.monitor import DeployedResource, LocalMonitor
from infra.pulumi_run import run_on_monitor

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from infra.local.emulator import AwsLocal
    from infra.local.monitor import OnResource

__all__ = ["Deployment", "deploy"]


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
    monitor = LocalMonitor(context, on_resource=on_resource or (lambda _: None))
    started = time.monotonic()
    try:
        run_on_monitor(program, stack=LOCAL, config=config, monitor=monitor, engine=MockEngine(None), dry_run=False)
    except Exception as error:
        # The SDK reports a failed resource once per dependent and wrapped; the first cause is ours to tell.
        if monitor.failure is None or error is monitor.failure:
            raise
        raise monitor.failure from error
    if monitor.failure is not None:
        raise monitor.failure
    return Deployment(outputs=monitor.outputs, resources=monitor.deployed, seconds=time.monotonic() - started)
