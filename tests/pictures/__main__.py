"""``make screenshots``: real orders on an embedded stack of their own, looked at in a real browser.

Writes docs/pedido.md and docs/img. Each maker has two halves, since a stack cannot be started while a browser is open:
the first makes what is to be seen, the second draws it.
"""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING, Any, Final

from infra.local.proofs.workbench import Workbench
from infra.local.stack import EmbeddedStack
from infra.ops.target import embedded
from tests.pictures.browser import chromium_path, opened
from tests.pictures.orders import draw_orders, make_orders
from tests.pictures.panel import draw_panel, make_panel

if TYPE_CHECKING:
    from collections.abc import Callable

    from playwright.sync_api import Browser

    Maker = tuple[str, Callable[[Workbench], Any], Callable[[Any, Browser], None]]

MAKERS: Final[tuple[Maker, ...]] = (
    ("pedidos, um de cada fim", make_orders, draw_orders),
    # After the orders, so that there is something to show.
    ("painel", make_panel, draw_panel),
)
"""What is pictured: a name, what makes it on the stack, what draws it. Add yours here."""

WAIT_SCALE: Final = 0.02


def main() -> int:
    """Make everything; the exit code."""
    if chromium_path() is None:
        print("falta o Chromium: apt install chromium", file=sys.stderr)  # noqa: T201
        return 1
    made: list[Any] = []
    with EmbeddedStack.start(escala_espera=WAIT_SCALE) as stack:
        bench = Workbench(embedded(stack.endpoints()))
        for name, make, _ in MAKERS:
            began = time.monotonic()
            made.append(make(bench))
            print(f"  {name:<36} {time.monotonic() - began:5.1f} s", file=sys.stderr)  # noqa: T201
    with opened() as browser:
        for (name, _, draw), seen in zip(MAKERS, made, strict=True):
            draw(seen, browser)
            print(f"  desenhado: {name}", file=sys.stderr)  # noqa: T201
    return 0


if __name__ == "__main__":
    sys.exit(main())
