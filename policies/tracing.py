"""What a role may do besides where the stack is traced by X-Ray (``rastreamento``)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from policies.documents import allow, document

if TYPE_CHECKING:
    from policies.documents import PolicyDocument

__all__ = ["FUNCTION_TRACES", "MACHINE_TRACES", "traced"]

FUNCTION_TRACES: Final = ("xray:PutTelemetryRecords", "xray:PutTraceSegments")
"""Lambda, "Visualize Lambda function invocations using AWS X-Ray"; both take only ``*``."""
MACHINE_TRACES: Final = ("xray:GetSamplingRules", "xray:GetSamplingTargets", *FUNCTION_TRACES)
"""Step Functions, "IAM policies for AWS X-Ray": it also asks which executions to trace."""


def traced(role: PolicyDocument, calls: tuple[str, ...], *, on: bool) -> PolicyDocument:
    """The role's policy, with leave to send traces where the stack is traced."""
    return document(*role["Statement"], allow("Rastrear", calls, ["*"])) if on else role
