"""The model against what can be worked out on paper: a simulation nobody checks proves nothing."""

from __future__ import annotations

import math
from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

import pytest
import simpy

from infra.saga.cost import path_costs
from tests.scale.capacity import FORWARD, function_seconds, item_orders, open_seconds
from tests.scale.demand import DAY, SALE, Day, Skus, arrivals
from tests.scale.durations import Durations
from tests.scale.items import EMPTY_SKU_BYTES, ENTRY_BYTES, KB
from tests.scale.limits import US_EAST_1, Quotas, Rate
from tests.scale.machine import Machine
from tests.scale.resources import Bucket, Pool
from tests.scale.saga import CONFIRMED
from tests.scale.scenario import DEFAULTS, Gateway, Scenario
from tests.scale.system import simulate

if TYPE_CHECKING:
    from collections.abc import Generator

    from tests.scale.scenario import Outcome

pytestmark = pytest.mark.unit

EXACT = Durations(spread=0.0)
WIDE = replace(US_EAST_1, starts=Rate(1e6, 1e6), transitions=Rate(1e6, 1e6), concurrency=10**6)
OPEN_DOOR = replace(DEFAULTS, requisicoes_por_segundo=10_000, rajada_de_requisicoes=5000, inicios_por_segundo=10_000)
FAULTLESS = Gateway(refused=0.0)


def steady(rate: float, seconds: float = 40, **given: object) -> Outcome:
    """A run of that many orders a second with nothing in its way but what is given."""
    base = Scenario(
        "",
        rate=lambda _: rate,
        highest=rate,
        seconds=seconds,
        settings=OPEN_DOOR,
        quotas=WIDE,
        durations=EXACT,
        gateway=FAULTLESS,
        polls=0,
    )
    return simulate(replace(base, **given))  # pyright: ignore[reportArgumentType] - fields by name


# --- What runs out ---------------------------------------------------------------------------------------------------


def test_a_full_bucket_lasts_its_burst_over_what_is_asked_beyond_its_rate() -> None:
    bucket, asked = Bucket(Rate(300, 1300)), 1000
    for tick in range(10_000):
        if not bucket.take(tick / asked):
            break
    assert bucket.first_refused == pytest.approx(1300 / (asked - 300), rel=0.01)


def test_transitions_on_credit_wait_their_turn() -> None:
    bucket = Bucket(Rate(10, 1))
    assert [bucket.delay(0.0) for _ in range(4)] == pytest.approx([0, 0.1, 0.2, 0.3])


@pytest.mark.parametrize(("load", "servers"), [(8.0, 10), (20.0, 20)])
def test_lambda_refuses_as_erlangs_loss_formula_says(load: float, servers: int) -> None:
    """M/M/c/c: AWS keeps no line for a synchronous call."""
    pool = Pool(replace(WIDE, concurrency=servers, scaling=Rate(1e6, 1e6)))
    env, random, asked = simpy.Environment(), Random(7), 10_000  # noqa: S311 - a simulation

    def call() -> Generator[simpy.Event]:
        yield env.timeout(random.expovariate(1))
        pool.leave("f")

    def callers() -> Generator[simpy.Event]:
        for _ in range(asked):
            yield env.timeout(random.expovariate(load))
            if pool.enter("f", env.now):
                env.process(call())

    env.process(callers())
    env.run()
    loss = load**servers / math.factorial(servers) / sum(load**k / math.factorial(k) for k in range(servers + 1))
    assert pool.refused["f"] / asked == pytest.approx(loss, rel=0.12)


def test_what_is_set_aside_is_nobody_elses_and_no_more() -> None:
    pool = Pool(replace(WIDE, concurrency=10, scaling=Rate(1e6, 1e6)), {"api": 3})
    assert [pool.enter("charge", 0) for _ in range(8)] == [True] * 7 + [False]
    assert [pool.enter("api", 0) for _ in range(4)] == [True] * 3 + [False]
    pool.leave("charge")
    assert pool.enter("charge", 0)


def test_a_function_grows_by_a_thousand_environments_and_then_a_hundred_a_second() -> None:
    pool = Pool(replace(WIDE, concurrency=5000))
    assert sum(pool.enter("f", 0.0) for _ in range(3000)) == 1000
    assert sum(pool.enter("f", 2.0) for _ in range(3000)) == 200


# --- The whole system ------------------------------------------------------------------------------------------------


