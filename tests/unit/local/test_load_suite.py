"""The loads docs/scale.md tells of, what they cost in processor time, and the file they are kept in."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

import psutil
import pytest

from infra.local.load.cpu import FUNCTION_NAME, cpu_between, cpu_of_workers
from infra.local.load.plan import LoadPlan
from infra.local.load.run import LoadReport
from infra.local.load.suite import SUITE, keep, machine

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.unit

REPORT = LoadReport(
    plano=LoadPlan(1, 1),
    respostas={202: 1},
    p50_ms=1,
    p99_ms=2,
    segundos=1.0,
    pedidos_por_segundo=1.0,
    inicios_por_segundo=0.0,
    fins={"CONFIRMADO": 1},
    execucoes=1,
    cobrancas=1,
    malformadas_na_dlq=0,
    memoria_mib=1,
    processos=1,
    cpu_ms={"f": 1.0},
    etapas_ms={"ReservarEstoque": 1},
)


def test_the_suite_has_a_thousand_orders_a_hot_sku_and_five_thousand_waiting() -> None:
    assert (SUITE["carga"].pedidos, SUITE["carga"].skus) == (1000, 4)
    assert (SUITE["sku-quente"].pedidos, SUITE["sku-quente"].skus) == (1000, 1)
    assert (SUITE["represa"].pedidos, SUITE["represa"].represados) == (5000, True)
    # A message that is refused comes again within seconds while a load runs: none may beside a batch that is paced.
    assert SUITE["represa"].malformadas == 0


def test_processor_time_is_told_by_function_and_of_the_time_between_alone() -> None:
    before = {("api", 1): 2.0, ("api", 2): 1.0, ("gone", 3): 5.0}
    after = {("api", 1): 2.5, ("api", 2): 1.0, ("new", 4): 0.25}
    assert cpu_between(before, after) == {"api": 0.5, "new": 0.25}


def test_a_process_that_is_no_worker_is_not_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    me = psutil.Process()
    assert FUNCTION_NAME not in os.environ
    assert cpu_of_workers([me]) == {}
    monkeypatch.setattr(me, "environ", lambda: {FUNCTION_NAME: "cesta-local-api"})
    [((function, pid), seconds)] = cpu_of_workers([me]).items()
    assert (function, pid) == ("cesta-local-api", me.pid)
    assert seconds > 0


def test_what_is_kept_says_when_and_on_what(tmp_path: Path) -> None:
    path = tmp_path / "cargas.json"
    keep(path, {"carga": REPORT}, measured_at="2026-12-01T12:00:00.000Z", busy=0.123)
    kept = json.loads(path.read_text())
    assert kept["medidoEm"] == "2026-12-01T12:00:00.000Z"
    assert kept["ocupacaoAntes"] == 0.12
    assert kept["maquina"] == machine()
    assert kept["maquina"]["nucleos"] == os.cpu_count()
    assert kept["corridas"]["carga"]["fins"] == {"CONFIRMADO": 1}
