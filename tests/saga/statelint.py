"""The third-party linter, as a function."""

from __future__ import annotations

from typing import Any

from statelint.linter import Linter  # pyright: ignore[reportMissingTypeStubs]


def problems(definition: dict[str, Any]) -> list[str]:
    """What `statelint` finds wrong, one line each."""
    return Linter.validate(definition)
