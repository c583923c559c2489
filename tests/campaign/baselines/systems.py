"""Both baselines as systems a campaign can be run on."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from botocore.exceptions import BotoCoreError, ClientError

from handlers.domain.status import FINAIS
from infra.local.load.plan import malformed_bodies
from infra.ops.facts import StockRow, plain
from infra.saga.asl import parse
from tests.campaign.baselines.workshop import FUNCTION_SECONDS, Workshop
from tests.campaign.saga import GATEWAY_READ_SECONDS
from tests.campaign.system import ACCEPTED, NOBODYS_ORDER, Look
from tests.campaign.verdict import Evidence

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from infra.local.stack import EmbeddedStack
    from infra.ops.facts import Statement
    from tests.campaign.plan import CampaignPlan, Order

__all__ = ["Document000", "NestedTryExcept"]

_EXHIBIT: Final = Path(__file__).parents[2] / "saga" / "exhibits" / "000.json"
_DELIVERIES: Final = 5
"""Deliveries before the dead-letter queue: as the product's."""

_LAMBDA_STATES: Final = {
    "ReservarEstoque": "reservar_estoque",
    "CobrarPagamento": "cobrar_pagamento",
    "ConfirmarPedido": "confirmar_pedido",
    "EstornarPagamento": "estornar_pagamento",
    "LiberarEstoque": "liberar_estoque",
}


