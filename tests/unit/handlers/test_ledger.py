"""The payment ledger: which writes go through from which state, and what they leave."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from handlers.domain.clock import iso
from handlers.domain.ledger import Cobranca, EstadoDaCobranca, EstadoDoEstorno, Estorno, LivroDePagamentos
from handlers.domain.status import Status
from tests.unit.handlers.world import AGORA, PEDIDO, TOKEN, VALOR, Mundo, mundo

pytestmark = pytest.mark.unit

Escrita = Callable[[LivroDePagamentos], bool]


def cobranca(estado: str, transacao_id: str | None = None) -> dict[str, Any]:
    mapa: dict[str, Any] = {
        "estado": {"S": estado},
        "valorCentavos": {"N": str(VALOR)},
        "em": {"N": str(AGORA)},
        "ultimaTentativa": {"N": str(AGORA)},
    }
    if transacao_id is not None:
        mapa["transacaoId"] = {"S": transacao_id}
    return {"M": mapa}


def estorno(estado: str) -> dict[str, Any]:
    return {"M": {"estado": {"S": estado}, "em": {"N": str(AGORA)}}}


COBRANCAS: dict[str, dict[str, Any]] = {
    "nenhuma": {},
    "iniciada": {"cobranca": cobranca("INICIADA")},
    "aprovada": {"cobranca": cobranca("APROVADA", "tx-1")},
    "outra aprovada": {"cobranca": cobranca("APROVADA", "tx-9")},
    "recusada": {"cobranca": cobranca("RECUSADA")},
}


def _iniciar(livro: LivroDePagamentos) -> bool:
    return livro.iniciar_cobranca(PEDIDO, valor_centavos=VALOR)


def _repetir(livro: LivroDePagamentos) -> bool:
    return livro.repetir_cobranca(PEDIDO)


def _aprovar(livro: LivroDePagamentos) -> bool:
    return livro.aprovar_cobranca(PEDIDO, transacao_id="tx-1")


def _recusar(livro: LivroDePagamentos) -> bool:
    return livro.recusar_cobranca(PEDIDO)


def _duvidar(livro: LivroDePagamentos) -> bool:
    return livro.marcar_duvidosa(PEDIDO)


@pytest.mark.parametrize(
    ("escrita", "aceita"),
    [
        (_iniciar, {"nenhuma"}),
        (_repetir, {"iniciada"}),
        (_aprovar, {"iniciada", "aprovada", "recusada"}),
        (_recusar, {"iniciada", "recusada"}),
        (_duvidar, {"iniciada"}),
    ],
)
@pytest.mark.parametrize("nome", COBRANCAS)
def test_each_write_of_the_charge_goes_through_only_from_its_own_states(
    nome: str, escrita: Escrita, aceita: set[str]
) -> None:
    um = mundo(COBRANCAS[nome])
    antes = repr(um.linha)
    um.passar(1)
    assert escrita(um.livro) is (nome in aceita)
    assert (repr(um.linha) != antes) is (nome in aceita)


@pytest.mark.parametrize("status", list(Status))
@pytest.mark.parametrize(("escrita", "linha"), [(_iniciar, {}), (_repetir, COBRANCAS["iniciada"])])
def test_an_attempt_to_charge_is_recorded_only_while_the_order_is_recebido(
    escrita: Escrita, linha: dict[str, Any], status: Status
) -> None:
    um = mundo(linha, status=status)
    assert escrita(um.livro) is (status is Status.RECEBIDO)


@pytest.mark.parametrize("status", list(Status))
def test_a_fact_from_the_gateway_is_recorded_whatever_the_status(status: Status) -> None:
    um = mundo(COBRANCAS["iniciada"], status=status)
    assert um.livro.aprovar_cobranca(PEDIDO, transacao_id="tx-1")
    outro = mundo(COBRANCAS["iniciada"], status=status)
    assert outro.livro.recusar_cobranca(PEDIDO)


def test_the_first_attempt_records_amount_and_time_rounded_up_for_the_doubt_window() -> None:
    um = mundo()
    um.estado.agora = AGORA + 0.25
    assert _iniciar(um.livro)
    assert um.cobranca == {
        "estado": {"S": "INICIADA"},
        "valorCentavos": {"N": str(VALOR)},
        "em": {"N": str(AGORA)},
        "ultimaTentativa": {"N": str(AGORA + 1)},
    }
    assert um.linha["atualizadoEm"] == {"S": iso(AGORA + 0.25)}


def test_a_further_attempt_moves_only_its_own_time() -> None:
    um = mundo(COBRANCAS["iniciada"])
    um.passar(30)
    assert um.livro.repetir_cobranca(PEDIDO)
    assert um.cobranca["em"] == {"N": str(AGORA)}
    assert um.cobranca["ultimaTentativa"] == {"N": str(AGORA + 30)}


def test_an_approval_keeps_the_flag_of_doubt_for_the_reconciler() -> None:
    um = mundo(COBRANCAS["iniciada"])
    assert um.livro.marcar_duvidosa(PEDIDO)
    assert um.livro.aprovar_cobranca(PEDIDO, transacao_id="tx-1")
    assert um.cobranca["duvidosa"] == {"BOOL": True}
    assert um.cobranca["transacaoId"] == {"S": "tx-1"}


@pytest.mark.parametrize("status", list(Status))
def test_a_refund_begins_only_for_an_order_that_is_being_undone(status: Status) -> None:
    um = mundo(COBRANCAS["aprovada"], status=status)
    permitido = status not in (Status.RECEBIDO, Status.CONFIRMADO)
    assert um.livro.iniciar_estorno(PEDIDO) is permitido
    assert ("estorno" in um.linha) is permitido


@pytest.mark.parametrize("nome", COBRANCAS)
def test_a_refund_begins_only_for_an_approved_charge(nome: str) -> None:
    um = mundo(COBRANCAS[nome], status=Status.COMPENSANDO)
    assert um.livro.iniciar_estorno(PEDIDO) is ("aprovada" in nome)


@pytest.mark.parametrize("estado", list(EstadoDoEstorno))
def test_a_refund_begins_once_and_keeps_the_time_it_began(estado: EstadoDoEstorno) -> None:
    um = mundo({**COBRANCAS["aprovada"], "estorno": estorno(estado)}, status=Status.COMPENSANDO)
    um.passar(99)
    assert um.livro.iniciar_estorno(PEDIDO) is False
    assert um.linha["estorno"] == estorno(estado)


@pytest.mark.parametrize("estado", list(EstadoDoEstorno))
def test_a_refund_is_concluded_from_any_state_and_never_goes_back_to_pending(estado: EstadoDoEstorno) -> None:
    um = mundo({"estorno": estorno(estado)})
    assert um.livro.adiar_estorno(PEDIDO, estorno_id="es-1") is (estado is not EstadoDoEstorno.CONCLUIDO)
    assert um.livro.concluir_estorno(PEDIDO, estorno_id="es-1") is True
    assert um.linha["estorno"]["M"] == {
        "estado": {"S": "CONCLUIDO"},
        "em": {"N": str(AGORA)},
        "estornoId": {"S": "es-1"},
    }


def test_no_refund_is_concluded_that_never_began() -> None:
    um = mundo()
    assert um.livro.concluir_estorno(PEDIDO, estorno_id="es-1") is False
    assert um.livro.adiar_estorno(PEDIDO, estorno_id="es-1") is False
    assert "estorno" not in um.linha


def test_what_charging_reads_is_typed_and_hides_the_token_from_repr() -> None:
    lido = mundo(COBRANCAS["aprovada"]).livro.ler_para_cobrar(PEDIDO)
    assert lido is not None
    assert (lido.status, lido.valor_centavos, lido.cartao_token) == (Status.RECEBIDO, VALOR, TOKEN)
    assert lido.cobranca == Cobranca(EstadoDaCobranca.APROVADA, VALOR, AGORA, AGORA, "tx-1")
    assert TOKEN not in repr(lido)


def test_what_refunding_reads_is_typed() -> None:
    lido = mundo({"estorno": estorno("PENDENTE")}, status=Status.COMPENSANDO).livro.ler_para_estornar(PEDIDO)
    assert lido is not None
    assert (lido.status, lido.cobranca) == (Status.COMPENSANDO, None)
    assert lido.estorno == Estorno(EstadoDoEstorno.PENDENTE, AGORA, None)


def test_no_write_makes_a_row_out_of_nothing_or_asks_for_old_values() -> None:
    um = Mundo()
    livro = um.livro
    um.dynamo.requests.clear()
    assert not livro.iniciar_cobranca("x", valor_centavos=1)
    assert not livro.repetir_cobranca("x")
    assert not livro.aprovar_cobranca("x", transacao_id="t")
    assert not livro.recusar_cobranca("x")
    assert not livro.marcar_duvidosa("x")
    assert not livro.iniciar_estorno("x")
    assert not livro.concluir_estorno("x", estorno_id="e")
    assert not livro.adiar_estorno("x", estorno_id="e")
    assert um.estado.tabelas["pedidos"].keys() == {PEDIDO}
    assert len(um.dynamo.requests) == 8
    for _, pedido in um.dynamo.requests:
        assert "ReturnValues" not in pedido
        assert "ReturnValuesOnConditionCheckFailure" not in pedido
