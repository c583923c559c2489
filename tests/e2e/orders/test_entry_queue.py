"""What nobody checked at the door: messages put straight on the queue, and equal orders posted at the same moment."""

from __future__ import annotations

import json
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from handlers.domain.clock import iso
from handlers.domain.status import Status
from infra.local.proofs.workbench import INITIAL_STOCK, Workbench

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.e2e

CLIENTS = 8
DAY = 24 * 3600


@pytest.fixture(scope="module")
def own(bench: Workbench) -> Iterator[Workbench]:
    """The stack, with an entry queue whose failures come back at once: five of them take seconds, not ten minutes."""
    fresh = Workbench(bench.target)
    sqs, url = fresh.target.sqs, fresh.target.filas["criados"]
    before = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["VisibilityTimeout"])["Attributes"]
    sqs.set_queue_attributes(QueueUrl=url, Attributes={"VisibilityTimeout": "1"})
    yield fresh
    sqs.set_queue_attributes(QueueUrl=url, Attributes={"VisibilityTimeout": before["VisibilityTimeout"]})


def send(bench: Workbench, body: str) -> None:
    bench.target.sqs.send_message(QueueUrl=bench.target.filas["criados"], MessageBody=body)


def old_order(bench: Workbench) -> str:
    """A RECEBIDO order of two days ago, and its message."""
    order = bench.order("velho", "sku-nenhum")
    message = {key: value for key, value in order.items() if key != "cartaoToken"}
    message["criadoEm"] = iso(time.time() - 2 * DAY)
    bench.target.dynamodb.put_item(
        TableName=bench.target.tabelas["pedidos"],
        Item={
            "pedidoId": {"S": order["pedidoId"]},
            "sku": {"S": "sku-nenhum"},
            "quantidade": {"N": "1"},
            "valorCentavos": {"N": str(order["valorCentavos"])},
            "hashConteudo": {"S": "0" * 64},
            "status": {"S": Status.RECEBIDO},
            "criadoEm": {"S": message["criadoEm"]},
            "atualizadoEm": {"S": message["criadoEm"]},
        },
    )
    return json.dumps(message)


def message_of(bench: Workbench, pedido_id: str) -> str:
    """The message by which an order was started, as it would come back from the dead-letter queue."""
    arn = bench.target.execution_arn(pedido_id)
    return bench.target.sfn.describe_execution(executionArn=arn).get("input", "")


def dead_letters(bench: Workbench, expected: set[str]) -> set[str]:
    """Wait until all of the expected bodies are in the dead-letter queue, and take them out of it."""
    sqs, url = bench.target.sqs, bench.target.filas["criadosDlq"]
    found: set[str] = set()

    def all_there() -> bool | None:
        received = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10, VisibilityTimeout=1, WaitTimeSeconds=1)
        for message in received.get("Messages", []):
            if message.get("Body") in expected:
                found.add(message.get("Body", ""))
                sqs.delete_message(QueueUrl=url, ReceiptHandle=message.get("ReceiptHandle", ""))
        return True if found == expected else None

    bench.wait("as mensagens malformadas na DLQ", all_there, lambda: f"{len(found)} de {len(expected)}")
    return found


def test_malformed_messages_end_in_the_dead_letter_queue_and_good_ones_beside_them_start(own: Workbench) -> None:
    sku = own.stock_sku("envenenada")
    good = [own.post(own.order(f"bom-{i}", sku)) for i in range(2)]
    for pedido_id in good:
        own.end(pedido_id)
    run = own.run
    changed = {**json.loads(message_of(own, good[0])), "valorCentavos": 1}
    poison = {
        f"não é JSON {run}",
        f'["{run}"]',
        f'{{"x": "{run}"}}',
        f'{{"pedidoId": "desconhecido-{run}"}}',
        f'{{"pedidoId": "{good[0]}"}}',
        f'{{"pedidoId": "{good[1]}", "x": NaN}}',
        f'{{"pedidoId": "a", "pedidoId": "{run}"}}',
        f'{{"a": "{run}", "b": {"[" * 5000}',
        json.dumps(changed),
        old_order(own),
    }
    for body in poison:
        send(own, body)
    beside = [own.post(own.order(f"beside-{i}", sku)) for i in range(4)]
    assert {own.end(pedido_id).status for pedido_id in beside} == {"SUCCEEDED"}
    assert dead_letters(own, poison) == poison
    # And nothing came of any of them.
    assert own.execution(f"prova-velho-{run}") is None
    assert own.row(f"prova-velho-{run}")["status"] == Status.RECEBIDO
    assert len(own.facts.charges(good[0])) == 1
    own.target.dynamodb.delete_item(
        TableName=own.target.tabelas["pedidos"], Key={"pedidoId": {"S": f"prova-velho-{run}"}}
    )


def test_a_message_that_comes_back_after_its_order_ended_starts_nothing_and_is_done_with(own: Workbench) -> None:
    sku = own.stock_sku("redirecionada")
    pedido_id = own.post(own.order("redirecionada", sku))
    own.end(pedido_id)
    before = (own.row(pedido_id), own.stock(sku))
    send(own, message_of(own, pedido_id))
    own.wait(
        "a fila de entrada vazia",
        lambda: True if own.queue_is_empty(own.target.filas["criados"]) else None,
        lambda: "há mensagem na fila",
    )
    assert (own.row(pedido_id), own.stock(sku)) == before
    assert len(own.facts.charges(pedido_id)) == 1


@pytest.mark.parametrize("by_key", [False, True])
def test_equal_orders_posted_at_the_same_moment_are_one_execution_and_one_charge(own: Workbench, by_key: bool) -> None:
    sku = own.stock_sku(f"clique-{by_key}")
    order = own.order(f"clique-{by_key}", sku)
    if by_key:
        del order["pedidoId"]
    with ThreadPoolExecutor(CLIENTS) as clients:
        posts = [
            clients.submit(own.front_door.post, order, key=f"clique-{own.run}" if by_key else None)
            for _ in range(CLIENTS)
        ]
        replies = [post.result() for post in posts]
    assert [reply.status for reply in replies] == [202] * CLIENTS
    (pedido_id,) = {reply.body["pedidoId"] for reply in replies}
    assert own.end(pedido_id).status == "SUCCEEDED"
    assert own.row(pedido_id)["status"] == Status.CONFIRMADO
    assert len(own.facts.charges(pedido_id)) == 1
    assert own.stock(sku).saldo == INITIAL_STOCK - 1
