"""The system, put together: read this and you know what a stack is made of.

``pulumi up`` runs this file; the embedded stack and the tests import `program` and run it on monitors of their own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pulumi
import pulumi_aws as aws

from infra import packaging
from infra.components.alarms import Alarms
from infra.components.api import Api
from infra.components.dashboard import Dashboard
from infra.components.detection import Detection, note_log_groups
from infra.components.machine import Machine, Surroundings
from infra.components.queues import Queues
from infra.components.reconciler import Reconciler
from infra.components.starter import Starter
from infra.components.steps import Steps
from infra.components.tables import Tables
from infra.components.tags import tag_everything
from infra.config import LOCAL
from infra.names import Names
from infra.openapi import API_DIR, load_app
from infra.preparation import prepare
from infra.sagas.pedido import compilar, compilar_retomada

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def program(build: Callable[[packaging.Package], Path] = packaging.build) -> None:
    """Declares every resource of the stack in course; raises `pulumi.RunError` as `prepare` does."""
    prepared = prepare(build)
    settings, names = prepared.settings, Names(prepared.settings.stack)
    tag_everything(settings.stack)
    log_groups = note_log_groups()
    account = aws.get_caller_identity_output().account_id

    tables = Tables(names, protegidas=settings.producao)
    queues = Queues(names, settings)
    steps = Steps(names, settings, tables, prepared.steps_zip)
    around = Surroundings(settings, tables, queues, steps, account)
    pedido = Machine("pedido", name=names.maquina_pedido, compilar=compilar, around=around)
    retomada = Machine("retomada", name=names.maquina_retomada, compilar=compilar_retomada, around=around)
    machines = {"pedido": pedido, "retomada": retomada}
    api = Api(names, settings, tables, queues, app=load_app(API_DIR), code=prepared.api_zip)
    Starter(names, settings, tables, queues, pedido=pedido, code=prepared.api_zip)
    Reconciler(names, settings, tables, queues, machines=machines, code=prepared.steps_zip)
    alarms = Alarms(names, settings, machines=machines, account=account)
    if settings.stack != LOCAL:
        # What CloudTrail and CloudWatch Logs find; the emulator has neither.
        Detection(names, settings, alarms=alarms, pedido=pedido, account=account, log_groups=log_groups)
    Dashboard(names, settings, alarms)

    outputs = {
        "apiUrl": api.url,
        "authorizer": settings.authorizer.value,
        "regiao": aws.get_region_output().region,
        "tabelaPedidos": tables.pedidos.name,
        "tabelaEstoque": tables.estoque.name,
        "filaCriadosUrl": queues.criados.url,
        "filaCriadosDlqUrl": queues.criados_dlq.url,
        "filaHumanaUrl": queues.humana.url,
        "topicoArn": alarms.topic.arn,
        "maquinaPedidoArn": pedido.machine.arn,
        "maquinaRetomadaArn": retomada.machine.arn,
        "alarmes": alarms.names,
    }
    for name, value in outputs.items():
        pulumi.export(name, value)


if __name__ == "__main__":
    program()
