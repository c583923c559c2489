"""The connection between the real HTTP client of the gateway and the simulator's own core, without a socket."""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs, urlsplit

from urllib3.exceptions import ProtocolError

from infra.local import simulator_core
from infra.local.simulator_answers import Answer, Drop, Hang
from infra.local.simulator_core import Gateway
from infra.local.simulator_records import PedidoDeCobranca, PedidoDeEstorno, RequisicaoInvalidaError
from infra.local.simulator_store import MemoryStore
from tests.inprocess.process import GATEWAY, GatewayBusyError, silence

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.inprocess.world import World

__all__ = ["Pool", "new_gateway"]


@dataclass
class Response:
    """An HTTP answer."""

    status: int
    data: bytes


class Pool:
    """An `HttpPool` that leads to the gateway of the world there is now.

    Args:
        world: tells that world.
        read_seconds: after so long without an answer the client leaves.
    """

    def __init__(self, world: Callable[[], World], *, read_seconds: float) -> None:
        self._world = world
        self._read_seconds = read_seconds

    def request(
        self,
        method: str,
        url: str,
        *,
        body: bytes | None,
        headers: Mapping[str, str],
        retries: bool,
        redirect: bool,
    ) -> Response:
        world = self._world()
        parts = urlsplit(url)
        name = f"{GATEWAY} {method} {parts.path}"

        with _Connection(world.gateway) as connection:

            def ask() -> Answer | Hang | Drop:
                key = headers.get("Idempotency-Key", "")
                return connection.answered(_answer(world.gateway, method, parts.path, parts.query, body, key))

            try:
                answer = world.outside(name, ask)
            except GatewayBusyError:
                return Response(429, b"{}")
            if isinstance(answer, Hang):
                world.sleep(self._read_seconds)
                raise silence(name)
        if isinstance(answer, Drop):
            raise ProtocolError("conexão fechada")
        return Response(answer.status, json.dumps(answer.body).encode())


class _Connection:
    """One request's connection: whoever waits at its other end is gone when it closes, dead or tired of waiting.

    A request may still be on its way when its client is gone; nobody hangs on to that one.
    """

    def __init__(self, gateway: Gateway) -> None:
        self._gateway = gateway
        self._hang: Hang | None = None
        self._closed = False

    def __enter__(self) -> _Connection:
        return self

    def __exit__(self, *_: object) -> None:
        self._closed = True
        if self._hang is not None:
            self._gateway.hang_ended(self._hang)

    def answered(self, answer: Answer | Hang | Drop) -> Answer | Hang | Drop:
        """The gateway answered, or lets its client wait."""
        if isinstance(answer, Hang):
            if self._closed:
                self._gateway.hang_ended(answer)
            else:
                self._hang = answer
        return answer


def new_gateway(*, doubt_window_seconds: float, clock: Callable[[], float]) -> Gateway:
    """A gateway that has seen nothing."""
    return Gateway(doubt_window_seconds=doubt_window_seconds, clock=clock, store=MemoryStore())


class Numbered:
    """In the place of `secrets`, so that ids are the same in every run."""

    def __init__(self) -> None:
        self.restart()

    def restart(self) -> None:
        """Another world begins."""
        self._numbers = itertools.count(1)

    def token_hex(self, _bytes: int) -> str:
        return f"{next(self._numbers):x}"


IDS = Numbered()
simulator_module: Any = simulator_core


def _answer(gateway: Gateway, method: str, path: str, query: str, body: bytes | None, key: str) -> Answer | Hang | Drop:
    if method == "GET":
        return gateway.look_up(parse_qs(query)["pedidoId"][0])
    posted = json.loads(body or b"{}")
    try:
        if path == "/cobrancas":
            return gateway.charge(key, PedidoDeCobranca.de_json(posted))
        return gateway.refund(key, PedidoDeEstorno.de_json(posted))
    except RequisicaoInvalidaError:
        return Answer(400, {"codigo": "requisicao_invalida"})
