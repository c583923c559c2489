"""Everything there is: tables, queues, machines, gateway, people's commands and a clock, all of it in this process."""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

from handlers.domain.clock import iso
from handlers.domain.reconciliation_rows import INDICES
from infra.ops.target import KnownEntrances, Target
from tests.inprocess.functions import (
    API,
    CONCILIADOR,
    CRIADOS,
    CRIADOS_DLQ,
    DEFINITIONS,
    ESTOQUE,
    FUNCTIONS,
    HUMANA,
    INICIADOR,
    MAQUINA,
    PEDIDOS,
    PRAZOS,
    RETOMADA,
    SETTINGS,
    body_of,
)
from tests.inprocess.gateway import IDS, new_gateway
from tests.inprocess.process import Call, Moment, Outcome, Process
from tests.inprocess.sqs import FakeSqs, Message, Queue
from tests.inprocess.stepfunctions import Execution, FakeStepFunctions
from tests.support.dynamo import FakeDynamo, Item

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

__all__ = ["DAY", "HOUR", "MINUTE", "START", "STOCK", "Order", "World"]

MINUTE: Final = 60
HOUR: Final = 3600
DAY: Final = 24 * HOUR
START: Final = 1_785_000_000

STOCK: Final[Mapping[str, int]] = {"sku-abc": 10, "sku-sem-mapa": 10, "sku-ultimo": 1, "sku-zerado": 0}
"""Units by SKU at the start. ``sku-sem-mapa`` has no ``reservas`` yet."""

_VISIBILITY_SECONDS: Final = 6 * SETTINGS.lambda_segundos
_MAX_RECEIVES: Final = 5
_EVENT_RETRIES: Final = (1 * MINUTE, 2 * MINUTE)
"""Waits between the attempts of an asynchronous call (Lambda, "Asynchronous invocation")."""
_LATEST: Final = 1.0
"""A request that arrives late arrives while the function that sent it could still be living, by so much (seconds)."""


@dataclass(frozen=True)
class Order:
    """What a client posts."""

    pedido_id: str = "p-1"
    sku: str = "sku-abc"
    quantidade: int = 2
    valor_centavos: int = 14_000
    cartao_token: str = "tok-ok"
    falhas: Mapping[str, str] = field(default_factory=dict[str, str])

    def body(self) -> dict[str, Any]:
        """The request's body."""
        body: dict[str, Any] = {
            "pedidoId": self.pedido_id,
            "sku": self.sku,
            "quantidade": self.quantidade,
            "valorCentavos": self.valor_centavos,
            "cartaoToken": self.cartao_token,
        }
        return {**body, "falhas": dict(self.falhas)} if self.falhas else body


@dataclass
class Death:
    """An execution that ended badly, told to the reconciler as an event."""

    event: dict[str, Any]
    due: float
    attempts: int = 0


@dataclass
class Lingering:
    """A request that is still on its way although whoever sent it heard nothing."""

    name: str
    about: str
    effect: Callable[[], Any]
    due: float


