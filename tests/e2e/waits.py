"""How much shorter than real the waits of the e2e stacks are."""

from __future__ import annotations

from typing import Final

__all__ = ["SCRAP_WAIT_SCALE", "WAIT_SCALE"]

WAIT_SCALE: Final = 0.02
"""Retries fifty times as quick, and a doubt window of 18 s: still longer than the waits that lead into it."""

SCRAP_WAIT_SCALE: Final = 0.005
"""For orders that nobody will look after: the window need not outlast anything."""
