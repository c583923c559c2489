"""One id from the POST on: every line about an order has the order's own, and no other's."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.api.world import PEDIDO, TOKEN, client_error

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.api.world import World

    Lines = Callable[[], list[dict[str, Any]]]

pytestmark = pytest.mark.api

REQUEST = {"extendedRequestId": "AbCdEfGhIjKlMnO="}


@pytest.fixture
def lines(world: World, capsys: pytest.CaptureFixture[str]) -> Lines:
    """What was said since the last time, by the logger or beside a metric; bare counts say nothing of an order."""

    def since() -> list[dict[str, Any]]:
        text = world.log.getvalue() + capsys.readouterr().out
        world.log.seek(0)
        world.log.truncate()
        return [line for line in map(json.loads, text.splitlines()) if "message" in line]

    return since


def ids(found: list[dict[str, Any]]) -> list[object]:
    return [line.get("correlation_id") for line in found]


def test_a_post_ties_the_order_to_the_request_in_the_access_log(world: World, lines: Lines) -> None:
    world.post(contexto=REQUEST)
    (line,) = lines()
    assert (line["message"], line["correlation_id"]) == ("pedido recebido", "p-1")
    # The access log has it as $context.extendedRequestId.
    assert line["request_id"] == REQUEST["extendedRequestId"]
    # One line says it and counts it; the order's id is no dimension.
    assert line["PedidosRecebidos"] == [1]
    assert line["_aws"]["CloudWatchMetrics"][0]["Dimensions"] == [["service", "stack"]]
    assert TOKEN not in str(line)


def test_an_order_posted_again_has_the_id_it_had(world: World, lines: Lines) -> None:
    without_id = {key: value for key, value in PEDIDO.items() if key != "pedidoId"}
    headers = {"Content-Type": "application/json", "Idempotency-Key": "clique-1"}
    derived = [world.post(without_id, headers=headers).corpo["pedidoId"] for _ in range(2)]
    assert ids(lines()) == derived
    assert derived[0] == derived[1]


def test_an_order_the_queue_did_not_take_and_one_that_contradicts_it_say_which(world: World, lines: Lines) -> None:
    world.sqs.error = client_error("InternalError", "SendMessage")
    world.post()
    world.post({**PEDIDO, "quantidade": 3})
    found = lines()
    assert len(found) == 3
    assert set(ids(found)) == {"p-1"}


def test_a_failure_nobody_foresaw_says_which_order_too(
    world: World, lines: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TABELA_PEDIDOS")
    assert world.post().status == 503
    assert world.get("p-9").status == 503
    assert ids(lines()) == ["p-1", "p-9"]


def test_nothing_of_one_request_sticks_to_the_next(world: World, lines: Lines, monkeypatch: pytest.MonkeyPatch) -> None:
    world.post(contexto=REQUEST)
    lines()
    monkeypatch.delenv("FILA_CRIADOS_URL")
    world.post("{")
    (line,) = lines()
    assert "correlation_id" not in line
    assert "request_id" not in line


def test_each_record_of_a_batch_is_logged_under_its_own_order(world: World, lines: Lines) -> None:
    for pedido_id in ("p-1", "p-2", "p-3"):
        world.post({**PEDIDO, "pedidoId": pedido_id})
    lines()
    world.sfn.errors["p-2"] = client_error("ThrottlingException", "StartExecution")
    failed = world.start(*world.sqs.bodies, "{}", '{"pedidoId": "p-9"}')
    assert failed == ["m-1", "m-3", "m-4"]
    said = {line.get("correlation_id"): line["message"] for line in lines()}
    assert said == {
        "p-1": "execução iniciada",
        "p-2": "mensagem falhou e volta à fila",
        "p-3": "execução iniciada",
        None: "mensagem recusada",
        "p-9": "mensagem recusada",
    }
