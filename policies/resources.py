"""Policies attached to the resources themselves."""

from __future__ import annotations

from policies.conditions import acting_for
from policies.documents import PolicyDocument, Statement, document

__all__ = ["human_queue", "queue_over_tls", "topic_for_alarms"]


def queue_over_tls(*, queue: str) -> PolicyDocument:
    """Refuses every call to the queue that is not over TLS; grants nothing, so the roles' own policies decide."""
    return document(_over_tls(queue))


def human_queue(*, queue: str, rule: str, over_tls: bool) -> PolicyDocument:
    """As `queue_over_tls`, and takes from EventBridge what one rule could not deliver to the reconciler.

    A rule's dead-letter queue has no role behind it: the queue's own policy lets it in (EventBridge, "Using dead-letter
    queues").
    """
    undelivered: Statement = {
        "Sid": "EventosNaoEntregues",
        "Effect": "Allow",
        "Principal": {"Service": "events.amazonaws.com"},
        "Action": ["sqs:SendMessage"],
        "Resource": [queue],
        "Condition": {"ArnEquals": {"aws:SourceArn": rule}},
    }
    return document(*([_over_tls(queue)] if over_tls else []), undelivered)


def _over_tls(queue: str) -> Statement:
    return {
        "Sid": "SomenteTls",
        "Effect": "Deny",
        "Principal": "*",
        "Action": ["sqs:*"],
        "Resource": [queue],
        "Condition": {"Bool": {"aws:SecureTransport": "false"}},
    }


def topic_for_alarms(*, topic: str, account: str, region: str, prefix: str, over_tls: bool) -> PolicyDocument:
    """CloudWatch may publish the stack's own alarms; without it an alarm goes red and nobody is told (case C41).

    Args:
        topic: the topic's ARN.
        account: 12 digits.
        region: AWS region.
        prefix: what the stack's alarms' names begin with.
        over_tls: whether plain text is refused too.
    """
    alarms: Statement = {
        "Sid": "AlarmesDaStack",
        "Effect": "Allow",
        "Principal": {"Service": "cloudwatch.amazonaws.com"},
        "Action": ["sns:Publish"],
        "Resource": [topic],
        "Condition": acting_for(account=account, source=f"arn:aws:cloudwatch:{region}:{account}:alarm:{prefix}*"),
    }
    if not over_tls:
        return document(alarms)
    # Publishing only: a topic's policy takes few actions, and the rest carries no data (SNS, "Enforce encryption of
    # data in transit").
    plain: Statement = {**_over_tls(topic), "Action": ["sns:Publish"]}
    return document(alarms, plain)
