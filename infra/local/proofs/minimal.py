"""Proof 6: the synchronous two-service design of source 000 ("Arquitetura mínima"), and the defect it has.

One process reserves stock, charges, and only then saves the order. Killed in between, it leaves two databases that
disagree for good, each right in its own eyes. Run as a program, this module is that process.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import boto3

from infra.local.proofs.workbench import expect

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

    from infra.local.proofs.workbench import Workbench

__all__ = ["arquitetura_minima", "create_order"]

SKU = "sku-teste-minimo"
PEDIDO = "p-teste-minimo"
STOCK = 5


def create_order(dynamodb: DynamoDBClient, orders: str, stock: str, *, killed_after_reserving: bool) -> None:
    """Reserve and save, as 000's CriarPedido does, with its process recycled before it charges and saves if asked."""
    dynamodb.update_item(
        TableName=stock,
        Key={"sku": {"S": SKU}},
        UpdateExpression="SET saldo = saldo - :q, reservas.#p = :q",
        ConditionExpression="saldo >= :q",
        ExpressionAttributeNames={"#p": PEDIDO},
        ExpressionAttributeValues={":q": {"N": "1"}},
    )
    if killed_after_reserving:
        os.kill(os.getpid(), signal.SIGKILL)
    dynamodb.put_item(TableName=orders, Item={"pedidoId": {"S": PEDIDO}, "status": {"S": "CONFIRMADO"}})


def arquitetura_minima(bench: Workbench) -> str:
    """6: the process dies between reserve and save: stock held, no order."""
    orders = f"{bench.target.names.prefix}-prova6-pedidos-{bench.run}"
    stock = f"{bench.target.names.prefix}-prova6-estoque-{bench.run}"
    dynamodb = bench.target.dynamodb
    try:
        _create_table(dynamodb, orders, "pedidoId")
        _create_table(dynamodb, stock, "sku")
        dynamodb.put_item(TableName=stock, Item={"sku": {"S": SKU}, "saldo": {"N": str(STOCK)}, "reservas": {"M": {}}})
        exit_code = _run_killed(bench, orders, stock)
        return _defect(dynamodb, orders, stock, exit_code)
    finally:
        for table in (orders, stock):
            dynamodb.delete_table(TableName=table)


def _create_table(dynamodb: DynamoDBClient, name: str, key: str) -> None:
    dynamodb.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": key, "AttributeType": "S"}],
        KeySchema=[{"AttributeName": key, "KeyType": "HASH"}],
    )
    dynamodb.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1, "MaxAttempts": 60})


def _run_killed(bench: Workbench, orders: str, stock: str) -> int:
    command = [sys.executable, "-m", "infra.local.proofs.minimal", orders, stock]
    process = subprocess.run(  # noqa: S603 - our own module
        command, env={**os.environ, **bench.target.clients.environment()}, check=False, timeout=60
    )
    return process.returncode


def _defect(dynamodb: DynamoDBClient, orders: str, stock: str, exit_code: int) -> str:
    expect(exit_code == -signal.SIGKILL, "o processo morto por SIGKILL", exit_code)
    held = dynamodb.get_item(TableName=stock, Key={"sku": {"S": SKU}}, ConsistentRead=True).get("Item", {})
    saved = dynamodb.get_item(TableName=orders, Key={"pedidoId": {"S": PEDIDO}}, ConsistentRead=True)
    reserved = held.get("reservas", {}).get("M", {})
    expect(held.get("saldo") == {"N": str(STOCK - 1)}, f"saldo {STOCK - 1}", held.get("saldo"))
    expect(PEDIDO in reserved, f"a reserva de {PEDIDO} presa", reserved)
    expect("Item" not in saved, "nenhum pedido salvo", saved.get("Item"))
    return f"o defeito: saldo {STOCK} -> {STOCK - 1}, reserva de {PEDIDO} presa, pedido inexistente"


def main() -> None:
    """The process that is killed: table names come as arguments, the account from the environment."""
    orders, stock = sys.argv[1:]
    dynamodb: DynamoDBClient = boto3.client("dynamodb")  # pyright: ignore[reportUnknownMemberType] - overloaded
    create_order(dynamodb, orders, stock, killed_after_reserving=True)


if __name__ == "__main__":
    main()
