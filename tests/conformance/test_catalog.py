"""The catalog itself: what it names exists, nothing the product uses is missing, and the table is of it."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import botocore.session
import pytest
from botocore import xform_name

from handlers.domain.status import Etapa
from infra.saga.checks.catalog import CATALOG as CODES
from infra.sagas.pedido import AjustesDaSaga, Recursos, compilar, compilar_retomada
from tests.conformance import sources
from tests.conformance.behaviour import Alvo, Difference, Probe
from tests.conformance.catalog import CATALOG
from tests.conformance.table import DOCUMENT, document

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.unit

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent


def test_every_fact_has_a_name_a_sentence_a_page_of_aws_a_user_and_a_showing() -> None:
    assert [one.id for one in CATALOG if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)+", one.id)] == []
    assert [one.id for one in CATALOG if not one.statement.endswith(".")] == []
    assert [one.id for one in CATALOG if not one.source.url.startswith("https://docs.aws.amazon.com/")] == []
    assert [one.id for one in CATALOG if not one.used_by or not one.evidence] == []


def test_the_files_checks_and_tests_that_facts_name_exist() -> None:
    assert [path for one in CATALOG for path in one.used_by if not (ROOT / path).is_file()] == []
    assert [check.code for one in CATALOG for check in one.checks if check.code not in CODES] == []
    assert [test.node for one in CATALOG for test in one.tests if not _exists(test.node)] == []


def test_what_is_shown_nowhere_says_why_and_is_not_also_tried() -> None:
    assert [one.id for one in CATALOG if one.unshown and (one.probe or len(one.unshown.why) < 20)] == []


def _exists(node: str) -> bool:
    path, _, name = node.partition("::")
    return (ROOT / path).is_file() and name in _functions(ROOT / path)


@cache
def _functions(path: Path) -> frozenset[str]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))


def test_a_test_that_does_not_exist_is_seen() -> None:
    assert _exists("tests/conformance/test_catalog.py::test_a_test_that_does_not_exist_is_seen")
    assert not _exists("tests/conformance/test_catalog.py::test_nothing")
    assert not _exists("tests/nothing.py::test_nothing")


def test_no_page_is_listed_that_no_fact_is_from() -> None:
    books = [getattr(sources, name) for name in sources.__all__]
    assert {page for book in books for page in book.values()} - {one.source for one in CATALOG} == set()


def test_no_two_facts_share_a_name_or_a_probe() -> None:
    ids = [fact.id for fact in CATALOG]
    probes = [fact.probe.run for fact in CATALOG if fact.probe]
    assert len(set(ids)) == len(ids)
    assert len(set(probes)) == len(probes)


# --- What is expected where ---


def test_of_what_the_emulator_shows_exactly_the_pinned_differences_would_fail_on_aws() -> None:
    tried = [(one.id, one.probe) for one in CATALOG if one.probe]
    fails = {name for name, probe in tried if probe.expected(Alvo.LOCAL) != probe.expected(Alvo.AWS)}
    assert fails == {name for name, probe in tried if probe.emulator is not None}
    assert fails


def test_aws_is_held_to_aws_and_the_emulator_to_its_difference() -> None:
    probe = Probe(run=lambda lab: lab, aws="right", emulator=Difference("wrong", "answers wrong"))
    assert (probe.expected(Alvo.AWS), probe.expected(Alvo.LOCAL)) == ("right", "wrong")
    alike = Probe(run=lambda lab: lab, aws="right")
    assert (alike.expected(Alvo.AWS), alike.expected(Alvo.LOCAL)) == ("right", "right")


# --- Nothing is missing ---


def _experiments() -> str:
    paths = [HERE / "lab.py", *(HERE / "areas").glob("*.py")]
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


def _calls_of_the_product() -> set[str]:
    """The SDK calls that functions make, by method name."""
    session = botocore.session.Session()
    services = ("dynamodb", "sqs", "stepfunctions", "ssm")
    known = {xform_name(name) for one in services for name in session.get_service_model(one).operation_names}
    sources = [
        path.read_text(encoding="utf-8") for folder in ("handlers", "api") for path in (ROOT / folder).rglob("*.py")
    ]
    return {name for source in sources for name in re.findall(r"\.(\w+)\(", source)} & known


def test_every_call_that_functions_make_is_in_an_experiment() -> None:
    calls = _calls_of_the_product()
    assert {"update_item", "get_item", "query", "send_message", "start_execution", "get_parameter"} <= calls
    experiments = _experiments()
    assert sorted(name for name in calls if f".{name}(" not in experiments) == []


def _language_used() -> set[str]:
    """What our definitions use of the Amazon States Language: types, fields, comparisons, functions, context paths."""
    functions = {etapa.value: f"arn:aws:lambda:us-east-1:123456789012:function:{etapa}" for etapa in Etapa}
    resources = Recursos(functions, "pedidos", "https://fila")
    definitions = [make(AjustesDaSaga(), resources) for make in (compilar, compilar_retomada)]
    return {word for definition in definitions for state in definition["States"].values() for word in _words(state)}


_OUR_OWN = {"Parameters", "ResultSelector"}
"""Fields whose keys are names of ours, or of the service that is called."""


def _words(value: Any, *, ours: bool = False) -> Iterator[str]:
    if isinstance(value, dict):
        for key, inner in cast("dict[str, Any]", value).items():
            if not ours and key != "Comment":
                yield key
            if key not in ("Comment", "Cause", "Next", "Default", "Error"):
                yield from _words(inner, ours=ours or key in _OUR_OWN)
    elif isinstance(value, list):
        for inner in cast("list[Any]", value):
            yield from _words(inner, ours=ours)
    elif isinstance(value, str):
        yield from re.findall(r"States\.\w+|\$\$\.[\w.]+|arn:aws:states:::[\w:.]+", value)
        if value in {"Task", "Choice", "Pass", "Fail", "FULL"}:
            yield value


def test_every_word_of_the_language_that_our_definitions_use_is_in_an_experiment_or_a_fact() -> None:
    used = _language_used()
    assert {"JitterStrategy", "MaxDelaySeconds", "States.JsonToString", "IsPresent", "$$.Task.Token"} <= used
    experiments = _experiments()
    assert sorted(word for word in used if word not in experiments) == []


# --- The table ---


def test_the_document_is_of_this_catalog() -> None:
    assert DOCUMENT.read_text(encoding="utf-8") == document(), "run: make conformance"


def test_the_document_has_every_fact_and_every_difference() -> None:
    text = document()
    for fact in CATALOG:
        assert f"| `{fact.id}` |" in text
        if fact.probe and fact.probe.emulator:
            assert fact.probe.emulator.instead in text
