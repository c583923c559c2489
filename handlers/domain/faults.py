"""Fault injection: an order may carry the failure of its own steps, where the stack allows it (design §8).

``falhas: {"<state>": "antes" | "depois" | "morrer"}``, each optionally ``:N`` for the first N attempts only.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final, cast

from handlers.domain.errors import ErroInesperado

if TYPE_CHECKING:
    from handlers.domain.event import Evento
    from handlers.domain.status import Etapa

__all__ = ["FALHA", "Falha", "Momento", "antes_do_efeito", "depois_do_efeito", "planejada"]

FALHA: Final = re.compile(r"(?P<momento>antes|depois|morrer)(?::(?P<vezes>[1-9][0-9]{0,3}))?")
"""What may be planned for a state; the API refuses anything else at the door."""


class Momento(StrEnum):
    """When a fault strikes, and how."""

    ANTES = "antes"
    DEPOIS = "depois"
    MORRER = "morrer"


@dataclass(frozen=True)
class Falha:
    """A fault due in this attempt.

    Attributes:
        pedido_id: the order.
        etapa: the state it strikes.
        momento: when it strikes, and how.
    """

    pedido_id: str
    etapa: Etapa
    momento: Momento


def planejada(evento: Evento, etapa: Etapa) -> Falha | None:
    """The fault the order plans for this attempt at ``etapa``; None when it plans none.

    Raises:
        ErroInesperado: ``falhas`` is malformed.
    """
    if evento.falhas is None:
        return None
    if not isinstance(evento.falhas, dict):
        raise _malformed(evento.pedido_id)
    spec = cast("dict[str, object]", evento.falhas).get(etapa)
    if spec is None:
        return None
    match = FALHA.fullmatch(spec) if isinstance(spec, str) else None
    if match is None:
        raise _malformed(evento.pedido_id)
    vezes = match["vezes"]
    if vezes is not None and evento.tentativa >= int(vezes):
        return None
    return Falha(evento.pedido_id, etapa, Momento(match["momento"]))


def antes_do_efeito(falha: Falha | None) -> None:
    """Raises if ``falha`` strikes before the effect."""
    if falha is not None and falha.momento is Momento.ANTES:
        raise _injetada(falha)


def depois_do_efeito(falha: Falha | None) -> None:
    """Raises, or kills the process, if ``falha`` strikes after the effect."""
    if falha is None:
        return
    if falha.momento is Momento.MORRER:
        # No clean-up and no answer: what a real crash leaves behind.
        os._exit(1)
    if falha.momento is Momento.DEPOIS:
        raise _injetada(falha)


def _injetada(falha: Falha) -> ErroInesperado:
    return ErroInesperado(falha.pedido_id, f"falha injetada em {falha.etapa} ({falha.momento} do efeito)")


def _malformed(pedido_id: str) -> ErroInesperado:
    return ErroInesperado(
        pedido_id, 'falhas deveria ser {"<estado>": "antes" | "depois" | "morrer", com ":N" opcional}; corrija o pedido'
    )