def test_littles_law_holds_for_executions() -> None:
    outcome = steady(40, seconds=60, durations=Durations(), tail=5)
    series = outcome.series
    inside = [
        started - ended
        for second, started, ended in zip(series["second"], series["started"], series["ended"], strict=True)
        if 5 < second < 60
    ]
    stay = outcome.to_end["mean"] - outcome.to_start["mean"]
    assert sum(inside) / len(inside) == pytest.approx(outcome.accepted / 60 * stay, rel=0.08)


def test_an_order_takes_the_transitions_the_definition_says() -> None:
    costs = {(cost.failed, *cost.errors): cost for cost in path_costs(Machine().definition)}
    good = steady(20, seconds=5)
    assert good.used["transitions"] == good.accepted * costs["",].transitions
    assert good.used["calls"] == pytest.approx(good.accepted * (costs["",].calls + 1), rel=0.2)
    refused = steady(20, seconds=5, gateway=Gateway(refused=1.0))
    assert refused.used["transitions"] == refused.accepted * costs["CobrarPagamento", "CartaoRecusadoError"].transitions
    assert set(refused.ends) == {"FALHOU_COMPENSADO"}


def test_the_time_of_an_order_is_the_sum_of_its_steps() -> None:
    outcome = steady(5)
    forward = sum(EXACT.steps[step] for step in FORWARD) + EXACT.gateway
    assert outcome.to_end["p50"] - outcome.to_start["p50"] == pytest.approx(forward, abs=0.01)


@pytest.mark.parametrize("pace", [40, 90])
def test_a_backlog_starts_at_the_starters_pace(pace: int) -> None:
    settings = replace(OPEN_DOOR, inicios_por_segundo=pace)
    outcome = steady(0.001, seconds=1, backlog=2000, settings=settings)
    # Every starter begins its first batch at once; the pace holds for what follows.
    first = settings.concorrencia_maxima_iniciador * 10
    assert outcome.to_start["max"] == pytest.approx((2000 - first) / pace, rel=0.08)
    assert outcome.ends == {CONFIRMED: outcome.accepted}


def test_starters_that_are_not_paced_are_as_quick_as_their_batches() -> None:
    outcome = steady(0.001, seconds=1, backlog=2000)
    rate = OPEN_DOOR.concorrencia_maxima_iniciador * 10 / EXACT.batch(10)
    assert outcome.to_start["max"] == pytest.approx(2000 / rate, rel=0.1)


def test_a_bucket_of_starts_empties_and_refuses_what_comes_faster() -> None:
    outcome = steady(0.001, seconds=1, backlog=3000, quotas=replace(WIDE, starts=Rate(100, 1000)))
    rate = OPEN_DOOR.concorrencia_maxima_iniciador * 10 / EXACT.batch(10)
    # The second half of the starters comes a second after the first.
    assert outcome.first_refusal["StartExecution"] == pytest.approx(1000 / (rate - 100), abs=1.1)
    assert outcome.ends == {CONFIRMED: outcome.accepted}


@pytest.mark.parametrize(("share", "refused"), [(0.85, False), (1.25, True)])
def test_one_items_orders_follow_the_law_of_its_size(share: float, refused: bool) -> None:
    law = item_orders(open_seconds(EXACT))
    outcome = steady(share * law, seconds=12, skus=Skus(on_sale=1.0), tail=0)
    assert ("one SKU's item" in outcome.refusals) is refused
    if not refused:
        mean = (EMPTY_SKU_BYTES + ENTRY_BYTES * law * share * open_seconds(EXACT)) / KB
        assert mean < outcome.peaks["largest item, KB"] < 1.7 * mean


def test_spreading_a_skus_stock_over_items_multiplies_what_it_takes() -> None:
    law = item_orders(open_seconds(EXACT))
    outcome = steady(1.25 * law, seconds=12, skus=Skus(on_sale=1.0), shards=4)
    assert "one SKU's item" not in outcome.refusals


@pytest.mark.parametrize(("share", "refused"), [(0.7, False), (1.6, True)])
def test_concurrency_is_what_little_says(share: float, refused: bool) -> None:
    quotas: Quotas = replace(WIDE, concurrency=100)
    outcome = steady(share * 100 / function_seconds(EXACT), seconds=10, quotas=quotas, tail=0)
    assert ("Lambda concurrency" in outcome.refusals) is refused


