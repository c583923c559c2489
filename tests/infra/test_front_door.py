"""The starter's mapping and the REST API."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.infra.harness import ACCOUNT, GATEWAY, REGION, queue_arn, run_program

if TYPE_CHECKING:
    from pathlib import Path

    from tests.infra.harness import Run

pytestmark = pytest.mark.infra


def test_the_starter_is_fed_in_batches_that_fail_one_by_one(stack: Run) -> None:
    names = stack.names
    (mapping,) = stack.of("lambda/eventSourceMapping:EventSourceMapping")
    assert mapping.inputs["eventSourceArn"] == queue_arn(names.fila_criados)
    assert mapping.inputs["functionName"].endswith(f":function:{names.funcao_iniciador}")
    assert mapping.inputs["functionResponseTypes"] == ["ReportBatchItemFailures"]
    assert mapping.inputs["batchSize"] == 10
    assert mapping.inputs["scalingConfig"]["maximumConcurrency"] >= 2
    assert stack.one("iam/rolePolicy:RolePolicy", names.funcao_iniciador).urn in mapping.depends_on


def test_the_rest_api_may_call_its_function_on_its_own_routes_only(stack: Run) -> None:
    names = stack.names
    sources = {
        permission.inputs["sourceArn"]: permission.inputs
        for permission in stack.of("lambda/permission:Permission")
        if permission.inputs["function"] != names.funcao_conciliador
    }
    execution = f"arn:aws:execute-api:{REGION}:{ACCOUNT}:abc123"
    assert set(sources) == {f"{execution}/*/POST/pedidos", f"{execution}/*/GET/pedidos/*"}
    for permission in sources.values():
        assert permission["function"] == names.funcao_api
        assert permission["principal"] == "apigateway.amazonaws.com"
        assert permission["action"] == "lambda:InvokeFunction"


def test_the_api_s_function_ends_long_before_the_gateway_gives_up(stack: Run) -> None:
    assert stack.function("api").inputs["timeout"] <= 10


def test_the_stage_serves_the_deployment_of_the_present_body(stack: Run) -> None:
    (deployment,) = stack.of("apigateway/deployment:Deployment")
    (stage,) = stack.of("apigateway/stage:Stage")
    (rest_api,) = stack.of("apigateway/restApi:RestApi")
    assert stage.inputs["stageName"] == "api"
    assert deployment.urn in stage.depends_on
    assert rest_api.urn in deployment.depends_on
    assert re.fullmatch(r"[0-9a-f]{64}", deployment.inputs["triggers"]["body"])
    (throttle,) = stack.of("apigateway/methodSettings:MethodSettings")
    assert throttle.inputs["methodPath"] == "*/*"
    assert throttle.inputs["settings"]["throttlingRateLimit"] > 0


def test_a_changed_route_is_a_new_deployment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    triggers = [trigger_of(tmp_path / name, extra, monkeypatch) for name, extra in (("a", ""), ("b", "/x"), ("c", ""))]
    assert triggers[0] == triggers[2]
    assert triggers[0] != triggers[1]


def trigger_of(folder: Path, extra: str, monkeypatch: pytest.MonkeyPatch) -> str:
    folder.mkdir()
    (folder / "app.py").write_text(
        "from chalice import Chalice\n"
        "app = Chalice(app_name='cesta')\n"
        "@app.route('/pedidos', methods=['POST'])\n"
        "def criar(): return {}\n" + (f"@app.route({extra!r})\ndef outra(): return {{}}\n" if extra else "")
    )
    monkeypatch.setattr("infra.__main__.API_DIR", folder)
    (deployment,) = run_program("dev", GATEWAY).of("apigateway/deployment:Deployment")
    return deployment.inputs["triggers"]["body"]


@pytest.mark.parametrize(
    ("settings", "scheme"),
    [
        ({}, "awsSigv4"),
        (
            {
                "cesta:authorizer": "cognito",
                "cesta:cognitoUserPoolArn": "arn:aws:cognito-idp:us-east-1:123456789012:userpool/us-east-1_AbC",
            },
            "cognito_user_pools",
        ),
    ],
)
def test_every_route_asks_for_credentials(settings: dict[str, str], scheme: str) -> None:
    body = run_program("prod", GATEWAY | settings).body()
    ((name, definition),) = body["securityDefinitions"].items()
    assert definition["x-amazon-apigateway-authtype"] == scheme
    routes = [method for methods in body["paths"].values() for method in methods.values()]
    assert len(routes) == 2
    assert all(method["security"] == [{name: []}] for method in routes)


def test_the_embedded_stack_has_an_open_door(local: Run) -> None:
    assert "securityDefinitions" not in local.body()
