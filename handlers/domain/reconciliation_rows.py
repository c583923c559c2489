"""An order's row as the reconciler reads it, and the few conditional writes by which it acts.

Every write demands the row that was read, so that the reconciler beside itself, or beside a live execution, loses
the race instead of winning it twice. The card token is never read, and a claim removes it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from handlers.domain.clock import iso
from handlers.domain.ledger import Cobranca, Estorno, cobranca_de, estorno_de
from handlers.domain.orders import Pedido
from handlers.domain.status import FINAIS, RECONCILER_TRANSITIONS, TRANSITIONS, Status
from handlers.domain.table import Table, integer, member, n, optional_text, s, submap, text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import AttributeValueTypeDef

    from handlers.domain.clock import Clock
    from handlers.domain.table import Item

__all__ = ["ATRIBUTOS_DA_CONCILIACAO", "INDICES", "ORIGEM", "Caso", "Indice", "Linha", "Linhas", "Motivo", "Reenvio"]

ATRIBUTOS_DA_CONCILIACAO: Final = (
    "sku",
    "quantidade",
    "valorCentavos",
    "criadoEm",
    "falhas",
    "status",
    "atualizadoEm",
    "pendenteDesde",
    "verificarEm",
    "motivo",
    "cobranca",
    "estorno",
    "caso",
    "reenvio",
)
"""What `Linhas.ler` reads."""

ORIGEM: Final = "conciliador"
"""Who opened a case (``caso.origem``), beside ``saga``."""

_PAGINAS: Final = 5
"""Pages of 1 MB read of one partition of an index: some 30,000 orders, a hundred times a bad day."""


class Indice(StrEnum):
    """The sparse indexes of ``cesta-pedidos`` by which orders are found without scanning; hash key ``status``."""

    PENDENTES = "pendentes"
    """Orders that are not settled yet."""
    VERIFICACOES = "verificacoes"
    """Closed orders whose money and stock are to be looked at again."""


INDICES: Final = {Indice.PENDENTES: "pendenteDesde", Indice.VERIFICACOES: "verificarEm"}
"""Sort key of each index: an item without it is not in the index."""


class Motivo(StrEnum):
    """Why the reconciler calls a person (``caso.motivo``)."""

    NAO_INICIADO = "NAO_INICIADO"
    """Accepted, sent again as often as may be, and never started."""
    EXECUCAO_MORTA = "EXECUCAO_MORTA"
    """Its execution ended outside any catcher."""
    RESERVA_EM_PEDIDO_FINAL = "RESERVA_EM_PEDIDO_FINAL"
    """Closed, and stock is still held, or a confirmed order's reservation is not settled."""
    DINHEIRO_EM_PEDIDO_FINAL = "DINHEIRO_EM_PEDIDO_FINAL"
    """Closed without the order, and money was taken."""


@dataclass(frozen=True)
class Caso:
    """The human case in the row (``caso``).

    Attributes:
        campos: the whole map, as stored.
        chave: the execution that was escalated; None for a case the saga itself opened.
        reivindicado_em: when a run claimed it, epoch seconds.
        avisado_em: when its message was in the queue, epoch seconds; None between the two.
        pendencias: what a person left open on purpose, as JSON text; None when nothing.
    """

    campos: Item
    chave: str | None
    reivindicado_em: int
    avisado_em: int | None
    pendencias: str | None


@dataclass(frozen=True)
class Reenvio:
    """How often, and when last (epoch seconds), the order's message was sent again."""

    vezes: int = 0
    em: int = 0


@dataclass(frozen=True)
class Linha:
    """One order, consistently read.

    Attributes:
        pedido: the order.
        status: where it stands.
        atualizado_em: its last change; part of every claim's condition.
        pendente_desde: present while it is not settled.
        verificar_em: when to look at it again; present only once it is closed.
        motivo: the error that stopped it, by class name.
        cobranca: the charge.
        estorno: the refund.
        caso: the human case.
        reenvio: the messages sent again.
    """

    pedido: Pedido
    status: Status
    atualizado_em: str
    pendente_desde: str | None
    verificar_em: str | None
    motivo: str | None
    cobranca: Cobranca | None
    estorno: Estorno | None
    caso: Caso | None
    reenvio: Reenvio

    @property
    def pedido_id(self) -> str:
        """The order's id."""
        return self.pedido.pedido_id


