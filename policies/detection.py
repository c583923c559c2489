"""What is watched: who starts sagas, and what reaches the logs. Documents, as everything here, of pure functions."""

from __future__ import annotations

from typing import Any, Final

from policies.documents import PolicyDocument, allow, document

__all__ = ["CARD_NUMBER", "mask_card_numbers", "strange_starts", "vigia"]

CARD_NUMBER: Final = "arn:aws:dataprotection::aws:data-identifier/CreditCardNumber"
"""Finds card numbers of every issuer, whatever words stand around them (CloudWatch Logs, "Financial information")."""


def vigia(*, topico: str) -> PolicyDocument:
    """What EventBridge may do when the rule matches: tell the topic."""
    return document(allow("Avisar", ["sns:Publish"], [topico]))


def strange_starts(*, maquina: str, iniciador: str) -> dict[str, Any]:
    """Event pattern: ``cesta-saga-pedido`` started by anybody but the starter's role, refused attempts included.

    A user, or the account's root, has no session and so no issuer: absent matches too, or the pattern would miss
    exactly those. A version or an alias of the machine is the machine's ARN and more.
    """
    return {
        "source": ["aws.states"],
        "detail-type": ["AWS API Call via CloudTrail"],
        "detail": {
            "eventSource": ["states.amazonaws.com"],
            "eventName": ["StartExecution"],
            "requestParameters": {"stateMachineArn": [{"prefix": maquina}]},
            "userIdentity": {
                "sessionContext": {"sessionIssuer": {"arn": [{"anything-but": [iniciador]}, {"exists": False}]}}
            },
        },
    }


def mask_card_numbers(findings: str) -> dict[str, Any]:
    """A log's data protection policy: card numbers are masked at all egress, and each find is reported.

    Args:
        findings: name of the log group the reports go to. They say where a number stood, never the number.
    """
    return {
        "Name": "cartoes",
        "Version": "2021-06-01",
        "Statement": [
            {
                "Sid": "Relatar",
                "DataIdentifier": [CARD_NUMBER],
                "Operation": {"Audit": {"FindingsDestination": {"CloudWatchLogs": {"LogGroup": findings}}}},
            },
            {
                "Sid": "Mascarar",
                "DataIdentifier": [CARD_NUMBER],
                "Operation": {"Deidentify": {"MaskConfig": {}}},
            },
        ],
    }
