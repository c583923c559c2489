"""A page as it is shown, and what a person would see wrong with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest

from tests.pictures.browser import chromium_path, is_required

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["NARROW", "NARROWEST", "NEEDS_CHROMIUM", "WIDE", "Sight"]

WIDE, NARROW, NARROWEST = 1400, 390, 320
"""A desk's window, a telephone, and the smallest one there is."""

NEEDS_CHROMIUM: Final = pytest.mark.skipif(
    chromium_path() is None and not is_required(),
    reason="chromium is not installed (apt install chromium; CESTA_CHROMIUM=obrigatorio makes this a failure)",
)
_LOOKS: Final = (Path(__file__).parent / "looks.js").read_text()
_HEIGHT: Final = 200
"""Of the window: what is measured is laid out all the same, and little of it is painted."""


class Sight:
    """One tab, and whatever it complained of or asked the network for."""

    def __init__(self, tab: Page) -> None:
        self.tab = tab
        self.complaints: list[str] = []
        tab.on("console", lambda message: self.complaints.append(message.text))
        tab.on("pageerror", lambda error: self.complaints.append(str(error)))
        tab.on("request", lambda request: self.complaints.append(f"pediu {request.url}"))

    def show(self, document: str) -> None:
        """Open an order's page."""
        self.complaints.clear()
        self.tab.set_content(document, wait_until="load")

    def findings(self, width: int, *, scheme: str = "light", forced: str = "none") -> list[str]:
        """What is wrong with it on a screen of that width and those colours."""
        self.tab.set_viewport_size({"width": width, "height": _HEIGHT})
        self.tab.emulate_media(color_scheme=scheme, forced_colors=forced)  # pyright: ignore[reportArgumentType]
        return [f"{width} {scheme} {forced}: {found}" for found in self.tab.evaluate(_LOOKS)]
