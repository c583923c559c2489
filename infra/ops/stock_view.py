"""Who holds a SKU: its free units and, order by order, the reserved ones, for whoever looks for a missing unit."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypedDict

import click

from handlers.domain.status import FINAIS
from infra.ops.errors import UnknownSkuError
from infra.ops.facts import Facts

if TYPE_CHECKING:
    from infra.ops.facts import OrderRow
    from infra.ops.target import Target

__all__ = ["Reservation", "SkuView", "look_at_stock", "render_stock"]

_SHOWN: Final = 50
"""Orders whose rows are read, each by a request: a SKU on sale may be reserved by hundreds at once."""


class Reservation(TypedDict):
    """Units an order holds of the SKU; ``aviso`` says why they should not be held, or is empty."""

    pedidoId: str
    reservado: int
    status: str
    criadoEm: str
    aviso: str


class SkuView(TypedDict):
    """The shape of ``cesta estoque SKU --json``. ``lapides`` counts cancelled reservations; they hold no unit."""

    sku: str
    saldo: int
    reservado: int
    reservas: list[Reservation]
    naoMostradas: int
    lapides: int


def look_at_stock(target: Target, sku: str) -> SkuView:
    """The SKU, and the orders that hold it, by age; with too many, the first by id. Raises `UnknownSkuError`."""
    facts = Facts(target)
    row = facts.stock(sku)
    if row is None:
        raise UnknownSkuError(sku, target.tabelas["estoque"])
    held = {pedido_id: units for pedido_id, units in row.reservas.items() if units > 0}
    chosen = sorted(held)[:_SHOWN]
    return {
        "sku": sku,
        "saldo": row.saldo,
        "reservado": sum(held.values()),
        "reservas": sorted(
            (_reservation(pedido_id, held[pedido_id], facts.order(pedido_id)) for pedido_id in chosen),
            key=lambda one: one["criadoEm"],
        ),
        "naoMostradas": len(held) - len(chosen),
        "lapides": len(row.reservas) - len(held),
    }


def _reservation(pedido_id: str, units: int, order: OrderRow | None) -> Reservation:
    return {
        "pedidoId": pedido_id,
        "reservado": units,
        "status": order["status"] if order is not None else "INEXISTENTE",
        "criadoEm": order["criadoEm"] if order is not None else "",
        "aviso": _warning(units, order),
    }


def _warning(units: int, order: OrderRow | None) -> str:
    if order is None:
        return "o pedido não existe"
    if units != order["quantidade"]:
        return f"o pedido é de {order['quantidade']} unidade(s)"
    if order["status"] in FINAIS and "pendenteDesde" not in order:
        return "o pedido já chegou ao fim"
    return ""


def render_stock(view: SkuView) -> None:
    """Print the view for a person at a terminal."""
    click.echo(f"{view['sku']}: saldo {view['saldo']}, {view['reservado']} reservada(s)")
    for one in view["reservas"]:
        warning = f"  ATENÇÃO: {one['aviso']}" if one["aviso"] else ""
        click.echo(f"  {one['reservado']} de {one['pedidoId']}, {one['status']}, criado em {one['criadoEm']}{warning}")
    if view["naoMostradas"]:
        click.echo(f"  e mais {view['naoMostradas']} pedido(s), que não foram lidos")
    if view["lapides"]:
        click.echo(f"Lápides de reservas canceladas: {view['lapides']} (não seguram unidade)")
