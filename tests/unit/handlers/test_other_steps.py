"""ReservarEstoque, LiberarEstoque, ConfirmarPedido and EfetivarReserva: what they answer, and when they refuse."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import BotoCoreError, ConnectTimeoutError, EndpointConnectionError, ReadTimeoutError

from handlers.domain.errors import ErroInesperado
from handlers.domain.status import Status
from tests.unit.handlers.test_cobrar_pagamento import cobranca
from tests.unit.handlers.world import AGORA, PEDIDO, QUANTIDADE, SALDO, SKU, Mundo, mundo

pytestmark = pytest.mark.unit


def reservado(um: Mundo) -> Mundo:
    um.estado.tabelas["estoque"][SKU].update(
        {"saldo": {"N": str(SALDO - QUANTIDADE)}, "reservas": {"M": {PEDIDO: {"N": str(QUANTIDADE)}}}}
    )
    return um


def test_reserving_answers_what_was_reserved() -> None:
    assert Mundo().reservar() == {"sku": SKU, "quantidade": QUANTIDADE}


@pytest.mark.parametrize("erro", [ReadTimeoutError, EndpointConnectionError, ConnectTimeoutError])
def test_a_reservation_without_an_answer_is_not_tried_again_at_once(erro: type[BotoCoreError]) -> None:
    """It may still be on its way: only an error of the platform's retrier waits longer than it can be."""

    def perdida(name: str, effect: object) -> Any:
        raise erro(endpoint_url="https://dynamodb", error="x")

    with pytest.raises(ErroInesperado, match="pode chegar ainda") as visto:
        Mundo(outside=perdida).reservar()
    assert visto.value.causa == erro.__name__
    assert visto.value.__context__ is None


@pytest.mark.parametrize(("reserva_respondida", "entradas"), [(True, {}), (False, {PEDIDO: -AGORA})])
def test_releasing_leaves_a_tombstone_only_where_the_reservation_never_answered(
    reserva_respondida: bool, entradas: dict[str, int]
) -> None:
    um = reservado(mundo())
    assert um.liberar(reserva_respondida=reserva_respondida) == {"liberada": QUANTIDADE}
    assert um.entradas == entradas


def test_confirming_a_charged_order_answers_its_status() -> None:
    um = mundo(cobranca("APROVADA"))
    assert um.confirmar() == {"status": "CONFIRMADO"}
    assert um.status == Status.CONFIRMADO


def test_confirming_twice_is_a_success() -> None:
    um = mundo(cobranca("APROVADA"))
    assert um.confirmar() == um.confirmar() == {"status": "CONFIRMADO"}


@pytest.mark.parametrize("status", [s for s in Status if s not in (Status.RECEBIDO, Status.CONFIRMADO)])
def test_an_order_being_undone_or_closed_is_never_confirmed(status: Status) -> None:
    um = mundo(cobranca("APROVADA"), status=status)
    with pytest.raises(ErroInesperado, match=status):
        um.confirmar()
    assert um.status == status


@pytest.mark.parametrize("linha", [{}, cobranca("INICIADA"), cobranca("RECUSADA")])
def test_an_order_without_money_is_never_confirmed(linha: dict[str, Any]) -> None:
    um = mundo(linha)
    with pytest.raises(ErroInesperado, match="APROVADA"):
        um.confirmar()
    assert um.status == Status.RECEBIDO


def test_an_unknown_order_is_never_confirmed() -> None:
    um = mundo()
    um.estado.tabelas["pedidos"].clear()
    with pytest.raises(ErroInesperado, match="ausente"):
        um.confirmar()


def test_settling_sells_the_units_and_ends_the_pending_mark() -> None:
    um = reservado(mundo(cobranca("APROVADA"), status=Status.CONFIRMADO))
    assert um.efetivar() == {"efetivada": True}
    assert (um.saldo, um.entradas) == (SALDO - QUANTIDADE, {})
    assert "pendenteDesde" not in um.linha
    assert um.efetivar() == {"efetivada": False}


@pytest.mark.parametrize("status", [s for s in Status if s is not Status.CONFIRMADO])
def test_only_a_confirmed_order_is_settled(status: Status) -> None:
    um = reservado(mundo(status=status))
    with pytest.raises(ErroInesperado, match=status):
        um.efetivar()
    assert um.reservado == QUANTIDADE
    assert "pendenteDesde" in um.linha


def test_an_unknown_order_is_never_settled() -> None:
    um = reservado(mundo())
    um.estado.tabelas["pedidos"].clear()
    with pytest.raises(ErroInesperado, match="ausente"):
        um.efetivar()
    assert um.reservado == QUANTIDADE


def test_a_confirmed_order_whose_reservation_was_cancelled_stays_findable() -> None:
    um = mundo(cobranca("APROVADA"), status=Status.CONFIRMADO)
    um.item["reservas"] = {"M": {PEDIDO: {"N": str(-AGORA)}}}
    with pytest.raises(ErroInesperado, match="cancelada"):
        um.efetivar()
    assert "pendenteDesde" in um.linha


def test_an_order_that_stops_being_confirmed_while_it_is_settled_is_an_error() -> None:
    um = reservado(mundo(status=Status.CONFIRMADO))
    leituras: list[str] = []

    def revolta(name: str, effect: Any) -> Any:
        answer = effect()
        leituras.append(name)
        if len(leituras) == 1:
            um.linha["status"] = {"S": "RESOLVIDO_MANUALMENTE"}
        return answer

    with pytest.raises(ErroInesperado, match="RESOLVIDO_MANUALMENTE"):
        Mundo(um.estado, outside=revolta).efetivar()


def test_a_confirmation_made_between_the_refusal_and_the_look_is_this_ones_success() -> None:
    um = mundo(cobranca("INICIADA"))

    def outra(name: str, effect: Any) -> Any:
        if name == "get_item":
            um.linha["status"] = {"S": "CONFIRMADO"}
        return effect()

    assert Mundo(um.estado, outside=outra).confirmar() == {"status": "CONFIRMADO"}
