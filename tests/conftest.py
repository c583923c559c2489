"""How the tests are shared between workers (``make test``): what shares a stack runs beside it, in one of them."""

from __future__ import annotations

from pathlib import Path

import pytest

_E2E = Path(__file__).parent / "e2e"
_CONFORMANCE = Path(__file__).parent / "conformance"
_STACKS = {"stack", "scrap"}
"""Fixtures of the e2e tier that are a stack each, brought up once a worker."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give each test the group that pytest-xdist keeps in one worker (``--dist loadgroup``)."""
    for item in items:
        item.add_marker(pytest.mark.xdist_group(_group(item)))


def _group(item: pytest.Item) -> str:
    folder = item.path.parent
    shared = _STACKS.intersection(getattr(item, "fixturenames", ()))
    if folder == _E2E and shared:
        return f"e2e-{min(shared)}"
    if folder.parent == _E2E or folder == _CONFORMANCE:
        return str(folder)
    return str(item.path)
