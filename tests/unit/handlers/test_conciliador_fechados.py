"""The second look at closed orders: no stock held, no money kept, and what a person left open is respected."""

from __future__ import annotations

import pytest

from handlers.domain.errors import ErroInesperado, GatewayIndisponivelError
from handlers.domain.gateway import SituacaoDaCobranca
from handlers.domain.reconciliation import LAPIDE_SEGUNDOS
from handlers.domain.status import Status
from tests.unit.handlers.conciliacao import (
    AGORA,
    DIA,
    HORA,
    REQUER,
    SKU,
    Mundo,
    caso,
    cobranca,
    estorno,
    no_gateway,
)

pytestmark = pytest.mark.unit


@pytest.fixture
def mundo() -> Mundo:
    return Mundo()


# --- Closed orders -----------------------------------------------------------------------------------------------

FECHADOS = (Status.FALHOU_COMPENSADO, Status.FALHOU_SEM_RESERVA)


@pytest.mark.parametrize("status", [*FECHADOS, Status.RESOLVIDO_MANUALMENTE])
def test_a_closed_order_that_holds_nothing_is_looked_at_once(mundo: Mundo, status: Status) -> None:
    mundo.fechado("p-1", status)
    mundo.fechado("p-2", status, cobranca=cobranca("APROVADA"), estorno=estorno("CONCLUIDO"))
    mundo.fechado("p-3", status, cobranca=cobranca("RECUSADA"))
    assert mundo.rodada() == {"PedidosAcertados": 3}
    assert mundo.rodada() == {}
    assert mundo.humana == []
    assert mundo.gateway.consultas == []


@pytest.mark.parametrize("status", FECHADOS)
def test_money_kept_by_a_closed_order_reopens_it(mundo: Mundo, status: Status) -> None:
    mundo.fechado("p-1", status, cobranca=cobranca("APROVADA"))
    assert mundo.rodada() == {"CasosAbertos": 1}
    linha = mundo.linha("p-1")
    assert linha["status"]["S"] == REQUER
    assert "pendenteDesde" in linha
    assert "verificarEm" not in linha
    assert mundo.avisos()[0]["motivo"] == "DINHEIRO_EM_PEDIDO_FINAL"
    mundo.agora += 600
    assert mundo.rodada() == {"PedidosSadios": 1}


@pytest.mark.parametrize("status", FECHADOS)
def test_stock_held_by_a_closed_order_reopens_it(mundo: Mundo, status: Status) -> None:
    mundo.fechado("p-1", status)
    mundo.reservar("p-1")
    assert mundo.rodada() == {"CasosAbertos": 1}
    assert mundo.linha("p-1")["status"]["S"] == REQUER
    mundo.agora += 600
    assert mundo.rodada() == {"PedidosSadios": 1}


def test_a_charge_that_is_giving_itself_back_has_a_minute_to_do_so(mundo: Mundo) -> None:
    linha = mundo.fechado("p-1", Status.FALHOU_COMPENSADO, idade=30, cobranca=cobranca("APROVADA", ha=30))
    assert mundo.rodada() == {"PedidosSadios": 1}
    mundo.agora += 31
    linha = mundo.linha("p-1")
    linha["estorno"] = estorno("CONCLUIDO")
    assert mundo.rodada() == {"PedidosAcertados": 1}
    assert mundo.humana == []


def test_a_charge_in_doubt_is_looked_up_after_an_hour_and_after_a_day_and_then_no_more(mundo: Mundo) -> None:
    mundo.fechado("p-1", Status.FALHOU_COMPENSADO, cobranca=cobranca("INICIADA", ha=0, duvidosa={"BOOL": True}))
    mundo.agora += 600
    mundo.rodada()
    assert mundo.gateway.consultas == []
    for passo, consultas in ((HORA - 601, 0), (1, 1), (1, 1), (23 * HORA - 2, 1), (1, 2), (DIA, 2)):
        mundo.agora += passo
        mundo.rodada()
        assert len(mundo.gateway.consultas) == consultas, mundo.agora - AGORA
    assert "verificarEm" not in mundo.linha("p-1")
    assert mundo.humana == []


