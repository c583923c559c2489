"""A hundred orders, eight at a time: each accepted one ends, none needs a person, and the books balance."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from handlers.domain.status import Status
from infra.local.proofs.workbench import Workbench
from infra.ops.books import read_books, violations

if TYPE_CHECKING:
    from infra.local.stack import EmbeddedStack

pytestmark = pytest.mark.e2e

ORDERS = 100
CLIENTS = 8
REFUSED_EVERY = 10


def test_a_hundred_orders_all_end_well(bench: Workbench, stack: EmbeddedStack) -> None:
    own = Workbench(bench.target)
    skus = {own.stock_sku(f"carga-{index}", ORDERS): ORDERS for index in range(4)}
    names = list(skus)

    def post(index: int) -> str:
        cartao = "tok-forcar-recusa" if index % REFUSED_EVERY == 0 else "tok-ok"
        return own.post(own.order(f"carga-{index}", names[index % len(names)], cartao=cartao))

    with ThreadPoolExecutor(CLIENTS) as clients:
        ids = list(clients.map(post, range(ORDERS)))
    ends = Counter(own.end(pedido_id).status for pedido_id in ids)
    statuses = Counter(own.row(pedido_id)["status"] for pedido_id in ids)

    assert ends == {"SUCCEEDED": ORDERS}
    refused = ORDERS // REFUSED_EVERY
    assert statuses == {Status.CONFIRMADO: ORDERS - refused, Status.FALHOU_COMPENSADO: refused}
    assert violations(read_books(own.target), skus) == []
    assert own.queue_is_empty(own.target.filas["criadosDlq"])
    stack.check()
