"""The HTTP adapter: every answer of the contract, and every answer outside it, as a table. No socket is opened."""

from __future__ import annotations

import json
import traceback
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest
import urllib3
from urllib3.connection import HTTPConnection
from urllib3.exceptions import ConnectTimeoutError, NewConnectionError, ProtocolError, ReadTimeoutError, SSLError

from handlers.domain.errors import CestaError, ConflitoTransitorioError, ErroInesperado, GatewayIndisponivelError
from handlers.domain.gateway import (
    CobrancaAprovada,
    CobrancaNoGateway,
    CobrancaRecusada,
    EstornoConcluido,
    EstornoPendente,
    SituacaoDaCobranca,
    SituacaoDoEstorno,
)
from handlers.domain.gateway_http import GatewayHttp

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

pytestmark = pytest.mark.unit

TOKEN = "tok_segredo"
PEDIDO = "p-1"
VALOR = 14_000


@dataclass
class Resposta:
    status: int
    data: bytes


@dataclass
class Pool:
    """Stands for `urllib3.PoolManager`."""

    resposta: Resposta | Exception
    pedidos: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    def request(
        self,
        method: str,
        url: str,
        *,
        body: bytes | None,
        headers: Mapping[str, str],
        retries: bool,
        redirect: bool,
    ) -> Resposta:
        self.pedidos.append(
            {"method": method, "url": url, "body": body, "headers": headers, "retries": retries, "redirect": redirect}
        )
        if isinstance(self.resposta, Exception):
            raise self.resposta
        return self.resposta


def pool(status: int, body: object) -> Pool:
    return Pool(Resposta(status, body if isinstance(body, bytes) else json.dumps(body).encode()))


def cobrar(um: Pool) -> object:
    return GatewayHttp("http://gateway/", um).cobrar(PEDIDO, cartao_token=TOKEN, valor_centavos=VALOR)


def estornar(um: Pool) -> object:
    return GatewayHttp("http://gateway", um).estornar(PEDIDO, transacao_id="tx-1", valor_centavos=VALOR)


def consultar(um: Pool) -> object:
    return GatewayHttp("http://gateway", um).consultar(PEDIDO)


APROVADA = {"transacaoId": "tx-1", "pedidoId": PEDIDO, "valorCentavos": VALOR, "estado": "aprovada"}
RECUSADA = {"codigo": "cartao_recusado", "estado": "recusada", "pedidoId": PEDIDO}
FEITO = {
    "estornoId": "es-1",
    "transacaoId": "tx-1",
    "pedidoId": PEDIDO,
    "valorCentavos": VALOR,
    "estado": "concluido",
}
PENDENTE = {**FEITO, "estado": "pendente"}
JA_ESTORNADA = {"codigo": "ja_estornada", "estornoId": "es-0", "transacaoId": "tx-1", "valorCentavos": VALOR}
LISTADA: dict[str, Any] = {
    "transacaoId": "tx-1",
    "pedidoId": PEDIDO,
    "valorCentavos": VALOR,
    "estado": "aprovada",
    "valorEstornadoCentavos": 0,
    "estornoId": None,
    "estornoEstado": None,
}


def sem(corpo: Mapping[str, object], nome: str) -> dict[str, object]:
    return {chave: valor for chave, valor in corpo.items() if chave != nome}


def test_a_charge_is_one_post_with_its_own_key_no_retry_and_no_redirect() -> None:
    um = pool(201, APROVADA)
    assert cobrar(um) == CobrancaAprovada("tx-1")
    (pedido,) = um.pedidos
    assert pedido["method"] == "POST"
    assert pedido["url"] == "http://gateway/cobrancas"
    assert pedido["headers"]["Idempotency-Key"] == "cesta-cobranca-p-1"
    assert pedido["headers"]["Content-Type"] == "application/json"
    assert (pedido["retries"], pedido["redirect"]) == (False, False)
    assert json.loads(pedido["body"]) == {"pedidoId": PEDIDO, "cartaoToken": TOKEN, "valorCentavos": VALOR}


