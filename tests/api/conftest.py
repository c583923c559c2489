"""A fresh world per test."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.api.world import World, build

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    with build(monkeypatch) as fresh:
        yield fresh


@pytest.fixture
def world_com_falhas(monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    with build(monkeypatch, falhas=True) as fresh:
        yield fresh
