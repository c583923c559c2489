"""What each way costs, in transitions, calls and dollars."""

from __future__ import annotations

from pathlib import Path

import pytest

from infra.saga.asl import parse
from infra.saga.cost import PathCost, Prices, Usage, dollars_per_million, path_costs
from tests.saga.test_pedido import DEFINITION

pytestmark = pytest.mark.saga

EXHIBIT = parse((Path(__file__).parent / "exhibits" / "000.json").read_text())
FREE_LAMBDA = Prices(transition=1, call=0, gb_second=0, date="de teste")
FREE_STATES = Prices(transition=0, call=1, gb_second=0, date="de teste")


def way(costs: list[PathCost], failed: str, error: str = "States.ALL") -> PathCost:
    [found] = [cost for cost in costs if cost.failed == failed and (not failed or error in cost.errors)]
    return found


def test_the_way_without_failures_is_a_transition_a_state() -> None:
    good = way(path_costs(DEFINITION), "")
    assert good.states == ("ReservarEstoque", "CobrarPagamento", "ConfirmarPedido", "EfetivarReserva")
    assert (good.transitions, good.calls, good.person) == (4, 4, False)


def test_a_refusal_is_not_retried_and_an_unknown_outcome_uses_every_try() -> None:
    costs = path_costs(DEFINITION)
    refused = way(costs, "CobrarPagamento", "CartaoRecusadoError")
    assert refused.states[2:] == ("LiberarEstoque", "RegistrarFalhaComEstoqueLiberado")
    assert (refused.transitions, refused.calls) == (4, 3)
    unknown = way(costs, "CobrarPagamento")
    assert unknown.states[2:] == ("EstornarPagamento", "LiberarEstoque", "RegistrarFalhaComEstoqueLiberado")
    assert (unknown.transitions, unknown.calls) == (5 + 4, 4 + 4)


def test_a_way_that_reaches_a_person_is_counted_up_to_there() -> None:
    stuck = way(path_costs(DEFINITION), "EfetivarReserva")
    assert stuck.person
    assert stuck.states[-1] == "PendenciaParaFilaHumana"


def test_undoing_costs_more_than_the_way_forward_as_the_document_says() -> None:
    costs = path_costs(EXHIBIT)
    assert way(costs, "").transitions == 3
    assert way(costs, "ConfirmarPedido").transitions > way(costs, "").transitions


def test_dollars_follow_the_prices_given_and_the_share_that_fails() -> None:
    costs = path_costs(EXHIBIT)
    assert dollars_per_million(costs, 0, FREE_LAMBDA) == 3_000_000
    assert dollars_per_million(costs, 0, FREE_STATES) == 3_000_000
    failing = [way(costs, name).transitions for name in ("ReservarEstoque", "CobrarPagamento", "ConfirmarPedido")]
    assert dollars_per_million(costs, 1, FREE_LAMBDA) == pytest.approx(1_000_000 * sum(failing) / 3)
    half = dollars_per_million(costs, 0.5, FREE_LAMBDA)
    assert half == pytest.approx(500_000 * (3 + sum(failing) / 3))


def test_memory_and_duration_are_billed_by_the_gb_second() -> None:
    [cost] = path_costs(
        {"StartAt": "A", "States": {"A": {"Type": "Task", "Resource": "arn:aws:states:::lambda:invoke"}}}
    )
    prices = Prices(transition=0, call=0, gb_second=2, date="de teste")
    assert cost.dollars(prices, Usage(memory_mb=512, milliseconds=250)) == pytest.approx(2 * 0.5 * 0.25)
