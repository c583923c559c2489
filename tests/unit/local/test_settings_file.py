"""The stack file's settings reach the program as the Pulumi CLI would hand them over."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from infra.local.errors import SettingsFileError
from infra.local.settings_file import read_settings

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.unit


def written(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "Pulumi.local.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_values_are_text_and_overrides_win(tmp_path: Path) -> None:
    path = written(
        tmp_path,
        "config:\n  aws:region: us-east-1\n  cesta:injecaoDeFalhas: true\n  cesta:retencaoLogsDias: 7\n"
        "  cesta:gatewayUrl: https://example.com\n",
    )
    assert read_settings({"gatewayUrl": "http://127.0.0.1:1", "escalaEspera": "0.05"}, path=path) == {
        "aws:region": "us-east-1",
        "cesta:injecaoDeFalhas": "true",
        "cesta:retencaoLogsDias": "7",
        "cesta:gatewayUrl": "http://127.0.0.1:1",
        "cesta:escalaEspera": "0.05",
    }


def test_a_file_without_settings_has_none(tmp_path: Path) -> None:
    assert read_settings({}, path=written(tmp_path, "")) == {}


@pytest.mark.parametrize("text", ["config: [", "- a list", "config: 3", "config:\n  cesta:a:\n    secure: v1:abc\n"])
def test_a_file_that_cannot_be_used_is_one_clear_error(tmp_path: Path, text: str) -> None:
    with pytest.raises(SettingsFileError, match=r"Pulumi\.local\.yaml"):
        read_settings({}, path=written(tmp_path, text))


def test_a_file_that_is_not_there_is_one_clear_error(tmp_path: Path) -> None:
    with pytest.raises(SettingsFileError, match=r"Pulumi\.local\.yaml"):
        read_settings({}, path=tmp_path / "Pulumi.local.yaml")
