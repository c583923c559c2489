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
from infra.components.detection import Detection, note_log_groups
from infra.components.machine import Machine, Surroundings
from infra.components.queues import Queues
from infra.components.reconciler import Reconciler
from infra.components.starter import Starter
from infra.components.steps import Steps
from infra.components.tables import Tables
from infra.components.tags import tag_everything
from infra.config import LOCAL, load
from infra.config_errors import SettingsError
from infra.names import Names
from infra.openapi import load_app
from infra.saga.errors import SagaError
from infra.sagas.ours import prove_ours
from infra.sagas.pedido import compilar, compilar_retomada

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

API_DIR = packaging.ROOT / "api"


def program(build: Callable[[packaging.Package], Path] | None = None) -> None:
    """Declares every resource of the stack in course.

    Args:
        build: makes a zip and says where it is; `packaging.build` by default.

    Raises:
        pulumi.RunError: a setting is wrong, the saga is not proved with it, or a zip cannot be built; the CLI prints
            its text as it is.
    """
    build = build or packaging.build
    try:
        settings = load(pulumi.Config())
        prove_ours(settings.saga)
        steps_zip, api_zip = build(packaging.HANDLERS), build(packaging.API)
    except (SettingsError, SagaError, packaging.PackagingError) as error:
        raise pulumi.RunError(str(error)) from None
    if settings.gateway_provisorio:
        pulumi.log.warn("cesta:gatewayUrl ainda é o endereço de exemplo: toda cobrança vai falhar")
    names = Names(settings.stack)
    tag_everything(settings.stack)
    log_groups = note_log_groups()
    account = aws.get_caller_identity_output().account_id

    tables = Tables(names, protegidas=settings.producao)
    # The emulator speaks plain http, which a TLS-only policy refuses.
    tls = settings.stack != LOCAL
    queues = Queues(names, iniciador_segundos=settings.lambda_segundos, somente_tls=tls, protegida=settings.producao)
    steps = Steps(names, settings, tables, steps_zip)
    around = Surroundings(settings, tables, queues, steps, account)
    pedido = Machine("pedido", name=names.maquina_pedido, compilar=compilar, around=around)
    retomada = Machine("retomada", name=names.maquina_retomada, compilar=compilar_retomada, around=around)
    api = Api(names, settings, tables, queues, app=load_app(API_DIR), code=api_zip)
    Starter(names, settings, tables, queues, pedido=pedido, code=api_zip)
    machines = {"pedido": pedido, "retomada": retomada}
    reconciler = Reconciler(names, settings, tables, queues, machines=machines, code=steps_zip, over_tls=tls)
    alarms = Alarms(
        names,
        queues=queues,
        machines=machines,
        reconciler=reconciler,
        account=account,
        email=settings.alertas_email,
        over_tls=tls,
    )
    if settings.stack != LOCAL:
        Detection(
            names,
            alarms=alarms,
            maquina=pedido.machine.arn,
            account=account,
            log_groups=log_groups,
            retencao_logs_dias=settings.retencao_logs_dias,
        )

    pulumi.export("apiUrl", api.url)
    pulumi.export("authorizer", settings.authorizer.value)
    pulumi.export("regiao", aws.get_region_output().region)
    pulumi.export("tabelaPedidos", tables.pedidos.name)
    pulumi.export("tabelaEstoque", tables.estoque.name)
    pulumi.export("filaCriadosUrl", queues.criados.url)
    pulumi.export("filaCriadosDlqUrl", queues.criados_dlq.url)
    pulumi.export("filaHumanaUrl", queues.humana.url)
    pulumi.export("topicoArn", alarms.topic.arn)
    pulumi.export("maquinaPedidoArn", pedido.machine.arn)
    pulumi.export("maquinaRetomadaArn", retomada.machine.arn)
    pulumi.export("alarmes", alarms.names)


if __name__ == "__main__":
    program()
