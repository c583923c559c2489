"""The embedded stack's settings: those of its ``Pulumi.local.yaml``, as the Pulumi CLI would hand them over."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, cast

import yaml

from infra.config import LOCAL
from infra.local.errors import SettingsFileError
from infra.names import PROJETO

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["SETTINGS_FILE", "read_settings"]

SETTINGS_FILE: Final = Path(__file__).resolve().parents[2] / f"Pulumi.{LOCAL}.yaml"


def read_settings(overrides: Mapping[str, str], *, path: Path = SETTINGS_FILE) -> dict[str, str]:
    """A stack file's settings as the SDK takes them, by full key, with some of them overridden.

    Args:
        overrides: settings of this project, keys without the prefix.
        path: a ``Pulumi.<stack>.yaml``.

    Raises:
        SettingsFileError: the file cannot be read or holds what the embedded stack cannot take.
    """
    try:
        content = cast("dict[str, Any]", yaml.safe_load(path.read_text(encoding="utf-8")) or {})
        given = cast("dict[str, object]", dict(content.get("config") or {}))
    except (OSError, yaml.YAMLError, AttributeError, TypeError, ValueError) as error:
        raise SettingsFileError(path, f"não consegui ler a configuração da stack: {error}") from error
    config = {key: _as_text(path, key, value) for key, value in given.items()}
    return config | {f"{PROJETO}:{key}": value for key, value in overrides.items()}


def _as_text(path: Path, key: str, value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str | int | float):
        return str(value)
    raise SettingsFileError(path, f"{key}: esperado um texto, número ou booleano, sem segredos cifrados")
