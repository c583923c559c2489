"""The functions, installed once: each run is a world of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.inprocess.functions import Installed, installed

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def here() -> Iterator[Installed]:
    with installed() as ready:
        yield ready
