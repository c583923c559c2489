"""The gateway simulator as its clients meet it: a process, HTTP, hangs and dropped connections."""

from __future__ import annotations

import signal
import socket
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, cast

import psutil
import pytest
import urllib3

from tests.e2e.simulator.conftest import HANG_SECONDS, WINDOW_SECONDS, Simulator, simulator

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

pytestmark = pytest.mark.e2e


def wait_until(condition: Callable[[], bool], *, seconds: float, what: str) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"not within {seconds} s: {what}"
        time.sleep(0.02)


def test_a_charge_and_its_refund_over_http(gateway: Simulator) -> None:
    status, charge = gateway.charge("tok-ok", "p-feliz")
    assert (status, charge["estado"]) == (201, "aprovada")

    body = {"pedidoId": "p-feliz", "transacaoId": charge["transacaoId"], "valorCentavos": 4590}
    status, refund = gateway.post("/estornos", body, chave="estorno-p-feliz")
    assert (status, refund["estado"]) == (201, "concluido")
    assert [(c["valorEstornadoCentavos"], c["estornoEstado"]) for c in gateway.seen("p-feliz")] == [(4590, "concluido")]

    _, statement = gateway.get("/_simulador/extrato?pedidoId=p-feliz")
    cobrancas = cast("list[dict[str, object]]", statement["cobrancas"])
    assert {"pedidoId", "chave", "transacaoId", "valorCentavos", "tentativas", "estado"} <= cobrancas[0].keys()
    estornos = cast("list[dict[str, object]]", statement["estornos"])
    assert {"pedidoId", "chave", "estornoId", "valorCentavos", "tentativas", "estado"} <= estornos[0].keys()


def test_a_client_that_times_out_was_charged_all_the_same(gateway: Simulator) -> None:
    with pytest.raises(urllib3.exceptions.ReadTimeoutError):
        gateway.charge("tok-timeout-cobrado", "p-timeout", read=0.2)
    assert [c["estado"] for c in gateway.seen("p-timeout")] == ["aprovada"]


def test_a_hanging_request_nobody_leaves_is_dropped_without_an_answer(gateway: Simulator) -> None:
    begin = time.monotonic()
    with pytest.raises(urllib3.exceptions.ProtocolError):
        gateway.charge("tok-timeout-sem-cobrar", "p-pendurado")
    assert HANG_SECONDS <= time.monotonic() - begin < HANG_SECONDS + 1
    assert gateway.seen("p-pendurado") == []


def test_a_late_charge_lands_by_itself_after_its_client_left(gateway: Simulator) -> None:
    with pytest.raises(urllib3.exceptions.ReadTimeoutError):
        gateway.charge("tok-cobranca-tardia", "p-tardia", read=0.1)
    assert gateway.charge("tok-cobranca-tardia", "p-tardia") == (409, {"codigo": "em_andamento"})
    assert gateway.seen("p-tardia") == []
    wait_until(lambda: gateway.seen("p-tardia") != [], seconds=WINDOW_SECONDS, what="the late charge lands")


def test_the_clock_can_be_moved_over_http(gateway: Simulator) -> None:
    with pytest.raises(urllib3.exceptions.ReadTimeoutError):
        gateway.charge("tok-cobranca-muito-tardia", "p-muito-tardia", read=0.1)
    # The simulator sees its client leave at its next poll; only from then is the late charge counted.
    threads_settle(gateway)
    status, _ = gateway.post("/_simulador/relogio", {"avancarSegundos": 2 * WINDOW_SECONDS})
    assert status == 200
    assert [c["estado"] for c in gateway.seen("p-muito-tardia")] == ["aprovada"]


def test_a_lost_refund_answer_is_a_dropped_connection_then_already_refunded(gateway: Simulator) -> None:
    _, charge = gateway.charge("tok-estorno-perdido", "p-perdido")
    body = {"pedidoId": "p-perdido", "transacaoId": charge["transacaoId"], "valorCentavos": 4590}
    with pytest.raises(urllib3.exceptions.ProtocolError):
        gateway.post("/estornos", body, chave="estorno-p-perdido")
    status, again = gateway.post("/estornos", body, chave="estorno-p-perdido")
    assert (status, again["codigo"]) == (409, "ja_estornada")


