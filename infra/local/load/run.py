"""Runs a `LoadPlan` on a stack and says what was seen and what should not have been."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from itertools import islice
from statistics import median
from typing import TYPE_CHECKING, Any, TypeAlias

from handlers.domain.clock import iso
from handlers.domain.orders import Pedido, Pedidos, entrada_canonica
from infra.local.load.cpu import cpu_between, cpu_of_workers
from infra.local.load.findings import Answer, Seen, findings, percentile_ms
from infra.local.load.memory import MemoryWatch
from infra.local.load.plan import LoadPlan, malformed_bodies
from infra.local.proofs.workbench import VALUE, Workbench
from infra.local.settlement import wait_until_settled
from infra.ops.errors import FrontDoorError
from infra.ops.history import read_execution

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

    from mypy_boto3_lambda import LambdaClient
    from mypy_boto3_stepfunctions.type_defs import ExecutionListItemTypeDef

    from infra.local.stack import EmbeddedStack
    from infra.ops.books import Books

__all__ = ["LoadReport", "run_load"]

REDELIVERY_SECONDS = 3
"""The queue's visibility timeout while a load with malformed messages runs. The real one is minutes, five times
over, before a message reaches the dead-letter queue."""

DLQ_DEADLINE_SECONDS = 90.0
ACCEPTED, DIVERGENT = 202, 409

SLOWEST_ORDERS_PER_SECOND = 5
"""A stack that takes fewer is taken for stuck: two busy cores take some 15."""
SETTLING_SECONDS = 120.0
ROWS_READ_PER_SECOND = 1000
"""Looking whether all has ended reads every row, and must not become the load itself."""

BATCH = 10
"""The most messages SendMessageBatch takes."""
HISTORIES = 100
"""Executions whose histories are read for the states' times."""


@dataclass(frozen=True)
class LoadReport:
    """What a load did.

    Attributes:
        plano: the plan.
        respostas: POST answers by HTTP status (0: none).
        p50_ms: median of the first POST of each order, milliseconds; None where the orders were put in the queue.
        p99_ms: 99th percentile of the same.
        segundos: from the first POST, or from the starter's being let loose, until every order had ended.
        pedidos_por_segundo: orders brought to their ends, a second.
        inicios_por_segundo: executions started, a second, from the first to the last.
        fins: orders by final status.
        execucoes: executions started.
        cobrancas: charges that took money.
        malformadas_na_dlq: malformed messages that ended in the dead-letter queue.
        memoria_mib: most memory the stack's processes had at once, MiB of resident pages.
        processos: most processes it had at once.
        cpu_ms: processor time of each function's workers, milliseconds per order.
        etapas_ms: median time from entering a state to leaving it, milliseconds, the wait for a worker included.
        achados: everything that should not have been, in words; empty when all promises held.
    """

    plano: LoadPlan
    respostas: dict[int, int]
    p50_ms: int | None
    p99_ms: int | None
    segundos: float
    pedidos_por_segundo: float
    inicios_por_segundo: float
    fins: dict[str, int]
    execucoes: int
    cobrancas: int
    malformadas_na_dlq: int
    memoria_mib: int
    processos: int
    cpu_ms: dict[str, float]
    etapas_ms: dict[str, int]
    achados: list[str] = field(default_factory=list[str])

    def as_json(self) -> dict[str, Any]:
        """The report as JSON-able data."""
        return asdict(self)


def run_load(
    bench: Workbench, stack: EmbeddedStack, plan: LoadPlan, *, on_progress: Callable[[str], None] = lambda _: None
) -> LoadReport:
    """Send everything, wait for every end, and balance the books.

    Args:
        bench: the stack as proofs use it; the run makes a bench of its own from it, with its own ids.
        stack: the same stack, whose processes' memory is watched.
        plan: what to send.
        on_progress: told what is being done, in words.

    Raises:
        ProofFailedError: not everything ended in time.
        ProcessDiedError: a process of the stack ended.
    """
    load = _Load(Workbench(bench.target), plan, on_progress)
    with MemoryWatch(stack.processes) as memory, load.quick_redelivery():
        if plan.represados:
            load.hold_back()
        before = cpu_of_workers(stack.processes())
        started = time.monotonic()
        answers = load.release() if plan.represados else load.send()
        books = load.wait_for_ends()
        seconds = time.monotonic() - started
        cpu = cpu_between(before, cpu_of_workers(stack.processes()))
        dead = load.wait_for_dead_letters()
    stack.check()
    return load.report(answers, books, dead, seconds, memory, cpu)


_Task: TypeAlias = "Callable[[], list[Answer]]"


