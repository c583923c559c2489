"""The starter: one execution per order, and each poisonous record failing alone (design §6)."""

from __future__ import annotations

import json
import threading
from typing import TYPE_CHECKING

import pytest

from handlers.domain.status import Status
from tests.api.world import PEDIDO, TOKEN, World, client_error, down, execution_arn

if TYPE_CHECKING:
    from collections.abc import Mapping

pytestmark = pytest.mark.api

OLD = "2026-01-01T00:00:00.000Z"


def accepted(world: World, *ids: str) -> list[str]:
    """Orders accepted by POST; the messages they put into the queue."""
    before = len(world.sqs.bodies)
    for pedido_id in ids:
        assert world.post({**PEDIDO, "pedidoId": pedido_id}).status == 202
    return world.sqs.bodies[before:]


def changed(message: str, **changes: object) -> str:
    return json.dumps({**json.loads(message), **changes})


def test_a_message_starts_one_execution_named_and_fed_by_the_stored_order(world: World) -> None:
    (message,) = accepted(world, "p-1")
    assert world.start(message) == []
    assert world.sfn.inputs == {execution_arn("p-1"): message}


def test_the_input_never_holds_the_card_token(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.start(*accepted(world, "p-1"))
    assert TOKEN not in str(world.sfn.inputs) + world.log.getvalue() + capsys.readouterr().out


def test_the_same_message_twice_is_one_execution(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    (message,) = accepted(world, "p-1")
    assert world.start(message, message) == []
    world.sfn.finished.add(execution_arn("p-1"))
    capsys.readouterr()
    assert world.start(message) == []
    assert len(world.sfn.inputs) == 1
    assert '"ExecucoesJaIniciadas":[1' in capsys.readouterr().out


def test_a_message_in_another_layout_is_still_the_same_order(world: World) -> None:
    (message,) = accepted(world, "p-1")
    assert world.start(json.dumps(json.loads(message), indent=2)) == []
    assert world.sfn.inputs[execution_arn("p-1")] == message


def test_an_execution_of_the_same_name_with_another_input_fails_the_record(world: World) -> None:
    (message,) = accepted(world, "p-1")
    world.sfn.inputs[execution_arn("p-1")] = changed(message, valorCentavos=1)
    assert world.start(message) == ["m-0"]


@pytest.mark.parametrize(
    "changes",
    [
        {"valorCentavos": 1},
        {"valorCentavos": 4590.0},
        {"quantidade": "2"},
        {"quantidade": True},
        {"sku": "outro"},
        {"criadoEm": "2026-08-07T13:04:11.000Z"},
        {"falhas": {"ConfirmarPedido": "antes"}},
        {"cartaoToken": "tok-ok"},
        {"status": "RECEBIDO"},
    ],
)
def test_a_message_that_differs_from_the_stored_order_starts_nothing(
    world: World, changes: Mapping[str, object]
) -> None:
    (message,) = accepted(world, "p-1")
    assert world.start(changed(message, **changes)) == ["m-0"]
    assert not world.sfn.inputs


def test_true_is_no_quantity_of_one(world: World) -> None:
    assert world.post({**PEDIDO, "quantidade": 1}).status == 202
    assert world.start(changed(world.sqs.bodies[0], quantidade=True)) == ["m-0"]


def test_a_message_no_order_can_need_is_refused_unread(world: World) -> None:
    (message,) = accepted(world, "p-1")
    assert world.start(message + " " * 16 * 1024) == ["m-0"]
    assert not world.sfn.inputs


@pytest.mark.parametrize(
    "poison",
    [
        "",
        "não é JSON",
        "[]",
        "null",
        "{}",
        '{"pedidoId": 7}',
        '{"pedidoId": "a b"}',
        '{"pedidoId": "p-desconhecido"}',
        '{"pedidoId": "p-1"}',
        '{"pedidoId": "p-1", "pedidoId": "p-1"}',
        '{"pedidoId": "\ud800"}',
        '{"pedidoId": NaN}',
        "[" * 20_000,
        '{"pedidoId": "p-1", "x": "' + "x" * 20_000 + '"}',
    ],
)
def test_a_poisonous_record_fails_alone(world: World, poison: str) -> None:
    good = accepted(world, "p-1", "p-2")
    assert world.start(good[0], poison, good[1]) == ["m-1"]
    assert set(world.sfn.inputs) == {execution_arn("p-1"), execution_arn("p-2")}


@pytest.mark.parametrize("status", ["CONFIRMADO", "FALHOU_COMPENSADO", "COMPENSANDO", "RESOLVIDO_MANUALMENTE"])
def test_an_order_that_went_on_is_left_alone_and_its_message_is_done(world: World, status: str) -> None:
    (message,) = accepted(world, "p-1")
    world.rows["p-1"]["status"] = {"S": status}
    assert world.start(message) == []
    assert not world.sfn.inputs


def test_an_order_older_than_a_day_is_not_started(world: World) -> None:
    (message,) = accepted(world, "p-1")
    old = "2026-01-01T00:00:00.000Z"
    world.rows["p-1"]["criadoEm"] = {"S": old}
    assert world.start(changed(message, criadoEm=old)) == ["m-0"]
    assert not world.sfn.inputs


@pytest.mark.parametrize("error", [client_error("ThrottlingException", "StartExecution"), down()])
def test_a_throttled_or_unreachable_start_fails_that_record_alone_and_a_retry_starts_it(
    world: World, error: Exception
) -> None:
    messages = accepted(world, "p-1", "p-2", "p-3")
    world.sfn.errors["p-2"] = error
    assert world.start(*messages) == ["m-1"]
    world.sfn.errors.clear()
    assert world.start(messages[1]) == []
    assert len(world.sfn.inputs) == 3


def test_a_row_that_cannot_be_read_fails_the_record(world: World) -> None:
    (message,) = accepted(world, "p-1")
    del world.rows["p-1"]["hashConteudo"]
    assert world.start(message) == ["m-0"]


def test_the_records_of_a_batch_start_concurrently(world: World) -> None:
    messages = accepted(world, *(f"p-{i}" for i in range(10)))
    # Each start waits for the nine others: one after another, none would ever return.
    world.sfn.barrier = threading.Barrier(10)
    assert world.start(*messages) == []
    assert len(world.sfn.inputs) == 10


def test_every_record_is_counted_by_what_became_of_it(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    messages = accepted(world, "p-1", "p-2")
    world.rows["p-2"]["status"] = {"S": "CONFIRMADO"}
    capsys.readouterr()
    world.start(*messages, "{}", "[]")
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines() if "_aws" in line]
    counted = {name: line[name] for line in lines for name in line if name.startswith(("Execucoes", "Mensagens"))}
    assert counted == {"ExecucoesIniciadas": [1.0], "MensagensDePedidoJaAndado": [1.0], "MensagensFalhadas": [2.0]}


def test_a_failure_is_logged_without_the_message_or_the_errors_text(world: World) -> None:
    (message,) = accepted(world, "p-1")
    world.sfn.errors["p-1"] = client_error("ThrottlingException", "StartExecution")
    world.start(message, f'{{"cartaoToken": "{TOKEN}"}}')
    log = world.log.getvalue()
    assert "ThrottlingException" in log
    assert "m-1" in log
    assert TOKEN not in log


POISON = {
    "empty": "",
    "not JSON": "não é JSON",
    "not an object": "[]",
    "no id": "{}",
    "unknown order": '{"pedidoId": "p-desconhecido"}',
    "fields missing": '{"pedidoId": "p-1"}',
    "twice the same field": '{"pedidoId": "p-1", "pedidoId": "p-1"}',
    "no UTF-8": '{"pedidoId": "\ud800"}',
    "corrupted": '{"pedidoId": "p-\ufffd"}',
    "too deep": "[" * 10_000,
    "oversized": '{"pedidoId": "p-1", "x": "' + "x" * 20_000 + '"}',
    "a card number": '{"pedidoId": "4111111111111111"}',
    "a token": f'{{"pedidoId": "{TOKEN}", "cartaoToken": "{TOKEN}"}}',
}


def test_in_a_batch_of_every_poison_there_is_each_fails_alone_and_nothing_of_it_is_told(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    good = accepted(world, "p-1", "p-2", "p-3", "p-4")
    world.rows["p-3"]["criadoEm"] = {"S": OLD}
    bodies = [
        good[0],
        *POISON.values(),
        changed(good[1], valorCentavos=1),
        changed(good[2], criadoEm=OLD),
        good[3],
    ]
    failed = world.start(*bodies)
    assert failed == [f"m-{i}" for i in range(1, len(bodies) - 1)]
    assert set(world.sfn.inputs) == {execution_arn("p-1"), execution_arn("p-4")}
    told = world.log.getvalue() + capsys.readouterr().out
    assert TOKEN not in told
    assert "4111111111111111" not in told


@pytest.mark.parametrize("status", Status)
def test_a_message_redriven_from_the_dead_letter_queue_days_later_starts_nothing(world: World, status: Status) -> None:
    (message,) = accepted(world, "p-1")
    message = changed(message, criadoEm=OLD)
    world.rows["p-1"]["criadoEm"] = {"S": OLD}
    world.rows["p-1"]["status"] = {"S": status.value}
    # Done with where the order went on; back to the dead-letter queue where it never did: a person decides.
    assert world.start(message) == (["m-0"] if status is Status.RECEBIDO else [])
    assert not world.sfn.inputs


def test_an_existing_execution_that_cannot_be_compared_is_no_success(world: World) -> None:
    (message,) = accepted(world, "p-1")
    world.sfn.errors["p-1"] = client_error("ExecutionAlreadyExists", "StartExecution")
    assert world.start(message) == ["m-0"]  # and DescribeExecution knows none


def test_an_empty_batch_has_no_failures(world: World) -> None:
    assert world.start() == []
