"""What a person may decide about a case, what they are told first, and how the answer goes."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import pytest
from botocore.exceptions import ClientError

from handlers.domain.status import Status
from infra.ops.errors import CaseRefusedError
from infra.ops.history import Execution, Visit
from infra.ops.human_queue import parse
from infra.ops.intervention import Case, Decision, Pending, check, load, plan
from infra.ops.intervention_act import Answer, Outcome, Resumed, answer, discard, resumption_input, wait_for_result
from infra.ops.intervention_commands import throw_away
from infra.ops.intervention_list import waiting
from infra.ops.money import money
from infra.ops.target import KnownEntrances, Target
from infra.sagas.ours import our_machines

if TYPE_CHECKING:
    from infra.ops.facts import OrderRow

pytestmark = pytest.mark.unit

NOW = datetime(2026, 8, 7, 13, 4, 11, tzinfo=UTC)
MACHINE = "arn:aws:states:us-east-1:1:stateMachine:cesta-saga-pedido"
RESUMING = "arn:aws:states:us-east-1:1:stateMachine:cesta-saga-retomada"
ARN = "arn:aws:states:us-east-1:1:execution:cesta-saga-pedido:p"
ARN_C1 = "arn:aws:states:us-east-1:1:execution:cesta-saga-retomada:p-c1"
WAIT = "CompensacaoFalhouParaFilaHumana"
CHARGED = {"estado": "APROVADA", "valorCentavos": 14_000}
DOUBT = {"estado": "INICIADA", "valorCentavos": 14_000}
ROUND: Final = {"requestPayload": {"source": "aws.events"}, "requestContext": {"condition": "RetriesExhausted"}}
"""What Lambda sends of a scheduled call that ran out of time (Lambda, "Destinations")."""
GIVEN = Answer(Decision.REPROCESSAR, "ana", "gateway no ar", "teste")


def _row(status: Status, *, pending: bool = True, **extra: Any) -> OrderRow:
    return {
        "pedidoId": "p",
        "sku": "sku-abc",
        "quantidade": 2,
        "valorCentavos": 14_000,
        "criadoEm": "2026-08-07T13:04:11.000Z",
        "atualizadoEm": "2026-08-07T13:05:11.000Z",
        "status": status.value,
        **({"pendenteDesde": "2026-08-07T13:04:11.000Z"} if pending else {}),
        **extra,
    }


def _execution(status: str = "RUNNING", state: str = WAIT, *, error: str = "") -> Execution:
    return Execution(ARN, status, NOW, None, "{}", (Visit("LiberarEstoque", NOW), Visit(state, NOW)), error)


def _case(
    status: Status = Status.REQUER_INTERVENCAO_HUMANA,
    execution: Execution | None = None,
    *,
    reserved: int = 0,
    pending: bool = True,
    **extra: Any,
) -> Case:
    row = _row(status, pending=pending, **extra)
    return Case(row, execution, 0, reserved, money(row))


# --- What may be decided -----------------------------------------------------------------------------------------


def test_a_case_that_waits_may_be_tried_again() -> None:
    check(_case(execution=_execution()), Decision.REPROCESSAR, ())
    check(_case(execution=_execution("ABORTED")), Decision.REPROCESSAR, ())
    check(_case(Status.RECEBIDO, _execution("FAILED")), Decision.REPROCESSAR, ())
    check(_case(Status.CONFIRMADO, _execution("TIMED_OUT")), Decision.REPROCESSAR, ())
    check(_case(), Decision.REPROCESSAR, ())


@pytest.mark.parametrize("decision", Decision)
def test_a_case_that_does_not_wait_is_refused(decision: Decision) -> None:
    busy = _case(Status.COMPENSANDO, _execution(state="EstornarPagamento"))
    with pytest.raises(CaseRefusedError, match="em andamento, em EstornarPagamento"):
        check(busy, decision, ())
    for status in (Status.FALHOU_COMPENSADO, Status.FALHOU_SEM_RESERVA, Status.CONFIRMADO):
        with pytest.raises(CaseRefusedError, match="descartar p"):
            check(_case(status, _execution("SUCCEEDED"), pending=False), decision, ())


@pytest.mark.parametrize(
    ("extra", "reserved", "named", "told"),
    [
        ({"cobranca": CHARGED}, 0, (), r"R\$ 140,00 cobrados e não devolvidos.*--pendencias cobranca"),
        ({}, 2, (), r"2 unidade\(s\) de sku-abc reservada\(s\).*--pendencias estoque"),
        ({"cobranca": DOUBT}, 2, (Pending.ESTOQUE,), "uma cobrança em dúvida.*--pendencias cobranca"),
    ],
)
def test_a_case_is_closed_only_with_what_stays_open_named(
    extra: dict[str, Any], reserved: int, named: tuple[Pending, ...], told: str
) -> None:
    case = _case(execution=_execution(), reserved=reserved, **extra)
    with pytest.raises(CaseRefusedError, match=told):
        check(case, Decision.ENCERRAR, named)
    check(case, Decision.ENCERRAR, tuple(Pending))


def test_money_that_went_back_is_nothing_open() -> None:
    case = _case(execution=_execution(), cobranca=CHARGED, estorno={"estado": "CONCLUIDO"})
    check(case, Decision.ENCERRAR, ())


def test_an_order_the_reconciler_has_not_escalated_yet_is_not_closed() -> None:
    with pytest.raises(CaseRefusedError, match="espere, ou reprocesse"):
        check(_case(Status.COMPENSANDO, _execution("ABORTED")), Decision.ENCERRAR, ())
    with pytest.raises(CaseRefusedError, match="reprocesse; se falhar"):
        check(_case(Status.CONFIRMADO, _execution("ABORTED"), reserved=2), Decision.ENCERRAR, (Pending.ESTOQUE,))


def test_a_closed_order_with_something_nobody_named_can_only_be_closed_again() -> None:
    case = _case(Status.RESOLVIDO_MANUALMENTE, _execution("SUCCEEDED"), reserved=2, pending=False)
    with pytest.raises(CaseRefusedError, match="já foi encerrado"):
        check(case, Decision.REPROCESSAR, ())
    check(case, Decision.ENCERRAR, (Pending.ESTOQUE,))
    named = _case(
        Status.RESOLVIDO_MANUALMENTE,
        _execution("SUCCEEDED"),
        reserved=2,
        pending=False,
        caso={"pendencias": '["estoque"]'},
    )
    with pytest.raises(CaseRefusedError, match="não espera decisão"):
        check(named, Decision.ENCERRAR, (Pending.ESTOQUE,))


# --- What is told first --------------------------------------------------------------------------------------------


def test_the_plan_says_what_the_saga_will_do_with_this_money_and_this_stock() -> None:
    told = "\n".join(plan(_case(execution=_execution(), reserved=2, cobranca=CHARGED), Decision.REPROCESSAR, ()))
    assert "EstornarPagamento: devolver R$ 140,00 ao cliente" in told
    assert "LiberarEstoque: devolver 2 unidade(s) de sku-abc ao estoque" in told
    assert "FALHOU_COMPENSADO" in told
    assert "retomada" not in told


def test_the_plan_of_a_dead_execution_says_that_it_is_resumed_elsewhere() -> None:
    told = plan(_case(execution=_execution("ABORTED"), cobranca=DOUBT), Decision.REPROCESSAR, ())
    assert "cesta-saga-retomada" in told[0]
    assert "procurar a cobrança" in told[1]


def test_the_plan_of_a_confirmed_order_goes_forward() -> None:
    told = plan(
        _case(Status.CONFIRMADO, _execution(state="PendenciaParaFilaHumana"), reserved=2), Decision.REPROCESSAR, ()
    )
    assert "EfetivarReserva" in told[0]
    assert not any("Estornar" in step for step in told)


def test_the_plan_of_closing_names_what_stays_open() -> None:
    told = plan(_case(execution=_execution(), reserved=2), Decision.ENCERRAR, (Pending.ESTOQUE,))
    assert "nenhum estorno" in told[0]
    assert "em aberto de propósito: estoque" in told[1]


# --- The resumption's input -------------------------------------------------------------------------------------------


def _addressed() -> set[str]:
    """Every path of the input that a state of the resuming machine may address before any state wrote it."""
    _, resuming = our_machines()
    definition = json.dumps(resuming.definition, ensure_ascii=False)
    return set(re.findall(r"(?<!\$)\$\.([A-Za-z]+(?:\.[A-Za-z]+)*)", definition))


@pytest.mark.parametrize(
    "row",
    [
        _row(Status.RECEBIDO),
        _row(Status.REQUER_INTERVENCAO_HUMANA, motivo="ErroInesperado", detalhe='{"Error":"ErroInesperado"}'),
        _row(Status.REQUER_INTERVENCAO_HUMANA, motivo="ErroInesperado", detalhe="não é JSON"),
        _row(Status.REQUER_INTERVENCAO_HUMANA, detalhe='{"Error": 3}'),
    ],
)
@pytest.mark.parametrize("execution", [None, _execution("ABORTED"), _execution("FAILED", error="States.Runtime")])
def test_the_resumption_is_given_every_field_a_state_may_address(row: OrderRow, execution: Execution | None) -> None:
    given = resumption_input(row, execution, GIVEN.body())
    written_by_states = {"Payload"}
    optional = {"intervencao.pendencias", "reserva", "cobranca"}
    for path in _addressed():
        if path in optional or path.split(".")[0] in written_by_states:
            continue
        value: Any = given
        for part in path.split("."):
            assert part in value, path
            value = value[part]
    assert isinstance(given["erro"]["Error"], str)
    assert given["erro"]["Error"]
    assert "reserva" not in given, "unknown: the release must leave a tombstone"


def test_the_resumption_carries_the_faults_the_order_was_posted_with() -> None:
    given = resumption_input(_row(Status.RECEBIDO, falhas={"LiberarEstoque": "antes"}), None, GIVEN.body())
    assert given["falhas"] == {"LiberarEstoque": "antes"}


# --- Messages ------------------------------------------------------------------------------------------------------


def _raw(body: object, number: int = 1) -> dict[str, Any]:
    text = body if isinstance(body, str) else json.dumps(body)
    attributes = {"SentTimestamp": str(1_785_000_000_000 + number)}
    return {"MessageId": f"m-{number}", "ReceiptHandle": f"r-{number}", "Body": text, "Attributes": attributes}


def test_every_kind_of_message_is_understood() -> None:
    event = {"source": "aws.states", "detail": {"executionArn": ARN_C1, "status": "FAILED"}}
    for body, pedido_id, token in (
        ({"pedidoId": "p", "execucao": ARN, "taskToken": "t"}, "p", "t"),
        ({"pedidoId": "p", "origem": "conciliador"}, "p", ""),
        (event, "p", ""),
        ({"requestPayload": event, "responsePayload": {"errorMessage": "x"}}, "p", ""),
        ({"pedidoId": 3, "taskToken": None}, "", ""),
        ("não é JSON", "", ""),
        ([1, 2], "", ""),
    ):
        message = parse(_raw(body), retomada_arn=RESUMING)
        assert (message.pedido_id, message.token) == (pedido_id, token)


def test_a_token_is_never_printed() -> None:
    message = parse(_raw({"pedidoId": "p", "taskToken": "segredo"}), retomada_arn=RESUMING)
    assert "segredo" not in repr(message)


# --- The answer ---------------------------------------------------------------------------------------------


class Aws:
    """Queue, machines and tables in memory, behind boto3's names."""

    def __init__(self, row: OrderRow, *bodies: object, status: str = "RUNNING", state: str = WAIT) -> None:
        self.row, self.status, self.state = row, status, state
        self.queue = {f"m-{n}": _raw(body, n) for n, body in enumerate(bodies, 1)}
        self.hidden: set[str] = set()
        self.live: set[str] = {"vivo"}
        self.done: list[tuple[str, Any]] = []
        self.resumed = False

    def client(self, name: str) -> Aws:
        return self

    def environment(self) -> dict[str, str]:
        return {}

    # --- SQS

    def receive_message(self, **_: Any) -> dict[str, Any]:
        page = [raw for key, raw in self.queue.items() if key not in self.hidden]
        self.hidden |= {raw["MessageId"] for raw in page}
        return {"Messages": page} if page else {}

    def delete_message(self, *, ReceiptHandle: str, **_: Any) -> None:  # noqa: N803
        self.done.append(("apagada", ReceiptHandle))
        self.queue = {key: raw for key, raw in self.queue.items() if raw["ReceiptHandle"] != ReceiptHandle}

    def change_message_visibility(self, *, ReceiptHandle: str, **_: Any) -> None:  # noqa: N803
        found = {key for key, raw in self.queue.items() if raw["ReceiptHandle"] == ReceiptHandle}
        if not found:
            raise _refused("InvalidParameterValue")
        self.hidden -= found

    def get_queue_attributes(self, **_: Any) -> dict[str, Any]:
        return {"Attributes": {"ApproximateNumberOfMessagesNotVisible": str(len(self.hidden & self.queue.keys()))}}

    # --- Step Functions

    def send_task_success(self, *, taskToken: str, output: str) -> None:  # noqa: N803
        if taskToken not in self.live:
            raise _refused("TaskTimedOut")
        self.done.append(("respondida", json.loads(output)))

    def start_execution(self, *, name: str, **request: Any) -> None:
        if self.resumed:
            raise _refused("ExecutionAlreadyExists")
        self.done.append(("retomada", name))
        self.resumed = True

    def stop_execution(self, *, executionArn: str, **_: Any) -> None:  # noqa: N803
        self.done.append(("parada", executionArn))

    def describe_execution(self, *, executionArn: str) -> dict[str, Any]:  # noqa: N803
        if executionArn != ARN:
            raise _refused("ExecutionDoesNotExist")
        return {"status": self.status, "startDate": NOW, "input": "{}"}

    def get_paginator(self, name: str) -> Paginator:
        return Paginator(self, name)

    # --- DynamoDB

    def get_item(self, *, TableName: str, **_: Any) -> dict[str, Any]:  # noqa: N803
        if TableName == "estoque":
            return {"Item": {"sku": {"S": "sku-abc"}, "saldo": {"N": "1"}, "reservas": {"M": {"p": {"N": "2"}}}}}
        return {"Item": _typed(self.row)}


