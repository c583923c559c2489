"""``cesta estoque``: what it says of reservations that should not be there."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, Final

import pytest

from infra.ops import stock_view
from infra.ops.errors import UnknownSkuError
from infra.ops.facts import StockRow
from infra.ops.stock_view import look_at_stock, render_stock

pytestmark = pytest.mark.unit

TARGET: Final[Any] = SimpleNamespace(tabelas={"estoque": "cesta-estoque"})
ORDERS = {
    "p-em-curso": {"status": "RECEBIDO", "quantidade": 1, "criadoEm": "2026-08-07T01", "pendenteDesde": "x"},
    "p-em-dobro": {"status": "RECEBIDO", "quantidade": 1, "criadoEm": "2026-08-07T02", "pendenteDesde": "x"},
    "p-encerrado": {"status": "FALHOU_COMPENSADO", "quantidade": 1, "criadoEm": "2026-08-07T00"},
}


@pytest.fixture
def shelf(monkeypatch: pytest.MonkeyPatch) -> None:
    class Facts:
        def __init__(self, _: object) -> None: ...

        def stock(self, sku: str) -> StockRow | None:
            reservas = {
                "p-em-curso": 1,
                "p-em-dobro": 2,
                "p-encerrado": 1,
                "p-sumido": 1,
                "p-cancelado": -1_785_000_000,
            }
            return StockRow(sku, 5, reservas) if sku == "sku-abc" else None

        def order(self, pedido_id: str) -> dict[str, Any] | None:
            return ORDERS.get(pedido_id)

    monkeypatch.setattr(stock_view, "Facts", Facts)


@pytest.mark.usefixtures("shelf")
def test_each_reservation_that_should_not_be_is_told_with_why(capsys: pytest.CaptureFixture[str]) -> None:
    view = look_at_stock(TARGET, "sku-abc")
    assert (view["saldo"], view["reservado"], view["lapides"], view["naoMostradas"]) == (5, 5, 1, 0)
    assert {one["pedidoId"]: one["aviso"] for one in view["reservas"]} == {
        "p-sumido": "o pedido não existe",
        "p-encerrado": "o pedido já chegou ao fim",
        "p-em-curso": "",
        "p-em-dobro": "o pedido é de 1 unidade(s)",
    }
    render_stock(view)
    told = capsys.readouterr().out
    assert told.startswith("sku-abc: saldo 5, 5 reservada(s)\n")
    assert told.count("ATENÇÃO") == 3


@pytest.mark.usefixtures("shelf")
def test_of_many_reservations_only_some_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stock_view, "_SHOWN", 1)
    view = look_at_stock(TARGET, "sku-abc")
    assert (len(view["reservas"]), view["naoMostradas"], view["reservado"]) == (1, 3, 5)


@pytest.mark.usefixtures("shelf")
def test_an_unknown_sku_is_an_error_that_names_it() -> None:
    with pytest.raises(UnknownSkuError, match="sku-nenhum"):
        look_at_stock(TARGET, "sku-nenhum")
