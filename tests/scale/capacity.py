"""How many orders a second each limit allows, by arithmetic: what to read first, and to hold the simulation against.

Each line says what one order takes of one limit. The smallest is the system's own capacity.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from handlers.domain.status import Etapa
from infra.config import LOTE_DO_INICIADOR
from tests.scale.items import EMPTY_SKU_BYTES, ENTRY_BYTES, KB, write_units

if TYPE_CHECKING:
    from tests.scale.durations import Durations
    from tests.scale.scenario import Scenario

__all__ = ["FORWARD", "Capacity", "capacities", "function_seconds", "item_orders", "mean", "open_seconds"]

FORWARD: Final = (Etapa.RESERVAR_ESTOQUE, Etapa.COBRAR_PAGAMENTO, Etapa.CONFIRMAR_PEDIDO, Etapa.EFETIVAR_RESERVA)
"""The states of an order that goes well."""
TABLE_WRITES: Final = 5
"""Writes of the order's row on the way forward: accepted, charging, charged, confirmed, settled."""
INDEX_WRITES: Final = 2
"""Into each partition of ``pendentes`` an order passes through: it is put in and taken out."""
ITEM_WRITES: Final = 2
"""Of the SKU's item: reserved and settled, or reserved and released."""
NEW_TABLE_UNITS: Final = 4000


@dataclass(frozen=True)
class Capacity:
    """One limit.

    Attributes:
        limit: which.
        per_order: what an order takes of it, in words.
        orders: orders a second it allows.
        ours: whether it is a setting of the stack rather than a quota.
    """

    limit: str
    per_order: str
    orders: float
    ours: bool = False


def mean(median: float, spread: float) -> float:
    """Mean of a lognormal law of that median and sigma."""
    return median * math.exp(spread**2 / 2)


def function_seconds(durations: Durations, gateway: float | None = None) -> float:
    """Mean seconds of function one order takes, from the POST to its end.

    Args:
        durations: how long things take.
        gateway: seconds the gateway takes, in the place of its usual ones.
    """
    spread = durations.spread
    starter = mean(durations.batch(LOTE_DO_INICIADOR), spread) / LOTE_DO_INICIADOR
    steps = sum(mean(durations.steps[step], spread) for step in FORWARD)
    return (
        mean(durations.api, spread)
        + starter
        + steps
        + (mean(durations.gateway, spread) if gateway is None else gateway)
    )


def open_seconds(durations: Durations) -> float:
    """Mean seconds a reservation is open: from its write to its being settled."""
    steps = sum(mean(durations.steps[step], durations.spread) for step in FORWARD[1:])
    return steps + mean(durations.gateway, durations.spread)


def item_orders(seconds: float, *, units: float = 1000, shards: int = 1) -> float:
    """Orders a second that the items of one SKU take, when a reservation is open for so long.

    Each order writes its item twice, and each write is billed by the whole item: the open reservations of all others
    in it. With r orders a second open for T seconds there are rT of them (Little), so 2r ceil((35 + 39rT)/1024) may be
    1,000 at most: beyond some kilobytes the capacity falls with the square root of T.
    """
    low, high = 0.0, units / ITEM_WRITES
    for _ in range(60):
        rate = (low + high) / 2
        size = EMPTY_SKU_BYTES + ENTRY_BYTES * rate * seconds
        low, high = (rate, high) if ITEM_WRITES * rate * write_units(math.ceil(size)) <= units else (low, rate)
    return shards * low


def reservations_in(kilobytes: float) -> int:
    """Open reservations an item of that size holds."""
    return int((kilobytes * KB - EMPTY_SKU_BYTES) / ENTRY_BYTES)


def capacities(scenario: Scenario) -> list[Capacity]:
    """Every limit, the tightest first."""
    settings, quotas, durations = scenario.settings, scenario.quotas, scenario.durations
    requests = 1 + scenario.polls
    share = scenario.skus.hottest
    seconds = open_seconds(durations)
    batch = mean(durations.batch(LOTE_DO_INICIADOR), durations.spread)
    found = [
        Capacity(
            "API throttle (`requisicoesPorSegundo`)",
            f"a POST and {scenario.polls:g} GETs",
            settings.requisicoes_por_segundo / requests,
            ours=True,
        ),
        Capacity("starters' pace (`iniciosPorSegundo`)", "a start", settings.inicios_por_segundo, ours=True),
        Capacity(
            "starters at once (`concorrenciaMaximaIniciador`)",
            f"a tenth of a batch of {batch:.2f} s",
            settings.concorrencia_maxima_iniciador * LOTE_DO_INICIADOR / batch,
            ours=True,
        ),
        Capacity("StartExecution", "one", quotas.starts.per_second),
        Capacity("state transitions", f"{len(FORWARD)}", quotas.transitions.per_second / len(FORWARD)),
        Capacity(
            "Lambda concurrency",
            f"{function_seconds(durations):.2f} s of function",
            quotas.concurrency / function_seconds(durations),
        ),
        Capacity(
            "Lambda concurrency, every charge unanswered",
            f"{function_seconds(durations, durations.gateway_timeout):.1f} s of function, retries aside",
            quotas.concurrency / function_seconds(durations, durations.gateway_timeout),
        ),
        Capacity(
            "one partition of index `pendentes`", f"{INDEX_WRITES} writes", quotas.partition.per_second / INDEX_WRITES
        ),
        Capacity("`cesta-pedidos`, new and on demand", f"{TABLE_WRITES} writes", NEW_TABLE_UNITS / TABLE_WRITES),
        Capacity(
            "one SKU's item, if everybody buys it",
            f"{ITEM_WRITES} writes, open {seconds:.2f} s",
            item_orders(seconds, units=quotas.partition.per_second, shards=scenario.shards),
        ),
        Capacity(
            f"one SKU's item, with {share:.0%} of the orders",
            f"{ITEM_WRITES} writes, open {seconds:.2f} s",
            item_orders(seconds, units=quotas.partition.per_second, shards=scenario.shards) / share,
        ),
    ]
    if scenario.gateway.rate is not None:
        found.append(Capacity("payment gateway", "a charge", scenario.gateway.rate.per_second))
    return sorted(found, key=lambda capacity: capacity.orders)
