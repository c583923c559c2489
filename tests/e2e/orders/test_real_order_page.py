"""The page of an order that went through the embedded stack: as legible as those of the stories.

In a file of its own: a browser that is open keeps an event loop running, and the stack's start needs one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from handlers.domain.status import Etapa
from infra.ops.order_view import look
from infra.ops.page import page
from tests.pictures.browser import opened
from tests.pictures.sight import NARROW, NEEDS_CHROMIUM, WIDE, Sight

if TYPE_CHECKING:
    from infra.local.proofs.workbench import Workbench

pytestmark = [pytest.mark.e2e, NEEDS_CHROMIUM]


def test_the_page_of_a_real_order_is_as_legible(bench: Workbench) -> None:
    order = bench.order("pagina", bench.stock_sku("pagina"), falhas={Etapa.CONFIRMAR_PEDIDO.value: "antes"})
    pedido_id = bench.post(order)
    bench.end(pedido_id)
    view = look(bench.target, pedido_id)
    with opened() as browser:
        sight = Sight(browser.new_page())
        sight.show(page(view))
        assert sight.findings(WIDE) + sight.findings(NARROW, scheme="dark") == []
        assert sight.complaints == []
        assert "terminou aqui" in sight.tab.locator("figure svg:visible text.aqui").all_text_contents()
    assert view["resumo"]["dinheiro"] == "R$ 140,00 cobrados e devolvidos por inteiro"
    assert view["erro"] is not None
    assert view["erro"]["mensagem"] == "falha injetada em ConfirmarPedido (antes do efeito)"