class Paginator:
    def __init__(self, aws: Aws, name: str) -> None:
        self.aws, self.name = aws, name

    def paginate(self, **_: Any) -> list[dict[str, Any]]:
        if self.name == "query":
            waits = self.aws.row["status"] == Status.REQUER_INTERVENCAO_HUMANA
            return [{"Items": [{"pedidoId": {"S": "p"}}] if waits else []}]
        event = {"type": "TaskStateEntered", "timestamp": NOW, "stateEnteredEventDetails": {"name": self.aws.state}}
        return [{"events": [event]}]


def _typed(row: OrderRow) -> dict[str, Any]:
    def attribute(value: Any) -> dict[str, Any]:
        if isinstance(value, dict):
            return {"M": {name: attribute(inner) for name, inner in value.items()}}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        return {"N": str(value)} if isinstance(value, int) else {"S": str(value)}

    return {name: attribute(value) for name, value in row.items()}


def _refused(code: str) -> ClientError:
    return ClientError({"Error": {"Code": code}}, "x")


def _target(aws: Aws) -> Target:
    return Target(
        alvo="local",
        stack="local",
        regiao="us-east-1",
        entrances=KnownEntrances("http://x", "http://y", {"humana": "fila"}),
        tabelas={"pedidos": "pedidos", "estoque": "estoque"},
        maquinas={"pedido": MACHINE, "retomada": RESUMING},
        clients=aws,
    )


