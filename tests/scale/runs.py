"""The questions put to the model, and their answers as data."""

from __future__ import annotations

import json
import math
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from infra.config import LOTE_DO_INICIADOR
from tests.scale.capacity import capacities, function_seconds, item_orders, mean, open_seconds
from tests.scale.demand import DAY, SALE, Day, Skus
from tests.scale.entry import API
from tests.scale.items import EMPTY_SKU_BYTES, ENTRY_BYTES, KB
from tests.scale.limits import OTHER_REGIONS, US_EAST_1, Rate
from tests.scale.money import ListPrices, bill
from tests.scale.scenario import DEFAULTS, Gateway, Scenario
from tests.scale.system import simulate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from infra.config import Settings
    from tests.scale.durations import Durations
    from tests.scale.scenario import Outcome

__all__ = [
    "BUSY_DAY",
    "OF_QUOTA",
    "SET_ASIDE",
    "TRANSACTIONS_PER_SECOND",
    "Advice",
    "advice",
    "kept",
    "scenarios",
    "study",
]

BUSY_DAY: Final = Day(orders=1_000_000)
"""The day 000 calls high scale, with a sale at eight: 231 orders a second at its height."""
VOLUMES: Final = (3_200, 100_000, 1_000_000)
_WINDOW: Final = 150
"""Seconds simulated before and after the sale's height."""
OF_QUOTA: Final = 0.9
"""The starters' pace, of what StartExecution allows: others in the account start executions too."""
_ROOM: Final = 1.2
_RETRIED: Final = 1.05
"""Charges per started execution, with what is tried again."""
SET_ASIDE: Final = 200
"""Executions the API keeps when a gateway hangs and charges take all others (`concorrenciaReservadaApi`)."""
_COMMON_GATEWAY: Final = Rate(100, 100)
_SALE_SHARE: Final = 0.75
_SHARDS: Final = 4
_DOWN: Final = (_WINDOW - 30, _WINDOW + 30)
_UNPACED: Final = 10_000
_STAYS: Final = (1, 6, 30, 120, 900)
"""Seconds: a slow gateway, one timeout, all of them, a bad day, the doubt window."""
TRANSACTIONS_PER_SECOND: Final = 250
"""With reservations as items of their own: two transactions an order, each two units on a SKU's item of 1 KB."""


@dataclass(frozen=True)
class Advice:
    """What to set, and to ask for, at a volume.

    Attributes:
        orders: a day.
        peak: orders a second at the sale's height.
        settings: the stack's.
        concurrency: Lambda executions at once to ask AWS for.
        gateway: requests a second the gateway must take.
        sale_share: the largest share of all orders that one SKU may have at the peak, unsharded.
    """

    orders: int
    peak: float
    settings: Settings
    concurrency: int
    gateway: int
    sale_share: float


def advice(orders: int, durations: Durations, *, polls: float, starts: float = US_EAST_1.starts.per_second) -> Advice:
    """What a day of so many orders with a sale of 20 times its mean rate needs.

    Args:
        orders: a day.
        durations: how long things take.
        polls: GETs of a client that follows its order.
        starts: executions a second that the region's quota allows.
    """
    peak = replace(BUSY_DAY, orders=orders).highest
    pace = min(max(DEFAULTS.inicios_por_segundo, math.ceil(_ROOM * peak)), int(OF_QUOTA * starts))
    batch = mean(durations.batch(LOTE_DO_INICIADOR), durations.spread)
    starters = max(DEFAULTS.concorrencia_maxima_iniciador, math.ceil(_ROOM * pace * batch / LOTE_DO_INICIADOR))
    requests = max(DEFAULTS.requisicoes_por_segundo, _rounded(_ROOM * peak * (1 + polls), 100))
    # A minute without the gateway: every order in it takes all its attempts' timeouts.
    unanswered = function_seconds(durations, durations.gateway_timeout)
    return Advice(
        orders=orders,
        peak=round(peak, 2),
        settings=replace(
            DEFAULTS,
            requisicoes_por_segundo=requests,
            rajada_de_requisicoes=min(2 * requests, 5000),
            inicios_por_segundo=pace,
            concorrencia_maxima_iniciador=starters,
        ),
        concurrency=max(1000, _rounded(_ROOM * peak * unanswered, 500)),
        gateway=_rounded(_RETRIED * pace, 10),
        sale_share=min(item_orders(open_seconds(durations)) / (_ROOM * peak), 1.0),
    )


def _rounded(value: float, step: int) -> int:
    return math.ceil(value / step) * step