class Linhas:
    """The orders, as the reconciler finds and marks them."""

    def __init__(self, client: DynamoDBClient, tabela: str, *, agora: Clock) -> None:
        self._table = Table(client, tabela, "pedidoId")
        self._agora = agora

    def achar(self, indice: Indice, status: Status, *, ate: float) -> Iterator[str]:
        """Ids of the orders of that status in the index up to the epoch second ``ate``, oldest first."""
        return self._table.keys_until(
            indice, partition=("status", status), until=(INDICES[indice], iso(ate)), pages=_PAGINAS
        )

    def ler(self, pedido_id: str) -> Linha | None:
        """A consistent read, without the card token; None when there is no such order."""
        item = self._table.read(pedido_id, ATRIBUTOS_DA_CONCILIACAO)
        if item is None:
            return None
        falhas = submap(item, "falhas") or {}
        return Linha(
            pedido=Pedido(
                pedido_id=pedido_id,
                sku=text(item, "sku"),
                quantidade=integer(item, "quantidade"),
                valor_centavos=integer(item, "valorCentavos"),
                criado_em=text(item, "criadoEm"),
                falhas={state: text(falhas, state) for state in falhas},
            ),
            status=member(item, "status", Status),
            atualizado_em=text(item, "atualizadoEm"),
            pendente_desde=optional_text(item, "pendenteDesde"),
            verificar_em=optional_text(item, "verificarEm"),
            motivo=optional_text(item, "motivo"),
            cobranca=cobranca_de(item),
            estorno=estorno_de(item),
            caso=_caso(item),
            reenvio=_reenvio(item),
        )

    def reivindicar(self, linha: Linha, *, chave: str, motivo: Motivo) -> int | None:
        """Makes the order a human case before its message is sent; the claim's epoch second, None if it moved.

        The status goes to REQUER_INTERVENCAO_HUMANA where the transitions allow it; a CONFIRMADO or
        RESOLVIDO_MANUALMENTE order keeps its own.

        Args:
            linha: the order as it was read.
            chave: the execution escalated.
            motivo: why.
        """
        agora = int(self._agora())
        novo = _status_do_caso(linha.status)
        sets = ["#status = :novo", "#caso = :caso", "#atualizadoEm = :agora"]
        removes = ["#cartaoToken"]
        values: dict[str, AttributeValueTypeDef] = {}
        if novo is not linha.status and linha.verificar_em is not None:
            # Open again: from one index to the other. What stays closed stays due, until it is put right.
            sets.append("#pendenteDesde = :agora")
            removes.append("#verificarEm")
        condition = "#status = :lido AND #atualizadoEm = :atualizado AND "
        if linha.caso is None:
            condition += "attribute_not_exists(#caso)"
        else:
            condition += "#caso = :casoLido"
            values[":casoLido"] = {"M": linha.caso.campos}
        values |= {
            ":novo": s(novo),
            ":lido": s(linha.status),
            ":atualizado": s(linha.atualizado_em),
            ":agora": s(iso(self._agora())),
            ":caso": {"M": _novo_caso(linha, chave, motivo, iso(self._agora()), agora)},
        }
        claimed = self._table.update(
            linha.pedido_id,
            update=f"SET {', '.join(sets)} REMOVE {', '.join(removes)}",
            condition=condition,
            values=values,
        )
        return agora if claimed else None

    def marcar_avisado(self, pedido_id: str, *, chave: str, reivindicado_em: int) -> bool:
        """Records that the claim's message is in the queue; False when another claim came since."""
        return self._table.update(
            pedido_id,
            update="SET #caso.#avisadoEm = :agora",
            condition="#caso.#chave = :chave AND #caso.#reivindicadoEm = :reivindicado",
            values={":agora": n(int(self._agora())), ":chave": s(chave), ":reivindicado": n(reivindicado_em)},
        )

    def contar_reenvio(self, linha: Linha) -> bool:
        """Counts one more message of an order that has not begun, before it is sent; False when it moved."""
        novo: Item = {"vezes": n(linha.reenvio.vezes + 1), "em": n(int(self._agora()))}
        values: dict[str, AttributeValueTypeDef] = {":novo": {"M": novo}, ":recebido": s(Status.RECEBIDO)}
        condition = "#status = :recebido AND "
        if linha.reenvio.vezes == 0:
            condition += "attribute_not_exists(#reenvio)"
        else:
            condition += "#reenvio.#vezes = :vezes"
            values[":vezes"] = n(linha.reenvio.vezes)
        return self._table.update(
            linha.pedido_id,
            update="SET #reenvio = :novo",
            condition=condition,
            values=values,
        )

    def reagendar(self, linha: Linha, quando: float | None) -> bool:
        """When to look at a closed order again (epoch seconds), or never again; False when another run did."""
        values = {":lido": s(linha.verificar_em or "")}
        update = "REMOVE #verificarEm"
        if quando is not None:
            update = "SET #verificarEm = :quando"
            values[":quando"] = s(iso(quando))
        return self._table.update(linha.pedido_id, update=update, condition="#verificarEm = :lido", values=values)


def _status_do_caso(status: Status) -> Status:
    requer = Status.REQUER_INTERVENCAO_HUMANA
    allowed = TRANSITIONS[status] | RECONCILER_TRANSITIONS.get(status, frozenset())
    return requer if requer in allowed else status


def _novo_caso(linha: Linha, chave: str, motivo: Motivo, em: str, agora: int) -> Item:
    antes = dict(linha.caso.campos) if linha.caso is not None else {}
    antes.pop("avisadoEm", None)
    if linha.status in FINAIS and (linha.caso is None or linha.caso.chave != chave):
        # Another case than the one that was closed, if there ever was one.
        antes["abertoEm"] = s(em)
    return {
        "abertoEm": s(em),
        **antes,
        "origem": s(ORIGEM),
        "motivo": s(motivo),
        "chave": s(chave),
        "reivindicadoEm": n(agora),
    }


def _caso(item: Item) -> Caso | None:
    caso = submap(item, "caso")
    if caso is None:
        return None
    return Caso(
        campos=caso,
        chave=optional_text(caso, "chave"),
        reivindicado_em=integer(caso, "reivindicadoEm") if "reivindicadoEm" in caso else 0,
        avisado_em=integer(caso, "avisadoEm") if "avisadoEm" in caso else None,
        pendencias=optional_text(caso, "pendencias"),
    )


def _reenvio(item: Item) -> Reenvio:
    reenvio = submap(item, "reenvio")
    return Reenvio() if reenvio is None else Reenvio(integer(reenvio, "vezes"), integer(reenvio, "em"))
