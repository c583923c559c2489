"""ReservarEstoque: takes the order's units out of the free stock. Undone by LiberarEstoque."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from botocore.exceptions import ConnectionError, HTTPClientError

from handlers.domain import wiring
from handlers.domain.errors import ErroInesperado
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
    """Reserves ``quantidade`` units of ``sku``.

    Raises:
        ErroInesperado: no answer came, and the request may still arrive. The machine waits for longer than this
            function lives before the next attempt; an attempt at once might reserve, and the order be closed and its
            entry gone, before the first request arrives and takes the units again, for nobody.
        CestaError: what `Estoque.reservar` raises.
    """
    try:
        estoque.reservar(pedido_id, sku, quantidade)
    except (ConnectionError, HTTPClientError) as error:
        cause = type(error).__name__
    else:
        return {"sku": sku, "quantidade": quantidade}
    # Out of the except block, so that the SDK's own error is not dragged along.
    raise ErroInesperado(pedido_id, f"a reserva de {sku} ficou sem resposta e pode chegar ainda; espere", causa=cause)


@step(Etapa.RESERVAR_ESTOQUE)
def handler(evento: Evento) -> Reserva:
    """The Lambda entry point."""
    return reservar(
        evento.pedido_id, sku=evento.sku, quantidade=evento.quantidade, estoque=wiring.estoque_sem_repeticao()
    )
