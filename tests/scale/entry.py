"""From a client to a started execution: the front door, the entry queue, the starter, and the reconciler behind it."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

from handlers.domain.reconciliation import ESPERAS_DE_INICIO, MAIS_REENVIOS
from handlers.domain.reconciliation_round import MAIS_PEDIDOS
from handlers.domain.status import Status
from infra.config import LOTE_DO_INICIADOR
from tests.scale.demand import arrivals
from tests.scale.durations import drawn
from tests.scale.limits import Rate
from tests.scale.resources import Bucket
from tests.scale.saga import PERSON
from tests.scale.scenario import Order

if TYPE_CHECKING:
    from collections.abc import Generator

    import simpy

    from tests.scale.saga import Saga
    from tests.scale.system import World

    Steps = Generator[simpy.Event, object, None]

__all__ = ["MAX_RECEIVES", "VISIBILITY_FACTOR", "Entry"]

MAX_RECEIVES: Final = 5
VISIBILITY_FACTOR: Final = 6
"""As the Pulumi program sets them; a test compares."""

API: Final = "api"
STARTER: Final = "iniciador"

_POLLERS_AT_FIRST: Final = 5
_POLLERS_PER_SECOND: Final = 5
"""Lambda feeds a queue's function five batches at once, and 300 more a minute."""
_PATIENCE: Final = 5
"""Assumed: a client refused at the door tries again after 1, 2, 4, 8, 16 s, and gives up."""


