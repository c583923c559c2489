"""Charges at the gateway simulator, token by token (design §7)."""

from __future__ import annotations

import pytest

from infra.local.simulator_answers import Answer, Hang
from infra.local.simulator_core import KEY_LIFE_SECONDS
from infra.local.simulator_records import PedidoDeCobranca
from tests.unit.local_simulator.helpers import VALOR, WINDOW, Bank

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("token", ["tok-ok", "tok_9f2e", "tok-estorno-indisponivel", "tok-estorno-lento-3"])
def test_a_good_token_is_approved_for_the_amount_asked(token: str) -> None:
    bank = Bank()
    answer = bank.charge_answer(token)
    assert answer.status == 201
    assert answer.body == {
        "transacaoId": bank.seen()[0]["transacaoId"],
        "pedidoId": "p-1",
        "valorCentavos": VALOR,
        "estado": "aprovada",
    }
    assert bank.net() == VALOR


def test_same_key_and_body_is_the_first_answer_again_and_one_charge() -> None:
    bank = Bank()
    first = bank.charge_answer("tok-ok")
    bank.clock.now += KEY_LIFE_SECONDS - 1
    assert bank.charge_answer("tok-ok") == first
    assert [(c["tentativas"], c["valorCentavos"]) for c in bank.cobrancas()] == [(2, VALOR)]


def test_a_key_older_than_24_hours_is_forgotten_and_the_same_request_charges_again() -> None:
    bank = Bank()
    first = bank.charge_answer("tok-ok")
    bank.gateway.advance_clock(KEY_LIFE_SECONDS)
    assert bank.charge_answer("tok-ok").body["transacaoId"] != first.body["transacaoId"]
    assert bank.net() == 2 * VALOR


def test_same_key_with_another_body_is_refused_and_charges_nothing() -> None:
    bank = Bank()
    bank.charge("tok-ok")
    for other in (bank.charge_answer("tok-ok", valor=VALOR + 1), bank.charge_answer("tok_outro")):
        assert (other.status, other.body) == (409, {"codigo": "chave_reutilizada"})
    assert bank.net() == VALOR


def test_a_refused_card_is_a_final_answer_and_no_money() -> None:
    bank = Bank()
    answers = [bank.charge_answer("tok-forcar-recusa") for _ in range(2)]
    assert answers == [Answer(402, {"codigo": "cartao_recusado", "estado": "recusada", "pedidoId": "p-1"})] * 2
    assert [c["estado"] for c in bank.seen()] == ["recusada"]
    assert [(c["estado"], c["tentativas"]) for c in bank.cobrancas()] == [("recusada", 2)]
    assert bank.net() == 0


def test_unavailable_charges_nothing_however_often_it_is_asked() -> None:
    bank = Bank()
    assert [bank.charge_answer("tok-indisponivel").status for _ in range(5)] == [503] * 5
    assert bank.seen() == []
    assert [(c["tentativas"], c["estado"]) for c in bank.cobrancas()] == [(5, "nao_cobrada")]
    assert bank.net() == 0


def test_a_503_binds_no_key_because_nothing_was_done() -> None:
    bank = Bank()
    bank.charge("tok-indisponivel")
    assert bank.charge_answer("tok-ok").status == 201


def test_unavailable_twice_then_approved_counts_three_attempts_and_one_charge() -> None:
    bank = Bank()
    assert [bank.charge_answer("tok-indisponivel-2").status for _ in range(4)] == [503, 503, 201, 201]
    assert [c["tentativas"] for c in bank.cobrancas()] == [4]
    assert bank.net() == VALOR


def test_timeout_without_charging_hangs_every_time_and_takes_nothing() -> None:
    bank = Bank()
    for _ in range(3):
        bank.charge_and_leave("tok-timeout-sem-cobrar")
    bank.gateway.advance_clock(10 * WINDOW)
    assert bank.seen() == []
    assert bank.net() == 0


def test_timeout_after_charging_hangs_every_time_and_charges_once() -> None:
    bank = Bank()
    for _ in range(3):
        bank.charge_and_leave("tok-timeout-cobrado")
    assert [c["estado"] for c in bank.seen()] == ["aprovada"]
    assert [(c["tentativas"], c["valorCentavos"]) for c in bank.cobrancas()] == [(3, VALOR)]


def test_500_after_charging_answers_500_every_time_and_charges_once() -> None:
    bank = Bank()
    answers = [bank.charge_answer("tok-500-cobrado") for _ in range(3)]
    assert answers == [Answer(500, {"codigo": "erro_interno"})] * 3
    assert bank.net() == VALOR


def test_a_late_charge_is_invisible_until_it_lands_and_in_flight_to_a_retry() -> None:
    bank = Bank()
    bank.charge_and_leave("tok-cobranca-tardia")
    assert bank.charge_answer("tok-cobranca-tardia") == Answer(409, {"codigo": "em_andamento"})
    assert bank.seen() == []
    assert [(c["estado"], c["valorCentavos"]) for c in bank.cobrancas()] == [("em_andamento", 0)]

    bank.clock.now += 0.39 * WINDOW
    assert bank.seen() == []
    bank.clock.now += 0.02 * WINDOW
    assert [c["estado"] for c in bank.seen()] == ["aprovada"]
    assert bank.charge_answer("tok-cobranca-tardia").status == 201
    assert bank.net() == VALOR


def test_a_late_charge_is_counted_from_the_last_sign_of_the_client() -> None:
    bank = Bank()
    hang = bank.charge("tok-cobranca-tardia")
    assert isinstance(hang, Hang)
    bank.clock.now += WINDOW
    assert bank.seen() == [], "it may not land while its client still waits"
    bank.gateway.hang_ended(hang)
    bank.clock.now += 0.3 * WINDOW
    bank.charge("tok-cobranca-tardia")
    bank.clock.now += 0.3 * WINDOW
    assert bank.seen() == [], "the retry put it off"
    bank.clock.now += 0.11 * WINDOW
    assert len(bank.seen()) == 1


def test_a_very_late_charge_lands_after_the_doubt_window_only() -> None:
    bank = Bank()
    bank.charge_and_leave("tok-cobranca-muito-tardia")
    bank.gateway.advance_clock(1.4 * WINDOW)
    assert bank.seen() == []
    bank.gateway.advance_clock(0.2 * WINDOW)
    assert [c["estado"] for c in bank.seen()] == ["aprovada"]


def test_a_look_up_and_the_filtered_statement_show_one_order_alone() -> None:
    bank = Bank()
    bank.charge("tok-ok")
    bank.gateway.charge("cobranca-p-2", PedidoDeCobranca("p-2", "tok-ok", 100))
    assert [c["pedidoId"] for c in bank.seen()] == ["p-1"]
    assert len(bank.cobrancas()) == 2
    assert [c["pedidoId"] for c in bank.cobrancas("p-2")] == ["p-2"]


def test_the_statement_never_carries_the_card_token() -> None:
    bank = Bank()
    bank.refund(bank.approved("tok_segredo"))
    assert "tok_segredo" not in str(bank.gateway.statement())
    assert "tok_segredo" not in repr(bank.charge("tok-timeout-cobrado", chave="outra"))
