"""Raises the queue alarms of the stack, as CloudWatch would.

The emulator publishes no ``AWS/SQS`` metric and its alarms ignore dimensions, so nothing would ever ring. This watches
every alarm on the messages visible in a queue, by that alarm's own ``QueueName``, and sets its state; setting it runs
its actions. Which alarms there are is looked up once: the program has run before it begins.
"""

from __future__ import annotations

import logging
import operator
import threading
from typing import TYPE_CHECKING, Final, Self

from botocore.exceptions import BotoCoreError, ClientError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import TracebackType

    from mypy_boto3_cloudwatch.type_defs import MetricAlarmTypeDef

    from infra.local.emulator import AwsLocal

__all__ = ["AlarmWatcher"]

logger = logging.getLogger(__name__)

INTERVAL_SECONDS: Final = 0.5
NAMESPACE: Final = "AWS/SQS"
METRIC: Final = "ApproximateNumberOfMessagesVisible"
COMPARISONS: Final[Mapping[str, Callable[[float, float], bool]]] = {
    "GreaterThanOrEqualToThreshold": operator.ge,
    "GreaterThanThreshold": operator.gt,
    "LessThanThreshold": operator.lt,
    "LessThanOrEqualToThreshold": operator.le,
}


class AlarmWatcher:
    """Watches in a thread of its own; a context manager that stops with its block."""

    def __init__(self, aws: AwsLocal, *, interval: float = INTERVAL_SECONDS) -> None:
        self._aws = aws
        self._interval = interval
        self._watched: list[str] | None = None
        self._urls: dict[str, str] = {}
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="alarm-watcher", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._stopping.set()
        self._thread.join()

    def _watch(self) -> None:
        failing = False
        while not self._stopping.wait(self._interval):
            try:
                self.look()
            except (BotoCoreError, ClientError) as error:
                # Go on: a round that failed is no reason to leave every later alarm silent. Told once per outage.
                if not failing:
                    logger.warning("não consegui avaliar os alarmes; continuo tentando: %s", error)
                failing = True
            else:
                failing = False

    def look(self) -> None:
        """Evaluate every queue alarm once."""
        if self._watched is None:
            self._watched = [alarm.get("AlarmName", "") for alarm in self._alarms() if _is_of_a_queue(alarm)]
        if not self._watched:
            return  # without a name, every alarm would be described
        for alarm in self._alarms(self._watched):
            if _is_of_a_queue(alarm):
                self._evaluate(alarm)

    def _alarms(self, names: Sequence[str] = ()) -> Iterator[MetricAlarmTypeDef]:
        """Those of these names; without names, all there are."""
        for page in self._aws.client("cloudwatch").get_paginator("describe_alarms").paginate(AlarmNames=names):
            yield from page["MetricAlarms"]

    def _evaluate(self, alarm: MetricAlarmTypeDef) -> None:
        queue = next(item["Value"] for item in alarm.get("Dimensions", []) if item["Name"] == "QueueName")
        visible = self._visible(queue)
        threshold = alarm.get("Threshold", 0.0)
        breaches = COMPARISONS[alarm.get("ComparisonOperator", "")](visible, threshold)
        state = "ALARM" if breaches else "OK"
        if alarm.get("StateValue") == state:
            return
        self._aws.client("cloudwatch").set_alarm_state(
            AlarmName=alarm.get("AlarmName", ""),
            StateValue=state,
            StateReason=f"{visible} visible in {queue}, threshold {threshold:g}",
        )

    def _visible(self, queue: str) -> int:
        client = self._aws.client("sqs")
        if queue not in self._urls:
            self._urls[queue] = client.get_queue_url(QueueName=queue)["QueueUrl"]
        attribute = "ApproximateNumberOfMessages"
        answer = client.get_queue_attributes(QueueUrl=self._urls[queue], AttributeNames=[attribute])
        return int(answer["Attributes"][attribute])


def _is_of_a_queue(alarm: MetricAlarmTypeDef) -> bool:
    return alarm.get("Namespace") == NAMESPACE and alarm.get("MetricName") == METRIC
