"""Gateway credentials: read once, kept, read again; sent with their own operation; told to nobody."""

from __future__ import annotations

import logging
import traceback
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import pytest
from botocore.exceptions import ClientError

from handlers import cobrar_pagamento, estornar_pagamento
from handlers.domain import aws, environment, wiring
from handlers.domain.credentials import (
    COBRANCA,
    CONSULTA,
    ESTORNO,
    VALIDADE_SEGUNDOS,
    CredenciaisDoParameterStore,
    CredencialInvalidaError,
)
from handlers.domain.errors import CestaError, ErroInesperado, GatewayIndisponivelError
from handlers.domain.failures import as_cesta_error
from handlers.domain.gateway_http import GatewayHttp
from tests.unit.handlers.test_gateway_http import Pool, pool
from tests.unit.handlers.test_runtime import Contexto, evento
from tests.unit.handlers.world import PEDIDO, Mundo

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from aws_lambda_powertools.utilities.typing import LambdaContext
    from mypy_boto3_ssm import SSMClient

pytestmark = pytest.mark.unit

PARAMETROS = {operacao: f"/cesta/gateway/{operacao}" for operacao in (COBRANCA, ESTORNO, CONSULTA)}
APROVADA = {"transacaoId": "tx-1", "pedidoId": PEDIDO, "valorCentavos": 14_000, "estado": "aprovada"}


@dataclass
class Parameters:
    """A Parameter Store in memory."""

    values: dict[str, str] = field(default_factory=lambda: {name: f"segredo-{op}" for op, name in PARAMETROS.items()})
    reads: list[str] = field(default_factory=list[str])
    failure: Exception | None = None

    def get_parameter(self, *, Name: str, WithDecryption: bool) -> dict[str, Any]:  # noqa: N803 - the API's names
        assert WithDecryption
        self.reads.append(Name)
        if self.failure is not None:
            raise self.failure
        return {"Parameter": {"Name": Name, "Value": self.values[Name]}}

    @property
    def client(self) -> SSMClient:
        return cast("SSMClient", cast("object", self))


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def credentials(store: Parameters, clock: Clock | None = None) -> CredenciaisDoParameterStore:
    return CredenciaisDoParameterStore(lambda: store.client, PARAMETROS, agora=clock or Clock())


def test_a_credential_is_read_once_and_then_kept() -> None:
    store = Parameters()
    held = credentials(store)
    assert [held.ler(COBRANCA), held.ler(COBRANCA)] == ["segredo-cobranca"] * 2
    assert store.reads == ["/cesta/gateway/cobranca"]


def test_it_is_read_again_after_its_time_so_that_a_rotated_one_is_found() -> None:
    store, clock = Parameters(), Clock()
    held = credentials(store, clock)
    held.ler(COBRANCA)
    store.values["/cesta/gateway/cobranca"] = "novo"
    clock.now = VALIDADE_SEGUNDOS - 1
    assert held.ler(COBRANCA) == "segredo-cobranca"
    clock.now = VALIDADE_SEGUNDOS
    assert held.ler(COBRANCA) == "novo"


def test_an_operation_without_a_parameter_has_no_credential_and_makes_no_client() -> None:
    def no_client() -> SSMClient:
        raise AssertionError("no client is needed")

    assert CredenciaisDoParameterStore(no_client, {}).ler(COBRANCA) is None


@pytest.mark.parametrize("value", ["", "com espaco", "com\nquebra", "segredo-ç", "x" * 4097])
def test_a_value_that_cannot_be_sent_is_refused_and_not_shown(value: str) -> None:
    store = Parameters({"/cesta/gateway/cobranca": value})
    with pytest.raises(CredencialInvalidaError, match="/cesta/gateway/cobranca") as refused:
        credentials(store).ler(COBRANCA)
    told = as_cesta_error(PEDIDO, refused.value)
    assert isinstance(told, ErroInesperado)
    assert "/cesta/gateway/cobranca" in str(told)
    assert not value or value not in str(told)


def _charge(gateway: GatewayHttp) -> object:
    return gateway.cobrar(PEDIDO, cartao_token="tok", valor_centavos=14_000)


def _refund(gateway: GatewayHttp) -> object:
    return gateway.estornar(PEDIDO, transacao_id="tx-1", valor_centavos=14_000)


def _look_up(gateway: GatewayHttp) -> object:
    return gateway.consultar(PEDIDO)


@pytest.mark.parametrize(
    ("operacao", "answer", "call"),
    [
        (COBRANCA, (201, APROVADA), _charge),
        (ESTORNO, (201, {**APROVADA, "estado": "concluido", "estornoId": "es-1"}), _refund),
        (CONSULTA, (200, {"cobrancas": list[object]()}), _look_up),
    ],
)
def test_each_operation_is_sent_with_its_own_credential(
    operacao: str, answer: tuple[int, object], call: Callable[[GatewayHttp], object]
) -> None:
    http = pool(*answer)
    call(GatewayHttp("http://gateway", http, credentials(Parameters())))
    assert http.pedidos[0]["headers"]["Authorization"] == f"Bearer segredo-{operacao}"


