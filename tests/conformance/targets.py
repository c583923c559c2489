"""The two places the probes run on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from infra.local import worker_env
from infra.local.creators.functions import repack
from infra.local.emulator import configure
from infra.ops.target import AwsAccount
from tests.conformance.behaviour import Alvo
from tests.conformance.lab import Lab

if TYPE_CHECKING:
    from infra.local.emulator import AwsLocal
    from tests.conformance.lab import Package

__all__ = ["on_account", "on_emulator"]

WAIT_SCALE: Final = 0.05


def on_emulator(aws: AwsLocal) -> Lab:
    """A lab on a running emulator, whose waits pass twenty times faster."""
    configure(aws, wait_scale=WAIT_SCALE)
    return Lab(aws, Alvo.LOCAL, _custom_runtime, scale=WAIT_SCALE, endpoint=aws.endpoint)


def on_account() -> Lab:
    """A lab on the account and region of the environment (``AWS_PROFILE``, ``AWS_REGION``...)."""
    return Lab(AwsAccount.of_environment(), Alvo.AWS, _python_runtime)


def _custom_runtime(archive: bytes) -> Package:
    # On the emulator's own Python runtimes errors lose their names: see the fact error-class-name-stock-runtime.
    return "provided.al2023", repack(archive, worker_env.ensure())


def _python_runtime(archive: bytes) -> Package:
    return "python3.13", archive
