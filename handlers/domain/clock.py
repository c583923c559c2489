"""Time, as the steps and the API use it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

__all__ = ["Clock", "iso"]

Clock = Callable[[], float]
"""Tells the time in seconds since the epoch (``time.time``); a dependency, so that tests own it."""


def iso(epoch: float) -> str:
    """``epoch`` (seconds) as the row's ISO-8601 UTC text, milliseconds included: ``2026-08-07T13:04:11.000Z``."""
    return datetime.fromtimestamp(epoch, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
