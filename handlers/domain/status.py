"""The order's statuses and the one table of transitions every status write obeys.

Conditions of handlers, of the API and of the state machine's own ``updateItem`` states are all taken from
here, so that a late or duplicate writer can never move an order backwards (case C08).
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "FINAIS",
    "RECONCILER_TRANSITIONS",
    "TRANSITIONS",
    "Etapa",
    "EtapaDoCliente",
    "Status",
    "allowed_from",
    "etapa_do_cliente",
]


class Status(StrEnum):
    """Where an order stands, as stored in ``cesta-pedidos``."""

    RECEBIDO = "RECEBIDO"
    CONFIRMADO = "CONFIRMADO"
    COMPENSANDO = "COMPENSANDO"
    FALHOU_SEM_RESERVA = "FALHOU_SEM_RESERVA"
    FALHOU_COMPENSADO = "FALHOU_COMPENSADO"
    REQUER_INTERVENCAO_HUMANA = "REQUER_INTERVENCAO_HUMANA"
    RESOLVIDO_MANUALMENTE = "RESOLVIDO_MANUALMENTE"


class Etapa(StrEnum):
    """The names of the steps' states, as in the state machine (``falhas`` is keyed by them)."""

    RESERVAR_ESTOQUE = "ReservarEstoque"
    COBRAR_PAGAMENTO = "CobrarPagamento"
    CONFIRMAR_PEDIDO = "ConfirmarPedido"
    EFETIVAR_RESERVA = "EfetivarReserva"
    ESTORNAR_PAGAMENTO = "EstornarPagamento"
    LIBERAR_ESTOQUE = "LiberarEstoque"


FINAIS = frozenset(
    {Status.CONFIRMADO, Status.FALHOU_SEM_RESERVA, Status.FALHOU_COMPENSADO, Status.RESOLVIDO_MANUALMENTE}
)
"""Statuses the saga never leaves by itself."""

TRANSITIONS: Mapping[Status, frozenset[Status]] = {
    Status.RECEBIDO: frozenset(
        {
            Status.CONFIRMADO,
            Status.FALHOU_SEM_RESERVA,
            Status.FALHOU_COMPENSADO,
            Status.COMPENSANDO,
            Status.REQUER_INTERVENCAO_HUMANA,
        }
    ),
    Status.COMPENSANDO: frozenset({Status.FALHOU_COMPENSADO, Status.REQUER_INTERVENCAO_HUMANA}),
    Status.REQUER_INTERVENCAO_HUMANA: frozenset({Status.COMPENSANDO, Status.RESOLVIDO_MANUALMENTE}),
    Status.CONFIRMADO: frozenset(),
    Status.FALHOU_SEM_RESERVA: frozenset(),
    Status.FALHOU_COMPENSADO: frozenset(),
    Status.RESOLVIDO_MANUALMENTE: frozenset(),
}
"""What the saga may do."""

RECONCILER_TRANSITIONS: Mapping[Status, frozenset[Status]] = {
    Status.FALHOU_SEM_RESERVA: frozenset({Status.REQUER_INTERVENCAO_HUMANA}),
    Status.FALHOU_COMPENSADO: frozenset({Status.REQUER_INTERVENCAO_HUMANA}),
}
"""What only the reconciler may do besides, when money turns up for an order already closed."""


def allowed_from(target: Status) -> tuple[Status, ...]:
    """The statuses from which the saga may write ``target``, in the enum's order.

    ``target`` itself is among them: a retry after a lost answer is a success, not a conflict.
    """
    return tuple(status for status in Status if status is target or target in TRANSITIONS[status])


class EtapaDoCliente(StrEnum):
    """Where an order stands in a customer's eyes (``etapa`` of the API and of ``cesta pedido``)."""

    RECEBIDO = "recebido"
    COBRANDO = "cobrando"
    CONFIRMANDO = "confirmando"
    CONFIRMADO = "confirmado"
    DESFAZENDO = "desfazendo"
    CANCELADO = "cancelado"
    EM_ANALISE = "em_analise"


_ETAPA_DO_STATUS: Mapping[Status, EtapaDoCliente] = {
    Status.CONFIRMADO: EtapaDoCliente.CONFIRMADO,
    Status.COMPENSANDO: EtapaDoCliente.DESFAZENDO,
    Status.FALHOU_SEM_RESERVA: EtapaDoCliente.CANCELADO,
    Status.FALHOU_COMPENSADO: EtapaDoCliente.CANCELADO,
    Status.REQUER_INTERVENCAO_HUMANA: EtapaDoCliente.EM_ANALISE,
    Status.RESOLVIDO_MANUALMENTE: EtapaDoCliente.CANCELADO,
}


def etapa_do_cliente(status: Status, cobranca: str | None) -> EtapaDoCliente:
    """The customer's stage, from the order's row alone.

    Args:
        status: the order's status.
        cobranca: ``estado`` of its payment ledger, or None while no charge was tried.
    """
    if status is not Status.RECEBIDO:
        return _ETAPA_DO_STATUS[status]
    if cobranca is None:
        return EtapaDoCliente.RECEBIDO
    if cobranca == "APROVADA":
        return EtapaDoCliente.CONFIRMANDO
    return EtapaDoCliente.DESFAZENDO if cobranca == "RECUSADA" else EtapaDoCliente.COBRANDO
