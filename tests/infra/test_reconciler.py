"""The safety net: which endings wake the reconciler, how often it goes round, and where what it cannot do ends."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.infra.harness import queue_arn, run_program, stack_file

if TYPE_CHECKING:
    from tests.infra.harness import Run

pytestmark = pytest.mark.infra

RULE = "cloudwatch/eventRule:EventRule"
TARGET = "cloudwatch/eventTarget:EventTarget"


def test_every_ending_outside_a_catcher_of_either_machine_wakes_the_reconciler(stack: Run) -> None:
    pattern = json.loads(stack.one(RULE, stack.names.regra_execucoes_mortas).inputs["eventPattern"])
    assert pattern["source"] == ["aws.states"]
    assert pattern["detail-type"] == ["Step Functions Execution Status Change"]
    assert set(pattern["detail"]["status"]) == {"FAILED", "TIMED_OUT", "ABORTED"}
    machines = {stack.exports["maquinaPedidoArn"], stack.exports["maquinaRetomadaArn"]}
    assert set(pattern["detail"]["stateMachineArn"]) == machines


def test_what_cannot_be_delivered_or_done_ends_in_the_human_queue(stack: Run) -> None:
    names = stack.names
    humana = queue_arn(names.fila_humana)
    function = f":function:{names.funcao_conciliador}"
    targets = {
        target.inputs["rule"]: target.inputs for target in stack.of(TARGET) if target.inputs["arn"].endswith(function)
    }
    assert set(targets) == {names.regra_execucoes_mortas, names.regra_conciliacao}
    assert targets[names.regra_execucoes_mortas]["deadLetterConfig"] == {"arn": humana}
    (invoke,) = stack.of("lambda/functionEventInvokeConfig:FunctionEventInvokeConfig")
    assert invoke.inputs["functionName"] == names.funcao_conciliador
    assert invoke.inputs["destinationConfig"] == {"onFailure": {"destination": humana}}


def test_only_the_two_rules_may_call_the_reconciler(stack: Run) -> None:
    names = stack.names
    calls = [
        permission.inputs
        for permission in stack.of("lambda/permission:Permission")
        if permission.inputs["function"] == names.funcao_conciliador
    ]
    assert {call["principal"] for call in calls} == {"events.amazonaws.com"}
    rules = {call["sourceArn"].rpartition("/")[2] for call in calls}
    assert rules == {names.regra_execucoes_mortas, names.regra_conciliacao}


@pytest.mark.parametrize(("minutes", "rate"), [(None, "rate(5 minutes)"), ("1", "rate(1 minute)")])
def test_the_round_is_every_few_minutes(minutes: str | None, rate: str) -> None:
    run = run_program(
        "dev", stack_file("dev") | ({} if minutes is None else {"cesta:intervaloConciliadorMinutos": minutes})
    )
    assert run.one(RULE, run.names.regra_conciliacao).inputs["scheduleExpression"] == rate


def test_a_claim_outlives_the_run_that_made_it(stack: Run) -> None:
    from handlers.domain.reconciliation import AVISO_EM_CURSO_SEGUNDOS

    assert stack.function("conciliador").inputs["timeout"] < AVISO_EM_CURSO_SEGUNDOS


def test_the_embedded_stack_shrinks_the_reconcilers_times() -> None:
    run = run_program("local", stack_file("local") | {"cesta:escalaEspera": "0.05"})
    variables = run.variables("conciliador")
    assert variables["ESPERA_INICIO_SEGUNDOS"] == "6"
    assert variables["REVERIFICACAO_SEGUNDOS"] == "75"
    assert variables["REVERIFICACAO_FINAL_SEGUNDOS"] == "4320"
