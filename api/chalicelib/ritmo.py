"""The starters' pace: a backlog reaches the saga, and the payment gateway behind it, no faster than they take it.

The queue is where orders wait well: for free, for days, in nobody's way. An execution that waits for a gateway that
is full holds stock, uses up its retries and is undone.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from handlers.domain.clock import Clock

__all__ = ["Ritmo"]


@dataclass(frozen=True)
class Ritmo:
    """How long a starter takes over each record at least.

    The event source mapping runs so many starters and no more, so that together they keep to so many records a
    second, whatever the queue holds and without knowing of each other.

    Attributes:
        segundos_por_inicio: seconds for each record.
        relogio: a clock that never goes back, in seconds.
        dormir: waits that many seconds.
    """

    segundos_por_inicio: float
    relogio: Clock = time.monotonic
    dormir: Callable[[float], object] = time.sleep

    @contextmanager
    def manter(self, quantos: int) -> Generator[None]:
        """Make the block last as long as ``quantos`` records are worth; what it does is done at once, then it waits."""
        comeco = self.relogio()
        yield
        resta = quantos * self.segundos_por_inicio - (self.relogio() - comeco)
        if resta > 0:
            self.dormir(resta)
