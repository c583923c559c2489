"""Puts one system through a campaign, waits until it has settled, and says how it is left."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from botocore.exceptions import BotoCoreError, ClientError
from urllib3.exceptions import HTTPError

from infra.local.load.memory import MemoryWatch
from tests.campaign.blows import Blows
from tests.campaign.plan import Blow
from tests.campaign.system import ACCEPTED
from tests.campaign.verdict import judge

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

    from infra.local.stack import EmbeddedStack
    from tests.campaign.fault_proxy import Calls, FaultProxy
    from tests.campaign.plan import CampaignPlan, Order
    from tests.campaign.system import Look, System
    from tests.campaign.verdict import Verdict

__all__ = ["Outcome", "Sample", "run_campaign"]

OTHERS: Final = 24
"""Threads of what is done beside the orders: whoever waits for something to strike must not keep the rest waiting."""
CLIENT_TRIES: Final = 8
"""How often a customer's program posts an order that was not answered, with growing pauses."""
CLIENT_PAUSE_SECONDS: Final = 0.3
CHORE_SECONDS: Final = 3.0
SAMPLE_SECONDS: Final = 2.0
LOOK_SECONDS: Final = 1.0
ROOM_SECONDS: Final = 0.1
PAUSE_FACTOR: Final = 2.0
"""Pause after what is done again and again, in times of what it took."""
REST_SECONDS: Final = 3.0
"""How long a system must have been at rest before that is believed: a message may be on its way."""
_REFUSED: Final = range(400, 429)
"""Answers that another try would not change."""


@dataclass(frozen=True)
class Sample:
    """How far a campaign was.

    Attributes:
        seconds: since it began.
        posted: orders sent by then.
        ended: accepted orders the system was no longer at, those that wait for a person included.
    """

    seconds: float
    posted: int
    ended: int


@dataclass(frozen=True)
class Outcome:
    """What became of one system.

    Attributes:
        system: its key.
        title: what it is.
        accepted: orders its front door took.
        answers: POSTs by HTTP status; 0 had no answer.
        ends: orders by last recorded status; "" for those without a record.
        held: orders a person was told of.
        verdict: what is broken.
        complaints: what else is wrong, by the design's own promises.
        under_way: accepted orders it was still at when time was up.
        blows: how many of each found something to strike.
        kills: workers killed, by function.
        struck: how often each rule of the proxy fired.
        calls: what went through the proxy, by service.
        seconds: from acceptance to the end, sorted, of orders no person had to do with.
        samples: how far it was, over time.
        marks: when each blow fell that is drawn in the plot.
        duration: until everything had settled, seconds.
        memory_mib: most memory of the stack's processes, MiB.
    """

    system: str
    title: str
    accepted: int
    answers: Mapping[int, int]
    ends: Mapping[str, int]
    held: int
    verdict: Verdict
    complaints: Sequence[str]
    under_way: int
    blows: Mapping[str, int]
    kills: Mapping[str, int]
    struck: Mapping[str, int]
    calls: Calls
    seconds: Sequence[float]
    samples: Sequence[Sample]
    marks: Sequence[tuple[float, Blow]]
    duration: float
    memory_mib: int


def run_campaign(
    system: System,
    stack: EmbeddedStack,
    proxy: FaultProxy,
    plan: CampaignPlan,
    *,
    patience: float,
    limit: float,
    on_progress: Callable[[str], None] = lambda _: None,
) -> Outcome:
    """Send everything, strike, and wait.

    Args:
        system: deployed already.
        stack: where it runs.
        proxy: between its functions and AWS.
        plan: what to send and strike.
        patience: seconds a system at rest is given to mend what is still broken: longer than its latest second look.
        limit: seconds after which what is still under way counts as it is.
        on_progress: told what is going on, in words.

    Raises:
        ProcessDiedError: a process of the stack ended that nobody killed.
    """
    campaign = _Campaign(system, stack, plan, limit, on_progress)
    before = proxy.calls()
    if plan.golpes:
        proxy.strike()
    try:
        with MemoryWatch(stack.processes) as memory, campaign.tended():
            campaign.send()
            look = campaign.settle(patience)
            duration = campaign.elapsed
    finally:
        campaign.blows.end()
        struck = proxy.rest() if plan.golpes else {}
        calls = proxy.calls() - before
    stack.check()
    status = look.evidence.status
    return Outcome(
        system=system.key,
        title=system.title,
        accepted=len(look.evidence.accepted),
        answers=dict(sorted(campaign.answers.items())),
        ends=dict(Counter(status.get(pedido_id, "") for pedido_id in look.evidence.posted)),
        held=len(look.evidence.held),
        verdict=judge(look.evidence),
        complaints=system.complaints(),
        under_way=len(look.under_way),
        blows={blow.value: campaign.struck[blow] for blow in Blow},
        kills=dict(sorted(campaign.blows.killed.items())),
        struck=struck,
        calls=calls,
        seconds=sorted(system.seconds()),
        samples=campaign.samples,
        marks=campaign.marks,
        duration=duration,
        memory_mib=memory.peak_mib,
    )