@dataclass
class _Baseline(ABC):
    """What both have: two tables, an API that publishes, an entry queue; no reconciler and nobody who answers."""

    stack: EmbeddedStack
    aws_url: str
    statement: Any
    """Reads the gateway's statement."""
    run: str
    key: str = ""
    title: str = ""
    _posted: dict[str, Order] = field(default_factory=dict[str, "Order"])
    _accepted: set[str] = field(default_factory=set[str])

    @cached_property
    def shop(self) -> Workshop:
        """Where its things are made."""
        return Workshop(self.stack, self.aws_url, f"campanha-{self.key}", GATEWAY_READ_SECONDS)

    @property
    def functions(self) -> frozenset[str]:
        """Every function it made."""
        pages = self.stack.aws.client("lambda").get_paginator("list_functions").paginate()
        names = (function.get("FunctionName", "") for page in pages for function in page["Functions"])
        return frozenset(name for name in names if name.startswith(f"{self.shop.prefix}-"))

    def deploy(self, plan: CampaignPlan) -> None:
        """Tables, queues, functions, stock."""
        self._plan = plan
        self._orders = self.shop.table("pedidos", "pedidoId")
        self._stock = self.shop.table("estoque", "sku")
        self.shop.put_stock(self._stock, plan.stock)
        self._poison = malformed_bodies(plan.pedidos, self.run, [NOBODYS_ORDER])
        self._role = self.shop.role()
        self._queue = self._make_entry()
        self._environment = {
            "TABELA_PEDIDOS": self._orders,
            "TABELA_ESTOQUE": self._stock,
            "FILA_CRIADOS_URL": self._queue,
        }
        self._api = self.shop.function("api", "shared.api", self._role, self._environment)
        self.shop.feed(self._queue, self._make_starter())

    @abstractmethod
    def _make_entry(self) -> str:
        """The entry queue's URL."""

    @abstractmethod
    def _make_starter(self) -> str:
        """ARN of the function the entry queue feeds."""

    def post(self, order: Order) -> int:
        """One POST: its function called as API Gateway would."""
        body = self._body(order)
        self._posted[body["pedidoId"]] = order
        try:
            answer = self.stack.aws.client("lambda").invoke(FunctionName=self._api, Payload=json.dumps(body).encode())
        except (ClientError, BotoCoreError):
            return 0
        if "FunctionError" in answer:
            return 502
        self._accepted.add(body["pedidoId"])
        return ACCEPTED

    def send_again(self, order: Order) -> None:
        """The message the API sent, again."""
        self._send(json.dumps(self._body(order)))

    def poison(self, index: int) -> None:
        """The same messages the product gets."""
        self._send(self._poison[index])

    def stop(self, arn: str) -> None:
        """Stop an execution."""
        self.stack.aws.client("stepfunctions").stop_execution(executionArn=arn)

    def chores(self) -> Sequence[Callable[[], None]]:
        """Nobody does anything around it."""
        return ()

    def seconds(self) -> Sequence[float]:
        """Its orders do not say when they were accepted."""
        return ()

    def look(self) -> Look:
        """Tables, statement, and whom a person was told of."""
        status = {row["pedidoId"]: row["status"] for row in self._scan(self._orders) if row["pedidoId"] in self._posted}
        stock = {row["sku"]: StockRow(row["sku"], row["saldo"], row["reservas"]) for row in self._scan(self._stock)}
        held = self._told() & self._posted.keys()
        # A copy: orders are being posted meanwhile.
        accepted = frozenset(self._accepted)
        evidence = Evidence(
            posted=dict(self._posted),
            accepted=accepted,
            status=status,
            stock=stock,
            initial=self._plan.stock,
            statement=self._own_statement(),
            held=held,
        )
        return Look(evidence, accepted - self._over(status, held))

    @abstractmethod
    def _told(self) -> frozenset[str]:
        """Orders a person was told of."""

    @abstractmethod
    def _over(self, status: Mapping[str, str], held: frozenset[str]) -> frozenset[str]:
        """Orders it is no longer at."""

    def complaints(self) -> Sequence[str]:
        """It promises nothing beyond what the judge asks."""
        return ()

    def _own_statement(self) -> Statement:
        """What the gateway did for its orders; a refund it accepted counts as made, though nobody asks after it."""
        statement: Statement = self.statement()
        return {
            "cobrancas": [charge for charge in statement["cobrancas"] if charge["pedidoId"] in self._posted],
            "estornos": [
                {**refund, "estado": "concluido" if refund["estado"] == "pendente" else refund["estado"]}
                for refund in statement["estornos"]
                if refund["pedidoId"] in self._posted
            ],
        }

    def _body(self, order: Order) -> dict[str, Any]:
        return {
            "pedidoId": f"{self.key}-{order.index:05}-{self.run}",
            "sku": order.sku,
            "quantidade": order.quantidade,
            "valorCentavos": order.valor_centavos,
            "cartaoToken": order.cartao,
            "falhas": dict(order.falhas),
        }

    def _send(self, body: str) -> None:
        self.stack.aws.client("sqs").send_message(QueueUrl=self._queue, MessageBody=body)

    def _scan(self, table: str) -> Iterator[dict[str, Any]]:
        pages = self.stack.aws.client("dynamodb").get_paginator("scan").paginate(TableName=table, ConsistentRead=True)
        for page in pages:
            for item in page["Items"]:
                yield plain(item)

    def _orders_in(self, queue: str) -> frozenset[str]:
        """Ids in a queue that only people read; messages stay."""
        sqs = self.stack.aws.client("sqs")
        found: set[str] = set()
        while messages := sqs.receive_message(QueueUrl=queue, MaxNumberOfMessages=10, VisibilityTimeout=20).get(
            "Messages", []
        ):
            found |= {pedido_id for message in messages if (pedido_id := _order_of(message.get("Body", "")))}
        self._seen |= found
        return frozenset(self._seen)

    @cached_property
    def _seen(self) -> set[str]:
        return set()


