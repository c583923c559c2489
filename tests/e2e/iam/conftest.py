"""A stack of its own whose emulator refuses what the roles' policies do not allow."""

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
def enforced() -> Iterator[EmbeddedStack]:
    with EmbeddedStack.start(escala_espera=WAIT_SCALE, iam=True) as stack:
        yield stack


@pytest.fixture(scope="package")
def guarded(enforced: EmbeddedStack) -> Workbench:
    """The stack, as a proof uses it."""
    return Workbench(embedded(enforced.endpoints()))
