"""The card token never leaves the order's row but to the gateway: not by an error, a log, a result or a metric."""

from __future__ import annotations

import logging
import traceback
from typing import TYPE_CHECKING, Any, cast

import boto3
import pytest
from botocore.exceptions import ClientError
from botocore.stub import Stubber

from handlers import cobrar_pagamento, confirmar_pedido, efetivar_reserva, estornar_pagamento
from handlers.domain import aws, environment, wiring
from handlers.domain.errors import CestaError, GatewayIndisponivelError
from handlers.domain.ledger import LivroDePagamentos
from handlers.domain.status import Status
from tests.unit.handlers.test_runtime import Contexto, evento
from tests.unit.handlers.world import TOKEN, VALOR, Mundo, Terminal, mundo

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

    from handlers.domain.runtime import Handler

pytestmark = pytest.mark.unit

PASSOS: dict[str, Handler] = {
    "cobrar": cobrar_pagamento.handler,
    "confirmar": confirmar_pedido.handler,
    "efetivar": efetivar_reserva.handler,
    "estornar": estornar_pagamento.handler,
}


def _ligar(um: Mundo, monkeypatch: pytest.MonkeyPatch) -> None:
    """Puts the real handlers into that world."""
    for nome in ("pedidos", "livro", "estoque", "gateway"):
        monkeypatch.setattr(wiring, nome, lambda nome=nome: getattr(um, nome))
    monkeypatch.setenv(environment.JANELA_DUVIDA_SEGUNDOS, "900")


def _indiscreto(name: str) -> Exception:
    """What an SDK or a gateway may say, the token in it."""
    if name.startswith("gateway"):
        return GatewayIndisponivelError("p-1", operacao=name, detalhe="sem resposta (ReadTimeoutError)")
    answer: Any = {"Error": {"Code": "ValidationException", "Message": f"bad item {{cartaoToken: {TOKEN}}}"}}
    return ClientError(answer, name)


@pytest.mark.parametrize("passo", PASSOS)
@pytest.mark.parametrize("vez", range(9))
def test_a_failure_at_any_effect_tells_nothing_of_the_token(
    passo: str,
    vez: int,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    efeitos = 0

    def azar(name: str, effect: Any) -> Any:
        nonlocal efeitos
        efeitos += 1
        if efeitos == vez + 1:
            raise _indiscreto(name)
        return effect()

    _ligar(Mundo(outside=azar), monkeypatch)
    resultado: object = None
    with caplog.at_level(logging.DEBUG):
        try:
            resultado = PASSOS[passo](evento({"cartaoToken": TOKEN}), cast("LambdaContext", Contexto()))
        except CestaError as error:
            assert TOKEN not in "".join(traceback.format_exception(error))
            assert TOKEN not in repr(vars(error))
            assert error.__context__ is None
    saida = capsys.readouterr()
    assert "passo" in caplog.text
    assert TOKEN not in saida.out + saida.err + caplog.text + repr(resultado)
    assert TOKEN not in repr([vars(record) for record in caplog.records])


@pytest.mark.parametrize("terminal", [Terminal(), Terminal(cobrar=["recusa"]), Terminal(cobrar=["cai"])])
def test_no_outcome_of_a_charge_tells_anything_of_the_token(
    terminal: Terminal,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    caplog: pytest.LogCaptureFixture,
) -> None:
    _ligar(mundo(terminal=terminal), monkeypatch)
    with caplog.at_level(logging.DEBUG):
        try:
            resultado = PASSOS["cobrar"](evento(), cast("LambdaContext", Contexto()))
        except CestaError as error:
            assert terminal.cobrar != ["aprova"]
            assert TOKEN not in "".join(traceback.format_exception(error))
        else:
            assert resultado == {"transacaoId": "tx-1", "valorCentavos": VALOR}
    assert TOKEN not in capsys.readouterr().out + caplog.text


@pytest.mark.parametrize("status", list(Status))
def test_only_a_recebido_row_keeps_the_token_once_a_step_wrote_its_status(status: Status) -> None:
    um = mundo({"cobranca": {"M": {"estado": {"S": "APROVADA"}, "transacaoId": {"S": "tx-1"}}}}, status=status)
    escreveu = um.pedidos.confirmar("p-1") or um.pedidos.marcar_compensando("p-1")
    assert ("cartaoToken" in um.linha) is not escreveu


def test_the_sdks_own_debug_log_is_silenced_because_it_prints_whole_answers(caplog: pytest.LogCaptureFixture) -> None:
    """The read for charging does bring the token, and botocore at DEBUG prints every answer's body."""
    # boto3's overloads name the stubs of every service, and only ours are installed.
    client = boto3.client(  # pyright: ignore[reportUnknownMemberType]
        "dynamodb", region_name="us-east-1", aws_access_key_id="x", aws_secret_access_key="y", config=aws.CONFIG
    )
    item = {"status": {"S": "RECEBIDO"}, "valorCentavos": {"N": "1"}, "cartaoToken": {"S": TOKEN}}
    with caplog.at_level(logging.DEBUG), Stubber(client) as stub:
        stub.add_response("get_item", {"Item": item})
        lido = LivroDePagamentos(client, "pedidos", agora=lambda: 0.0).ler_para_cobrar("p-1")
        logging.getLogger("botocore.parsers").debug("response body: %s", TOKEN)
        logging.getLogger("urllib3.connectionpool").debug("sent: %s", TOKEN)
    assert lido is not None
    assert lido.cartao_token == TOKEN
    assert TOKEN not in caplog.text


def test_the_aws_client_gives_up_well_inside_a_functions_timeout() -> None:
    config = cast("Any", aws.CONFIG)
    assert (config.connect_timeout, config.read_timeout) == (1, 2)
    assert config.retries == {"mode": "standard", "total_max_attempts": 2}
