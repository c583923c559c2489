"""Debian's Chromium, without a window and without a network."""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from playwright.sync_api import sync_playwright

if TYPE_CHECKING:
    from collections.abc import Generator

    from playwright.sync_api import Browser

__all__ = ["chromium_path", "is_required", "opened"]

_QUIET: Final = (
    *("--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
)
"""No sandbox: it looks at our own pages only, often as root in a container."""


def chromium_path() -> str | None:
    """Where Debian puts it, or None where it is not installed."""
    return shutil.which("chromium")


def is_required() -> bool:
    """Whether to do without it is a failure (``CESTA_CHROMIUM=obrigatorio``)."""
    return os.environ.get("CESTA_CHROMIUM") == "obrigatorio"


@contextmanager
def opened() -> Generator[Browser]:
    """The browser; ended with the block."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=list(_QUIET))
        try:
            yield browser
        finally:
            browser.close()
