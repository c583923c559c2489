"""ReservarEstoque: takes the order's units out of the free stock. Undone by LiberarEstoque."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from handlers.domain import wiring
from handlers.domain.runtime import step
from handlers.domain.status import Etapa

if TYPE_CHECKING:
    from handlers.domain.event import Evento
    from handlers.domain.stock import Estoque


class Reserva(TypedDict):
    """What the state machine keeps in ``$.reserva``: its presence says that the answer came back."""

    sku: str
    quantidade: int


def reservar(pedido_id: str, *, sku: str, quantidade: int, estoque: Estoque) -> Reserva:
    """Reserves ``quantidade`` units of ``sku``. Raises what `Estoque.reservar` raises."""
    estoque.reservar(pedido_id, sku, quantidade)
    return {"sku": sku, "quantidade": quantidade}


@step(Etapa.RESERVAR_ESTOQUE)
def handler(evento: Evento) -> Reserva:
    """The Lambda entry point."""
    return reservar(evento.pedido_id, sku=evento.sku, quantidade=evento.quantidade, estoque=wiring.estoque())
