"""Nothing is ever forgotten: the execution is stopped at each state, asked too late, or money turns up after the end.

The stack is this module's own: it puts a stop into its machine, state by state. Everything runs at once where it can.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from handlers.domain.status import Etapa, Status
from infra.local.proofs.workbench import INITIAL_STOCK, Workbench
from infra.local.stack import EmbeddedStack
from infra.names import Names
from infra.ops.books import read_books, violations
from infra.ops.executions import ASKING
from infra.ops.human_queue import held
from infra.ops.intervention import Decision, check, load
from infra.ops.intervention_act import Answer, Outcome, answer, discard, wait_for_result
from infra.ops.intervention_list import waiting
from infra.ops.leftovers import leftovers
from infra.ops.target import announce, embedded
from tests.e2e.waits import WAIT_SCALE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from infra.ops.intervention_list import CaseView

pytestmark = pytest.mark.e2e

PENDENTE = {Etapa.EFETIVAR_RESERVA.value: "antes"}
PRESO = {Etapa.LIBERAR_ESTOQUE.value: "antes"}
REPROCESSAR = {"decisao": "REPROCESSAR", "responsavel": "ana", "justificativa": "teste"}
ENCERRAR = {**REPROCESSAR, "decisao": "ENCERRAR"}


@dataclass(frozen=True)
class Way:
    """How an order gets to a state, and what it must end as once it was stopped there and resumed."""

    cartao: str = "tok-ok"
    falhas: dict[str, str] = field(default_factory=dict[str, str])
    quantidade: int = 1
    answer: dict[str, Any] | None = None
    end: Status = Status.FALHOU_COMPENSADO


CONFIRMADO = Status.CONFIRMADO
RECUSA = "tok-forcar-recusa"
WAYS = {
    "ReservarEstoque": Way(),
    "CobrarPagamento": Way(),
    "ConfirmarPedido": Way(),
    "EfetivarReserva": Way(end=CONFIRMADO),
    "EstornarPagamento": Way(falhas={Etapa.CONFIRMAR_PEDIDO.value: "antes"}),
    "LiberarEstoque": Way(RECUSA),
    "RegistrarFalhaSemCompensacao": Way(quantidade=INITIAL_STOCK + 1),
    "RegistrarFalhaComEstoqueLiberado": Way(RECUSA),
    "RegistrarRequerIntervencaoHumana": Way(RECUSA, PRESO),
    "CompensacaoFalhouParaFilaHumana": Way(RECUSA, PRESO),
    "DecidirIntervencao": Way(RECUSA, PRESO, answer=REPROCESSAR),
    "RegistrarReprocessamento": Way(RECUSA, PRESO, answer=REPROCESSAR),
    "RegistrarResolvidoManualmente": Way(RECUSA, PRESO, answer=ENCERRAR),
    "RegistrarResolvidoComPendencias": Way(RECUSA, PRESO, answer={**ENCERRAR, "pendencias": ["estoque"]}),
    "PendenciaParaFilaHumana": Way(falhas=PENDENTE, end=CONFIRMADO),
    "DecidirPendencia": Way(falhas=PENDENTE, answer=REPROCESSAR, end=CONFIRMADO),
    "RegistrarPendenciaReprocessada": Way(falhas=PENDENTE, answer=REPROCESSAR, end=CONFIRMADO),
    "PendenciaEncerrada": Way(falhas=PENDENTE, answer=ENCERRAR, end=CONFIRMADO),
    "IntervencaoNaoEntregue": Way(RECUSA, PRESO),
}
STOP = "Parada"


@dataclass(frozen=True)
class Stopped:
    """What came of an order whose execution was stopped."""

    case: CaseView
    messages: int
    outcome: Outcome
    status: str
    execution: str


@dataclass
class Net:
    """The stack, its machine as it was deployed, and the campaign's results."""

    stack: EmbeddedStack
    bench: Workbench
    definition: dict[str, Any]
    skus: dict[str, str]
    late: str
    late_sku: str

    @property
    def target(self) -> Any:
        return self.bench.target

    def deploy(self, definition: dict[str, Any]) -> None:
        """The machine as this definition has it."""
        arn = self.target.maquinas["pedido"]
        self.target.sfn.update_state_machine(stateMachineArn=arn, definition=json.dumps(definition))

    def reconcile(self) -> dict[str, int]:
        """One round of the reconciler."""
        answered = self.stack.aws.client("lambda").invoke(
            FunctionName=self.target.names.funcao_conciliador, Payload=json.dumps({"source": "aws.events"})
        )
        assert "FunctionError" not in answered, answered["Payload"].read()
        return json.loads(answered["Payload"].read())

    def messages(self) -> Counter[str]:
        """How many messages of each order came from the reconciler."""
        with held(self.target) as messages:
            return Counter(message.pedido_id for message in messages if message.body.get("origem") == "conciliador")

    def mend(self, pedido_id: str) -> None:
        """What made the order's steps fail is over."""
        self.target.dynamodb.update_item(
            TableName=self.target.tabelas["pedidos"],
            Key={"pedidoId": {"S": pedido_id}},
            UpdateExpression="REMOVE falhas",
        )


