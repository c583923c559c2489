"""The whole system in one simulation: the shared resources, what is counted, and the run itself."""

from __future__ import annotations

from collections import Counter, defaultdict
from random import Random
from typing import TYPE_CHECKING

import simpy

from tests.scale.entry import Entry
from tests.scale.items import KB
from tests.scale.machine import Machine
from tests.scale.resources import Bucket, Item, Pool
from tests.scale.saga import CONFIRMED, Saga
from tests.scale.scenario import Outcome

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable

    from tests.scale.scenario import Order, Scenario

__all__ = ["World", "simulate"]

UNDER_WAY = "under way"
_SAMPLES = 400
"""Points of a series."""


class World:
    """What every part of the system shares.

    Attributes:
        scenario: what is asked.
        env: the simulation's clock and events.
        random: the run's chances.
        pool: Lambda.
        starts: StartExecution's tokens.
        transitions: state transitions' tokens.
        gateway: the payment gateway's tokens, None where it takes whatever comes.
        indexes: partitions of the orders' index ``pendentes``, by status.
        items: the stock's items, by SKU and shard.
        used: what is paid for.
        orders: all that were accepted.
    """

    def __init__(self, scenario: Scenario) -> None:
        quotas = scenario.quotas
        self.scenario = scenario
        self.env = simpy.Environment()
        self.random = Random(scenario.seed)  # noqa: S311 - a simulation
        self.pool = Pool(quotas, scenario.reserved)
        self.starts = Bucket(quotas.starts)
        self.transitions = Bucket(quotas.transitions)
        self.gateway = None if scenario.gateway.rate is None else Bucket(scenario.gateway.rate)
        self.indexes = defaultdict[str, Bucket](lambda: Bucket(quotas.partition))
        self.items = defaultdict[int, Item](lambda: Item(Bucket(quotas.partition)))
        self.used = defaultdict[str, float](float)
        self.orders: list[Order] = []
        self.running = 0

    def item_of_new_order(self) -> int:
        """The item that the next order reserves from: its SKU's, any shard of it."""
        shards = self.scenario.shards
        return self.scenario.skus.draw(self.random) * shards + (self.random.randrange(shards) if shards > 1 else 0)

    def limits(self) -> dict[str, Bucket | Pool]:
        """The limits there is one of, by name."""
        named: dict[str, Bucket | Pool] = {
            "Lambda concurrency": self.pool,
            "StartExecution": self.starts,
            "state transitions": self.transitions,
        }
        if self.gateway is not None:
            named["payment gateway"] = self.gateway
        if self.items:
            # One item at most is in trouble first; the others never are.
            named["one SKU's item"] = max(
                (item.bucket for item in self.items.values()), key=lambda bucket: bucket.refused
            )
        return named | {f"index pendentes, {status}": bucket for status, bucket in self.indexes.items()}


def simulate(scenario: Scenario, machine: Machine | None = None) -> Outcome:
    """Run a scenario to its last order's end, or to the end of its time."""
    world = World(scenario)
    saga = Saga(world, machine or Machine())
    entry = Entry(world, saga)
    outcome = Outcome(scenario.title)
    over = world.env.process(_watch(world, entry, outcome))
    entry.begin()
    world.env.run(until=over)
    _close(world, entry, outcome)
    return outcome


def _watch(world: World, entry: Entry, outcome: Outcome) -> Generator[simpy.Event]:
    """Look every so often, until all is over."""
    scenario = world.scenario
    last = scenario.seconds + scenario.tail
    pause = last / _SAMPLES
    series: dict[str, list[float]] = defaultdict(list)
    while world.env.now < last:
        hottest = max(world.items.values(), key=lambda item: item.size, default=None)
        for name, value in (
            ("second", world.env.now),
            ("offered", entry.offered),
            ("accepted", len(world.orders)),
            ("started", entry.started),
            ("ended", entry.started - world.running),
            ("waiting", len(entry.unstarted)),
            ("concurrency", world.pool.total),
            ("item_kb", hottest.size / KB if hottest is not None else 0.0),
        ):
            series[name].append(round(value, 2))
        if world.env.now > scenario.seconds and not (entry.at_the_door or entry.unstarted or world.running):
            break
        yield world.env.timeout(pause)
    outcome.series = dict(series)


def _close(world: World, entry: Entry, outcome: Outcome) -> None:
    outcome.seconds = round(world.env.now, 1)
    outcome.offered, outcome.lost, outcome.accepted = entry.offered, entry.lost, len(world.orders)
    outcome.ends = dict(Counter(order.end or UNDER_WAY for order in world.orders).most_common())
    for name, limit in (world.limits() | {"API throttle": entry.door}).items():
        refused = limit.refused.total() if isinstance(limit, Pool) else limit.refused
        if refused and limit.first_refused is not None:
            outcome.refusals[name] = refused
            outcome.first_refusal[name] = round(limit.first_refused, 1)
    outcome.peaks = {
        "Lambda executions at once": world.pool.peak,
        "orders waiting to start": max(outcome.series["waiting"], default=0.0),
        "largest item, KB": round(max((item.peak for item in world.items.values()), default=0) / KB, 1),
    }
    outcome.to_start = _quantiles(order.started - order.accepted for order in world.orders if order.started is not None)
    outcome.to_end = _quantiles(
        order.ended - order.accepted for order in world.orders if order.ended is not None and order.end == CONFIRMED
    )
    outcome.used = {name: round(value, 1) for name, value in sorted(world.used.items())}


def _quantiles(seconds: Iterable[float]) -> dict[str, float]:
    """Mean, p50, p99 and the longest; nothing of nothing."""
    ordered = sorted(seconds)
    if not ordered:
        return {}
    return {
        "mean": round(sum(ordered) / len(ordered), 3),
        "p50": round(ordered[len(ordered) // 2], 2),
        "p99": round(ordered[min(len(ordered) * 99 // 100, len(ordered) - 1)], 2),
        "max": round(ordered[-1], 2),
    }
