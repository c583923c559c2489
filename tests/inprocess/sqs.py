"""SQS in memory: visibility, receipts, receive counts and a dead-letter queue, by the world's clock."""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from botocore.exceptions import ClientError

if TYPE_CHECKING:
    from collections.abc import Callable

    from mypy_boto3_sqs import SQSClient

    from tests.support.dynamo import Outside

__all__ = ["FakeSqs", "Message", "Queue"]


@dataclass
class Message:
    """A message in a queue.

    Attributes:
        id: its id, of which its receipts are made.
        body: what was sent.
        sent: when, epoch seconds.
        visible_at: it is hidden until then, epoch seconds.
        receives: times it was received.
    """

    id: str
    body: str
    sent: float
    visible_at: float
    receives: int = 0

    @property
    def receipt(self) -> str:
        """The handle of the last receive; the older ones are stale."""
        return f"{self.id}/{self.receives}"


@dataclass
class Queue:
    """A queue; messages live ``retention`` seconds."""

    retention: float
    messages: list[Message] = field(default_factory=list[Message])

    def bodies(self) -> list[dict[str, Any]]:
        """Every message, as the JSON it is."""
        return [json.loads(message.body) for message in self.messages]


class FakeSqs:
    """The calls this project makes, on queues by URL; ``sent`` has every body there ever was."""

    def __init__(self, queues: dict[str, Queue], outside: Outside, now: Callable[[], float]) -> None:
        self.queues = queues
        self._outside = outside
        self._now = now
        self._ids = itertools.count(1)
        self.sent: list[str] = []

    @property
    def client(self) -> SQSClient:
        """Itself, as the type the code asks for."""
        return cast("SQSClient", cast("object", self))

    def put(self, url: str, body: str) -> Message:
        """A message sent by the platform itself."""
        message = Message(f"m-{next(self._ids)}", body, self._now(), self._now())
        self.queues[url].messages.append(message)
        self.sent.append(body)
        return message

    def expire(self) -> None:
        """Messages that are too old are gone."""
        for queue in self.queues.values():
            queue.messages = [message for message in queue.messages if self._now() - message.sent < queue.retention]

    def send_message(self, *, QueueUrl: str, MessageBody: str) -> dict[str, str]:  # noqa: N803 - boto3's names
        def send() -> dict[str, str]:
            return {"MessageId": self.put(QueueUrl, MessageBody).id}

        return self._outside("send_message", send)

    def receive_message(
        self,
        *,
        QueueUrl: str,  # noqa: N803
        MaxNumberOfMessages: int,  # noqa: N803
        VisibilityTimeout: int,  # noqa: N803
        WaitTimeSeconds: int,  # noqa: N803
        MessageSystemAttributeNames: list[str],  # noqa: N803
    ) -> dict[str, Any]:
        assert MessageSystemAttributeNames == ["SentTimestamp"]

        def receive() -> dict[str, Any]:
            now = self._now()
            found = [message for message in self.queues[QueueUrl].messages if message.visible_at <= now]
            for message in found[:MaxNumberOfMessages]:
                message.visible_at = now + VisibilityTimeout
                message.receives += 1
            if not found:
                return {}
            return {"Messages": [_told(message) for message in found[:MaxNumberOfMessages]]}

        return self._outside("receive_message", receive)

    def delete_message(self, *, QueueUrl: str, ReceiptHandle: str) -> dict[str, str]:  # noqa: N803
        def delete() -> dict[str, str]:
            queue = self.queues[QueueUrl]
            queue.messages = [message for message in queue.messages if message.receipt != ReceiptHandle]
            return {}

        return self._outside("delete_message", delete)

    def change_message_visibility(
        self,
        *,
        QueueUrl: str,  # noqa: N803
        ReceiptHandle: str,  # noqa: N803
        VisibilityTimeout: int,  # noqa: N803
    ) -> dict[str, str]:
        def change() -> dict[str, str]:
            now = self._now()
            for message in self.queues[QueueUrl].messages:
                if message.receipt == ReceiptHandle and message.visible_at > now:
                    message.visible_at = now + VisibilityTimeout
                    return {}
            raise ClientError({"Error": {"Code": "MessageNotInflight"}}, "ChangeMessageVisibility")

        return self._outside("change_message_visibility", change)

    def get_queue_attributes(self, *, QueueUrl: str, AttributeNames: list[str]) -> dict[str, Any]:  # noqa: N803
        (name,) = AttributeNames
        assert name == "ApproximateNumberOfMessagesNotVisible"

        def count() -> dict[str, Any]:
            now = self._now()
            hidden = sum(message.visible_at > now for message in self.queues[QueueUrl].messages)
            return {"Attributes": {name: str(hidden)}}

        return self._outside("get_queue_attributes", count)


def _told(message: Message) -> dict[str, Any]:
    return {
        "MessageId": message.id,
        "ReceiptHandle": message.receipt,
        "Body": message.body,
        "Attributes": {"SentTimestamp": str(int(message.sent * 1000))},
    }