def test_a_refund_is_one_post_with_another_key() -> None:
    um = pool(201, FEITO)
    assert estornar(um) == EstornoConcluido("es-1")
    (pedido,) = um.pedidos
    assert pedido["url"] == "http://gateway/estornos"
    assert pedido["headers"]["Idempotency-Key"] == "cesta-estorno-p-1"
    assert json.loads(pedido["body"]) == {"pedidoId": PEDIDO, "transacaoId": "tx-1", "valorCentavos": VALOR}


def test_a_look_up_is_a_get_without_key_and_with_the_id_quoted() -> None:
    um = pool(200, {"cobrancas": []})
    assert GatewayHttp("http://gateway", um).consultar("a&b=c/d") is None
    (pedido,) = um.pedidos
    assert (pedido["method"], pedido["body"]) == ("GET", None)
    assert pedido["url"] == "http://gateway/cobrancas?pedidoId=a%26b%3Dc%2Fd"
    assert "Idempotency-Key" not in pedido["headers"]


@pytest.mark.parametrize(
    ("operacao", "status", "corpo", "resultado"),
    [
        (cobrar, 201, APROVADA, CobrancaAprovada("tx-1")),
        (cobrar, 402, RECUSADA, CobrancaRecusada()),
        (estornar, 201, FEITO, EstornoConcluido("es-1")),
        (estornar, 202, PENDENTE, EstornoPendente("es-1")),
        (estornar, 409, JA_ESTORNADA, EstornoConcluido("es-0")),
        (consultar, 200, {"cobrancas": []}, None),
        (
            consultar,
            200,
            {"cobrancas": [LISTADA]},
            CobrancaNoGateway(SituacaoDaCobranca.APROVADA, VALOR, "tx-1"),
        ),
        (
            consultar,
            200,
            {"cobrancas": [{**LISTADA, "estado": "recusada", "transacaoId": None}]},
            CobrancaNoGateway(SituacaoDaCobranca.RECUSADA, VALOR),
        ),
        (
            consultar,
            200,
            {"cobrancas": [{**sem(LISTADA, "transacaoId"), "estado": "em_andamento"}]},
            CobrancaNoGateway(SituacaoDaCobranca.EM_ANDAMENTO, VALOR),
        ),
        (
            consultar,
            200,
            {
                "cobrancas": [
                    {**LISTADA, "valorEstornadoCentavos": VALOR, "estornoId": "es-1", "estornoEstado": "concluido"}
                ]
            },
            CobrancaNoGateway(SituacaoDaCobranca.APROVADA, VALOR, "tx-1", VALOR, "es-1", SituacaoDoEstorno.CONCLUIDO),
        ),
        (
            consultar,
            200,
            {"cobrancas": [{**LISTADA, "estornoId": "es-1", "estornoEstado": "pendente"}]},
            CobrancaNoGateway(SituacaoDaCobranca.APROVADA, VALOR, "tx-1", 0, "es-1", SituacaoDoEstorno.PENDENTE),
        ),
        (
            consultar,
            200,
            {"cobrancas": [LISTADA], "novidade": 1},
            CobrancaNoGateway(SituacaoDaCobranca.APROVADA, VALOR, "tx-1"),
        ),
    ],
)
def test_the_answers_of_the_contract(
    operacao: Callable[[Pool], object], status: int, corpo: object, resultado: object
) -> None:
    assert operacao(pool(status, corpo)) == resultado


TODAS = [cobrar, estornar, consultar]
INDISPONIVEL, CONFLITO, INESPERADO = GatewayIndisponivelError, ConflitoTransitorioError, ErroInesperado


