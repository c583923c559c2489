"""LiberarEstoque: gives the order's units back to the free stock. Undoes ReservarEstoque."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, TypedDict

from handlers.domain import wiring
from handlers.domain.metrics import Metrica, emit
from handlers.domain.runtime import step
from handlers.domain.status import Etapa

if TYPE_CHECKING:
    from handlers.domain.clock import Clock
    from handlers.domain.event import Evento
    from handlers.domain.stock import Estoque


class Liberacao(TypedDict):
    """How many units went back; 0 when there was nothing to give back."""

    liberada: int


def liberar(pedido_id: str, *, sku: str, reserva_respondida: bool, estoque: Estoque, agora: Clock) -> Liberacao:
    """Releases whatever the order holds of ``sku``.

    A reservation whose answer never came back may still arrive, so a tombstone is left for it, found or not.
    Raises what `Estoque.liberar` raises.
    """
    lapide = None if reserva_respondida else int(agora())
    return {"liberada": estoque.liberar(pedido_id, sku, lapide=lapide)}


@step(Etapa.LIBERAR_ESTOQUE)
def handler(evento: Evento) -> Liberacao:
    """The Lambda entry point."""
    liberacao = liberar(
        evento.pedido_id,
        sku=evento.sku,
        reserva_respondida=evento.reserva_respondida,
        estoque=wiring.estoque(),
        agora=time.time,
    )
    if liberacao["liberada"] > 0 and evento.criado_em is not None:
        emit(Metrica.ESTOQUE_RETIDO, max(0, time.time() - evento.criado_em))
    return liberacao