@pytest.fixture(scope="module")
def net() -> Iterator[Net]:
    with EmbeddedStack.start(escala_espera=WAIT_SCALE) as stack:
        bench = Workbench(embedded(stack.endpoints()))
        arn = bench.target.maquinas["pedido"]
        definition = json.loads(bench.target.sfn.describe_state_machine(stateMachineArn=arn)["definition"])
        late_sku = bench.stock_sku("tardia")
        # First of all: it takes half a minute until its charge lands.
        late = bench.post(bench.order("tardia", late_sku, cartao="tok-cobranca-muito-tardia"))
        yield Net(stack, bench, definition, {}, late, late_sku)


@pytest.fixture(scope="module")
def stopped(net: Net) -> dict[str, Stopped]:
    """Every state's order, driven there, stopped, found, and resumed by a person."""
    bench = net.bench
    net.skus |= {state: bench.stock_sku(f"parada-{state}") for state in WAYS}
    net.deploy(_with_stops(net))
    ids = {state: bench.post(_order(net, state, way)) for state, way in WAYS.items()}
    _answer_all(net, {ids[state]: way.answer for state, way in WAYS.items() if way.answer is not None})
    for state in WAYS:
        _stop(net, ids[state], state)
    messages = bench.wait("um caso por execução parada", lambda: _all_told(net, ids), lambda: str(net.messages()))
    assert net.reconcile().keys() <= {"PedidosSadios"}, "every one was found by its event"
    views = {view["pedidoId"]: view for view in waiting(bench.target)}
    for pedido_id in ids.values():
        net.mend(pedido_id)
    with ThreadPoolExecutor(8) as pool:
        resumed = dict(zip(ids, pool.map(partial(_resume, net), ids.values()), strict=True))
    return {state: Stopped(views[ids[state]], messages[ids[state]], *resumed[state]) for state in WAYS}


def _order(net: Net, state: str, way: Way) -> dict[str, Any]:
    order = net.bench.order(f"parada-{state}", net.skus[state], cartao=way.cartao, quantidade=way.quantidade)
    return {**order, "falhas": way.falhas} if way.falhas else order


def _with_stops(net: Net) -> dict[str, Any]:
    """The machine with a gate before every state, where the order that sells that state's SKU stays."""
    states: dict[str, Any] = {STOP: {"Type": "Wait", "Seconds": 100_000, "End": True}}
    for name, state in net.definition["States"].items():
        states[name] = _through_gates(_impatient(name, state))
        there = [] if name in ASKING else [_sells(net.skus[name], STOP)]
        if name == "CompensacaoFalhouParaFilaHumana":
            there.append(_sells(net.skus["IntervencaoNaoEntregue"], "IntervencaoNaoEntregue"))
        gate = {"Type": "Choice", "Choices": there, "Default": name} if there else {"Type": "Pass", "Next": name}
        states[_gate(name)] = gate
    return {**net.definition, "StartAt": _gate(net.definition["StartAt"]), "States": states}


def _through_gates(state: dict[str, Any]) -> dict[str, Any]:
    changed: dict[str, Any] = {key: _gate(target) for key, target in state.items() if key in {"Next", "Default"}}
    for branch in ("Catch", "Choices"):
        if branch in state:
            changed[branch] = [{**option, "Next": _gate(option["Next"])} for option in state[branch]]
    return {**state, **changed}


def _impatient(name: str, state: dict[str, Any]) -> dict[str, Any]:
    """A step that an order of ours breaks is not tried again: how often it is tried is not what is tested here."""
    broken = name in {*PENDENTE, *PRESO, Etapa.CONFIRMAR_PEDIDO.value}
    return {key: value for key, value in state.items() if not (broken and key == "Retry")}


