"""One order per post, however it is repeated and whatever fails on the way (cases C11 and C32)."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from infra.openapi import load_app
from tests.api.world import API_DIR, PEDIDO, World, build, client_error, down

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeVar

    T = TypeVar("T")

pytestmark = pytest.mark.api

JSON = {"Content-Type": "application/json"}
SEM_ID = {campo: valor for campo, valor in PEDIDO.items() if campo != "pedidoId"}
FALHAS = {
    "unreachable": down,
    "throttled": lambda: client_error("ProvisionedThroughputExceededException", "PutItem"),
    "internal": lambda: client_error("InternalServerError", "PutItem"),
    "denied": lambda: client_error("AccessDeniedException", "PutItem"),
}


class Rede:
    """Stands between the app and the table: each call in turn is let through, fails before it, or loses its answer."""

    def __init__(self) -> None:
        self.plano: list[str] = []
        self.erro: Callable[[], Exception] = down

    def __call__(self, name: str, effect: Callable[[], T]) -> T:
        como = self.plano.pop(0) if self.plano else "passa"
        if como == "antes":
            raise self.erro()
        resultado = effect()
        if como == "depois":
            raise self.erro()
        return resultado


@pytest.mark.parametrize("falha", FALHAS)
@pytest.mark.parametrize("quando", ["antes", "depois"])
def test_a_write_that_fails_or_whose_answer_is_lost_is_a_503_and_trying_again_is_one_order(
    monkeypatch: pytest.MonkeyPatch, falha: str, quando: str
) -> None:
    rede = Rede()
    with build(monkeypatch, outside=rede) as world:
        rede.plano, rede.erro = [quando], FALHAS[falha]
        resposta = world.post()
        assert (resposta.status, resposta.corpo["type"]) == (503, "urn:cesta:problema:indisponivel")
        assert int(resposta.headers["Retry-After"]) > 0
        # Not sent: what the table did not confirm, the machine must not start.
        assert not world.sqs.bodies
        assert world.post().status == 202
        assert list(world.rows) == ["p-1"]
        assert len(world.sqs.bodies) == 1


def test_a_row_that_cannot_be_read_back_is_a_503_and_trying_again_is_one_order(monkeypatch: pytest.MonkeyPatch) -> None:
    rede = Rede()
    with build(monkeypatch, outside=rede) as world:
        world.post()
        rede.plano = ["passa", "antes"]
        assert world.post().status == 503
        assert world.post().status == 202
        assert len({*world.sqs.bodies}) == 1


@pytest.mark.parametrize("falha", FALHAS)
@pytest.mark.parametrize("perdida", [False, True])
def test_a_message_not_sent_or_whose_answer_is_lost_is_accepted_and_sent_again_by_the_next_post(
    world: World, falha: str, perdida: bool
) -> None:
    world.sqs.error, world.sqs.lost = FALHAS[falha](), perdida
    assert world.post().status == 202
    assert len(world.sqs.bodies) == perdida
    world.sqs.error = None
    assert world.post().status == 202
    assert len(world.sqs.bodies) == perdida + 1
    # However many times it was sent, it is one message and starts one execution.
    assert world.start(*world.sqs.bodies) == []
    assert len(world.sfn.inputs) == 1


@given(
    planos=st.lists(st.lists(st.sampled_from(["passa", "antes", "depois"]), max_size=2), min_size=1, max_size=6),
    fila=st.lists(st.sampled_from(["passa", "antes", "depois"]), min_size=6, max_size=6),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
def test_whatever_fails_in_whatever_order_there_is_one_row_one_message_and_no_message_without_a_row(
    monkeypatch: pytest.MonkeyPatch, planos: list[list[str]], fila: list[str]
) -> None:
    rede = Rede()
    with build(monkeypatch, outside=rede) as world:
        for plano, envio in zip(planos, fila, strict=False):
            rede.plano = list(plano)
            world.sqs.error, world.sqs.lost = (None if envio == "passa" else down()), envio == "depois"
            assert world.post().status in (202, 503)
            assert not world.sqs.bodies or world.rows
        rede.plano, world.sqs.error = [], None
        assert world.post().status == 202
        assert list(world.rows) == ["p-1"]
        assert len({*world.sqs.bodies}) == 1


@pytest.mark.parametrize("chave", [None, "clique-1"])
def test_equal_posts_at_the_same_time_are_one_order(monkeypatch: pytest.MonkeyPatch, chave: str | None) -> None:
    lock, largada = threading.Lock(), threading.Barrier(8)

    def um_por_vez(name: str, effect: Callable[[], T]) -> T:
        if name == "put_item":
            largada.wait(timeout=5)  # all have read nothing yet, and all write
        with lock:
            return effect()

    with build(monkeypatch, outside=um_por_vez) as world, ThreadPoolExecutor(8) as clients:
        headers = JSON if chave is None else {**JSON, "Idempotency-Key": chave}
        corpo = PEDIDO if chave is None else SEM_ID
        # Chalice keeps the request it is serving in the app itself: each client is a process of its own, as on Lambda.
        worlds = [World(load_app(API_DIR), world.dynamo, world.sqs, world.sfn) for _ in range(8)]
        postando = [clients.submit(um.post, corpo, headers=headers) for um in worlds]
        respostas = [futura.result() for futura in postando]
        assert [resposta.status for resposta in respostas] == [202] * 8
        assert len({resposta.corpo["pedidoId"] for resposta in respostas}) == 1
        assert len(world.rows) == 1
        assert len({*world.sqs.bodies}) == 1


def test_of_different_posts_of_one_id_at_the_same_time_one_wins_and_the_others_are_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lock, largada = threading.Lock(), threading.Barrier(4)

    def um_por_vez(name: str, effect: Callable[[], T]) -> T:
        if name == "put_item":
            largada.wait(timeout=5)
        with lock:
            return effect()

    with build(monkeypatch, outside=um_por_vez) as world, ThreadPoolExecutor(4) as clients:
        worlds = [World(load_app(API_DIR), world.dynamo, world.sqs, world.sfn) for _ in range(4)]
        postando = [clients.submit(um.post, {**PEDIDO, "quantidade": i}) for i, um in enumerate(worlds, start=1)]
        assert sorted(futura.result().status for futura in postando) == [202, 409, 409, 409]
        assert len(world.sqs.bodies) == 1


def test_a_key_is_its_callers_own(world: World) -> None:
    def de(nome: str) -> dict[str, object]:
        return {"authorizer": {"claims": {"sub": nome}}}

    headers = {**JSON, "Idempotency-Key": "1"}
    ids = {nome: world.post(SEM_ID, headers=headers, contexto=de(nome)).corpo["pedidoId"] for nome in ("ana", "bia")}
    assert ids["ana"] != ids["bia"]
    # Even who guesses the derived id sees nothing of the order.
    assert world.get(ids["ana"], contexto=de("bia")).status == 404