def _token(token: str, execution: str = ARN) -> dict[str, str]:
    return {"pedidoId": "p", "execucao": execution, "taskToken": token}


def _loaded(aws: Aws) -> Case:
    from infra.ops.intervention import load

    return load(_target(aws), "p")


def test_the_answer_goes_by_the_token_that_lives_and_then_the_messages_go() -> None:
    row = _row(Status.REQUER_INTERVENCAO_HUMANA)
    aws = Aws(row, _token("velho"), _token("vivo"), {"pedidoId": "outro", "taskToken": "vivo"}, _token("velho"))
    resumed = answer(_target(aws), _loaded(aws), GIVEN)
    assert resumed.by_token
    assert [kind for kind, _ in aws.done] == ["respondida", "apagada", "apagada", "apagada"]
    assert aws.done[0][1] == {
        "decisao": "REPROCESSAR",
        "responsavel": "ana",
        "justificativa": "gateway no ar",
        "origem": "teste",
    }
    assert [raw["MessageId"] for raw in aws.queue.values()] == ["m-3"]
    assert aws.hidden & aws.queue.keys() == set(), "another's case is visible again"


def test_an_answer_that_fails_leaves_every_message_where_it_was() -> None:
    aws = Aws(_row(Status.REQUER_INTERVENCAO_HUMANA), _token("vivo"))
    case = _loaded(aws)
    aws.send_task_success = _raises("AccessDeniedException")  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(ClientError):
        answer(_target(aws), case, GIVEN)
    assert len(aws.queue) == 1
    assert aws.hidden == set()


