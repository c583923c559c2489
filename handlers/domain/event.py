"""The event a step receives from the state machine, checked and typed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final, cast

from handlers.domain.errors import ErroInesperado

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["PEDIDO_DESCONHECIDO", "Evento", "parse"]

PEDIDO_DESCONHECIDO: Final = "desconhecido"
"""Stands for the order's id in the error about an event that names none."""


@dataclass(frozen=True)
class Evento:
    """One attempt at one step of one order.

    Attributes:
        pedido_id: the order.
        sku: its product.
        quantidade: its units.
        criado_em: when it was accepted, epoch seconds; None when that cannot be told. No step depends on it.
        reserva_respondida: whether the reservation's answer came back (``$.reserva`` is there).
        falhas: the faults to inject, as posted; only `faults` looks inside.
        estado: the state's name.
        tentativa: 0 for the first attempt, then Step Functions' own RetryCount.
        execucao: the execution's ARN.
    """

    pedido_id: str
    sku: str
    quantidade: int
    criado_em: float | None
    reserva_respondida: bool
    falhas: object
    estado: str
    tentativa: int
    execucao: str


def parse(event: object) -> Evento:
    """Reads ``{"entrada": {...}, "contexto": {...}}``.

    Raises:
        ErroInesperado: the event is not what the state machine sends. The text names the field, never a value.
    """
    envelope = _mapping(PEDIDO_DESCONHECIDO, "evento", event)
    entrada = _mapping(PEDIDO_DESCONHECIDO, "entrada", envelope.get("entrada"))
    pedido_id = _text(PEDIDO_DESCONHECIDO, "entrada.pedidoId", entrada.get("pedidoId"))
    contexto = _mapping(pedido_id, "contexto", envelope.get("contexto"))
    return Evento(
        pedido_id=pedido_id,
        sku=_text(pedido_id, "entrada.sku", entrada.get("sku")),
        quantidade=_integer(pedido_id, "entrada.quantidade", entrada.get("quantidade"), minimum=1),
        criado_em=_moment(entrada.get("criadoEm")),
        reserva_respondida=entrada.get("reserva") is not None,
        falhas=entrada.get("falhas"),
        estado=_text(pedido_id, "contexto.estado", contexto.get("estado")),
        tentativa=_integer(pedido_id, "contexto.tentativa", contexto.get("tentativa"), minimum=0),
        execucao=_text(pedido_id, "contexto.execucao", contexto.get("execucao")),
    )


def _mapping(pedido_id: str, name: str, value: object) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise _malformed(pedido_id, name, "um objeto")
    return cast("dict[str, object]", value)


def _text(pedido_id: str, name: str, value: object) -> str:
    if not isinstance(value, str) or not value:
        raise _malformed(pedido_id, name, "um texto não vazio")
    return value


def _integer(pedido_id: str, name: str, value: object, *, minimum: int) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < minimum:
        raise _malformed(pedido_id, name, f"um inteiro a partir de {minimum}")
    return value


def _moment(value: object) -> float | None:
    try:
        return datetime.fromisoformat(str(value)).timestamp()
    except ValueError:
        return None


def _malformed(pedido_id: str, name: str, expected: str) -> ErroInesperado:
    return ErroInesperado(pedido_id, f"{name} do evento deveria ser {expected}; confira a definição da máquina")
