"""The judge of the campaign: a judge that lets things pass would prove nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from infra.ops.intervention import Pending
from tests.campaign.evidence import CONFIRMED, INITIAL, UNDONE, VALUE, Books, charge, refund
from tests.campaign.verdict import Harm, Verdict, judge

pytestmark = pytest.mark.unit


CLOSED = Books(status="RESOLVIDO_MANUALMENTE", saldo=INITIAL - 1, reservas={"p": 1}, charges=(charge("p"),))


def _kinds(verdict: Verdict) -> set[Harm]:
    return {harm for harm, ids in verdict.harms.items() if ids}


@pytest.mark.parametrize(
    "books",
    [
        pytest.param(CONFIRMED, id="confirmed and settled"),
        pytest.param(CONFIRMED.but(reservas={"p": 1}), id="confirmed, its reservation not settled yet"),
        pytest.param(UNDONE, id="charged, refunded, released"),
        pytest.param(UNDONE.but(reservas={"p": -1_790_000_000}), id="a tombstone holds nothing"),
        pytest.param(Books(status="FALHOU_SEM_RESERVA"), id="refused"),
        pytest.param(Books(status="FALHOU_COMPENSADO", charges=(charge("p", estado="recusada"),)), id="card refused"),
        pytest.param(Books(accepted=False), id="never accepted, and nothing happened"),
        pytest.param(Books(status="REQUER_INTERVENCAO_HUMANA", held=True, charges=(charge("p"),)), id="with a person"),
        pytest.param(CLOSED.but(left_open=frozenset(Pending)), id="closed by a person who said that both stay open"),
    ],
)
def test_good_books_are_clean(books: Books) -> None:
    verdict = judge(books.evidence)
    assert (_kinds(verdict), verdict.oversold, verdict.vanished) == (set[Harm](), 0, 0)
    assert verdict.clean


@pytest.mark.parametrize(
    ("books", "harm"),
    [
        pytest.param(Books(), Harm.PERDIDO, id="accepted, and no record of it"),
        pytest.param(Books(status="RECEBIDO"), Harm.PERDIDO, id="never started"),
        pytest.param(Books(status="COMPENSANDO"), Harm.PERDIDO, id="stopped half-way"),
        pytest.param(Books(status="REQUER_INTERVENCAO_HUMANA"), Harm.PERDIDO, id="for a person nobody told"),
        pytest.param(UNDONE.but(refunds=()), Harm.DINHEIRO, id="not refunded"),
        pytest.param(UNDONE.but(refunds=(refund("p", estado="pendente"),)), Harm.DINHEIRO, id="refund still pending"),
        pytest.param(UNDONE.but(refunds=(refund("p", VALUE - 1),)), Harm.DINHEIRO, id="a centavo short"),
        pytest.param(UNDONE.but(refunds=(refund("p"), refund("p"))), Harm.DINHEIRO, id="refunded twice"),
        pytest.param(
            Books(accepted=False, status=None, charges=(charge("p"),)), Harm.DINHEIRO, id="charged, never accepted"
        ),
        pytest.param(UNDONE.but(saldo=INITIAL - 1, reservas={"p": 1}), Harm.ESTOQUE, id="not released"),
        pytest.param(
            CLOSED.but(left_open=frozenset({Pending.ESTOQUE})), Harm.DINHEIRO, id="closed, and nobody named the money"
        ),
        pytest.param(
            CLOSED.but(left_open=frozenset({Pending.COBRANCA})), Harm.ESTOQUE, id="closed, and nobody named the stock"
        ),
        pytest.param(CONFIRMED.but(charges=()), Harm.SEM_DINHEIRO, id="confirmed and not charged"),
        pytest.param(CONFIRMED.but(refunds=(refund("p"),)), Harm.SEM_DINHEIRO, id="confirmed and refunded"),
        pytest.param(CONFIRMED.but(charges=(charge("p", VALUE + 1),)), Harm.SEM_DINHEIRO, id="charged too much"),
        pytest.param(
            UNDONE.but(charges=(charge("p"), charge("p")), refunds=(refund("p"), refund("p"))),
            Harm.COBRANCA_DUPLA,
            id="charged twice, even where both came back",
        ),
    ],
)
def test_one_thing_wrong_is_one_harm(books: Books, harm: Harm) -> None:
    verdict = judge(books.evidence)
    assert _kinds(verdict) == {harm}
    assert verdict.broken == {"p"}
    assert not verdict.clean


def test_who_was_told_excuses_neither_a_double_charge_nor_a_sale_without_money() -> None:
    doubled = Books(status="REQUER_INTERVENCAO_HUMANA", held=True, charges=(charge("p"), charge("p")))
    assert _kinds(judge(doubled.evidence)) == {Harm.COBRANCA_DUPLA}
    assert _kinds(judge(CONFIRMED.but(charges=(), held=True).evidence)) == {Harm.SEM_DINHEIRO}


def test_units_sold_that_never_left_the_shelf_are_oversold() -> None:
    verdict = judge(CONFIRMED.but(saldo=INITIAL).evidence)
    assert (verdict.oversold, verdict.vanished, verdict.clean) == (1, 0, False)


def test_units_that_left_for_nobody_have_vanished() -> None:
    verdict = judge(UNDONE.but(saldo=INITIAL - 2).evidence)
    assert (verdict.oversold, verdict.vanished, verdict.clean) == (0, 2, False)


def test_a_sku_that_is_gone_has_vanished() -> None:
    books = Books(status="FALHOU_SEM_RESERVA").evidence
    assert judge(replace(books, stock={})).vanished == INITIAL
