"""The starter: takes orders off the entry queue and starts one execution each."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pulumi
import pulumi_aws as aws

from handlers.domain import environment as env
from infra.components.functions import FunctionSpec, LambdaFunction, seconds_text
from infra.config import LOTE_DO_INICIADOR
from policies import functions as policies

if TYPE_CHECKING:
    from pathlib import Path

    from infra.components.machine import Machine
    from infra.components.queues import Queues
    from infra.components.tables import Tables
    from infra.config import Settings
    from infra.names import Names

__all__ = ["Starter"]


class Starter(pulumi.ComponentResource):
    """The function, and the event source mapping that feeds it."""

    def __init__(
        self, names: Names, settings: Settings, tables: Tables, queues: Queues, *, pedido: Machine, code: Path
    ) -> None:
        super().__init__("cesta:entrada:Iniciador", "partida")
        own = pulumi.ResourceOptions(parent=self)
        maquina = pedido.machine.arn
        function = LambdaFunction(
            FunctionSpec(
                base="iniciador",
                name=names.funcao_iniciador,
                code=code,
                handler="app.iniciador",
                timeout=settings.lambda_segundos,
                environment={
                    env.TABELA_PEDIDOS: tables.pedidos.name,
                    env.MAQUINA_ARN: maquina,
                    env.SEGUNDOS_POR_INICIO: seconds_text(settings.segundos_por_inicio),
                },
                policy=policies.iniciador,
                grants={"pedidos": tables.pedidos.arn, "criados": queues.criados.arn, "maquina": maquina},
            ),
            settings,
            opts=own,
        )
        aws.lambda_.EventSourceMapping(
            "criados",
            event_source_arn=queues.criados.arn,
            function_name=function.function.arn,
            batch_size=LOTE_DO_INICIADOR,
            # One bad message must not send nine good ones round again.
            function_response_types=["ReportBatchItemFailures"],
            # On the mapping, not reserved on the function: a throttled delivery counts as a receive (case C30).
            scaling_config={"maximum_concurrency": settings.concorrencia_maxima_iniciador},
            # Lambda checks at creation that the role can read the queue.
            opts=pulumi.ResourceOptions(parent=self, depends_on=[function.policy]),
        )
        self.register_outputs({})
