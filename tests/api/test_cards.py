"""A corpus both ways: card numbers are found in any dress; timestamps, ids and product codes are left alone."""

from __future__ import annotations

import datetime as dt
import hashlib
import random
import uuid
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.domain.cards import contem_cartao, contem_token, numeros_de_cartao

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.api

# The networks' own test numbers.
CARTOES = [
    "4111111111111111",
    "4012888888881881",
    "4222222222222",  # thirteen digits, and no bar code
    "5555555555554444",
    "5105105105105100",
    "2223003122003222",
    "378282246310005",
    "371449635398431",
    "30569309025904",
    "38520000023237",
    "36006666333344",
    "6011111111111117",
    "6011000990139424",
    "3530111333300000",
    "6200000000000005",
    "6205500000000000004",
    "6759649826438453",
    "6304000000000000",
    "6362970000457013",  # Elo
    "5066991111111118",  # Elo
    "6062825624254001",  # Hipercard
    "2200000000000004",
]
VISA = CARTOES[0]
DIGITOS_DE_OUTROS = ["０１２３４５６７８９", "٠١٢٣٤٥٦٧٨٩", "०१२३४५६७८९", "⁰¹²³⁴⁵⁶⁷⁸⁹", "𝟎𝟏𝟐𝟑𝟒𝟓𝟔𝟕𝟖𝟗", "⓪①②③④⑤⑥⑦⑧⑨"]
SEPARADORES = " -._/,:;|+*#~=()[]\u00a0\u00ad\u00b7\u2011\u2013\u2022\u200b\u2212\ufeff\t\n"


@pytest.mark.parametrize("numero", CARTOES)
def test_every_networks_numbers_are_found(numero: str) -> None:
    assert contem_cartao(numero)


@pytest.mark.parametrize(
    "texto",
    [
        "4111 1111 1111 1111",
        "4111-1111-1111-1111",
        "4111.1111.1111.1111",
        "4111_1111_1111_1111",
        "4111  1111 - 1111 / 1111",
        "4111\u00a01111\u20111111\u200b1111",
        "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1",
        "41111-11111-111111",
        "41111111 11111111",
        "3782 822463 10005",
        "3056-930902-5904",
        "tok_4111111111111111",
        "a4111111111111111b",
        "41111111-1111-1111",
        "0000004111111111111111",  # a field of fixed width
        "4111111111111111.0",
        ";4111111111111111=29122015432112345678?",  # a magnetic stripe's second track
        "%B4111111111111111^SILVA/ANA^2912",
        "meu cartão é 4111111111111111, validade 12/29",
        "3782-822463-10005 12/29 1234",
        "pedido 12 4111 1111 1111 1111 34",
        "pedido 7: 41111-11111-111111, 12/29",
        "2026-08-07 4111111111111111",
        "20260807 2223 0031 2200 3222",
        "2026-08-07 2223 0031 2200 3222",
        "4006381333931 4111 1111 1111 1111",  # after a bar code
        "550e8400-e29b-41d4-a716-446655440000 4111111111111111",
        "５５５５ ５５５５ ５５５５ ４４４４",
    ],
)
def test_a_number_in_disguise_is_found(texto: str) -> None:
    assert contem_cartao(texto)


@pytest.mark.parametrize("digitos", DIGITOS_DE_OUTROS)
def test_digits_of_any_script_are_digits(digitos: str) -> None:
    assert contem_cartao("".join(digitos[int(digito)] for digito in VISA))


@given(
    numero=st.sampled_from(CARTOES),
    separadores=st.lists(st.sampled_from(SEPARADORES), min_size=19, max_size=19),
    escrita=st.sampled_from(["0123456789", *DIGITOS_DE_OUTROS]),
    antes=st.text("abc çã", max_size=10),
    depois=st.text("xyz éí", max_size=10),
)
def test_separators_between_any_digits_of_any_script_in_any_sentence_hide_nothing(
    numero: str, separadores: list[str], escrita: str, antes: str, depois: str
) -> None:
    digitos = (escrita[int(digito)] for digito in numero)
    texto = "".join(digito + separador for digito, separador in zip(digitos, separadores, strict=False))
    assert contem_cartao(f"{antes}{texto}{depois}")


@given(numero=st.sampled_from(CARTOES), antes=st.text(max_size=20), depois=st.text(max_size=20))
def test_where_a_number_was_found_is_where_it_stands(numero: str, antes: str, depois: str) -> None:
    texto = f"{antes}x{numero}x{depois}"
    inicio = len(antes) + 1
    assert (inicio, inicio + len(numero)) in set(numeros_de_cartao(texto))


@pytest.mark.parametrize(
    "texto",
    [
        "",
        "4111111111111112",  # a wrong check digit
        "1111111111111117",  # no issuer's prefix
        "411111111111",  # too short
        "41111111111111110000",  # too long
        "99" + VISA,  # a longer number that only contains one
        "1754571851000",  # epoch milliseconds
        "2026-08-07T13:04:11.000Z",
        "20260807130411",
        "30122026130411",  # day first: 30 12 2026, 13:04:11; begins as a Diners number does
        "550e8400-e29b-41d4-a716-446655440000",
        "41111111-1111-1111-8000-00000000000a",  # a well-formed UUID, whatever its digits
        "41111111111111118000" + "00000000000a",  # the same without hyphens
        "sku-cafe-500g",
        "1000000000",
        "7891234567895",  # EAN-13 of a Brazilian product
        "4006381333931",  # EAN-13 that begins as a Visa number does
        "04006381333931",  # the same as a GTIN-14
        "4 006381 333931",  # the same as it is printed
        "702-3612345-1234567",  # an order number of a marketplace
        "+55 (11) 98765-4321",
        "123.456.789-09",  # CPF
        "12.345.678/0001-95",  # CNPJ
        "estok-1",
    ],
)
def test_what_is_no_card_number_passes(texto: str) -> None:
    assert not contem_cartao(texto)


