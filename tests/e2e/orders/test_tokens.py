"""Every behaviour of the payment gateway that needs no reconciler ends as design §7 says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from handlers.domain.status import Etapa, Status
from infra.local.proofs.workbench import INITIAL_STOCK, Workbench
from infra.ops.books import read_books, violations

if TYPE_CHECKING:
    from infra.ops.facts import OrderRow
    from infra.ops.history import Execution

pytestmark = pytest.mark.e2e

CONFIRMATION_FAILS = {Etapa.CONFIRMAR_PEDIDO.value: "antes"}


@dataclass(frozen=True)
class Case:
    """A token, the faults injected beside it, and the end it must have."""

    name: str
    cartao: str
    status: Status
    charged: int
    refunded: int
    falhas: dict[str, str] | None = None
    duvidosa: bool = False


CASES = (
    Case("ok", "tok-ok", Status.CONFIRMADO, 1, 0),
    Case("customer", "tok_9f2e", Status.CONFIRMADO, 1, 0),
    Case("refused", "tok-forcar-recusa", Status.FALHOU_COMPENSADO, 0, 0),
    Case("down", "tok-indisponivel", Status.FALHOU_COMPENSADO, 0, 0, duvidosa=True),
    Case("down-twice", "tok-indisponivel-2", Status.CONFIRMADO, 1, 0),
    Case("hangs", "tok-timeout-sem-cobrar", Status.FALHOU_COMPENSADO, 0, 0, duvidosa=True),
    Case("charges-and-hangs", "tok-timeout-cobrado", Status.FALHOU_COMPENSADO, 1, 1),
    Case("charges-and-500", "tok-500-cobrado", Status.FALHOU_COMPENSADO, 1, 1),
    Case("late", "tok-cobranca-tardia", Status.FALHOU_COMPENSADO, 1, 1),
    Case("refund-lost", "tok-estorno-perdido", Status.FALHOU_COMPENSADO, 1, 1, CONFIRMATION_FAILS),
    Case("refund-slow", "tok-estorno-lento-3", Status.FALHOU_COMPENSADO, 1, 1, CONFIRMATION_FAILS),
    Case("dies-after-charging", "tok-ok", Status.CONFIRMADO, 1, 0, {Etapa.COBRAR_PAGAMENTO.value: "morrer:1"}),
    Case("dies-always", "tok-ok", Status.FALHOU_COMPENSADO, 1, 1, {Etapa.COBRAR_PAGAMENTO.value: "morrer"}),
    Case("dies-reserving", "tok-ok", Status.CONFIRMADO, 1, 0, {Etapa.RESERVAR_ESTOQUE.value: "morrer:1"}),
    Case("dies-settling", "tok-ok", Status.CONFIRMADO, 1, 0, {Etapa.EFETIVAR_RESERVA.value: "morrer:1"}),
    Case(
        "dies-refunding",
        "tok-ok",
        Status.FALHOU_COMPENSADO,
        1,
        1,
        {**CONFIRMATION_FAILS, Etapa.ESTORNAR_PAGAMENTO.value: "morrer:2"},
    ),
    Case(
        "dies-releasing",
        "tok-forcar-recusa",
        Status.FALHOU_COMPENSADO,
        0,
        0,
        {Etapa.LIBERAR_ESTOQUE.value: "morrer:2"},
    ),
)


@dataclass(frozen=True)
class End:
    """What is left of a case."""

    execution: Execution
    row: OrderRow
    charged: int
    refunded: int


@dataclass(frozen=True)
class Campaign:
    """Every case, run beside the others."""

    ends: dict[str, End]
    initial: dict[str, int]


@pytest.fixture(scope="module")
def campaign(bench: Workbench) -> Campaign:
    own = Workbench(bench.target)
    skus = {case.name: own.stock_sku(f"token-{case.name}") for case in CASES}
    ids = {case.name: own.post(_order(own, case, skus[case.name])) for case in CASES}
    ends = {name: _end(own, pedido_id) for name, pedido_id in ids.items()}
    return Campaign(ends, dict.fromkeys(skus.values(), INITIAL_STOCK))


def _order(bench: Workbench, case: Case, sku: str) -> dict[str, object]:
    order = bench.order(f"token-{case.name}", sku, cartao=case.cartao)
    return {**order, "falhas": case.falhas} if case.falhas else order


def _end(bench: Workbench, pedido_id: str) -> End:
    execution = bench.end(pedido_id)
    charged, refunded = len(bench.facts.charges(pedido_id)), len(bench.facts.refunds(pedido_id))
    return End(execution, bench.row(pedido_id), charged, refunded)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_token_ends_as_the_contract_says(case: Case, campaign: Campaign) -> None:
    end = campaign.ends[case.name]
    assert end.execution.status == "SUCCEEDED", end.execution.states()
    assert end.row["status"] == case.status, end.row
    assert (end.charged, end.refunded) == (case.charged, case.refunded)
    assert end.row.get("cobranca", {}).get("duvidosa", False) is case.duvidosa
    assert "pendenteDesde" not in end.row


def test_the_books_balance_after_every_token(bench: Workbench, campaign: Campaign) -> None:
    assert violations(read_books(bench.target), campaign.initial) == []
