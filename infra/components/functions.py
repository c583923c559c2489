"""One Lambda function with what always comes with it: a role of its own and a log group that expires."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_aws as aws

from handlers.domain.environment import STACK
from infra.names import Names
from policies.documents import trust_lambda
from policies.tracing import FUNCTION_TRACES, traced

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from infra.config import Settings
    from policies.documents import PolicyDocument

__all__ = ["FunctionSpec", "LambdaFunction", "seconds_text"]

_RUNTIME: Final = "python3.13"
_ARCHITECTURE: Final = "arm64"
_MEMORY_MB: Final = 256


@dataclass(frozen=True)
class FunctionSpec:
    """What tells one function from another.

    Attributes:
        base: name without the stack's prefix; also its name in logs and metrics.
        name: the physical name.
        code: path of the zip.
        handler: dotted path of the handler in the zip.
        timeout: seconds.
        environment: variables it reads.
        policy: builds its role's policy out of ``log_group`` and ``grants``.
        grants: ARNs of what it may use, under the names ``policy`` takes.
        reserved: executions at once set aside for it, and the most it may use; None leaves it to what the account has.
    """

    base: str
    name: str
    code: Path
    handler: str
    timeout: int
    environment: Mapping[str, pulumi.Input[str]]
    policy: Callable[..., PolicyDocument]
    grants: Mapping[str, pulumi.Input[str]]
    reserved: int | None = None


class LambdaFunction(pulumi.ComponentResource):
    """A function, its role, its policy and its log group.

    Attributes:
        function: the Lambda function.
        policy: the role's policy: what depends on the function's rights depends on it.
    """

    def __init__(self, spec: FunctionSpec, settings: Settings, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("cesta:codigo:Funcao", spec.base, None, opts)
        own = pulumi.ResourceOptions(parent=self)
        log_group = aws.cloudwatch.LogGroup(
            spec.base, name=Names.logs_da_funcao(spec.name), retention_in_days=settings.retencao_logs_dias, opts=own
        )
        role = aws.iam.Role(
            spec.base,
            name=Names.papel(spec.name),
            assume_role_policy=aws.get_caller_identity_output().account_id.apply(
                lambda account: json.dumps(trust_lambda(account=account))
            ),
            opts=own,
        )
        self.policy = aws.iam.RolePolicy(
            spec.base,
            name=spec.name,
            role=role.name,
            policy=pulumi.Output.all(log_group=log_group.arn, **spec.grants).apply(
                lambda arns: json.dumps(traced(spec.policy(**arns), FUNCTION_TRACES, on=settings.rastreamento))
            ),
            opts=own,
        )
        self.function = aws.lambda_.Function(
            spec.base,
            name=spec.name,
            role=role.arn,
            runtime=_RUNTIME,
            architectures=[_ARCHITECTURE],
            memory_size=_MEMORY_MB,
            timeout=spec.timeout,
            reserved_concurrent_executions=spec.reserved,
            handler=spec.handler,
            code=pulumi.FileArchive(str(spec.code)),
            environment={
                "variables": {
                    "POWERTOOLS_SERVICE_NAME": spec.base,
                    "POWERTOOLS_LOG_LEVEL": "INFO",
                    STACK: settings.stack,
                    **spec.environment,
                }
            },
            tracing_config={"mode": "Active"} if settings.rastreamento else None,
            # Before the log group, Lambda would make one that never expires; before the policy, the first run fails.
            opts=pulumi.ResourceOptions(parent=self, depends_on=[log_group, self.policy]),
        )
        self.register_outputs({})


def seconds_text(value: float) -> str:
    """A time for a function's environment: no trailing ``.0``, nor the dust of a product such as 900 x 0.07."""
    return f"{value:.10g}"