_acaso = random.Random(20260807)  # noqa: S311 - the same corpus each time


def _quando() -> dt.datetime:
    return dt.datetime.fromtimestamp(_acaso.uniform(946_684_800, 2_871_763_200), dt.UTC)  # 2000 to 2060


def _epoch() -> float:
    return _acaso.uniform(946_684_800, 2_200_000_000)  # 2000 to 2039: from then on, microseconds begin as Mir cards do


def _digitos(quantos: int) -> str:
    return "".join(_acaso.choices("0123456789", k=quantos))


def _ean() -> str:
    corpo = _digitos(12)
    soma = sum(int(digito) * (3 if i % 2 else 1) for i, digito in enumerate(corpo))
    return f"{corpo}{-soma % 10}"


def _cnpj() -> str:
    numeros = [*map(int, _digitos(8)), 0, 0, 0, _acaso.randrange(1, 10)]
    for _ in range(2):
        resto = sum(digito * (2 + i % 8) for i, digito in enumerate(reversed(numeros))) % 11
        numeros.append(0 if resto < 2 else 11 - resto)
    return "".join(map(str, numeros))


def _data(formato: str) -> Callable[[], str]:
    return lambda: _quando().strftime(formato)


INOCENTES: dict[str, Callable[[], str]] = {
    "uuid4": lambda: str(uuid.UUID(int=_acaso.getrandbits(128), version=4)),
    "uuid4 hex": lambda: uuid.UUID(int=_acaso.getrandbits(128), version=4).hex,
    "uuid5 upper": lambda: str(uuid.UUID(int=_acaso.getrandbits(128), version=5)).upper(),
    "sha256": lambda: hashlib.sha256(_acaso.randbytes(8)).hexdigest(),
    "ulid": lambda: "".join(_acaso.choices("0123456789ABCDEFGHJKMNPQRSTVWXYZ", k=26)),
    "epoch s": lambda: f"{_epoch():.0f}",
    "epoch ms": lambda: f"{_epoch() * 1e3:.0f}",
    "epoch us": lambda: f"{_epoch() * 1e6:.0f}",
    "epoch ns": lambda: f"{_epoch() * 1e9:.0f}",
    "epoch float": lambda: f"{_epoch():.6f}",
    "epoch ms and sequence": lambda: f"{_epoch() * 1e3:.0f}-{_acaso.randrange(1000)}",
    "iso": lambda: _quando().isoformat(),
    "iso basic": _data("%Y%m%dT%H%M%SZ"),
    "compact": _data("%Y%m%d%H%M%S"),
    "compact with micros": _data("%Y%m%d%H%M%S%f"),
    "compact, two-digit year": _data("%y%m%d%H%M%S"),
    "hyphens": _data("%Y-%m-%d-%H-%M-%S-%f"),
    "day first": _data("%d/%m/%Y %H:%M:%S"),
    "day first, hyphens": _data("%d-%m-%Y-%H-%M-%S"),
    "day first, compact": _data("%d%m%Y%H%M%S"),
    "day first, compact, with micros": _data("%d%m%Y%H%M%S%f"),
    "store, date and sequence": lambda: f"loja-{_acaso.randrange(99)}-{_data('%Y%m%d')()}-{_digitos(6)}",
    "ean-13": _ean,
    "ean-13 and variant": lambda: f"{_ean()}-{_digitos(3)}",
    "ean-13 named": lambda: f"sku_{_ean()}_azul",
    "gtin-14 of a unit": lambda: f"0{_ean()}",
    "cnpj": _cnpj,
    "cnpj formatted": lambda: "{}.{}.{}/{}-{}".format(*_partes(_cnpj(), 2, 3, 3, 4, 2)),
    "cnpj and sequence": lambda: f"{_cnpj()}-{_digitos(4)}",
    "cpf": lambda: _digitos(11),
    "marketplace order": lambda: f"70{_digitos(1)}-{_digitos(7)}-{_digitos(7)}",
    "amounts": lambda: str(_acaso.randrange(10**9)),
}


def _partes(texto: str, *tamanhos: int) -> list[str]:
    letras = iter(texto)
    return ["".join(next(letras) for _ in range(tamanho)) for tamanho in tamanhos]


@pytest.mark.parametrize("nome", INOCENTES)
def test_no_timestamp_id_or_product_code_is_taken_for_a_card(nome: str) -> None:
    falsos = [texto for texto in (INOCENTES[nome]() for _ in range(1500)) if contem_cartao(texto)]
    assert falsos == []


def test_what_a_bare_number_of_sixteen_digits_risks_is_known() -> None:
    """An issuer's prefix and a Luhn digit are all there is to see: an id like that is what a card number is."""
    falsos = sum(contem_cartao(_digitos(16)) for _ in range(4000))
    assert 0 < falsos / 4000 < 0.06


@pytest.mark.parametrize("texto", ["tok_abc", "tok-abc", "x tok-abc", "1tok-abc", "Bearer:tok_9f2e", "p-tok-abc"])
def test_a_token_is_found_wherever_it_stands(texto: str) -> None:
    assert contem_token(texto)


@pytest.mark.parametrize("texto", ["", "token", "tok", "tok-", "estok-1", "stok_2", "Tok-abc", "tok abc"])
def test_what_is_no_token_passes(texto: str) -> None:
    assert not contem_token(texto)