def scenarios(durations: Durations) -> dict[str, Scenario]:
    """Every run, by a short name."""
    base = Scenario(
        title="",
        rate=partial(_window, BUSY_DAY),
        highest=BUSY_DAY.highest,
        seconds=2 * _WINDOW,
        durations=durations,
        seed=20261201,
    )
    told = advice(BUSY_DAY.orders, durations, polls=base.polls)
    ready = replace(
        base,
        settings=told.settings,
        quotas=replace(US_EAST_1, concurrency=told.concurrency),
        gateway=Gateway(rate=Rate(told.gateway, told.gateway), silent=0.02),
        reserved={API: SET_ASIDE},
    )
    south = advice(BUSY_DAY.orders, durations, polls=base.polls, starts=OTHER_REGIONS.starts.per_second)
    on_sale = replace(ready, skus=Skus(on_sale=_SALE_SHARE))
    backlog = replace(
        base,
        rate=partial(_flat, 1.0),
        highest=1.0,
        seconds=1.0,
        polls=0,
        backlog=5000,
        gateway=Gateway(rate=_COMMON_GATEWAY),
    )
    return {
        "defaults": replace(base, title="the sale, default settings", gateway=Gateway(silent=0.02)),
        "ready-0": replace(
            ready, title="the sale, as advised, 0 % unanswered", gateway=replace(ready.gateway, silent=0.0)
        ),
        "ready-2": replace(ready, title="the sale, as advised, 2 % unanswered"),
        "ready-10": replace(
            ready, title="the sale, as advised, 10 % unanswered", gateway=replace(ready.gateway, silent=0.1)
        ),
        "south": replace(
            ready,
            title="the same in São Paulo's quotas",
            settings=south.settings,
            quotas=replace(OTHER_REGIONS, concurrency=told.concurrency),
        ),
        "common-gateway": replace(
            ready,
            title="the same, gateway of 100 requests/s, default pace",
            settings=replace(told.settings, inicios_por_segundo=DEFAULTS.inicios_por_segundo),
            gateway=Gateway(rate=_COMMON_GATEWAY, silent=0.02),
        ),
        "gateway-down": replace(
            ready,
            title="as advised, gateway down for a minute at the height",
            gateway=replace(ready.gateway, down=_DOWN),
        ),
        "gateway-down-stopped": replace(
            ready,
            title="the same, starters stopped from 15 s after it began until it was back",
            gateway=replace(ready.gateway, down=_DOWN),
            stopped=(_DOWN[0] + 15, _DOWN[1]),
        ),
        "one-sku-advised": replace(
            ready,
            title="as advised, one SKU with the share it may have",
            skus=Skus(on_sale=told.sale_share),
        ),
        "one-sku": replace(on_sale, title="as advised, three orders in four for one SKU"),
        "one-sku-sharded": replace(on_sale, title=f"the same, its stock in {_SHARDS} items", shards=_SHARDS),
        "backlog-unpaced": replace(
            backlog,
            title="5,000 messages waiting, gateway of 100 requests/s, starters not paced",
            settings=replace(DEFAULTS, inicios_por_segundo=_UNPACED),
        ),
        "backlog": replace(backlog, title="5,000 messages waiting, gateway of 100 requests/s, default pace"),
        "day": replace(
            ready,
            title="the whole day, a million orders, as advised",
            rate=BUSY_DAY.rate,
            seconds=DAY,
        ),
    }


def _window(day: Day, second: float) -> float:
    """Orders a second around the sale's height."""
    return day.rate(SALE - _WINDOW + second)


def _flat(rate: float, _second: float) -> float:
    return rate


def study(durations: Durations, *, processes: int, on_done: Callable[[str], None] = lambda _: None) -> dict[str, Any]:
    """Run everything, the longest first, on so many processes; what is kept in docs/scale-model.json."""
    asked = scenarios(durations)
    order = sorted(asked, key=lambda name: name != "day")
    with ProcessPoolExecutor(processes) as pool:
        running = {name: pool.submit(simulate, asked[name]) for name in order}
        outcomes: dict[str, Outcome] = {}
        for name in order:
            outcomes[name] = running[name].result()
            on_done(asked[name].title)
    day = outcomes["day"]
    dollars = bill(day.used, day.accepted, ListPrices())
    seconds = open_seconds(durations)
    return {
        "durations": vars(durations),
        "refused_cards": asked["day"].gateway.refused,
        "capacities": {
            name: [vars(capacity) for capacity in capacities(asked[name])] for name in ("defaults", "ready-2", "south")
        },
        "runs": {name: outcomes[name].as_json() for name in asked},
        "series": {"common-gateway": outcomes["common-gateway"].series},
        "dollars_per_million": dollars,
        "advice": [_told(advice(orders, durations, polls=asked["day"].polls), dollars) for orders in VOLUMES],
        "open_seconds": round(seconds, 2),
        "item_law": [_law(stay) for stay in (seconds, *_STAYS)],
        "transactions_from": _beaten_from(),
    }


def _law(seconds: float) -> dict[str, float]:
    """What one SKU takes when reservations stay open for so long."""
    orders = item_orders(seconds)
    return {
        "open_seconds": seconds,
        "orders": orders,
        "orders_4": item_orders(seconds, shards=_SHARDS),
        "kilobytes": (EMPTY_SKU_BYTES + ENTRY_BYTES * orders * seconds) / KB,
    }


def _beaten_from() -> float:
    """Seconds of stay from which reservations as items of their own take more than one item does."""
    low, high = 0.0, 60.0
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if item_orders(middle) > TRANSACTIONS_PER_SECOND else (low, middle)
    return round(low, 2)


def _told(each: Advice, dollars: Mapping[str, float]) -> dict[str, Any]:
    settings = each.settings
    return {
        "orders": each.orders,
        "peak": each.peak,
        "requisicoesPorSegundo": settings.requisicoes_por_segundo,
        "rajadaDeRequisicoes": settings.rajada_de_requisicoes,
        "iniciosPorSegundo": settings.inicios_por_segundo,
        "concorrenciaMaximaIniciador": settings.concorrencia_maxima_iniciador,
        "lambda_concurrency": each.concurrency,
        "gateway": each.gateway,
        "sale_share": round(each.sale_share, 3),
        "dollars_per_month": round(sum(dollars.values()) * each.orders * 30 / 1_000_000, 2),
    }


def kept(path: Path, data: Mapping[str, Any]) -> None:
    """Write results where people and the page find them."""
    path.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n")
