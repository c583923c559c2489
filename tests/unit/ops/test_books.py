"""The balance finds every promise broken, and nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from infra.ops.books import Books, violations
from infra.ops.facts import StockRow

if TYPE_CHECKING:
    from infra.ops.facts import Statement

pytestmark = pytest.mark.unit


def _order(status: str = "CONFIRMADO", **extra: object) -> dict[str, Any]:
    return {"pedidoId": "p", "sku": "s", "quantidade": 2, "valorCentavos": 500, "status": status, **extra}


def _statement(charged: list[int], returned: list[int], *, order: str = "p") -> Statement:
    return {
        "cobrancas": [
            {
                "pedidoId": order,
                "chave": "c",
                "transacaoId": f"t{index}",
                "valorCentavos": value,
                "tentativas": 1,
                "estado": "aprovada",
            }
            for index, value in enumerate(charged)
        ],
        "estornos": [
            {
                "pedidoId": order,
                "chave": "e",
                "estornoId": f"e{index}",
                "valorCentavos": value,
                "tentativas": 1,
                "estado": "concluido",
            }
            for index, value in enumerate(returned)
        ],
    }


def _books(
    order: dict[str, Any] | None,
    *,
    saldo: int,
    reservas: dict[str, int] | None = None,
    charged: list[int] | None = None,
    returned: list[int] | None = None,
    live: bool = False,
) -> Books:
    orders = {"p": order} if order is not None else {}
    stock = {"s": StockRow("s", saldo, reservas or {})}
    return Books(orders, stock, _statement(charged or [], returned or []), frozenset({"p"} if live else ()))


BALANCED = {
    "confirmed and settled": _books(_order(), saldo=8, charged=[500]),
    "confirmed, not settled yet": _books(_order(pendenteDesde="2026"), saldo=8, reservas={"p": 2}, charged=[500]),
    "received": _books(
        _order("RECEBIDO", cartaoToken="tok-x", pendenteDesde="2026"), saldo=8, reservas={"p": 2}, live=True
    ),
    "undone": _books(_order("FALHOU_COMPENSADO"), saldo=10, charged=[500], returned=[500]),
    "undone with a tombstone": _books(_order("FALHOU_COMPENSADO"), saldo=10, reservas={"p": -1_700_000_000}),
    "a person holds it": _books(_order("REQUER_INTERVENCAO_HUMANA"), saldo=8, reservas={"p": 2}, charged=[500]),
    "closed by a person who left it open": _books(
        _order("RESOLVIDO_MANUALMENTE", caso={"pendencias": '["estoque"]'}), saldo=8, reservas={"p": 2}, charged=[500]
    ),
    # Such an order has no case of the reconciler's: what was answered is in `resolucao` alone.
    "confirmed, its settling closed by a person who left it open": _books(
        _order(resolucao='{"pendencias": ["estoque"]}'), saldo=8, reservas={"p": 2}, charged=[500]
    ),
    "in doubt and said so": _books(_order("FALHOU_COMPENSADO", cobranca={"duvidosa": True}), saldo=10, charged=[500]),
}

BROKEN = {
    "oversold": (_books(_order(), saldo=-1, charged=[500]), "saldo -1"),
    "stock vanished": (_books(_order("FALHOU_COMPENSADO"), saldo=7), "esperado 10"),
    "stock created": (_books(_order("FALHOU_COMPENSADO"), saldo=12), "esperado 10"),
    "reserved for nobody": (_books(None, saldo=8, reservas={"p": 2}), "não existe"),
    "closed by a person with stock held": (
        _books(_order("RESOLVIDO_MANUALMENTE"), saldo=8, reservas={"p": 2}),
        "já está RESOLVIDO",
    ),
    "confirmed, closed by a person who named another thing": (
        _books(_order(resolucao='{"pendencias": ["cobranca"]}'), saldo=8, reservas={"p": 2}, charged=[500]),
        "já está CONFIRMADO",
    ),
    "reserved for a closed order": (_books(_order("FALHOU_COMPENSADO"), saldo=8, reservas={"p": 2}), "já está FALHOU"),
    "confirmed without money": (_books(_order(), saldo=8), "CONFIRMADO com 0"),
    "confirmed and refunded": (_books(_order(), saldo=8, charged=[500], returned=[500]), "CONFIRMADO com 0"),
    "failed with money": (_books(_order("FALHOU_COMPENSADO"), saldo=10, charged=[500]), "500 centavos do cliente"),
    "charged twice": (_books(_order(), saldo=8, charged=[500, 500]), "2 cobranças"),
    "refunded twice": (_books(_order("FALHOU_COMPENSADO"), saldo=10, charged=[500], returned=[500, 500]), "2 estornos"),
    "nobody at it": (_books(_order("COMPENSANDO"), saldo=8, reservas={"p": 2}, charged=[500]), "sem execução viva"),
    "money without an order": (_books(None, saldo=10, charged=[500]), "sem pedido"),
    "a token kept": (_books(_order(cartaoToken="tok-x"), saldo=8, charged=[500]), "token do cartão"),
}


@pytest.mark.parametrize("case", BALANCED)
def test_books_that_balance(case: str) -> None:
    assert violations(BALANCED[case], {"s": 10}) == []


@pytest.mark.parametrize("case", BROKEN)
def test_books_that_do_not(case: str) -> None:
    books, expected = BROKEN[case]
    found = violations(books, {"s": 10})
    assert any(expected in violation for violation in found), found


def test_a_sku_that_vanished_is_told() -> None:
    assert violations(Books({}, {}, _statement([], []), frozenset()), {"s": 10}) == ["s: sumiu do estoque"]
