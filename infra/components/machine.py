"""A state machine with its role and its log: the saga, and the part of it that resumes."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pulumi
import pulumi_aws as aws

from infra.names import Names
from infra.saga.compiler import to_json
from infra.sagas.pedido import Recursos
from policies.documents import trust
from policies.machine import MachineTargets, machine
from policies.tracing import MACHINE_TRACES, traced

if TYPE_CHECKING:
    from collections.abc import Callable

    from infra.components.queues import Queues
    from infra.components.steps import Steps
    from infra.components.tables import Tables
    from infra.config import Settings
    from infra.sagas.pedido import AjustesDaSaga
    from policies.documents import PolicyDocument

__all__ = ["Machine", "Surroundings"]


@dataclass(frozen=True)
class Surroundings:
    """What both machines are deployed among."""

    settings: Settings
    tables: Tables
    queues: Queues
    steps: Steps
    account: pulumi.Input[str]


class Machine(pulumi.ComponentResource):
    """A Standard state machine: each state runs once unless its Retry says otherwise, and histories last 90 days.

    Attributes:
        machine: the state machine.
    """

    def __init__(
        self,
        key: str,
        *,
        name: str,
        compilar: Callable[[AjustesDaSaga, Recursos], dict[str, Any]],
        around: Surroundings,
    ) -> None:
        super().__init__("cesta:saga:Maquina", key)
        own = pulumi.ResourceOptions(parent=self)
        definition = _definition(compilar, around)
        log_group = aws.cloudwatch.LogGroup(
            key,
            name=Names.logs_da_maquina(name),
            retention_in_days=around.settings.retencao_logs_dias,
            opts=own,
        )
        role = aws.iam.Role(
            key,
            name=Names.papel(name),
            assume_role_policy=pulumi.Output.all(around.account, aws.get_region_output().region).apply(
                lambda at: json.dumps(
                    trust(
                        "states.amazonaws.com",
                        account=at[0],
                        source=f"arn:aws:states:{at[1]}:{at[0]}:stateMachine:{name}",
                    )
                )
            ),
            opts=own,
        )
        policy = aws.iam.RolePolicy(key, name=name, role=role.name, policy=_policy(definition, around), opts=own)
        self.machine = aws.sfn.StateMachine(
            key,
            name=name,
            type="STANDARD",
            role_arn=role.arn,
            definition=definition.apply(to_json),
            # Every state and error, but no data: the message that calls a person holds the task token, and a token is
            # treated like a password (design §8). The history keeps the data for 90 days, behind its own permission.
            logging_configuration={
                "level": "ALL",
                "include_execution_data": False,
                "log_destination": pulumi.Output.concat(log_group.arn, ":*"),
            },
            tracing_configuration={"enabled": True} if around.settings.rastreamento else None,
            # CreateStateMachine checks that the role can deliver the log: without this it fails every other time.
            opts=pulumi.ResourceOptions(parent=self, depends_on=[policy]),
        )
        self.register_outputs({})


def _definition(
    compilar: Callable[[AjustesDaSaga, Recursos], dict[str, Any]], around: Surroundings
) -> pulumi.Output[dict[str, Any]]:
    functions = {etapa.value: function.arn for etapa, function in around.steps.functions.items()}
    return pulumi.Output.all(
        functions=pulumi.Output.all(**functions),
        pedidos=around.tables.pedidos.name,
        humana=around.queues.humana.url,
    ).apply(
        lambda names: compilar(around.settings.saga, Recursos(names["functions"], names["pedidos"], names["humana"]))
    )


def _policy(definition: pulumi.Output[dict[str, Any]], around: Surroundings) -> pulumi.Output[str]:
    return pulumi.Output.all(
        definition=definition,
        functions=pulumi.Output.all(*(function.arn for function in around.steps.functions.values())),
        pedidos=around.tables.pedidos.name,
        pedidos_arn=around.tables.pedidos.arn,
        humana=around.queues.humana.url,
        humana_arn=around.queues.humana.arn,
    ).apply(lambda known: json.dumps(_role_policy(known, traces=around.settings.rastreamento)))


def _role_policy(known: dict[str, Any], *, traces: bool) -> PolicyDocument:
    return traced(machine(known["definition"], _targets(known)), MACHINE_TRACES, on=traces)


def _targets(known: dict[str, Any]) -> MachineTargets:
    return MachineTargets(
        functions={arn: arn for arn in known["functions"]},
        tables={known["pedidos"]: known["pedidos_arn"]},
        queues={known["humana"]: known["humana_arn"]},
    )
