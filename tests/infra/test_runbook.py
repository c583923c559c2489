"""The runbook has a section for each alarm of the real program, and every document's commands can be typed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from infra.packaging import ROOT
from policies.people import Workplace, operador
from tests.support.markdown import Command, blocks, commands_of, mentions
from tests.support.usage import CHECKED, PROGRAMS, action_of, problem_of, problem_of_mention, repository

if TYPE_CHECKING:
    from pathlib import Path

    from tests.infra.harness import Run

pytestmark = pytest.mark.infra

RUNBOOK = ROOT / "docs" / "runbook.md"
DOCUMENTS = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
PARTS = ("O que significa", "Como olhar", "O que fazer", "O que nunca fazer")


@pytest.fixture
def everything(otherwise: Run) -> Run:
    """A deployed stack with every alarm there can be."""
    return otherwise


def _sections() -> dict[str, str]:
    """The text under each heading of the runbook, by heading."""
    pieces = re.split(r"^#{2,3} (.+)$", RUNBOOK.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return dict(zip(pieces[1::2], pieces[2::2], strict=True))


def _alarms(run: Run) -> dict[str, str]:
    """Suffix and description of every alarm."""
    kinds = ("cloudwatch/metricAlarm:MetricAlarm", "cloudwatch/compositeAlarm:CompositeAlarm")
    declared = [alarm.inputs for kind in kinds for alarm in run.of(kind)]
    return {
        (inputs.get("name") or inputs["alarmName"]).removeprefix(run.names.alarme("")): inputs["alarmDescription"]
        for inputs in declared
    }


def test_each_alarm_has_its_section_with_all_four_parts(everything: Run) -> None:
    sections, alarms = _sections(), _alarms(everything)
    assert len(alarms) > 20
    for suffix in alarms:
        assert suffix in sections, f"docs/runbook.md has no section {suffix}"
        parts = re.findall(r"^\*\*(.+?)\.\*\* (?=\S)", sections[suffix], re.MULTILINE)
        assert tuple(parts) == PARTS, suffix


def test_no_section_is_about_an_alarm_that_is_not_there(everything: Run) -> None:
    described = {name for name, text in _sections().items() if "**O que significa.**" in text}
    rule = everything.names.regra_partida_estranha.removeprefix(f"{everything.names.prefix}-")
    assert described == {*_alarms(everything), rule}


def test_each_alarm_leads_to_its_section(everything: Run) -> None:
    for suffix, description in _alarms(everything).items():
        assert description.endswith(f"docs/runbook.md#{suffix}"), suffix


def test_the_first_page_leads_to_every_section(everything: Run) -> None:
    first = RUNBOOK.read_text(encoding="utf-8").partition("### O que nunca fazer")[0]
    for suffix in _alarms(everything):
        assert f"[{suffix}](#{suffix})" in first


def test_a_section_says_what_to_look_at_with_a_command(everything: Run) -> None:
    looks = {
        name: text.partition("**Como olhar.**")[2].partition("**O que fazer.**")[0]
        for name, text in _sections().items()
        if name in _alarms(everything)
    }
    assert [name for name, text in looks.items() if "```sh" not in text] == []


def test_each_command_of_aws_stands_beside_the_role_it_takes() -> None:
    """What the operator may run is what the operator's document allows; all else is asked of somebody."""
    table = [line.split(" | ") for line in _sections()["Com que papel"].splitlines() if "`aws " in line]
    by_role = {role.lstrip("| "): re.findall(r"`aws ([^`]+)`", commands) for role, commands in table}
    given = {
        " ".join(command.words[1:3])
        for block in blocks(RUNBOOK)
        for command in commands_of(block, PROGRAMS)
        if command.words[0] == "aws"
    }
    assert sorted(command for commands in by_role.values() for command in commands) == sorted(given)
    somewhere = Workplace("a", "a", "a", ("a",), "arn:aws:states:r:c:stateMachine:m", "a", "a", "a", "a")
    may = {action for statement in operador(somewhere)["Statement"] for action in statement["Action"]}
    for role, commands in by_role.items():
        allowed = [action_of(command.split()) in may for command in commands]
        assert allowed == [role.startswith("`operador`")] * len(commands), role


# --- Every document --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_command_of_the_documents_can_be_typed(document: Path, tmp_path: Path) -> None:
    problems: list[str] = []
    with repository(tmp_path):
        for block in blocks(document):
            for command in commands_of(block, PROGRAMS):
                problems += _told(command, problem_of(command.words), tmp_path)
        for command in mentions(document, CHECKED):
            problems += _told(command, problem_of_mention(command.words), tmp_path)
    assert problems == []


def _told(command: Command, problem: str, scratch: Path) -> list[str]:
    for name in command.written:
        if not (scratch / name).exists() and name != "/dev/null":
            (scratch / name).touch()
    return [f"{command.where}: {' '.join(command.words)}: {problem}"] if problem else []


def test_the_runbook_gives_commands_of_every_kind() -> None:
    """The extraction finds what there is: an extractor that finds nothing would find no fault either."""
    given = [command for block in blocks(RUNBOOK) for command in commands_of(block, PROGRAMS)]
    assert len(given) > 50
    assert {command.words[0] for command in given} >= {"cesta", "aws", "pulumi"}
    assert [words for command in given if (words := command.words)[:2] == ["cesta", "exercicio"]]


WRONG = [
    "cesta pedidos ID",
    "cesta pedido",
    "cesta pedido ID --alvo lua",
    "cesta intervencao reprocessar ID --responsavel NOME",
    "cesta saga verificar nao-existe.json",
    "make nada",
    "python -m infra.nada",
    "python script.py",
    "aws lambda list-event-source-mapping --function-name x",
    "aws lambda list-event-source-mappings --function x",
    "aws stepfunctions stop-execution",
    "aws ssm put-parameter --name a --value b c",
    "aws logs tail",
    "pulumi apply",
    "apagar-tudo",
]


@pytest.mark.parametrize("line", WRONG)
def test_a_command_that_cannot_be_typed_is_found(line: str, tmp_path: Path) -> None:
    document = tmp_path / "errado.md"
    document.write_text(f"```sh\n{line}\n```\n", encoding="utf-8")
    (tmp_path / "repositorio").mkdir()
    with repository(tmp_path / "repositorio"):
        found = [problem_of(command.words) for block in blocks(document) for command in commands_of(block, PROGRAMS)]
    assert len(found) == 1
    assert found[0]


@pytest.mark.parametrize("line", ["cesta pedido 'ID", "cesta pedido \\"])
def test_a_line_no_shell_could_read_is_an_error(line: str, tmp_path: Path) -> None:
    document = tmp_path / "errado.md"
    document.write_text(f"```sh\n{line}\n```\n", encoding="utf-8")
    with pytest.raises(ValueError, match="never ends"):
        [commands_of(block, PROGRAMS) for block in blocks(document)]


@pytest.mark.parametrize("mention", ["cesta intervensao listar", "cesta pedido --stak", "aws lambda nada", "make nada"])
def test_a_wrong_mention_is_found(mention: str, tmp_path: Path) -> None:
    document = tmp_path / "errado.md"
    document.write_text(f"Veja `{mention}`.\n", encoding="utf-8")
    (command,) = mentions(document, CHECKED)
    assert problem_of_mention(command.words)