def test_money_that_turns_up_for_a_closed_order_is_written_down_and_calls_a_person(mundo: Mundo) -> None:
    mundo.fechado("p-1", Status.FALHOU_COMPENSADO, cobranca=cobranca("INICIADA", ha=2 * HORA))
    mundo.gateway.conhece["p-1"] = no_gateway(SituacaoDaCobranca.APROVADA)
    assert mundo.rodada() == {"CasosAbertos": 1}
    linha = mundo.linha("p-1")
    assert linha["status"]["S"] == REQUER
    assert linha["cobranca"]["M"]["estado"] == {"S": "APROVADA"}
    assert linha["cobranca"]["M"]["transacaoId"] == {"S": "tx-1"}
    (aviso,) = mundo.avisos()
    assert aviso["motivo"] == "DINHEIRO_EM_PEDIDO_FINAL"
    assert "dinheiro cobrado" in aviso["explicacao"]
    mundo.agora += 600
    assert mundo.rodada() == {"PedidosSadios": 1}


def test_money_of_another_amount_is_a_persons_too(mundo: Mundo) -> None:
    mundo.fechado("p-1", Status.FALHOU_COMPENSADO, cobranca=cobranca("INICIADA", ha=2 * HORA))
    mundo.gateway.conhece["p-1"] = no_gateway(SituacaoDaCobranca.APROVADA, valor=1)
    assert mundo.rodada() == {"CasosAbertos": 1}


def test_money_that_came_and_went_back_is_only_written_down(mundo: Mundo) -> None:
    mundo.fechado("p-1", Status.FALHOU_COMPENSADO, cobranca=cobranca("INICIADA", ha=2 * HORA))
    mundo.gateway.conhece["p-1"] = no_gateway(SituacaoDaCobranca.APROVADA, devolvido=14_000)
    assert mundo.rodada() == {"PedidosAcertados": 1}
    assert mundo.linha("p-1")["estorno"]["M"]["estado"] == {"S": "CONCLUIDO"}
    assert mundo.humana == []


def test_a_charge_found_refused_is_no_doubt_any_more(mundo: Mundo) -> None:
    mundo.fechado("p-1", Status.FALHOU_COMPENSADO, cobranca=cobranca("INICIADA", ha=2 * HORA))
    mundo.gateway.conhece["p-1"] = no_gateway(SituacaoDaCobranca.RECUSADA)
    assert mundo.rodada() == {"PedidosAcertados": 1}
    assert mundo.linha("p-1")["cobranca"]["M"]["estado"] == {"S": "RECUSADA"}


def test_a_charge_still_in_flight_is_asked_for_again(mundo: Mundo) -> None:
    mundo.fechado("p-1", Status.FALHOU_COMPENSADO, cobranca=cobranca("INICIADA", ha=30 * HORA))
    mundo.gateway.conhece["p-1"] = no_gateway(SituacaoDaCobranca.EM_ANDAMENTO)
    assert mundo.rodada() == {"PedidosSadios": 1}
    mundo.agora += HORA
    mundo.rodada()
    assert len(mundo.gateway.consultas) == 2


FORA_DO_AR = GatewayIndisponivelError("p-0", operacao="consulta", detalhe="HTTP 503")


def test_a_gateway_that_is_down_is_asked_once_a_round_and_again_later(mundo: Mundo) -> None:
    for i in range(5):
        mundo.fechado(f"p-{i}", Status.FALHOU_COMPENSADO, cobranca=cobranca("INICIADA", ha=2 * HORA))
    mundo.gateway.fora = FORA_DO_AR
    assert mundo.rodada() == {"ConciliacoesFalhadas": 1, "PedidosSadios": 4}
    assert len(mundo.gateway.consultas) == 1
    mundo.gateway.fora = None
    mundo.rodada()
    assert len(mundo.gateway.consultas) == 5, "the one that failed went to the back of the line"
    mundo.agora += HORA // 4
    mundo.rodada()
    assert len(mundo.gateway.consultas) == 6


