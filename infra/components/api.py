"""The front door: REST API, the function behind it, and who may reach it."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_aws as aws

from handlers.domain import environment as env
from infra.components.access_log import AccessLog
from infra.components.functions import FunctionSpec, LambdaFunction
from infra.cors import allow_origins, preflights
from infra.names import ESTAGIO
from infra.openapi import openapi, routes
from policies import functions as policies

if TYPE_CHECKING:
    from pathlib import Path

    from chalice.app import Chalice

    from infra.components.queues import Queues
    from infra.components.tables import Tables
    from infra.config import Settings
    from infra.names import Names

__all__ = ["Api"]

_API_SECONDS: Final = 10
"""API Gateway gives up after 29 s, and a client long before (case C34)."""


class Api(pulumi.ComponentResource):
    """``POST /pedidos`` and ``GET /pedidos/{pedidoId}``, as the Chalice app declares them.

    Attributes:
        url: where the routes are, stage included, without trailing slash.
    """

    def __init__(
        self, names: Names, settings: Settings, tables: Tables, queues: Queues, *, app: Chalice, code: Path
    ) -> None:
        super().__init__("cesta:entrada:Api", "entrada")
        own = pulumi.ResourceOptions(parent=self)
        function = LambdaFunction(
            FunctionSpec(
                base="api",
                name=names.funcao_api,
                code=code,
                handler="app.app",
                timeout=_API_SECONDS,
                environment=_environment(settings, tables, queues),
                policy=policies.api,
                grants={"pedidos": tables.pedidos.arn, "criados": queues.criados.arn},
                reserved=settings.concorrencia_reservada_api,
            ),
            settings,
            opts=own,
        ).function
        body = function.invoke_arn.apply(
            lambda arn: json.dumps(
                allow_origins(
                    openapi(
                        app,
                        title=names.api,
                        invoke_arn=arn,
                        authorizer=settings.authorizer,
                        user_pools=settings.user_pools,
                    ),
                    settings.origens_permitidas,
                ),
                sort_keys=True,
            )
        )
        rest_api = aws.apigateway.RestApi(
            "api", name=names.api, body=body, endpoint_configuration={"types": "REGIONAL"}, opts=own
        )
        for route in (*routes(app), *(preflights(app) if settings.origens_permitidas else ())):
            aws.lambda_.Permission(
                route.key,
                action="lambda:InvokeFunction",
                function=function.name,
                principal="apigateway.amazonaws.com",
                source_arn=pulumi.Output.concat(rest_api.execution_arn, "/*/", route.permission_path),
                opts=own,
            )
        deployment = aws.apigateway.Deployment(
            "api",
            rest_api=rest_api.id,
            # A deployment is a snapshot: without this a changed route is never served (case C46).
            triggers={"body": body.apply(lambda text: hashlib.sha256(text.encode()).hexdigest())},
            opts=own,
        )
        access_log = AccessLog(names, settings, opts=own)
        stage = aws.apigateway.Stage(
            "api",
            rest_api=rest_api.id,
            deployment=deployment.id,
            stage_name=ESTAGIO,
            access_log_settings=access_log.stage,
            xray_tracing_enabled=settings.rastreamento,
            opts=pulumi.ResourceOptions(parent=self, depends_on=access_log.ready),
        )
        aws.apigateway.MethodSettings(
            "api",
            rest_api=rest_api.id,
            stage_name=stage.stage_name,
            method_path="*/*",
            settings={
                "throttling_rate_limit": settings.requisicoes_por_segundo,
                "throttling_burst_limit": settings.rajada_de_requisicoes,
                "metrics_enabled": settings.metricas_detalhadas,
                # Execution logs would hold whole requests, card tokens and all: said here, so that a stage where
                # somebody turned them on by hand is put right.
                "logging_level": "OFF",
                "data_trace_enabled": False,
            },
            opts=own,
        )
        self.url = stage.invoke_url
        self.register_outputs({})


def _environment(settings: Settings, tables: Tables, queues: Queues) -> dict[str, pulumi.Input[str]]:
    variables: dict[str, pulumi.Input[str]] = {
        env.TABELA_PEDIDOS: tables.pedidos.name,
        env.FILA_CRIADOS_URL: queues.criados.url,
        env.INJECAO_DE_FALHAS: str(settings.injecao_de_falhas).lower(),
    }
    if settings.origens_permitidas:
        variables[env.ORIGENS_PERMITIDAS] = ",".join(settings.origens_permitidas)
    if settings.api_url_base is not None:
        variables[env.API_URL_BASE] = settings.api_url_base
    return variables
