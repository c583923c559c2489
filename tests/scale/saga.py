"""Executions of the saga: the definition walked state by state, each task taking time, room and write units.

A task answers with the name of an error, or None; what comes of it is the definition's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from handlers.domain.errors import (
    CartaoRecusadoError,
    CobrancaIndefinidaError,
    ConflitoTransitorioError,
    GatewayIndisponivelError,
)
from handlers.domain.status import Etapa, Status
from tests.scale.durations import drawn
from tests.scale.items import ENTRY_BYTES, TOMBSTONE_BYTES

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    import simpy

    from tests.scale.machine import Machine
    from tests.scale.resources import Bucket
    from tests.scale.scenario import Order
    from tests.scale.system import World

    Task = Generator[simpy.Event, object, str | None]

__all__ = ["CONFIRMED", "PERSON", "Saga"]

CONFIRMED: Final = Status.CONFIRMADO.value
PERSON: Final = "waits for a person"
BUSY: Final = "Lambda.TooManyRequestsException"
CONFLICT: Final = ConflitoTransitorioError.__name__
UNAVAILABLE: Final = GatewayIndisponivelError.__name__
IN_DOUBT: Final = CobrancaIndefinidaError.__name__
REFUSED: Final = CartaoRecusadoError.__name__

_INVOKE_SECONDS: Final = 0.010
"""Until Step Functions knows that Lambda refused."""
_REFUSAL_SECONDS: Final = 0.050
"""Until a gateway that is full says so."""
_MADE_UNHEARD: Final = 0.5
"""Of the charges that got no answer, the share that was made."""

_ENDS: Final = {
    Etapa.EFETIVAR_RESERVA.value: CONFIRMED,
    "RegistrarFalhaSemCompensacao": Status.FALHOU_SEM_RESERVA.value,
    "RegistrarFalhaComEstoqueLiberado": Status.FALHOU_COMPENSADO.value,
}
"""How an order whose execution ended after that state stands."""
_PEOPLE: Final = frozenset({"CompensacaoFalhouParaFilaHumana", "PendenciaParaFilaHumana"})


class Saga:
    """The machine at work.

    Args:
        world: what it shares with the rest.
        machine: the definition.
    """

    def __init__(self, world: World, machine: Machine) -> None:
        self._world = world
        self._machine = machine
        self._env = world.env
        self._random = world.random
        self._durations = world.scenario.durations
        self._doubt = world.scenario.settings.janela_duvida_segundos
        self._work: dict[str, Callable[[Order], Task]] = {
            Etapa.RESERVAR_ESTOQUE: self._reserve,
            Etapa.COBRAR_PAGAMENTO: self._charge,
            Etapa.CONFIRMAR_PEDIDO: self._confirm,
            Etapa.EFETIVAR_RESERVA: self._settle,
            Etapa.ESTORNAR_PAGAMENTO: self._refund,
            Etapa.LIBERAR_ESTOQUE: self._release,
        }

    def execution(self, order: Order) -> Generator[simpy.Event, object, None]:
        """One execution, to its end or to a person."""
        world, machine = self._world, self._machine
        world.running += 1
        state: str | None = machine.start
        last = ""
        while state is not None and state not in _PEOPLE:
            last = state
            error = yield from self._visit(state, order)
            state = machine.following[state] if error is None else machine.caught(state, error)
        world.running -= 1
        order.ended = self._env.now
        order.end = PERSON if state is not None else _ENDS[last]

    def _visit(self, state: str, order: Order) -> Task:
        """A state, its retries included; the error it is left with."""
        made: dict[int, int] = {}
        while True:
            wait = self._world.transitions.delay(self._env.now)
            if wait:
                yield self._env.timeout(wait)
            self._world.used["transitions"] += 1
            error = yield from self._task(state, order)
            if error is None:
                return None
            retrier = self._machine.retrier(state, error)
            tries = 0 if retrier is None else made.get(retrier.place, 0)
            if retrier is None or tries >= retrier.attempts:
                return error
            yield self._env.timeout(retrier.wait(tries, self._random))
            made[retrier.place] = tries + 1

    def _task(self, state: str, order: Order) -> Task:
        work = self._work.get(state)
        if work is None:
            # A status the machine writes itself.
            self._world.used["write units"] += 1
            yield self._env.timeout(drawn(self._random, self._durations.record, self._durations.spread))
            return None
        if not self._world.pool.enter(state, self._env.now):
            yield self._env.timeout(_INVOKE_SECONDS)
            return BUSY
        began = self._env.now
        yield self._env.timeout(drawn(self._random, self._durations.steps[state], self._durations.spread))
        error = yield from work(order)
        self._world.pool.leave(state)
        self._world.used["calls"] += 1
        self._world.used["function seconds"] += self._env.now - began
        return error

    # --- What the steps do ----------------------------------------------------------------------------------------

    def _reserve(self, order: Order) -> Task:
        error = yield from self._write_item(order, ENTRY_BYTES)
        order.reserved = error is None
        return error

    def _charge(self, order: Order) -> Task:
        order.tried = self._env.now
        self._world.used["write units"] += 2
        self._world.used["read units"] += 2
        error = yield from self._ask_gateway(order, charging=True)
        if error is None and order.refused:
            return REFUSED
        if error is None:
            order.charged = True
        return error

    def _confirm(self, order: Order) -> Task:
        return (yield from self._write_order(Status.RECEBIDO, Status.CONFIRMADO))

    def _settle(self, order: Order) -> Task:
        self._world.used["read units"] += 1
        error = yield from self._write_item(order, -ENTRY_BYTES if order.reserved else 0)
        if error is not None:
            return error
        order.reserved = False
        return (yield from self._write_order(Status.CONFIRMADO))

    def _refund(self, order: Order) -> Task:
        # Written again on every attempt; the index moves with the first alone.
        error = None if order.undoing else (yield from self._write_order(Status.RECEBIDO, Status.COMPENSANDO))
        self._world.used["read units"] += 1
        order.undoing = error is None
        if error is not None or order.tried is None:
            return error
        error = yield from self._ask_gateway(order, charging=False)
        if error is not None:
            return error
        if not order.charged:
            return IN_DOUBT if self._env.now < order.tried + self._doubt and not order.refused else None
        error = yield from self._ask_gateway(order, charging=False)
        if error is None:
            order.charged = False
            self._world.used["write units"] += 2
        return error

    def _release(self, order: Order) -> Task:
        # A reservation that was never answered leaves a tombstone for fifteen days, made or not.
        change = -ENTRY_BYTES if order.reserved else TOMBSTONE_BYTES
        error = yield from self._write_item(order, change)
        if error is None:
            order.reserved = False
        return error

    # --- Tables and gateway ---------------------------------------------------------------------------------------

    def _write_item(self, order: Order, change: int) -> Task:
        item = self._world.items[order.item]

        def write() -> bool:
            units = item.units(change)
            if not item.write(self._env.now, change):
                return False
            self._world.used["write units"] += units
            return True

        return (yield from self._twice(write))

    def _write_order(self, left: Status, entered: Status | None = None) -> Task:
        """A write of the order's row that moves it between partitions of the index ``pendentes``."""
        touched: list[Bucket] = [self._world.indexes[left]]
        if entered is not None:
            touched.append(self._world.indexes[entered])

        def write() -> bool:
            # An index that is full holds the table's write back (DynamoDB, "Global secondary indexes").
            if not all(bucket.take(self._env.now) for bucket in touched):
                return False
            self._world.used["write units"] += 1 + len(touched)
            return True

        return (yield from self._twice(write))

    def _twice(self, write: Callable[[], bool]) -> Task:
        """As the SDK does it: one more try, after anything up to a second."""
        if write():
            return None
        yield self._env.timeout(self._random.random())
        return None if write() else CONFLICT

    def _ask_gateway(self, order: Order, *, charging: bool) -> Task:
        gateway, now = self._world.scenario.gateway, self._env.now
        self._world.used["gateway requests"] += 1
        if self._world.gateway is not None and not self._world.gateway.take(now):
            yield self._env.timeout(_REFUSAL_SECONDS)
            return UNAVAILABLE
        down = gateway.down is not None and gateway.down[0] <= now < gateway.down[1]
        if down or (gateway.silent and self._random.random() < gateway.silent):
            if charging and not down and not order.refused and self._random.random() < _MADE_UNHEARD:
                order.charged = True
            yield self._env.timeout(self._durations.gateway_timeout)
            return UNAVAILABLE
        yield self._env.timeout(drawn(self._random, self._durations.gateway, self._durations.spread))
        return None
