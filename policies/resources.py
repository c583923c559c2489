"""Policies attached to the resources themselves."""

from __future__ import annotations

from policies.documents import PolicyDocument, document

__all__ = ["queue_over_tls", "topic_for_alarms"]


def queue_over_tls(*, queue: str) -> PolicyDocument:
    """Refuses every call to the queue that is not over TLS; grants nothing, so the roles' own policies decide."""
    return document(
        {
            "Sid": "SomenteTls",
            "Effect": "Deny",
            "Principal": "*",
            "Action": ["sqs:*"],
            "Resource": [queue],
            "Condition": {"Bool": {"aws:SecureTransport": "false"}},
        }
    )


def topic_for_alarms(*, topic: str, account: str) -> PolicyDocument:
    """CloudWatch may publish the account's own alarms; without it an alarm goes red and nobody is told (case C41)."""
    return document(
        {
            "Sid": "AlarmesDaConta",
            "Effect": "Allow",
            "Principal": {"Service": "cloudwatch.amazonaws.com"},
            "Action": ["sns:Publish"],
            "Resource": [topic],
            "Condition": {"StringEquals": {"aws:SourceAccount": account}},
        }
    )
