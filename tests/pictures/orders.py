"""``docs/pedido.md`` and its pictures: what `cesta pedido` really says of a real order at each end."""

from __future__ import annotations

import io
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Final

from PIL import Image

from infra.ops.page import page
from infra.ops.render import render
from infra.packaging import ROOT
from tests.pictures.scenes import SCENES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from playwright.sync_api import Browser

    from infra.local.proofs.workbench import Workbench
    from infra.ops.order_view import OrderView
    from tests.pictures.scenes import Scene

__all__ = ["DOCUMENT", "IMAGES", "draw_orders", "make_orders"]

DOCUMENT: Final = ROOT / "docs" / "pedido.md"
IMAGES: Final = ROOT / "docs" / "img"

_WIDE: Final = {"width": 1240, "height": 900}
_PHONE: Final = {"width": 390, "height": 900}
_COLOURS: Final = 96
"""Of a picture: the page has few, and their shades make the letters smooth."""

_INTRODUCTION: Final = """\
# Onde este pedido parou?

Este documento é escrito por `make screenshots`: cada saída abaixo é de um pedido de verdade, numa pilha local em que as
esperas são 50 vezes mais curtas. Não o edite à mão.

    cesta pedido ID                            # pilha local no ar
    cesta pedido ID --alvo aws --stack prod    # conta AWS do ambiente, com o papel de suporte
    cesta pedido ID --html                     # uma página, em pedido-ID.html, para ver ou anexar a um chamado
    cesta pedido ID --json                     # para scripts

## Como ler

| linha | o que diz |
|---|---|
| primeira | o que foi feito do pedido, e o status |
| Onde parou | a etapa em que está, ou de que não passou |
| Espera | desde quando uma pessoa precisa decidir; só aparece quando precisa |
| Dinheiro | o que foi cobrado, devolvido, ou se não se sabe; nunca afirma mais do que se sabe |
| Estoque | unidades ainda presas ao pedido |
| Motivo, Último erro | o que deu errado, em palavras; o nome do erro, para o chamado; o que ele disse, entre aspas |
| linha do tempo | uma linha por etapa: quando, quanto durou, quantas tentativas, e o que aconteceu |
| quem agiu | cliente, iniciador, saga, conciliador e pessoas, com a justificativa delas |
| Próximo passo | o que fazer; o comando embaixo é seguro como está: só mostra |

Id desconhecido: o comando diz onde procurou e sai com 1.

"""


def make_orders(bench: Workbench) -> list[OrderView]:
    """One order of each scene, all at once but the one for which nothing may start."""
    paused = [scene for scene in SCENES if scene.name == "p-recebido"]
    together = [scene for scene in SCENES if scene not in paused]
    with ThreadPoolExecutor(max_workers=4) as several:
        views = [made.result() for made in [several.submit(one.make, bench, one.name) for one in together]]
    views += [scene.make(bench, scene.name) for scene in paused]
    by_name = {view["pedidoId"]: view for view in views}
    return [by_name[scene.name] for scene in SCENES]


def draw_orders(views: Sequence[OrderView], browser: Browser) -> None:
    """Write the document and the pictures it shows."""
    IMAGES.mkdir(exist_ok=True)
    for scene, view in zip(SCENES, views, strict=True):
        if scene.pictured:
            _shoot(browser, view, IMAGES / f"pedido-{scene.name}.png")
    asked = views[[scene.name for scene in SCENES].index("p-espera-uma-pessoa")]
    _shoot(browser, asked, IMAGES / "pedido-p-espera-uma-pessoa-celular.png", phone=True)
    DOCUMENT.write_text(_INTRODUCTION + "\n".join(_told(views)), encoding="utf-8")


def _shoot(browser: Browser, view: OrderView, file: Path, *, phone: bool = False) -> None:
    context = browser.new_context(viewport=_PHONE if phone else _WIDE, color_scheme="dark" if phone else "light")  # pyright: ignore[reportArgumentType]
    tab = context.new_page()
    tab.set_content(page(view))
    shot = Image.open(io.BytesIO(tab.screenshot(full_page=True)))
    context.close()
    shot.convert("RGB").quantize(_COLOURS).save(file, optimize=True)


def _told(views: Sequence[OrderView]) -> Iterator[str]:
    yield "## Cada fim, e cada parada\n"
    for scene, view in zip(SCENES, views, strict=True):
        yield f"### {scene.title}\n"
        yield f"{scene.reading}\n"
        yield f"```\n$ cesta pedido {view['pedidoId']}\n{_text(view)}```\n"
        yield from _pictures(scene)


def _pictures(scene: Scene) -> Iterator[str]:
    if not scene.pictured:
        return
    yield f"A página (`--html`):\n\n![A página do pedido {scene.name}](img/pedido-{scene.name}.png)\n"
    if (IMAGES / f"pedido-{scene.name}-celular.png").exists():
        yield f"No celular, no modo escuro:\n\n![A mesma página, estreita](img/pedido-{scene.name}-celular.png)\n"


def _text(view: OrderView) -> str:
    """What the command prints, with nothing left at the ends of lines."""
    printed = io.StringIO()
    with redirect_stdout(printed):
        render(view)
    return "".join(f"{line.rstrip()}\n" for line in printed.getvalue().splitlines())