@pytest.mark.parametrize("operacao", TODAS)
@pytest.mark.parametrize(
    ("status", "corpo", "erro"),
    [
        (503, {"codigo": "indisponivel"}, INDISPONIVEL),
        (500, {"codigo": "erro_interno"}, INDISPONIVEL),
        (502, b"<html>bad gateway</html>", INDISPONIVEL),
        (504, b"", INDISPONIVEL),
        (599, b"\xff\xfe", INDISPONIVEL),
        (429, {"codigo": "calma"}, INDISPONIVEL),
        (408, b"", INDISPONIVEL),
        (425, b"", INDISPONIVEL),
        (409, {"codigo": "em_andamento"}, CONFLITO),
        (409, {"codigo": "chave_reutilizada"}, INESPERADO),
        (409, b"", INDISPONIVEL),
        (409, {"codigo": ["em_andamento"]}, INDISPONIVEL),
        (400, {"codigo": "requisicao_invalida", "mensagem": TOKEN}, INESPERADO),
        (401, b"", INESPERADO),
        (403, b"", INESPERADO),
        (404, {"codigo": "transacao_inexistente"}, INESPERADO),
        (405, {"codigo": TOKEN}, INESPERADO),
        (302, b"", INESPERADO),
        (307, b"", INESPERADO),
        (204, b"", INDISPONIVEL),
        (203, APROVADA, INDISPONIVEL),
        (100, b"", INDISPONIVEL),
    ],
)
def test_any_other_answer_is_an_error_of_its_own_kind(
    operacao: Callable[[Pool], object], status: int, corpo: object, erro: type[CestaError]
) -> None:
    with pytest.raises(CestaError) as failed:
        operacao(pool(status, corpo))
    assert type(failed.value) is erro
    assert failed.value.pedido_id == PEDIDO


@pytest.mark.parametrize(
    ("operacao", "status", "corpo"),
    [
        *[(cobrar, 201, sem(APROVADA, nome)) for nome in APROVADA],
        *[(estornar, 201, sem(FEITO, nome)) for nome in FEITO],
        *[(estornar, 202, sem(PENDENTE, nome)) for nome in PENDENTE],
        *[(estornar, 409, sem(JA_ESTORNADA, nome)) for nome in JA_ESTORNADA],
        *[(cobrar, 402, sem(RECUSADA, nome)) for nome in RECUSADA],
        (cobrar, 201, b"{"),
        (cobrar, 201, b"[]"),
        (cobrar, 201, b"null"),
        (cobrar, 201, b"\xff"),
        (cobrar, 201, b"[" * 100_000),
        (cobrar, 201, {**APROVADA, "valorCentavos": "14000"}),
        (cobrar, 201, {**APROVADA, "valorCentavos": 14000.0}),
        (cobrar, 201, {**APROVADA, "valorCentavos": True}),
        (cobrar, 201, {**APROVADA, "transacaoId": 7}),
        (cobrar, 201, {**APROVADA, "transacaoId": ""}),
        (cobrar, 201, {**APROVADA, "transacaoId": "x" * 129}),
        (cobrar, 201, {**APROVADA, "transacaoId": "com espaço"}),
        (cobrar, 201, {**APROVADA, "estado": "pendente"}),
        (cobrar, 201, {**APROVADA, "pedidoId": None}),
        (cobrar, 202, APROVADA),
        (cobrar, 402, b"payment required"),
        (cobrar, 402, {**RECUSADA, "codigo": "saldo_do_lojista"}),
        (estornar, 201, PENDENTE),
        (estornar, 202, FEITO),
        (consultar, 200, b""),
        (consultar, 200, {}),
        (consultar, 200, {"cobrancas": None}),
        (consultar, 200, {"cobrancas": {}}),
        (consultar, 200, {"cobrancas": ["x"]}),
        (consultar, 200, {"cobrancas": [{**LISTADA, "estado": "talvez"}]}),
        (consultar, 200, {"cobrancas": [{**LISTADA, "estado": ["aprovada"]}]}),
        (consultar, 200, {"cobrancas": [{**LISTADA, "valorCentavos": None}]}),
        (consultar, 200, {"cobrancas": [sem(LISTADA, "valorEstornadoCentavos")]}),
        (consultar, 200, {"cobrancas": [{**LISTADA, "transacaoId": None}]}),
        (consultar, 200, {"cobrancas": [{**LISTADA, "estornoEstado": "concluido"}]}),
        (consultar, 200, {"cobrancas": [{**LISTADA, "estornoId": "es-1", "estornoEstado": "sei-la"}]}),
    ],
)
def test_a_malformed_answer_is_unknown_never_a_success_and_never_a_refusal(
    operacao: Callable[[Pool], object], status: int, corpo: object
) -> None:
    with pytest.raises(GatewayIndisponivelError):
        operacao(pool(status, corpo))


