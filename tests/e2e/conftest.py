"""One embedded stack for the whole tier: real processes, real HTTP, real zips, the real program."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from infra.local.proofs.workbench import Workbench
from infra.local.stack import EmbeddedStack
from infra.ops.target import embedded

if TYPE_CHECKING:
    from collections.abc import Iterator

WAIT_SCALE = 0.02
"""Retries fifty times as quick, and a doubt window of 18 s: still longer than the waits that lead into it."""

SCRAP_WAIT_SCALE = 0.005


@pytest.fixture(scope="session")
def stack() -> Iterator[EmbeddedStack]:
    """The stack the tier shares; its tests use orders and SKUs of their own."""
    with EmbeddedStack.start(escala_espera=WAIT_SCALE) as stack:
        yield stack


@pytest.fixture(scope="session")
def bench(stack: EmbeddedStack) -> Workbench:
    """The stack, as a proof uses it."""
    return Workbench(embedded(stack.endpoints()))


@pytest.fixture(scope="session")
def scrap() -> Iterator[Workbench]:
    """A stack for tests that leave money taken and stock held, and nobody comes for it; its waits are short."""
    with EmbeddedStack.start(escala_espera=SCRAP_WAIT_SCALE) as stack:
        yield Workbench(embedded(stack.endpoints()))
