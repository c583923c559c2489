"""`cesta saga verificar|mostrar|desenhar|custo`: what they print and how they end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from infra.cli import main
from infra.sagas.ours import our_machines

pytestmark = pytest.mark.saga

HERE = Path(__file__).parent
VIAGEM = str(HERE / "good" / "viagem.yaml")
BROKEN = str(HERE / "broken" / "SG205_catch_ausente.json")
EFFECTS = str(HERE / "loja.efeitos.yaml")
ENTRADA = ("--entrada", "pedidoId,sku,valorCentavos")
UNPROVED = sorted((HERE / "broken").glob("SG901_*"))


def run(*arguments: str, code: int = 0) -> str:
    result = CliRunner().invoke(main, ["saga", *arguments])
    assert result.exit_code == code, result.output
    return result.output


@pytest.fixture(scope="module")
def ours() -> dict[str, Any]:
    return json.loads(run("verificar", "--json"))


def test_our_saga_is_proved_with_no_finding(ours: dict[str, Any]) -> None:
    assert ours["provada"] is True
    assert ours["achados"] == []
    assert ours["contraexemplo"] is None
    assert ours["caminhos"] > 0
    assert ours["estados"] > 0


def test_the_json_has_the_keys_of_the_contract(ours: dict[str, Any]) -> None:
    assert ours.keys() >= {"provada", "caminhos", "estados", "achados", "contraexemplo"}
    [item] = json.loads(run("verificar", BROKEN, "--json", code=1))["achados"]
    assert item.keys() >= {"codigo", "severidade", "estado", "mensagem", "conserto"}
    assert (item["codigo"], item["estado"]) == ("SG205", "Confirmar")


def test_a_definition_nobody_explained_is_checked_and_not_called_proved() -> None:
    report = json.loads(run("verificar", VIAGEM, "--json"))
    assert (report["provada"], report["achados"]) == (None, [])
    assert "Sem --efeitos" in run("verificar", VIAGEM)


def test_a_finding_is_told_with_why_and_mend_and_the_exit_code_is_1() -> None:
    said = run("verificar", BROKEN, code=1)
    assert "SG205 erro Confirmar: não tem Catch" in said
    assert "porque: " in said
    assert "conserto: " in said


def test_a_warning_alone_does_not_fail() -> None:
    assert "SG112 aviso" in run("verificar", str(HERE / "broken" / "SG112_choice_sem_default.json"))


def test_what_cannot_be_read_is_a_finding_of_verificar_and_a_wrong_use_of_the_others() -> None:
    repeated = str(HERE / "broken" / "SG002_chave_json_repetida.json")
    assert "SG002 erro" in run("verificar", repeated, code=1)
    assert json.loads(run("verificar", repeated, "--json", code=1))["provada"] is False
    for command in ("mostrar", "desenhar", "custo"):
        assert "aparece duas vezes" in run(command, repeated, code=2)


def test_somebody_else_s_definition_is_proved_once_its_effects_are_told() -> None:
    report = json.loads(run("verificar", str(HERE / "good" / "loja.json"), "--efeitos", EFFECTS, *ENTRADA, "--json"))
    assert report["provada"] is True
    assert report["achados"] == []


@pytest.mark.parametrize("path", UNPROVED, ids=lambda path: path.stem)
def test_an_arrow_to_a_wrong_but_existing_state_is_found_by_the_proof_alone(path: Path) -> None:
    report = json.loads(run("verificar", str(path), "--efeitos", EFFECTS, *ENTRADA, "--json", code=1))
    assert report["provada"] is False
    assert {item["codigo"] for item in report["achados"]} == {"SG901"}
    assert report["contraexemplo"]["passos"]
    said = run("verificar", str(path), "--efeitos", EFFECTS, *ENTRADA, code=1)
    assert report["contraexemplo"]["historia"] in said


def test_a_definition_too_broken_to_walk_is_not_proved() -> None:
    dangling = str(HERE / "broken" / "SG101_next_inexistente.json")
    report = json.loads(run("verificar", dangling, "--efeitos", EFFECTS, "--json", code=1))
    assert (report["provada"], report["caminhos"], report["contraexemplo"]) == (False, 0, None)


def test_effects_that_cannot_be_read_are_a_wrong_use(tmp_path: Path) -> None:
    path = tmp_path / "efeitos.yaml"
    path.write_text("estados: 1\n")
    assert run("verificar", VIAGEM, "--efeitos", str(path), code=2).strip()


def test_the_example_of_effects_is_printed() -> None:
    assert "tipo: compensacao" in run("verificar", "--exemplo-efeitos")


def test_the_counterexample_is_marked_on_the_picture() -> None:
    drawn = run("desenhar", str(UNPROVED[0]), "--efeitos", EFFECTS, "--formato", "svg")
    # The legend's, and the three arrows taken: the other Catch to the same state is not one of them.
    assert drawn.count('class="marca"') == 1 + 3


def test_the_input_can_be_told() -> None:
    report = json.loads(run("verificar", VIAGEM, "--json", "--entrada", "viagem", code=1))
    assert {item["codigo"] for item in report["achados"]} == {"SG404"}


def test_mostrar_prints_the_definition_that_is_deployed() -> None:
    saga, resumption = our_machines()
    assert json.loads(run("mostrar")) == saga.definition
    assert json.loads(run("mostrar", "--retomada")) == resumption.definition
    assert json.loads(run("mostrar", VIAGEM))["StartAt"] == "ReservarVoo"


def test_desenhar_draws_both_forms() -> None:
    assert run("desenhar").startswith("flowchart TD\n")
    assert run("desenhar", "--formato", "svg", VIAGEM).startswith("<svg ")


def test_custo_compares_with_the_document_s_own_definition() -> None:
    report = json.loads(run("custo", "--json"))
    assert [priced["saga"] for priced in report["sagas"]] == ["cesta-saga-pedido", "000.json"]
    assert all(priced["dolaresPorMilhao"] > 0 for priced in report["sagas"])
    assert "por milhão de pedidos" in run("custo")


def test_custo_takes_prices_with_their_date() -> None:
    said = run("custo", "--json", "--preco-transicao", "0", "--preco-chamada", "0", "--preco-gb-segundo", "0",
               "--data-precos", "2030-01")  # fmt: skip
    report = json.loads(said)
    assert report["precos"] == "2030-01"
    assert report["sagas"][0]["dolaresPorMilhao"] == 0


def test_a_file_and_a_stack_cannot_both_be_what_is_judged() -> None:
    assert "--alvo é para a nossa saga" in run("verificar", BROKEN, "--alvo", "local", code=2)
