"""The payment gateway simulator as a process: real HTTP on 127.0.0.1, real hangs, real dropped connections.

``python -m infra.local.simulator --porta 0`` prints one JSON line when it is ready (``{"gateway": URL, "porta": N}``)
and serves until SIGTERM or Ctrl-C. What each card token does is in `infra.local.simulator_tokens`, the rules in
`infra.local.simulator_core`.
"""

from __future__ import annotations

import hmac
import json
import select
import signal
import socket
import sys
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Final, NoReturn, cast
from urllib.parse import parse_qs, urlsplit

import click

from handlers.domain.credentials import COBRANCA, CONSULTA, ESTORNO
from infra.local.simulator_answers import Answer, Drop, Hang
from infra.local.simulator_core import Gateway
from infra.local.simulator_records import PedidoDeCobranca, PedidoDeEstorno, RequisicaoInvalidaError, chave_valida
from infra.local.simulator_store import FileStore, MemoryStore

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CREDENTIAL_VARIABLES", "SimulatorServer", "main"]

CREDENTIAL_VARIABLES: Final = {
    COBRANCA: "SIMULADOR_CREDENCIAL_COBRANCA",
    ESTORNO: "SIMULADOR_CREDENCIAL_ESTORNO",
    CONSULTA: "SIMULADOR_CREDENCIAL_CONSULTA",
}
"""Environment variables with the credential that each operation demands; one that is absent is not checked."""

MAX_BODY_BYTES: Final = 64 * 1024
DRAIN_BYTES: Final = 1024 * 1024
IDLE_SECONDS: Final = 120
"""How long a kept-alive connection may stay silent."""

HANG_POLL_SECONDS: Final = 0.1

_OPERATIONS: Final = {
    ("POST", "/cobrancas"): COBRANCA,
    ("POST", "/estornos"): ESTORNO,
    ("GET", "/cobrancas"): CONSULTA,
}


class SimulatorServer(ThreadingHTTPServer):
    """The listening socket and what its requests share.

    Args:
        port: 0 takes a free one.
        gateway: the rules.
        hang_seconds: after how long a hanging request is dropped, where the client did not leave before.
        credentials: by operation; an operation that is absent takes anybody's request.
    """

    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(
        self, port: int, gateway: Gateway, *, hang_seconds: float, credentials: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(("127.0.0.1", port), _Request)
        self.credentials = credentials or {}
        self.gateway = gateway
        self.hang_seconds = hang_seconds

    @property
    def url(self) -> str:
        """Where it answers, without trailing slash."""
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: socket.socket | tuple[bytes, socket.socket], client_address: object) -> None:
        """A client that left is everyday here; anything else keeps its traceback on stderr."""
        if not isinstance(sys.exception(), ConnectionError | TimeoutError):
            super().handle_error(request, client_address)


