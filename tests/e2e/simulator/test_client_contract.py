"""The project's own gateway client against the simulator: both sides of one HTTP contract."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from handlers.domain.errors import CestaError, ConflitoTransitorioError, ErroInesperado, GatewayIndisponivelError
from handlers.domain.gateway import (
    CobrancaAprovada,
    CobrancaRecusada,
    EstornoConcluido,
    EstornoPendente,
    SituacaoDaCobranca,
    SituacaoDoEstorno,
)
from handlers.domain.gateway_http import GatewayHttp

if TYPE_CHECKING:
    from tests.e2e.simulator.conftest import Simulator

pytestmark = pytest.mark.e2e

VALOR = 4590


@pytest.fixture
def client(gateway: Simulator) -> GatewayHttp:
    return GatewayHttp.conectar(gateway.url, conexao_segundos=1, leitura_segundos=0.3)


def charged(client: GatewayHttp, pedido_id: str, token: str) -> str:
    outcome = client.cobrar(pedido_id, cartao_token=token, valor_centavos=VALOR)
    assert isinstance(outcome, CobrancaAprovada)
    return outcome.transacao_id


def test_approved_then_refunded(client: GatewayHttp) -> None:
    transacao = charged(client, "c-ok", "tok-ok")
    refund = client.estornar("c-ok", transacao_id=transacao, valor_centavos=VALOR)
    assert isinstance(refund, EstornoConcluido)
    seen = client.consultar("c-ok")
    assert seen is not None
    assert (seen.situacao, seen.transacao_id) == (SituacaoDaCobranca.APROVADA, transacao)
    assert (seen.situacao_do_estorno, seen.estorno_id) == (SituacaoDoEstorno.CONCLUIDO, refund.estorno_id)


def test_refused(client: GatewayHttp) -> None:
    outcome = client.cobrar("c-nao", cartao_token="tok-forcar-recusa", valor_centavos=VALOR)
    assert isinstance(outcome, CobrancaRecusada)
    seen = client.consultar("c-nao")
    assert seen is not None
    assert seen.situacao is SituacaoDaCobranca.RECUSADA


@pytest.mark.parametrize(
    ("token", "error"),
    [
        ("tok-indisponivel", GatewayIndisponivelError),
        ("tok-500-cobrado", GatewayIndisponivelError),
        ("tok-timeout-cobrado", GatewayIndisponivelError),
        ("tok-timeout-sem-cobrar", GatewayIndisponivelError),
    ],
)
def test_no_answer_is_unknown_at_every_attempt(client: GatewayHttp, token: str, error: type[CestaError]) -> None:
    for _ in range(2):
        with pytest.raises(error):
            client.cobrar(f"c-{token}", cartao_token=token, valor_centavos=VALOR)


def test_in_flight_is_a_conflict_and_not_a_refusal(client: GatewayHttp) -> None:
    with pytest.raises(GatewayIndisponivelError):
        client.cobrar("c-tardia", cartao_token="tok-cobranca-tardia", valor_centavos=VALOR)
    with pytest.raises(ConflitoTransitorioError):
        client.cobrar("c-tardia", cartao_token="tok-cobranca-tardia", valor_centavos=VALOR)
    assert client.consultar("c-tardia") is None


def test_a_key_with_another_body_is_a_bug(client: GatewayHttp) -> None:
    charged(client, "c-chave", "tok-ok")
    with pytest.raises(ErroInesperado):
        client.cobrar("c-chave", cartao_token="tok-ok", valor_centavos=VALOR + 1)


def test_a_lost_refund_is_a_success_at_the_second_attempt(client: GatewayHttp) -> None:
    transacao = charged(client, "c-perdido", "tok-estorno-perdido")
    with pytest.raises(GatewayIndisponivelError):
        client.estornar("c-perdido", transacao_id=transacao, valor_centavos=VALOR)
    assert isinstance(client.estornar("c-perdido", transacao_id=transacao, valor_centavos=VALOR), EstornoConcluido)


def test_a_pending_refund_is_concluded_at_a_later_look_up(client: GatewayHttp) -> None:
    transacao = charged(client, "c-pendente", "tok-estorno-pendente")
    assert isinstance(client.estornar("c-pendente", transacao_id=transacao, valor_centavos=VALOR), EstornoPendente)
    looks = [client.consultar("c-pendente") for _ in range(3)]
    assert [look.situacao_do_estorno for look in looks if look is not None] == [
        SituacaoDoEstorno.PENDENTE,
        SituacaoDoEstorno.PENDENTE,
        SituacaoDoEstorno.CONCLUIDO,
    ]


def test_an_unknown_order_has_no_charge(client: GatewayHttp) -> None:
    assert client.consultar("c-nenhum") is None
