"""The queues: orders on their way to the saga, and cases on their way to a person."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_aws as aws

from policies.resources import queue_over_tls

if TYPE_CHECKING:
    from infra.config import Settings
    from infra.names import Names

__all__ = ["Queues"]

_DAY: Final = 24 * 3600
_LONGEST_RETENTION: Final = 14 * _DAY
"""The most SQS keeps a message."""
_CRIADOS_RETENTION: Final = 4 * _DAY
"""Longer than the 24 h in which an order may still start, and shorter than the DLQ's: a redriven message keeps its
age, so a DLQ with the same retention loses it on arrival (case C29)."""
_MAX_RECEIVES: Final = 5
"""Fewer, and throttled deliveries alone fill the DLQ (case C30)."""
_CRIADOS_BYTES: Final = 16 * 1024
"""The API takes bodies of 8 KB; SQS takes 1 MiB, and Step Functions only 256 KiB (case C31)."""
_VISIBILITY_FACTOR: Final = 6
"""Visibility over function timeout (Lambda, "Creating and configuring an Amazon SQS event source mapping")."""


class Queues(pulumi.ComponentResource):
    """Entry queue with its DLQ, and the human queue. SSE-SQS on all: no key to grant, none to forget (case C42).

    Attributes:
        criados: orders accepted, one message each.
        criados_dlq: messages the starter could not handle.
        humana: cases for a person; no redrive, since people read it.
    """

    def __init__(self, names: Names, settings: Settings) -> None:
        super().__init__("cesta:mensagens:Filas", "filas")
        opts = pulumi.ResourceOptions(parent=self)
        self.criados_dlq = aws.sqs.Queue(
            "criados-dlq",
            name=names.fila_criados_dlq,
            message_retention_seconds=_LONGEST_RETENTION,
            sqs_managed_sse_enabled=True,
            opts=opts,
        )
        self.criados = aws.sqs.Queue(
            "criados",
            name=names.fila_criados,
            message_retention_seconds=_CRIADOS_RETENTION,
            visibility_timeout_seconds=_VISIBILITY_FACTOR * settings.lambda_segundos,
            max_message_size=_CRIADOS_BYTES,
            sqs_managed_sse_enabled=True,
            redrive_policy=pulumi.Output.json_dumps(
                {"deadLetterTargetArn": self.criados_dlq.arn, "maxReceiveCount": _MAX_RECEIVES}
            ),
            opts=opts,
        )
        aws.sqs.RedriveAllowPolicy(
            "criados-dlq",
            queue_url=self.criados_dlq.url,
            redrive_allow_policy=pulumi.Output.json_dumps(
                {"redrivePermission": "byQueue", "sourceQueueArns": [self.criados.arn]}
            ),
            opts=opts,
        )
        # No size limit of its own: a case carries two whole errors, and must never be refused. In prod Pulumi will not
        # delete it: the task tokens in it are the only way to answer the cases, and no table has them (case C46).
        self.humana = aws.sqs.Queue(
            "humana",
            name=names.fila_humana,
            message_retention_seconds=_LONGEST_RETENTION,
            sqs_managed_sse_enabled=True,
            opts=pulumi.ResourceOptions(parent=self, protect=settings.producao),
        )
        if settings.somente_tls:
            self._refuse_plain_http(opts)
        self.register_outputs({})

    def _refuse_plain_http(self, opts: pulumi.ResourceOptions) -> None:
        # The human queue lets EventBridge in besides: its policy is set where the rule is (components.reconciler).
        for key, queue in (("criados", self.criados), ("criados-dlq", self.criados_dlq)):
            aws.sqs.QueuePolicy(
                key,
                queue_url=queue.url,
                policy=queue.arn.apply(lambda arn: json.dumps(queue_over_tls(queue=arn))),
                opts=opts,
            )
