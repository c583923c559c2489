"""The orders table: what an order is, and the writes that decide its status (design §5).

The card token lives in the order's row and nowhere else: every read here names the attributes it wants and
the token is never among them, no write asks for old values, and every write that leaves RECEBIDO removes it.
The payment ledger, in the same row, is in `ledger`.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from handlers.domain.clock import iso
from handlers.domain.ledger import EstadoDaCobranca
from handlers.domain.status import Status, allowed_from
from handlers.domain.table import Table, integer, member, n, optional_text, s, submap, text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import AttributeValueTypeDef

    from handlers.domain.clock import Clock

__all__ = [
    "ATRIBUTOS_DO_PEDIDO",
    "ATRIBUTOS_DO_RESUMO",
    "Pedido",
    "PedidoRegistrado",
    "Pedidos",
    "ResumoDoPedido",
    "entrada_canonica",
    "hash_conteudo",
]

ATRIBUTOS_DO_PEDIDO: Final = (
    "sku",
    "quantidade",
    "valorCentavos",
    "criadoEm",
    "falhas",
    "status",
    "hashConteudo",
    "cliente",
)
"""What `Pedidos.ler` reads."""

ATRIBUTOS_DO_RESUMO: Final = ("status", "criadoEm", "atualizadoEm", "motivo", "cobranca.estado", "cliente")
"""What `Pedidos.ler_resumo` reads."""


@dataclass(frozen=True)
class Pedido:
    """An order as the saga carries it: everything posted but the card token.

    Attributes:
        pedido_id: the order's id, the name of its execution too.
        sku: the product.
        quantidade: units.
        valor_centavos: the price of the whole order, in centavos.
        criado_em: when it was accepted, ISO-8601 UTC.
        falhas: faults to inject, by state name; empty where the stack does not allow it.
    """

    pedido_id: str
    sku: str
    quantidade: int
    valor_centavos: int
    criado_em: str
    falhas: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class PedidoRegistrado:
    """An order as its row has it.

    Attributes:
        pedido: the order.
        status: where it stands.
        hash_conteudo: `hash_conteudo` of what was posted first.
        cliente: whose it is, as `Pedidos.criar` was told; None where no caller has an identity.
    """

    pedido: Pedido
    status: Status
    hash_conteudo: str
    cliente: str | None = None


@dataclass(frozen=True)
class ResumoDoPedido:
    """What a customer may be told about an order.

    Attributes:
        pedido_id: the order's id.
        status: where it stands.
        criado_em: when it was accepted, ISO-8601 UTC.
        atualizado_em: the row's last change, ISO-8601 UTC.
        motivo: the error that stopped it, by class name; None when nothing did.
        cobranca: how far the charge got; None when it was never tried.
        cliente: whose it is; never shown, only compared.
    """

    pedido_id: str
    status: Status
    criado_em: str
    atualizado_em: str
    motivo: str | None
    cobranca: EstadoDaCobranca | None
    cliente: str | None = None


def hash_conteudo(pedido: Pedido, cartao_token: str) -> str:
    """SHA-256 (hex) of what makes two posts the same order: sku, quantidade, valorCentavos and cartaoToken."""
    content = {
        "sku": pedido.sku,
        "quantidade": pedido.quantidade,
        "valorCentavos": pedido.valor_centavos,
        "cartaoToken": cartao_token,
    }
    return hashlib.sha256(_canonical(content).encode()).hexdigest()


def entrada_canonica(pedido: Pedido) -> str:
    """The queue message and the execution's input: canonical JSON, so that the same order is the same bytes.

    Sorted keys and no spaces: StartExecution of a known name is idempotent only for an identical input.
    """
    entrada: dict[str, object] = {
        "pedidoId": pedido.pedido_id,
        "sku": pedido.sku,
        "quantidade": pedido.quantidade,
        "valorCentavos": pedido.valor_centavos,
        "criadoEm": pedido.criado_em,
    }
    if pedido.falhas:
        entrada["falhas"] = dict(pedido.falhas)
    return _canonical(entrada)


class Pedidos:
    """The orders, but for the payment ledger in their rows."""

    def __init__(self, client: DynamoDBClient, tabela: str, *, agora: Clock) -> None:
        self._table = Table(client, tabela, "pedidoId")
        self._agora = agora

    def criar(self, pedido: Pedido, cartao_token: str, cliente: str | None = None) -> bool:
        """Writes the order as RECEBIDO, ``cliente``'s own; False, and nothing written, when the id is taken.

        False may also be this very write coming twice after a lost answer: compare `hash_conteudo` with `ler`.
        """
        item = {
            "pedidoId": s(pedido.pedido_id),
            "sku": s(pedido.sku),
            "quantidade": n(pedido.quantidade),
            "valorCentavos": n(pedido.valor_centavos),
            "cartaoToken": s(cartao_token),
            "hashConteudo": s(hash_conteudo(pedido, cartao_token)),
            "status": s(Status.RECEBIDO),
            "criadoEm": s(pedido.criado_em),
            "atualizadoEm": s(pedido.criado_em),
            "pendenteDesde": s(pedido.criado_em),
        }
        if cliente is not None:
            item["cliente"] = s(cliente)
        if pedido.falhas:
            item["falhas"] = {"M": {state: s(fault) for state, fault in pedido.falhas.items()}}
        return self._table.insert(item)

    def ler(self, pedido_id: str) -> PedidoRegistrado | None:
        """The order as stored, without the card token; None when there is none."""
        item = self._table.read(pedido_id, ATRIBUTOS_DO_PEDIDO)
        if item is None:
            return None
        falhas = submap(item, "falhas") or {}
        pedido = Pedido(
            pedido_id=pedido_id,
            sku=text(item, "sku"),
            quantidade=integer(item, "quantidade"),
            valor_centavos=integer(item, "valorCentavos"),
            criado_em=text(item, "criadoEm"),
            falhas={state: text(falhas, state) for state in falhas},
        )
        return PedidoRegistrado(
            pedido, member(item, "status", Status), text(item, "hashConteudo"), optional_text(item, "cliente")
        )

    def ler_resumo(self, pedido_id: str) -> ResumoDoPedido | None:
        """What GET answers from, without the card token; None when there is no such order."""
        item = self._table.read(pedido_id, ATRIBUTOS_DO_RESUMO)
        if item is None:
            return None
        cobranca = submap(item, "cobranca")
        return ResumoDoPedido(
            pedido_id=pedido_id,
            status=member(item, "status", Status),
            criado_em=text(item, "criadoEm"),
            atualizado_em=text(item, "atualizadoEm"),
            motivo=optional_text(item, "motivo"),
            cobranca=member(cobranca, "estado", EstadoDaCobranca) if cobranca is not None else None,
            cliente=optional_text(item, "cliente"),
        )

    def ler_status(self, pedido_id: str) -> Status | None:
        """The order's status alone, read consistently; None when there is no such order."""
        item = self._table.read(pedido_id, ("status",))
        return member(item, "status", Status) if item is not None else None

    def confirmar(self, pedido_id: str) -> bool:
        """Writes CONFIRMADO, the pivot; False when the order is being undone or its charge is not APROVADA.

        ``pendenteDesde`` stays: until the reservation is settled the order must remain findable.
        """
        condition, values = _may_become(Status.CONFIRMADO)
        return self._table.update(
            pedido_id,
            update="SET #status = :novo, #atualizadoEm = :agora REMOVE #cartaoToken",
            condition=f"{condition} AND #cobranca.#estado = :aprovada",
            values={**values, ":agora": s(iso(self._agora())), ":aprovada": s(EstadoDaCobranca.APROVADA)},
        )

    def marcar_compensando(self, pedido_id: str) -> bool:
        """Writes COMPENSANDO, the other side of the pivot guard; False when the order may not be undone."""
        condition, values = _may_become(Status.COMPENSANDO)
        return self._table.update(
            pedido_id,
            update="SET #status = :novo, #atualizadoEm = :agora REMOVE #cartaoToken",
            condition=condition,
            values={**values, ":agora": s(iso(self._agora()))},
        )

    def encerrar_pendencia(self, pedido_id: str) -> bool:
        """Takes a settled order out of the index of pending ones; False when it is not CONFIRMADO."""
        return self._table.update(
            pedido_id,
            update="REMOVE #pendenteDesde",
            condition="#status = :confirmado",
            values={":confirmado": s(Status.CONFIRMADO)},
        )


def _may_become(target: Status) -> tuple[str, dict[str, AttributeValueTypeDef]]:
    """The condition, and its values (``:novo`` is the target), of a write from a status that may become ``target``."""
    allowed = {f":de{i}": s(status) for i, status in enumerate(allowed_from(target))}
    return f"#status IN ({', '.join(allowed)})", {**allowed, ":novo": s(target)}


def _canonical(content: Mapping[str, object]) -> str:
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
