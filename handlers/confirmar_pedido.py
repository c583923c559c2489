"""ConfirmarPedido: the pivot. Either this write wins or EstornarPagamento's does, never both."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from handlers.domain import wiring
from handlers.domain.errors import ErroInesperado
from handlers.domain.runtime import step
from handlers.domain.status import Etapa, Status

if TYPE_CHECKING:
    from handlers.domain.event import Evento
    from handlers.domain.orders import Pedidos


class Confirmacao(TypedDict):
    """The order's status: CONFIRMADO."""

    status: str


def confirmar(pedido_id: str, *, pedidos: Pedidos) -> Confirmacao:
    """Confirms an order whose charge is APROVADA and which nobody is undoing.

    Raises:
        ErroInesperado: the order is being undone, closed, not charged, or missing.
    """
    if not pedidos.confirmar(pedido_id):
        status = pedidos.ler_status(pedido_id)
        # A confirmation made in between is this one's own success.
        if status is not Status.CONFIRMADO:
            raise ErroInesperado(
                pedido_id,
                f"só se confirma um pedido RECEBIDO com a cobrança APROVADA, este está {status or 'ausente'}; "
                "a saga vai desfazê-lo",
            )
    return {"status": Status.CONFIRMADO.value}


@step(Etapa.CONFIRMAR_PEDIDO)
def handler(evento: Evento) -> Confirmacao:
    """The Lambda entry point."""
    return confirmar(evento.pedido_id, pedidos=wiring.pedidos())
