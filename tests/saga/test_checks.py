"""Every kind of fault is found, with its own code; what is right raises nothing; no input crashes the checks."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infra.saga.asl import parse
from infra.saga.checks import CATALOG, Facts, check, check_text
from infra.sagas.ours import our_machines
from infra.sagas.pedido import AjustesDaSaga

pytestmark = pytest.mark.saga

HERE = Path(__file__).parent
EVERY_BROKEN = sorted((HERE / "broken").iterdir())
# What an arrow undoes is not in the definition: SG901 is the explorer's (see test_saga_commands.py).
BROKEN = [path for path in EVERY_BROKEN if not path.name.startswith("SG901")]
GOOD = sorted((HERE / "good").iterdir())
DOCS = HERE.parents[1] / "docs" / "checks.md"

FUNCTIONS = ("Reservar", "Cobrar", "Confirmar", "Estornar", "Liberar")
FACTS = Facts(
    input_fields={"pedidoId": "texto", "sku": "texto", "valorCentavos": "numero", "cartaoToken": "texto"},
    function_seconds=dict.fromkeys(FUNCTIONS, 20),
    http_seconds=dict.fromkeys(FUNCTIONS, 6),
)
INFERRED = Facts(None, FACTS.function_seconds, FACTS.http_seconds)

ALSO = {
    "SG202_states_all_fora_do_fim_no_retry": {"SG204", "SG304"},
    "SG203_nome_states_desconhecido": {"SG207"},
    "SG212_intervalo_zero": {"SG304"},
    "SG401_funcao_direta_sem_result_path": {"SG407"},
    "SG401_result_path_cifrao": {"SG404"},
    "SG401_task_sem_result_path": {"SG404"},
    "SG402_catch_com_result_path_cifrao": {"SG404"},
    "SG402_catch_sem_result_path": {"SG404"},
    "SG403_escreve_sobre_a_entrada": {"SG505"},
}
"""Faults that are two at once; every other file raises its own code alone."""


def codes(text: str, facts: Facts = FACTS) -> set[str]:
    return {item.codigo for item in check_text(text, facts)}


@pytest.mark.parametrize("path", BROKEN, ids=lambda path: path.stem)
def test_each_fault_is_found_with_its_own_code_and_no_other(path: Path) -> None:
    code = path.stem[:5]
    facts = INFERRED if code == "SG406" else FACTS
    assert codes(path.read_text(), facts) == {code} | ALSO.get(path.stem, set())


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_a_good_definition_of_somebody_else_raises_nothing(path: Path) -> None:
    assert check_text(path.read_text()) == []


@pytest.mark.parametrize("machine", our_machines(), ids=lambda machine: machine.name)
def test_our_own_definitions_raise_nothing(machine: Any) -> None:
    assert check(machine.definition, machine.facts) == []


def test_our_saga_needs_no_facts_to_raise_nothing() -> None:
    saga, _ = our_machines()
    assert check(saga.definition) == []


def test_every_code_is_documented_and_has_a_broken_file() -> None:
    documented = DOCS.read_text()
    shown = {path.stem[:5] for path in EVERY_BROKEN}
    for code in CATALOG:
        assert f"| {code} |" in documented, code
    assert shown == CATALOG.keys() - {"SG603"}  # which is made in its own test


def test_a_definition_over_a_mebibyte_is_too_large() -> None:
    large = {"StartAt": "A", "States": {"A": {"Type": "Succeed", "Comment": "x" * 1_048_576}}}
    assert [item.codigo for item in check(large)] == ["SG603"]


def test_a_finding_says_where_why_and_what_to_do() -> None:
    text = (HERE / "broken" / "SG205_catch_ausente.json").read_text()
    [item] = check_text(text, FACTS)
    assert item.to_json() == {
        "codigo": "SG205",
        "severidade": "erro",
        "estado": "Confirmar",
        "mensagem": "não tem Catch",
        "porque": CATALOG["SG205"].why,
        "conserto": "leve a falha a quem desfaz o que foi feito até aqui",
    }


def test_a_missing_path_is_told_with_the_shortest_way_to_it() -> None:
    text = (HERE / "broken" / "SG404_campo_que_so_um_caminho_escreve.json").read_text()
    [item] = check_text(text, FACTS)
    assert item.estado == "Liberar"
    assert "(caminho: Reservar (falha: States.ALL) → Liberar)" in item.mensagem


def test_the_timeout_chain_of_our_settings_is_checked_too() -> None:
    saga, _ = our_machines()
    slow = Facts(saga.facts.input_fields, dict.fromkeys(saga.facts.function_seconds, 40), saga.facts.http_seconds)
    assert {item.codigo for item in check(saga.definition, slow)} == {"SG303", "SG304"}


def test_the_findings_do_not_depend_on_the_settings_of_the_stack() -> None:
    for machine in our_machines(AjustesDaSaga(janela_duvida_segundos=60, tentativas_do_passo=1)):
        assert check(machine.definition, machine.facts) == []


# --- Data flow, in small ---------------------------------------------------------------------------------------------


def two(first: dict[str, Any], path: str = "$.a.b") -> list[str]:
    """A machine of two states, the second of which reads ``path``."""
    states = {"Um": {"Next": "Dois", **first}, "Dois": {"Type": "Pass", "Parameters": {"x.$": path}, "End": True}}
    found = check({"StartAt": "Um", "States": states}, Facts({"a": "qualquer", "n": "numero"}))
    return [item.codigo for item in found if item.estado == "Dois"]


@pytest.mark.parametrize(
    ("first", "path", "expected"),
    [
        ({"Type": "Pass"}, "$.a.b", []),
        ({"Type": "Pass"}, "$.b", ["SG404"]),
        ({"Type": "Pass"}, "$.n.x", ["SG404"]),
        ({"Type": "Pass", "ResultPath": None}, "$.a", []),
        ({"Type": "Pass", "OutputPath": "$.a"}, "$.a", []),
        ({"Type": "Pass", "OutputPath": None}, "$.a", ["SG404"]),
        ({"Type": "Pass", "InputPath": None}, "$.a", ["SG404"]),
        ({"Type": "Pass", "Parameters": {"b.$": "$.a"}}, "$.a", ["SG404"]),
        ({"Type": "Pass", "Parameters": {"b.$": "$.a"}}, "$.b", []),
        ({"Type": "Pass", "Result": {"c": 1}, "ResultPath": "$.r"}, "$.r.c", []),
        ({"Type": "Pass", "Result": {"c": 1}, "ResultPath": "$.r"}, "$.r.d", ["SG404"]),
        ({"Type": "Pass", "Result": {"c": 1}, "ResultPath": "$.r.s"}, "$.r.s.c", []),
        ({"Type": "Wait", "Seconds": 1}, "$.a", []),
        ({"Type": "Pass"}, "$$.Execution.Id", []),
        ({"Type": "Pass"}, "$$.Execution.ID", ["SG404"]),
        ({"Type": "Pass"}, "States.Format('{}', $.b)", ["SG404"]),
        ({"Type": "Pass"}, "States.ArrayGetItem($.a.list, 0)", []),
        ({"Type": "Pass"}, "$.a['b'][0].c", []),
        ({"Type": "Pass"}, "$.a[?(@.b == 'c, d')].e", []),
    ],
)
def test_what_a_state_passes_on(first: dict[str, Any], path: str, expected: list[str]) -> None:
    assert two(first, path) == expected


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ({"Variable": "$.resposta.x", "IsPresent": True}, []),
        ({"Variable": "$.resposta.y", "IsPresent": True}, ["SG407"]),
        ({"Not": {"Variable": "$.resposta.x", "IsPresent": False}}, []),
        ({"Not": {"Variable": "$.resposta.x", "IsPresent": True}}, ["SG407"]),
        ({"Or": [{"Variable": "$.resposta.x", "IsPresent": True}, {"Variable": "$.a", "IsNull": True}]}, ["SG407"]),
        (
            {
                "And": [
                    {"Variable": "$.resposta.x", "IsPresent": True},
                    {"Variable": "$.resposta.x", "StringEquals": "s"},
                ]
            },
            [],
        ),
    ],
)
def test_a_person_s_answer_holds_only_what_was_tested(rule: dict[str, Any], expected: list[str]) -> None:
    states = {
        "Perguntar": {
            "Type": "Task",
            "Resource": "arn:aws:states:::sqs:sendMessage.waitForTaskToken",
            "Parameters": {"QueueUrl": "q", "MessageBody": {"token.$": "$$.Task.Token"}},
            "ResultPath": "$.resposta",
            "Next": "Escolher",
        },
        "Escolher": {"Type": "Choice", "Choices": [{**rule, "Next": "Ler"}], "Default": "Fim"},
        "Ler": {"Type": "Pass", "Parameters": {"x.$": "$.resposta.x"}, "End": True},
        "Fim": {"Type": "Succeed"},
    }
    found = check({"StartAt": "Perguntar", "States": states}, Facts({"a": "qualquer"}))
    assert [item.codigo for item in found if item.estado == "Ler"] == expected


# --- Nothing crashes them --------------------------------------------------------------------------------------------

SEEDS = [parse(path.read_text()) for path in GOOD] + [our_machines()[0].definition]
JUNK = st.sampled_from([None, True, 0, -1, 1.5, "", "$", "$.x", "$.x[", "States.ALL", [], {}, [1], {"a": 1}, ["x"]])


@given(st.sampled_from(SEEDS), st.lists(st.tuples(st.integers(0, 10_000), JUNK), min_size=1, max_size=3))
@settings(max_examples=60, deadline=None)
def test_no_definition_however_malformed_crashes_the_checks(
    seed: dict[str, Any], changes: list[tuple[int, Any]]
) -> None:
    definition = copy.deepcopy(seed)
    for place, junk in changes:
        spots = _spots(definition)
        holder, key = spots[place % len(spots)]
        holder[key] = copy.deepcopy(junk)
    for item in check_text(json.dumps(definition)):
        assert item.codigo in CATALOG
        assert item.mensagem
        assert item.conserto


def _spots(value: Any) -> list[tuple[Any, Any]]:
    """Every place of a definition, as what holds it and its key there."""
    holder: Any = value
    keys: list[Any] = []
    if isinstance(value, dict):
        keys = list(cast("dict[str, Any]", value))
    elif isinstance(value, list):
        keys = list(range(len(cast("list[Any]", value))))
    return [(holder, key) for key in keys] + [spot for key in keys for spot in _spots(holder[key])]