def test_a_silent_gateway_ends_in_refunds_not_in_lost_money() -> None:
    outcome = steady(5, seconds=10, gateway=Gateway(refused=0.0, silent=0.5), tail=4000)
    assert sum(outcome.ends.values()) == outcome.accepted
    assert set(outcome.ends) <= {CONFIRMED, "FALHOU_COMPENSADO"}
    assert outcome.ends[CONFIRMED] > 0.9 * outcome.accepted


def test_a_run_is_the_same_run_again() -> None:
    again = [steady(30, seconds=5, durations=Durations(), gateway=Gateway(silent=0.1)).as_json() for _ in range(2)]
    assert again[0] == again[1]


# --- Demand ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("orders", [3_200, 1_000_000])
def test_a_day_has_its_orders_and_its_peak(orders: int) -> None:
    day = Day(orders, width=60)
    rates = [day.rate(second) for second in range(DAY)]
    assert sum(rates) == pytest.approx(orders, rel=1e-3)
    assert max(rates) == pytest.approx(20 * orders / DAY, rel=1e-6)
    assert rates.index(max(rates)) == SALE
    assert min(rates) > 0


def test_arrivals_follow_the_rate() -> None:
    day = Day(10_000, width=600)
    times = list(arrivals(day.rate, day.highest, DAY, Random(3)))  # noqa: S311 - a simulation
    assert len(times) == pytest.approx(10_000, rel=0.04)
    sale = sum(SALE - 300 < time < SALE + 300 for time in times)
    assert sale == pytest.approx(sum(day.rate(second) for second in range(SALE - 300, SALE + 300)), rel=0.1)


def test_skus_follow_zipf_and_the_one_on_sale_its_share() -> None:
    random = Random(5)  # noqa: S311 - a simulation
    skus = Skus(count=1000, on_sale=0.25)
    drawn = [skus.draw(random) for _ in range(40_000)]
    harmonic = sum(1 / rank for rank in range(1, 1001))
    assert drawn.count(0) / 40_000 == pytest.approx(0.25, rel=0.05)
    assert drawn.count(1) / 40_000 == pytest.approx(0.75 / harmonic, rel=0.08)
    assert drawn.count(2) / drawn.count(4) == pytest.approx(2, rel=0.15)
    assert Skus(count=1000).hottest == pytest.approx(1 / harmonic)


# --- The queue, and who looks after it -------------------------------------------------------------------------------


def test_an_order_that_only_waits_in_a_long_queue_starts_at_last() -> None:
    """A pace of one a second, and so many orders that the last waits for forty minutes, eight rounds."""
    settings = replace(OPEN_DOOR, inicios_por_segundo=1, concorrencia_maxima_iniciador=2)
    outcome = steady(0.001, seconds=1, backlog=2400, settings=settings, tail=4 * 3600)
    assert outcome.to_start["max"] > 2300
    assert outcome.ends == {CONFIRMED: outcome.accepted}
    assert 0 < outcome.used["resends"] <= 2 * outcome.accepted, "after 2 minutes and 10 more"
    # Whom the reconciler gives up never starts, though its message is still in the queue.
    hasty = replace(settings, espera_inicio_segundos=1)
    outcome = steady(0.001, seconds=1, backlog=2400, settings=hasty, tail=4 * 3600)
    people = outcome.ends["waits for a person"]
    assert people == outcome.used["cases of waiting orders"] > 0
    assert outcome.ends[CONFIRMED] + people == outcome.accepted


def test_starters_that_are_stopped_start_nothing_until_they_are_let_go_on() -> None:
    outcome = steady(20, seconds=20, stopped=(5.0, 15.0))
    assert 9 < outcome.to_start["max"] <= 11
    assert outcome.ends == {CONFIRMED: outcome.accepted}


def test_clients_refused_at_the_door_try_again_and_some_give_up() -> None:
    settings = replace(OPEN_DOOR, requisicoes_por_segundo=20, rajada_de_requisicoes=20)
    outcome = steady(40, seconds=30, settings=settings)
    assert outcome.offered == outcome.accepted + outcome.lost
    assert outcome.lost > 0
    # What is taken is the throttle's rate over the time clients keep trying.
    assert outcome.accepted <= 20 + 20 * outcome.seconds
    assert outcome.refusals["API throttle"] >= 6 * outcome.lost
