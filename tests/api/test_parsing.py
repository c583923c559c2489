"""The strict parser: one reading of a body, or a refusal that repeats nothing of it (design §6)."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.chalicelib.parsing import MAX_CORPO_BYTES, NovoPedido, ler_objeto, ler_pedido
from api.chalicelib.problems import (
    CamposInvalidosError,
    CorpoGrandeDemaisError,
    CorpoMalformadoError,
    NumeroDeCartaoError,
    ProblemaError,
    TipoDeConteudoError,
)

pytestmark = pytest.mark.api

JSON = "application/json"
PEDIDO: dict[str, object] = {
    "pedidoId": "p-1",
    "sku": "sku-abc",
    "quantidade": 2,
    "valorCentavos": 4590,
    "cartaoToken": "tok_segredo",
}
VISA = "4111111111111111"


def ler(corpo: object, *, chave: str | None = None, aceita_falhas: bool = False) -> NovoPedido:
    raw = corpo if isinstance(corpo, bytes) else json.dumps(corpo).encode()
    return ler_pedido(ler_objeto(raw, JSON), chave=chave, aceita_falhas=aceita_falhas)


def campos(corpo: object, *, chave: str | None = None, aceita_falhas: bool = False) -> list[str]:
    """The fields complained of."""
    with pytest.raises(CamposInvalidosError) as caught:
        ler(corpo, chave=chave, aceita_falhas=aceita_falhas)
    return [erro.campo for erro in caught.value.erros]


def com(**mudancas: object) -> dict[str, object]:
    return {**PEDIDO, **mudancas}


def sem(*nomes: str) -> dict[str, object]:
    return {nome: valor for nome, valor in PEDIDO.items() if nome not in nomes}


def test_a_good_order_is_read_whole() -> None:
    assert ler(PEDIDO) == NovoPedido(
        pedido_id="p-1", sku="sku-abc", quantidade=2, valor_centavos=4590, cartao_token="tok_segredo"
    )


def test_the_token_is_not_in_the_orders_repr() -> None:
    assert "tok_segredo" not in repr(ler(PEDIDO))


@pytest.mark.parametrize(
    "content_type",
    [
        "application/json",
        "APPLICATION/JSON",
        "application/json; charset=utf-8",
        'application/json;charset="UTF-8"',
        " application/json ",
    ],
)
def test_json_in_utf8_is_the_content_type(content_type: str) -> None:
    assert ler_objeto(b"{}", content_type) == {}


@pytest.mark.parametrize(
    "content_type",
    [
        None,
        "",
        "text/plain",
        "application/jsonp",
        "application/json, text/plain",
        "application/json; charset=latin-1",
        "application/json; charset=utf-16",
        "application/problem+json",
        "application/json;charset=utf-8;charset=utf-8",
        "application/json; charset=utf-8; x=1",
        "application/json; charset=utf-8, text/plain",
        "application/json; charset=utf-16; charset=utf-8",
        "application/json; charset='utf-8'",
        "application/json; charset=",
        "application/json;",
        "application/json\n",
        'application/json; charset="utf-8',
        "application/j\u017fon",
        "application/json\u00a0",
        "application/json\ufffd",
        "application/ json",
        "text/json",
        "*/*",
        "application/*",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=application/json",
    ],
)
def test_any_other_content_type_is_refused(content_type: str | None) -> None:
    with pytest.raises(TipoDeConteudoError):
        ler_objeto(b"{}", content_type)


def test_the_size_is_counted_in_bytes_and_before_anything_is_parsed() -> None:
    exact = b'{"a":"' + b"x" * (MAX_CORPO_BYTES - 8) + b'"}'
    assert len(exact) == MAX_CORPO_BYTES
    assert len(ler_objeto(exact, JSON)) == 1
    for longer in (b" " + exact, b"[" * (MAX_CORPO_BYTES + 1), "é".encode() * (MAX_CORPO_BYTES // 2 + 1)):
        with pytest.raises(CorpoGrandeDemaisError):
            ler_objeto(longer, JSON)


@pytest.mark.parametrize(
    "corpo",
    [
        b"",
        b" ",
        b"null",
        b"[]",
        b'"texto"',
        b"7",
        b"{",
        b"{}{}",
        b'{"a":1,}',
        b"{'a':1}",
        b'{"a":1} x',
        b'{"a":NaN}',
        b'{"a":Infinity}',
        b'{"a":-Infinity}',
        b'{"a":01}',
        b'{"a":1}\x00',
        b'{"a":"\x01"}',
        b"\xef\xbb\xbf{}",
        '{"a":1}'.encode("utf-16"),
        b'{"a":"\xff"}',
        b'{"a":"\xed\xa0\x80"}',
        b'{"a":"\xc0\xaf"}',
        '{"a":"\ufffd"}'.encode(),
        b'{"a":1,"a":1}',
        b'{"x":{"a":1,"a":2}}',
        b'{"a":1,"\\u0061":2}',
        b'{"a":' + b"[" * 4000,
        b'{"a":' + b"[" * 3500 + b"]" * 3500 + b"}",
        b'{"a":' + b"9" * 5000 + b"}",
        b'{"pedidoId":"p-1","sku":"\\ufffd","quantidade":1,"valorCentavos":1,"cartaoToken":"tok-a"}',
        b'{"pedidoId":"p-1","sku":"s","quantidade":1,"valorCentavos":1,"cartaoToken":"tok-a","\\ud800":1}',
        b'{"a":1}\x1e{"a":1}',
        b'//\n{"a":1}',
        b'{"a":0x10}',
        b'{"a":1_000}',
        b'{"a":+1}',
        b'{"a":.5}',
        b'{"a":"\\x41"}',
        b'{"a":"\n"}',
        b"\x00{}",
        "{\u00a0}".encode(),
        "\u2028{}".encode(),
    ],
)
def test_what_is_no_json_object_or_an_ambiguous_one_is_refused(corpo: bytes) -> None:
    with pytest.raises((CorpoMalformadoError, CamposInvalidosError)) as caught:
        ler(corpo)
    assert caught.value.status == 400


@pytest.mark.parametrize(
    ("corpo", "detalhe"),
    [
        (b'{"sku":1,"sku":2}', "repetido"),
        (b'{"sku":NaN}', "NaN"),
        (b"\xef\xbb\xbf{}", "BOM"),
        ('{"sku":"\ufffd"}'.encode(), "corrompidos"),
        (b'{"sku":"\xff"}', "UTF-8"),
        (b'{"sku":' + b"[" * 32, "demais"),
        (b'{"sku":' + b"[" * 4000 + b"]" * 4000 + b"}", "demais"),
        (b"[]", "objeto"),
    ],
)
def test_what_is_wrong_with_the_body_is_told_before_fields_are_looked_at(corpo: bytes, detalhe: str) -> None:
    with pytest.raises(CorpoMalformadoError, match=detalhe):
        ler(corpo)


@pytest.mark.parametrize("campo", ["quantidade", "valorCentavos"])
@pytest.mark.parametrize(
    "literal",
    ["0", "-1", "-0", "1.0", "1e0", "1e3", "1e999", "2.5", "true", "false", "null", '"2"', "[2]", "{}", "1" + "0" * 12],
)
def test_amounts_are_integers_in_range_and_nothing_like_them(campo: str, literal: str) -> None:
    corpo = json.dumps(com(**{campo: "AQUI"})).replace('"AQUI"', literal).encode()
    assert campos(corpo) == [campo]


@pytest.mark.parametrize(("campo", "maximo"), [("quantidade", 1000), ("valorCentavos", 10**9)])
def test_both_ends_of_an_amounts_range_are_in_it(campo: str, maximo: int) -> None:
    for valor in (1, maximo):
        ler(com(**{campo: valor}))
    assert campos(com(**{campo: maximo + 1})) == [campo]


@pytest.mark.parametrize("campo", ["pedidoId", "sku"])
@pytest.mark.parametrize(
    "valor",
    [
        "",
        " ",
        "a b",
        "a" * 65,
        "é",
        "a\n",
        "a\u0000",
        "\ud800",
        "\ufffd",
        "а",
        "１",
        "a.b",
        "a/b",
        7,
        None,
        True,
        ["a"],
    ],
)
def test_ids_are_ascii_letters_digits_underscore_and_hyphen(campo: str, valor: object) -> None:
    assert campos(com(**{campo: valor})) == [campo]


@pytest.mark.parametrize("campo", ["pedidoId", "sku", "quantidade", "valorCentavos", "cartaoToken", "falhas", "outro"])
@pytest.mark.parametrize("aceita_falhas", [False, True])
@pytest.mark.parametrize("corpo", ['{{"{0}":"a{1}b"}}', '{{"{0}{1}":1}}', '{{"{0}":{{"x":["{1}"]}}}}'])
@pytest.mark.parametrize("corrompido", ["\ufffd", "\\ufffd"])
def test_a_corrupted_character_is_refused_in_any_name_and_value_raw_or_escaped(
    campo: str, aceita_falhas: bool, corpo: str, corrompido: str
) -> None:
    enviado = corpo.format(campo, corrompido)
    restante = json.dumps({nome: valor for nome, valor in PEDIDO.items() if nome != campo})
    texto = f"{enviado[:-1]},{restante[1:]}"
    with pytest.raises((CorpoMalformadoError, CamposInvalidosError)):
        ler(texto.encode(), chave="k", aceita_falhas=aceita_falhas)


@pytest.mark.parametrize("valor", ["a", "A-_9", "x" * 64])
def test_good_ids_are_kept_as_they_are(valor: str) -> None:
    novo = ler(com(pedidoId=valor, sku=valor))
    assert (novo.pedido_id, novo.sku) == (valor, valor)


@pytest.mark.parametrize(
    "valor", ["tok", "tok-", "tokabc", "TOK-a", "tok-é", "tok-a b", "tok-ok\n", "tok-" + "a" * 65, 7]
)
def test_a_card_token_has_its_grammar(valor: object) -> None:
    assert campos(com(cartaoToken=valor)) == ["cartaoToken"]


@pytest.mark.parametrize("nome", ["sku", "quantidade", "valorCentavos", "cartaoToken"])
def test_a_missing_field_is_told_apart_from_a_wrong_one(nome: str) -> None:
    with pytest.raises(CamposInvalidosError) as caught:
        ler(sem(nome))
    (erro,) = caught.value.erros
    assert erro.campo == nome
    assert erro.mensagem.startswith("obrigatório")


def test_everything_wrong_is_told_at_once() -> None:
    assert campos({"quantidade": 0, "sku": "", "extra": 1}) == [
        "sku",
        "quantidade",
        "valorCentavos",
        "cartaoToken",
        "extra",
        "pedidoId",
    ]


def test_without_an_id_a_key_is_required() -> None:
    assert campos(sem("pedidoId")) == ["pedidoId"]
    assert ler(sem("pedidoId"), chave="clique-1").pedido_id is None


@pytest.mark.parametrize("chave", ["", "a b", "é", "a\n", "x" * 256, "\x7f"])
def test_a_key_is_visible_ascii_even_where_the_id_is_given(chave: str) -> None:
    assert campos(PEDIDO, chave=chave) == ["Idempotency-Key"]


@pytest.mark.parametrize("nome", ["tok_segredo", "tok-segredo", "a b", "ç", "x" * 33, "a1", ""])
def test_an_unknown_name_that_might_be_card_data_is_not_repeated(nome: str) -> None:
    assert campos(com(**{nome: 1})) == ["(nome omitido)"]


@pytest.mark.parametrize("nome", ["desconto", "Status", "hashConteudo"])
def test_an_unknown_harmless_name_is_repeated(nome: str) -> None:
    assert campos(com(**{nome: 1})) == [nome]


@pytest.mark.parametrize(
    ("corpo", "campo"),
    [
        (com(cartaoToken=VISA), "cartaoToken"),
        (com(cartaoToken=f"tok_{VISA}"), "cartaoToken"),
        (com(sku="4111-1111-1111-1111"), "sku"),
        (com(pedidoId="p-4111-1111-1111-1111"), "pedidoId"),
        (com(valorCentavos=int(VISA)), "valorCentavos"),
        (com(valorCentavos=-int(VISA)), "valorCentavos"),
        (com(obs={"a": [{"b": f"cartão {VISA}"}]}), "obs"),
        (com(obs={VISA: 1}), "obs"),
        (com(**{VISA: 1}), "(nome omitido)"),
    ],
)
def test_a_card_number_anywhere_is_a_422_that_repeats_no_digit_of_it(corpo: dict[str, object], campo: str) -> None:
    with pytest.raises(NumeroDeCartaoError) as caught:
        ler(corpo)
    assert [erro.campo for erro in caught.value.erros] == [campo]
    assert "1111" not in json.dumps(caught.value.corpo)


@pytest.mark.parametrize("literal", [f"{VISA}.0", "4000000000000001236.0", "411111111111.1111", f"{VISA}e0"])
def test_a_card_number_written_as_a_fraction_is_seen_digit_by_digit(literal: str) -> None:
    with pytest.raises(NumeroDeCartaoError):
        ler(json.dumps(com(quantidade="AQUI")).replace('"AQUI"', literal).encode())


def test_faults_are_an_unknown_field_unless_the_stack_injects_them() -> None:
    falhas = {"ConfirmarPedido": "antes", "ReservarEstoque": "morrer:3"}
    assert campos(com(falhas=falhas)) == ["falhas"]
    assert ler(com(falhas=falhas), aceita_falhas=True).falhas == falhas


@pytest.mark.parametrize(
    ("falhas", "esperados"),
    [
        ([], ["falhas"]),
        ("antes", ["falhas"]),
        (None, ["falhas"]),
        ({"Confirmar": "antes"}, ["falhas.Confirmar"]),
        ({"tok_a": "antes"}, ["falhas.(nome omitido)"]),
        ({"ConfirmarPedido": "durante"}, ["falhas.ConfirmarPedido"]),
        ({"ConfirmarPedido": "antes:0"}, ["falhas.ConfirmarPedido"]),
        ({"ConfirmarPedido": "antes:10000"}, ["falhas.ConfirmarPedido"]),
        ({"ConfirmarPedido": "antes:²"}, ["falhas.ConfirmarPedido"]),
        ({"ConfirmarPedido": 1, "EfetivarReserva": []}, ["falhas.ConfirmarPedido", "falhas.EfetivarReserva"]),
    ],
)
def test_faults_name_a_step_and_follow_their_grammar(falhas: object, esperados: list[str]) -> None:
    assert campos(com(falhas=falhas), aceita_falhas=True) == esperados


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@given(st.binary(max_size=200) | json_values.map(lambda value: json.dumps(value).encode()))
def test_no_bytes_make_anything_but_an_order_or_a_problem(corpo: bytes) -> None:
    try:
        ler(corpo, chave="k", aceita_falhas=True)
    except ProblemaError as problema:
        assert 400 <= problema.status < 500


@given(st.dictionaries(st.sampled_from([*PEDIDO, "falhas", "x"]), json_values | st.text(), max_size=7))
def test_no_value_of_a_field_is_ever_repeated(mudancas: dict[str, object]) -> None:
    segredo = "tok_S3gr3d0"
    corpo = {**PEDIDO, **mudancas, "cartaoToken": [segredo]}
    with pytest.raises(ProblemaError) as caught:
        ler(corpo)
    assert segredo not in json.dumps(caught.value.corpo)


@given(
    pedido_id=st.from_regex(r"p[A-Za-z_-]{0,63}", fullmatch=True),
    quantidade=st.integers(1, 1000),
    valor=st.integers(1, 10**9),
)
def test_every_order_in_range_is_read_as_it_was_sent(pedido_id: str, quantidade: int, valor: int) -> None:
    novo = ler(com(pedidoId=pedido_id, quantidade=quantidade, valorCentavos=valor))
    assert (novo.pedido_id, novo.quantidade, novo.valor_centavos) == (pedido_id, quantidade, valor)