def _gate(name: str) -> str:
    return f"Antes-{name}"


def _sells(sku: str, target: str) -> dict[str, Any]:
    return {"Variable": "$.sku", "StringEquals": sku, "Next": target}


def _answer_all(net: Net, answers: dict[str, dict[str, Any]]) -> None:
    """Answer each of these orders once it asks."""
    left = dict(answers)

    def answered() -> bool | None:
        with held(net.target) as messages:
            for message in messages:
                if message.token and message.pedido_id in left:
                    output = json.dumps(left.pop(message.pedido_id))
                    net.target.sfn.send_task_success(taskToken=message.token, output=output)
        return None if left else True

    net.bench.wait("todos os casos respondidos", answered, lambda: str(sorted(left)))


def _stop(net: Net, pedido_id: str, state: str) -> None:
    if state == "IntervencaoNaoEntregue":
        assert net.bench.end(pedido_id).status == "FAILED"
        return
    net.bench.waiting_in(pedido_id, state if state in ASKING else STOP)
    net.target.sfn.stop_execution(executionArn=net.target.execution_arn(pedido_id))


def _all_told(net: Net, ids: dict[str, str]) -> Counter[str] | None:
    told = net.messages()
    return told if all(told[pedido_id] for pedido_id in ids.values()) else None


def _resume(net: Net, pedido_id: str) -> tuple[Outcome, str, str]:
    case = load(net.target, pedido_id)
    check(case, Decision.REPROCESSAR, ())
    resumed = answer(net.target, case, Answer(Decision.REPROCESSAR, "ana", "gateway no ar de novo", "teste"))
    outcome, _ = wait_for_result(net.target, resumed, seconds=60)
    return outcome, net.bench.row(pedido_id)["status"], resumed.arn


def test_every_state_of_the_machine_is_stopped_at(net: Net) -> None:
    assert set(WAYS) == set(net.definition["States"])


@pytest.mark.parametrize("state", WAYS)
def test_stopped_there_it_is_one_human_case_that_resumes_to_a_consistent_end(
    state: str, stopped: dict[str, Stopped]
) -> None:
    seen = stopped[state]
    assert seen.messages == 1
    assert seen.case["espera"]
    assert seen.case["resposta"] == "retomada"
    assert seen.case["origem"] == "conciliador"
    assert seen.outcome is Outcome.CONCLUIDO
    assert seen.status == WAYS[state].end
    assert seen.execution.endswith("-c1")


def test_the_books_balance_and_nobody_is_called_again(net: Net, stopped: dict[str, Stopped]) -> None:
    assert stopped
    ours = dict.fromkeys(net.skus.values(), INITIAL_STOCK)
    assert violations(read_books(net.target), ours) == []
    net.reconcile()
    # Eight people answered at once: a message that somebody else was reading then may be left, and is told apart.
    left = [view for view in waiting(net.target) if "parada" in view["pedidoId"]]
    assert not [view for view in left if view["espera"]]
    for view in left[:1]:
        assert discard(net.target, load(net.target, view["pedidoId"])) == view["mensagens"]
        assert not net.messages()[view["pedidoId"]]


def test_the_rules_are_deployed_as_declared(net: Net) -> None:
    aws, names = net.stack.aws, net.target.names
    rule = aws.client("events").describe_rule(Name=names.regra_execucoes_mortas)
    assert net.target.maquinas["retomada"] in rule.get("EventPattern", "")
    (target,) = aws.client("events").list_targets_by_rule(Rule=names.regra_execucoes_mortas)["Targets"]
    assert target["Arn"].endswith(f":function:{names.funcao_conciliador}")
    assert target.get("DeadLetterConfig", {}).get("Arn", "").endswith(f":{names.fila_humana}")
    schedule = aws.client("events").describe_rule(Name=names.regra_conciliacao)
    assert schedule.get("ScheduleExpression") == "rate(5 minutes)"
    invoke = aws.client("lambda").get_function_event_invoke_config(FunctionName=names.funcao_conciliador)
    on_failure = invoke.get("DestinationConfig", {}).get("OnFailure", {})
    assert on_failure.get("Destination", "").endswith(f":{names.fila_humana}")