@dataclass
class Document000(_Baseline):
    """Source document 000's machine as written, with its functions."""

    key: str = "doc000"
    title: str = "000 como escrito"
    _stopped: set[str] = field(default_factory=set[str])

    def _make_entry(self) -> str:
        """As 000's: no dead-letter queue."""
        self._human = self.shop.queue("compensacao-falhou")
        return self.shop.queue("criados", VisibilityTimeout=str(self._plan.reentrega_segundos))

    def _make_starter(self) -> str:
        self._machine = self._make_machine()
        environment = self._environment | {"MAQUINA_ARN": self._machine}
        return self.shop.function("iniciador", "document_000.iniciador", self._role, environment)

    def _make_machine(self) -> str:
        """The exhibit, with our ARNs; each function is also told how often its state was tried, for ``falhas``."""
        definition: Any = parse(_EXHIBIT.read_text(encoding="utf-8"))
        for name, state in definition["States"].items():
            if name in _LAMBDA_STATES:
                handler = f"document_000.{_LAMBDA_STATES[name]}"
                function = _LAMBDA_STATES[name].replace("_", "-")
                state["Resource"] = self.shop.function(function, handler, self._role, self._environment)
                state["Parameters"] = {"entrada.$": "$", "tentativa.$": "$$.State.RetryCount"}
            elif "dynamodb" in state["Resource"]:
                state["Parameters"]["TableName"] = self._orders
            else:
                state["Parameters"]["QueueUrl"] = self._human
        created = self.stack.aws.client("stepfunctions").create_state_machine(
            name=f"{self.shop.prefix}-saga", definition=json.dumps(definition), roleArn=self._role
        )
        return created["stateMachineArn"]

    def running(self) -> Sequence[str]:
        """Executions that run."""
        return [arn for arn, status in self._executions() if status == "RUNNING"]

    def stop(self, arn: str) -> None:
        """Stop it, and remember: the emulator later calls it FAILED, and on AWS it would stay ABORTED."""
        super().stop(arn)
        self._stopped.add(arn)

    def _told(self) -> frozenset[str]:
        """Its human queue, and what its ExecutionsFailed alarm rings for."""
        failed = (arn for arn, status in self._executions() if status in ("FAILED", "TIMED_OUT"))
        return self._orders_in(self._human) | {_name(arn) for arn in failed if arn not in self._stopped}

    def _over(self, status: Mapping[str, str], held: frozenset[str]) -> frozenset[str]:
        return frozenset(_name(arn) for arn, state in self._executions() if state != "RUNNING")

    def _executions(self) -> Iterator[tuple[str, str]]:
        pages = (
            self.stack.aws.client("stepfunctions")
            .get_paginator("list_executions")
            .paginate(stateMachineArn=self._machine)
        )
        for page in pages:
            for execution in page["executions"]:
                yield execution["executionArn"], execution["status"]


@dataclass
class NestedTryExcept(_Baseline):
    """The minimal design: one function, nested try/except."""

    key: str = "minimo"
    title: str = "try/except aninhado"

    def _make_entry(self) -> str:
        self._dead = self.shop.queue("criados-dlq")
        redrive = {"deadLetterTargetArn": self.shop.queue_arn(self._dead), "maxReceiveCount": str(_DELIVERIES)}
        # No message comes again while the function may still be at it: AWS refuses a mapping without that.
        return self.shop.queue("criados", VisibilityTimeout=str(FUNCTION_SECONDS), RedrivePolicy=json.dumps(redrive))

    def _make_starter(self) -> str:
        return self.shop.function("iniciador", "nested.iniciador", self._role, self._environment)

    def running(self) -> Sequence[str]:
        """It has no executions: its progress lives in a process."""
        return ()

    def _told(self) -> frozenset[str]:
        """What people find in its dead-letter queue."""
        return self._orders_in(self._dead)

    def _over(self, status: Mapping[str, str], held: frozenset[str]) -> frozenset[str]:
        return held | {pedido_id for pedido_id, recorded in status.items() if recorded in FINAIS}


def _name(arn: str) -> str:
    return arn.rpartition(":")[2]


def _order_of(body: str) -> str:
    try:
        found: Any = json.loads(body)
    except ValueError:
        return ""
    return found.get("pedidoId", "") if isinstance(found, dict) else ""  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
