"""Refunds at the gateway simulator, token by token (design §7)."""

from __future__ import annotations

import pytest

from infra.local.simulator_answers import Answer, Drop
from infra.local.simulator_core import KEY_LIFE_SECONDS
from infra.local.simulator_records import RequisicaoInvalidaError
from tests.unit.local_simulator.helpers import VALOR, Bank

pytestmark = pytest.mark.unit


def test_a_refund_gives_all_the_money_back_once() -> None:
    bank = Bank()
    transacao = bank.approved()
    first = bank.refund_answer(transacao)
    assert first.status == 201
    assert first.body["estado"] == "concluido"
    assert first.body["valorCentavos"] == VALOR
    assert bank.refund(transacao) == first
    assert [e["tentativas"] for e in bank.estornos()] == [2]
    assert bank.net() == 0
    (vista,) = bank.seen()
    assert (vista["valorEstornadoCentavos"], vista["estornoEstado"]) == (VALOR, "concluido")
    assert vista["estornoId"] == first.body["estornoId"]


def test_a_refund_under_another_key_hears_already_refunded() -> None:
    bank = Bank()
    transacao = bank.approved()
    first = bank.refund_answer(transacao)
    again = bank.refund_answer(transacao, chave="outra-chave")
    assert again.status == 409
    assert again.body["codigo"] == "ja_estornada"
    assert again.body["estornoId"] == first.body["estornoId"]
    assert bank.net() == 0


def test_a_forgotten_refund_key_cannot_refund_twice() -> None:
    bank = Bank()
    transacao = bank.approved()
    bank.refund(transacao)
    bank.gateway.advance_clock(KEY_LIFE_SECONDS)
    assert bank.refund_answer(transacao).body["codigo"] == "ja_estornada"
    assert bank.net() == 0


def test_same_refund_key_with_another_amount_is_refused() -> None:
    bank = Bank()
    transacao = bank.approved()
    bank.refund(transacao)
    assert bank.refund(transacao, valor=1) == Answer(409, {"codigo": "chave_reutilizada"})


def test_partial_refunds_add_up_to_the_charge_and_no_further() -> None:
    bank = Bank()
    transacao = bank.approved()
    bank.refund(transacao, chave="a", valor=VALOR - 100)
    with pytest.raises(RequisicaoInvalidaError, match="valorCentavos"):
        bank.refund(transacao, chave="b", valor=101)
    assert bank.refund_answer(transacao, chave="c", valor=100).status == 201
    assert bank.net() == 0


def test_more_than_was_charged_is_a_bad_request() -> None:
    bank = Bank()
    with pytest.raises(RequisicaoInvalidaError, match="maior do que o valor cobrado"):
        bank.refund(bank.approved(), valor=VALOR + 1)
    assert bank.estornos() == []


def test_another_orders_transaction_is_a_bad_request() -> None:
    bank = Bank()
    with pytest.raises(RequisicaoInvalidaError, match="outro pedido"):
        bank.refund(bank.approved(), pedido="p-2")


@pytest.mark.parametrize("token", ["tok-forcar-recusa", "tok-indisponivel"])
def test_what_was_never_charged_cannot_be_refunded(token: str) -> None:
    bank = Bank()
    bank.charge(token)
    transacao = bank.cobrancas()[0]["transacaoId"] or "tra-nenhuma"
    assert bank.refund(transacao) == Answer(404, {"codigo": "transacao_inexistente"})


def test_unavailable_refunds_give_nothing_back_however_often_asked() -> None:
    bank = Bank()
    transacao = bank.approved("tok-estorno-indisponivel")
    assert [bank.refund_answer(transacao).status for _ in range(9)] == [503] * 9
    assert [(e["tentativas"], e["estado"]) for e in bank.estornos()] == [(9, "nao_estornado")]
    assert bank.net() == VALOR
    assert bank.seen()[0]["estornoId"] is None


@pytest.mark.parametrize("n", [0, 1, 7, 40])
def test_a_slow_refund_is_done_after_n_attempts(n: int) -> None:
    bank = Bank()
    transacao = bank.approved(f"tok-estorno-lento-{n}")
    assert [bank.refund_answer(transacao).status for _ in range(n + 1)] == [503] * n + [201]
    assert bank.net() == 0


def test_a_lost_refund_is_done_and_later_attempts_hear_already_refunded() -> None:
    bank = Bank()
    transacao = bank.approved("tok-estorno-perdido")
    assert isinstance(bank.refund(transacao), Drop)
    assert bank.net() == 0
    for _ in range(2):
        again = bank.refund_answer(transacao)
        assert (again.status, again.body["codigo"], again.body["valorCentavos"]) == (409, "ja_estornada", VALOR)
    assert [e["tentativas"] for e in bank.estornos()] == [3]


def test_a_pending_refund_moves_money_at_the_third_look_up() -> None:
    bank = Bank()
    bank.charge("tok-estorno-pendente")
    transacao = bank.seen()[0]["transacaoId"]
    first = bank.refund_answer(transacao)
    assert (first.status, first.body["estado"]) == (202, "pendente")
    assert bank.refund(transacao) == first, "a re-send only repeats the first answer"
    assert bank.net() == VALOR
    assert [bank.seen()[0]["estornoEstado"] for _ in range(4)] == ["pendente", "pendente", "concluido", "concluido"]
    assert bank.net() == 0


def test_a_pending_refund_already_holds_the_amount() -> None:
    bank = Bank()
    transacao = bank.approved("tok-estorno-pendente")
    bank.refund(transacao)
    assert bank.refund_answer(transacao, chave="outra").body["codigo"] == "ja_estornada"
