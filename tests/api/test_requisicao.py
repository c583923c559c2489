"""Who calls, what id a key stands for, and where the API is."""

from __future__ import annotations

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.chalicelib.requisicao import pedido_id_derivado, quem_chama, url_base

pytestmark = pytest.mark.api

GATEWAY: dict[str, object] = {"domainName": "abc.example", "path": "/api/pedidos"}


@pytest.mark.parametrize(
    ("contexto", "quem"),
    [
        ({}, "anonimo"),
        ({"identity": {"userArn": None, "sourceIp": "1.2.3.4"}}, "anonimo"),
        ({"identity": None, "authorizer": None}, "anonimo"),
        ({"identity": {"userArn": "arn:aws:iam::1:user/ana"}}, "iam:arn:aws:iam::1:user/ana"),
        ({"authorizer": {"claims": {"sub": "u-1"}}, "identity": {}}, "cognito:u-1"),
    ],
)
def test_the_caller_is_who_the_authorizer_says(contexto: dict[str, object], quem: str) -> None:
    assert quem_chama(contexto) == quem


def test_two_sessions_of_a_role_are_one_caller() -> None:
    callers = {
        quem_chama({"identity": {"userArn": f"arn:aws:sts::1:assumed-role/loja/{session}"}}) for session in ("a", "b")
    }
    assert callers == {"iam:arn:aws:sts::1:assumed-role/loja"}


def test_a_derived_id_is_a_uuid_that_stays_the_same_between_releases() -> None:
    derivado = pedido_id_derivado("clique-1", "cognito:u-1")
    assert uuid.UUID(derivado).version == 5
    assert derivado == "7ee1e82a-ba22-5c1a-9b42-2ff741fe8cdb"


@given(st.lists(st.tuples(st.text("abc:", min_size=1), st.text("abc:", min_size=1)), unique=True, max_size=6))
def test_different_callers_and_keys_never_share_an_id(pares: list[tuple[str, str]]) -> None:
    assert len({pedido_id_derivado(chave, quem) for chave, quem in pares}) == len(pares)


@pytest.mark.parametrize(
    ("configurada", "contexto", "host", "recurso", "base"),
    [
        ("https://loja.example/v1/", GATEWAY, "mau.example", "/pedidos", "https://loja.example/v1"),
        (None, GATEWAY, "mau.example", "/pedidos", "https://abc.example/api"),
        (None, {**GATEWAY, "path": "/api/pedidos/"}, None, "/pedidos", "https://abc.example/api"),
        (None, {**GATEWAY, "path": "/api/pedidos/pedidos"}, None, "/pedidos/pedidos", "https://abc.example/api"),
        (None, {"domainName": "loja.example", "path": "/pedidos"}, None, "/pedidos", "https://loja.example"),
        (None, {"path": "/pedidos"}, "127.0.0.1:8000", "/pedidos", "http://127.0.0.1:8000"),
        (None, {"path": "/pedidos"}, "[::1]:8000", "/pedidos", "http://[::1]:8000"),
        (None, {"path": "/pedidos"}, "mau.example/x?", "/pedidos", ""),
        (None, {"path": "/pedidos"}, "mau\r\nSet-Cookie: a", "/pedidos", ""),
        (None, {}, None, "/pedidos", ""),
    ],
)
def test_links_point_to_where_the_request_came_in(
    configurada: str | None, contexto: dict[str, object], host: str | None, recurso: str, base: str
) -> None:
    assert url_base(configurada, contexto, host, recurso) == base
