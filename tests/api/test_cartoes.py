"""Card numbers are found in any dress; timestamps, ids and amounts are left alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.chalicelib.cartoes import contem_cartao

if TYPE_CHECKING:
    import uuid

pytestmark = pytest.mark.api

# The networks' own test numbers.
CARTOES = [
    "4111111111111111",
    "4222222222222",
    "5555555555554444",
    "2223003122003222",
    "378282246310005",
    "30569309025904",
    "38520000023237",
    "6011111111111117",
    "3530111333300000",
    "6200000000000005",
    "6362970000457013",
    "6062825624254001",
]


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
        "tok_4111111111111111",
        "meu cartão é 4111111111111111, validade 12/29",
        "pedido 12 4111 1111 1111 1111 34",
        "４１１１１１１１１１１１１１１１",
        "٤١١١١١١١١١١١١١١١",
        "a4111111111111111b",
        "41111111-1111-1111-0000-00000000000a",  # no well-formed UUID
    ],
)
def test_a_number_in_disguise_is_found(texto: str) -> None:
    assert contem_cartao(texto)


@pytest.mark.parametrize(
    "texto",
    [
        "",
        "4111111111111112",  # a wrong check digit
        "1111111111111117",  # no issuer's prefix
        "411111111111",  # too short
        "41111111111111110000",  # too long
        "99" + "4111111111111111",  # a longer number that only contains one
        "1754571851000",  # epoch milliseconds
        "2026-08-07T13:04:11.000Z",
        "20260807130411",
        "550e8400-e29b-41d4-a716-446655440000",
        "41111111-1111-1111-8000-00000000000a",  # a well-formed UUID, whatever its digits
        "sku-cafe-500g",
        "1000000000",
        "7891234567895",  # EAN-13 of a Brazilian product
        "(11) 98765-4321",
        "123.456.789-09",  # CPF
        "12.345.678/0001-95",  # CNPJ
    ],
)
def test_what_is_no_card_number_passes(texto: str) -> None:
    assert not contem_cartao(texto)


@given(st.uuids(version=4))
def test_a_uuid_is_never_taken_for_a_card(valor: uuid.UUID) -> None:
    assert not contem_cartao(str(valor))


@given(numero=st.sampled_from(CARTOES), separadores=st.lists(st.sampled_from(" -._/"), min_size=19, max_size=19))
def test_separators_between_any_digits_hide_nothing(numero: str, separadores: list[str]) -> None:
    texto = "".join(digito + separador for digito, separador in zip(numero, separadores, strict=False))
    assert contem_cartao(texto)
