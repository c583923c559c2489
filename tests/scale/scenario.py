"""What the model is asked: a demand, the stack's settings, AWS's quotas, a gateway, and what goes wrong."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from infra.config import Settings
from tests.scale.demand import Skus
from tests.scale.durations import Durations
from tests.scale.limits import US_EAST_1

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.scale.limits import Quotas, Rate

__all__ = ["DEFAULTS", "Gateway", "Order", "Outcome", "Scenario"]

DEFAULTS = Settings(stack="prod", gateway_url="https://gateway.invalid")
"""The settings a stack has that sets nothing."""


@dataclass(frozen=True)
class Gateway:
    """The payment gateway as customers know it.

    Attributes:
        rate: requests it takes; None for as many as come.
        silent: share of requests that get no answer before the client's timeout; half of such charges are made.
        refused: share of cards that it refuses.
        down: from which second to which it answers nobody, and does nothing.
    """

    rate: Rate | None = None
    silent: float = 0.0
    refused: float = 0.05
    down: tuple[float, float] | None = None


@dataclass(frozen=True)
class Scenario:
    """One run of the model.

    Attributes:
        title: for people.
        rate: orders a second at a second from the run's beginning.
        highest: no less than any of those.
        seconds: how long orders come.
        settings: the stack's.
        quotas: AWS's.
        durations: how long things take.
        gateway: the payment gateway.
        skus: which SKU an order is for.
        shards: over how many items the stock of a SKU is spread.
        polls: GETs of a client that follows its order.
        reserved: concurrency set aside, by function.
        backlog: orders that wait in the queue when the run begins, besides those that come.
        stopped: from which second to which the event source mapping is switched off.
        tail: the longest the run goes on after the last order came, seconds.
        seed: of all its chances.
    """

    title: str
    rate: Callable[[float], float]
    highest: float
    seconds: float
    settings: Settings = DEFAULTS
    quotas: Quotas = US_EAST_1
    durations: Durations = field(default_factory=Durations)
    gateway: Gateway = field(default_factory=Gateway)
    skus: Skus = field(default_factory=Skus)
    shards: int = 1
    polls: float = 3
    reserved: Mapping[str, int] = field(default_factory=dict[str, int])
    backlog: int = 0
    stopped: tuple[float, float] | None = None
    tail: float = 1800
    seed: int = 1


class Order:
    """One order on its way: what the tables and the gateway know of it. Times are seconds of the run."""

    __slots__ = (
        "accepted",
        "charged",
        "end",
        "ended",
        "item",
        "refused",
        "resends",
        "resent",
        "reserved",
        "started",
        "tried",
        "undoing",
    )

    def __init__(self, accepted: float, *, item: int, refused: bool) -> None:
        self.accepted = accepted
        self.item = item
        self.refused = refused
        self.charged = self.reserved = self.undoing = False
        self.tried: float | None = None
        self.started: float | None = None
        self.ended: float | None = None
        self.end: str | None = None
        self.resends = 0
        self.resent = accepted


@dataclass
class Outcome:
    """What a run showed.

    Attributes:
        title: the scenario's.
        seconds: how long it ran, all ends included.
        offered: orders clients wanted to place.
        lost: those that gave up on being refused at the door.
        accepted: those that were answered 202, backlog included.
        ends: accepted orders by how they ended; ``em andamento`` where they had not.
        refusals: attempts that a limit refused or held back, by limit.
        first_refusal: second of the run at which each limit first did.
        peaks: the most of what was seen at once.
        to_start: seconds from accepted to started: mean, p50, p99, and the longest.
        to_end: the same to the end, of confirmed orders.
        used: what is paid for: transitions, calls, write units...
        series: what was seen every so often.
    """

    title: str
    seconds: float = 0.0
    offered: int = 0
    lost: int = 0
    accepted: int = 0
    ends: dict[str, int] = field(default_factory=dict[str, int])
    refusals: dict[str, int] = field(default_factory=dict[str, int])
    first_refusal: dict[str, float] = field(default_factory=dict[str, float])
    peaks: dict[str, float] = field(default_factory=dict[str, float])
    to_start: dict[str, float] = field(default_factory=dict[str, float])
    to_end: dict[str, float] = field(default_factory=dict[str, float])
    used: dict[str, float] = field(default_factory=dict[str, float])
    series: dict[str, list[float]] = field(default_factory=dict[str, list[float]])

    def as_json(self) -> dict[str, Any]:
        """As data, but for the series."""
        return {name: value for name, value in vars(self).items() if name != "series"}