def _raises(code: str) -> Any:
    def call(**_: Any) -> None:
        raise _refused(code)

    return call


def test_a_lost_token_is_resumed_beside_and_the_execution_that_waits_is_stopped_after() -> None:
    aws = Aws(_row(Status.REQUER_INTERVENCAO_HUMANA), _token("velho"))
    resumed = answer(_target(aws), _loaded(aws), GIVEN)
    assert not resumed.by_token
    assert resumed.arn == ARN_C1
    assert aws.done == [("retomada", "p-c1"), ("parada", ARN), ("apagada", "r-1")]


def test_a_token_of_another_execution_is_not_tried() -> None:
    aws = Aws(_row(Status.REQUER_INTERVENCAO_HUMANA), _token("vivo", execution=ARN_C1))
    assert not answer(_target(aws), _loaded(aws), GIVEN).by_token


def test_a_dead_execution_is_resumed_and_its_token_not_used() -> None:
    aws = Aws(_row(Status.REQUER_INTERVENCAO_HUMANA), _token("vivo"), status="ABORTED")
    answer(_target(aws), _loaded(aws), GIVEN)
    assert aws.done == [("retomada", "p-c1"), ("apagada", "r-1")]


def test_a_case_that_moved_while_it_was_decided_is_refused() -> None:
    aws = Aws(_row(Status.REQUER_INTERVENCAO_HUMANA))
    case = _loaded(aws)
    aws.state = "EstornarPagamento"
    with pytest.raises(CaseRefusedError, match="mudou neste instante"):
        answer(_target(aws), case, GIVEN)
    assert aws.done == []


