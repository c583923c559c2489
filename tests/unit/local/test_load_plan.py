"""What a load sends."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infra.local.load.plan import LoadPlan, malformed_bodies

pytestmark = pytest.mark.unit

ORDERS = [{"pedidoId": f"p-{index}", "sku": "s", "quantidade": 1, "valorCentavos": 100} for index in range(7)]


@given(percent=st.integers(0, 100), hundreds=st.integers(1, 5))
def test_a_percentage_is_met_exactly(percent: int, hundreds: int) -> None:
    plan = LoadPlan(pedidos=100 * hundreds, clientes=1, duplicados=percent, divergentes=percent, malformadas=percent)
    indexes = range(plan.pedidos)
    assert sum(plan.is_duplicated(index) for index in indexes) == percent * hundreds
    assert sum(plan.is_contradicted(index) for index in indexes) == percent * hundreds
    assert plan.malformed() == percent * hundreds


def test_malformed_messages_are_all_different_and_of_every_kind() -> None:
    bodies = malformed_bodies(12, "corrida", ORDERS)
    assert len(set(bodies)) == 12
    assert all("corrida" in body for body in bodies)
    assert sum(not _is_json(body) for body in bodies) == 3
    assert sum(body.startswith("[") for body in bodies) == 3
    assert any("NaN" in body for body in bodies)
    assert any("desconhecido-" in body for body in bodies)


def _is_json(body: str) -> bool:
    try:
        json.loads(body)
    except ValueError:
        return False
    return True
