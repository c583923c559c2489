"""The compiled definition, read for what the model needs of it: what follows what, who tries again, and after how long.

Nothing of the saga is written here a second time: a change of a retry, an arrow or a limit changes the model.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from handlers.domain.status import Etapa
from infra.saga.asl import catcher_for, retrier_for
from infra.sagas.pedido import AjustesDaSaga, Recursos, compilar

if TYPE_CHECKING:
    from collections.abc import Mapping
    from random import Random

    from infra.saga.asl import Definition

__all__ = ["Machine", "Retrier"]

_ANYTHING = Recursos(
    funcoes={etapa.value: f"arn:aws:lambda:us-east-1:111122223333:function:{etapa.value}" for etapa in Etapa},
    tabela_pedidos="cesta-pedidos",
    fila_humana_url="https://sqs.us-east-1.amazonaws.com/111122223333/cesta-compensacao-falhou",
)


@dataclass(frozen=True)
class Retrier:
    """One retrier of a state; each counts its own attempts.

    Attributes:
        place: which of the state's it is.
        attempts: the most it makes.
        interval: seconds before the first.
        backoff: factor from one wait to the next.
        longest: the longest wait, seconds.
        jitter: whether the wait is anything from 0 to that.
    """

    place: int
    attempts: int
    interval: float
    backoff: float
    longest: float
    jitter: bool

    def wait(self, made: int, random: Random) -> float:
        """Seconds before the next attempt, when it has made that many."""
        seconds = min(self.interval * self.backoff**made, self.longest)
        return random.uniform(0, seconds) if self.jitter else seconds


class Machine:
    """A definition and its answers.

    Args:
        definition: as compiled; ours with its defaults where none is given.
    """

    def __init__(self, definition: Definition | None = None) -> None:
        self.definition = definition if definition is not None else compilar(AjustesDaSaga(), _ANYTHING)
        self.states: Mapping[str, Mapping[str, Any]] = self.definition["States"]
        self.start: str = self.definition["StartAt"]
        self.following: Mapping[str, str | None] = {name: state.get("Next") for name, state in self.states.items()}
        self.retrier = cache(self._retrier)
        self.caught = cache(self._caught)

    def _retrier(self, state: str, error: str) -> Retrier | None:
        found = retrier_for(self.states[state], error)
        if found is None or found.get("MaxAttempts", 3) == 0:
            return None
        return Retrier(
            place=self.states[state]["Retry"].index(found),
            attempts=int(found.get("MaxAttempts", 3)),
            interval=float(found.get("IntervalSeconds", 1)),
            backoff=float(found.get("BackoffRate", 2.0)),
            longest=float(found.get("MaxDelaySeconds", float("inf"))),
            jitter=found.get("JitterStrategy") == "FULL",
        )

    def _caught(self, state: str, error: str) -> str | None:
        found = catcher_for(self.states[state], error)
        return None if found is None else found["Next"]
