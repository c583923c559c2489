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


@pytest.fixture(scope="session")
def stack() -> Iterator[EmbeddedStack]:
    """The stack the tier shares; its tests use orders and SKUs of their own."""
    with EmbeddedStack.start(escala_espera=WAIT_SCALE) as stack:
        yield stack


@pytest.fixture(scope="session")
def bench(stack: EmbeddedStack) -> Workbench:
    """The stack, as a proof uses it."""
    return Workbench(embedded(stack.endpoints()))
