"""EfetivarReserva: the units of a confirmed order are sold. After the pivot: retried, never undone."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from handlers.domain import wiring
from handlers.domain.errors import ErroInesperado
from handlers.domain.runtime import step
from handlers.domain.status import Etapa, Status

if TYPE_CHECKING:
    from handlers.domain.event import Evento
    from handlers.domain.orders import Pedidos
    from handlers.domain.stock import Estoque


class Efetivacao(TypedDict):
    """Whether this run settled the reservation; False when an earlier one had."""

    efetivada: bool


def efetivar(pedido_id: str, *, sku: str, pedidos: Pedidos, estoque: Estoque) -> Efetivacao:
    """Settles the reservation, then takes the order out of the pending ones.

    In this order: a crash in between leaves the order findable, never a reservation nobody looks for.

    Raises:
        ErroInesperado: the order is not CONFIRMADO, or what `Estoque.efetivar` raises.
    """
    status = pedidos.ler_status(pedido_id)
    if status is not Status.CONFIRMADO:
        raise _nao_confirmado(pedido_id, status)
    efetivada = estoque.efetivar(pedido_id, sku)
    if not pedidos.encerrar_pendencia(pedido_id):
        raise _nao_confirmado(pedido_id, pedidos.ler_status(pedido_id))
    return {"efetivada": efetivada}


def _nao_confirmado(pedido_id: str, status: Status | None) -> ErroInesperado:
    return ErroInesperado(
        pedido_id,
        f"só se efetiva a reserva de um pedido CONFIRMADO, este está {status or 'ausente'}; confira a execução",
    )


@step(Etapa.EFETIVAR_RESERVA)
def handler(evento: Evento) -> Efetivacao:
    """The Lambda entry point."""
    return efetivar(evento.pedido_id, sku=evento.sku, pedidos=wiring.pedidos(), estoque=wiring.estoque())