@pytest.mark.parametrize(
    ("path", "body", "chave"),
    [
        ("/cobrancas", b"{", "k"),
        ("/cobrancas", b"[" * 30_000, "k"),
        ("/cobrancas", b"[]", "k"),
        ("/cobrancas", b"\xff", "k"),
        ("/cobrancas", {"pedidoId": "p", "cartaoToken": "tok-ok", "valorCentavos": "1"}, "k"),
        ("/cobrancas", {"pedidoId": "p", "cartaoToken": "tok-ok", "valorCentavos": 1}, None),
        ("/estornos", {"pedidoId": "p", "valorCentavos": 1}, "k"),
        ("/_simulador/relogio", {"avancarSegundos": -1}, None),
        ("/_simulador/relogio", b'{"avancarSegundos": NaN}', None),
    ],
)
def test_a_malformed_request_is_a_400_that_says_what_was_expected(
    gateway: Simulator, path: str, body: object, chave: str | None
) -> None:
    status, answer = gateway.post(path, body, chave=chave)
    assert (status, answer["codigo"]) == (400, "requisicao_invalida")
    assert "esperado" in str(answer["mensagem"]) or "obrigatório" in str(answer["mensagem"])


def test_a_body_too_large_is_refused_and_its_connection_given_up(gateway: Simulator) -> None:
    response = gateway.http.request("POST", f"{gateway.url}/cobrancas", body=b"x" * (64 * 1024 + 1), retries=False)
    assert (response.status, response.headers["Connection"]) == (400, "close")
    assert gateway.get("/_simulador/saude") == (200, {"situacao": "ok"})


def test_an_unknown_route_is_a_404_and_a_look_up_needs_its_order(gateway: Simulator) -> None:
    assert gateway.get("/nada")[0] == 404
    assert gateway.post("/nada", {})[0] == 404
    assert gateway.get("/cobrancas")[0] == 400


def test_one_connection_serves_many_requests_without_nagle_delays(gateway: Simulator) -> None:
    for number in range(60):  # a statement too long for one buffer is written in pieces
        gateway.charge("tok-ok", f"p-extrato-{number}")
    with urllib3.HTTPConnectionPool("127.0.0.1", int(gateway.url.rsplit(":", 1)[1]), maxsize=1) as pool:
        begin = time.monotonic()
        for _ in range(30):
            assert pool.request("GET", "/_simulador/extrato", retries=False).status == 200
        assert pool.num_connections == 1
        assert time.monotonic() - begin < 30 * 0.03, "each answer waits for a delayed ACK"


def test_one_key_over_many_connections_is_one_charge(gateway: Simulator) -> None:
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(gateway.charge, ["tok-ok"] * 64, ["p-concorrente"] * 64))
    assert {status for status, _ in answers} == {201}
    assert len({str(body["transacaoId"]) for _, body in answers}) == 1
    assert len(gateway.seen("p-concorrente")) == 1


def threads_settle(gateway: Simulator) -> None:
    """Wait until no request hangs: idle connections closed, the main thread alone is left."""
    gateway.http.connection_from_url(gateway.url).close()
    gateway.http.clear()
    process = psutil.Process(gateway.process.pid)
    wait_until(lambda: process.num_threads() == 1, seconds=3, what="the request threads end")


def test_no_thread_outlives_its_client(gateway: Simulator) -> None:
    def hang_and_leave(number: int) -> None:
        with pytest.raises(urllib3.exceptions.ReadTimeoutError):
            gateway.charge("tok-timeout-sem-cobrar", f"p-vaza-{number}", read=0.2)

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(hang_and_leave, range(16)))
    threads_settle(gateway)


@pytest.mark.parametrize("stop_signal", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_at_once_even_with_a_request_hanging(stop_signal: signal.Signals) -> None:
    with simulator("--pendura-segundos", "60") as running:
        port = int(running.url.rsplit(":", 1)[1])
        body = b'{"pedidoId":"p","cartaoToken":"tok-timeout-cobrado","valorCentavos":1}'
        head = f"POST /cobrancas HTTP/1.1\r\nHost: x\r\nIdempotency-Key: k\r\nContent-Length: {len(body)}\r\n\r\n"
        with socket.create_connection(("127.0.0.1", port)) as hanging:
            hanging.sendall(head.encode() + body)
            wait_until(lambda: running.seen("p") != [], seconds=3, what="the hanging request was charged")
            running.process.send_signal(stop_signal)
            assert running.process.wait(timeout=2) == 0


def test_it_listens_on_loopback_alone(gateway: Simulator) -> None:
    listening = [c for c in psutil.Process(gateway.process.pid).net_connections() if c.status == psutil.CONN_LISTEN]
    assert [c.laddr.ip for c in listening] == ["127.0.0.1"]


def test_a_kill_loses_nothing_where_there_is_a_state_file(tmp_path: Path) -> None:
    state = str(tmp_path / "estado.jsonl")
    with simulator("--estado", state) as first:
        answer = first.charge("tok-ok", "p-1")
        first.process.kill()
    with simulator("--estado", state) as second:
        assert second.charge("tok-ok", "p-1") == answer
