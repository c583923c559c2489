"""What every proof needs: orders of its own, the front door, and waits that end."""

from __future__ import annotations

import json
import time
import uuid
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from infra.ops.facts import Facts
from infra.ops.front_door import FrontDoor
from infra.ops.history import read_execution

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import TypeVar

    from infra.ops.facts import OrderRow, StockRow
    from infra.ops.history import Execution
    from infra.ops.target import Target

    T = TypeVar("T")

__all__ = ["INITIAL_STOCK", "ProofFailedError", "Workbench", "expect"]

INITIAL_STOCK = 10
"""Units of the SKU that a proof sells: its own, so that proofs may run beside each other and beside customers."""

VALUE = 14_000
"""Centavos of a proof's order: the average ticket of source 000, R$ 140."""

DEADLINE_SECONDS = {"local": 120.0, "aws": 3600.0}
"""How long an end is waited for: the real intervals of retries add up to minutes on AWS."""

POLL_SECONDS = {"local": 0.1, "aws": 2.0}


class ProofFailedError(AssertionError):
    """What was seen is not what the proof promises.

    Attributes:
        seen: what was seen, for a person.
    """

    def __init__(self, expected: str, seen: str) -> None:
        self.seen = seen
        super().__init__(f"esperado: {expected}; visto: {seen}")


def expect(condition: bool, expected: str, seen: object) -> None:
    """Raise `ProofFailedError` unless ``condition`` holds."""
    if not condition:
        raise ProofFailedError(expected, str(seen))


@dataclass(frozen=True)
class Workbench:
    """One stack, as the proofs use it.

    Attributes:
        target: the stack.
        run: what makes the ids of this run its own.
    """

    target: Target
    run: str = field(default_factory=lambda: uuid.uuid4().hex[:8])

    @cached_property
    def front_door(self) -> FrontDoor:
        """The API."""
        return FrontDoor(self.target)

    @cached_property
    def facts(self) -> Facts:
        """Tables and statement."""
        return Facts(self.target)

    def stock_sku(self, name: str, units: int = INITIAL_STOCK) -> str:
        """A new SKU with that many units."""
        sku = f"sku-{name}-{self.run}"
        self.target.dynamodb.put_item(
            TableName=self.target.tabelas["estoque"],
            Item={"sku": {"S": sku}, "saldo": {"N": str(units)}, "reservas": {"M": {}}},
        )
        return sku

    def remove_sku(self, sku: str) -> None:
        """Take a proof's SKU away again."""
        self.target.dynamodb.delete_item(TableName=self.target.tabelas["estoque"], Key={"sku": {"S": sku}})

    def order(self, name: str, sku: str, *, cartao: str = "tok-ok", **extra: object) -> dict[str, Any]:
        """An order that nobody posted yet."""
        return {
            "pedidoId": f"prova-{name}-{self.run}",
            "sku": sku,
            "quantidade": 1,
            "valorCentavos": VALUE,
            "cartaoToken": cartao,
            **extra,
        }

    def post(self, order: Mapping[str, Any]) -> str:
        """Post the order, expect it to be accepted, and return its id."""
        reply = self.front_door.post(order)
        expect(reply.status == 202, "POST /pedidos responde 202", f"{reply.status} {json.dumps(reply.body)}")
        return order["pedidoId"]

    def row(self, pedido_id: str) -> OrderRow:
        """The order's row, which must exist."""
        row = self.facts.order(pedido_id)
        if row is None:
            raise ProofFailedError(f"o pedido {pedido_id} na tabela", "nenhuma linha")
        return row

    def stock(self, sku: str) -> StockRow:
        """The SKU's row, which must exist."""
        stock = self.facts.stock(sku)
        if stock is None:
            raise ProofFailedError(f"o SKU {sku} na tabela", "nenhuma linha")
        return stock

    def execution(self, pedido_id: str) -> Execution | None:
        """The order's execution, if it started."""
        return read_execution(self.target.sfn, self.target.execution_arn(pedido_id))

    def started(self, pedido_id: str) -> Execution:
        """Wait until the order's execution exists."""
        return self.wait(f"a execução de {pedido_id}", lambda: self.execution(pedido_id), lambda: "nenhuma execução")

    def end(self, pedido_id: str) -> Execution:
        """Wait until the order's execution ended."""

        def ended() -> Execution | None:
            execution = self.execution(pedido_id)
            return execution if execution is not None and execution.status != "RUNNING" else None

        return self.wait(f"o fim da execução de {pedido_id}", ended, lambda: self._where(pedido_id))

    def waiting_in(self, pedido_id: str, state: str) -> Execution:
        """Wait until the order's execution waits in ``state``."""

        def there() -> Execution | None:
            execution = self.execution(pedido_id)
            arrived = execution is not None and execution.visits and execution.visits[-1].state == state
            return execution if arrived else None

        return self.wait(f"{pedido_id} em {state}", there, lambda: self._where(pedido_id))

    def wait(
        self,
        what: str,
        look: Callable[[], T | None],
        seen: Callable[[], str],
        *,
        seconds: float | None = None,
        every: float | None = None,
    ) -> T:
        """Poll until ``look`` finds something; on the deadline, fail with what there is instead.

        Args:
            what: what is waited for, in words.
            look: what it looks at, None while there is nothing.
            seen: what there is instead, in words.
            seconds: how long to wait; a proof's deadline by default.
            every: seconds between two looks; a proof's by default.
        """
        limit = DEADLINE_SECONDS[self.target.alvo] if seconds is None else seconds
        pause = POLL_SECONDS[self.target.alvo] if every is None else every
        deadline = time.monotonic() + limit
        while (found := look()) is None:
            if time.monotonic() > deadline:
                raise ProofFailedError(f"{what} em {limit:g} s", seen())
            time.sleep(pause)
        return found

    def _where(self, pedido_id: str) -> str:
        execution = self.execution(pedido_id)
        if execution is None:
            return "nenhuma execução"
        return f"{execution.status}: {' > '.join(execution.states())}"

    def queue_is_empty(self, url: str) -> bool:
        """Whether nothing is visible or in flight (SQS counts are approximate: ask again)."""
        counts = ("ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible")
        attributes = self.target.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=list(counts))["Attributes"]
        return all(int(attributes[name]) == 0 for name in counts)

    def human_case(self, pedido_id: str) -> dict[str, Any]:
        """Wait for the order's message in the human queue; it stays there."""

        def case() -> dict[str, Any] | None:
            received = self.target.sqs.receive_message(
                QueueUrl=self.target.filas["humana"], MaxNumberOfMessages=10, VisibilityTimeout=1, WaitTimeSeconds=1
            )
            bodies = (json.loads(message.get("Body", "{}")) for message in received.get("Messages", []))
            return next((body for body in bodies if body.get("pedidoId") == pedido_id), None)

        return self.wait(f"a mensagem de {pedido_id} na fila humana", case, lambda: self._where(pedido_id))

    def alarm(self, name: str) -> str:
        """State of an alarm."""
        alarms = self.target.cloudwatch.describe_alarms(AlarmNames=[name])["MetricAlarms"]
        if not alarms:
            raise ProofFailedError(f"o alarme {name}", "não existe")
        return alarms[0].get("StateValue", "")
