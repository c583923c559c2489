"""The human queue, read without losing anything: each message looked at goes back unless its case was answered.

Three kinds arrive: the saga's own (with a task token), the reconciler's (nobody waits for an answer), and what the
reconciler itself could not do (its failed calls, and events EventBridge could not deliver).
"""

from __future__ import annotations

import json
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, cast

from botocore.exceptions import BotoCoreError, ClientError

from handlers.domain.reconciliation import RODADA
from handlers.domain.reconciliation_executions import pedido_da_execucao

if TYPE_CHECKING:
    from collections.abc import Generator, Iterable, Mapping

    from infra.ops.target import Target

__all__ = ["Message", "delete", "held", "others_hold", "parse"]

_HIDDEN_SECONDS: Final = 60
"""How long a message stays out of other operators' sight while we read: it comes back by itself should we die."""
_READING_SECONDS: Final = 40
"""How long we read at most: the first message must not come back while we still decide."""
_MOST: Final = 2000
"""Messages read at most: two hundred times what a person can decide in a day."""


@dataclass(frozen=True)
class Message:
    """One message of the human queue.

    Attributes:
        id: SQS's id.
        receipt: what deletes it, or lets it go.
        sent: when it was sent.
        pedido_id: the order it is about, or "" when it cannot be told.
        execution: ARN of the execution it is about, or "".
        token: the task token that answers it, or "" when nobody waits. Treated as a password: never printed.
        body: the message.
    """

    id: str
    receipt: str
    sent: datetime
    pedido_id: str
    execution: str
    token: str
    body: Mapping[str, Any]

    def __repr__(self) -> str:
        """Without the token."""
        return f"Message({self.id}, {self.pedido_id})"

    @property
    def of_a_dead_round(self) -> bool:
        """Whether a round of the reconciler died of time or memory: the next one makes up for it."""
        return not self.pedido_id and _event(self.body).get("source") == RODADA


@contextmanager
def held(target: Target) -> Generator[list[Message]]:
    """Every message now in the queue, newest last, kept from other readers inside the block and then let go.

    A message deleted in the block stays deleted. SQS shows a message to one reader at a time, so another operator
    reading at this moment hides some from us, for a minute at most (`others_hold`).
    """
    messages = _receive(target)
    try:
        yield messages
    finally:
        for message in messages:
            _let_go(target, message)


def others_hold(target: Target, mine: int) -> bool:
    """Whether somebody else is keeping messages from us while we keep ``mine``."""
    name = "ApproximateNumberOfMessagesNotVisible"
    answer = target.sqs.get_queue_attributes(QueueUrl=target.filas["humana"], AttributeNames=[name])
    return int(answer["Attributes"][name]) > mine


def delete(target: Target, messages: Iterable[Message]) -> None:
    """Take answered messages out of the queue; one that stays is listed as of a case already answered."""
    for message in messages:
        with suppress(ClientError, BotoCoreError):
            target.sqs.delete_message(QueueUrl=target.filas["humana"], ReceiptHandle=message.receipt)


def parse(raw: Mapping[str, Any], *, retomada_arn: str) -> Message:
    """A message as SQS gives it; one that is not ours is a message about no order, never an error."""
    try:
        body = _object(json.loads(raw.get("Body", "")))
    except ValueError:
        body = {}
    event = _event(body)
    execution = _text(body.get("execucao")) or _text(_object(event.get("detail")).get("executionArn"))
    pedido_id = _text(body.get("pedidoId"))
    if not pedido_id and execution:
        pedido_id = pedido_da_execucao(execution, retomada_arn=retomada_arn)
    sent = int(raw.get("Attributes", {}).get("SentTimestamp", "0")) / 1000
    return Message(
        id=raw["MessageId"],
        receipt=raw["ReceiptHandle"],
        sent=datetime.fromtimestamp(sent, UTC),
        pedido_id=pedido_id,
        execution=execution,
        token=_text(body.get("taskToken")),
        body=body,
    )


def _receive(target: Target) -> list[Message]:
    found: dict[str, Message] = {}
    deadline = time.monotonic() + _READING_SECONDS
    while len(found) < _MOST and time.monotonic() < deadline:
        # A long poll asks every server of the queue, so one empty answer is enough (SQS, "Short and long polling").
        page = target.sqs.receive_message(
            QueueUrl=target.filas["humana"],
            MaxNumberOfMessages=10,
            VisibilityTimeout=_HIDDEN_SECONDS,
            WaitTimeSeconds=1,
            MessageSystemAttributeNames=["SentTimestamp"],
        ).get("Messages", [])
        if not page:
            break
        for raw in page:
            message = parse(cast("Mapping[str, Any]", raw), retomada_arn=target.maquinas["retomada"])
            found[message.id] = message
    return sorted(found.values(), key=lambda message: (message.sent, message.id))


def _let_go(target: Target, message: Message) -> None:
    # Refused when it was deleted, or is visible again already: either way nothing is held.
    with suppress(ClientError, BotoCoreError):
        target.sqs.change_message_visibility(
            QueueUrl=target.filas["humana"], ReceiptHandle=message.receipt, VisibilityTimeout=0
        )


def _event(body: Mapping[str, Any]) -> dict[str, Any]:
    # A failed call wraps the event it was called with (Lambda, "Destinations").
    return _object(body.get("requestPayload", body))


def _object(value: object) -> dict[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
