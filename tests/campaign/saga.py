"""The product, as a campaign goes through it: its own front door, its own reconciler, a person who answers cases."""

from __future__ import annotations

import json
import random
import threading
import time
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from handlers.domain import environment
from handlers.domain.reconciliation import epoca
from handlers.domain.status import Status
from infra.local.load.findings import Seen, findings
from infra.local.load.plan import malformed_bodies
from infra.local.proofs.workbench import Workbench
from infra.local.settlement import is_settled
from infra.ops.books import left_open, read_books
from infra.ops.errors import CaseRefusedError, FrontDoorError
from infra.ops.human_queue import held
from infra.ops.intervention import Decision, Pending, check, load
from infra.ops.intervention_act import Answer, answer
from infra.ops.target import embedded
from tests.campaign.system import ACCEPTED, NOBODYS_ORDER, Look
from tests.campaign.verdict import Evidence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from mypy_boto3_stepfunctions.type_defs import ExecutionListItemTypeDef

    from infra.local.stack import EmbeddedStack
    from tests.campaign.plan import CampaignPlan, Order

__all__ = ["Saga"]

GATEWAY_READ_SECONDS: Final = 1
"""How long a function waits for the gateway: what hangs on purpose holds one of two workers that long."""

REPROCESSED_PERCENT: Final = 60
CLOSED_PERCENT: Final = 15
"""Shares of the cases somebody answers with REPROCESSAR, and with ENCERRAR, naming what stays open; a person still has
the others at the end."""

_WHO: Final = "plantão da campanha"
_ROUND: Final = json.dumps({"source": "aws.events"}).encode()