@pytest.mark.parametrize("erro", [FORA_DO_AR, ErroInesperado("p-0", "duas cobranças do mesmo pedido")])
def test_an_order_the_gateway_always_answers_badly_hides_no_other(mundo: Mundo, erro: Exception) -> None:
    mundo.fechado("veneno", Status.FALHOU_COMPENSADO, cobranca=cobranca("INICIADA", ha=2 * HORA))
    for i in range(20):
        mundo.fechado(f"preso-{i}", Status.FALHOU_COMPENSADO)
        mundo.reservar(f"preso-{i}", 1)
    mundo.gateway.fora = erro
    assert mundo.rodada() == {"ConciliacoesFalhadas": 1, "CasosAbertos": 20}


@pytest.mark.parametrize("erro", [FORA_DO_AR, ErroInesperado("p-0", "duas cobranças do mesmo pedido")])
def test_a_doubt_nobody_could_settle_after_the_last_look_up_is_a_persons(mundo: Mundo, erro: Exception) -> None:
    mundo.fechado("p-1", Status.FALHOU_COMPENSADO, cobranca=cobranca("INICIADA", ha=DIA + HORA - 1))
    mundo.gateway.fora = erro
    assert mundo.rodada() == {"ConciliacoesFalhadas": 1}
    mundo.agora += HORA // 4
    assert mundo.rodada() == {"CasosAbertos": 1}
    assert mundo.avisos()[0]["motivo"] == "DINHEIRO_EM_PEDIDO_FINAL"


def test_money_a_person_left_taken_stays_so_whatever_its_amount(mundo: Mundo) -> None:
    mundo.fechado(
        "p-1", Status.RESOLVIDO_MANUALMENTE, caso=caso('["cobranca"]'), cobranca=cobranca("INICIADA", ha=2 * HORA)
    )
    mundo.gateway.conhece["p-1"] = no_gateway(SituacaoDaCobranca.APROVADA, valor=1)
    assert mundo.rodada() == {"PedidosAcertados": 1}
    assert mundo.humana == []


def test_a_tombstone_lives_as_long_as_a_late_reservation_could_come_and_no_longer(mundo: Mundo) -> None:
    mundo.fechado("p-1", Status.FALHOU_COMPENSADO)
    mundo.reservar("p-1", -AGORA)
    mundo.rodada()
    mundo.agora += LAPIDE_SEGUNDOS - 1
    assert mundo.rodada() == {}
    mundo.agora += 1
    assert mundo.rodada() == {"PedidosAcertados": 1}
    assert mundo.tabelas["estoque"][SKU]["reservas"]["M"] == {}


# --- What a person closed ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("pendencias", ['["estoque"]', '["cobranca","estoque"]', '"2 unidades em estoque"'])
def test_stock_left_held_on_purpose_is_respected(mundo: Mundo, pendencias: str) -> None:
    mundo.fechado("p-1", Status.RESOLVIDO_MANUALMENTE, caso=caso(pendencias))
    mundo.reservar("p-1")
    assert mundo.rodada() == {"PedidosAcertados": 1}
    assert mundo.humana == []


@pytest.mark.parametrize("pendencias", ['["cobranca"]', '"cobrança a devolver"', '"dinheiro"'])
def test_money_left_taken_on_purpose_is_respected(mundo: Mundo, pendencias: str) -> None:
    mundo.fechado("p-1", Status.RESOLVIDO_MANUALMENTE, caso=caso(pendencias), cobranca=cobranca("APROVADA"))
    assert mundo.rodada() == {"PedidosAcertados": 1}


@pytest.mark.parametrize("pendencias", [None, "[]", '["cobranca"]'])
def test_stock_nobody_named_is_told_once_and_the_order_stays_closed(mundo: Mundo, pendencias: str | None) -> None:
    mundo.fechado("p-1", Status.RESOLVIDO_MANUALMENTE, caso=caso(pendencias))
    mundo.reservar("p-1")
    assert mundo.rodada() == {"CasosAbertos": 1}
    assert mundo.rodada() == {"PedidosSadios": 1}
    assert len(mundo.humana) == 1
    assert mundo.linha("p-1")["status"]["S"] == Status.RESOLVIDO_MANUALMENTE
    mundo.tabelas["estoque"][SKU]["reservas"]["M"].clear()
    assert mundo.rodada() == {"PedidosAcertados": 1}
