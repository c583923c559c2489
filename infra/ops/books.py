"""The books of a whole stack, balanced: what design §5 promises of stock, money and card tokens.

Reads whole tables, so it is for the embedded stack and for stacks of tests, never for production.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from handlers.domain.status import FINAIS, Status
from infra.ops.facts import Facts, StockRow, plain

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from infra.ops.facts import Statement
    from infra.ops.target import Target

__all__ = ["Books", "left_open", "read_books", "violations"]


@dataclass(frozen=True)
class Books:
    """One moment of a stack.

    Attributes:
        orders: rows by pedidoId, card tokens included: their absence is one of the promises.
        stock: rows by SKU.
        statement: what the simulated gateway did.
        live: orders whose execution is running.
    """

    orders: Mapping[str, Mapping[str, Any]]
    stock: Mapping[str, StockRow]
    statement: Statement
    live: frozenset[str]


def read_books(target: Target) -> Books:
    """Both tables and the statement."""
    orders = {row["pedidoId"]: row for row in _scan(target, target.tabelas["pedidos"])}
    stock = {
        row["sku"]: StockRow(row["sku"], row["saldo"], row.get("reservas", {}))
        for row in _scan(target, target.tabelas["estoque"])
    }
    return Books(orders, stock, Facts(target).statement(), frozenset(_live(target)))


def _live(target: Target) -> Iterator[str]:
    for machine in target.maquinas.values():
        pages = target.sfn.get_paginator("list_executions").paginate(stateMachineArn=machine, statusFilter="RUNNING")
        for page in pages:
            # A resumption's name is the order's id and its number: `<pedidoId>-c<n>`.
            yield from (re.sub(r"-c\d+$", "", found["name"]) for found in page["executions"])


def _scan(target: Target, table: str) -> Iterator[dict[str, Any]]:
    for page in target.dynamodb.get_paginator("scan").paginate(TableName=table, ConsistentRead=True):
        for item in page["Items"]:
            yield plain(item)


def violations(books: Books, initial: Mapping[str, int]) -> list[str]:
    """Every promise broken, in words; empty when the books balance.

    Args:
        books: the stack when nothing is under way but what waits for a person.
        initial: units each SKU began with.
    """
    found = [*_stock_violations(books, initial), *_money_violations(books)]
    found += [violation for order in books.orders.values() for violation in _order_violations(books, order)]
    return found


def _stock_violations(books: Books, initial: Mapping[str, int]) -> Iterator[str]:
    sold = _settled_units(books)
    for sku, units in initial.items():
        if sku not in books.stock:
            yield f"{sku}: sumiu do estoque"
            continue
        row = books.stock[sku]
        if row.saldo < 0:
            yield f"{sku}: saldo {row.saldo}"
        if row.total() != units - sold[sku]:
            yield f"{sku}: saldo {row.saldo} + reservas = {row.total()}, esperado {units} - {sold[sku]} vendidas"
    for sku, row in books.stock.items():
        yield from _reservation_violations(books, sku, row)


def _reservation_violations(books: Books, sku: str, row: StockRow) -> Iterator[str]:
    for pedido_id, units in row.reservas.items():
        if units <= 0:
            continue
        order = books.orders.get(pedido_id)
        if order is None:
            yield f"{sku}: {units} reservadas para {pedido_id}, que não existe"
        elif order["status"] in FINAIS and "pendenteDesde" not in order and not left_open(order, "estoque"):
            yield f"{sku}: {units} reservadas para {pedido_id}, que já está {order['status']}"


def left_open(order: Mapping[str, Any], what: str) -> bool:
    """Whether the person who closed the case said that it stays open.

    A CONFIRMADO order keeps its case's answer in ``resolucao`` alone.
    """
    answer: Mapping[str, Any] = json.loads(order.get("resolucao", "{}"))
    return what in order.get("caso", {}).get("pendencias", "") or what in answer.get("pendencias", ())


def _settled_units(books: Books) -> Counter[str]:
    sold: Counter[str] = Counter()
    for pedido_id, order in books.orders.items():
        stock = books.stock.get(order["sku"])
        held = stock.reserved(pedido_id) if stock is not None else 0
        if order["status"] == Status.CONFIRMADO and not held:
            sold[order["sku"]] += order["quantidade"]
    return sold


def _money_violations(books: Books) -> Iterator[str]:
    taken: defaultdict[str, list[int]] = defaultdict(list)
    returned: defaultdict[str, list[int]] = defaultdict(list)
    for charge in books.statement["cobrancas"]:
        if charge["estado"] == "aprovada":
            taken[charge["pedidoId"]].append(charge["valorCentavos"])
    for refund in books.statement["estornos"]:
        if refund["estado"] == "concluido":
            returned[refund["pedidoId"]].append(refund["valorCentavos"])
    for pedido_id in taken.keys() | returned.keys() | books.orders.keys():
        order = books.orders.get(pedido_id)
        if order is None:
            yield f"{pedido_id}: dinheiro movido sem pedido"
            continue
        yield from _settlement_violations(pedido_id, order, taken[pedido_id], returned[pedido_id])


def _settlement_violations(
    pedido_id: str, order: Mapping[str, Any], taken: list[int], returned: list[int]
) -> Iterator[str]:
    if len(taken) > 1 or len(returned) > 1:
        yield f"{pedido_id}: {len(taken)} cobranças e {len(returned)} estornos"
    net = sum(taken) - sum(returned)
    status = order["status"]
    if status == Status.CONFIRMADO and net != order["valorCentavos"]:
        yield f"{pedido_id}: CONFIRMADO com {net} centavos cobrados de {order['valorCentavos']}"
    doubtful = order.get("cobranca", {}).get("duvidosa", False)
    if status in {Status.FALHOU_SEM_RESERVA, Status.FALHOU_COMPENSADO} and net != 0 and not doubtful:
        yield f"{pedido_id}: {status} com {net} centavos do cliente"


def _order_violations(books: Books, order: Mapping[str, Any]) -> Iterator[str]:
    if order["status"] in {Status.RECEBIDO, Status.COMPENSANDO} and order["pedidoId"] not in books.live:
        yield f"{order['pedidoId']}: {order['status']} sem execução viva e sem ninguém que o veja"
    if order["status"] != Status.RECEBIDO and "cartaoToken" in order:
        yield f"{order['pedidoId']}: {order['status']} ainda guarda o token do cartão"