def test_without_credentials_no_header_is_sent() -> None:
    http = pool(200, {"cobrancas": []})
    GatewayHttp("http://gateway", http).consultar(PEDIDO)
    assert "Authorization" not in http.pedidos[0]["headers"]


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_credential_is_unknown_and_read_again_for_the_next_attempt(status: int) -> None:
    store = Parameters()
    http = pool(status, {"codigo": "credencial_recusada"})
    gateway = GatewayHttp("http://gateway", http, credentials(store))
    with pytest.raises(GatewayIndisponivelError, match="credencial de cobranca recusada") as refused:
        gateway.cobrar(PEDIDO, cartao_token="tok", valor_centavos=14_000)
    assert "segredo" not in "".join(traceback.format_exception(refused.value)) + repr(vars(refused.value))
    store.values["/cesta/gateway/cobranca"] = "rodado"
    with pytest.raises(GatewayIndisponivelError):
        gateway.cobrar(PEDIDO, cartao_token="tok", valor_centavos=14_000)
    sent = [request["headers"]["Authorization"] for request in http.pedidos]
    assert sent == ["Bearer segredo-cobranca", "Bearer rodado"]


# --- The handlers -----------------------------------------------------------------------------------------------------


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[Parameters]:
    """The functions' own wiring, over a Parameter Store in memory."""
    parameters = Parameters()
    monkeypatch.setattr(wiring, "ssm", lambda: parameters.client)
    for operacao, variavel in (
        (COBRANCA, environment.GATEWAY_PARAMETRO_COBRANCA),
        (ESTORNO, environment.GATEWAY_PARAMETRO_ESTORNO),
        (CONSULTA, environment.GATEWAY_PARAMETRO_CONSULTA),
    ):
        monkeypatch.setenv(variavel, PARAMETROS[operacao])
    monkeypatch.setenv(environment.GATEWAY_URL, "http://gateway")
    monkeypatch.setenv(environment.GATEWAY_CONEXAO_SEGUNDOS, "1")
    monkeypatch.setenv(environment.GATEWAY_LEITURA_SEGUNDOS, "5")
    monkeypatch.setenv(environment.JANELA_DUVIDA_SEGUNDOS, "900")
    # By name here and now: a test puts something else in their place.
    for built in (builders := (wiring.credenciais, wiring.gateway)):
        built.cache_clear()
    yield parameters
    for built in builders:
        built.cache_clear()


def in_world(world: Mundo, monkeypatch: pytest.MonkeyPatch, http: Pool) -> None:
    for name in ("pedidos", "livro", "estoque"):
        monkeypatch.setattr(wiring, name, lambda name=name: getattr(world, name))
    gateway = GatewayHttp("http://gateway", http, wiring.credenciais())
    monkeypatch.setattr(wiring, "gateway", lambda: gateway)


def denied(operation: str) -> ClientError:
    return ClientError({"Error": {"Code": "AccessDeniedException", "Message": "not authorized: segredo"}}, operation)


def test_a_charge_whose_credential_cannot_be_read_leaves_nothing_in_doubt(
    store: Parameters, monkeypatch: pytest.MonkeyPatch
) -> None:
    world, http = Mundo(), pool(201, APROVADA)
    in_world(world, monkeypatch, http)
    store.failure = denied("GetParameter")
    with pytest.raises(ErroInesperado, match="AccessDeniedException a GetParameter"):
        cobrar_pagamento.handler(evento(), cast("LambdaContext", Contexto()))
    assert http.pedidos == []
    assert "cobranca" not in world.linha


def test_a_refund_that_needs_no_gateway_needs_no_credential(store: Parameters, monkeypatch: pytest.MonkeyPatch) -> None:
    in_world(Mundo(), monkeypatch, pool(200, {"cobrancas": []}))
    store.failure = denied("GetParameter")
    done = estornar_pagamento.handler(evento(), cast("LambdaContext", Contexto()))
    assert done["situacao"] == "nada"
    assert store.reads == []


@pytest.mark.parametrize("answer", [(201, APROVADA), (401, {}), (402, {}), (500, {}), (201, {"estado": "outro"})])
def test_no_outcome_of_a_charge_tells_a_credential(
    answer: tuple[int, object],
    store: Parameters,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    http = pool(*answer)
    in_world(Mundo(), monkeypatch, http)
    told = ""
    with caplog.at_level(logging.DEBUG):
        try:
            told = repr(cobrar_pagamento.handler(evento(), cast("LambdaContext", Contexto())))
        except CestaError as error:
            told = "".join(traceback.format_exception(error)) + repr(vars(error))
    assert http.pedidos, "nothing was sent: the check would prove nothing"
    written = capsys.readouterr()
    assert "segredo" not in told + caplog.text + written.out + written.err
    assert "segredo" not in repr([vars(record) for record in caplog.records])


def test_no_function_is_given_a_credential_in_its_environment() -> None:
    """Names of parameters only: a variable is in every dump, and in the stack's state."""
    named = [name for name in vars(environment) if name.startswith("GATEWAY_")]
    assert {name for name in named if "PARAMETRO" not in name} == {
        "GATEWAY_URL",
        "GATEWAY_CONEXAO_SEGUNDOS",
        "GATEWAY_LEITURA_SEGUNDOS",
    }


def test_the_client_gives_up_as_the_others_do(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[tuple[str, object]] = []

    def client(service: str, *, config: object) -> object:
        made.append((service, config))
        return object()

    monkeypatch.setattr(aws, "new_client", client)
    aws.ssm.cache_clear()
    aws.ssm()
    aws.ssm.cache_clear()
    assert made == [("ssm", aws.CONFIG)]
