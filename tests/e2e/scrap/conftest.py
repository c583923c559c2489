"""A stack for tests that leave money taken and stock held, and nobody comes for it; its waits are short."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from infra.local.proofs.workbench import Workbench
from infra.local.stack import EmbeddedStack
from infra.ops.target import embedded
from tests.e2e.waits import SCRAP_WAIT_SCALE

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="package")
def bench() -> Iterator[Workbench]:
    """The stack, as a proof uses it; gone after the last test of the folder."""
    with EmbeddedStack.start(escala_espera=SCRAP_WAIT_SCALE) as stack:
        yield Workbench(embedded(stack.endpoints()))
