"""The state machines, as they are deployed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.infra.harness import ACCOUNT, REGION, STEPS

if TYPE_CHECKING:
    from tests.infra.harness import Run

pytestmark = pytest.mark.infra


def test_machines_are_standard_and_log_everything(stack: Run) -> None:
    for machine in stack.of("sfn/stateMachine:StateMachine"):
        assert machine.inputs["type"] == "STANDARD"
        logging = machine.inputs["loggingConfiguration"]
        assert logging["level"] == "ALL"
        # The message that calls a person carries the task token, which must not reach a log.
        assert logging["includeExecutionData"] is False
        assert logging["logDestination"].endswith(f":log-group:/aws/vendedlogs/states/{machine.inputs['name']}:*")


def test_a_machine_waits_for_its_roles_policy(stack: Run) -> None:
    for machine in stack.of("sfn/stateMachine:StateMachine"):
        assert stack.one("iam/rolePolicy:RolePolicy", machine.inputs["name"]).urn in machine.depends_on


def test_the_saga_calls_this_stacks_resources(stack: Run) -> None:
    names = stack.names
    states = stack.states(names.maquina_pedido)
    called = {
        state["Parameters"]["FunctionName"]
        for state in states.values()
        if state.get("Resource") == "arn:aws:states:::lambda:invoke"
    }
    assert called == {f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{names.prefix}-{base}" for base in STEPS}
    assert states["RegistrarFalhaSemCompensacao"]["Parameters"]["TableName"] == names.tabela_pedidos
    assert states["CompensacaoFalhouParaFilaHumana"]["Parameters"]["QueueUrl"] == stack.exports["filaHumanaUrl"]


def test_the_resuming_machine_cannot_charge(stack: Run) -> None:
    names = stack.names
    retomada = stack.one("sfn/stateMachine:StateMachine", names.maquina_retomada)
    assert "cobrar-pagamento" not in retomada.inputs["definition"]
    policy = stack.one("iam/rolePolicy:RolePolicy", names.maquina_retomada)
    assert "cobrar-pagamento" not in policy.inputs["policy"]
    assert "estornar-pagamento" in policy.inputs["policy"]


def test_the_timeout_chain_holds_in_what_is_deployed(stack: Run) -> None:
    names = stack.names
    charge = stack.variables("cobrar-pagamento")
    http = float(charge["GATEWAY_CONEXAO_SEGUNDOS"]) + float(charge["GATEWAY_LEITURA_SEGUNDOS"])
    timeout = stack.function("cobrar-pagamento").inputs["timeout"]
    state = stack.states(names.maquina_pedido)["CobrarPagamento"]
    assert http < timeout < state["TimeoutSeconds"]