class _Request(BaseHTTPRequestHandler):
    """One connection; requests on it come one after another (keep-alive)."""

    protocol_version = "HTTP/1.1"
    # Without it each answer waits up to 40 ms for the client's delayed ACK.
    disable_nagle_algorithm = True
    wbufsize = -1
    timeout = IDLE_SECONDS

    def do_GET(self) -> None:
        self._respond()

    def do_POST(self) -> None:
        self._respond()

    def log_message(self, format: str, *args: object) -> None:
        """Silent: the statement tells what happened."""

    def _respond(self) -> None:
        try:
            outcome = self._route()
        except RequisicaoInvalidaError as error:
            outcome = Answer(400, {"codigo": "requisicao_invalida", "mensagem": str(error)})
        if isinstance(outcome, Answer):
            self._send(outcome)
            return
        if isinstance(outcome, Hang):
            self._hang(outcome)
        self.close_connection = True

    def _route(self) -> Answer | Hang | Drop:
        target = urlsplit(self.path)
        pedido_id = parse_qs(target.query).get("pedidoId", [None])[0]
        # Read before anything is decided: an unread body would be taken for the connection's next request.
        body: Mapping[str, object] = self._read_body() if self.command == "POST" else {}
        if not self._is_authorized(target.path):
            return Answer(401, {"codigo": "credencial_recusada"})
        match self.command, target.path:
            case "POST", "/cobrancas":
                return self._gateway.charge(self._key(), PedidoDeCobranca.de_json(body))
            case "POST", "/estornos":
                return self._gateway.refund(self._key(), PedidoDeEstorno.de_json(body))
            case "GET", "/cobrancas":
                if pedido_id is None:
                    raise RequisicaoInvalidaError("pedidoId: obrigatório na consulta (?pedidoId=...)")
                return self._gateway.look_up(pedido_id)
            case "GET", "/_simulador/extrato":
                return self._gateway.statement(pedido_id)
            case "GET", "/_simulador/saude":
                return Answer(200, {"situacao": "ok"})
            case "POST", "/_simulador/relogio":
                return self._gateway.advance_clock(_seconds(body))
            case _:
                return Answer(404, {"codigo": "rota_inexistente"})

    def _is_authorized(self, path: str) -> bool:
        """Whether the request carries its own operation's credential: another operation's will not do."""
        expected = cast("SimulatorServer", self.server).credentials.get(_OPERATIONS.get((self.command, path), ""))
        if expected is None:
            return True
        return hmac.compare_digest(self.headers.get("Authorization", "").encode(), f"Bearer {expected}".encode())

    @property
    def _gateway(self) -> Gateway:
        return cast("SimulatorServer", self.server).gateway

    def _key(self) -> str:
        return chave_valida(self.headers.get("Idempotency-Key"))

    def _read_body(self) -> Mapping[str, object]:
        header = self.headers.get("Content-Length", "")
        length = int(header) if header.isascii() and header.isdigit() else -1
        if not 0 <= length <= MAX_BODY_BYTES:
            # A close with bytes unread is a reset, and the client would never see the answer.
            self.rfile.read(min(max(length, 0), DRAIN_BYTES))
            self.close_connection = True
            raise RequisicaoInvalidaError(f"corpo: esperado Content-Length de até {MAX_BODY_BYTES} bytes")
        try:
            body: object = json.loads(self.rfile.read(length))
        except (ValueError, RecursionError):
            raise RequisicaoInvalidaError("corpo: esperado JSON") from None
        if not isinstance(body, dict):
            raise RequisicaoInvalidaError("corpo: esperado um objeto JSON")
        return cast("dict[str, object]", body)

    def _send(self, answer: Answer) -> None:
        body = json.dumps(answer.body).encode()
        self.send_response(answer.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    def _hang(self, hang: Hang) -> None:
        deadline = time.monotonic() + cast("SimulatorServer", self.server).hang_seconds
        try:
            while (left := deadline - time.monotonic()) > 0 and not self._client_left(min(left, HANG_POLL_SECONDS)):
                pass
        finally:
            self._gateway.hang_ended(hang)

    def _client_left(self, wait_seconds: float) -> bool:
        readable, _, _ = select.select([self.connection], [], [], wait_seconds)
        if not readable:
            return False
        try:
            if self.connection.recv(1, socket.MSG_PEEK) == b"":
                return True
        except ConnectionError:
            return True
        # The client sent its next request ahead: it waits its turn, and select would not wait any more.
        time.sleep(wait_seconds)
        return False


def _seconds(body: Mapping[str, object]) -> float:
    value = body.get("avancarSegundos")
    if not isinstance(value, int | float) or isinstance(value, bool) or not 0 <= value <= 10**9:
        raise RequisicaoInvalidaError("avancarSegundos: esperado um número de 0 a 10^9")
    return value


def _stop(_signal: int, _frame: object) -> NoReturn:
    raise SystemExit(0)


@click.command(help="Simulador do gateway de pagamento, em 127.0.0.1.")
@click.option("--porta", type=click.IntRange(0, 65535), default=0, show_default=True, help="0 escolhe uma livre.")
@click.option(
    "--janela-duvida-segundos",
    type=click.FloatRange(min=0, min_open=True),
    default=900.0,
    show_default=True,
    help="Janela de dúvida do cliente: as cobranças tardias são marcadas por ela.",
)
@click.option(
    "--pendura-segundos",
    type=click.FloatRange(min=0, min_open=True),
    default=30.0,
    show_default=True,
    help="Por quanto tempo uma requisição pendurada espera o cliente desistir.",
)
@click.option("--credencial-cobranca", envvar=CREDENTIAL_VARIABLES[COBRANCA], help="Exigida por POST /cobrancas.")
@click.option("--credencial-estorno", envvar=CREDENTIAL_VARIABLES[ESTORNO], help="Exigida por POST /estornos.")
@click.option("--credencial-consulta", envvar=CREDENTIAL_VARIABLES[CONSULTA], help="Exigida por GET /cobrancas.")
@click.option("--estado", type=click.Path(dir_okay=False, path_type=Path), help="Arquivo que guarda o estado.")
def main(
    porta: int,
    janela_duvida_segundos: float,
    pendura_segundos: float,
    credencial_cobranca: str | None,
    credencial_estorno: str | None,
    credencial_consulta: str | None,
    estado: Path | None,
) -> None:
    """Serve until SIGTERM or Ctrl-C; the signal ends the process at once, whatever hangs."""
    store = MemoryStore() if estado is None else FileStore(estado)
    gateway = Gateway(doubt_window_seconds=janela_duvida_segundos, clock=time.time, store=store)
    for stop_signal in (signal.SIGTERM, signal.SIGINT):
        signal.signal(stop_signal, _stop)
    given = {COBRANCA: credencial_cobranca, ESTORNO: credencial_estorno, CONSULTA: credencial_consulta}
    credentials = {operation: credential for operation, credential in given.items() if credential}
    with SimulatorServer(porta, gateway, hang_seconds=pendura_segundos, credentials=credentials) as server:
        click.echo(json.dumps({"gateway": server.url, "porta": server.server_port}))
        sys.stdout.flush()
        server.serve_forever()


if __name__ == "__main__":
    main()
