"""The exercises as texts: numbered, explained, and true about what keeps their fault out of Cesta."""

from __future__ import annotations

import ast
import json
import re
from functools import cache
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from infra.cli import main
from infra.local.exercises.catalog import EXERCISES
from infra.local.exercises.exercise import Scene
from infra.packaging import ROOT
from infra.saga.checks.catalog import CATALOG
from tests.support.usage import problem_of

if TYPE_CHECKING:
    from infra.local.exercises.exercise import Exercise

pytestmark = pytest.mark.unit

SCENE = Scene("p-1", "sku-abc", "http://127.0.0.1:1")


def _run(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(main, ["exercicio", *arguments])
    assert result.exit_code == code, result.output
    return result.output


def test_the_four_cases_the_three_breaks_and_the_one_no_proof_of_000_catches_are_there() -> None:
    assert [each.numero for each in EXERCISES] == list(range(1, 9))
    origins = [each.origem for each in EXERCISES]
    assert origins[:4] == [f"Quando algo não funciona, caso {n}" for n in range(1, 5)]
    assert origins[4:7] == [f"Quebrar de propósito, falha {n}" for n in range(1, 4)]


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda each: f"{each.numero}")
def test_every_text_can_be_filled_in_and_every_command_typed(exercise: Exercise) -> None:
    assert "{" not in SCENE.fill(exercise.relato)
    for clue in exercise.pistas:
        words = SCENE.fill(clue.comando).split()
        assert problem_of(words) == ""
        assert all("{" not in SCENE.fill(text) for text in clue.mostra)


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda each: f"{each.numero}")
def test_what_keeps_the_fault_out_exists(exercise: Exercise) -> None:
    for prevention in exercise.prevencao:
        assert prevention.onde
        for where in prevention.onde:
            assert _exists(where), where


def _exists(where: str) -> bool:
    if re.fullmatch(r"SG\d{3}", where):
        return where in CATALOG
    file, _, name = where.partition("::")
    return name in _functions(file)


@cache
def _functions(file: str) -> set[str]:
    """Names of a module's functions, its tests among them."""
    tree = ast.parse((ROOT / file).read_text(encoding="utf-8"))
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def test_without_a_number_they_are_listed() -> None:
    listed = _run()
    assert all(f"{each.numero}  {each.titulo}" in listed for each in EXERCISES)
    told = json.loads(_run("--json"))["exercicios"]
    assert [each["numero"] for each in told] == [each.numero for each in EXERCISES]


@pytest.mark.parametrize("exercise", EXERCISES, ids=lambda each: f"{each.numero}")
def test_the_answer_tells_cause_clues_mend_and_prevention(exercise: Exercise) -> None:
    told = _run(str(exercise.numero), "--resposta")
    assert exercise.causa in told
    assert exercise.conserto in told
    assert "{" not in told
    assert all(clue.leia in told for clue in exercise.pistas)
    as_json = json.loads(_run(str(exercise.numero), "--resposta", "--json"))
    assert [clue["leia"] for clue in as_json["pistas"]] == [clue.leia for clue in exercise.pistas]


@pytest.mark.parametrize("arguments", [("9",), ("um",), ("--resposta",)])
def test_a_wrong_use_exits_2(arguments: tuple[str, ...]) -> None:
    _run(*arguments, code=2)
