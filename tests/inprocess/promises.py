"""What must be true of a world: at every moment, and once all that could happen by itself has happened.

The first are `Watch`'s, who compares each moment with the one before. The second are `broken_at_rest`'s, which asks the
books (`infra.ops.books`, as load tests and campaigns do) and then whether a person sees whatever is left.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from handlers.domain.status import FINAIS, RECONCILER_TRANSITIONS, TRANSITIONS, Status
from infra.ops.books import Books, left_open, violations
from infra.ops.facts import StockRow, plain
from tests.inprocess.functions import ESTOQUE, HUMANA, PEDIDOS
from tests.inprocess.person import cases

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from infra.ops.intervention_list import CaseView
    from tests.inprocess.world import World

__all__ = ["Watch", "broken_at_rest"]

_NOT_KEPT = frozenset({Status.FALHOU_SEM_RESERVA, Status.FALHOU_COMPENSADO, Status.RESOLVIDO_MANUALMENTE})


class Watch:
    """Looks at a world whenever a process ended, and keeps what it sees broken, the first time it does.

    Attributes:
        broken: promises broken so far.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self.broken: list[str] = []
        self._statuses: dict[str, Status] = {}
        self._held: dict[tuple[str, str], int] = {}
        self._totals = dict(world.stock)
        world.looks.append(self.look)

    def look(self) -> None:
        """Compare this moment with the one before."""
        for wrong in (*self._orders(), *self._stock(), *self._money()):
            if wrong not in self.broken:
                self.broken.append(wrong)
                self._world.tell(f"QUEBRA: {wrong}")

    def _orders(self) -> Iterator[str]:
        for pedido_id, row in self._world.tables[PEDIDOS].items():
            status = Status(row["status"]["S"])
            before = self._statuses.get(pedido_id, Status.RECEBIDO)
            allowed = TRANSITIONS[before] | RECONCILER_TRANSITIONS.get(before, frozenset())
            if status is not before and status not in allowed:
                yield f"{pedido_id}: de {before} para {status}"
            self._statuses[pedido_id] = status
            if ("cartaoToken" in row) != (status is Status.RECEBIDO):
                yield f"{pedido_id}: {status} {'com' if 'cartaoToken' in row else 'sem'} o token do cartão"
        for pedido_id in self._statuses.keys() - self._world.tables[PEDIDOS].keys():
            yield f"{pedido_id}: o pedido sumiu da tabela"

    def _stock(self) -> Iterator[str]:
        for sku, item in self._world.tables[ESTOQUE].items():
            entries = {key: int(entry["N"]) for key, entry in item.get("reservas", {}).get("M", {}).items()}
            saldo = int(item["saldo"]["N"])
            held = {key: units for key, units in entries.items() if units > 0}
            for key in [key for (of, key) in self._held if of == sku and key not in held]:
                units = self._held.pop((sku, key))
                if self._totals[sku] == saldo + sum(held.values()) + units:
                    # The units left the shop: only a confirmed order's may.
                    self._totals[sku] -= units
                    if self._statuses.get(key) is not Status.CONFIRMADO:
                        yield f"{sku}: {units} unidades de {key} baixadas sem o pedido CONFIRMADO"
            self._held |= {(sku, key): units for key, units in held.items()}
            if saldo < 0 or self._totals[sku] != saldo + sum(held.values()):
                yield f"{sku}: saldo {saldo} + reservas {sum(held.values())}, esperado {self._totals[sku]}"
                self._totals[sku] = saldo + sum(held.values())

    def _money(self) -> Iterator[str]:
        taken, returned = _moved(self._world)
        for pedido_id, amounts in taken.items():
            if len(amounts) > 1:
                yield f"{pedido_id}: cobrado {len(amounts)} vezes"
        for pedido_id, amounts in returned.items():
            if sum(amounts) > sum(taken.get(pedido_id, [])):
                yield f"{pedido_id}: devolvido mais do que o cobrado"
            if self._statuses.get(pedido_id) is Status.CONFIRMADO:
                yield f"{pedido_id}: CONFIRMADO e estornado"
        for pedido_id, status in self._statuses.items():
            if status is Status.CONFIRMADO and pedido_id not in taken:
                yield f"{pedido_id}: CONFIRMADO sem cobrança"