@pytest.mark.parametrize(
    ("operacao", "status", "corpo"),
    [
        (cobrar, 201, {**APROVADA, "valorCentavos": VALOR - 1}),
        (cobrar, 201, {**APROVADA, "pedidoId": "p-2"}),
        (cobrar, 402, {**RECUSADA, "pedidoId": "p-2"}),
        (estornar, 201, {**FEITO, "valorCentavos": 1}),
        (estornar, 201, {**FEITO, "transacaoId": "tx-2"}),
        (estornar, 202, {**PENDENTE, "pedidoId": "p-2"}),
        (estornar, 409, {**JA_ESTORNADA, "valorCentavos": 1}),
        (estornar, 409, {**JA_ESTORNADA, "transacaoId": "tx-2"}),
        (consultar, 200, {"cobrancas": [{**LISTADA, "pedidoId": "p-2"}]}),
        (consultar, 200, {"cobrancas": [LISTADA, {**LISTADA, "transacaoId": "tx-2"}]}),
    ],
)
def test_an_answer_about_something_else_is_a_fault_for_a_person(
    operacao: Callable[[Pool], object], status: int, corpo: object
) -> None:
    with pytest.raises(ErroInesperado):
        operacao(pool(status, corpo))


_POOL = urllib3.HTTPConnectionPool("gateway")
QUEDAS = [
    ReadTimeoutError(_POOL, f"/cobrancas?{TOKEN}", f"read timed out {TOKEN}"),
    ConnectTimeoutError(f"connect timed out {TOKEN}"),
    NewConnectionError(HTTPConnection("gateway"), f"refused {TOKEN}"),
    ProtocolError(f"Connection aborted {TOKEN}"),
    SSLError(TOKEN),
    ConnectionResetError(TOKEN),
    TimeoutError(TOKEN),
]


@pytest.mark.parametrize("queda", QUEDAS, ids=lambda q: type(q).__name__)
@pytest.mark.parametrize("operacao", TODAS)
def test_no_answer_is_unknown_and_says_only_what_kind_it_was(
    operacao: Callable[[Pool], object], queda: Exception
) -> None:
    um = Pool(queda)
    with pytest.raises(GatewayIndisponivelError, match=type(queda).__name__) as failed:
        operacao(um)
    assert len(um.pedidos) == 1
    assert failed.value.operacao in ("cobranca", "estorno", "consulta")


@pytest.mark.parametrize(
    "um",
    [
        *[Pool(queda) for queda in QUEDAS],
        pool(400, {"codigo": "requisicao_invalida", "mensagem": f"token {TOKEN} inválido"}),
        pool(405, {"codigo": TOKEN}),
        pool(500, TOKEN.encode()),
        pool(201, {**APROVADA, "pedidoId": TOKEN}),
        pool(201, {**APROVADA, "estado": TOKEN}),
        pool(201, {**APROVADA, "transacaoId": f"{TOKEN} {TOKEN}"}),
        pool(402, {**RECUSADA, "codigo": TOKEN}),
    ],
)
def test_no_error_carries_the_card_token_not_even_behind_it(um: Pool) -> None:
    with pytest.raises(CestaError) as failed:
        cobrar(um)
    error = failed.value
    assert TOKEN not in "".join(traceback.format_exception(error))
    assert error.__context__ is None
    assert error.__cause__ is None


def test_the_real_pool_has_the_timeouts_and_no_retries() -> None:
    gateway = GatewayHttp.conectar("http://gateway", conexao_segundos=1.5, leitura_segundos=5.5)
    manager = gateway._pool  # pyright: ignore[reportPrivateUsage]
    assert isinstance(manager, urllib3.PoolManager)
    timeout = manager.connection_pool_kw["timeout"]
    assert (timeout.connect_timeout, timeout.read_timeout) == (1.5, 5.5)
    assert manager.connection_pool_kw["retries"].total is False
