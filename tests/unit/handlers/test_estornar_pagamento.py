"""EstornarPagamento, path by path: the guard, the ledger, the doubt window, the refund."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from handlers.domain.errors import (
    CobrancaIndefinidaError,
    ConflitoTransitorioError,
    ErroInesperado,
    GatewayIndisponivelError,
    PedidoJaConfirmadoError,
)
from handlers.domain.gateway import SituacaoDaCobranca, SituacaoDoEstorno
from handlers.domain.status import FINAIS, Status
from tests.unit.handlers.test_cobrar_pagamento import cobranca, terminal_com
from tests.unit.handlers.world import AGORA, HORA, JANELA, PEDIDO, VALOR, Devolvido, Mundo, Terminal, mundo

pytestmark = pytest.mark.unit

NADA = {"estornoId": "", "valorCentavos": 0, "situacao": "nada"}
EM_DUVIDA = {"estornoId": "", "valorCentavos": 0, "situacao": "em_duvida"}
ENCERRADO = {"estornoId": "", "valorCentavos": 0, "situacao": "encerrado"}
ESTORNADO = {"estornoId": "es-1", "valorCentavos": VALOR, "situacao": "estornado"}


def cobrado(*, estornar: list[str] | None = None) -> Terminal:
    terminal = terminal_com(SituacaoDaCobranca.APROVADA)
    terminal.estornar = estornar or ["devolve"]
    return terminal


def estorno(estado: str, *, em: int = AGORA) -> dict[str, Any]:
    return {"estorno": {"M": {"estado": {"S": estado}, "em": {"N": str(em)}, "estornoId": {"S": "es-1"}}}}


def devolvido(situacao: SituacaoDoEstorno, valor: int = VALOR) -> Devolvido:
    return Devolvido("tx-1", "es-1", valor, situacao)


# The guard


@pytest.mark.parametrize("status", [Status.RECEBIDO, Status.COMPENSANDO, Status.REQUER_INTERVENCAO_HUMANA])
def test_an_order_that_may_be_undone_is_claimed_and_refunded(status: Status) -> None:
    um = mundo(cobranca("APROVADA"), terminal=cobrado(), status=status)
    assert um.estornar() == ESTORNADO
    assert um.status == Status.COMPENSANDO
    assert "cartaoToken" not in um.linha
    assert um.estado.terminal.liquido == 0


def test_a_confirmed_order_is_never_refunded() -> None:
    um = mundo(cobranca("APROVADA"), terminal=cobrado(), status=Status.CONFIRMADO)
    with pytest.raises(PedidoJaConfirmadoError):
        um.estornar()
    assert um.estado.terminal.liquido == VALOR
    assert um.status == Status.CONFIRMADO


@pytest.mark.parametrize("status", sorted(FINAIS - {Status.CONFIRMADO}))
def test_a_closed_order_is_a_success_and_nothing_is_done(status: Status) -> None:
    um = mundo(cobranca("APROVADA"), terminal=cobrado(), status=status)
    antes = repr(um.linha)
    assert um.estornar() == ENCERRADO
    assert repr(um.linha) == antes
    assert um.estado.terminal.pedidos_de_estorno == 0


def test_an_unknown_order_needs_a_person() -> None:
    um = mundo()
    um.estado.tabelas["pedidos"].clear()
    with pytest.raises(ErroInesperado, match="não existe"):
        um.estornar()
    assert um.estado.tabelas["pedidos"] == {}


def test_a_status_that_changes_between_the_claim_and_the_look_is_retried() -> None:
    um = mundo(status=Status.FALHOU_COMPENSADO)

    def reaberto(name: str, effect: Any) -> Any:
        if name == "get_item":
            um.linha["status"] = {"S": "REQUER_INTERVENCAO_HUMANA"}
        return effect()

    with pytest.raises(ConflitoTransitorioError):
        Mundo(um.estado, outside=reaberto).estornar()


# What the ledger says


@pytest.mark.parametrize("linha", [{}, cobranca("RECUSADA")], ids=["nunca tentada", "recusada"])
def test_an_order_surely_not_charged_needs_no_gateway(linha: dict[str, Any]) -> None:
    um = mundo(linha)
    assert um.estornar() == NADA
    assert um.estado.terminal.pedidos_de_estorno == 0
    assert um.status == Status.COMPENSANDO


def test_the_amount_refunded_is_the_ledgers_not_the_orders() -> None:
    """Case C38."""
    terminal = terminal_com(SituacaoDaCobranca.APROVADA, valor=5_000)
    um = mundo(cobranca("APROVADA", valor=5_000), terminal=terminal)
    assert um.estornar()["valorCentavos"] == 5_000
    assert um.estado.terminal.devolvidos[0].valor_centavos == 5_000


def test_an_approved_charge_without_its_id_needs_a_person() -> None:
    um = mundo(cobranca("APROVADA"))
    del um.cobranca["transacaoId"]
    with pytest.raises(ErroInesperado, match="sem transacaoId"):
        um.estornar()


def test_a_row_that_vanishes_during_the_refund_needs_a_person() -> None:
    um = mundo(cobranca("APROVADA"), terminal=cobrado())

    def sumico(name: str, effect: Any) -> Any:
        answer = effect()
        if name == "gateway.estornar":
            um.estado.tabelas["pedidos"].clear()
        return answer

    with pytest.raises(ErroInesperado, match="es-1"):
        Mundo(um.estado, outside=sumico).estornar()

    def antes(name: str, effect: Any) -> Any:
        answer = effect()
        um.estado.tabelas["pedidos"].clear()
        return answer

    um = mundo(cobranca("APROVADA"), terminal=cobrado())
    with pytest.raises(ErroInesperado, match="sumiu"):
        Mundo(um.estado, outside=antes).estornar()


# In doubt


def test_a_charge_that_turns_out_approved_is_recorded_and_refunded() -> None:
    um = mundo(cobranca("INICIADA"), terminal=cobrado())
    assert um.estornar() == ESTORNADO
    assert um.cobranca["estado"] == {"S": "APROVADA"}
    assert um.cobranca["transacaoId"] == {"S": "tx-1"}


def test_a_charge_that_turns_out_refused_is_recorded() -> None:
    um = mundo(cobranca("INICIADA"), terminal=terminal_com(SituacaoDaCobranca.RECUSADA))
    assert um.estornar() == NADA
    assert um.cobranca["estado"] == {"S": "RECUSADA"}


@pytest.mark.parametrize(("passados", "em_duvida"), [(0, True), (JANELA - 1, True), (JANELA, False), (9e9, False)])
def test_a_charge_nobody_knows_is_in_doubt_until_the_window_closes(passados: float, em_duvida: bool) -> None:
    um = mundo(cobranca("INICIADA"))
    um.passar(passados)
    if em_duvida:
        with pytest.raises(CobrancaIndefinidaError) as undefined:
            um.estornar()
        assert undefined.value.duvida_ate == AGORA + JANELA
        assert "duvidosa" not in um.cobranca
    else:
        assert um.estornar() == EM_DUVIDA
        assert um.cobranca["duvidosa"] == {"BOOL": True}
    assert um.status == Status.COMPENSANDO


def test_the_window_counts_from_the_last_attempt_not_from_the_first() -> None:
    um = mundo(cobranca("INICIADA"))
    um.cobranca["ultimaTentativa"] = {"N": str(AGORA + 600)}
    um.passar(JANELA + 1)
    with pytest.raises(CobrancaIndefinidaError) as undefined:
        um.estornar()
    assert undefined.value.duvida_ate == AGORA + 600 + JANELA


def test_the_look_up_counts_from_when_it_was_asked_not_from_when_it_was_answered() -> None:
    um = mundo(cobranca("INICIADA"))
    um.passar(JANELA - 1)

    def devagar(name: str, effect: Any) -> Any:
        answer = effect()
        if name == "gateway.consultar":
            um.passar(5)
        return answer

    with pytest.raises(CobrancaIndefinidaError):
        Mundo(um.estado, outside=devagar).estornar()


@pytest.mark.parametrize("passados", [0, JANELA + 1, 48 * HORA])
def test_a_charge_in_flight_is_unknown_however_long_it_lasts(passados: float) -> None:
    um = mundo(cobranca("INICIADA"), terminal=terminal_com(SituacaoDaCobranca.EM_ANDAMENTO))
    um.passar(passados)
    with pytest.raises(CobrancaIndefinidaError):
        um.estornar()
    assert "duvidosa" not in um.cobranca


def test_a_charge_of_another_amount_needs_a_person_and_is_not_recorded() -> None:
    um = mundo(cobranca("INICIADA"), terminal=terminal_com(SituacaoDaCobranca.APROVADA, valor=VALOR + 1))
    with pytest.raises(ErroInesperado, match=f"cobrou {VALOR + 1} centavos e o livro diz {VALOR}"):
        um.estornar()
    assert um.cobranca["estado"] == {"S": "INICIADA"}
    assert um.estado.terminal.pedidos_de_estorno == 0


def test_several_charges_of_one_order_need_a_person() -> None:
    terminal = cobrado()
    terminal.cobrados = terminal.cobrados * 2
    with pytest.raises(ErroInesperado):
        mundo(cobranca("INICIADA"), terminal=terminal).estornar()


@pytest.mark.parametrize(
    ("situacao", "passados"),
    [(None, JANELA + 1), (SituacaoDaCobranca.RECUSADA, 0), (SituacaoDaCobranca.APROVADA, 0)],
)
def test_a_ledger_that_changes_during_the_look_up_is_retried(
    situacao: SituacaoDaCobranca | None, passados: float
) -> None:
    um = mundo(cobranca("INICIADA"), terminal=terminal_com(situacao) if situacao is not None else None)
    um.passar(passados)

    def registrada(name: str, effect: Any) -> Any:
        answer = effect()
        if name == "gateway.consultar":
            um.linha["cobranca"] = cobranca("APROVADA")["cobranca"]
            um.cobranca["transacaoId"] = {"S": "tx-2"}
        return answer

    with pytest.raises(ConflitoTransitorioError):
        Mundo(um.estado, outside=registrada).estornar()


# The refund


def test_a_refund_is_written_down_before_the_gateway_is_called() -> None:
    um = mundo(cobranca("APROVADA"), terminal=cobrado(estornar=["cai"]))
    with pytest.raises(GatewayIndisponivelError):
        um.estornar()
    assert um.linha["estorno"]["M"] == {"estado": {"S": "INICIADO"}, "em": {"N": str(AGORA)}}


def test_a_refund_that_was_made_but_never_answered_is_a_success_the_next_time() -> None:
    um = mundo(cobranca("APROVADA"), terminal=cobrado(estornar=["devolve-e-cai", "devolve"]))
    with pytest.raises(GatewayIndisponivelError):
        um.estornar()
    assert um.estornar() == ESTORNADO
    assert len(um.estado.terminal.devolvidos) == 1


def test_a_concluded_refund_is_a_success_without_the_gateway() -> None:
    um = mundo({**cobranca("APROVADA"), **estorno("CONCLUIDO")}, terminal=cobrado())
    assert um.estornar() == ESTORNADO
    assert um.estado.terminal.pedidos_de_estorno == 0


def test_a_pending_refund_is_no_success_and_is_looked_up_from_then_on() -> None:
    um = mundo(cobranca("APROVADA"), terminal=cobrado(estornar=["pendente"]))
    for _ in range(3):
        with pytest.raises(ConflitoTransitorioError, match="es-1"):
            um.estornar()
    assert um.linha["estorno"]["M"]["estado"] == {"S": "PENDENTE"}
    assert um.estado.terminal.pedidos_de_estorno == 1
    um.estado.terminal.devolvidos[0].situacao = SituacaoDoEstorno.CONCLUIDO
    assert um.estornar() == ESTORNADO
    assert um.linha["estorno"]["M"]["estado"] == {"S": "CONCLUIDO"}


@pytest.mark.parametrize(("idade", "enviado"), [(20 * HORA, 1), (20 * HORA + 1, 0)])
def test_past_twenty_hours_a_refund_is_looked_up_and_never_sent_again(idade: int, enviado: int) -> None:
    um = mundo({**cobranca("APROVADA"), **estorno("INICIADO")}, terminal=cobrado())
    um.passar(idade)
    if enviado:
        assert um.estornar() == ESTORNADO
    else:
        with pytest.raises(ErroInesperado, match="estorne no painel do gateway"):
            um.estornar()
    assert um.estado.terminal.pedidos_de_estorno == enviado


def test_an_old_refund_that_is_found_made_is_a_success() -> None:
    terminal = cobrado()
    terminal.devolvidos.append(devolvido(SituacaoDoEstorno.CONCLUIDO))
    um = mundo({**cobranca("APROVADA"), **estorno("INICIADO", em=AGORA - 21 * HORA)}, terminal=terminal)
    assert um.estornar() == ESTORNADO
    assert um.linha["estorno"]["M"]["estado"] == {"S": "CONCLUIDO"}


def test_an_old_refund_that_is_found_pending_is_not_yet_a_success() -> None:
    terminal = cobrado()
    terminal.devolvidos.append(devolvido(SituacaoDoEstorno.PENDENTE))
    um = mundo({**cobranca("APROVADA"), **estorno("INICIADO", em=AGORA - 21 * HORA)}, terminal=terminal)
    with pytest.raises(ConflitoTransitorioError):
        um.estornar()
    assert um.linha["estorno"]["M"]["estado"] == {"S": "PENDENTE"}


def test_a_partial_refund_at_the_gateway_needs_a_person() -> None:
    terminal = cobrado()
    terminal.devolvidos.append(devolvido(SituacaoDoEstorno.CONCLUIDO, valor=1))
    um = mundo({**cobranca("APROVADA"), **estorno("PENDENTE")}, terminal=terminal)
    with pytest.raises(ErroInesperado, match=f"devolveu 1 centavos.*esperados {VALOR}"):
        um.estornar()


@pytest.mark.parametrize("transacao", [None, "tx-outra"])
def test_a_refund_looked_up_against_a_charge_the_gateway_does_not_show_needs_a_person(transacao: str | None) -> None:
    terminal = cobrado()
    terminal.cobrados = [c for c in terminal.cobrados if transacao]
    for c in terminal.cobrados:
        c.transacao_id = "tx-outra"
    um = mundo({**cobranca("APROVADA"), **estorno("PENDENTE")}, terminal=terminal)
    with pytest.raises(ErroInesperado, match="não mostra a cobrança tx-1"):
        um.estornar()


def test_a_refund_begun_by_another_attempt_at_this_very_moment_is_retried() -> None:
    um = mundo(cobranca("APROVADA"), terminal=cobrado())
    leituras = itertools.count()

    def outra(name: str, effect: Any) -> Any:
        answer = effect()
        if name == "get_item" and next(leituras) == 0:
            um.linha.update(estorno("INICIADO"))
        return answer

    with pytest.raises(ConflitoTransitorioError, match="outra tentativa"):
        Mundo(um.estado, outside=outra).estornar()
    assert um.estado.terminal.pedidos_de_estorno == 0
    assert um.estornar() == ESTORNADO


def test_a_refund_of_a_transaction_the_gateway_denies_needs_a_person() -> None:
    um = mundo(cobranca("APROVADA"))
    with pytest.raises(ErroInesperado, match="transacao_inexistente"):
        um.estornar()
    assert um.linha["estorno"]["M"]["estado"] == {"S": "INICIADO"}


def test_running_the_refund_five_times_gives_the_money_back_once() -> None:
    um = mundo(cobranca("APROVADA"), terminal=cobrado())
    assert [um.estornar() for _ in range(5)] == [ESTORNADO] * 5
    assert um.estado.terminal.pedidos_de_estorno == 1
    assert PEDIDO in um.estado.tabelas["pedidos"]
