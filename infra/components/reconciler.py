"""The safety net: what ended outside any catcher reaches the reconciler, and what it cannot do reaches people."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_aws as aws

from handlers.domain import environment as env
from handlers.domain.credentials import CONSULTA
from infra.components.credentials import GatewayCredentials
from infra.components.functions import FunctionSpec, LambdaFunction, seconds_text
from policies import functions as policies
from policies.resources import human_queue

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from infra.components.machine import Machine
    from infra.components.queues import Queues
    from infra.components.tables import Tables
    from infra.config import Settings
    from infra.names import Names

__all__ = ["Reconciler"]

_TIMEOUT: Final = 60
"""Seconds: a round stops by itself before; shorter than the time after which a claim is taken for abandoned."""
_HOUR: Final = 3600
_ENDINGS: Final = ("FAILED", "TIMED_OUT", "ABORTED")
"""A saga that undid itself SUCCEEDS (design §4): each of these is always trouble."""


class Reconciler(pulumi.ComponentResource):
    """``cesta-conciliador``, the rules that call it, and where a call that failed ends: the human queue.

    Attributes:
        function: the Lambda function.
    """

    def __init__(
        self,
        names: Names,
        settings: Settings,
        tables: Tables,
        queues: Queues,
        *,
        machines: Mapping[str, Machine],
        code: Path,
    ) -> None:
        super().__init__("cesta:rede:Conciliador", "conciliador")
        self._own = pulumi.ResourceOptions(parent=self)
        arns = {key: machine.machine.arn for key, machine in machines.items()}
        built = LambdaFunction(
            _spec(names, settings, tables, queues, arns, code),
            settings,
            opts=self._own,
        )
        self.function = built.function
        aws.lambda_.FunctionEventInvokeConfig(
            "conciliador",
            function_name=self.function.name,
            maximum_retry_attempts=2,
            maximum_event_age_in_seconds=_HOUR,
            destination_config={"on_failure": {"destination": queues.humana.arn}},
            # Lambda checks that the role may send there.
            opts=pulumi.ResourceOptions(parent=self, depends_on=[built.policy]),
        )
        dead = self._rule_on_deaths(names.regra_execucoes_mortas, arns, queues)
        aws.sqs.QueuePolicy(
            "humana",
            queue_url=queues.humana.url,
            policy=pulumi.Output.all(queue=queues.humana.arn, rule=dead.arn).apply(
                lambda known: json.dumps(human_queue(**known, over_tls=settings.somente_tls))
            ),
            opts=self._own,
        )
        self._schedule(names.regra_conciliacao, settings.intervalo_conciliador_minutos)
        self.register_outputs({})

    def _rule_on_deaths(
        self, name: str, machines: Mapping[str, pulumi.Output[str]], queues: Queues
    ) -> aws.cloudwatch.EventRule:
        pattern = {
            "source": ["aws.states"],
            "detail-type": ["Step Functions Execution Status Change"],
            "detail": {"status": list(_ENDINGS), "stateMachineArn": list(machines.values())},
        }
        rule = aws.cloudwatch.EventRule(
            "execucoes-mortas",
            name=name,
            description="Uma execução da saga terminou fora de qualquer tratamento: o conciliador abre um caso",
            event_pattern=pulumi.Output.json_dumps(pattern),
            opts=self._own,
        )
        aws.cloudwatch.EventTarget(
            "execucoes-mortas",
            rule=rule.name,
            arn=self.function.arn,
            # An hour, not the day it would be: what cannot be delivered is for a person, and soon.
            retry_policy={"maximum_event_age_in_seconds": _HOUR, "maximum_retry_attempts": 20},
            dead_letter_config={"arn": queues.humana.arn},
            opts=self._own,
        )
        self._let_call("execucoes-mortas", rule)
        return rule

    def _schedule(self, name: str, minutes: int) -> None:
        rule = aws.cloudwatch.EventRule(
            "conciliacao",
            name=name,
            description="Rodada do conciliador",
            schedule_expression=f"rate({minutes} minute{'s' if minutes > 1 else ''})",
            opts=self._own,
        )
        # No dead-letter queue: a round that was not delivered is made up for by the next.
        aws.cloudwatch.EventTarget(
            "conciliacao",
            rule=rule.name,
            arn=self.function.arn,
            retry_policy={"maximum_event_age_in_seconds": 60 * minutes, "maximum_retry_attempts": 2},
            opts=self._own,
        )
        self._let_call("conciliacao", rule)

    def _let_call(self, key: str, rule: aws.cloudwatch.EventRule) -> None:
        aws.lambda_.Permission(
            f"conciliador-{key}",
            statement_id=key,
            action="lambda:InvokeFunction",
            function=self.function.name,
            principal="events.amazonaws.com",
            source_arn=rule.arn,
            opts=self._own,
        )


def _spec(
    names: Names,
    settings: Settings,
    tables: Tables,
    queues: Queues,
    machines: Mapping[str, pulumi.Output[str]],
    code: Path,
) -> FunctionSpec:
    # It looks charges up, and can neither charge nor refund.
    credentials = GatewayCredentials(settings, CONSULTA)
    return FunctionSpec(
        base="conciliador",
        name=names.funcao_conciliador,
        code=code,
        handler="handlers.conciliador.handler",
        timeout=_TIMEOUT,
        environment={
            env.TABELA_PEDIDOS: tables.pedidos.name,
            env.TABELA_ESTOQUE: tables.estoque.name,
            env.FILA_CRIADOS_URL: queues.criados.url,
            env.FILA_HUMANA_URL: queues.humana.url,
            env.MAQUINA_ARN: machines["pedido"],
            env.MAQUINA_RETOMADA_ARN: machines["retomada"],
            **credentials.environment,
            env.GATEWAY_URL: settings.gateway_url,
            env.GATEWAY_CONEXAO_SEGUNDOS: seconds_text(settings.gateway_conexao_segundos),
            env.GATEWAY_LEITURA_SEGUNDOS: seconds_text(settings.gateway_leitura_segundos),
            env.ESPERA_INICIO_SEGUNDOS: seconds_text(settings.no_relogio(settings.espera_inicio_segundos)),
            env.REVERIFICACAO_SEGUNDOS: seconds_text(settings.no_relogio(settings.reverificacao_segundos)),
            env.REVERIFICACAO_FINAL_SEGUNDOS: seconds_text(settings.no_relogio(settings.reverificacao_final_segundos)),
        },
        policy=policies.conciliador,
        grants={
            **credentials.grants,
            "pedidos": tables.pedidos.arn,
            "estoque": tables.estoque.arn,
            "criados": queues.criados.arn,
            "humana": queues.humana.arn,
            "maquina": machines["pedido"],
            "retomada": machines["retomada"],
        },
    )
