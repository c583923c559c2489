"""Numbers of a definition somebody else wrote: they may be anything."""

from __future__ import annotations

from typing import TypeGuard

__all__ = ["is_integer", "is_number", "number"]


def is_integer(value: object) -> TypeGuard[int]:
    """True for an integer that is not a boolean."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_number(value: object) -> TypeGuard[int | float]:
    """True for a number that is not a boolean."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def number(value: object, default: float) -> float:
    """``value`` if it is a number and not negative, else ``default``; what is wrong with it is another check's."""
    return value if is_number(value) and value >= 0 else default