@dataclass
class Saga:
    """The deployed program.

    Attributes:
        stack: the stack it was deployed to.
        aws_url: the AWS the functions see.
    """

    stack: EmbeddedStack
    aws_url: str
    key: str = "cesta"
    title: str = "Cesta"
    _posted: dict[str, Order] = field(default_factory=dict[str, "Order"])
    _accepted: set[str] = field(default_factory=set[str])
    _poison: list[str] = field(default_factory=list[str])
    _answered: set[str] = field(default_factory=set[str])
    _dead: Counter[str] = field(default_factory=Counter[str])
    _sent_poison: list[str] = field(default_factory=list[str])
    _queue: threading.Lock = field(default_factory=threading.Lock)

    @cached_property
    def bench(self) -> Workbench:
        """The stack, as a proof uses it."""
        return Workbench(embedded(self.stack.endpoints()))

    @property
    def functions(self) -> frozenset[str]:
        """Every function of the program."""
        pages = self.stack.aws.client("lambda").get_paginator("list_functions").paginate()
        prefix = f"{self.bench.target.names.prefix}-"
        names = (function.get("FunctionName", "") for page in pages for function in page["Functions"])
        return frozenset(name for name in names if name.startswith(prefix))

    # --- Deploying ---------------------------------------------------------------------------------------------------

    def deploy(self, plan: CampaignPlan) -> None:
        """Send the functions' calls through the fault proxy, and put the plan's stock."""
        self._plan = plan
        functions = self.stack.aws.client("lambda")
        for name in self.functions:
            configuration = functions.get_function_configuration(FunctionName=name)
            variables = configuration.get("Environment", {}).get("Variables", {}) | {"AWS_ENDPOINT_URL": self.aws_url}
            if environment.GATEWAY_LEITURA_SEGUNDOS in variables:
                variables[environment.GATEWAY_LEITURA_SEGUNDOS] = str(GATEWAY_READ_SECONDS)
            functions.update_function_configuration(FunctionName=name, Environment={"Variables": variables})
        target = self.bench.target
        for sku, units in plan.stock.items():
            target.dynamodb.put_item(
                TableName=target.tabelas["estoque"],
                Item={"sku": {"S": sku}, "saldo": {"N": str(units)}, "reservas": {"M": {}}},
            )
        target.sqs.set_queue_attributes(
            QueueUrl=target.filas["criados"], Attributes={"VisibilityTimeout": str(plan.reentrega_segundos)}
        )
        self._poison = malformed_bodies(plan.pedidos, self.bench.run, [NOBODYS_ORDER])

    # --- Sending -----------------------------------------------------------------------------------------------------

    def post(self, order: Order) -> int:
        """One POST, as a customer sends it."""
        body = self._body(order)
        self._posted[body["pedidoId"]] = order
        try:
            status = self.bench.front_door.post(body).status
        except FrontDoorError as error:
            return error.status
        if status == ACCEPTED:
            self._accepted.add(body["pedidoId"])
        return status

    def send_again(self, order: Order) -> None:
        """The same message the API sends: the stored order without its token."""
        row = self.bench.facts.order(self._id(order))
        if row is None:
            return
        names = ("pedidoId", "sku", "quantidade", "valorCentavos", "criadoEm", "falhas")
        self._send(json.dumps({name: row[name] for name in names if name in row}))

    def poison(self, index: int) -> None:
        """One of five kinds of message the starter must refuse."""
        self._send(self._poison[index])
        self._sent_poison.append(self._poison[index])

    def _send(self, body: str) -> None:
        self.bench.target.sqs.send_message(QueueUrl=self.bench.target.filas["criados"], MessageBody=body)

    def _id(self, order: Order) -> str:
        return f"{self.key}-{order.index:05}-{self.bench.run}"

    def _body(self, order: Order) -> dict[str, Any]:
        body: dict[str, Any] = {
            "pedidoId": self._id(order),
            "sku": order.sku,
            "quantidade": order.quantidade,
            "valorCentavos": order.valor_centavos,
            "cartaoToken": order.cartao,
        }
        return body | ({"falhas": dict(order.falhas)} if order.falhas else {})

    # --- Around it ---------------------------------------------------------------------------------------------------

    def running(self) -> Sequence[str]:
        """Executions of the order saga; those of a resumption are a person's, and are left alone."""
        pages = self.bench.target.sfn.get_paginator("list_executions").paginate(
            stateMachineArn=self.bench.target.maquinas["pedido"], statusFilter="RUNNING"
        )
        return [execution["executionArn"] for page in pages for execution in page["executions"]]

    def stop(self, arn: str) -> None:
        """As somebody with a console would."""
        self.bench.target.sfn.stop_execution(executionArn=arn)

    def chores(self) -> Sequence[Callable[[], None]]:
        """A round of the reconciler, a person who answers the cases that are his, one who reads the dead letters."""
        return (self._reconcile, self._answer_cases, self._take_dead_letters)

    def _reconcile(self) -> None:
        name = self.bench.target.names.funcao_conciliador
        self.stack.aws.client("lambda").invoke(FunctionName=name, InvocationType="Event", Payload=_ROUND)

    def _answer_cases(self) -> None:
        for pedido_id in self._cases():
            decision = self._decision(pedido_id)
            if decision is not None:
                self._answer(pedido_id, decision)

    def _decision(self, pedido_id: str) -> Decision | None:
        """What somebody will still answer; None where the case just waits."""
        if pedido_id in self._answered:
            return None
        draw = random.Random(f"{self._plan.semente}-{self._posted[pedido_id].index}")  # noqa: S311 - reproducible
        percent = draw.randrange(100)
        if percent < REPROCESSED_PERCENT:
            return Decision.REPROCESSAR
        return Decision.ENCERRAR if percent < REPROCESSED_PERCENT + CLOSED_PERCENT else None

    def _answer(self, pedido_id: str, decision: Decision) -> None:
        case = load(self.bench.target, pedido_id)
        pending = tuple(sorted(case.open)) if decision is Decision.ENCERRAR else ()
        try:
            check(case, decision, pending)
            with self._queue:
                answer(self.bench.target, case, Answer(decision, _WHO, "campanha", "make campaign", pending))
        except CaseRefusedError:
            # It moved meanwhile, or its message is for an order that is closed: nothing to decide.
            return
        self._answered.add(pedido_id)

    def _cases(self) -> frozenset[str]:
        """Orders with a message in the human queue."""
        with self._queue, held(self.bench.target) as messages:
            return frozenset(message.pedido_id for message in messages if message.pedido_id in self._posted)

    # --- Looking -----------------------------------------------------------------------------------------------------

    def look(self) -> Look:
        """Tables, statement and human queue."""
        cases = self._cases()
        books = read_books(self.bench.target)
        # Copies: orders are being posted meanwhile.
        posted, accepted = dict(self._posted), frozenset(self._accepted)
        evidence = Evidence(
            posted=posted,
            accepted=accepted,
            status={pedido_id: row["status"] for pedido_id, row in books.orders.items() if pedido_id in posted},
            stock=books.stock,
            initial=self._plan.stock,
            statement=books.statement,
            held=cases,
            left_open={
                pedido_id: frozenset(what for what in Pending if left_open(row, what))
                for pedido_id, row in books.orders.items()
                if row["status"] == Status.RESOLVIDO_MANUALMENTE
            },
        )
        waiting = frozenset(pedido_id for pedido_id in cases if self._decision(pedido_id) is None)
        under_way = frozenset(pedido_id for pedido_id in accepted - waiting if not is_settled(books, pedido_id))
        return Look(evidence, under_way)

    def seconds(self) -> Sequence[float]:
        """From acceptance until the execution was over."""
        rows = read_books(self.bench.target).orders
        cases = self._cases()
        return [
            execution["stopDate"].timestamp() - epoca(row["criadoEm"])
            for execution in self._all_executions()
            if (row := rows.get(execution["name"])) is not None
            and "stopDate" in execution
            and "caso" not in row
            and execution["name"] not in cases
        ]

    def complaints(self) -> Sequence[str]:
        """Design §5's invariants, the executions, and the dead-letter queue."""
        self._wait_for_dead_letters()
        books = read_books(self.bench.target)
        seen = Seen(
            orders=[self._body(self._posted[pedido_id]) for pedido_id in sorted(self._accepted)],
            skus=self._plan.stock,
            malformed=self._sent_poison,
            answers=[],
            executions=Counter(execution["name"] for execution in self._all_executions()),
            dead=self._dead,
            books=books,
        )
        return findings(seen)

    def _all_executions(self) -> Iterator[ExecutionListItemTypeDef]:
        pages = self.bench.target.sfn.get_paginator("list_executions").paginate(
            stateMachineArn=self.bench.target.maquinas["pedido"]
        )
        for page in pages:
            yield from page["executions"]

    def _wait_for_dead_letters(self) -> None:
        deadline = time.monotonic() + 10 * self._plan.reentrega_segundos
        while Counter(self._sent_poison) - self._dead and time.monotonic() < deadline:
            self._take_dead_letters()
            time.sleep(0.5)

    def _take_dead_letters(self) -> None:
        """Count what died and take it out: a queue is read for good only once."""
        sqs, url = self.bench.target.sqs, self.bench.target.filas["criadosDlq"]
        while messages := sqs.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages", []):
            for message in messages:
                self._dead[message.get("Body", "")] += 1
                sqs.delete_message(QueueUrl=url, ReceiptHandle=message.get("ReceiptHandle", ""))
