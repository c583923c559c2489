"""One embedded stack for all of the folder: real processes, real HTTP, real zips, the real program."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from infra.local.proofs.workbench import Workbench
from infra.local.stack import EmbeddedStack
from infra.ops.target import embedded
from tests.e2e.waits import WAIT_SCALE

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="package")
def stack() -> Iterator[EmbeddedStack]:
    """The stack the tests share, with orders and SKUs of their own; gone after the last of them."""
    with EmbeddedStack.start(escala_espera=WAIT_SCALE) as stack:
        yield stack


@pytest.fixture(scope="package")
def bench(stack: EmbeddedStack) -> Workbench:
    """The stack, as a proof uses it."""
    return Workbench(embedded(stack.endpoints()))
