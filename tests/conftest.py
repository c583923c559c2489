"""How the tests are shared between workers (``make test``): what shares a stack runs beside it, in one of them."""

from __future__ import annotations

from pathlib import Path

import pytest

_E2E = Path(__file__).parent / "e2e"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Give each test the group that pytest-xdist keeps in one worker (``--dist loadgroup``)."""
    for item in items:
        item.add_marker(pytest.mark.xdist_group(_group(item)))


def _group(item: pytest.Item) -> str:
    folder = item.path.parent
    if folder == _E2E and "stack" in getattr(item, "fixturenames", ()):
        return "e2e"
    if folder.parent == _E2E:
        return str(folder)
    return str(item.path)
