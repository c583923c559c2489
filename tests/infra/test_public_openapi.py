"""The public OpenAPI document: the file is the code's, and what it says is what the parser does."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import jsonschema_rs
import pytest
import schemathesis
from hypothesis import assume, given
from hypothesis import strategies as st

from api.chalicelib import problems
from api.chalicelib.parsing import QUANTIDADE_MAXIMA, VALOR_MAXIMO_CENTAVOS, ler_objeto, ler_pedido
from infra.openapi import load_app
from infra.public_openapi import PATH, UndocumentedRouteError, document, render
from tests.infra.harness import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.infra

DOCUMENT: dict[str, Any] = json.loads(PATH.read_text())
RESPONSES = [
    (f"{method} {path} {status}", response)
    for path, methods in DOCUMENT["paths"].items()
    for method, operation in methods.items()
    for status, response in operation["responses"].items()
]


def validator(schema: dict[str, Any]) -> jsonschema_rs.Draft202012Validator:
    """Of a schema that refers to the document's components."""
    return jsonschema_rs.Draft202012Validator({**schema, "components": DOCUMENT["components"]}, validate_formats=True)


def examples(media: dict[str, Any]) -> Iterator[Any]:
    if "example" in media:
        yield media["example"]
    for example in media.get("examples", {}).values():
        yield example["value"]


def test_the_file_is_what_the_code_says() -> None:
    assert PATH.read_text(encoding="utf-8") == render(load_app(ROOT / "api")), "run `make openapi` and read the diff"


def test_it_is_valid_openapi() -> None:
    schemathesis.openapi.from_dict(DOCUMENT).validate()


def test_a_route_nobody_described_is_refused(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(
        "from chalice import Chalice\napp = Chalice(app_name='t')\n@app.route('/x')\ndef x(): return {}\n"
    )
    with pytest.raises(UndocumentedRouteError) as refused:
        document(load_app(tmp_path))
    assert ("/x", "GET") in refused.value.routes


@pytest.mark.parametrize(("name", "response"), RESPONSES, ids=[name for name, _ in RESPONSES])
def test_every_answer_has_a_description_and_examples_that_fit_its_schema(name: str, response: dict[str, Any]) -> None:
    assert response["description"]
    for media in response["content"].values():
        found = list(examples(media))
        assert found
        for example in found:
            validator(media["schema"]).validate(example)


def test_an_example_of_another_status_does_not_fit() -> None:
    conflict = DOCUMENT["paths"]["/pedidos"]["post"]["responses"]["409"]["content"]["application/problem+json"]
    other = problems.TipoDeConteudoError().corpo
    assert not validator(conflict["schema"]).is_valid(other)


def test_every_refusal_the_code_has_is_documented() -> None:
    documented = {
        example["type"]
        for _, response in RESPONSES
        for media in response["content"].values()
        for example in examples(media)
        if "type" in example
    }
    known = {f"urn:cesta:problema:{problem.tipo}" for problem in problems.ProblemaError.__subclasses__()}
    # Behind API Gateway a method without a route never reaches the app: only `chalice local` shows it.
    assert documented == known - {"urn:cesta:problema:metodo-nao-permitido"}


# --- The document and the parser agree -------------------------------------------------------------------------------

ORDER: dict[str, Any] = {"pedidoId": "p-1", "sku": "s", "quantidade": 1, "valorCentavos": 1, "cartaoToken": "tok_a"}
NEW_ORDER = validator({"$ref": "#/components/schemas/NovoPedido"})
texts = (
    st.text(max_size=8)
    | st.from_regex(r"[A-Za-z0-9_-]{60,66}", fullmatch=True)
    | st.from_regex(r"to?k[-_]?[A-Za-z0-9_-]{0,66}", fullmatch=True)
    | st.sampled_from(["", "a", "a\n", "tok-", "tok_a\n", "tok.a", "é"])
    | st.sampled_from(["tok_a", "x-tok-a", "x_tok_a", "estok-1", "x-tok", "1tok-1", "tok--", "Tok_a"])
)
edges = [-1, 0, 1, QUANTIDADE_MAXIMA, QUANTIDADE_MAXIMA + 1, VALOR_MAXIMO_CENTAVOS, VALOR_MAXIMO_CENTAVOS + 1]
nested: st.SearchStrategy[Any] = st.sampled_from([[], ["a"], {"a": 1}])
values = texts | st.integers() | st.sampled_from(edges) | st.none() | st.booleans() | nested
orders = st.fixed_dictionaries(
    {}, optional={name: st.just(value) | values for name, value in ORDER.items()} | {"cupom": values}
)


@given(order=orders)
def test_what_fits_the_schema_is_what_the_parser_takes(order: dict[str, Any]) -> None:
    taken = True
    try:
        ler_pedido(ler_objeto(json.dumps(order).encode(), "application/json"), chave="clique-1", aceita_falhas=False)
    except problems.NumeroDeCartaoError:
        # No schema can say it: the document says it in words.
        assume(False)
    except problems.ProblemaError:
        taken = False
    assert NEW_ORDER.is_valid(order) == taken


@pytest.mark.parametrize("chave", ["a", "clique 1", "", "é", "x" * 255, "x" * 256, "tok_a", "x:tok-a", "estok-1", "~"])
def test_the_key_that_fits_its_schema_is_the_one_the_parser_takes(chave: str) -> None:
    (parameter,) = DOCUMENT["paths"]["/pedidos"]["post"]["parameters"]
    taken = True
    try:
        ler_pedido(ORDER, chave=chave, aceita_falhas=False)
    except problems.ProblemaError:
        taken = False
    assert validator(parameter["schema"]).is_valid(chave) == taken


def test_the_order_all_others_are_made_of_is_right() -> None:
    assert NEW_ORDER.is_valid(ORDER)
    ler_pedido(ORDER, chave=None, aceita_falhas=False)
