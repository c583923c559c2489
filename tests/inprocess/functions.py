"""The functions' own entry points, as Lambda calls them, made to live in whatever world there is now.

What a function finds around it is replaced once: boto3's clients, the gateway's connection, the clock, the environment.
Each invocation is a cold start: credentials and clients are made again.
"""

from __future__ import annotations

import os
import sys
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final, cast
from unittest.mock import patch

import handlers.cobrar_pagamento
import handlers.conciliador
import handlers.confirmar_pedido
import handlers.efetivar_reserva
import handlers.estornar_pagamento
import handlers.liberar_estoque
import handlers.reservar_estoque
import infra.ops.human_queue
import infra.ops.intervention_act
from handlers.domain import aws, environment, wiring
from handlers.domain.gateway_http import GatewayHttp
from handlers.domain.reconciliation import Prazos
from handlers.domain.status import Etapa
from infra.openapi import API_DIR, load_app
from infra.sagas.pedido import AjustesDaSaga, Recursos, compilar, compilar_retomada
from tests.inprocess.gateway import IDS, Pool, simulator_module

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping

    from botocore.config import Config
    from chalice.app import Chalice

    from infra.saga.compiler import Definition
    from tests.inprocess.process import Process
    from tests.inprocess.world import World

__all__ = [
    "API",
    "CONCILIADOR",
    "CRIADOS",
    "CRIADOS_DLQ",
    "DEFINITIONS",
    "ESTOQUE",
    "FUNCTIONS",
    "HUMANA",
    "INICIADOR",
    "MAQUINA",
    "PEDIDOS",
    "PERSON",
    "PRAZOS",
    "RESOURCES",
    "RETOMADA",
    "SETTINGS",
    "Function",
    "installed",
]

_ACCOUNT: Final = "us-east-1:111122223333"
PEDIDOS: Final = "cesta-pedidos"
ESTOQUE: Final = "cesta-estoque"
CRIADOS: Final = "https://sqs.example/cesta-pedidos-criados"
CRIADOS_DLQ: Final = "https://sqs.example/cesta-pedidos-criados-dlq"
HUMANA: Final = "https://sqs.example/cesta-compensacao-falhou"
MAQUINA: Final = f"arn:aws:states:{_ACCOUNT}:stateMachine:cesta-saga-pedido"
RETOMADA: Final = f"arn:aws:states:{_ACCOUNT}:stateMachine:cesta-saga-retomada"

API: Final = "cesta-api"
INICIADOR: Final = "cesta-iniciador"
CONCILIADOR: Final = "cesta-conciliador"
PERSON: Final = "cesta intervencao"

SETTINGS: Final = AjustesDaSaga()
"""A deployed stack's times (infra/config.py has the same defaults)."""
PRAZOS: Final = Prazos()
"""The reconciler's."""

RESOURCES: Final = Recursos(
    funcoes={etapa.value: etapa.value for etapa in Etapa}, tabela_pedidos=PEDIDOS, fila_humana_url=HUMANA
)
DEFINITIONS: Final[Mapping[str, Definition]] = {
    MAQUINA: compilar(SETTINGS, RESOURCES),
    RETOMADA: compilar_retomada(SETTINGS, RESOURCES),
}
"""The definitions that are deployed."""

_ENVIRONMENT: Final = {
    environment.TABELA_PEDIDOS: PEDIDOS,
    environment.TABELA_ESTOQUE: ESTOQUE,
    environment.FILA_CRIADOS_URL: CRIADOS,
    environment.FILA_HUMANA_URL: HUMANA,
    environment.MAQUINA_ARN: MAQUINA,
    environment.MAQUINA_RETOMADA_ARN: RETOMADA,
    environment.GATEWAY_URL: "https://gateway.example",
    environment.GATEWAY_CONEXAO_SEGUNDOS: "1",
    environment.GATEWAY_LEITURA_SEGUNDOS: "5",
    environment.GATEWAY_PARAMETRO_COBRANCA: "/cesta/gateway/cobranca",
    environment.JANELA_DUVIDA_SEGUNDOS: str(SETTINGS.janela_duvida_segundos),
    environment.ESPERA_INICIO_SEGUNDOS: str(PRAZOS.inicio),
    environment.REVERIFICACAO_SEGUNDOS: str(PRAZOS.reverificacao),
    environment.REVERIFICACAO_FINAL_SEGUNDOS: str(PRAZOS.reverificacao_final),
    environment.INJECAO_DE_FALHAS: "true",
    environment.SEGUNDOS_POR_INICIO: "0.001",
    environment.API_URL_BASE: "https://api.example",
}


@dataclass(frozen=True)
class Function:
    """A deployed function.

    Attributes:
        seconds: its timeout.
        handler: its entry point.
    """

    seconds: float
    handler: Callable[[Any, Any], Any]


class _Context:
    """What the functions read of Lambda's context."""

    function_name = "cesta"
    memory_limit_in_mb = 256
    invoked_function_arn = "arn:aws:lambda:us-east-1:111122223333:function:cesta"
    aws_request_id = "r"

    def __init__(self, process: Process) -> None:
        self._process = process

    def get_remaining_time_in_millis(self) -> int:
        return int((self._process.deadline - self._process.world.now) * 1000)


class Installed:
    """The one world there is now, as everything that was replaced finds it."""

    world: World | None = None

    def now(self) -> World:
        assert self.world is not None
        return self.world


_HERE: Final = Installed()


class _Clock:
    """In the place of the module `time`."""

    @staticmethod
    def time() -> float:
        return _HERE.now().now

    monotonic = time

    @staticmethod
    def sleep(seconds: float) -> None:
        _HERE.now().sleep(seconds)