class Entry:
    """Everything before the saga.

    Attributes:
        offered: orders clients wanted to place.
        lost: those that gave up at the door.
        at_the_door: clients that are still trying.
        started: executions started.
        unstarted: accepted orders without an execution, oldest first.
        door: the API's own throttle.
    """

    def __init__(self, world: World, saga: Saga) -> None:
        settings = world.scenario.settings
        self.offered = self.lost = self.started = self.at_the_door = 0
        self.unstarted: dict[Order, None] = {}
        self.door = Bucket(Rate(settings.requisicoes_por_segundo, settings.rajada_de_requisicoes))
        self._world = world
        self._saga = saga
        self._env = world.env
        self._random = world.random
        self._durations = world.scenario.durations
        self._visibility = VISIBILITY_FACTOR * settings.lambda_segundos
        self._most = settings.concorrencia_maxima_iniciador
        self._pace = settings.segundos_por_inicio
        self._queue: deque[tuple[Order, int]] = deque()
        self._idle: deque[simpy.Event] = deque()

    def begin(self) -> None:
        """Set everything going."""
        for _ in range(self._world.scenario.backlog):
            self._accept()
        self._env.process(self._clients())
        self._env.process(self._mapping())
        self._env.process(self._reconciler())

    # --- The front door -------------------------------------------------------------------------------------------

    def _clients(self) -> Steps:
        scenario = self._world.scenario
        for second in arrivals(scenario.rate, scenario.highest, scenario.seconds, self._random):
            yield self._env.timeout(second - self._env.now)
            self.offered += 1
            self._env.process(self._client())

    def _client(self) -> Steps:
        # A client that follows its order spends the same tokens: the throttle is of all methods together.
        tokens = 1 + self._world.scenario.polls
        self.at_the_door += 1
        for attempt in range(1 + _PATIENCE):
            self._world.used["API requests"] += tokens
            # The API's limit first, then Lambda's: what API Gateway lets through may still find no room.
            if self.door.take(self._env.now, tokens) and self._world.pool.enter(API, self._env.now):
                taken = drawn(self._random, self._durations.api, self._durations.spread)
                yield self._env.timeout(taken)
                self._world.pool.leave(API)
                self._world.used["calls"] += tokens
                self._world.used["function seconds"] += taken * tokens
                if self._world.indexes[Status.RECEBIDO].take(self._env.now):
                    self._world.used["write units"] += 2
                    self._accept()
                    self.at_the_door -= 1
                    return
            if attempt < _PATIENCE:
                yield self._env.timeout(2**attempt)
        self.at_the_door -= 1
        self.lost += 1

    def _accept(self) -> None:
        world = self._world
        refused = self._random.random() < world.scenario.gateway.refused
        order = Order(self._env.now, item=world.item_of_new_order(), refused=refused)
        world.orders.append(order)
        self.unstarted[order] = None
        self._send(order)

    # --- The queue ------------------------------------------------------------------------------------------------

    def _send(self, order: Order, receives: int = 0) -> None:
        self._world.used["queue requests"] += 1
        self._queue.append((order, receives))
        if self._idle:
            self._idle.popleft().succeed()

    def _mapping(self) -> Steps:
        """Lambda's pollers: a few at first, then more every second. Idle ones cost nothing, so none is let go."""
        pollers = 0
        while pollers < self._most:
            more = _POLLERS_AT_FIRST if pollers == 0 else _POLLERS_PER_SECOND
            for _ in range(min(more, self._most - pollers)):
                self._env.process(self._poller())
                pollers += 1
            yield self._env.timeout(1)

    def _stopped(self) -> float:
        """Seconds until the mapping is switched on again; 0 while it is on."""
        stopped = self._world.scenario.stopped
        return stopped[1] - self._env.now if stopped is not None and stopped[0] <= self._env.now < stopped[1] else 0.0

    def _wait_for_news(self) -> simpy.Event:
        news = self._env.event()
        self._idle.append(news)
        return news

    def _poller(self) -> Steps:
        while True:
            if (still := self._stopped()) > 0:
                yield self._env.timeout(still)
                continue
            if not self._queue:
                yield self._wait_for_news()
                continue
            batch = [self._queue.popleft() for _ in range(min(LOTE_DO_INICIADOR, len(self._queue)))]
            self._world.used["queue requests"] += 2
            if not self._world.pool.enter(STARTER, self._env.now):
                # A delivery that found no room counts as one (case C30).
                for order, receives in batch:
                    self._env.process(self._back(order, receives + 1))
                yield self._env.timeout(1)
                continue
            began = self._env.now
            failed = yield from self._start(batch)
            rest = began + len(batch) * self._pace - self._env.now
            if rest > 0:
                yield self._env.timeout(rest)
            self._world.pool.leave(STARTER)
            self._world.used["calls"] += 1
            self._world.used["function seconds"] += self._env.now - began
            for order, receives in failed:
                self._env.process(self._back(order, receives + 1))

    # --- The starter ----------------------------------------------------------------------------------------------

    def _start(self, batch: list[tuple[Order, int]]) -> Generator[simpy.Event, object, list[tuple[Order, int]]]:
        """One batch; what of it has to come again."""
        durations = self._durations
        yield self._env.timeout(drawn(self._random, durations.batch(len(batch)), durations.spread))
        self._world.used["read units"] += len(batch)
        failed = [message for message in batch if not self._start_one(message[0])]
        if failed:
            # The SDK's one more try.
            yield self._env.timeout(self._random.random())
            failed = [message for message in failed if not self._start_one(message[0])]
        return failed

    def _start_one(self, order: Order) -> bool:
        if order.started is not None or order.end is not None:
            # Sent twice: the name is taken, or the row has moved on.
            return True
        if not self._world.starts.take(self._env.now):
            return False
        order.started = self._env.now
        self.started += 1
        self.unstarted.pop(order, None)
        self._env.process(self._saga.execution(order))
        return True

    def _back(self, order: Order, receives: int) -> Steps:
        yield self._env.timeout(self._visibility)
        if receives < MAX_RECEIVES:
            self._send(order, receives)
        elif order.started is None and order.end is None:
            # Only this message is dead: the reconciler sends the order again.
            self._world.used["dead letters"] += 1

    # --- The reconciler -------------------------------------------------------------------------------------------

    def _reconciler(self) -> Steps:
        settings = self._world.scenario.settings
        while True:
            yield self._env.timeout(60 * settings.intervalo_conciliador_minutos)
            due = [
                order for order in self.unstarted if self._env.now - order.accepted >= settings.espera_inicio_segundos
            ]
            self._random.shuffle(due)
            for order in due[:MAIS_PEDIDOS]:
                self._look(order, settings.espera_inicio_segundos)

    def _look(self, order: Order, patience: float) -> None:
        if self._env.now - order.resent < patience * ESPERAS_DE_INICIO[order.resends]:
            return
        if order.resends < MAIS_REENVIOS:
            order.resends += 1
            order.resent = self._env.now
            self._world.used["resends"] += 1
            self._send(order)
        else:
            # The claim takes the card token: such an order never starts, though its message is still in the queue.
            order.end = PERSON
            self.unstarted.pop(order, None)
            self._world.used["cases of waiting orders"] += 1
