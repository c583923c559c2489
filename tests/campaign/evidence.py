"""Books of a campaign, good ones, and what a test changes of them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from infra.ops.facts import StockRow
from tests.campaign.plan import Order
from tests.campaign.verdict import Evidence

if TYPE_CHECKING:
    from collections.abc import Mapping

    from infra.ops.facts import Charge, Refund
    from infra.ops.intervention import Pending

VALUE = 1_000
INITIAL = 10


def order(index: int = 0, quantidade: int = 1) -> Order:
    return Order(index, "sku-0", quantidade, VALUE, "tok-ok", {})


def charge(pedido_id: str, valor: int = VALUE, estado: str = "aprovada") -> Charge:
    return {
        "pedidoId": pedido_id,
        "chave": f"cesta-cobranca-{pedido_id}",
        "transacaoId": "tra-1",
        "valorCentavos": valor,
        "tentativas": 1,
        "estado": estado,
    }


def refund(pedido_id: str, valor: int = VALUE, estado: str = "concluido") -> Refund:
    return {
        "pedidoId": pedido_id,
        "chave": f"cesta-estorno-{pedido_id}",
        "estornoId": "est-1",
        "valorCentavos": valor,
        "tentativas": 1,
        "estado": estado,
    }


@dataclass(frozen=True)
class Books:
    """One order, ``p``, and one SKU with `INITIAL` units; as `evidence`."""

    status: str | None = None
    accepted: bool = True
    saldo: int = INITIAL
    reservas: Mapping[str, int] = field(default_factory=dict[str, int])
    charges: tuple[Charge, ...] = ()
    refunds: tuple[Refund, ...] = ()
    held: bool = False
    left_open: frozenset[Pending] = frozenset()

    @property
    def evidence(self) -> Evidence:
        return Evidence(
            posted={"p": order()},
            accepted=frozenset({"p"} if self.accepted else ()),
            status={} if self.status is None else {"p": self.status},
            stock={"sku-0": StockRow("sku-0", self.saldo, self.reservas)},
            initial={"sku-0": INITIAL},
            statement={"cobrancas": list(self.charges), "estornos": list(self.refunds)},
            held=frozenset({"p"} if self.held else ()),
            left_open={"p": self.left_open},
        )

    def but(self, **changed: object) -> Books:
        return replace(self, **changed)  # pyright: ignore[reportArgumentType]


CONFIRMED = Books(status="CONFIRMADO", saldo=INITIAL - 1, charges=(charge("p"),))
UNDONE = Books(status="FALHOU_COMPENSADO", charges=(charge("p"),), refunds=(refund("p"),))
