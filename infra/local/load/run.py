"""Runs a `LoadPlan` on a stack and says what was seen and what should not have been."""

from __future__ import annotations

import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from infra.local.load.findings import Answer, Seen, findings, percentile_ms
from infra.local.load.memory import MemoryWatch
from infra.local.load.plan import LoadPlan, malformed_bodies
from infra.local.proofs.workbench import VALUE, Workbench
from infra.local.settlement import wait_until_settled
from infra.ops.errors import FrontDoorError

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from infra.local.stack import EmbeddedStack
    from infra.ops.books import Books

__all__ = ["LoadReport", "run_load"]

SKUS = 4
"""Orders share few SKUs, so that their reservations meet on the same item."""

REDELIVERY_SECONDS = 2
"""The queue's visibility timeout while a load with malformed messages runs. The real one is minutes, five times
over, before a message reaches the dead-letter queue."""

DLQ_DEADLINE_SECONDS = 90.0
ACCEPTED, DIVERGENT = 202, 409


@dataclass(frozen=True)
class LoadReport:
    """What a load did.

    Attributes:
        plano: the plan.
        respostas: POST answers by HTTP status (0: none).
        p50_ms: median of the first POST of each order, milliseconds.
        p99_ms: 99th percentile of the same.
        segundos: from the first POST until every order had ended.
        fins: orders by final status.
        execucoes: executions started.
        cobrancas: charges that took money.
        malformadas_na_dlq: malformed messages that ended in the dead-letter queue.
        memoria_mib: most memory the stack's processes had at once, MiB of resident pages.
        processos: most processes it had at once.
        achados: everything that should not have been, in words; empty when all promises held.
    """

    plano: LoadPlan
    respostas: dict[int, int]
    p50_ms: int
    p99_ms: int
    segundos: float
    fins: dict[str, int]
    execucoes: int
    cobrancas: int
    malformadas_na_dlq: int
    memoria_mib: int
    processos: int
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
        started = time.monotonic()
        answers = load.send()
        books = load.wait_for_ends()
        seconds = time.monotonic() - started
        dead = load.wait_for_dead_letters()
    stack.check()
    return load.report(answers, books, dead, seconds, memory)


_Task: TypeAlias = "Callable[[], list[Answer]]"


class _Load:
    """One run of a plan."""

    def __init__(self, bench: Workbench, plan: LoadPlan, on_progress: Callable[[str], None]) -> None:
        self._bench = bench
        self._plan = plan
        self._tell = on_progress
        self._skus = {bench.stock_sku(f"carga-{index}", plan.pedidos): plan.pedidos for index in range(SKUS)}
        self._orders = [self._order(index) for index in range(plan.pedidos)]
        self._ids = {order["pedidoId"] for order in self._orders}
        self._malformed = malformed_bodies(plan.malformed(), bench.run, self._orders)

    def _order(self, index: int) -> dict[str, Any]:
        sku = list(self._skus)[index % SKUS]
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

    # --- Waiting -----------------------------------------------------------------------------------------------------

    def wait_for_ends(self) -> Books:
        """The books once every order of the run is final and settled, and no execution of its own runs."""

        return wait_until_settled(
            self._bench, self._ids, on_progress=lambda count: self._tell(f"{count} pedidos em andamento")
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

    def _executions(self) -> Counter[str]:
        """How many executions of each order of the run there are."""
        pages = self._bench.target.sfn.get_paginator("list_executions").paginate(
            stateMachineArn=self._bench.target.maquinas["pedido"]
        )
        names = (execution["name"] for page in pages for execution in page["executions"])
        return Counter(name for name in names if name in self._ids)

    # --- Telling -----------------------------------------------------------------------------------------------------

    def report(
        self, answers: list[Answer], books: Books, dead: Counter[str], seconds: float, memory: MemoryWatch
    ) -> LoadReport:
        """What was seen, and what of it should not have been."""
        executions = self._executions()
        seen = Seen(self._orders, self._skus, self._malformed, answers, executions, dead, books)
        return LoadReport(
            plano=self._plan,
            respostas=dict(sorted(Counter(answer.status for answer in answers).items())),
            p50_ms=percentile_ms(answers, 50),
            p99_ms=percentile_ms(answers, 99),
            segundos=round(seconds, 1),
            fins=dict(Counter(books.orders[pedido_id]["status"] for pedido_id in sorted(self._ids))),
            execucoes=executions.total(),
            cobrancas=seen.charges.total(),
            malformadas_na_dlq=(dead & Counter(self._malformed)).total(),
            memoria_mib=memory.peak_mib,
            processos=memory.peak_processes,
            achados=findings(seen),
        )


def _run(task: _Task) -> list[Answer]:
    return task()
