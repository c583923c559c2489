"""Steps beside each other, each effect a turn: every order of turns is tried, and processes may die anywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from handlers.domain.errors import (
    CobrancaIndefinidaError,
    ErroInesperado,
    PedidoJaConfirmadoError,
    ReservaCanceladaError,
    TransitorioError,
)
from handlers.domain.status import Status
from tests.unit.handlers.explorer import MORTO, explorar
from tests.unit.handlers.world import (
    AGORA,
    HORA,
    JANELA,
    PEDIDO,
    QUANTIDADE,
    SALDO,
    VALOR,
    Estado,
    Mundo,
    Terminal,
    novo_estado,
)

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.unit


def _preparado(terminal: Terminal | None = None, *passos: Callable[[Mundo], object]) -> Estado:
    estado = novo_estado(terminal)
    for passo in passos:
        passo(Mundo(estado))
    return estado


def _ate_o_fim(mundo: Mundo) -> Mundo:
    """The execution that is undoing the order goes on: its retries outlast the doubt window."""
    for _ in range(8):
        try:
            mundo.estornar()
        except (TransitorioError, CobrancaIndefinidaError):
            mundo.passar(JANELA)
        else:
            break
    return mundo


def test_two_reservations_of_one_order_take_the_stock_once() -> None:
    finais = list(explorar(novo_estado(), {"a": Mundo.reservar, "b": Mundo.reservar}, mortais=["a"]))
    assert len(finais) > 1
    for final in finais:
        assert final.resultados["b"] == {"sku": "sku-abc", "quantidade": QUANTIDADE}
        assert (final.mundo.saldo, final.mundo.entradas) == (SALDO - QUANTIDADE, {PEDIDO: QUANTIDADE})


def test_a_reservation_beside_the_release_that_doubts_it_leaves_nothing_reserved() -> None:
    def liberar(mundo: Mundo) -> object:
        return mundo.liberar(reserva_respondida=False)

    programas = {"reservar": Mundo.reservar, "liberar": liberar}
    finais = list(explorar(novo_estado(), programas, mortais=["reservar"]))
    recusadas = 0
    for final in finais:
        assert isinstance(final.resultados["liberar"], dict | TransitorioError)
        if isinstance(final.resultados["liberar"], TransitorioError):
            final.mundo.liberar(reserva_respondida=False)
        assert (final.mundo.saldo, final.mundo.reservado) == (SALDO, 0)
        assert final.mundo.entradas[PEDIDO] == -AGORA
        recusadas += isinstance(final.resultados["reservar"], ReservaCanceladaError)
    assert 0 < recusadas < len(finais)


@pytest.mark.parametrize("reserva_respondida", [True, False])
def test_two_releases_give_the_stock_back_once(reserva_respondida: bool) -> None:
    estado = _preparado(None, Mundo.reservar)

    def liberar(mundo: Mundo) -> object:
        return mundo.liberar(reserva_respondida=reserva_respondida)

    finais = list(explorar(estado, {"a": liberar, "b": liberar}))
    assert {str(f.resultados) for f in finais} == {
        str({"a": {"liberada": QUANTIDADE}, "b": {"liberada": 0}}),
        str({"a": {"liberada": 0}, "b": {"liberada": QUANTIDADE}}),
    }
    assert all((f.mundo.saldo, f.mundo.reservado) == (SALDO, 0) for f in finais)


def test_two_settlements_sell_the_stock_once() -> None:
    estado = _preparado(None, Mundo.reservar, Mundo.cobrar, Mundo.confirmar)
    for final in explorar(estado, {"a": Mundo.efetivar, "b": Mundo.efetivar}, mortais=["a"]):
        assert (final.mundo.saldo, final.mundo.entradas) == (SALDO - QUANTIDADE, {})
        assert "pendenteDesde" not in final.mundo.linha


@pytest.mark.parametrize("cobrar", [["aprova"], ["cobra-e-cai", "aprova"], ["cai", "aprova"], ["recusa"]])
def test_two_charges_of_one_order_charge_at_most_once(cobrar: list[str]) -> None:
    finais = list(explorar(novo_estado(Terminal(cobrar=cobrar)), {"a": Mundo.cobrar, "b": Mundo.cobrar}, mortais=["a"]))
    assert len(finais) > 2
    for final in finais:
        terminal = final.mundo.estado.terminal
        assert len(terminal.aprovadas) <= 1
        aprovou = any(isinstance(r, dict) for r in final.resultados.values())
        if aprovou:
            assert terminal.liquido == VALOR
            assert final.mundo.cobranca["estado"] == {"S": "APROVADA"}


@pytest.mark.parametrize(
    "terminal",
    [
        Terminal(),
        Terminal(cobrar=["recusa"]),
        Terminal(cobrar=["cai"]),
        Terminal(cobrar=["cobra-e-cai"]),
        Terminal(estornar=["devolve-e-cai", "devolve"]),
        Terminal(estornar=["cai", "devolve"]),
    ],
    ids=lambda t: "+".join([*t.cobrar, *t.estornar]),
)
def test_a_charge_beside_the_refund_of_its_order_ends_with_the_money_back_or_flagged(terminal: Terminal) -> None:
    programas = {"cobrar": Mundo.cobrar, "estornar": Mundo.estornar}
    finais = list(explorar(novo_estado(terminal), programas, mortais=["cobrar"]))
    assert len(finais) > 3
    for final in finais:
        cobrado = isinstance(final.resultados["cobrar"], dict)
        mundo = _ate_o_fim(final.mundo)
        # The charge may be handed over only before the claim; the refund then gives it back all the same.
        assert mundo.status == "COMPENSANDO"
        assert len(mundo.estado.terminal.devolvidos) <= 1
        assert mundo.estado.terminal.liquido == 0, (final.resultados, cobrado)


def test_a_charge_that_outlives_the_doubt_window_refunds_itself_or_stays_flagged() -> None:
    """The zombie: frozen somewhere, its order undone and closed meanwhile, then it wakes, or dies."""

    def tempo(mundo: Mundo) -> None:
        def passar() -> None:
            mundo.estado.agora += JANELA + 1

        mundo.gateway._outside("tempo", passar)  # pyright: ignore[reportPrivateUsage]

    programas = {"cobrar": Mundo.cobrar, "estornar": Mundo.estornar, "tempo": tempo}
    finais = list(explorar(novo_estado(), programas, mortais=["cobrar"]))
    duvidosas = 0
    for final in finais:
        mundo, terminal = final.mundo, final.mundo.estado.terminal
        estornado = final.resultados["estornar"]
        if not (isinstance(estornado, dict) and estornado["situacao"] == "em_duvida"):
            continue
        duvidosas += 1
        assert mundo.cobranca["duvidosa"] == {"BOOL": True}
        if final.resultados["cobrar"] != MORTO:
            assert isinstance(final.resultados["cobrar"], ErroInesperado | TransitorioError)
            assert terminal.liquido == 0
    assert duvidosas > 3


@pytest.mark.parametrize("mortais", [[], ["confirmar"], ["estornar"]])
def test_confirmation_and_refund_exclude_each_other(mortais: list[str]) -> None:
    estado = _preparado(None, Mundo.reservar, Mundo.cobrar)
    finais = list(explorar(estado, {"confirmar": Mundo.confirmar, "estornar": Mundo.estornar}, mortais=mortais))
    vistos = {final.mundo.status for final in finais}
    assert {"CONFIRMADO", "COMPENSANDO"} <= vistos
    for final in finais:
        liquido = final.mundo.estado.terminal.liquido
        confirmar, estornar = final.resultados["confirmar"], final.resultados["estornar"]
        if final.mundo.status == "CONFIRMADO":
            assert liquido == VALOR
            assert isinstance(estornar, PedidoJaConfirmadoError) or estornar == MORTO
        elif estornar != MORTO:
            assert liquido == 0
            assert isinstance(confirmar, ErroInesperado) or confirmar == MORTO


def test_charge_confirmation_and_refund_together_never_confirm_without_money_or_refund_a_confirmed_order() -> None:
    programas = {"cobrar": Mundo.cobrar, "confirmar": Mundo.confirmar, "estornar": Mundo.estornar}
    finais = list(explorar(novo_estado(), programas))
    assert {"CONFIRMADO", "COMPENSANDO"} <= {final.mundo.status for final in finais}
    for final in finais:
        if final.mundo.status == "CONFIRMADO":
            assert final.mundo.estado.terminal.liquido == VALOR
        else:
            assert _ate_o_fim(final.mundo).estado.terminal.liquido == 0


@pytest.mark.parametrize(
    "estornar", [["devolve"], ["devolve-e-cai", "devolve"], ["cai", "devolve"], ["pendente"]], ids=" ".join
)
def test_two_refunds_of_one_order_give_the_money_back_once(estornar: list[str]) -> None:
    estado = _preparado(Terminal(cobrar=["cobra-e-cai"], estornar=estornar))
    with pytest.raises(TransitorioError):
        Mundo(estado).cobrar()
    for final in explorar(estado, {"a": Mundo.estornar, "b": Mundo.estornar}, mortais=["a"]):
        terminal = final.mundo.estado.terminal
        assert len(terminal.devolvidos) <= 1
        if any(isinstance(r, dict) for r in final.resultados.values()):
            assert terminal.liquido == 0
            assert final.mundo.linha["estorno"]["M"]["estado"] == {"S": "CONCLUIDO"}


def test_a_late_charge_lands_before_during_or_after_the_refund_and_is_always_found() -> None:
    estado = novo_estado(Terminal(cobrar=["tardia"]))
    with pytest.raises(TransitorioError):
        Mundo(estado).cobrar()

    def pousar(mundo: Mundo) -> None:
        mundo.gateway._outside("pousar", mundo.estado.terminal.pousar)  # pyright: ignore[reportPrivateUsage]

    for final in explorar(estado, {"estornar": Mundo.estornar, "pousar": pousar}):
        mundo = _ate_o_fim(final.mundo)
        assert mundo.estado.terminal.liquido == 0


@pytest.mark.parametrize("horas", [1, 30])
def test_the_gateway_is_never_asked_twice_for_the_money_once_it_may_have_forgotten_the_key(horas: int) -> None:
    estado = novo_estado(Terminal(cobrar=["cobra-e-cai", "aprova"]))
    with pytest.raises(TransitorioError):
        Mundo(estado).cobrar()
    estado.agora += horas * HORA
    for final in explorar(estado, {"a": Mundo.cobrar, "b": Mundo.cobrar}, mortais=["a"]):
        assert len(final.mundo.estado.terminal.aprovadas) == 1
        assert final.mundo.estado.terminal.pedidos_de_cobranca <= (3 if horas < 20 else 1)
        assert final.mundo.status == Status.RECEBIDO
