"""What runs out: token buckets, Lambda's concurrency, and the capacity of one item. All of it refuses at once.

AWS throttles; it queues next to nothing. Whoever is refused decides when to try again, and that is in the model.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tests.scale.items import EMPTY_SKU_BYTES, write_units

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.scale.limits import Quotas, Rate

__all__ = ["Bucket", "Item", "Pool"]


class Bucket:
    """A token bucket, full at the start."""

    def __init__(self, rate: Rate) -> None:
        self.rate = rate
        self.refused = 0
        self.first_refused: float | None = None
        self._tokens = float(rate.burst)
        self._at = 0.0

    def take(self, now: float, tokens: float = 1) -> bool:
        """Take that many at ``now``, seconds; False, and nothing taken, when there are fewer."""
        self._refill(now)
        if self._tokens < tokens:
            self._refuse(now)
            return False
        self._tokens -= tokens
        return True

    def delay(self, now: float) -> float:
        """Take one, on credit if need be; seconds until it is there: throttled transitions wait in line."""
        self._refill(now)
        self._tokens -= 1
        if self._tokens >= 0:
            return 0.0
        self._refuse(now)
        return -self._tokens / self.rate.per_second

    def _refuse(self, now: float) -> None:
        self.refused += 1
        if self.first_refused is None:
            self.first_refused = now

    def _refill(self, now: float) -> None:
        self._tokens = min(self.rate.burst, self._tokens + (now - self._at) * self.rate.per_second)
        self._at = now


class Pool:
    """Lambda executions at once: the account's, what is set aside for a function, and how quickly one grows."""

    def __init__(self, quotas: Quotas, reserved: Mapping[str, int] | None = None) -> None:
        self.reserved = reserved or {}
        self.refused: Counter[str] = Counter()
        self.first_refused: float | None = None
        self.running: Counter[str] = Counter()
        self.total = 0
        self.peak = 0
        self._quotas = quotas
        self._shared = quotas.concurrency - sum(self.reserved.values())
        self._unreserved = 0
        self._environments: Counter[str] = Counter()
        self._growth: dict[str, Bucket] = {}

    def enter(self, function: str, now: float) -> bool:
        """Begin an execution; False when there is no room for it."""
        if not (self._has_room(function) and self._has_environment(function, now)):
            self.refused[function] += 1
            if self.first_refused is None:
                self.first_refused = now
            return False
        self.running[function] += 1
        self._unreserved += function not in self.reserved
        self.total += 1
        self.peak = max(self.peak, self.total)
        return True

    def leave(self, function: str) -> None:
        """End an execution."""
        self.running[function] -= 1
        self._unreserved -= function not in self.reserved
        self.total -= 1

    def _has_room(self, function: str) -> bool:
        if function in self.reserved:
            return self.running[function] < self.reserved[function]
        return self._unreserved < self._shared

    def _has_environment(self, function: str, now: float) -> bool:
        if self.running[function] < self._environments[function]:
            return True
        growth = self._growth.setdefault(function, Bucket(self._quotas.scaling))
        if not growth.take(now):
            return False
        self._environments[function] += 1
        return True


@dataclass
class Item:
    """One SKU's item and the partition it is alone on at best (adaptive capacity isolates a hot item).

    Attributes:
        bucket: the partition's write units.
        size: bytes, reservations and tombstones included.
        peak: the largest it has been.
    """

    bucket: Bucket
    size: int = EMPTY_SKU_BYTES
    peak: int = field(default=EMPTY_SKU_BYTES)

    def write(self, now: float, change: int) -> bool:
        """One UpdateItem that changes the size by ``change`` bytes; False when throttled.

        The larger of the sizes before and after is billed, whatever the change.
        """
        if not self.bucket.take(now, self.units(change)):
            return False
        self.size += change
        self.peak = max(self.peak, self.size)
        return True

    def units(self, change: int) -> int:
        """What such a write costs."""
        return write_units(max(self.size, self.size + change))
