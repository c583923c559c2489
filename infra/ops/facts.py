"""What the tables and the payment gateway say of an order. Nothing here reads a card token."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypedDict

import urllib3
from boto3.dynamodb.types import TypeDeserializer

from policies.people import ORDER_ATTRIBUTES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from infra.ops.target import Target

__all__ = ["Charge", "Facts", "OrderRow", "Refund", "Statement", "StockRow", "plain"]

OrderRow = dict[str, Any]


class Charge(TypedDict):
    """A charge in the simulator's statement (design §10)."""

    pedidoId: str
    chave: str
    transacaoId: str | None
    valorCentavos: int
    tentativas: int
    estado: str


class Refund(TypedDict):
    """A refund in the simulator's statement."""

    pedidoId: str
    chave: str
    estornoId: str | None
    valorCentavos: int
    tentativas: int
    estado: str


class Statement(TypedDict):
    """``GET /_simulador/extrato``."""

    cobrancas: list[Charge]
    estornos: list[Refund]


@dataclass(frozen=True)
class StockRow:
    """A SKU's row.

    Attributes:
        sku: its key.
        saldo: units free.
        reservas: entry by order id: units when positive, a tombstone when negative.
    """

    sku: str
    saldo: int
    reservas: Mapping[str, int]

    def reserved(self, pedido_id: str) -> int:
        """Units held by the order; a tombstone holds none."""
        return max(self.reservas.get(pedido_id, 0), 0)

    def total(self) -> int:
        """Units free and held: changes only by goods in and by EfetivarReserva (design §5)."""
        return self.saldo + sum(units for units in self.reservas.values() if units > 0)


@dataclass(frozen=True)
class Facts:
    """Reads of one stack."""

    target: Target

    @cached_property
    def _http(self) -> urllib3.PoolManager:
        return urllib3.PoolManager(retries=False, timeout=urllib3.Timeout(total=10.0))

    def order(self, pedido_id: str) -> OrderRow | None:
        """The order's row without the card token, or None."""
        names = {f"#{index}": name for index, name in enumerate(ORDER_ATTRIBUTES)}
        found = self.target.dynamodb.get_item(
            TableName=self.target.tabelas["pedidos"],
            Key={"pedidoId": {"S": pedido_id}},
            ConsistentRead=True,
            ProjectionExpression=", ".join(names),
            ExpressionAttributeNames=names,
        )
        return plain(found["Item"]) if "Item" in found else None

    def stock(self, sku: str) -> StockRow | None:
        """The SKU's row, or None."""
        found = self.target.dynamodb.get_item(
            TableName=self.target.tabelas["estoque"], Key={"sku": {"S": sku}}, ConsistentRead=True
        )
        if "Item" not in found:
            return None
        row = plain(found["Item"])
        return StockRow(sku, row["saldo"], row.get("reservas", {}))

    def statement(self) -> Statement:
        """Every charge and refund the simulated gateway made."""
        return self._http.request("GET", f"{self.target.gateway}/_simulador/extrato").json()

    def charges(self, pedido_id: str) -> list[Charge]:
        """The order's charges that took money."""
        charges = self.statement()["cobrancas"]
        return [charge for charge in charges if charge["pedidoId"] == pedido_id and charge["estado"] == "aprovada"]

    def refunds(self, pedido_id: str) -> list[Refund]:
        """The order's refunds that gave money back."""
        refunds = self.statement()["estornos"]
        return [refund for refund in refunds if refund["pedidoId"] == pedido_id and refund["estado"] == "concluido"]

    def net_charged(self, pedido_id: str) -> int:
        """Centavos the customer is out of pocket, by the gateway's own books."""
        taken = sum(charge["valorCentavos"] for charge in self.charges(pedido_id))
        return taken - sum(refund["valorCentavos"] for refund in self.refunds(pedido_id))


def plain(item: Mapping[str, Any]) -> dict[str, Any]:
    """DynamoDB's typed values as plain ones; every number of ours is a whole one."""
    deserializer = TypeDeserializer()
    return {name: _whole(deserializer.deserialize(value)) for name, value in item.items()}


def _whole(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _whole(inner) for name, inner in value.items()}  # pyright: ignore[reportUnknownVariableType]
    if isinstance(value, list):
        return [_whole(inner) for inner in value]  # pyright: ignore[reportUnknownVariableType]
    return int(value) if hasattr(value, "as_integer_ratio") and not isinstance(value, bool) else value
