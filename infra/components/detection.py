"""What would show that somebody went round the front door, or that a card number reached a log.

Not on the embedded stack: its emulator has no CloudTrail, so the rule could never match, and scans no logs.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pulumi
import pulumi_aws as aws

from infra.names import Names
from infra.observability.alarms import Alarm
from infra.observability.series import Series
from policies import detection as policies
from policies.documents import trust

if TYPE_CHECKING:
    from collections.abc import Mapping

    from infra.components.alarms import Alarms
    from infra.components.machine import Machine
    from infra.config import Settings

__all__ = ["Detection", "note_log_groups"]


def note_log_groups() -> dict[str, aws.cloudwatch.LogGroup]:
    """Every log group declared from here on, by its logical name, as it is declared: none can be forgotten."""
    noted: dict[str, aws.cloudwatch.LogGroup] = {}

    def note(args: pulumi.ResourceTransformationArgs) -> None:
        if isinstance(args.resource, aws.cloudwatch.LogGroup):
            noted[args.name] = args.resource

    pulumi.runtime.register_stack_transformation(note)
    return noted


class Detection(pulumi.ComponentResource):
    """Two watches, both ending in the alerts topic.

    EventBridge hears of API calls only where the account keeps a CloudTrail trail of management events in the region:
    docs/policies.md says how to see that it does.
    """

    def __init__(
        self,
        names: Names,
        settings: Settings,
        *,
        alarms: Alarms,
        pedido: Machine,
        account: pulumi.Input[str],
        log_groups: Mapping[str, aws.cloudwatch.LogGroup],
    ) -> None:
        super().__init__("cesta:observacao:Deteccao", "deteccao")
        self._own = pulumi.ResourceOptions(parent=self)
        self._strange_starts(names, alarms.topic.arn, pedido.machine.arn, account)
        self._card_numbers(names, alarms, dict(log_groups), settings.retencao_logs_dias)
        self.register_outputs({})

    def _strange_starts(
        self, names: Names, topic: pulumi.Input[str], maquina: pulumi.Input[str], account: pulumi.Input[str]
    ) -> None:
        """StartExecution of the saga by anybody but the starter: an order nobody accepted, or a made-up one."""
        starter = pulumi.Output.concat("arn:aws:iam::", account, ":role/", Names.papel(names.funcao_iniciador))
        rule = aws.cloudwatch.EventRule(
            "partida-estranha",
            name=names.regra_partida_estranha,
            description="A saga foi iniciada por quem não é o iniciador",
            event_pattern=pulumi.Output.all(maquina=maquina, iniciador=starter).apply(
                lambda known: json.dumps(policies.strange_starts(**known))
            ),
            opts=self._own,
        )
        # A role, because a topic's policy takes no condition on EventBridge, and any rule of any account would do.
        role = aws.iam.Role(
            "vigia",
            name=Names.papel(names.vigia),
            assume_role_policy=pulumi.Output.all(account=account, source=rule.arn).apply(
                lambda known: json.dumps(trust("events.amazonaws.com", **known))
            ),
            opts=self._own,
        )
        policy = aws.iam.RolePolicy(
            "vigia",
            name=names.vigia,
            role=role.name,
            policy=pulumi.Output.from_input(topic).apply(lambda arn: json.dumps(policies.vigia(topico=arn))),
            opts=self._own,
        )
        aws.cloudwatch.EventTarget(
            "partida-estranha",
            rule=rule.name,
            arn=topic,
            role_arn=role.arn,
            input_transformer={
                "input_paths": {
                    "quem": "$.detail.userIdentity.arn",
                    "quando": "$.detail.eventTime",
                    "de": "$.detail.sourceIPAddress",
                    "nome": "$.detail.requestParameters.name",
                },
                "input_template": '"A saga foi iniciada fora do iniciador: execução <nome>, por <quem>, de <de>, em '
                '<quando>. Veja docs/runbook.md."',
            },
            opts=pulumi.ResourceOptions(parent=self, depends_on=[policy]),
        )

    def _card_numbers(
        self,
        names: Names,
        alarms: Alarms,
        log_groups: Mapping[str, aws.cloudwatch.LogGroup],
        retencao_logs_dias: int,
    ) -> None:
        """A mask on every log, reports of what was masked in a log of their own, and an alarm on the first of them."""
        # Under /aws/vendedlogs/, as the machines' logs (case C44): the reports are delivered the same way.
        findings = aws.cloudwatch.LogGroup(
            "cartoes-achados", name=names.logs_de_achados, retention_in_days=retencao_logs_dias, opts=self._own
        )
        for key, group in log_groups.items():
            aws.cloudwatch.LogDataProtectionPolicy(
                key,
                log_group_name=group.name,
                policy_document=findings.name.apply(lambda name: json.dumps(policies.mask_card_numbers(name))),
                opts=self._own,
            )
        alarms.add(
            Alarm(
                "cartao-em-log",
                "Um número de cartão apareceu num log e foi mascarado: o relatório em cartoes-achados diz em qual.",
                # CloudWatch Logs, "Monitoring with CloudWatch metrics".
                {"relatorios": Series("AWS/Logs", "IncomingLogEvents", {"LogGroupName": findings.name}, "Sum")},
            )
        )
