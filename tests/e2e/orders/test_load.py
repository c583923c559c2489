"""A small form of ``make load``: duplicates, contradictions, malformed messages, eight clients, every promise held."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from handlers.domain.status import Status
from infra.local.load.plan import LoadPlan
from infra.local.load.run import run_load

if TYPE_CHECKING:
    from infra.local.proofs.workbench import Workbench
    from infra.local.stack import EmbeddedStack

pytestmark = pytest.mark.e2e

PLAN = LoadPlan(pedidos=100, clientes=8, duplicados=10, divergentes=5, malformadas=5)
BACKLOG = LoadPlan(pedidos=40, clientes=1, skus=1, represados=True)


def test_a_hundred_orders_keep_every_promise(bench: Workbench, stack: EmbeddedStack) -> None:
    report = run_load(bench, stack, PLAN)
    assert report.achados == []
    assert report.respostas == {202: 110, 409: 5}
    assert report.fins == {Status.CONFIRMADO: 90, Status.FALHOU_COMPENSADO: 10}
    assert (report.execucoes, report.cobrancas) == (100, 90)
    assert report.malformadas_na_dlq == 5
    assert report.p50_ms is not None
    assert report.p99_ms is not None
    assert 0 < report.p50_ms <= report.p99_ms
    assert report.memoria_mib > 100
    assert report.processos > 3


def test_a_backlog_drains_at_the_starters_pace_and_every_order_ends(bench: Workbench, stack: EmbeddedStack) -> None:
    report = run_load(bench, stack, BACKLOG)
    assert report.achados == []
    assert report.respostas == {}
    assert (report.p50_ms, report.p99_ms) == (None, None)
    assert report.fins == {Status.CONFIRMADO: 36, Status.FALHOU_COMPENSADO: 4}
    # Two starters begin a batch each at once; what follows keeps the pace.
    pace = stack.settings.inicios_por_segundo
    assert report.inicios_por_segundo < 40 / ((40 - 20) / pace)
    assert report.cpu_ms["cesta-local-reservar-estoque"] > 0
    assert report.etapas_ms["ReservarEstoque"] > 0