class _Load:
    """One run of a plan."""

    def __init__(self, bench: Workbench, plan: LoadPlan, on_progress: Callable[[str], None]) -> None:
        self._bench = bench
        self._plan = plan
        self._tell = on_progress
        self._skus = {bench.stock_sku(f"carga-{index}", plan.pedidos): plan.pedidos for index in range(plan.skus)}
        self._orders = [self._order(index) for index in range(plan.pedidos)]
        self._ids = {order["pedidoId"] for order in self._orders}
        self._malformed = malformed_bodies(plan.malformed(), bench.run, self._orders)

    def _order(self, index: int) -> dict[str, Any]:
        sku = list(self._skus)[index % self._plan.skus]
        cartao = "tok-forcar-recusa" if self._plan.is_refused(index) else "tok-ok"
        return self._bench.order(f"carga-{index}", sku, cartao=cartao)

    # --- Sending -----------------------------------------------------------------------------------------------------

    def send(self) -> list[Answer]:
        """Post everything, ``clientes`` at a time, malformed messages among the orders."""
        tasks: list[_Task] = []
        for index, order in enumerate(self._orders):
            tasks.append(lambda order=order, index=index: self._post_order(order, index))
            if self._plan.is_duplicated(index):
                # A task of its own: it may arrive beside the first one, or before it.
                tasks.append(lambda order=order: [self._post(order, ACCEPTED)])
        step = max(len(tasks) // (len(self._malformed) + 1), 1)
        for place, body in enumerate(self._malformed):
            tasks.insert(place * (step + 1), lambda body=body: self._put_on_queue(body))
        answers: list[Answer] = []
        with ThreadPoolExecutor(self._plan.clientes) as clients:
            for done, result in enumerate(clients.map(_run, tasks), start=1):
                answers += result
                self._tell(f"{done} de {len(tasks)} envios")
        return answers

    def _post_order(self, order: dict[str, Any], index: int) -> list[Answer]:
        answers = [self._post(order, ACCEPTED, first=True)]
        if self._plan.is_contradicted(index):
            answers.append(self._post({**order, "valorCentavos": VALUE + 1}, DIVERGENT))
        return answers

    def _post(self, order: dict[str, Any], expected: int, *, first: bool = False) -> Answer:
        started = time.perf_counter()
        try:
            status = self._bench.front_door.post(order).status
        except FrontDoorError as error:
            status = error.status
        return Answer(status, expected, time.perf_counter() - started, first)

    def _put_on_queue(self, body: str) -> list[Answer]:
        self._bench.target.sqs.send_message(QueueUrl=self._bench.target.filas["criados"], MessageBody=body)
        return []

    def hold_back(self) -> None:
        """Write every order and queue its message as the API does, malformed messages among them; nobody takes any."""
        self._feed_starter(enabled=False)
        target = self._bench.target
        pedidos = Pedidos(target.dynamodb, target.tabelas["pedidos"], agora=time.time)
        bodies: list[str] = []
        for done, order in enumerate(self._orders, start=1):
            pedido = Pedido(order["pedidoId"], order["sku"], order["quantidade"], order["valorCentavos"], _now())
            pedidos.criar(pedido, order["cartaoToken"])
            bodies.append(entrada_canonica(pedido))
            self._tell(f"{done} de {len(self._orders)} pedidos represados")
        bodies += self._malformed
        for start in range(0, len(bodies), BATCH):
            entries = [
                {"Id": str(place), "MessageBody": body} for place, body in enumerate(bodies[start : start + BATCH])
            ]
            target.sqs.send_message_batch(QueueUrl=target.filas["criados"], Entries=entries)  # pyright: ignore[reportArgumentType] - the stubs want their own dict type

    def release(self) -> list[Answer]:
        """Let the starter take what is held back. Nothing was posted, so nothing was answered."""
        self._feed_starter(enabled=True)
        return []

    def _feed_starter(self, *, enabled: bool) -> None:
        functions: LambdaClient = self._bench.target.clients.client("lambda")
        queue_arn = self._bench.target.sqs.get_queue_attributes(
            QueueUrl=self._bench.target.filas["criados"], AttributeNames=["QueueArn"]
        )["Attributes"]["QueueArn"]
        [mapping] = functions.list_event_source_mappings(EventSourceArn=queue_arn)["EventSourceMappings"]
        functions.update_event_source_mapping(UUID=mapping.get("UUID", ""), Enabled=enabled)

    # --- Waiting -----------------------------------------------------------------------------------------------------

    def wait_for_ends(self) -> Books:
        """The books once every order of the run is final and settled, and no execution of its own runs."""

        return wait_until_settled(
            self._bench,
            self._ids,
            on_progress=lambda count: self._tell(f"{count} pedidos em andamento"),
            seconds=SETTLING_SECONDS + self._plan.pedidos / SLOWEST_ORDERS_PER_SECOND,
            every=self._plan.pedidos / ROWS_READ_PER_SECOND,
        )

    def wait_for_dead_letters(self) -> Counter[str]:
        """What is in the dead-letter queue of this run, once every malformed message is there or time is up.

        The run's own messages are taken out, so that the queue is as it was.
        """
        expected, found = Counter(self._malformed), Counter[str]()
        deadline = time.monotonic() + DLQ_DEADLINE_SECONDS
        while True:
            found.update(self._take_dead_letters())
            self._tell(f"{found.total()} de {expected.total()} mensagens malformadas na DLQ")
            if not expected - found or time.monotonic() > deadline:
                return found

    def _take_dead_letters(self) -> list[str]:
        sqs, url = self._bench.target.sqs, self._bench.target.filas["criadosDlq"]
        received = sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10, VisibilityTimeout=30, WaitTimeSeconds=1)
        own: list[str] = []
        for message in received.get("Messages", []):
            body = message.get("Body", "")
            if self._bench.run in body:
                own.append(body)
                sqs.delete_message(QueueUrl=url, ReceiptHandle=message.get("ReceiptHandle", ""))
        return own

    @contextmanager
    def quick_redelivery(self) -> Generator[None]:
        """Deliver refused messages again after seconds, where the plan has some."""
        if not self._malformed:
            yield
            return
        sqs, url = self._bench.target.sqs, self._bench.target.filas["criados"]
        name = "VisibilityTimeout"
        before = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=[name])["Attributes"][name]
        sqs.set_queue_attributes(QueueUrl=url, Attributes={name: str(REDELIVERY_SECONDS)})
        try:
            yield
        finally:
            sqs.set_queue_attributes(QueueUrl=url, Attributes={name: before})

    def _executions(self) -> list[ExecutionListItemTypeDef]:
        """The executions of the run's orders."""
        pages = self._bench.target.sfn.get_paginator("list_executions").paginate(
            stateMachineArn=self._bench.target.maquinas["pedido"]
        )
        return [execution for page in pages for execution in page["executions"] if execution["name"] in self._ids]

    def _state_times(self, executions: Sequence[ExecutionListItemTypeDef]) -> dict[str, int]:
        """Median milliseconds in each state, over executions spread evenly over the run."""
        times: defaultdict[str, list[float]] = defaultdict(list)
        for listed in islice(executions, None, None, max(len(executions) // HISTORIES, 1)):
            execution = read_execution(self._bench.target.sfn, listed["executionArn"])
            for visit in execution.visits if execution is not None else ():
                if visit.left is not None:
                    times[visit.state].append((visit.left - visit.entered).total_seconds())
        return {state: round(1000 * median(seconds)) for state, seconds in sorted(times.items())}

    # --- Telling -----------------------------------------------------------------------------------------------------

    def report(
        self,
        answers: list[Answer],
        books: Books,
        dead: Counter[str],
        seconds: float,
        memory: MemoryWatch,
        cpu: Mapping[str, float],
    ) -> LoadReport:
        """What was seen, and what of it should not have been."""
        listed = self._executions()
        executions = Counter(execution["name"] for execution in listed)
        seen = Seen(self._orders, self._skus, self._malformed, answers, executions, dead, books)
        return LoadReport(
            plano=self._plan,
            respostas=dict(sorted(Counter(answer.status for answer in answers).items())),
            p50_ms=percentile_ms(answers, 50),
            p99_ms=percentile_ms(answers, 99),
            segundos=round(seconds, 1),
            pedidos_por_segundo=round(self._plan.pedidos / seconds, 1),
            inicios_por_segundo=_starts_per_second(listed),
            fins=dict(Counter(books.orders[pedido_id]["status"] for pedido_id in sorted(self._ids))),
            execucoes=executions.total(),
            cobrancas=seen.charges.total(),
            malformadas_na_dlq=(dead & Counter(self._malformed)).total(),
            memoria_mib=memory.peak_mib,
            processos=memory.peak_processes,
            cpu_ms={function: round(1000 * taken / self._plan.pedidos, 1) for function, taken in cpu.items()},
            etapas_ms=self._state_times(listed),
            achados=findings(seen),
        )


def _starts_per_second(executions: Sequence[ExecutionListItemTypeDef]) -> float:
    starts = sorted(execution["startDate"] for execution in executions)
    if len(starts) < 2 or starts[0] == starts[-1]:
        return 0.0
    return round((len(starts) - 1) / (starts[-1] - starts[0]).total_seconds(), 1)


def _now() -> str:
    return iso(time.time())


def _run(task: _Task) -> list[Answer]:
    return task()
