"""What holds at the gateway whatever is asked of it, in whatever order."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infra.local.simulator_answers import Answer, Hang
from infra.local.simulator_records import RequisicaoInvalidaError
from tests.unit.local_simulator.helpers import VALOR, WINDOW, Bank

pytestmark = pytest.mark.unit

TOKENS = (
    "tok-ok",
    "tok-forcar-recusa",
    "tok-indisponivel-2",
    "tok-timeout-sem-cobrar",
    "tok-timeout-cobrado",
    "tok-500-cobrado",
    "tok-cobranca-tardia",
    "tok-cobranca-muito-tardia",
    "tok-estorno-lento-2",
    "tok-estorno-perdido",
    "tok-estorno-pendente",
)
ACTIONS = st.lists(
    st.one_of(
        st.tuples(st.just("charge"), st.just(0)),
        st.tuples(st.just("refund"), st.integers(1, VALOR + 1)),
        st.tuples(st.just("refund-all"), st.integers(0, 3)),
        st.tuples(st.just("wait"), st.integers(0, int(2 * WINDOW))),
        st.tuples(st.just("look"), st.just(0)),
    ),
    max_size=25,
)


@given(token=st.sampled_from(TOKENS), actions=ACTIONS)
def test_within_a_keys_life_an_order_is_charged_once_and_never_refunded_beyond_it(
    token: str, actions: list[tuple[str, int]]
) -> None:
    bank = Bank()
    for action, number in actions:
        _act(bank, token, action, number)
        taken = sum(c["valorCentavos"] for c in bank.cobrancas())
        back = sum(e["valorCentavos"] for e in bank.estornos())
        assert taken in (0, VALOR)
        assert 0 <= back <= taken


def _act(bank: Bank, token: str, action: str, number: int) -> None:
    match action:
        case "charge":
            outcome = bank.charge(token)
            if isinstance(outcome, Hang):
                bank.gateway.hang_ended(outcome)
        case "refund" | "refund-all":
            transacoes = [c["transacaoId"] for c in bank.cobrancas()]
            value = VALOR if action == "refund-all" else number
            for transacao in transacoes:
                _refund_whatever(bank, transacao or "tra-nenhuma", chave=f"k-{number}", value=value)
        case "wait":
            bank.clock.now += number
        case _:
            bank.seen()


def _refund_whatever(bank: Bank, transacao: str, *, chave: str, value: int) -> None:
    try:
        bank.refund(transacao, chave=chave, valor=value)
    except RequisicaoInvalidaError:
        assert bank.net() >= 0


def test_concurrent_attempts_with_one_key_make_one_charge() -> None:
    bank = Bank()
    with ThreadPoolExecutor(16) as pool:
        outcomes = list(pool.map(bank.charge, ["tok-ok"] * 64))
    assert all(outcome == outcomes[0] for outcome in outcomes)
    assert isinstance(outcomes[0], Answer)
    assert [(c["tentativas"], c["valorCentavos"]) for c in bank.cobrancas()] == [(64, VALOR)]


def test_concurrent_refunds_under_different_keys_give_the_money_back_once() -> None:
    bank = Bank()
    transacao = bank.approved()

    def refund(number: int) -> int:
        return bank.refund_answer(transacao, chave=f"k-{number}").status

    with ThreadPoolExecutor(16) as pool:
        statuses = list(pool.map(refund, range(32)))
    assert sorted(statuses) == [201] + [409] * 31
    assert bank.net() == 0
