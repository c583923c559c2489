"""The functions: roles, runtime, handlers and environment."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.infra.harness import FUNCTIONS, STEPS, run_program, stack_file

if TYPE_CHECKING:
    from tests.infra.harness import Run

pytestmark = pytest.mark.infra


def test_each_function_has_a_role_and_a_log_group_of_its_own_and_waits_for_both(stack: Run) -> None:
    names = stack.names
    roles: set[str] = set()
    for resource in stack.of("lambda/function:Function"):
        name = resource.inputs["name"]
        roles.add(resource.inputs["role"])
        assert stack.one("iam/rolePolicy:RolePolicy", name).urn in resource.depends_on
        assert stack.one("cloudwatch/logGroup:LogGroup", names.logs_da_funcao(name)).urn in resource.depends_on
    assert len(roles) == len(FUNCTIONS)


def test_functions_run_on_the_runtime_the_zips_are_built_for(stack: Run) -> None:
    for resource in stack.of("lambda/function:Function"):
        assert resource.inputs["runtime"] == "python3.13"
        assert resource.inputs["architectures"] == ["arm64"]
        assert resource.inputs["memorySize"] == 256
        assert "reservedConcurrentExecutions" not in resource.inputs


def test_handlers_are_named_as_the_zips_hold_them(stack: Run) -> None:
    for base in STEPS:
        step = stack.function(base)
        assert step.inputs["handler"] == f"handlers.{base.replace('-', '_')}.handler"
    assert stack.function("api").inputs["handler"] == "app.app"
    assert stack.function("iniciador").inputs["handler"] == "app.iniciador"
    assert stack.function("conciliador").inputs["handler"] == "handlers.conciliador.handler"


def test_each_function_gets_the_variables_it_reads_and_no_other(dev: Run) -> None:
    every = {"POWERTOOLS_SERVICE_NAME", "POWERTOOLS_LOG_LEVEL", "STACK"}
    stock = {"TABELA_ESTOQUE", "INJECAO_DE_FALHAS"}
    orders = {"TABELA_PEDIDOS", "INJECAO_DE_FALHAS"}
    gateway = {"GATEWAY_URL", "GATEWAY_CONEXAO_SEGUNDOS", "GATEWAY_LEITURA_SEGUNDOS"}
    refund = gateway | {"GATEWAY_PARAMETRO_ESTORNO", "GATEWAY_PARAMETRO_CONSULTA"}
    expected = {
        "reservar-estoque": stock,
        "liberar-estoque": stock,
        "efetivar-reserva": stock | orders,
        "cobrar-pagamento": orders | refund | {"GATEWAY_PARAMETRO_COBRANCA"},
        "estornar-pagamento": orders | refund | {"JANELA_DUVIDA_SEGUNDOS"},
        "confirmar-pedido": orders,
        "api": orders | {"FILA_CRIADOS_URL"},
        "iniciador": {"TABELA_PEDIDOS", "MAQUINA_ARN", "SEGUNDOS_POR_INICIO"},
        "conciliador": gateway
        | {"TABELA_PEDIDOS", "TABELA_ESTOQUE", "FILA_CRIADOS_URL", "FILA_HUMANA_URL", "MAQUINA_ARN"}
        | {"MAQUINA_RETOMADA_ARN", "ESPERA_INICIO_SEGUNDOS", "GATEWAY_PARAMETRO_CONSULTA"}
        | {"REVERIFICACAO_SEGUNDOS", "REVERIFICACAO_FINAL_SEGUNDOS"},
    }
    for base, names in expected.items():
        assert set(dev.variables(base)) == names | every, base


def test_variables_hold_the_stacks_own_values(dev: Run) -> None:
    refund = dev.variables("estornar-pagamento")
    assert refund["TABELA_PEDIDOS"] == "cesta-dev-pedidos"
    assert refund["GATEWAY_URL"] == "https://gateway.invalid"
    assert (refund["GATEWAY_CONEXAO_SEGUNDOS"], refund["GATEWAY_LEITURA_SEGUNDOS"]) == ("1", "5")
    assert refund["JANELA_DUVIDA_SEGUNDOS"] == "900"
    assert refund["GATEWAY_PARAMETRO_ESTORNO"] == "/cesta-dev/gateway/estorno"
    assert refund["POWERTOOLS_SERVICE_NAME"] == "estornar-pagamento"
    assert dev.variables("iniciador")["MAQUINA_ARN"] == dev.exports["maquinaPedidoArn"]
    # Ten starters at most, ninety starts a second all together.
    assert float(dev.variables("iniciador")["SEGUNDOS_POR_INICIO"]) == pytest.approx(10 / 90)
    assert dev.variables("api")["FILA_CRIADOS_URL"] == dev.exports["filaCriadosUrl"]


@pytest.mark.parametrize(("stack_name", "injected"), [("dev", "true"), ("local", "true"), ("prod", "false")])
def test_faults_are_injected_only_where_the_stack_says_so(
    stack_name: str, injected: str, request: pytest.FixtureRequest
) -> None:
    run: Run = request.getfixturevalue(stack_name)
    for base in ("api", *STEPS):
        assert run.variables(base)["INJECAO_DE_FALHAS"] == injected


def test_settings_of_the_embedded_stack_reach_the_functions() -> None:
    run = run_program(
        "local",
        stack_file("local")
        | {
            "cesta:escalaEspera": "0.05",
            "cesta:gatewayUrl": "http://127.0.0.1:4321",
            "cesta:apiUrlBase": "http://127.0.0.1:4566/restapis/cesta-local-api/api/_user_request_",
        },
    )
    refund = run.variables("estornar-pagamento")
    assert refund["JANELA_DUVIDA_SEGUNDOS"] == "45"
    assert refund["GATEWAY_URL"] == "http://127.0.0.1:4321"
    assert run.variables("api")["API_URL_BASE"].endswith("/_user_request_")
    # The machine's own waits are shrunk by the emulator, not here: twenty lookups of 60 s outlast 900 s.
    estorno = run.states("cesta-local-saga-pedido")["EstornarPagamento"]
    (lookups,) = [retry for retry in estorno["Retry"] if "CobrancaIndefinidaError" in retry["ErrorEquals"]]
    assert lookups["IntervalSeconds"] * lookups["MaxAttempts"] > 900
