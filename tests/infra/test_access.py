"""Around the REST API: throttling, access logs that hold no body, and CORS only where the stack lists origins."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from infra.cors import GATEWAY_RESPONSES, allow_origins, preflights
from infra.openapi import Route, load_app
from tests.infra.harness import ACCOUNT, GATEWAY, REGION, ROOT, run_program

if TYPE_CHECKING:
    from tests.infra.harness import Resource, Run

pytestmark = pytest.mark.infra

LOJA = "https://loja.exemplo"


def only(run: Run, typ: str) -> Resource:
    (found,) = run.of(typ)
    return found


def test_the_stages_limits_are_the_stacks_settings() -> None:
    limits = {"cesta:requisicoesPorSegundo": "50", "cesta:rajadaDeRequisicoes": "75"}
    limits["cesta:concorrenciaReservadaApi"] = "200"
    run = run_program("dev", GATEWAY | limits)
    method = only(run, "apigateway/methodSettings:MethodSettings")
    assert method.inputs["methodPath"] == "*/*"
    assert method.inputs["settings"]["throttlingRateLimit"] == 50
    assert method.inputs["settings"]["throttlingBurstLimit"] == 75
    assert run.function("api").inputs["reservedConcurrentExecutions"] == 200
    # Nobody else has a share: a throttled delivery to the starter would count as a receive (case C30).
    shares = [each.inputs.get("reservedConcurrentExecutions") for each in run.of("lambda/function:Function")]
    assert sum(share is not None for share in shares) == 1


def test_no_execution_log_which_would_hold_bodies(stack: Run) -> None:
    settings = only(stack, "apigateway/methodSettings:MethodSettings").inputs["settings"]
    assert (settings["loggingLevel"], settings["dataTraceEnabled"]) == ("OFF", False)


@pytest.mark.parametrize("name", ["dev", "prod"])
def test_the_access_log_is_a_line_of_json_that_expires(name: str, request: pytest.FixtureRequest) -> None:
    run: Run = request.getfixturevalue(name)
    log = only(run, "apigateway/stage:Stage").inputs["accessLogSettings"]
    group = run.one("cloudwatch/logGroup:LogGroup", f"/aws/apigateway/{run.names.api}")
    assert log["destinationArn"] == f"arn:aws:logs:{REGION}:{ACCOUNT}:log-group:/aws/apigateway/{run.names.api}"
    assert group.inputs["retentionInDays"] > 0
    line = json.loads(log["format"])
    assert {"requestId", "quando", "quem", "metodo", "rota", "status"} <= set(line)


def test_the_access_log_holds_nothing_a_client_can_write_text_into(prod: Run) -> None:
    line = json.loads(only(prod, "apigateway/stage:Stage").inputs["accessLogSettings"]["format"])
    # A client chooses the path, the query, its headers, its body, and even $context.requestId.
    allowed = re.compile(
        r"\$context\.(extendedRequestId|requestTimeEpoch|httpMethod|resourcePath|status|response(Latency|Length)|"
        r"error\.responseType|integration\.(latency|status)|identity\.(sourceIp|userArn)|authorizer\.claims\.sub)"
    )
    assert all(allowed.fullmatch(variable) for variable in line.values())


def test_the_accounts_role_is_ready_before_the_stage_that_logs(dev: Run) -> None:
    account = only(dev, "apigateway/account:Account")
    attachment = only(dev, "iam/rolePolicyAttachment:RolePolicyAttachment")
    role = dev.one("iam/role:Role", f"{dev.names.api}-acessos-role")
    assert account.inputs["cloudwatchRoleArn"].endswith(f":role/{role.inputs['name']}")
    assert json.loads(role.inputs["assumeRolePolicy"])["Statement"][0]["Principal"] == {
        "Service": "apigateway.amazonaws.com"
    }
    assert attachment.inputs["policyArn"].endswith(":policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs")
    assert attachment.urn in account.depends_on
    assert account.urn in only(dev, "apigateway/stage:Stage").depends_on


def test_in_prod_the_accounts_role_outlives_the_stack(prod: Run, dev: Run) -> None:
    types = ("apigateway/account:Account", "iam/rolePolicyAttachment:RolePolicyAttachment")
    for run, kept in ((prod, True), (dev, False)):
        parts = [only(run, typ) for typ in types] + [run.one("iam/role:Role", f"{run.names.api}-acessos-role")]
        assert [part.retain_on_delete for part in parts] == [kept] * 3


def test_a_stack_may_log_by_the_role_the_account_has() -> None:
    run = run_program("dev", GATEWAY | {"cesta:logsDeAcesso": "papel-da-conta"})
    assert only(run, "apigateway/stage:Stage").inputs["accessLogSettings"]
    assert not run.of("apigateway/account:Account")
    assert not run.of("iam/rolePolicyAttachment:RolePolicyAttachment")


def test_the_embedded_stack_keeps_no_access_log_and_sets_no_account(local: Run) -> None:
    assert "accessLogSettings" not in only(local, "apigateway/stage:Stage").inputs
    assert not local.of("apigateway/account:Account")


def test_cors_is_off_unless_origins_are_listed(stack: Run) -> None:
    body = stack.body()
    assert GATEWAY_RESPONSES not in body
    assert not any("options" in methods for methods in body["paths"].values())
    assert "ORIGENS_PERMITIDAS" not in stack.variables("api")


@pytest.fixture(scope="module")
def aberta() -> Run:
    return run_program("prod", GATEWAY | {"cesta:origensPermitidas": f"{LOJA}, https://app.exemplo"})


def test_listed_origins_reach_the_function(aberta: Run) -> None:
    assert aberta.variables("api")["ORIGENS_PERMITIDAS"] == f"{LOJA},https://app.exemplo"


def test_each_paths_preflight_goes_to_the_function_and_asks_for_no_credentials(aberta: Run) -> None:
    for methods in aberta.body()["paths"].values():
        others = [method for name, method in methods.items() if name != "options"]
        assert all("security" in method for method in others)
        assert "security" not in methods["options"]
        integration = "x-amazon-apigateway-integration"
        assert methods["options"][integration] == others[0][integration]
        assert methods["options"].get("parameters") == others[0].get("parameters")


def test_the_gateway_may_call_the_function_for_a_preflight(aberta: Run) -> None:
    sources = {permission.inputs["sourceArn"] for permission in aberta.of("lambda/permission:Permission")}
    execution = f"arn:aws:execute-api:{REGION}:{ACCOUNT}:abc123/*"
    assert {f"{execution}/OPTIONS/pedidos", f"{execution}/OPTIONS/pedidos/*"} <= sources


def test_what_the_gateway_answers_by_itself_can_be_read_by_a_page_too(aberta: Run) -> None:
    header = "gatewayresponse.header.Access-Control-Allow-Origin"
    several = {"responseParameters": {header: "'*'"}}
    assert aberta.body()[GATEWAY_RESPONSES] == {"DEFAULT_4XX": several, "DEFAULT_5XX": several}
    one = allow_origins({"paths": {}}, [LOJA])[GATEWAY_RESPONSES]
    assert one["DEFAULT_4XX"] == {"responseParameters": {header: f"'{LOJA}'"}}


def test_listing_an_origin_is_a_new_deployment(aberta: Run, prod: Run) -> None:
    triggers = [only(run, "apigateway/deployment:Deployment").inputs["triggers"]["body"] for run in (aberta, prod)]
    assert triggers[0] != triggers[1]


def test_a_document_without_origins_is_left_as_it_is() -> None:
    body: dict[str, object] = {"paths": {}}
    assert allow_origins(body, []) is body


def test_there_is_one_preflight_per_path() -> None:
    assert preflights(load_app(ROOT / "api")) == (Route("/pedidos", "OPTIONS"), Route("/pedidos/{pedidoId}", "OPTIONS"))
