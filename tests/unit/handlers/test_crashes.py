"""Every effect of every step is lost, repeated, or the process's last; the saga still keeps its promise."""

from __future__ import annotations

import pytest

from tests.unit.handlers.saga import TENTATIVAS, Azar, Desastre, Fim, correr
from tests.unit.handlers.world import PEDIDO, QUANTIDADE, SALDO, SKU, VALOR, Estado, Mundo, Terminal, novo_estado

pytestmark = pytest.mark.unit

CENARIOS = {
    "aprovada": (Terminal(), Fim.CONFIRMADO),
    "recusada": (Terminal(cobrar=["recusa"]), Fim.COMPENSADO),
    "cai uma vez": (Terminal(cobrar=["cai", "aprova"]), Fim.CONFIRMADO),
    "cai sempre": (Terminal(cobrar=["cai"]), Fim.COMPENSADO),
    "cobra e cai": (Terminal(cobrar=["cobra-e-cai"]), Fim.COMPENSADO),
    "cobra e cai, estorno se perde": (
        Terminal(cobrar=["cobra-e-cai"], estornar=["devolve-e-cai", "devolve"]),
        Fim.COMPENSADO,
    ),
    "cobra e cai, estorno cai": (Terminal(cobrar=["cobra-e-cai"], estornar=["cai", "devolve"]), Fim.COMPENSADO),
    "cobra e cai, estorno nunca": (Terminal(cobrar=["cobra-e-cai"], estornar=["cai"]), Fim.HUMANO),
    "cobra e cai, estorno pendente": (Terminal(cobrar=["cobra-e-cai"], estornar=["pendente"]), Fim.HUMANO),
}


def _sem_saldo() -> Estado:
    estado = novo_estado()
    estado.tabelas["estoque"][SKU]["saldo"] = {"N": "1"}
    return estado


def _efeitos(estado: Estado) -> int:
    azar = Azar()
    correr(estado.copia(), azar)
    return azar.efeitos


def _verificar(estado: Estado, fim: Fim, saldo_inicial: int) -> None:
    mundo = Mundo(estado)
    terminal = estado.terminal
    assert len(terminal.aprovadas) <= 1
    assert len(terminal.devolvidos) <= 1
    assert ("cartaoToken" in mundo.linha) == (mundo.status == "RECEBIDO")
    if fim is Fim.CONFIRMADO:
        assert mundo.status == "CONFIRMADO"
        assert terminal.liquido == VALOR
        assert (mundo.saldo, mundo.reservado) == (saldo_inicial - QUANTIDADE, 0)
        assert "pendenteDesde" not in mundo.linha
        return
    assert mundo.saldo + mundo.reservado == saldo_inicial
    if fim is Fim.HUMANO:
        # A person sees it: nothing more is promised than that nothing is lost on the way.
        assert mundo.status in ("REQUER_INTERVENCAO_HUMANA", "CONFIRMADO")
        assert "pendenteDesde" in mundo.linha
        return
    assert mundo.status == ("FALHOU_SEM_RESERVA" if fim is Fim.SEM_RESERVA else "FALHOU_COMPENSADO")
    assert terminal.liquido == 0
    assert mundo.reservado == 0


@pytest.mark.parametrize("nome", CENARIOS)
def test_without_a_disaster_each_scenario_ends_as_it_should(nome: str) -> None:
    terminal, esperado = CENARIOS[nome]
    estado = novo_estado(terminal.copia())
    fim = correr(estado)
    assert fim is esperado
    _verificar(estado, fim, SALDO)


@pytest.mark.parametrize("desastre", list(Desastre))
@pytest.mark.parametrize("nome", CENARIOS)
def test_one_disaster_at_any_effect_loses_neither_money_nor_stock(nome: str, desastre: Desastre) -> None:
    terminal, esperado = CENARIOS[nome]
    inicial = novo_estado(terminal.copia())
    efeitos = _efeitos(inicial)
    assert efeitos >= 7
    for vez in range(efeitos):
        estado = inicial.copia()
        fim = correr(estado, Azar((vez,), desastre))
        _verificar(estado, fim, SALDO)
        # One disaster is survived by the retries, so it may undo an order, but never needs a person of itself.
        if esperado is not Fim.HUMANO:
            assert fim is not Fim.HUMANO, (vez, desastre)


@pytest.mark.parametrize("desastre", list(Desastre))
def test_one_disaster_while_stock_is_short_reserves_nothing(desastre: Desastre) -> None:
    inicial = _sem_saldo()
    for vez in range(_efeitos(inicial)):
        estado = inicial.copia()
        assert correr(estado, Azar((vez,), desastre)) is Fim.SEM_RESERVA
        _verificar(estado, Fim.SEM_RESERVA, 1)


def test_a_reservation_that_lands_but_never_answers_is_released() -> None:
    """Case C19: the write is made, every attempt dies before it can say so."""
    estado = novo_estado()
    estado.tabelas["estoque"][SKU]["reservas"] = {"M": {}}
    fim = correr(estado, Azar(range(TENTATIVAS), Desastre.MORRE_DEPOIS))
    assert fim is Fim.COMPENSADO
    assert estado.terminal.pedidos_de_cobranca == 0
    _verificar(estado, fim, SALDO)
    # The tombstone that refuses the reservation, should one more of its attempts still be on its way.
    assert Mundo(estado).entradas[PEDIDO] < 0


def test_a_charge_that_lands_but_never_answers_is_refunded() -> None:
    """The money is taken, every attempt dies before it can say so."""
    inicial = novo_estado()
    Mundo(inicial).reservar()
    estado = inicial.copia()
    # From the charge's call on, everything of the state's attempts is spoilt: the reservation takes one effect,
    # each attempt's first two (read, write INICIADA) go well and its third (the gateway) kills it.
    fim = correr(estado, Azar({3 + 3 * n for n in range(TENTATIVAS)}, Desastre.MORRE_DEPOIS))
    assert estado.terminal.pedidos_de_cobranca == TENTATIVAS
    assert fim is Fim.COMPENSADO
    assert len(estado.terminal.aprovadas) == 1
    _verificar(estado, fim, SALDO)