@dataclass
class _Campaign:
    """One system's run of the plan."""

    system: System
    stack: EmbeddedStack
    plan: CampaignPlan
    limit: float
    tell: Callable[[str], None]
    answers: Counter[int] = field(default_factory=Counter[int])
    struck: Counter[Blow] = field(default_factory=Counter[Blow])
    samples: list[Sample] = field(default_factory=list["Sample"])
    marks: list[tuple[float, Blow]] = field(default_factory=list["tuple[float, Blow]"])
    _posted: int = 0
    _under_way: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def __post_init__(self) -> None:
        self.started = time.monotonic()
        self.blows = Blows(self.stack, self.system, self.plan.semente)
        self._free = threading.Semaphore(self.plan.clientes)
        self._sent: list[Future[Any]] = []
        self._over = threading.Event()
        self._failure: Exception | None = None

    @property
    def elapsed(self) -> float:
        """Seconds since it began."""
        return time.monotonic() - self.started

    # --- Sending -----------------------------------------------------------------------------------------------------

    def send(self) -> None:
        """Post every order at its time, or as soon as a client is free after it, and strike beside it.

        Waiting for a client, and for the system to keep up, keeps the blows among the orders: on a slow machine they
        would all fall first, and what was seen would be a machine that is too slow.
        """
        with ThreadPoolExecutor(OTHERS) as others, ThreadPoolExecutor(self.plan.clientes) as clients:
            for order in self.plan.orders:
                due = self.started + order.index / self.plan.por_segundo
                time.sleep(max(0.0, due - time.monotonic()))
                self._wait_for_room()
                if self._is_late():
                    return
                self._free.acquire()
                self._sent.append(clients.submit(self._customer, order))
                for blow in self.plan.blows.get(order.index, ()):
                    self._strike(blow, order, others)
            for future in self._sent:
                future.result()

    def _wait_for_room(self) -> None:
        while self._under_way >= self.plan.em_andamento and not self._is_late():
            time.sleep(ROOM_SECONDS)

    def _is_late(self) -> bool:
        return self.elapsed >= self.limit

    def _customer(self, order: Order) -> None:
        try:
            self._order(order)
        finally:
            self._free.release()

    def _order(self, order: Order) -> None:
        """A customer's program: posts until it is answered."""
        draw = random.Random(f"{self.plan.semente}-{order.index}")  # noqa: S311 - reproducible, not secret
        for attempt in range(CLIENT_TRIES):
            if self._post(order) in (ACCEPTED, *_REFUSED) or self._is_late():
                break
            time.sleep(CLIENT_PAUSE_SECONDS * 2**attempt * draw.uniform(0.5, 1.5))
        with self._lock:
            self._posted += 1
        if Blow.REMESSAGE in self.plan.blows.get(order.index, ()):
            self.system.send_again(order)
            self._count(Blow.REMESSAGE)

    def _post(self, order: Order) -> int:
        status = self.system.post(order)
        with self._lock:
            self.answers[status] += 1
        return status

    def _strike(self, blow: Blow, order: Order, others: ThreadPoolExecutor) -> None:
        match blow:
            case Blow.REPOST:
                # A double click: it may arrive beside the first one, or before it.
                self._sent.append(others.submit(self._post, order))
                self._count(blow)
            case Blow.POISON:
                self.system.poison(order.index)
                self._count(blow)
            case Blow.REMESSAGE:
                pass  # Once the order is there: see `_customer`.
            case Blow.KILL | Blow.STOP:
                # From a thread of its own: it may have to wait for something to strike.
                self._sent.append(others.submit(self._hunt, blow))
            case Blow.FREEZE:
                self._count_if(blow, struck=self.blows.freeze())

    def _hunt(self, blow: Blow) -> None:
        self._count_if(blow, struck=self.blows.kill() if blow is Blow.KILL else self.blows.stop())

    def _count_if(self, blow: Blow, *, struck: bool) -> None:
        if struck:
            self._count(blow)

    def _count(self, blow: Blow) -> None:
        with self._lock:
            self.struck[blow] += 1
            self.marks.append((self.elapsed, blow))

    # --- Around it ---------------------------------------------------------------------------------------------------

    @contextmanager
    def tended(self) -> Generator[None]:
        """Reconciler, operator and samples, from threads of their own."""
        chores = [(SAMPLE_SECONDS, self._sample), *((CHORE_SECONDS, chore) for chore in self.system.chores())]
        threads = [threading.Thread(target=self._every, args=chore) for chore in chores]
        for thread in threads:
            thread.start()
        try:
            yield
        finally:
            self._over.set()
            for thread in threads:
                thread.join()

    def _every(self, seconds: float, act: Callable[[], None]) -> None:
        took = 0.0
        # One that takes long on a full stack is done less often: what looks on should not be the load.
        while not self._over.wait(max(seconds, PAUSE_FACTOR * took)):
            began = time.monotonic()
            try:
                act()
            except (ClientError, BotoCoreError, HTTPError) as error:
                # The emulator is busy: next time.
                self.tell(f"{self.system.title}: {type(error).__name__}, de novo em {seconds:g} s")
            except Exception as error:
                # Nobody sees an exception of a thread: `settle` raises it.
                self._failure = error
                return
            took = time.monotonic() - began

    def _sample(self) -> None:
        look = self.system.look()
        self._under_way = len(look.under_way)
        ended = len(look.evidence.accepted) - len(look.under_way)
        self.samples.append(Sample(round(self.elapsed, 1), self._posted, ended))
        self.tell(
            f"{self.system.title}: {self._posted} de {self.plan.pedidos} enviados, {len(look.under_way)} em andamento, "
            f"{len(look.evidence.held)} com uma pessoa"
        )

    # --- Waiting -----------------------------------------------------------------------------------------------------

    def settle(self, patience: float) -> Look:
        """The system once it is at rest and nothing is broken, or at rest for ``patience`` seconds, or out of time."""
        rest_since: float | None = None
        while True:
            self.stack.check()
            if self._failure is not None:
                raise self._failure
            began = time.monotonic()
            look = self.system.look()
            now = time.monotonic()
            rest_since = None if look.under_way else rest_since or now
            rested = 0.0 if rest_since is None else now - rest_since
            needed = REST_SECONDS if judge(look.evidence).clean else max(patience, REST_SECONDS)
            if rested >= needed or self._is_late():
                return look
            time.sleep(max(LOOK_SECONDS, PAUSE_FACTOR * (now - began)))