def test_two_people_resuming_at_once_start_one_resumption() -> None:
    aws = Aws(_row(Status.REQUER_INTERVENCAO_HUMANA), status="ABORTED")
    case = _loaded(aws)
    aws.resumed = True
    with pytest.raises(CaseRefusedError, match="outra pessoa"):
        answer(_target(aws), case, GIVEN)
    assert aws.done == []


@pytest.mark.parametrize(
    ("status", "state", "seen", "outcome"),
    [
        ("SUCCEEDED", "LiberarEstoque", 1, Outcome.CONCLUIDO),
        ("FAILED", WAIT, 1, Outcome.INTERROMPIDO),
        ("RUNNING", WAIT, 0, Outcome.VOLTOU_A_FILA),
        ("RUNNING", WAIT, 1, Outcome.EM_ANDAMENTO),
        ("RUNNING", "EstornarPagamento", 0, Outcome.EM_ANDAMENTO),
    ],
)
def test_the_result_told_is_the_one_seen(status: str, state: str, seen: int, outcome: Outcome) -> None:
    aws = Aws(_row(Status.REQUER_INTERVENCAO_HUMANA), status=status, state=state)
    assert wait_for_result(_target(aws), Resumed(ARN, seen, by_token=True), seconds=0)[0] is outcome


def test_only_the_messages_of_an_order_that_waits_for_nobody_are_thrown_away() -> None:
    aws = Aws(_row(Status.FALHOU_COMPENSADO, pending=False), _token("velho"), {"pedidoId": "outro"}, status="SUCCEEDED")
    assert discard(_target(aws), _loaded(aws)) == 1
    assert [raw["MessageId"] for raw in aws.queue.values()] == ["m-2"]
    waiting_one = Aws(_row(Status.REQUER_INTERVENCAO_HUMANA), _token("vivo"))
    with pytest.raises(CaseRefusedError, match="decida o caso"):
        discard(_target(waiting_one), _loaded(waiting_one))


