"""The page says what the results say, and the advice can be followed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

import pytest

from infra.config import from_mapping
from infra.local.load.suite import SUITE
from tests.scale.__main__ import LOAD, MODEL, PAGE
from tests.scale.capacity import capacities
from tests.scale.durations import FULL_PROCESSOR_MB, FUNCTION_MB, Durations
from tests.scale.limits import LIMITS, OTHER_REGIONS, US_EAST_1
from tests.scale.machine import Machine
from tests.scale.money import ListPrices, bill
from tests.scale.page import render
from tests.scale.plots import draw
from tests.scale.runs import BUSY_DAY, OF_QUOTA, VOLUMES, advice, scenarios

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.unit

KEPT_LOAD = cast("dict[str, Any]", json.loads(LOAD.read_text()))
KEPT_MODEL = cast("dict[str, Any]", json.loads(MODEL.read_text()))


def test_the_page_is_the_one_the_results_make() -> None:
    assert PAGE.read_text() == render(KEPT_LOAD, KEPT_MODEL), "run: python -m tests.scale --so-pagina"


def test_the_kept_results_are_of_these_runs_and_loads() -> None:
    assert list(KEPT_LOAD["corridas"]) == list(SUITE)
    assert list(KEPT_MODEL["runs"]) == list(scenarios(Durations()))
    measured = json.loads(json.dumps(vars(Durations.measured(KEPT_LOAD["corridas"]))))
    assert KEPT_MODEL["durations"] == measured, "the model was run on other loads; run: make scale"


def test_every_limit_names_a_page() -> None:
    assert all(
        limit.source.startswith(("https://docs.aws.amazon.com/", "https://docs.stripe.com/")) for limit in LIMITS
    )
    assert len({(limit.service, limit.what) for limit in LIMITS}) == len(LIMITS)


def test_the_pictures_are_the_ones_the_results_make_and_carry_text(tmp_path: Path) -> None:
    draw(tmp_path, BUSY_DAY, KEPT_MODEL)
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["scale-day.svg", "scale-ends.svg", "scale-queue.svg", "scale-sku.svg"]
    for name in names:
        picture = (tmp_path / name).read_text()
        assert picture == (PAGE.parent / "img" / name).read_text(), "run: python -m tests.scale --so-pagina"
        assert "<text" in picture
        assert f"img/{name}" in PAGE.read_text()


# --- Advice ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("orders", VOLUMES)
@pytest.mark.parametrize("quotas", [US_EAST_1, OTHER_REGIONS], ids=lambda quotas: quotas.region)
def test_what_is_advised_is_a_stack_file_that_is_taken(orders: int, quotas: Any) -> None:
    told = advice(orders, Durations(), polls=3, starts=quotas.starts.per_second)
    settings = told.settings
    read = from_mapping(
        "prod",
        {
            "gatewayUrl": "https://gateway.exemplo",
            "requisicoesPorSegundo": str(settings.requisicoes_por_segundo),
            "rajadaDeRequisicoes": str(settings.rajada_de_requisicoes),
            "iniciosPorSegundo": str(settings.inicios_por_segundo),
            "concorrenciaMaximaIniciador": str(settings.concorrencia_maxima_iniciador),
        },
    )
    assert read.inicios_por_segundo <= OF_QUOTA * quotas.starts.per_second
    assert read.requisicoes_por_segundo >= 4 * told.peak


def test_todays_volume_needs_nothing_set() -> None:
    told = advice(VOLUMES[0], Durations(), polls=3)
    assert (told.settings.requisicoes_por_segundo, told.settings.inicios_por_segundo) == (200, 90)
    assert told.concurrency == 1000


def test_what_is_advised_for_a_million_carries_its_peak() -> None:
    ready = scenarios(Durations())["ready-2"]
    # All but one line: no setting makes one item take everybody.
    tightest = next(each for each in capacities(ready) if "everybody" not in each.limit)
    assert tightest.orders > BUSY_DAY.highest, tightest


@pytest.mark.parametrize("run", ["ready-2", "one-sku-advised"])
def test_what_is_advised_loses_nobody_and_calls_nobody(run: str) -> None:
    kept = KEPT_MODEL["runs"][run]
    assert kept["lost"] == 0
    assert set(kept["ends"]) == {"CONFIRMADO", "FALHOU_COMPENSADO"}


# --- Where figures come from -----------------------------------------------------------------------------------------


def test_processor_time_is_stretched_to_the_functions_memory() -> None:
    runs = {
        "carga": {"cpu_ms": {"cesta-local-api": 10.0}},
        "represa": {
            "plano": {"pedidos": 100},
            "fins": {"CONFIRMADO": 90, "FALHOU_COMPENSADO": 10},
            "cpu_ms": {
                f"cesta-local-{name}": 1.0
                for name in (
                    *("reservar-estoque", "cobrar-pagamento", "confirmar-pedido", "efetivar-reserva"),
                    *("liberar-estoque", "iniciador"),
                )
            },
        },
    }
    durations = Durations.measured(runs)
    stretch = FULL_PROCESSOR_MB / FUNCTION_MB
    assert durations.api == pytest.approx(0.010 * stretch + 0.015)
    assert durations.steps["ReservarEstoque"] == pytest.approx(0.001 * stretch + 0.005)
    # Nine orders in ten are confirmed: a call takes more than an order does.
    assert durations.steps["ConfirmarPedido"] == pytest.approx(0.001 / 0.9 * stretch + 0.005)
    assert durations.steps["LiberarEstoque"] == pytest.approx(0.001 / 0.1 * stretch + 0.005)
    assert durations.starter_record == pytest.approx(0.001 * stretch)


def test_a_bill_is_what_was_used_times_its_price() -> None:
    used = {"transitions": 4.0, "calls": 5.0, "function seconds": 2.0, "API requests": 4.0, "write units": 12.0}
    prices = ListPrices()
    dollars = bill(used, 1, prices)
    assert dollars["Step Functions"] == pytest.approx(100)
    assert dollars["Lambda"] == pytest.approx(1e6 * (5 * prices.saga.call + 0.5 * prices.saga.gb_second), abs=0.01)
    assert dollars["API Gateway"] == pytest.approx(14)
    assert dollars["DynamoDB"] == pytest.approx(7.5)
    assert prices.write_unit == pytest.approx(5 * prices.read_unit)


def test_the_model_retries_as_the_definition_says() -> None:
    machine = Machine()
    charge = machine.retrier("CobrarPagamento", "GatewayIndisponivelError")
    assert charge is not None
    assert (charge.attempts, charge.interval, charge.longest, charge.jitter) == (4, 2.0, 60.0, True)
    busy = machine.retrier("CobrarPagamento", "Lambda.TooManyRequestsException")
    assert busy is not None
    assert (busy.attempts, busy.jitter) == (4, False)
    assert busy.place != charge.place
    assert machine.retrier("CobrarPagamento", "CartaoRecusadoError") is None
    assert machine.caught("CobrarPagamento", "CartaoRecusadoError") == "LiberarEstoque"
    assert machine.caught("CobrarPagamento", "GatewayIndisponivelError") == "EstornarPagamento"
