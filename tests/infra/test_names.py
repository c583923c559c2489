"""Names, tags and exports: what other people and commands rely on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.infra.harness import ACCOUNT, FUNCTIONS, REGION

if TYPE_CHECKING:
    from tests.infra.harness import Run

pytestmark = pytest.mark.infra

UNTAGGABLE = {
    "aws:apigateway/account:Account",
    "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
    "aws:apigateway/deployment:Deployment",
    "aws:apigateway/methodSettings:MethodSettings",
    "aws:cloudwatch/dashboard:Dashboard",
    "aws:cloudwatch/logDataProtectionPolicy:LogDataProtectionPolicy",
    "aws:cloudwatch/eventTarget:EventTarget",
    "aws:iam/rolePolicy:RolePolicy",
    "aws:lambda/functionEventInvokeConfig:FunctionEventInvokeConfig",
    "aws:lambda/permission:Permission",
    "aws:sns/topicPolicy:TopicPolicy",
    "aws:sns/topicSubscription:TopicSubscription",
    "aws:sqs/queuePolicy:QueuePolicy",
    "aws:sqs/redriveAllowPolicy:RedriveAllowPolicy",
}


@pytest.mark.parametrize(("stack_name", "prefix"), [("prod", "cesta"), ("dev", "cesta-dev"), ("local", "cesta-local")])
def test_every_name_is_the_contracts(stack_name: str, prefix: str, request: pytest.FixtureRequest) -> None:
    run: Run = request.getfixturevalue(stack_name)
    assert run.names_of("dynamodb/table:Table") == {f"{prefix}-pedidos", f"{prefix}-estoque"}
    assert run.names_of("sqs/queue:Queue") == {
        f"{prefix}-pedidos-criados",
        f"{prefix}-pedidos-criados-dlq",
        f"{prefix}-compensacao-falhou",
    }
    assert run.names_of("sns/topic:Topic") == {f"{prefix}-saga-alertas"}
    assert run.names_of("sfn/stateMachine:StateMachine") == {f"{prefix}-saga-pedido", f"{prefix}-saga-retomada"}
    assert run.names_of("lambda/function:Function") == {f"{prefix}-{base}" for base in FUNCTIONS}
    assert run.names_of("cloudwatch/dashboard:Dashboard") == {f"{prefix}-saga"}
    assert run.names_of("cloudwatch/logGroup:LogGroup") == {
        *(f"/aws/lambda/{prefix}-{base}" for base in FUNCTIONS),
        f"/aws/vendedlogs/states/{prefix}-saga-pedido",
        f"/aws/vendedlogs/states/{prefix}-saga-retomada",
        *([] if stack_name == "local" else [f"/aws/apigateway/{prefix}-api"]),
        *([] if stack_name == "local" else [f"/aws/vendedlogs/{prefix}-cartoes-achados"]),
    }


def test_no_two_resources_have_one_urn(stack: Run) -> None:
    urns = [resource.urn for resource in stack.resources]
    assert len(urns) == len(set(urns))


def test_the_exports_are_what_the_commands_read(dev: Run) -> None:
    queue = f"https://sqs.{REGION}.amazonaws.com/{ACCOUNT}/cesta-dev"
    machine = f"arn:aws:states:{REGION}:{ACCOUNT}:stateMachine:cesta-dev-saga"
    alarms = dev.exports.pop("alarmes")
    assert dev.exports == {
        "apiUrl": f"https://abc123.execute-api.{REGION}.amazonaws.com/api",
        "authorizer": "iam",
        "regiao": REGION,
        "tabelaPedidos": "cesta-dev-pedidos",
        "tabelaEstoque": "cesta-dev-estoque",
        "filaCriadosUrl": f"{queue}-pedidos-criados",
        "filaCriadosDlqUrl": f"{queue}-pedidos-criados-dlq",
        "filaHumanaUrl": f"{queue}-compensacao-falhou",
        "topicoArn": f"arn:aws:sns:{REGION}:{ACCOUNT}:cesta-dev-saga-alertas",
        "maquinaPedidoArn": f"{machine}-pedido",
        "maquinaRetomadaArn": f"{machine}-retomada",
    }
    composite = dev.names_of("cloudwatch/compositeAlarm:CompositeAlarm")
    assert set(alarms.values()) == dev.names_of("cloudwatch/metricAlarm:MetricAlarm") | composite
    assert alarms["compensacao-pendente"] == "cesta-dev-saga-compensacao-pendente"


def test_everything_that_takes_tags_is_tagged(stack: Run) -> None:
    name = stack.stack
    tagged = [resource for resource in stack.resources if resource.typ not in UNTAGGABLE]
    assert tagged
    for resource in tagged:
        assert resource.inputs["tags"] == {"Projeto": "cesta", "Stack": name}, resource.urn
