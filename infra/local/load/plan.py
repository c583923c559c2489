"""What a load sends: orders, the same ones again, others under their names, and messages that are no order at all."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from handlers.domain.clock import iso

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["LoadPlan", "malformed_bodies"]

PERCENT = 100


@dataclass(frozen=True)
class LoadPlan:
    """How much of what. Percentages are of the orders, 0 to 100, and are met exactly, spread evenly.

    Attributes:
        pedidos: orders, each with an id of its own.
        clientes: how many post at once.
        duplicados: percentage of orders posted twice, the same, at about the same time.
        divergentes: percentage posted again with another amount, once accepted.
        malformadas: messages put straight on the queue, as a percentage of the orders.
        recusados: percentage paid with a card that is refused: not every order of a real day ends well.
        skus: how many SKUs the orders share, so that their reservations meet on the same items; 1 makes it hot.
        represados: whether the orders wait in the queue, none of them posted, until the starter is let loose on all
            of them at once.
    """

    pedidos: int
    clientes: int
    duplicados: int = 0
    divergentes: int = 0
    malformadas: int = 0
    recusados: int = 10
    skus: int = 4
    represados: bool = False

    def is_duplicated(self, index: int) -> bool:
        """Whether the order of that index is posted twice."""
        return _is_picked(index, self.duplicados)

    def is_contradicted(self, index: int) -> bool:
        """Whether the order of that index is posted again with another amount."""
        return _is_picked(index, self.divergentes)

    def is_refused(self, index: int) -> bool:
        """Whether the card of the order of that index is refused."""
        return _is_picked(index, self.recusados)

    def malformed(self) -> int:
        """How many malformed messages there are."""
        return self.pedidos * self.malformadas // PERCENT


def _is_picked(index: int, percent: int) -> bool:
    """Whether ``index`` is one of the evenly spread ``percent`` of all indexes."""
    return index * percent // PERCENT != (index + 1) * percent // PERCENT


def malformed_bodies(count: int, run: str, orders: Sequence[dict[str, Any]]) -> list[str]:
    """That many messages the starter must refuse, no two alike: five kinds in turn.

    Args:
        count: how many.
        run: what makes the texts of this run its own.
        orders: orders of the same load, as posted: some messages lie about them.
    """
    return [_malformed(index, f"{run}-{index}", orders[index % len(orders)]) for index in range(count)]


def _malformed(index: int, mark: str, order: dict[str, Any]) -> str:
    stored = {name: order[name] for name in ("pedidoId", "sku", "quantidade", "valorCentavos")}
    # No order was accepted at the epoch, so this is never the stored order, however much of it is right.
    changed = {**stored, "criadoEm": iso(0.0), "nota": mark}
    kinds = (
        f"isto não é JSON {mark}",
        json.dumps([mark]),
        json.dumps({"pedidoId": order["pedidoId"], "nota": mark}),
        json.dumps({**changed, "pedidoId": f"desconhecido-{mark}"}),
        json.dumps({**changed, "valorCentavos": float("nan")}),
    )
    return kinds[index % len(kinds)]