class _Random:
    """In the place of the module `random`: how long an operator's command waits does not matter."""

    @staticmethod
    def uniform(low: float, high: float) -> float:
        return (low + high) / 2


class _Client:
    """A boto3 client of the world there is now."""

    def __init__(self, service: str, config: Config) -> None:
        self._service = service
        retries: Any = cast("Any", config).retries
        self._repeats = retries["total_max_attempts"] > 1

    def __getattr__(self, operation: str) -> Any:
        world = _HERE.now()
        world.sdk_repeats = self._repeats
        return getattr(world.clients[self._service], operation)


def body_of(function: Function, event: object) -> Callable[[Process], Any]:
    """A cold start of the function with that event."""

    def body(process: Process) -> Any:
        wiring.credenciais.cache_clear()
        wiring.gateway.cache_clear()
        return function.handler(event, _Context(process))

    return body


@cache
def _app() -> Chalice:
    return load_app(API_DIR)


def _api(event: Any, context: Any) -> Any:
    return _app()(event, context)


def _iniciador(event: Any, context: Any) -> Any:
    return cast("Any", _app()).handler_map["iniciador"](event, context)


FUNCTIONS: Final[Mapping[str, Function]] = {
    Etapa.RESERVAR_ESTOQUE: Function(SETTINGS.lambda_segundos, handlers.reservar_estoque.handler),
    Etapa.COBRAR_PAGAMENTO: Function(SETTINGS.lambda_segundos, handlers.cobrar_pagamento.handler),
    Etapa.CONFIRMAR_PEDIDO: Function(SETTINGS.lambda_segundos, handlers.confirmar_pedido.handler),
    Etapa.EFETIVAR_RESERVA: Function(SETTINGS.lambda_segundos, handlers.efetivar_reserva.handler),
    Etapa.ESTORNAR_PAGAMENTO: Function(SETTINGS.lambda_segundos, handlers.estornar_pagamento.handler),
    Etapa.LIBERAR_ESTOQUE: Function(SETTINGS.lambda_segundos, handlers.liberar_estoque.handler),
    API: Function(10, _api),
    INICIADOR: Function(SETTINGS.lambda_segundos, _iniciador),
    CONCILIADOR: Function(60, handlers.conciliador.handler),
}
"""Every function, by its name, the steps' by their state's."""


class _Inline:
    """In the place of ThreadPoolExecutor: one record after the other, so that a run can be repeated."""

    def __init__(self, _workers: int) -> None: ...

    def __enter__(self) -> _Inline:
        return self

    def __exit__(self, *_: object) -> None: ...

    map = staticmethod(map)


def _client(service: str, *, config: Config) -> _Client:
    return _Client(service, config)


class _Unheard:
    """A metric's line, printed nowhere."""

    def add_dimension(self, name: str, value: str) -> None: ...

    def add_metadata(self, key: str, value: object) -> None: ...


def _no_metric(**_: object) -> nullcontext[_Unheard]:
    return nullcontext(_Unheard())


def _pace(real: Any) -> Callable[[float], Any]:
    return lambda seconds: real(seconds, relogio=_Clock.time, dormir=_Clock.sleep)


def _connect(_: type[GatewayHttp], url: str, **settings: Any) -> GatewayHttp:
    return GatewayHttp(url, Pool(_HERE.now, read_seconds=settings["leitura_segundos"]), settings["credenciais"])


@contextmanager
def installed() -> Generator[Installed]:
    """Inside the block the functions live in the world the answer is told of (`Installed.world`)."""
    app = cast("Any", _app())
    door = app.routes["/pedidos"]["POST"].view_function.__wrapped__.__globals__
    starter = door["Iniciador"].iniciar_lote.__globals__
    # What they would print is not looked at here.
    quiet = [door["logger"], handlers.conciliador.logger, sys.modules["handlers.domain.runtime"].logger]
    levels = [logger.log_level for logger in quiet]
    with ExitStack() as stack:
        stack.enter_context(patch.dict(os.environ, _ENVIRONMENT))
        stack.enter_context(patch("handlers.domain.aws.new_client", _client))
        stack.enter_context(patch("handlers.domain.metrics.single_metric", _no_metric))
        stack.enter_context(patch.object(GatewayHttp, "conectar", classmethod(_connect)))
        stack.enter_context(patch.object(simulator_module, "secrets", IDS))
        stack.enter_context(patch.dict(door, time=_Clock, Ritmo=_pace(door["Ritmo"])))
        stack.enter_context(patch.dict(starter, ThreadPoolExecutor=_Inline))
        for module in (
            wiring,
            handlers.cobrar_pagamento,
            handlers.conciliador,
            handlers.estornar_pagamento,
            handlers.liberar_estoque,
            infra.ops.human_queue,
            infra.ops.intervention_act,
        ):
            stack.enter_context(patch.object(module, "time", _Clock))
        stack.enter_context(patch.object(infra.ops.intervention_act, "random", _Random))
        for logger in quiet:
            logger.setLevel("CRITICAL")
        _forget()
        try:
            yield _HERE
        finally:
            _HERE.world = None
            _forget()
            for logger, level in zip(quiet, levels, strict=True):
                logger.setLevel(level)


def _forget() -> None:
    """A process keeps what it made for life."""
    for made in (aws.dynamodb, aws.dynamodb_once, aws.sqs, aws.ssm, aws.stepfunctions):
        made.cache_clear()
    for made in (
        wiring.estoque,
        wiring.estoque_sem_repeticao,
        wiring.pedidos,
        wiring.livro,
        wiring.credenciais,
        wiring.gateway,
    ):
        made.cache_clear()
