"""What a function reads from its environment, typed. The names are in `environment`, the Pulumi program sets them."""

from __future__ import annotations

import math
import os

__all__ = ["SettingError", "flag", "optional", "required", "seconds"]


class SettingError(Exception):
    """An environment variable is absent or unusable. Never leaves a step: `failures` wraps it.

    Attributes:
        name: the variable.
    """

    def __init__(self, name: str, expected: str) -> None:
        self.name = name
        super().__init__(f"variável de ambiente {name} ausente ou inválida: esperado {expected}; corrija a pilha")


def required(name: str) -> str:
    """The text of ``name``. Raises `SettingError` when absent or empty."""
    value = os.environ.get(name, "")
    if not value:
        raise SettingError(name, "um texto não vazio")
    return value


def optional(name: str) -> str | None:
    """The text of ``name``, None when absent or empty."""
    return os.environ.get(name) or None


def seconds(name: str) -> float:
    """The positive, finite number of seconds in ``name``. Raises `SettingError` otherwise."""
    try:
        value = float(required(name))
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value > 0):
        raise SettingError(name, "um número de segundos maior que zero")
    return value


def flag(name: str) -> bool:
    """Whether ``name`` is ``true``; absent is ``false``, anything else raises `SettingError`.

    An absent switch is off: the only one there is injects faults.
    """
    value = os.environ.get(name, "false")
    if value not in ("true", "false"):
        raise SettingError(name, "true ou false")
    return value == "true"
