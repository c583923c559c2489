"""``cesta politicas``, and the page generated from it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from infra.cli import main
from infra.packaging import ROOT
from policies.declared import declarations
from policies.evaluation.material import Material, MaterialShapeError
from policies.table import markdown

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.policies


def cesta(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(main, ["politicas", *arguments])
    return result.exit_code, result.output


def test_the_page_is_the_program_s(prod: Material) -> None:
    page = (ROOT / "docs" / "policies.md").read_text(encoding="utf-8")
    assert page == markdown(prod, declarations(prod)), "run: cesta politicas mostrar --markdown > docs/policies.md"


def test_ours_are_as_declared() -> None:
    code, output = cesta("verificar")
    assert code == 0
    assert "tudo como declarado" in output


def test_a_widened_copy_is_refused_and_the_statement_named(prod: Material, tmp_path: Path) -> None:
    copy: Any = json.loads(json.dumps(prod.to_json()))
    (statement,) = [one for one in copy["papeis"]["api"]["Statement"] if one["Sid"] == "LerPedido"]
    statement["Condition"]["ForAllValues:StringEquals"]["dynamodb:Attributes"].append("cartaoToken")
    file = tmp_path / "copia.json"
    file.write_text(json.dumps(copy))
    code, output = cesta("verificar", str(file))
    assert code == 1
    assert "api [LerPedido]: permite a mais: dynamodb:GetItem" in output
    assert '"dynamodb:Attributes": ["cartaoToken"]' in output
    code, output = cesta("verificar", str(file), "--json")
    told = json.loads(output)
    assert (code, told["verificado"]) == (1, False)
    assert {one["sid"] for one in told["achados"]} == {"LerPedido"}


def test_a_copy_that_is_one_permission_short_is_refused(prod: Material, tmp_path: Path) -> None:
    copy: Any = json.loads(json.dumps(prod.to_json()))
    kept = [one for one in copy["papeis"]["cobrar-pagamento"]["Statement"] if one["Sid"] != "Credenciais"]
    copy["papeis"]["cobrar-pagamento"]["Statement"] = kept
    file = tmp_path / "copia.json"
    file.write_text(json.dumps(copy))
    code, output = cesta("verificar", str(file))
    assert code == 1
    assert "cobrar-pagamento: falta permitir: ssm:GetParameter" in output


@pytest.mark.parametrize("content", ["{}", "[]", '{"lugar": {}}', "não é JSON"])
def test_what_is_not_a_copy_is_told_so(content: str, tmp_path: Path) -> None:
    file = tmp_path / "copia.json"
    file.write_text(content)
    code, output = cesta("verificar", str(file))
    assert code == 2
    assert str(file) in output
    assert "Traceback" not in output


def test_one_role_s_document_can_be_attached(prod: Material) -> None:
    code, output = cesta("mostrar", "--papel", "suporte", "--json")
    assert code == 0
    assert json.loads(output) == prod.identity["suporte"]


def test_the_table_says_who_may_what_on_what_and_when() -> None:
    code, output = cesta("mostrar", "--papel", "estornar-pagamento")
    assert code == 0
    for word in ("ssm:GetParameter", "parameter/cesta/gateway/estorno", "dynamodb:Select is SPECIFIC_ATTRIBUTES"):
        assert word in output
    assert "gateway/cobranca" not in output


def test_a_role_or_a_stack_that_does_not_exist_is_used_wrongly() -> None:
    assert cesta("mostrar", "--papel", "ninguem")[0] == 2
    assert cesta("mostrar", "--stack", "inexistente")[0] == 2


def test_what_is_shown_comes_back_as_it_was(prod: Material) -> None:
    assert Material.from_json(json.loads(json.dumps(prod.to_json()))) == prod
    with pytest.raises(MaterialShapeError) as refused:
        Material.from_json({"stack": "prod"})
    assert refused.value.key == "lugar"
