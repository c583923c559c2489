"""Who orders what, and when: a day with an evening and a sale in it, and SKUs of very unequal luck."""

from __future__ import annotations

import bisect
import math
from dataclasses import dataclass
from itertools import accumulate
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from random import Random

__all__ = ["DAY", "Day", "Skus", "arrivals"]

DAY: Final = 24 * 3600
SALE: Final = 20 * 3600
"""When the sale is at its height, and the evening too: eight o'clock."""
_EVENING: Final = 0.8
"""The evening is 1.8 times the day's mean, the small hours 0.2."""


@dataclass(frozen=True)
class Day:
    """A day of orders: a sine of 24 hours with its crest at 20:00, and on it a sale, a bell of `width`.

    Attributes:
        orders: of the whole day.
        peak: the highest rate over the day's mean rate.
        width: standard deviation of the sale's bell, seconds; two thirds of it come within one of its height.
    """

    orders: int
    peak: float = 20
    width: float = 60

    @property
    def mean(self) -> float:
        """Orders a second over the day."""
        return self.orders / DAY

    @property
    def highest(self) -> float:
        """Orders a second at the sale's height."""
        return self.peak * self.mean

    @property
    def sale_orders(self) -> float:
        """Orders of the sale itself, beyond the evening's."""
        return self._bell * self.width * math.sqrt(2 * math.pi)

    @property
    def _bell(self) -> float:
        # highest = bell + 1.8 base, and base * DAY + bell * area = orders.
        area = self.width * math.sqrt(2 * math.pi)
        return (self.highest - (1 + _EVENING) * self.mean) / (1 - (1 + _EVENING) * area / DAY)

    @property
    def _base(self) -> float:
        return (self.orders - self.sale_orders) / DAY

    def rate(self, second: float) -> float:
        """Orders a second at that second of the day."""
        daily = 1 + _EVENING * math.cos(2 * math.pi * (second - SALE) / DAY)
        return self._base * daily + self._bell * math.exp(-(((second - SALE) / self.width) ** 2) / 2)


class Skus:
    """Which SKU an order is for: a share for the one on sale, Zipf's law with exponent 1 for the rest.

    Args:
        count: how many there are beside the one on sale.
        on_sale: share of orders for SKU 0, 0 to 1; the rest follow Zipf over SKUs 1 to ``count``.
    """

    def __init__(self, count: int = 10_000, on_sale: float = 0.0) -> None:
        weights = list(accumulate(1 / rank for rank in range(1, count + 1)))
        self.on_sale = on_sale
        self.hottest = max(on_sale, (1 - on_sale) / weights[-1])
        self._weights = weights

    def draw(self, random: Random) -> int:
        """The SKU of one order."""
        if self.on_sale and random.random() < self.on_sale:
            return 0
        return 1 + bisect.bisect_left(self._weights, random.random() * self._weights[-1])


def arrivals(rate: Callable[[float], float], highest: float, until: float, random: Random) -> Iterator[float]:
    """Times of a Poisson process of that changing rate, from 0 to ``until``, by thinning.

    Args:
        rate: events a second at a second.
        highest: no less than any of those.
        until: seconds.
        random: where chance comes from.
    """
    now = 0.0
    while (now := now + random.expovariate(highest)) < until:
        if random.random() * highest < rate(now):
            yield now
