"""The stock table: ``{sku, saldo, reservas: {pedidoId: quantidade}}``, one conditional write per move (design §5).

Only positive entries are reservations. A negative entry is a tombstone: the epoch second (negated) at which
the order's release ran without knowing whether its reservation had happened; it refuses the reservation
should that one still arrive. ``saldo + sum(positive entries)`` changes only by goods coming in and by
`Estoque.efetivar`.

No secret lives here, so a failed condition may return the item: that is how "mine already" is told from
"not enough" without a second, racy read (case C18).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from handlers.domain.errors import (
    CestaError,
    ConflitoTransitorioError,
    ErroInesperado,
    EstoqueInsuficienteError,
    ReservaCanceladaError,
    SkuInexistenteError,
)
from handlers.domain.table import Applied, Refused, Table, integer, n, submap

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from handlers.domain.table import Item

__all__ = ["Estoque"]

_ROUNDS: Final = 3
"""Looks at the item before giving up: one may find the map missing, another may lose a race."""


class Estoque:
    """Moves of stock, each safe to run twice, late, or beside itself."""

    def __init__(self, client: DynamoDBClient, tabela: str) -> None:
        self._table = Table(client, tabela, "sku")

    def reservar(self, pedido_id: str, sku: str, quantidade: int) -> None:
        """Takes ``quantidade`` units out of ``saldo`` into the order's entry; once, however often it runs.

        Raises:
            EstoqueInsuficienteError: not enough free stock.
            SkuInexistenteError: there is no such SKU.
            ReservaCanceladaError: the order's release came first.
            ConflitoTransitorioError: lost every race for the item.
            ErroInesperado: the order holds another quantity: two different orders under one id.
        """
        for _ in range(_ROUNDS):
            outcome = self._move(
                pedido_id,
                sku,
                update="SET #saldo = #saldo - :q, #reservas.#p = :q",
                condition="attribute_exists(#reservas) AND attribute_not_exists(#reservas.#p) AND #saldo >= :q",
                values={":q": n(quantidade)},
            )
            if isinstance(outcome, Applied):
                return
            item = outcome.current
            if item is None:
                raise SkuInexistenteError(pedido_id, sku=sku)
            entry = _entry(item, pedido_id)
            if entry == quantidade:
                return
            if entry is not None:
                raise _reserva_recusada(pedido_id, sku, entry, quantidade)
            saldo = integer(item, "saldo")
            if saldo < quantidade:
                raise EstoqueInsuficienteError(pedido_id, sku=sku, quantidade=quantidade, saldo=saldo)
            self._ensure_map(sku, item)
        raise _disputa(pedido_id, sku)

    def liberar(self, pedido_id: str, sku: str, *, lapide: int | None) -> int:
        """Gives the order's units back to ``saldo`` and returns how many; 0 when there was nothing to give back.

        The amount is the entry's, never the caller's. A missing SKU is a success: nothing can be reserved
        there, and as long as it is missing a late reservation is refused too.

        Args:
            lapide: epoch second of the tombstone to leave, found or not; None when the reservation's answer
                came back, so that no late one is to be feared.

        Raises:
            ConflitoTransitorioError: lost every race for the item.
        """
        for _ in range(_ROUNDS):
            outcome = self._give_back(pedido_id, sku, lapide)
            if isinstance(outcome, Applied):
                return integer(submap(outcome.before, "reservas") or {}, pedido_id)
            item = outcome.current
            if item is None:
                return 0
            entry = _entry(item, pedido_id)
            if entry is not None and entry <= 0:
                return 0
            if entry is None and (lapide is None or self._bury(pedido_id, sku, lapide, item)):
                return 0
        raise _disputa(pedido_id, sku)

    def efetivar(self, pedido_id: str, sku: str) -> bool:
        """Drops the entry of an order that is CONFIRMADO: the units are sold, ``saldo`` stays as it is.

        Returns whether there was an entry; none means an earlier run settled it.

        Raises:
            ErroInesperado: the reservation was cancelled, or the SKU is gone: a person must look, because
                the order was told it is confirmed.
        """
        outcome = self._move(
            pedido_id,
            sku,
            update="REMOVE #reservas.#p",
            condition="#reservas.#p > :zero",
            values={":zero": n(0)},
        )
        if isinstance(outcome, Applied):
            return True
        if outcome.current is None:
            raise ErroInesperado(
                pedido_id,
                f"o SKU {sku} sumiu do estoque com o pedido CONFIRMADO; confira a mercadoria e o cadastro",
            )
        entry = _entry(outcome.current, pedido_id)
        if entry is not None:
            raise ErroInesperado(
                pedido_id,
                f"a reserva de {sku} foi cancelada (entrada {entry}) com o pedido CONFIRMADO; "
                "separe a mercadoria e ajuste o saldo à mão",
            )
        return False

    def entrada(self, pedido_id: str, sku: str) -> int | None:
        """What the order has in the SKU's item: units when positive, a tombstone when negative, 0 for nothing.

        None when there is no such SKU.
        """
        item = self._table.read(sku, ("reservas.p",), names={"#p": pedido_id})
        return None if item is None else _entry(item, pedido_id) or 0

    def podar(self, pedido_id: str, sku: str, *, lapide: int) -> bool:
        """Drops the order's tombstone of epoch second ``lapide``; False when the entry is another, or gone.

        Only once no execution of the order can reserve any more: without it, a late reservation is taken.
        """
        outcome = self._move(
            pedido_id,
            sku,
            update="REMOVE #reservas.#p",
            condition="#reservas.#p = :lapide",
            values={":lapide": n(-lapide)},
        )
        return isinstance(outcome, Applied)

    def _give_back(self, pedido_id: str, sku: str, lapide: int | None) -> Applied | Refused:
        # Operands are read as they were before the write, so the entry may be spent and replaced in one.
        if lapide is None:
            update = "SET #saldo = #saldo + #reservas.#p REMOVE #reservas.#p"
            values = {":zero": n(0)}
        else:
            update = "SET #saldo = #saldo + #reservas.#p, #reservas.#p = :lapide"
            values = {":zero": n(0), ":lapide": n(-lapide)}
        return self._move(pedido_id, sku, update=update, condition="#reservas.#p > :zero", values=values)

    def _bury(self, pedido_id: str, sku: str, lapide: int, item: Item) -> bool:
        """Leaves a tombstone where there is no entry; False when one turned up in between."""
        self._ensure_map(sku, item)
        outcome = self._move(
            pedido_id,
            sku,
            update="SET #reservas.#p = :lapide",
            condition="attribute_exists(#reservas) AND attribute_not_exists(#reservas.#p)",
            values={":lapide": n(-lapide)},
        )
        return isinstance(outcome, Applied)

    def _ensure_map(self, sku: str, item: Item) -> None:
        """An entry can't be written into a map that is not there (case C21)."""
        if "reservas" in item:
            return
        self._table.update(
            sku,
            update="SET #reservas = :vazio",
            condition="attribute_exists(#sku) AND attribute_not_exists(#reservas)",
            values={":vazio": {"M": {}}},
        )

    def _move(self, pedido_id: str, sku: str, *, update: str, condition: str, values: Item) -> Applied | Refused:
        return self._table.update_telling(
            sku, update=update, condition=condition, values=values, names={"#p": pedido_id}
        )


def _entry(item: Item, pedido_id: str) -> int | None:
    reservas = submap(item, "reservas") or {}
    return integer(reservas, pedido_id) if pedido_id in reservas else None


def _reserva_recusada(pedido_id: str, sku: str, entry: int, quantidade: int) -> CestaError:
    if entry < 0:
        return ReservaCanceladaError(pedido_id, sku=sku, cancelada_em=-entry)
    return ErroInesperado(
        pedido_id,
        f"já reserva {entry} de {sku}, mas agora pede {quantidade}; dois pedidos usam o mesmo id, confira a origem",
    )


def _disputa(pedido_id: str, sku: str) -> ConflitoTransitorioError:
    return ConflitoTransitorioError(pedido_id, f"o item de {sku} mudou a cada tentativa; repita")
