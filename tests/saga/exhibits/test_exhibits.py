"""The sagas of the documents this system comes from, in our words, and what the tool says of them."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from infra.saga.asl import parse
from infra.saga.checks import check
from infra.saga.effects_file import read_effects
from infra.saga.explorer import explore
from infra.saga.world import Fault

if TYPE_CHECKING:
    from infra.saga.story import Counterexample

pytestmark = pytest.mark.saga

HERE = Path(__file__).parent
FILES = {"000": "000.json", "003": "003.yaml", "004": "004.yaml"}


@cache
def _counterexamples(exhibit: str) -> dict[tuple[Fault, str], Counterexample]:
    definition = parse((HERE / FILES[exhibit]).read_text(encoding="utf-8"))
    effects = read_effects((HERE / f"{exhibit}.efeitos.yaml").read_text(encoding="utf-8"), definition)
    exploration = explore(definition, effects)
    assert not exploration.proved
    return {(each.found.fault, each.found.subject): each for each in exploration.counterexamples}


@cache
def _findings(exhibit: str) -> frozenset[tuple[str, str]]:
    definition = parse((HERE / FILES[exhibit]).read_text(encoding="utf-8"))
    return frozenset((item.codigo, item.estado) for item in check(definition))


def _edge(exhibit: str, fault: Fault, subject: str) -> str:
    return _counterexamples(exhibit)[fault, subject].edge


# --- 000 -----------------------------------------------------------------------------------------------------------


def test_000_leaves_the_money_of_an_ambiguous_charge_taken() -> None:
    example = _counterexamples("000")[Fault.LEFT_BEHIND, "dinheiro cobrado"]
    assert example.steps == (
        "ReservarEstoque: feito  [ReservarEstoque, Next → CobrarPagamento]",
        "CobrarPagamento: falhou com GatewayIndisponivelError depois do efeito  "
        "[CobrarPagamento, Catch [States.ALL] → LiberarEstoque]",
        "LiberarEstoque: desfeito  [LiberarEstoque, Next → RegistrarFalhaComEstoqueLiberado]",
        "RegistrarFalhaComEstoqueLiberado: registrado  [RegistrarFalhaComEstoqueLiberado → fim]",
    )
    assert example.world == (
        "estoque reservado: não",
        "dinheiro cobrado: sim",
        "status registrado: FALHOU_COMPENSADO",
    )
    assert example.edge == "CobrarPagamento, Catch [States.ALL] → LiberarEstoque"


def test_000_leaks_the_stock_of_an_ambiguous_reservation() -> None:
    example = _counterexamples("000")[Fault.LEFT_BEHIND, "estoque reservado"]
    assert example.edge == "ReservarEstoque, Catch [States.ALL] → RegistrarFalhaSemCompensacao"
    assert example.world[0] == "estoque reservado: sim"
    assert len(example.steps) == 2


@pytest.mark.parametrize(
    ("fault", "subject"),
    [
        # An order the customer was told is confirmed is refunded, and then recorded as failed.
        (Fault.AFTER_PIVOT, "dinheiro cobrado"),
        (Fault.OVERTURNED, "RegistrarFalhaComEstoqueLiberado"),
        # A confirmation that arrives late confirms what was undone.
        (Fault.OVERTURNED, "ConfirmarPedido"),
        # The last resort fails too, and nobody hears of it.
        (Fault.UNCAUGHT, "CompensacaoFalhouParaFilaHumana"),
        (Fault.DIED, "estoque reservado"),
    ],
)
def test_000_loses_in_other_ways_too(fault: Fault, subject: str) -> None:
    assert (fault, subject) in _counterexamples("000")


@pytest.mark.parametrize(
    "finding",
    [
        # Fields lost between states: a result that replaces the order.
        ("SG401", "ReservarEstoque"),
        ("SG401", "CobrarPagamento"),
        # putItem wipes the order; the cause of an error is not always there.
        ("SG506", "RegistrarFalhaComEstoqueLiberado"),
        ("SG411", "RegistrarFalhaComEstoqueLiberado"),
        # No Task has a timeout; timeouts are not retried; records have no Catch.
        ("SG301", "CobrarPagamento"),
        ("SG207", "ReservarEstoque"),
        ("SG205", "RegistrarFalhaSemCompensacao"),
    ],
)
def test_000_is_told_by_the_checks(finding: tuple[str, str]) -> None:
    assert finding in _findings("000")


# --- 003 -----------------------------------------------------------------------------------------------------------


def test_003_has_no_catch_on_its_first_step_nor_on_its_way_back() -> None:
    for state in ("ReservarStock", "DevolverCobro", "LiberarStock"):
        assert (Fault.UNCAUGHT, state) in _counterexamples("003")
        assert ("SG205", state) in _findings("003")
    example = _counterexamples("003")[Fault.UNCAUGHT, "ReservarStock"]
    assert example.edge == "ReservarStock, sem Catch"
    assert len(example.steps) == 1


def test_003_leaves_the_money_of_an_ambiguous_charge_taken_and_says_compensated() -> None:
    example = _counterexamples("003")[Fault.LEFT_BEHIND, "dinero cobrado"]
    assert example.edge == "CobrarPago, Catch [States.ALL] → LiberarStock"
    assert "o pedido termina PedidoFallido e continua com: dinero cobrado" in example.story()


def test_003_refunds_a_shipment_that_was_confirmed() -> None:
    example = _counterexamples("003")[Fault.AFTER_PIVOT, "dinero cobrado"]
    assert "ConfirmarEnvio: tempo esgotado depois do efeito" in example.story()


def test_003_loses_the_order_between_states() -> None:
    assert {("SG401", "ReservarStock"), ("SG401", "CobrarPago")} <= _findings("003")


# --- 004 -----------------------------------------------------------------------------------------------------------


def test_004_undoes_what_its_memory_says_and_not_what_happened() -> None:
    assert _edge("004", Fault.LEFT_BEHIND, "dinheiro cobrado") == "ChargePayment, Catch [States.ALL] → CancelOrder"
    assert _edge("004", Fault.LEFT_BEHIND, "pedido pendente criado") == "CreateOrder, Catch [States.ALL] → Failed"


def test_004_swallows_the_failure_of_a_compensation() -> None:
    example = _counterexamples("004")[Fault.MIRROR, "CancelOrder"]
    assert "CancelOrder desfaz 'pedido pendente criado' antes de se desfazer 'dinheiro cobrado'" in example.story()
    assert {("SG208", "RefundPayment"), ("SG208", "CancelOrder")} <= _findings("004")


def test_004_is_a_process_that_may_die_with_all_it_knew() -> None:
    assert (Fault.DIED, "dinheiro cobrado") in _counterexamples("004")
