"""The payment ledger in an order's row: ``cobranca`` and ``estorno`` (design §5).

The ledger holds facts, not locks (case C36). INICIADA means "may have charged"; no ``cobranca`` means
"surely not charged". A fact learnt from the gateway is written whatever the order's status; starting
something new, a charge or a refund, depends on the status.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from handlers.domain.clock import iso
from handlers.domain.status import Status
from handlers.domain.table import Table, integer, member, n, optional_text, s, submap

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from handlers.domain.clock import Clock
    from handlers.domain.table import Item

__all__ = [
    "ATRIBUTOS_PARA_COBRAR",
    "ATRIBUTOS_PARA_ESTORNAR",
    "Cobranca",
    "EstadoDaCobranca",
    "EstadoDoEstorno",
    "Estorno",
    "LivroDePagamentos",
    "ParaCobrar",
    "ParaEstornar",
    "cobranca_de",
    "estorno_de",
]

ATRIBUTOS_PARA_COBRAR: Final = ("status", "cobranca", "valorCentavos", "cartaoToken")
"""What `LivroDePagamentos.ler_para_cobrar` reads: the only read of the card token there is."""

ATRIBUTOS_PARA_ESTORNAR: Final = ("status", "cobranca", "estorno")
"""What `LivroDePagamentos.ler_para_estornar` reads."""


class EstadoDaCobranca(StrEnum):
    """How far a charge got."""

    INICIADA = "INICIADA"
    APROVADA = "APROVADA"
    RECUSADA = "RECUSADA"


class EstadoDoEstorno(StrEnum):
    """How far a refund got."""

    INICIADO = "INICIADO"
    PENDENTE = "PENDENTE"
    CONCLUIDO = "CONCLUIDO"


@dataclass(frozen=True)
class Cobranca:
    """The charge, as known.

    Attributes:
        estado: INICIADA until the gateway's answer is known.
        valor_centavos: what was asked of the card, in centavos.
        em: first attempt, epoch seconds: the age of the gateway's key.
        ultima_tentativa: last attempt, epoch seconds: the doubt window counts from here.
        transacao_id: the gateway's id; None unless APROVADA.
    """

    estado: EstadoDaCobranca
    valor_centavos: int
    em: int
    ultima_tentativa: int
    transacao_id: str | None


@dataclass(frozen=True)
class Estorno:
    """The refund, as known.

    Attributes:
        estado: INICIADO until the gateway's answer is known.
        em: first attempt, epoch seconds: the age of the gateway's key.
        estorno_id: the gateway's id; None while INICIADO.
    """

    estado: EstadoDoEstorno
    em: int
    estorno_id: str | None


@dataclass(frozen=True)
class ParaCobrar:
    """What charging needs to know of an order.

    Attributes:
        status: where it stands.
        valor_centavos: its price, in centavos.
        cobranca: the charge so far.
        cartao_token: the card token; None once the order left RECEBIDO. Kept out of ``repr``.
    """

    status: Status
    valor_centavos: int
    cobranca: Cobranca | None
    cartao_token: str | None = field(repr=False)


@dataclass(frozen=True)
class ParaEstornar:
    """What refunding needs to know of an order.

    Attributes:
        status: where it stands.
        cobranca: the charge so far; None means surely not charged.
        estorno: the refund so far.
    """

    status: Status
    cobranca: Cobranca | None
    estorno: Estorno | None


class LivroDePagamentos:
    """The ledger of every order; each write says in its answer whether its condition held."""

    def __init__(self, client: DynamoDBClient, tabela: str, *, agora: Clock) -> None:
        self._table = Table(client, tabela, "pedidoId")
        self._agora = agora

    def ler_para_cobrar(self, pedido_id: str) -> ParaCobrar | None:
        """A consistent read, the card token included; None when there is no such order."""
        item = self._table.read(pedido_id, ATRIBUTOS_PARA_COBRAR)
        if item is None:
            return None
        return ParaCobrar(
            status=member(item, "status", Status),
            valor_centavos=integer(item, "valorCentavos"),
            cobranca=cobranca_de(item),
            cartao_token=optional_text(item, "cartaoToken"),
        )

    def ler_para_estornar(self, pedido_id: str) -> ParaEstornar | None:
        """A consistent read, without the card token; None when there is no such order."""
        item = self._table.read(pedido_id, ATRIBUTOS_PARA_ESTORNAR)
        if item is None:
            return None
        return ParaEstornar(status=member(item, "status", Status), cobranca=cobranca_de(item), estorno=estorno_de(item))

    def iniciar_cobranca(self, pedido_id: str, *, valor_centavos: int) -> bool:
        """Records the first attempt before it is made; False when the order left RECEBIDO or one is recorded."""
        agora = self._agora()
        cobranca: Item = {
            "estado": s(EstadoDaCobranca.INICIADA),
            "valorCentavos": n(valor_centavos),
            "em": n(int(agora)),
            "ultimaTentativa": n(_rounded_up(agora)),
        }
        return self._table.update(
            pedido_id,
            update="SET #cobranca = :cobranca, #atualizadoEm = :agora",
            condition="#status = :recebido AND attribute_not_exists(#cobranca)",
            values={":cobranca": {"M": cobranca}, ":recebido": s(Status.RECEBIDO), ":agora": s(iso(agora))},
        )

    def repetir_cobranca(self, pedido_id: str) -> bool:
        """Records a further attempt before it is made; False when the order left RECEBIDO or the outcome is known."""
        return self._table.update(
            pedido_id,
            update="SET #cobranca.#ultimaTentativa = :agora",
            condition="#status = :recebido AND #cobranca.#estado = :iniciada",
            values={
                ":agora": n(_rounded_up(self._agora())),
                ":recebido": s(Status.RECEBIDO),
                ":iniciada": s(EstadoDaCobranca.INICIADA),
            },
        )

    def aprovar_cobranca(self, pedido_id: str, *, transacao_id: str) -> bool:
        """Records that the money was taken; False when no charge, or another transaction, is recorded.

        An approval outranks a refusal: should the gateway ever contradict itself, money taken is the fact
        that must not be lost.
        """
        return self._table.update(
            pedido_id,
            update="SET #cobranca.#estado = :aprovada, #cobranca.#transacaoId = :transacao, #atualizadoEm = :agora",
            condition="#cobranca.#estado IN (:iniciada, :recusada) OR #cobranca.#transacaoId = :transacao",
            values={
                ":aprovada": s(EstadoDaCobranca.APROVADA),
                ":iniciada": s(EstadoDaCobranca.INICIADA),
                ":recusada": s(EstadoDaCobranca.RECUSADA),
                ":transacao": s(transacao_id),
                ":agora": s(iso(self._agora())),
            },
        )

    def recusar_cobranca(self, pedido_id: str) -> bool:
        """Records that the card was refused; False when no charge is recorded, or an approved one."""
        return self._table.update(
            pedido_id,
            update="SET #cobranca.#estado = :recusada, #atualizadoEm = :agora",
            condition="#cobranca.#estado IN (:iniciada, :recusada)",
            values={
                ":iniciada": s(EstadoDaCobranca.INICIADA),
                ":recusada": s(EstadoDaCobranca.RECUSADA),
                ":agora": s(iso(self._agora())),
            },
        )

    def marcar_duvidosa(self, pedido_id: str) -> bool:
        """Flags a charge nobody could find, for the reconciler to look up again; False once its outcome is known."""
        return self._table.update(
            pedido_id,
            update="SET #cobranca.#duvidosa = :sim",
            condition="#cobranca.#estado = :iniciada",
            values={":sim": {"BOOL": True}, ":iniciada": s(EstadoDaCobranca.INICIADA)},
        )

    def iniciar_estorno(self, pedido_id: str) -> bool:
        """Records the first attempt before it is made.

        False when a refund is recorded already, no approved charge is, or the order is not being undone.
        """
        agora = self._agora()
        estorno: Item = {"estado": s(EstadoDoEstorno.INICIADO), "em": n(int(agora))}
        return self._table.update(
            pedido_id,
            update="SET #estorno = :estorno, #atualizadoEm = :agora",
            condition=(
                "attribute_not_exists(#estorno) AND #cobranca.#estado = :aprovada "
                "AND NOT #status IN (:recebido, :confirmado)"
            ),
            values={
                ":estorno": {"M": estorno},
                ":aprovada": s(EstadoDaCobranca.APROVADA),
                ":recebido": s(Status.RECEBIDO),
                ":confirmado": s(Status.CONFIRMADO),
                ":agora": s(iso(agora)),
            },
        )

    def concluir_estorno(self, pedido_id: str, *, estorno_id: str) -> bool:
        """Records that the money went back; False when no refund is recorded."""
        return self._table.update(
            pedido_id,
            update="SET #estorno.#estado = :concluido, #estorno.#estornoId = :estorno, #atualizadoEm = :agora",
            condition="attribute_exists(#estorno)",
            values={
                ":concluido": s(EstadoDoEstorno.CONCLUIDO),
                ":estorno": s(estorno_id),
                ":agora": s(iso(self._agora())),
            },
        )

    def adiar_estorno(self, pedido_id: str, *, estorno_id: str) -> bool:
        """Records that the gateway took the refund and has not made it yet; False once it is known to be made."""
        return self._table.update(
            pedido_id,
            update="SET #estorno.#estado = :pendente, #estorno.#estornoId = :estorno",
            condition="#estorno.#estado IN (:iniciado, :pendente)",
            values={
                ":pendente": s(EstadoDoEstorno.PENDENTE),
                ":iniciado": s(EstadoDoEstorno.INICIADO),
                ":estorno": s(estorno_id),
            },
        )


def _rounded_up(agora: float) -> int:
    """Up, so that the doubt window, counted from here, never closes a fraction of a second early."""
    return math.ceil(agora)


def cobranca_de(item: Item) -> Cobranca | None:
    """The charge in an order's row; None when none was tried. Raises `MalformedItemError`."""
    cobranca = submap(item, "cobranca")
    if cobranca is None:
        return None
    return Cobranca(
        estado=member(cobranca, "estado", EstadoDaCobranca),
        valor_centavos=integer(cobranca, "valorCentavos"),
        em=integer(cobranca, "em"),
        ultima_tentativa=integer(cobranca, "ultimaTentativa"),
        transacao_id=optional_text(cobranca, "transacaoId"),
    )


def estorno_de(item: Item) -> Estorno | None:
    """The refund in an order's row; None when none was tried. Raises `MalformedItemError`."""
    estorno = submap(item, "estorno")
    if estorno is None:
        return None
    return Estorno(
        estado=member(estorno, "estado", EstadoDoEstorno),
        em=integer(estorno, "em"),
        estorno_id=optional_text(estorno, "estornoId"),
    )
