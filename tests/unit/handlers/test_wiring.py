"""Each handler in the environment its function has: what it needs, what it says when that is missing, what it keeps."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from handlers import (
    cobrar_pagamento,
    confirmar_pedido,
    efetivar_reserva,
    estornar_pagamento,
    liberar_estoque,
    reservar_estoque,
)
from handlers.domain import aws, environment, wiring
from handlers.domain.errors import ErroInesperado
from tests.support.dynamo import FakeDynamo
from tests.unit.handlers.test_runtime import Contexto, evento
from tests.unit.handlers.world import CHAVES, PEDIDO, QUANTIDADE, SALDO, SKU, VALOR, Mundo

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aws_lambda_powertools.utilities.typing import LambdaContext

    from handlers.domain.runtime import Handler

pytestmark = pytest.mark.unit

ESTOQUE = {environment.TABELA_ESTOQUE: "estoque"}
PEDIDOS = {environment.TABELA_PEDIDOS: "pedidos"}
GATEWAY = {
    environment.GATEWAY_URL: "http://gateway",
    environment.GATEWAY_CONEXAO_SEGUNDOS: "1",
    environment.GATEWAY_LEITURA_SEGUNDOS: "5",
}
JANELA = {environment.JANELA_DUVIDA_SEGUNDOS: "900"}

HANDLERS: dict[str, tuple[Handler, dict[str, str]]] = {
    "reservar": (reservar_estoque.handler, ESTOQUE),
    "liberar": (liberar_estoque.handler, ESTOQUE),
    "efetivar": (efetivar_reserva.handler, ESTOQUE | PEDIDOS),
    "confirmar": (confirmar_pedido.handler, PEDIDOS),
    "cobrar": (cobrar_pagamento.handler, PEDIDOS | GATEWAY),
    "estornar": (estornar_pagamento.handler, PEDIDOS | GATEWAY | JANELA),
}
FALTAS = [(nome, variavel) for nome, (_, ambiente) in HANDLERS.items() for variavel in ambiente]


# By name here and now: a test puts something else in their place.
CONSTRUTORES = (
    aws.dynamodb,
    aws.dynamodb_once,
    wiring.estoque,
    wiring.estoque_sem_repeticao,
    wiring.pedidos,
    wiring.livro,
    wiring.gateway,
)


def _esquecer() -> None:
    for construtor in CONSTRUTORES:
        construtor.cache_clear()


@pytest.fixture
def processo(monkeypatch: pytest.MonkeyPatch) -> Iterator[Mundo]:
    """A process that has just started, in a world whose AWS is a fake."""
    um = Mundo()
    clientes: list[int] = []

    def client(service: str, *, config: Any) -> object:
        assert service == "dynamodb"
        clientes.append(config.retries["total_max_attempts"])
        assert (config.connect_timeout, config.read_timeout) == (1, 2)
        return FakeDynamo(CHAVES, um.estado.tabelas).client

    monkeypatch.setattr(aws, "new_client", client)
    for nome in ESTOQUE | PEDIDOS | GATEWAY | JANELA:
        monkeypatch.delenv(nome, raising=False)
    _esquecer()
    yield um
    _esquecer()
    # Of each kind once: one that repeats, and ReservarEstoque's, which does not.
    assert len(clientes) == len(set(clientes))


def chamar(nome: str, monkeypatch: pytest.MonkeyPatch, *, sem: str = "", **entrada: Any) -> object:
    """Calls a handler with exactly the variables its function has, but ``sem``."""
    handler, ambiente = HANDLERS[nome]
    event = evento({"pedidoId": PEDIDO, "sku": SKU, "quantidade": QUANTIDADE, **entrada})
    with monkeypatch.context() as funcao:
        for variavel, valor in ambiente.items():
            if variavel != sem:
                funcao.setenv(variavel, valor)
        return handler(event, cast("LambdaContext", Contexto()))


def test_the_handlers_take_an_order_to_its_end(processo: Mundo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wiring, "gateway", lambda: processo.gateway)
    assert chamar("reservar", monkeypatch) == {"sku": SKU, "quantidade": QUANTIDADE}
    assert chamar("cobrar", monkeypatch) == {"transacaoId": "tx-1", "valorCentavos": VALOR}
    assert chamar("confirmar", monkeypatch) == {"status": "CONFIRMADO"}
    assert chamar("efetivar", monkeypatch) == {"efetivada": True}
    assert (processo.saldo, processo.reservado) == (SALDO - QUANTIDADE, 0)


def test_the_handlers_take_an_order_back(processo: Mundo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(wiring, "gateway", lambda: processo.gateway)
    reserva = chamar("reservar", monkeypatch)
    chamar("cobrar", monkeypatch)
    devolucao = {"estornoId": "es-1", "valorCentavos": VALOR, "situacao": "estornado"}
    assert chamar("estornar", monkeypatch) == devolucao
    assert chamar("liberar", monkeypatch, reserva=reserva) == {"liberada": QUANTIDADE}
    assert (processo.saldo, processo.entradas) == (SALDO, {})
    assert processo.estado.terminal.liquido == 0


@pytest.mark.parametrize(("nome", "variavel"), FALTAS)
def test_a_missing_variable_is_named_before_anything_is_done(
    nome: str, variavel: str, processo: Mundo, monkeypatch: pytest.MonkeyPatch
) -> None:
    antes = repr(processo.estado)
    with pytest.raises(ErroInesperado, match=f"variável de ambiente {variavel} "):
        chamar(nome, monkeypatch, sem=variavel)
    assert repr(processo.estado) == antes


def test_the_gateway_is_kept_between_invocations(processo: Mundo, monkeypatch: pytest.MonkeyPatch) -> None:
    for variavel, valor in GATEWAY.items():
        monkeypatch.setenv(variavel, valor)
    assert wiring.gateway() is wiring.gateway()


def test_what_is_vendored_is_pinned_to_what_is_tested() -> None:
    """The zip's libraries are the very ones these tests ran with; boto3, and what it brings, is the runtime's own."""
    raiz = Path(__file__).parents[3]
    pinos = [linha.strip() for linha in (raiz / "handlers" / "requirements.txt").read_text().splitlines()]
    travados = {
        linha.split()[0].lower().replace("_", "-")
        for linha in (raiz / "requirements.lock").read_text().splitlines()
        if "==" in linha
    }
    assert {pino.split("==")[0] for pino in pinos} == {"aws-lambda-powertools", "typing_extensions"}
    for pino in pinos:
        assert pino.lower().replace("_", "-") in travados
    declarados = tomllib.loads((raiz / "pyproject.toml").read_text())["project"]["dependencies"]
    assert "aws-lambda-powertools==3.37.0" in set(declarados) & set(pinos)


def test_a_reservation_is_never_sent_again_by_the_sdk(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first request may arrive when the order is closed and its entry gone, and take the units for nobody."""
    made: list[Any] = []

    def client(service: str, *, config: Any) -> object:
        made.append(config)
        return FakeDynamo(CHAVES, Mundo().estado.tabelas).client

    monkeypatch.setattr(aws, "new_client", client)
    monkeypatch.setenv(environment.TABELA_ESTOQUE, "estoque")
    _esquecer()
    reservar_estoque.handler(evento({"sku": SKU}), cast("LambdaContext", Contexto()))
    _esquecer()
    (config,) = made
    assert config.retries["total_max_attempts"] == 1
    usual: Any = aws.CONFIG
    assert usual.retries["total_max_attempts"] == 2
