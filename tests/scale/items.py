"""What the orders' and the stock's items weigh in DynamoDB, and what a write of them costs.

The items are made by the handlers themselves, on the tests' in-memory table, so a change of what is written shows
here. The rules of size and capacity are DynamoDB's (`limits.LIMITS`).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from handlers.domain.ledger import LivroDePagamentos
from handlers.domain.orders import Pedido, Pedidos
from handlers.domain.stock import Estoque
from tests.support.dynamo import FakeDynamo, Tables

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["EMPTY_SKU_BYTES", "ENTRY_BYTES", "KB", "ORDER_BYTES", "TOMBSTONE_BYTES", "item_bytes", "write_units"]

KB: Final = 1024
_MAP_BYTES: Final = 3
_ENTRY_OVERHEAD: Final = 1

_ORDER_ID: Final = "0f8fad5b-d9cb-469f-a165-70867728950e"
"""A UUID, as an order without an id of its own gets one; an id may have up to 64 characters."""
_SKU: Final = "sku-cafe-500g"
_TABLES: Final = {"pedidos": "pedidoId", "estoque": "sku"}
_NOW: Final = 1_785_123_457


def item_bytes(item: Mapping[str, Any]) -> int:
    """Size of an item in DynamoDB's typed form."""
    return sum(len(name.encode()) + _value_bytes(value) for name, value in item.items())


def write_units(size: int) -> int:
    """Write capacity units of one standard write of an item of that many bytes."""
    return max(math.ceil(size / KB), 1)


def _value_bytes(value: Mapping[str, Any]) -> int:
    [(kind, held)] = value.items()
    match kind:
        case "S":
            return len(held.encode())
        case "N":
            return _number_bytes(held)
        case "BOOL" | "NULL":
            return 1
        case "M":
            return _MAP_BYTES + sum(
                len(name.encode()) + _value_bytes(entry) + _ENTRY_OVERHEAD for name, entry in held.items()
            )
        case _:
            raise ValueError(f"no size known for a {kind}: the tables hold none")


def _number_bytes(text: str) -> int:
    digits = text.lstrip("-").replace(".", "").strip("0") or "0"
    # One byte per two significant digits and one more; a negative number takes another (the page says "approximately").
    return math.ceil(len(digits) / 2) + 1 + text.startswith("-")


def _stock_after(*moves: str) -> int:
    """Bytes of a SKU's item after those moves of one order."""
    tables: Tables = {"estoque": {_SKU: {"sku": {"S": _SKU}, "saldo": {"N": "1234"}, "reservas": {"M": {}}}}}
    estoque = Estoque(FakeDynamo({"estoque": "sku"}, tables).client, "estoque")
    for move in moves:
        if move == "reservar":
            estoque.reservar(_ORDER_ID, _SKU, 1)
        else:
            estoque.liberar(_ORDER_ID, _SKU, lapide=_NOW)
    return item_bytes(tables["estoque"][_SKU])


def _charged_order() -> int:
    """Bytes of an order's row at its largest on the way forward: charged, not confirmed yet."""
    tables: Tables = {"pedidos": {}}
    client = FakeDynamo({"pedidos": "pedidoId"}, tables).client
    pedido = Pedido(_ORDER_ID, _SKU, 1, 14_000, "2026-12-01T12:00:00.000Z")
    Pedidos(client, "pedidos", agora=_now).criar(pedido, "tok_" + "x" * 28, cliente="f" * 64)
    livro = LivroDePagamentos(client, "pedidos", agora=_now)
    livro.iniciar_cobranca(_ORDER_ID, valor_centavos=14_000)
    livro.aprovar_cobranca(_ORDER_ID, transacao_id=_ORDER_ID)
    return item_bytes(tables["pedidos"][_ORDER_ID])


def _now() -> float:
    return float(_NOW)


EMPTY_SKU_BYTES: Final = _stock_after()
"""A SKU nobody is buying."""
ENTRY_BYTES: Final = _stock_after("reservar") - EMPTY_SKU_BYTES
"""One open reservation."""
TOMBSTONE_BYTES: Final = _stock_after("liberar") - EMPTY_SKU_BYTES
"""What a release leaves for 15 days where the reservation's answer never came back."""
ORDER_BYTES: Final = _charged_order()
"""An order's row: below 1 KB, each write of it is one unit."""
