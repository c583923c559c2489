"""``cesta pedido``: text, JSON or a page; what an error's own words may not do to a terminal; exit codes."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from click.testing import CliRunner

from infra import cli
from infra.ops.errors import NoEmbeddedStackError
from infra.ops.render import render
from tests.support.stories import ID, STORIES, Story, target_of, view_of

if TYPE_CHECKING:
    from pathlib import Path

    from click.testing import Result

pytestmark = pytest.mark.unit

HOSTILE = "[bold]negrito[/bold] [/] \x1b[2J\x1b[31m \u202e <b>oi</b> 4111111111111111 tok-abc"


@pytest.fixture
def runner(monkeypatch: pytest.MonkeyPatch) -> _Runner:
    return _Runner(monkeypatch)


class _Runner:
    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch

    def run(self, story: Story | None, *arguments: str) -> Result:
        self._monkeypatch.setattr(cli, "target", lambda alvo, stack: target_of(story, alvo=alvo, stack=stack))  # pyright: ignore[reportUnknownLambdaType, reportUnknownArgumentType]
        return CliRunner().invoke(cli.main, ["pedido", *arguments])


@pytest.mark.parametrize("name", STORIES)
def test_every_story_is_told_at_a_terminal(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    view = view_of(STORIES[name])
    render(view)
    printed = " ".join(capsys.readouterr().out.split())
    for told in (view["resumo"]["titulo"], view["status"], view["resumo"]["dinheiro"], view["proximoPasso"]):
        assert told in printed
    for line in view["linha"]:
        assert line["estado"] in printed
    for actor in view["quemAgiu"]:
        assert actor["nome"] in printed
    assert view["comando"] in printed


def test_the_command_to_copy_is_never_wrapped(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("infra.ops.render._PIPE_WIDTH", 40)
    view = view_of(STORIES["espera-uma-pessoa"], alvo="aws", stack="prod")
    render(view)
    assert f"  {view['comando']}" in capsys.readouterr().out.splitlines()


def test_an_error_s_words_are_text_to_the_terminal_too(capsys: pytest.CaptureFixture[str]) -> None:
    detail = json.dumps({"Error": "Error", "Cause": HOSTILE})
    story = STORIES["encerrado"]
    row = {**story.row, "motivo": "[red]X[/]", "detalhe": detail}
    render(view_of(replace(story, row=row)))
    printed = capsys.readouterr().out
    assert "[bold]negrito[/bold] [/]" in printed
    assert "[red]X[/]" in printed
    assert not {"\x1b", "\u202e"} & set(printed)
    assert "4111111111111111" not in printed
    assert "tok-abc" not in printed


def test_json_is_alone_on_the_output(runner: _Runner) -> None:
    ran = runner.run(STORIES["confirmado"], ID, "--json")
    assert ran.exit_code == 0
    assert json.loads(ran.output)["status"] == "CONFIRMADO"


def test_an_unknown_order_exits_1_and_says_so_in_both_forms(runner: _Runner) -> None:
    ran = runner.run(None, ID, "--json")
    assert (ran.exit_code, set(json.loads(ran.stdout))) == (1, {"erro"})
    ran = runner.run(None, ID)
    assert (ran.exit_code, ran.stdout) == (1, "")
    assert "não existe" in ran.stderr


def test_no_stack_exits_1(monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere(alvo: str, stack: str) -> None:
        raise NoEmbeddedStackError

    monkeypatch.setattr(cli, "target", nowhere)
    ran = CliRunner().invoke(cli.main, ["pedido", ID])
    assert ran.exit_code == 1
    assert "cesta local" in ran.stderr


def test_a_page_is_written_where_asked(runner: _Runner, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert runner.run(STORIES["confirmado"], ID, "--html").output == f"página escrita em pedido-{ID}.html\n"
    asked = tmp_path / "outra.html"
    assert runner.run(STORIES["confirmado"], ID, "--html", str(asked)).exit_code == 0
    assert asked.read_text().startswith("<!doctype html>")
    assert runner.run(STORIES["confirmado"], ID, "--html", "-").output.startswith("<!doctype html>")
    assert (tmp_path / f"pedido-{ID}.html").exists()


def test_a_page_that_cannot_be_written_exits_1(runner: _Runner, tmp_path: Path) -> None:
    ran = runner.run(STORIES["confirmado"], ID, "--html", str(tmp_path / "nao" / "existe.html"))
    assert ran.exit_code == 1
    assert "não foi possível escrever a página" in ran.stderr


def test_one_form_at_a_time(runner: _Runner) -> None:
    assert runner.run(STORIES["confirmado"], ID, "--json", "--html", "-").exit_code == 2
    assert runner.run(STORIES["confirmado"], "tem espaço").exit_code == 2