class World:
    """A whole system.

    Args:
        stock: units by SKU.
        interleaved: whether turns are given one call at a time (`Process`); else each process runs to its end.
        fault_of: what befalls a call, None for nothing.
        jitter: where in its range a retry with full jitter falls, 0 to 1.
        events_lost: whether no event of an execution's end is ever delivered.
        stops_in: states in which an execution is stopped from outside, once each, before their task begins.

    Attributes:
        now: epoch seconds.
        processes: those that have not ended.
        accepted: orders a client got a 202 for: they have our word.
        answers: the status of each answer to a POST.
        calls: every call made so far.
        looks: called whenever a process has ended.
        late_seconds: a late request arrives so long after it was sent; None for as late as its function could live.
        sdk_repeats: whether the client that is called sends again what was not answered.
    """

    def __init__(
        self,
        *,
        stock: Mapping[str, int] = STOCK,
        interleaved: bool = False,
        fault_of: Callable[[Call], Moment | None] = lambda _: None,
        jitter: float = 0.5,
        events_lost: bool = False,
        stops_in: Iterable[str] = (),
    ) -> None:
        IDS.restart()
        self.now: float = START
        self.interleaved = interleaved
        self.fault_of = fault_of
        self.jitter = jitter
        self.events_lost = events_lost
        self._stops_in = set(stops_in)
        self.late_seconds: float | None = None
        self.sdk_repeats = True
        self.looks: list[Callable[[], object]] = []
        self.stock = dict(stock)
        self.running: Process | None = None
        self.processes: list[Process] = []
        self.deaths: list[Death] = []
        self.lingering: list[Lingering] = []
        self.accepted: set[str] = set()
        self.answers: list[int] = []
        self.orders: dict[str, Order] = {}
        self.calls: list[Call] = []
        self.story: list[tuple[float, str]] = []
        self._invocations: dict[str, itertools.count[int]] = {}
        self.tables: dict[str, dict[str, Item]] = {
            PEDIDOS: {},
            ESTOQUE: {sku: _item(sku, n) for sku, n in stock.items()},
        }
        self.dynamo = FakeDynamo(
            {PEDIDOS: "pedidoId", ESTOQUE: "sku"},
            self.tables,
            self.outside,
            indexes={index: ("status", key) for index, key in INDICES.items()},
        )
        queues = {CRIADOS: Queue(4 * DAY), CRIADOS_DLQ: Queue(14 * DAY), HUMANA: Queue(14 * DAY)}
        self.sqs = FakeSqs(queues, self.outside, lambda: self.now)
        self.machines = FakeStepFunctions(self, DEFINITIONS)
        self.gateway = new_gateway(doubt_window_seconds=SETTINGS.janela_duvida_segundos, clock=lambda: self.now)
        self.clients: dict[str, Any] = {
            "dynamodb": self.dynamo,
            "sqs": self.sqs,
            "stepfunctions": self.machines,
            "ssm": _Parameters(self),
        }
        self.target = Target(
            alvo="local",
            stack="prod",
            regiao="us-east-1",
            entrances=KnownEntrances("https://api.example", "https://gateway.example", {"humana": HUMANA}),
            tabelas={"pedidos": PEDIDOS, "estoque": ESTOQUE},
            maquinas={"pedido": MAQUINA, "retomada": RETOMADA},
            clients=_Clients(self),
        )

    # --- What processes use ---

    def outside(self, name: str, effect: Callable[[], Any]) -> Any:
        """A call to the outside: of the process that runs, or of the test itself."""
        return effect() if self.running is None else self.running.call(name, effect)

    def sleep(self, seconds: float) -> None:
        """Whoever runs waits."""
        if self.running is None:
            self.now += seconds
        else:
            self.running.sleep(seconds)

    def linger(self, process: Process, name: str, effect: Callable[[], Any]) -> None:
        """The request is on its way."""
        due = process.deadline - _LATEST if self.late_seconds is None else self.now + self.late_seconds
        self.lingering.append(Lingering(name, process.about, effect, due))

    def count_invocation(self, function: str) -> int:
        """Number of this invocation of the function, from 0."""
        return next(self._invocations.setdefault(function, itertools.count()))

    def told_call(self, process: Process, call: Call, moment: Moment | None) -> None:
        """A process makes a call."""
        self.calls.append(call)
        self.tell(f"{process}: {call.name}" + (f" — {moment}" if moment is not None else ""))

    def told_end(self, process: Process, outcome: Outcome) -> None:
        """A process ended."""
        if process in self.processes:
            self.processes.remove(process)
        if outcome.death:
            self.tell(f"{process}: {outcome.death}")
        elif outcome.error is not None:
            self.tell(f"{process}: {type(outcome.error).__name__}: {outcome.error}")
        for look in self.looks:
            look()

    def tell(self, line: str) -> None:
        """One line of the story."""
        self.story.append((self.now, line))

    def announce_death(self, arn: str, machine: str, status: str) -> None:
        """EventBridge has an event for the reconciler."""
        if self.events_lost:
            return
        detail = {"executionArn": arn, "stateMachineArn": machine, "status": status}
        self.deaths.append(Death({"source": "aws.states", "detail": detail}, self.now))

    # --- What happens ---

    def invoke(self, name: str, about: str, event: object, on_end: Callable[[Outcome], object]) -> Process:
        """An invocation of a function, not started yet."""
        function = FUNCTIONS[name]
        return self.process(name, about, body_of(function, event), function.seconds, on_end)

    def command(self, name: str, about: str, body: Callable[[Process], Any]) -> None:
        """A person's command; no platform ends it."""
        self.process(name, about, body, DAY, lambda _: None).start()

    def post(self, order: Order) -> Process:
        """``POST /pedidos``."""
        self.orders.setdefault(order.pedido_id, order)
        event = {
            "resource": "/pedidos",
            "path": "/pedidos",
            "httpMethod": "POST",
            "headers": {"Content-Type": "application/json"},
            "multiValueQueryStringParameters": None,
            "pathParameters": None,
            "stageVariables": None,
            "body": json.dumps(order.body()),
            "isBase64Encoded": False,
            "requestContext": {"httpMethod": "POST", "resourcePath": "/pedidos", "identity": {"userArn": None}},
        }

        def answered(outcome: Outcome) -> None:
            status = outcome.value["statusCode"] if outcome.value is not None else 502
            self.tell(f"POST {order.pedido_id}: {status}")
            self.answers.append(status)
            if status == 202:
                self.accepted.add(order.pedido_id)

        process = self.invoke(API, order.pedido_id, event, answered)
        process.start()
        return process

    def deliver(self, message: Message) -> None:
        """The queue hands a message to the starter; after five receives it is for the dead-letter queue."""
        queue = self.sqs.queues[CRIADOS]
        if message.receives >= _MAX_RECEIVES:
            queue.messages.remove(message)
            self.sqs.queues[CRIADOS_DLQ].messages.append(message)
            self.tell(f"{message.id}: para a DLQ")
            return
        message.receives += 1
        message.visible_at = self.now + _VISIBILITY_SECONDS
        event = {"Records": [{"messageId": message.id, "body": message.body, "eventSource": "aws:sqs"}]}

        def handled(outcome: Outcome) -> None:
            if outcome.value == {"batchItemFailures": []} and message in queue.messages:
                queue.messages.remove(message)

        self.invoke(INICIADOR, json.loads(message.body)["pedidoId"], event, handled).start()

    def deliver_death(self, death: Death) -> None:
        """EventBridge calls the reconciler; Lambda tries again, and then gives the call to the human queue."""
        self.deaths.remove(death)

        def ended(outcome: Outcome) -> None:
            if outcome.error is None and not outcome.death:
                return
            if death.attempts < len(_EVENT_RETRIES):
                death.due = self.now + _EVENT_RETRIES[death.attempts]
                death.attempts += 1
                self.deaths.append(death)
            else:
                self.sqs.put(HUMANA, json.dumps({"requestPayload": death.event}))

        name = death.event["detail"]["executionArn"].rpartition(":")[2]
        self.invoke(CONCILIADOR, name, death.event, ended).start()

    def round(self) -> None:
        """The schedule calls the reconciler; one that fails is made up for by the next."""
        self.invoke(CONCILIADOR, "rodada", {"source": "aws.events"}, lambda _: None).start()

    def land(self, lingering: Lingering) -> None:
        """A late request arrives; nobody hears the answer."""
        self.lingering.remove(lingering)
        self.tell(f"chega agora, de {lingering.about}: {lingering.name}")
        try:
            lingering.effect()
        except Exception as error:
            self.tell(f"  e é recusado: {type(error).__name__}")

    def happen(self, until: float = float("inf")) -> bool:
        """The next thing that happens by itself, if any does up to then; people and rounds stay out."""
        at, act = min((*self._due(), *self._overdue()), key=lambda due: due[0], default=(float("inf"), None))
        if act is None or at > until:
            return False
        self.now = max(self.now, at)
        act()
        return True

    def settle(self, until: float) -> None:
        """Everything that happens by itself up to then, in the order of time."""
        while self.happen(until):
            pass
        self.now = max(self.now, until)
        self.sqs.expire()

    def pass_time(self, seconds: float) -> None:
        """Nobody does anything for so long: the platform ends what lives too long, and late requests arrive."""
        until = self.now + seconds
        while (due := min(self._overdue(), key=lambda candidate: candidate[0], default=None)) is not None:
            at, act = due
            if at > until:
                break
            self.now = max(self.now, at)
            act()
        self.now = until
        self.sqs.expire()

    def _overdue(self) -> Iterator[tuple[float, Callable[[], None]]]:
        for lingering in self.lingering:
            yield lingering.due, lambda it=lingering: self.land(it)
        for process in self.processes:
            yield process.deadline, lambda it=process: it.kill("Sandbox.Timedout")

    def _due(self) -> Iterator[tuple[float, Callable[[], None]]]:
        for process in self.processes:
            yield max(process.wakes_at, self.now), process.step
        for message in self.sqs.queues[CRIADOS].messages:
            yield message.visible_at, lambda it=message: self.deliver(it)
        for death in self.deaths:
            yield death.due, lambda it=death: self.deliver_death(it)
        for execution in self.machines.executions.values():
            if execution.ready:
                yield execution.wakes_at, lambda it=execution: self.advance(it)

    def advance(self, execution: Execution) -> None:
        """The execution goes on, unless it is to be stopped here."""
        if execution.state in self._stops_in and not execution.tries:
            self._stops_in.discard(execution.state)
            self.machines.end(execution, "ABORTED")
        else:
            self.machines.advance(execution)

    def process(
        self,
        function: str,
        about: str,
        body: Callable[[Process], Any],
        seconds: float,
        on_end: Callable[[Outcome], object],
    ) -> Process:
        """Something that makes calls to the outside, not started yet."""
        process = Process(self, function, about, body, seconds=seconds, on_end=on_end)
        if self.interleaved:
            self.processes.append(process)
        return process

    # --- What one sees ---

    def row(self, pedido_id: str) -> Item | None:
        """The order's row."""
        return self.tables[PEDIDOS].get(pedido_id)

    def status(self, pedido_id: str) -> str:
        """The order's status; "" when there is no such order."""
        row = self.row(pedido_id)
        return row["status"]["S"] if row is not None else ""

    def executions_of(self, pedido_id: str) -> list[Execution]:
        """The order's executions, oldest first."""
        return [execution for execution in self.machines.executions.values() if execution.order == pedido_id]

    def statement(self) -> dict[str, Any]:
        """Everything the gateway did."""
        return self.gateway.statement().body

    def anything_due(self) -> bool:
        """Whether a round of the reconciler would find anything: its queries' own conditions, less the round."""
        due = {"pendenteDesde": iso(self.now - PRAZOS.inicio), "verificarEm": iso(self.now)}
        rows = self.tables[PEDIDOS].values()
        return any(row[key]["S"] <= until for row in rows for key, until in due.items() if key in row)

    def told(self) -> str:
        """The story so far, for whoever reads a failure."""
        lines = [f"{_clock(at)}  {line}" for at, line in self.story if not line.endswith("rodada: query")]
        return "\n".join([*lines, *(f"{name}: {row}" for name, row in self.tables[PEDIDOS].items())])


class _Clients:
    """SDK clients for the operators' commands."""

    def __init__(self, world: World) -> None:
        self._world = world

    def client(self, name: Any) -> Any:
        return self._world.clients[name]

    def environment(self) -> dict[str, str]:
        return {}


class _Parameters:
    """Parameter Store: every parameter is a credential."""

    def __init__(self, world: World) -> None:
        self._world = world

    def get_parameter(self, *, Name: str, WithDecryption: bool) -> dict[str, Any]:  # noqa: N803 - boto3's names
        assert WithDecryption
        return self._world.outside(
            "get_parameter", lambda: {"Parameter": {"Value": f"segredo-{Name.rpartition('/')[2]}"}}
        )


def _item(sku: str, units: int) -> Item:
    reservas: Item = {} if sku == "sku-sem-mapa" else {"reservas": {"M": {}}}
    return {"sku": {"S": sku}, "saldo": {"N": str(units)}, **reservas}


def _clock(at: float) -> str:
    days, seconds = divmod(at - START, DAY)
    return f"d{int(days)} {datetime.fromtimestamp(seconds, UTC):%H:%M:%S.%f}"[:-3]
