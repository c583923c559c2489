"""What the collector of garbage need not do: collection makes none, and what it leaves lives as long as the run."""

from __future__ import annotations

import gc


def pytest_collection() -> None:
    gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()
