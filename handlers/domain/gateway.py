"""The payment gateway, as the steps see it: what may be asked, and what may come back.

Everything that is not in these answers is an error class: unknown (`GatewayIndisponivelError`), in flight
(`ConflitoTransitorioError`) or a fault that a person must see (`ErroInesperado`).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, Protocol

from handlers.domain.errors import ErroInesperado

__all__ = [
    "IDADE_MAXIMA_DA_CHAVE_SEGUNDOS",
    "CobrancaAprovada",
    "CobrancaNoGateway",
    "CobrancaRecusada",
    "EstornoConcluido",
    "EstornoPendente",
    "GatewayDePagamento",
    "SituacaoDaCobranca",
    "SituacaoDoEstorno",
    "chave_da_cobranca",
    "chave_do_estorno",
    "transacao_conferida",
]

IDADE_MAXIMA_DA_CHAVE_SEGUNDOS: Final = 20 * 3600
"""A key lives 24 h at the gateway; past this age (seconds) an operation is looked up, never sent again (design §5)."""


def chave_da_cobranca(pedido_id: str) -> str:
    """The idempotency key of the order's only charge."""
    return f"cesta-cobranca-{pedido_id}"


def chave_do_estorno(pedido_id: str) -> str:
    """The idempotency key of the order's only refund; never the charge's (case C38)."""
    return f"cesta-estorno-{pedido_id}"


class SituacaoDaCobranca(StrEnum):
    """What the gateway's look-up says of a charge."""

    APROVADA = "aprovada"
    RECUSADA = "recusada"
    EM_ANDAMENTO = "em_andamento"


class SituacaoDoEstorno(StrEnum):
    """What the gateway's look-up says of a refund."""

    CONCLUIDO = "concluido"
    PENDENTE = "pendente"


@dataclass(frozen=True)
class CobrancaAprovada:
    """The money was taken, for the amount that was asked.

    Attributes:
        transacao_id: the gateway's id of the charge.
    """

    transacao_id: str


@dataclass(frozen=True)
class CobrancaRecusada:
    """The card was refused: surely not charged."""


@dataclass(frozen=True)
class EstornoConcluido:
    """The whole amount went back, now or before.

    Attributes:
        estorno_id: the gateway's id of the refund.
    """

    estorno_id: str


@dataclass(frozen=True)
class EstornoPendente:
    """The gateway took the refund and has not made it yet: not a success.

    Attributes:
        estorno_id: the gateway's id of the refund.
    """

    estorno_id: str


@dataclass(frozen=True)
class CobrancaNoGateway:
    """An order's charge as the gateway's look-up knows it.

    Attributes:
        situacao: approved, refused, or still in flight.
        valor_centavos: the amount charged, in centavos.
        transacao_id: the gateway's id; None unless approved.
        valor_estornado_centavos: how much of it went back, in centavos.
        estorno_id: the refund's id; None when there is none.
        situacao_do_estorno: None when there is no refund.
    """

    situacao: SituacaoDaCobranca
    valor_centavos: int
    transacao_id: str | None = None
    valor_estornado_centavos: int = 0
    estorno_id: str | None = None
    situacao_do_estorno: SituacaoDoEstorno | None = None


def transacao_conferida(pedido_id: str, cobranca: CobrancaNoGateway, *, valor_centavos: int) -> str:
    """The id of an approved charge that was looked up, once its amount is seen to be the ledger's.

    Raises:
        ErroInesperado: another amount was charged: a person must look.
    """
    if cobranca.transacao_id is None or cobranca.valor_centavos != valor_centavos:
        raise ErroInesperado(
            pedido_id,
            f"o gateway cobrou {cobranca.valor_centavos} centavos e o livro diz {valor_centavos}; "
            "confira e estorne no painel do gateway",
        )
    return cobranca.transacao_id


class GatewayDePagamento(Protocol):
    """A payment gateway that honours an idempotency key per operation.

    Every method raises `GatewayIndisponivelError` when the outcome is unknown, `ConflitoTransitorioError`
    when the gateway says the operation is in flight, and `ErroInesperado` for anything outside the contract.
    """

    def cobrar(self, pedido_id: str, *, cartao_token: str, valor_centavos: int) -> CobrancaAprovada | CobrancaRecusada:
        """Charges the card; the same answer again for the same order."""
        ...

    def estornar(self, pedido_id: str, *, transacao_id: str, valor_centavos: int) -> EstornoConcluido | EstornoPendente:
        """Gives the whole charge back; one already given back is `EstornoConcluido`."""
        ...

    def consultar(self, pedido_id: str) -> CobrancaNoGateway | None:
        """The order's charge; None when the gateway knows of none.

        Several charges of one order can't be: `ErroInesperado`.
        """
        ...
