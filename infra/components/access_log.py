"""The API's access log: who asked for what and how it went, never what was in it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_aws as aws

from infra.config import LogsDeAcesso
from infra.names import Names
from policies.documents import trust

if TYPE_CHECKING:
    from infra.config import Settings

__all__ = ["FORMAT", "AccessLog"]

_PUSH_LOGS: Final = "arn:aws:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs"
"""AWS's own policy: API Gateway refuses, for the whole account, a role that may do less."""

FORMAT: Final = json.dumps(
    {
        # Not $context.requestId, which a client can set; and no path, query or header, where a client can put anything.
        "requestId": "$context.extendedRequestId",
        "quando": "$context.requestTimeEpoch",
        "ip": "$context.identity.sourceIp",
        "quem": "$context.identity.userArn",
        "sub": "$context.authorizer.claims.sub",
        "metodo": "$context.httpMethod",
        "rota": "$context.resourcePath",
        "status": "$context.status",
        "erro": "$context.error.responseType",
        "latenciaMs": "$context.responseLatency",
        "funcaoMs": "$context.integration.latency",
        "funcaoStatus": "$context.integration.status",
        "bytes": "$context.responseLength",
    }
)
"""One line of JSON per request, of API Gateway's variables ("Variables for access logging")."""


class AccessLog(pulumi.ComponentResource):
    """The log group, and the role API Gateway writes with where the stack makes it.

    That role is a setting of the account, one per region for all of its APIs: of the stacks in one account, one makes
    it. Prod's stays when the stack goes, since other APIs log by it.

    Attributes:
        stage: the stage's ``access_log_settings``; None where the stack keeps no access log.
        ready: what a stage that logs depends on.
    """

    def __init__(self, names: Names, settings: Settings, *, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("cesta:entrada:LogDeAcesso", "acessos", None, opts)
        own = pulumi.ResourceOptions(parent=self)
        self.stage: aws.apigateway.StageAccessLogSettingsArgsDict | None = None
        self.ready: list[pulumi.Resource] = []
        if settings.logs_de_acesso is not LogsDeAcesso.DESLIGADOS:
            group = aws.cloudwatch.LogGroup(
                "acessos",
                name=Names.logs_de_acesso(names.api),
                retention_in_days=settings.retencao_logs_dias,
                opts=own,
            )
            self.stage = {"destination_arn": group.arn, "format": FORMAT}
        if settings.logs_de_acesso is LogsDeAcesso.PAPEL_PROPRIO:
            self.ready = [self._account_role(names, kept=settings.producao)]
        self.register_outputs({})

    def _account_role(self, names: Names, *, kept: bool) -> aws.apigateway.Account:
        own = pulumi.ResourceOptions(parent=self, retain_on_delete=kept)
        role = aws.iam.Role(
            "acessos",
            name=Names.papel(f"{names.api}-acessos"),
            # API Gateway does not say for whom it acts here (API Gateway, "Permissions for CloudWatch logging").
            assume_role_policy=json.dumps(trust("apigateway.amazonaws.com")),
            opts=own,
        )
        push = aws.iam.RolePolicyAttachment("acessos", role=role.name, policy_arn=_PUSH_LOGS, opts=own)
        # API Gateway tries the role at once, so what it may do comes first.
        return aws.apigateway.Account(
            "acessos",
            cloudwatch_role_arn=role.arn,
            opts=pulumi.ResourceOptions(parent=self, retain_on_delete=kept, depends_on=[push]),
        )
