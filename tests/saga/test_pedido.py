"""The order saga is the one of the contract: states, edges, conditions, times."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from handlers.domain.status import Etapa, Status, allowed_from
from infra.saga import TimeoutChainError, to_json
from infra.sagas.pedido import AjustesDaSaga, Recursos, compilar, compilar_retomada, definir
from tests.saga.statelint import problems

pytestmark = pytest.mark.saga

RECURSOS = Recursos(
    funcoes={etapa.value: f"arn:aws:lambda:us-east-1:111122223333:function:{etapa.value}" for etapa in Etapa},
    tabela_pedidos="cesta-pedidos",
    fila_humana_url="https://sqs.us-east-1.amazonaws.com/111122223333/cesta-compensacao-falhou",
)
DEFINITION = compilar(AjustesDaSaga(), RECURSOS)
STATES: dict[str, Any] = DEFINITION["States"]
HUMAN = "RegistrarRequerIntervencaoHumana"

CATCHES = {
    "ReservarEstoque": {
        "EstoqueInsuficienteError": "RegistrarFalhaSemCompensacao",
        "SkuInexistenteError": "RegistrarFalhaSemCompensacao",
        "ReservaCanceladaError": "RegistrarFalhaSemCompensacao",
        "States.ALL": "LiberarEstoque",
    },
    "CobrarPagamento": {"CartaoRecusadoError": "LiberarEstoque", "States.ALL": "EstornarPagamento"},
    "ConfirmarPedido": {"States.ALL": "EstornarPagamento"},
    "EfetivarReserva": {"States.ALL": "PendenciaParaFilaHumana"},
    "EstornarPagamento": {"PedidoJaConfirmadoError": "EfetivarReserva", "States.ALL": HUMAN},
    "LiberarEstoque": {"States.ALL": HUMAN},
    "RegistrarFalhaSemCompensacao": {"States.ALL": HUMAN},
    "RegistrarFalhaComEstoqueLiberado": {"States.ALL": HUMAN},
    "RegistrarRequerIntervencaoHumana": {"States.ALL": "CompensacaoFalhouParaFilaHumana"},
    "CompensacaoFalhouParaFilaHumana": {"States.Timeout": HUMAN, "States.ALL": "IntervencaoNaoEntregue"},
    "RegistrarResolvidoManualmente": {"States.ALL": HUMAN},
    "RegistrarResolvidoComPendencias": {"States.ALL": HUMAN},
    "RegistrarReprocessamento": {"States.ALL": "EstornarPagamento"},
    "PendenciaEncerrada": {"States.ALL": "PendenciaParaFilaHumana"},
    "RegistrarPendenciaReprocessada": {"States.ALL": "EfetivarReserva"},
    "PendenciaParaFilaHumana": {
        "States.Timeout": "PendenciaParaFilaHumana",
        "States.ALL": "IntervencaoNaoEntregue",
    },
}

NEXT = {
    "ReservarEstoque": "CobrarPagamento",
    "CobrarPagamento": "ConfirmarPedido",
    "ConfirmarPedido": "EfetivarReserva",
    "EfetivarReserva": None,
    "EstornarPagamento": "LiberarEstoque",
    "LiberarEstoque": "RegistrarFalhaComEstoqueLiberado",
    "RegistrarFalhaSemCompensacao": None,
    "RegistrarFalhaComEstoqueLiberado": None,
    "RegistrarRequerIntervencaoHumana": "CompensacaoFalhouParaFilaHumana",
    "CompensacaoFalhouParaFilaHumana": "DecidirIntervencao",
    "RegistrarResolvidoManualmente": None,
    "RegistrarResolvidoComPendencias": None,
    "RegistrarReprocessamento": "EstornarPagamento",
    "PendenciaParaFilaHumana": "DecidirPendencia",
    "PendenciaEncerrada": None,
    "RegistrarPendenciaReprocessada": "EfetivarReserva",
}


def _tasks() -> dict[str, Any]:
    return {name: state for name, state in STATES.items() if state["Type"] == "Task"}


def test_the_linter_finds_nothing_in_either_machine() -> None:
    assert problems(DEFINITION) == []
    assert problems(compilar_retomada(AjustesDaSaga(), RECURSOS)) == []


def test_the_states_are_those_of_the_contract() -> None:
    others = {"DecidirIntervencao", "DecidirPendencia", "IntervencaoNaoEntregue"}
    assert set(STATES) == set(CATCHES) | others
    assert STATES["IntervencaoNaoEntregue"]["Type"] == "Fail"


@pytest.mark.parametrize("name", CATCHES)
def test_every_failure_goes_where_the_contract_says(name: str) -> None:
    catches = {error: catch["Next"] for catch in STATES[name]["Catch"] for error in catch["ErrorEquals"]}
    assert catches == CATCHES[name]
    assert STATES[name]["Catch"][-1]["ErrorEquals"] == ["States.ALL"]


@pytest.mark.parametrize("name", NEXT)
def test_every_success_goes_where_the_contract_says(name: str) -> None:
    assert STATES[name].get("Next") == NEXT[name]
    assert STATES[name].get("End", False) is (NEXT[name] is None)


def _choices(state: str) -> list[tuple[str, bool, str]]:
    """Decision, whether ``pendencias`` must be there, and where it leads, in the order they are tried."""
    pending = {"Variable": "$.intervencao.pendencias", "IsPresent": True}
    return [
        (choice["And"][2]["StringEquals"], pending in choice["And"], choice["Next"])
        for choice in STATES[state]["Choices"]
    ]


def test_a_person_can_only_undo_again_or_close_and_either_is_on_record() -> None:
    assert _choices("DecidirIntervencao") == [
        ("REPROCESSAR", False, "RegistrarReprocessamento"),
        ("ENCERRAR", True, "RegistrarResolvidoComPendencias"),
        ("ENCERRAR", False, "RegistrarResolvidoManualmente"),
    ]
    assert STATES["DecidirIntervencao"]["Default"] == HUMAN
    assert _choices("DecidirPendencia") == [
        ("REPROCESSAR", False, "RegistrarPendenciaReprocessada"),
        ("ENCERRAR", False, "PendenciaEncerrada"),
    ]
    assert STATES["DecidirPendencia"]["Default"] == "PendenciaParaFilaHumana"


DECISIONS = (
    "RegistrarReprocessamento",
    "RegistrarResolvidoManualmente",
    "RegistrarResolvidoComPendencias",
    "PendenciaEncerrada",
    "RegistrarPendenciaReprocessada",
)


@pytest.mark.parametrize("state", DECISIONS)
def test_every_decision_leaves_who_why_when_and_the_whole_answer_in_the_order(state: str) -> None:
    values = STATES[state]["Parameters"]["ExpressionAttributeValues"]
    assert values[":responsavel"] == {"S.$": "$.intervencao.responsavel"}
    assert values[":justificativa"] == {"S.$": "$.intervencao.justificativa"}
    assert values[":resolucao"] == {"S.$": "States.JsonToString($.intervencao)"}
    assert values[":decididoEm"] == {"S.$": "$$.State.EnteredTime"}


@pytest.mark.parametrize("state", ["DecidirIntervencao", "DecidirPendencia"])
def test_every_field_of_the_answer_that_is_read_later_was_tested_before(state: str) -> None:
    for choice in STATES[state]["Choices"]:
        tested = {
            test["Variable"].removeprefix("$.intervencao.") for test in choice["And"] if test.get("IsPresent") is True
        }
        target = json.dumps(STATES[choice["Next"]]["Parameters"])
        read = set(re.findall(r"\$\.intervencao\.(\w+)", target))
        assert read <= tested, choice["Next"]


def test_what_stays_open_is_written_into_the_case() -> None:
    parameters = STATES["RegistrarResolvidoComPendencias"]["Parameters"]
    assert "#caso.#pendencias = :caso_pendencias" in parameters["UpdateExpression"]
    # Any type may be answered, so it is written as text.
    answered = {"S.$": "States.JsonToString($.intervencao.pendencias)"}
    assert parameters["ExpressionAttributeValues"][":caso_pendencias"] == answered


@pytest.mark.parametrize("state", ["RegistrarFalhaSemCompensacao", "RegistrarFalhaComEstoqueLiberado", *DECISIONS[1:3]])
def test_every_order_that_ends_without_a_sale_is_looked_at_once_more(state: str) -> None:
    assert "#verificarEm = :verificarEm" in STATES[state]["Parameters"]["UpdateExpression"]


def test_no_state_writes_over_the_order() -> None:
    for name, state in _tasks().items():
        written = {state["ResultPath"], *(catch["ResultPath"] for catch in state["Catch"])} - {None}
        allowed = {"$.reserva", "$.cobranca", "$.erro", "$.erroCompensacao", "$.intervencao"}
        assert written <= allowed, name


def test_the_cause_of_an_error_is_never_addressed() -> None:
    assert ".Cause" not in to_json(DEFINITION)


def test_no_number_and_no_card_token_is_written_by_the_machine() -> None:
    text = json.dumps([state["Parameters"] for state in _tasks().values()])
    assert '"N"' not in text
    assert '"N.$"' not in text
    assert "$.cartaoToken" not in text
    assert "putItem" not in to_json(DEFINITION)


@pytest.mark.parametrize(
    ("state", "status", "removed"),
    [
        ("RegistrarFalhaSemCompensacao", Status.FALHOU_SEM_RESERVA, {"cartaoToken", "pendenteDesde"}),
        ("RegistrarFalhaComEstoqueLiberado", Status.FALHOU_COMPENSADO, {"cartaoToken", "pendenteDesde"}),
        (HUMAN, Status.REQUER_INTERVENCAO_HUMANA, {"cartaoToken"}),
        ("RegistrarResolvidoManualmente", Status.RESOLVIDO_MANUALMENTE, {"cartaoToken", "pendenteDesde"}),
    ],
)
def test_a_status_is_written_only_over_those_the_table_allows(state: str, status: Status, removed: set[str]) -> None:
    parameters = STATES[state]["Parameters"]
    values = parameters["ExpressionAttributeValues"]
    assert values[":status"] == {"S": status.value}
    allowed = [value["S"] for name, value in values.items() if name.startswith(":allowed")]
    assert allowed == [source.value for source in allowed_from(status)]
    _, _, tail = parameters["UpdateExpression"].partition(" REMOVE ")
    assert {name.removeprefix("#") for name in tail.split(", ")} == removed


def test_a_case_keeps_the_time_it_was_first_opened() -> None:
    parameters = STATES[HUMAN]["Parameters"]
    assert "#caso = if_not_exists(#caso, :caso)" in parameters["UpdateExpression"]
    assert parameters["ExpressionAttributeValues"][":caso"]["M"]["abertoEm"] == {"S.$": "$$.State.EnteredTime"}


def test_the_message_to_a_person_carries_both_errors_and_the_token() -> None:
    assert STATES["CompensacaoFalhouParaFilaHumana"]["Parameters"]["MessageBody"] == {
        "pedidoId.$": "$.pedidoId",
        "execucao.$": "$$.Execution.Id",
        "erroOriginal.$": "$.erro",
        "erroDaCompensacao.$": "$.erroCompensacao",
        "taskToken.$": "$$.Task.Token",
    }
    assert STATES["PendenciaParaFilaHumana"]["Parameters"]["MessageBody"] == {
        "pedidoId.$": "$.pedidoId",
        "execucao.$": "$$.Execution.Id",
        "erro.$": "$.erro",
        "taskToken.$": "$$.Task.Token",
    }


def test_compensations_try_harder_than_steps() -> None:
    def attempts(name: str) -> int:
        return STATES[name]["Retry"][-1]["MaxAttempts"]

    assert min(attempts("EstornarPagamento"), attempts("LiberarEstoque")) > max(
        attempts("ReservarEstoque"), attempts("CobrarPagamento"), attempts("ConfirmarPedido")
    )


def test_a_compensation_outlasts_a_quarter_of_an_hour_without_the_gateway() -> None:
    # With full jitter the waits are half of this on average: an outage of some minutes must not wake anybody.
    transient = next(r for r in STATES["EstornarPagamento"]["Retry"] if "GatewayIndisponivelError" in r["ErrorEquals"])
    waits = [
        min(transient["IntervalSeconds"] * 2**n, transient["MaxDelaySeconds"]) for n in range(transient["MaxAttempts"])
    ]
    assert sum(waits) > 15 * 60


def test_two_attempts_never_overlap_after_a_platform_error() -> None:
    ajustes = AjustesDaSaga()
    for name, state in _tasks().items():
        if not state["Resource"].endswith("lambda:invoke"):
            continue
        platform = state["Retry"][-1]
        assert platform["IntervalSeconds"] > ajustes.lambda_segundos, name
        assert "JitterStrategy" not in platform, name


def test_the_doubt_is_retried_past_its_window() -> None:
    doubt = next(r for r in STATES["EstornarPagamento"]["Retry"] if r["ErrorEquals"] == ["CobrancaIndefinidaError"])
    assert doubt["IntervalSeconds"] * doubt["MaxAttempts"] > AjustesDaSaga().janela_duvida_segundos


def test_the_resumption_can_undo_and_close_but_never_charge() -> None:
    definition = compilar_retomada(AjustesDaSaga(), RECURSOS)
    assert definition["StartAt"] == "DecidirIntervencao"
    assert {"ReservarEstoque", "CobrarPagamento", "ConfirmarPedido"}.isdisjoint(definition["States"])
    for name, state in definition["States"].items():
        assert state == STATES[name]


def test_the_definition_fits_what_step_functions_takes() -> None:
    # 1 MB of definition, 80 characters of a state name (Step Functions, "Quotas").
    assert len(to_json(DEFINITION).encode()) < 1_000_000
    assert max(map(len, STATES)) <= 80


def test_wrong_times_do_not_compile() -> None:
    with pytest.raises(TimeoutChainError):
        compilar(AjustesDaSaga(lambda_segundos=40, intervalo_plataforma_segundos=50), RECURSOS)


def test_the_definition_says_what_it_is() -> None:
    assert definir(AjustesDaSaga()).name == DEFINITION["Comment"]
