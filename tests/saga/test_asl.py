"""Reading definitions: what is refused and why, what follows what, who takes which error."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from infra.saga.asl import Edge, catcher_for, edges, matches, parse, reachable, retrier_for
from infra.saga.errors import DefinitionError, SagaError
from tests.saga.test_pedido import DEFINITION, STATES

pytestmark = pytest.mark.saga

GOOD = Path(__file__).parent / "good"
ONE = '{"StartAt": "A", "States": {"A": {"Type": "Succeed"}}}'


def test_json_and_yaml_of_the_same_definition_are_the_same() -> None:
    as_yaml = "StartAt: A\nStates:\n  A:\n    Type: Wait\n    Timestamp: 2026-08-07T13:04:11Z\n    End: true\n"
    as_json = '{"StartAt":"A","States":{"A":{"Type":"Wait","Timestamp":"2026-08-07T13:04:11Z","End":true}}}'
    assert parse(as_yaml) == parse(as_json)


def test_our_own_definition_survives_being_written_and_read() -> None:
    assert parse(json.dumps(DEFINITION)) == DEFINITION


@pytest.mark.parametrize(
    ("text", "code", "said"),
    [
        ("", "SG001", "não é um objeto"),
        ("[]", "SG001", "não é um objeto"),
        ('{"StartAt": "A"', "SG001", "JSON não se lê"),
        ('{"StartAt": "A", "x": NaN, "States": {"A": {}}}', "SG001", "NaN"),
        ("StartAt: [", "SG001", "não se lê"),
        ("!!python/object/apply:os.system [ls]", "SG001", "não se lê"),
        ('{"States": {"A": {}}}', "SG001", "StartAt"),
        ('{"StartAt": "A"}', "SG001", "States"),
        ('{"StartAt": "A", "States": {}}', "SG001", "States"),
        ('{"StartAt": "A", "States": {"A": 1}}', "SG001", "um estado é um objeto"),
        ('{"StartAt": "A", "States": {"A": {"Catch": [{"Next": "B"}]}}}', "SG001", "ErrorEquals em Catch"),
        ('{"StartAt": "A", "States": {"A": {"Retry": {}}}}', "SG001", "Retry é uma lista"),
        ('{"StartAt": "A", "States": {"A": {"Choices": [{"And": {}}]}}}', "SG001", "And é uma lista"),
        ('{"StartAt": "A", "States": {"A": {"Parameters": []}}}', "SG001", "Parameters é um objeto"),
        ('{"StartAt": "A", "States": {"A": {"Type": "Map", "Iterator": {}}}}', "SG001", "StartAt"),
        (ONE.replace('"Type"', '"Type": "Pass", "Type"'), "SG002", "'Type' aparece duas vezes"),
        ("StartAt: A\nStartAt: B\n", "SG002", "'StartAt' aparece duas vezes"),
        (ONE.replace('"StartAt"', '"QueryLanguage": "JSONata", "StartAt"'), "SG003", "JSONata"),
        (ONE.replace('"Type"', '"QueryLanguage": "JSONata", "Type"'), "SG003", "JSONata"),
    ],
)
def test_what_cannot_be_read_says_why_and_where(text: str, code: str, said: str) -> None:
    with pytest.raises(DefinitionError, match=r"maquina\.json") as caught:
        parse(text, source="maquina.json")
    assert caught.value.code == code
    assert said in caught.value.problem
    assert isinstance(caught.value, SagaError)


def test_deep_nesting_is_an_error_and_no_crash() -> None:
    with pytest.raises(DefinitionError):
        parse('{"a":' * 100_000)
    rule = '{"Not":' * 500 + "{}" + "}" * 500
    with pytest.raises(DefinitionError, match="razoável"):
        parse('{"StartAt": "A", "States": {"A": {"Choices": [' + rule + "]}}}")


def test_the_edges_of_a_choice_come_in_the_order_in_which_they_are_tried() -> None:
    state = {"Type": "Choice", "Choices": [{"Next": "A"}, {"Next": "B"}], "Default": "C"}
    assert list(edges(state)) == [Edge("choice", "A"), Edge("choice", "B", index=1), Edge("default", "C")]


def test_the_edges_of_a_task_are_its_next_and_its_catchers() -> None:
    assert list(edges(STATES["CobrarPagamento"])) == [
        Edge("next", "ConfirmarPedido"),
        Edge("catch", "LiberarEstoque", ("CartaoRecusadoError",)),
        Edge("catch", "EstornarPagamento", ("States.ALL",), 1),
    ]


@pytest.mark.parametrize("state", [{"Type": "Succeed"}, {"Type": "Fail"}, {"Type": "Task", "End": True}])
def test_an_end_is_an_edge_to_nowhere(state: dict[str, object]) -> None:
    assert list(edges(state)) == [Edge("end", None)]


def test_what_only_a_failure_leads_to_is_told_from_the_way_forward() -> None:
    forward = reachable(STATES, "ReservarEstoque", without="catch")
    assert forward == {"ReservarEstoque", "CobrarPagamento", "ConfirmarPedido", "EfetivarReserva"}
    assert reachable(STATES, "ReservarEstoque") == set(STATES)


@pytest.mark.parametrize(
    ("listed", "error", "taken"),
    [
        (["States.ALL"], "AnyError", True),
        (["States.ALL"], "States.Timeout", True),
        (["States.ALL"], "States.DataLimitExceeded", False),
        (["States.ALL"], "States.Runtime", False),
        (["States.Runtime"], "States.Runtime", False),
        (["States.DataLimitExceeded"], "States.DataLimitExceeded", True),
        (["States.TaskFailed"], "AnyError", True),
        (["States.TaskFailed"], "Lambda.Unknown", True),
        (["States.TaskFailed"], "States.Timeout", False),
        (["States.TaskFailed"], "States.HeartbeatTimeout", False),
        (["States.TaskFailed"], "States.DataLimitExceeded", False),
        (["States.Timeout"], "States.HeartbeatTimeout", True),
        (["States.HeartbeatTimeout"], "States.Timeout", False),
        (["OneError"], "OtherError", False),
        (["OneError"], "oneerror", False),
        ([], "AnyError", False),
    ],
)
def test_which_names_take_which_errors(listed: list[str], error: str, taken: bool) -> None:
    assert matches(listed, error) is taken


def test_the_first_entry_that_fits_is_the_one_that_counts() -> None:
    charge = STATES["CobrarPagamento"]
    assert (retrier_for(charge, "CartaoRecusadoError") or {})["MaxAttempts"] == 0
    assert (catcher_for(charge, "CartaoRecusadoError") or {})["Next"] == "LiberarEstoque"
    assert (catcher_for(charge, "States.Timeout") or {})["Next"] == "EstornarPagamento"
    assert catcher_for(charge, "States.Runtime") is None
    assert retrier_for({"Type": "Task"}, "AnyError") is None


def test_the_library_imports_nothing_of_the_project() -> None:
    library = Path(__file__).parents[2] / "infra" / "saga"
    for path in library.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            for name in names:
                ours = name.split(".")[0] in ("infra", "handlers", "policies", "api", "tests")
                assert not ours or name.startswith("infra.saga."), (path, name)
                assert name.split(".")[0] not in ("boto3", "botocore", "pulumi", "pulumi_aws"), (path, name)
