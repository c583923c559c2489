"""What the gateway simulator answers, or how it fails to: the shapes of the HTTP contract, in one place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from infra.local.simulator_records import EstadoCobranca, EstadoEstorno
from infra.local.simulator_tokens import Reply

if TYPE_CHECKING:
    from infra.local.simulator_records import Cobranca, Estorno

__all__ = [
    "IN_FLIGHT",
    "KEY_REUSED",
    "NO_TRANSACTION",
    "UNAVAILABLE",
    "Answer",
    "Drop",
    "Hang",
    "already_refunded",
    "charge_reply",
    "refund_reply",
]


@dataclass(frozen=True)
class Answer:
    """An HTTP answer: status code and JSON body."""

    status: int
    body: dict[str, object]


@dataclass(frozen=True)
class Hang:
    """No answer: the connection stays open until the client leaves. Give it back to `Gateway.hang_ended`."""

    cobranca: Cobranca


@dataclass(frozen=True)
class Drop:
    """No answer: the connection is closed at once."""


UNAVAILABLE: Final = Answer(503, {"codigo": "indisponivel"})
_BROKEN: Final = Answer(500, {"codigo": "erro_interno"})
IN_FLIGHT: Final = Answer(409, {"codigo": "em_andamento"})
KEY_REUSED: Final = Answer(409, {"codigo": "chave_reutilizada"})
NO_TRANSACTION: Final = Answer(404, {"codigo": "transacao_inexistente"})


def charge_reply(cobranca: Cobranca, reply: Reply) -> Answer | Hang:
    """How an attempt ends for the client, whatever happened to the money."""
    if reply is Reply.HANG:
        return Hang(cobranca)
    if reply is Reply.ERROR_500:
        return _BROKEN
    if cobranca.estado is EstadoCobranca.RECUSADA:
        return Answer(
            402, {"codigo": "cartao_recusado", "estado": cobranca.estado, "pedidoId": cobranca.pedido.pedido_id}
        )
    return Answer(
        201,
        {
            "transacaoId": cobranca.transacao_id,
            "pedidoId": cobranca.pedido.pedido_id,
            "valorCentavos": cobranca.pedido.valor_centavos,
            "estado": cobranca.estado,
        },
    )


def refund_reply(estorno: Estorno, *, pending: bool) -> Answer:
    """The refund was taken on: done, or pending at the bank."""
    return Answer(
        202 if pending else 201,
        {
            "estornoId": estorno.estorno_id,
            "transacaoId": estorno.pedido.transacao_id,
            "pedidoId": estorno.pedido.pedido_id,
            "valorCentavos": estorno.pedido.valor_centavos,
            "estado": EstadoEstorno.PENDENTE if pending else EstadoEstorno.CONCLUIDO,
        },
    )


def already_refunded(estorno: Estorno) -> Answer:
    """The money went back before, by ``estorno``."""
    return Answer(
        409,
        {
            "codigo": "ja_estornada",
            "estornoId": estorno.estorno_id,
            "transacaoId": estorno.pedido.transacao_id,
            "valorCentavos": estorno.pedido.valor_centavos,
        },
    )
