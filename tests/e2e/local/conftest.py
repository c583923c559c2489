"""One emulator with the sample program deployed, shared by the tests that only look at it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from infra.local import worker_env
from infra.local.deploy import Deployment, deploy
from infra.local.emulator import AwsLocal, configure, start_emulator
from infra.local.processes import Guardian, choose_port
from tests.e2e.local import function, sample

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="package")
def guardian() -> Iterator[Guardian]:
    with Guardian() as running:
        yield running


@pytest.fixture(scope="package")
def emulator(guardian: Guardian) -> AwsLocal:
    aws = start_emulator(guardian, choose_port(None, option="--porta-aws"))
    configure(aws, wait_scale=0.05)
    return aws


@pytest.fixture(scope="package")
def deployment(guardian: Guardian, emulator: AwsLocal) -> Deployment:
    package = function.write_zip(guardian.run_dir / "sample.zip")
    return deploy(emulator, {}, sample.program(package), worker_python=worker_env.ensure())
