"""Everything an embedded stack holds, as text: what a person who looked everywhere would read."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from infra.local.proofs.workbench import Workbench
    from infra.local.stack import EmbeddedStack

CODE = "provided-code"
"""Part of the path where the emulator unpacks the zips: code, and nothing an order brought."""


@dataclass(frozen=True)
class Holdings:
    """Text by where it was found; reading changes nothing."""

    stack: EmbeddedStack
    bench: Workbench

    def all(self) -> dict[str, str]:
        """Every place, each with all it holds."""
        places = (
            ("function logs", self.function_logs()),
            ("process logs and files", self.files()),
            ("tables", self.tables()),
            ("executions", self.executions()),
            ("queues", self.queues()),
            ("metrics", self.metrics()),
        )
        return {place: "\n".join(texts) for place, texts in places}

    def function_logs(self) -> Iterator[str]:
        logs = self.stack.aws.client("logs")
        for groups in logs.get_paginator("describe_log_groups").paginate():
            for group in groups["logGroups"]:
                for events in logs.get_paginator("filter_log_events").paginate(
                    logGroupName=group.get("logGroupName", "")
                ):
                    yield from (event.get("message", "") for event in events["events"])

    def files(self) -> Iterator[str]:
        for path in self.stack.run_dir.rglob("*"):
            if path.is_file() and CODE not in str(path):
                yield f"{path} {path.read_bytes().decode(errors='replace')}"

    def tables(self) -> Iterator[str]:
        for table in self.bench.target.tabelas.values():
            for page in self.bench.target.dynamodb.get_paginator("scan").paginate(TableName=table):
                yield _text(page["Items"])

    def executions(self) -> Iterator[str]:
        sfn = self.bench.target.sfn
        for machine in self.bench.target.maquinas.values():
            for page in sfn.get_paginator("list_executions").paginate(stateMachineArn=machine):
                for execution in page["executions"]:
                    arn = execution["executionArn"]
                    yield _text(sfn.describe_execution(executionArn=arn))
                    for events in sfn.get_paginator("get_execution_history").paginate(executionArn=arn):
                        yield _text(events["events"])

    def queues(self) -> Iterator[str]:
        sqs = self.bench.target.sqs
        for url in self.bench.target.filas.values():
            yield _text(sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"])
            seen: set[str] = set()
            while True:
                # Longer than anybody here keeps a message to himself.
                received = sqs.receive_message(
                    QueueUrl=url, MaxNumberOfMessages=10, VisibilityTimeout=1, WaitTimeSeconds=2, AttributeNames=["All"]
                ).get("Messages", [])
                fresh = [message for message in received if message.get("MessageId", "") not in seen]
                if not fresh:
                    break
                seen |= {message.get("MessageId", "") for message in fresh}
                yield _text(fresh)

    def metrics(self) -> Iterator[str]:
        cloudwatch = self.bench.target.cloudwatch
        yield _text(cloudwatch.list_metrics()["Metrics"])
        yield _text(cloudwatch.describe_alarms()["MetricAlarms"])
        yield _text(cloudwatch.describe_alarm_history()["AlarmHistoryItems"])


def _text(found: Iterable[Any]) -> str:
    return json.dumps(found, default=str, ensure_ascii=False)