def broken_at_rest(world: World) -> list[str]:
    """Promises broken once nothing more would happen by itself."""
    world.running = None
    rows = {pedido_id: plain(row) for pedido_id, row in world.tables[PEDIDOS].items()}
    shown = cases(world)
    return [
        *_books(world, rows),
        *(wrong for row in rows.values() for wrong in _order(world, row, shown)),
        *(f"{pedido_id}: aceito com 202 e perdido" for pedido_id in world.accepted - rows.keys()),
        *_secrets(world),
        # A step that fails by a mistake in the code is undone like any other: it would not show.
        *(line for _, line in world.story if "defeito num passo" in line),
    ]


def _secrets(world: World) -> Iterator[str]:
    executions = world.machines.executions.values()
    heard = [*world.sqs.sent, *(execution.input for execution in executions)]
    heard += [json.dumps(execution.data) for execution in executions]
    for token in {order.cartao_token for order in world.orders.values()}:
        if any(f'"{token}"' in text for text in heard):
            yield f"o token {token} saiu da linha do pedido"


def _books(world: World, rows: Mapping[str, Mapping[str, Any]]) -> list[str]:
    stock = {
        sku: StockRow(sku, item["saldo"], item.get("reservas", {}))
        for sku, item in ((sku, plain(item)) for sku, item in world.tables[ESTOQUE].items())
    }
    live = frozenset(e.order for e in world.machines.executions.values() if e.running)
    statement: Any = world.statement()
    return violations(Books(rows, stock, statement, live), world.stock)


def _order(world: World, row: Mapping[str, Any], shown: Mapping[str, CaseView]) -> Iterator[str]:
    pedido_id, status = row["pedidoId"], Status(row["status"])
    seen = pedido_id in shown and shown[pedido_id]["espera"]
    rung = any(pedido_id in message.body for message in world.sqs.queues[HUMANA].messages)
    held_by_person = seen and rung
    if status not in FINAIS and not held_by_person:
        yield f"{pedido_id}: {status}, e nenhuma pessoa o vê (na lista: {seen}, na fila: {rung})"
    taken, returned = _moved(world)
    net = sum(taken.get(pedido_id, [])) - sum(returned.get(pedido_id, []))
    if status in _NOT_KEPT and net and not held_by_person and not left_open(row, "cobranca"):
        yield f"{pedido_id}: {status} com {net} centavos do cliente, e ninguém o sabe"
    item = world.tables[ESTOQUE].get(row["sku"], {})
    units = int(item.get("reservas", {"M": {}})["M"].get(pedido_id, {"N": "0"})["N"])
    if status in FINAIS and units > 0 and not held_by_person and not left_open(row, "estoque"):
        yield f"{pedido_id}: {status} com {units} unidades reservadas, e ninguém o sabe"
    if status in FINAIS and "pendenteDesde" in row and not held_by_person:
        yield f"{pedido_id}: {status} e ainda pendente"
    for execution in world.executions_of(pedido_id):
        posted = json.loads(execution.input)
        changed = [key for key, value in posted.items() if key != "intervencao" and execution.data.get(key) != value]
        if [key for key in changed if key not in ("erro", "erroCompensacao")]:
            yield f"{execution.name}: a entrada mudou em {changed}"


def _moved(world: World) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
    """Centavos taken and given back, by order."""
    statement = world.statement()
    taken: dict[str, list[int]] = {}
    returned: dict[str, list[int]] = {}
    for charge in statement["cobrancas"]:
        if charge["estado"] == "aprovada":
            taken.setdefault(charge["pedidoId"], []).append(charge["valorCentavos"])
    for refund in statement["estornos"]:
        if refund["estado"] == "concluido":
            returned.setdefault(refund["pedidoId"], []).append(refund["valorCentavos"])
    return taken, returned
