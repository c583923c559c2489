"""Everything readable of one order, read once, in the order that cannot mislead."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from infra.ops.errors import UnknownOrderError
from infra.ops.executions import executions_of
from infra.ops.facts import Facts

if TYPE_CHECKING:
    from infra.ops.facts import OrderRow, StockRow
    from infra.ops.history import Execution
    from infra.ops.target import Target

__all__ = ["Dossier", "read_dossier"]


@dataclass(frozen=True)
class Dossier:
    """One order at one moment.

    Attributes:
        row: its row, without the card token.
        executions: the saga's own, then those that resumed it, each with its history; none while it has not started,
            and none again once they are 90 days old.
        stock: its SKU's row, or None where there is no such SKU.
    """

    row: OrderRow
    executions: tuple[Execution, ...]
    stock: StockRow | None

    @property
    def pedido_id(self) -> str:
        """The order's id."""
        return self.row["pedidoId"]

    @property
    def last(self) -> Execution | None:
        """The execution that answers for the order now."""
        return self.executions[-1] if self.executions else None

    @property
    def reserved(self) -> int:
        """Units the order holds."""
        return self.stock.reserved(self.pedido_id) if self.stock is not None else 0


def read_dossier(target: Target, pedido_id: str) -> Dossier:
    """What is known of the order now; raises `UnknownOrderError`."""
    facts = Facts(target)
    executions = executions_of(target, pedido_id)
    # After the executions: what they wrote before they ended is then in the row.
    row = facts.order(pedido_id)
    if row is None:
        raise UnknownOrderError(pedido_id, target.tabelas["pedidos"])
    return Dossier(row, executions, facts.stock(row["sku"]))