class Rowless(Aws):
    """The table has no order at all."""

    def get_item(self, **_: Any) -> dict[str, Any]:
        return {}


@pytest.mark.parametrize(("name", "left"), [("m-1", ["m-2", "m-3", "m-4"]), ("p", ["m-1", "m-2"])])
def test_a_message_of_no_order_goes_by_its_own_id_and_of_an_unknown_one_by_the_order_s(
    name: str, left: list[str]
) -> None:
    orphans = (_token("velho"), {"pedidoId": "p"})
    aws = Rowless(_row(Status.FALHOU_COMPENSADO), ROUND, "lixo", *orphans)
    assert throw_away(lambda: _target(aws), name, as_json=True) == 0
    assert sorted(aws.queue) == left


def test_a_message_that_names_an_order_never_goes_by_its_own_id(capsys: pytest.CaptureFixture[str]) -> None:
    aws = Rowless(_row(Status.REQUER_INTERVENCAO_HUMANA), _token("vivo"))
    assert throw_away(lambda: _target(aws), "m-1", as_json=True) == 1
    assert "m-1 não existe" in capsys.readouterr().out
    assert list(aws.queue) == ["m-1"]


# --- The list -----------------------------------------------------------------------------------------------


def test_a_case_is_listed_with_its_money_its_stock_and_why() -> None:
    row = _row(Status.REQUER_INTERVENCAO_HUMANA, cobranca=CHARGED, motivo="ErroInesperado")
    body = {**_token("vivo"), "erroDaCompensacao": {"Error": "GatewayIndisponivelError"}}
    aws = Aws(row, body)
    (view,) = waiting(_target(aws))
    assert (view["pedidoId"], view["espera"], view["resposta"]) == ("p", True, "token")
    assert view["dinheiro"]["cobrado"] == 14_000
    assert view["estoque"] == {"sku": "sku-abc", "reservado": 2}
    assert (view["erroOriginal"], view["erroDaCompensacao"]) == ("ErroInesperado", "GatewayIndisponivelError")
    assert "vivo" not in json.dumps(view), "a token is a password"


def test_a_case_whose_message_is_lost_is_listed_all_the_same() -> None:
    (view,) = waiting(_target(Aws(_row(Status.REQUER_INTERVENCAO_HUMANA))))
    assert (view["espera"], view["resposta"], view["mensagens"]) == (True, "retomada", 0)


def test_a_message_about_nothing_we_know_is_listed_for_somebody_to_read() -> None:
    views = waiting(_target(Aws(_row(Status.FALHOU_COMPENSADO, pending=False), "lixo", status="SUCCEEDED")))
    assert [(view["status"], view["mensagem"], view["espera"]) for view in views] == [("DESCONHECIDO", "m-1", True)]


def test_a_round_that_died_is_told_from_what_somebody_must_read() -> None:
    aws = Aws(_row(Status.FALHOU_COMPENSADO, pending=False), "lixo", ROUND, status="SUCCEEDED")
    views = waiting(_target(aws))
    assert [(view["mensagem"], view["espera"]) for view in views] == [("m-1", True), ("m-2", False)]
    assert "a seguinte a refaz" in views[1]["porque"]


class HalfResumed(Aws):
    """The operator's command died after it started the resumption and before it stopped what it took over from."""

    def describe_execution(self, *, executionArn: str) -> dict[str, Any]:  # noqa: N803
        name = executionArn.rpartition(":")[2]
        if name not in {"p", "p-c1"}:
            raise _refused("ExecutionDoesNotExist")
        return {"status": "RUNNING" if name == "p" else "SUCCEEDED", "startDate": NOW, "input": "{}"}


def test_an_execution_left_waiting_behind_its_resumption_is_stopped_with_the_last_message() -> None:
    aws = HalfResumed(
        _row(Status.FALHOU_COMPENSADO, pending=False), {"pedidoId": "p", "execucao": ARN, "taskToken": "velho"}
    )
    target = _target(aws)
    case = load(target, "p")
    assert case.superseded == (ARN,)
    assert discard(target, case) == 1
    assert [what for what, _ in aws.done] == ["parada", "apagada"]
    assert aws.done[0][1] == ARN
