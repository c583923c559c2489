"""The rules by which hypothesis plays with a world: everybody's turns, one call at a time, and everybody's accidents.

Nothing is random but hypothesis' own choices, so a seed is a story; one that breaks a promise is told whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final, TypeVar

from hypothesis import seed
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from infra.ops.intervention import Decision
from tests.inprocess.functions import CRIADOS, FUNCTIONS, PEDIDOS, PERSON
from tests.inprocess.person import cases, decide
from tests.inprocess.process import Moment, Process
from tests.inprocess.promises import Watch, broken_at_rest
from tests.inprocess.world import DAY, HOUR, MINUTE, Order, World

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.inprocess.functions import Installed
    from tests.inprocess.sqs import Message
    from tests.inprocess.stepfunctions import Execution

__all__ = ["System", "system"]

T = TypeVar("T")

_MOST_ORDERS: Final = 4
_TOKENS: Final = (
    "tok-ok",
    "tok-ok",
    "tok-forcar-recusa",
    "tok-indisponivel",
    "tok-indisponivel-2",
    "tok-timeout-sem-cobrar",
    "tok-timeout-cobrado",
    "tok-500-cobrado",
    "tok-cobranca-tardia",
    "tok-cobranca-muito-tardia",
    "tok-estorno-indisponivel",
    "tok-estorno-perdido",
    "tok-estorno-lento-2",
    "tok-estorno-pendente",
)
_MOST_PROCESSES: Final = 6
_MOST_EVENTS: Final = 200
_STATES: Final = (
    "ReservarEstoque",
    "CobrarPagamento",
    "ConfirmarPedido",
    "EfetivarReserva",
    "EstornarPagamento",
    "LiberarEstoque",
    "CompensacaoFalhouParaFilaHumana",
)
_FAULTS: Final = st.none() | st.dictionaries(
    st.sampled_from(_STATES[:-1]), st.sampled_from(("antes", "depois", "antes:1", "depois:1")), min_size=1, max_size=2
)
_WAITS: Final = (1, 3, 10, 21, 30, 70, 3 * MINUTE, 20 * MINUTE, HOUR, 5 * HOUR, 21 * HOUR, 25 * HOUR, 13 * DAY + HOUR)
_ROUNDS: Final = (150, *[5 * MINUTE] * 7, HOUR, HOUR, 23 * HOUR, HOUR, HOUR, 16 * DAY, *[5 * MINUTE] * 3)

_some = st.integers(0, 11)
"""Which of those there are: the number counts round."""


class System(RuleBasedStateMachine):
    """A world in which anything may happen next."""

    here: ClassVar[Installed]

    def __init__(self) -> None:
        super().__init__()
        self.world = self.here.world = World(stock={"sku-abc": 6, "sku-sem-mapa": 6, "sku-ultimo": 1}, interleaved=True)
        self.watch = Watch(self.world)
        self.failed = False

    @initialize(jitter=st.sampled_from((0.0, 0.5, 1.0)), lost=st.booleans())
    def begin(self, jitter: float, lost: bool) -> None:
        self.world.jitter, self.world.events_lost = jitter, lost

    # --- Clients and messages ---

    @precondition(lambda self: len(self.world.orders) < _MOST_ORDERS)
    @rule(
        sku=st.sampled_from(("sku-abc", "sku-sem-mapa", "sku-ultimo")),
        quantidade=st.integers(1, 2),
        token=st.sampled_from(_TOKENS),
        falhas=_FAULTS,
        started=st.booleans(),
    )
    def post(self, sku: str, quantidade: int, token: str, falhas: dict[str, str] | None, started: bool) -> None:
        pedido_id = f"p-{len(self.world.orders) + 1}"
        self.world.post(Order(pedido_id, sku, quantidade, 1000, token, falhas or {}))
        if started:
            self.world.settle(self.world.now)

    @precondition(lambda self: self.world.orders and len(self.world.processes) < _MOST_PROCESSES)
    @rule(which=_some)
    def post_again(self, which: int) -> None:
        self.world.post(_pick(list(self.world.orders.values()), which))

    @precondition(lambda self: self.world.sqs.sent and len(self.world.processes) < _MOST_PROCESSES)
    @rule(which=_some)
    def repeat_message(self, which: int) -> None:
        body = _pick(self.world.sqs.sent, which)
        if "criadoEm" in body:
            self.world.sqs.put(CRIADOS, body)

    @precondition(lambda self: self._visible())
    @rule(which=_some)
    def deliver(self, which: int) -> None:
        self.world.deliver(_pick(self._visible(), which))

    # --- Turns ---

    @precondition(lambda self: self._awake())
    @rule(which=_some, turns=st.integers(1, 4))
    def step(self, which: int, turns: int) -> None:
        process = _pick(self._awake(), which)
        for _ in range(turns):
            if process.ended or process.wakes_at > self.world.now:
                return
            process.step()

    @precondition(lambda self: self._awake())
    @rule(which=_some)
    def finish(self, which: int) -> None:
        process = _pick(self._awake(), which)
        while not process.ended and process.wakes_at <= self.world.now:
            process.step()

    @precondition(lambda self: self._awake())
    @rule(which=_some, moment=st.sampled_from(Moment))
    def accident(self, which: int, moment: Moment) -> None:
        _pick(self._awake(), which).step(moment)

    @precondition(lambda self: self._awake())
    @rule(which=_some, why=st.sampled_from(("morta", "Sandbox.Timedout")))
    def kill(self, which: int, why: str) -> None:
        _pick(self._awake(), which).kill(why)

    @precondition(lambda self: self._ready())
    @rule(which=_some)
    def advance(self, which: int) -> None:
        self.world.machines.advance(_pick(self._ready(), which))

    @precondition(lambda self: self._heard())
    @rule(which=_some)
    def abandon(self, which: int) -> None:
        self.world.machines.abandon(_pick(self._heard(), which))

    @precondition(lambda self: self.world.lingering)
    @rule(which=_some)
    def land(self, which: int) -> None:
        self.world.land(_pick(self.world.lingering, which))

    @precondition(lambda self: self._running())
    @rule(which=_some)
    def stop(self, which: int) -> None:
        self.world.machines.end(_pick(self._running(), which), "ABORTED")

    # --- The safety net and people ---

    @precondition(lambda self: self.world.anything_due())
    @rule()
    def round(self) -> None:
        self.world.round()

    @precondition(lambda self: self.world.deaths)
    @rule(which=_some)
    def deliver_death(self, which: int) -> None:
        self.world.deliver_death(_pick(self.world.deaths, which))

    @precondition(lambda self: self.world.tables[PEDIDOS])
    @rule(which=_some, decision=st.sampled_from(Decision), name_open=st.booleans())
    def person(self, which: int, decision: Decision, name_open: bool) -> None:
        pedido_id = _pick(sorted(self.world.tables[PEDIDOS]), which)

        def body(_: Process) -> None:
            decide(self.world, pedido_id, decision, name_open=name_open)

        self.world.command(PERSON, pedido_id, body)

    # --- Time ---

    @precondition(lambda self: self.world.orders)
    @rule(seconds=st.sampled_from(_WAITS))
    def wait(self, seconds: float) -> None:
        self.world.tell(f"passam {seconds} s")
        self.world.pass_time(seconds)

    @precondition(lambda self: self.world.tables[PEDIDOS])
    @rule(seconds=st.sampled_from(_WAITS[:8]))
    def work(self, seconds: float) -> None:
        self.world.settle(self.world.now + seconds)

    @precondition(lambda self: self._running())
    @rule(state=st.sampled_from(_STATES), which=_some)
    def work_until(self, state: str, which: int) -> None:
        """Everything goes on by itself until an execution is in that state: there it gets interesting."""
        execution = _pick(self._running(), which)
        for _ in range(_MOST_EVENTS):
            if execution.state == state or not self.world.happen():
                return

    # --- Promises ---

    @invariant()
    def nothing_is_broken(self) -> None:
        self.watch.look()
        self._expect([])

    def teardown(self) -> None:
        if self.failed:
            return
        self._rest()
        self._expect(broken_at_rest(self.world))
        # Then the people on call decide what waits, more than once where it must be.
        for _ in range(3):
            for pedido_id, view in cases(self.world).items():
                if view["espera"] and view["status"] != "DESCONHECIDO":
                    self._decide(pedido_id)
            self._rest()
        self._expect(broken_at_rest(self.world))

    def _decide(self, pedido_id: str) -> None:
        decision = Decision.REPROCESSAR
        if self.world.status(pedido_id) == "RESOLVIDO_MANUALMENTE":
            decision = Decision.ENCERRAR
        decide(self.world, pedido_id, decision)

    def _rest(self) -> None:
        for gap in _ROUNDS:
            self.world.settle(self.world.now + gap)
            if self.world.anything_due():
                self.world.round()
                self.world.settle(self.world.now + 1)
            self.watch.look()

    def _expect(self, broken: Sequence[str]) -> None:
        wrong = [*self.watch.broken, *broken]
        if wrong:
            self.failed = True
            raise AssertionError("\n".join([*wrong, "", self.world.told()]))

    # --- Who there is ---

    def _visible(self) -> list[Message]:
        return [m for m in self.world.sqs.queues[CRIADOS].messages if m.visible_at <= self.world.now]

    def _awake(self) -> list[Process]:
        return [process for process in self.world.processes if process.wakes_at <= self.world.now]

    def _ready(self) -> list[Execution]:
        return [e for e in self._running() if e.ready and e.wakes_at <= self.world.now]

    def _heard(self) -> list[Execution]:
        return [e for e in self._running() if e.task is not None and e.task.function in FUNCTIONS]

    def _running(self) -> list[Execution]:
        return [execution for execution in self.world.machines.executions.values() if execution.running]


def system(here: Installed, *, seed_of_all: int | None = None) -> type[System]:
    """The rules, where the functions are installed; with a seed, always the same examples."""
    made = type("System", (System,), {"here": here})
    return seed(seed_of_all)(made) if seed_of_all is not None else made


def _pick(among: Sequence[T], which: int) -> T:
    return among[which % len(among)]