def test_what_the_stack_would_leave_behind_is_listed_by_exact_name(net: Net) -> None:
    found = leftovers(net.stack.aws, net.target.names)
    assert {item["nome"] for item in found} >= {
        "cesta-local-pedidos",
        "cesta-local-estoque",
        "cesta-local-compensacao-falhou",
        "/aws/lambda/cesta-local-conciliador",
        "/aws/vendedlogs/states/cesta-local-saga-pedido",
    }
    assert leftovers(net.stack.aws, Names("outra")) == []


def test_a_case_nobody_answers_is_asked_again_and_the_old_token_is_refused(net: Net) -> None:
    states = {name: _impatient(name, state) for name, state in net.definition["States"].items()}
    wait = {**states["CompensacaoFalhouParaFilaHumana"], "TimeoutSeconds": 2}
    net.deploy({**net.definition, "States": {**states, "CompensacaoFalhouParaFilaHumana": wait}})
    bench, sku = net.bench, net.bench.stock_sku("prazo")
    pedido_id = bench.post(bench.order("prazo", sku, cartao=RECUSA, falhas=PRESO))
    tokens = bench.wait("o segundo token", lambda: _tokens(net, pedido_id, 2), lambda: "um token só")
    net.deploy(net.definition)
    assert len(set(tokens)) == len(tokens)
    with pytest.raises(net.target.sfn.exceptions.ClientError) as refused:
        net.target.sfn.send_task_success(taskToken=tokens[0], output=json.dumps(REPROCESSAR))
    assert refused.value.response["Error"]["Code"] in {"TaskTimedOut", "TaskDoesNotExist", "InvalidToken"}
    announce(net.stack.endpoints(), net.stack.run_dir, os.getpid())
    (listed,) = [case for case in _cesta(0, "listar")["casos"] if case["pedidoId"] == pedido_id]
    assert (listed["espera"], listed["estoque"]["reservado"]) == (True, 1)
    who = (pedido_id, "--responsavel", "ana", "--justificativa", "contado na prateleira")
    assert "--pendencias estoque" in _cesta(1, "encerrar", *who)["erro"]
    told = _cesta(0, "encerrar", *who, "--pendencias", "estoque")
    assert (told["resultado"], told["status"]) == ("concluido", Status.RESOLVIDO_MANUALMENTE)
    assert "estoque" in told["plano"][-1]
    row = bench.row(pedido_id)
    assert (row["responsavel"], row["justificativa"]) == ("ana", "contado na prateleira")
    assert "cesta intervencao" in json.loads(row["resolucao"])["origem"]
    assert json.loads(row["caso"]["pendencias"]) == ["estoque"]
    assert _tokens(net, pedido_id, 0) == [], "dead tokens left the queue with the answered one"
    assert "não espera decisão" in _cesta(1, "reprocessar", *who)["erro"]
    net.reconcile()
    assert net.messages()[pedido_id] == 0, "what was left open on purpose is respected"


def _cesta(code: int, *arguments: str) -> dict[str, Any]:
    argv = [sys.executable, "-m", "infra.cli", "intervencao", *arguments, "--json"]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == code, done.stdout + done.stderr
    return json.loads(done.stdout)


def _tokens(net: Net, pedido_id: str, least: int) -> list[str] | None:
    with held(net.target) as messages:
        tokens = [message.token for message in messages if message.pedido_id == pedido_id and message.token]
    return tokens if len(tokens) >= least else None


def test_money_that_turns_up_after_the_end_is_a_human_case_that_says_so(net: Net, stopped: dict[str, Stopped]) -> None:
    assert stopped
    bench = net.bench
    assert bench.end(net.late).status == "SUCCEEDED"
    row = bench.row(net.late)
    assert row["cobranca"]["duvidosa"] is True
    deadline = time.monotonic() + 60
    while (row := bench.row(net.late))["status"] != Status.REQUER_INTERVENCAO_HUMANA:
        assert time.monotonic() < deadline, row
        net.reconcile()
        time.sleep(0.5)
    assert row["caso"]["motivo"] == "DINHEIRO_EM_PEDIDO_FINAL"
    (view,) = [view for view in waiting(bench.target) if view["pedidoId"] == net.late]
    assert "dinheiro cobrado" in view["porque"]
    assert view["dinheiro"]["situacao"] == "cobrado"
    assert _resume(net, net.late)[:2] == (Outcome.CONCLUIDO, Status.FALHOU_COMPENSADO)
    assert bench.facts.net_charged(net.late) == 0
