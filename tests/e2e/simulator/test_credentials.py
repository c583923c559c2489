"""The simulator demands each operation's own credential, where it was given one."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.e2e.simulator.conftest import Simulator, simulator

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.e2e

CREDENTIALS = {"cobranca": "c-1", "estorno": "e-1", "consulta": "q-1"}
OPERATIONS = {
    "cobranca": ("POST", "/cobrancas", {"pedidoId": "p-1", "cartaoToken": "tok-ok", "valorCentavos": 100}),
    "estorno": ("POST", "/estornos", {"pedidoId": "p-1", "transacaoId": "tx", "valorCentavos": 100}),
    "consulta": ("GET", "/cobrancas?pedidoId=p-1", None),
}


@pytest.fixture(scope="module")
def gateway() -> Iterator[Simulator]:
    given = [word for operation, value in CREDENTIALS.items() for word in (f"--credencial-{operation}", value)]
    with simulator(*given) as running:
        yield running


def status(gateway: Simulator, operation: str, header: str | None) -> int:
    method, path, body = OPERATIONS[operation]
    headers = {"Idempotency-Key": f"k-{operation}"} | ({"Authorization": header} if header is not None else {})
    payload = json.dumps(body).encode() if body is not None else None
    return gateway.http.request(
        method, f"{gateway.url}{path}", body=payload, headers=headers, retries=False, timeout=5
    ).status


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("sent", [None, "", "Bearer ", "Bearer outra", "c-1", *(f"Bearer {c}" for c in "abc")])
def test_a_wrong_credential_does_nothing(gateway: Simulator, operation: str, sent: str | None) -> None:
    assert status(gateway, operation, sent) == 401


@pytest.mark.parametrize("operation", OPERATIONS)
def test_another_operation_s_credential_will_not_do(gateway: Simulator, operation: str) -> None:
    for other, credential in CREDENTIALS.items():
        refused = status(gateway, operation, f"Bearer {credential}") == 401
        assert refused is (other != operation)


def test_a_refused_charge_took_nothing(gateway: Simulator) -> None:
    method, path, _ = OPERATIONS["cobranca"]
    body = json.dumps({"pedidoId": "p-2", "cartaoToken": "tok-ok", "valorCentavos": 100}).encode()
    headers = {"Idempotency-Key": "k-2", "Authorization": "Bearer e-1"}
    answer = gateway.http.request(method, f"{gateway.url}{path}", body=body, headers=headers, retries=False)
    assert (answer.status, answer.json()) == (401, {"codigo": "credencial_recusada"})
    _, statement = gateway.get("/_simulador/extrato?pedidoId=p-2")
    assert statement == {"cobrancas": [], "estornos": []}


def test_a_simulator_that_was_given_none_takes_anybody_s() -> None:
    with simulator() as running:
        assert status(running, "cobranca", None) == 201
