"""What DynamoDB bills, by the rules of its Developer Guide."""

from __future__ import annotations

from typing import Any

import pytest

from tests.bench.capacity import Index, read_units, write_units

pytestmark = pytest.mark.unit

PENDENTES = Index(("status", "pendenteDesde", "id"), ("criadoEm",))


def _order(**attributes: str) -> dict[str, Any]:
    return {"id": {"S": "p-1"}, **{name: {"S": value} for name, value in attributes.items()}}


def test_a_write_is_billed_by_the_larger_of_before_and_after_in_steps_of_1_kb() -> None:
    small, large = _order(texto="x" * 100), _order(texto="x" * 1500)
    assert write_units(None, small) == 1
    assert write_units(small, large) == write_units(large, small) == 2
    assert write_units(None, None) == 1, "a refused condition on nothing is billed too"


def test_an_index_is_billed_for_what_changes_in_it_alone() -> None:
    fresh = _order(status="RECEBIDO", pendenteDesde="t0", criadoEm="t0")
    assert write_units(None, fresh, [PENDENTES]) == 1 + 1
    assert write_units(fresh, {**fresh, "cobranca": {"S": "INICIADA"}}, [PENDENTES]) == 1, "not projected"
    assert write_units(fresh, {**fresh, "criadoEm": {"S": "t1"}}, [PENDENTES]) == 1 + 1, "projected"
    assert write_units(fresh, {**fresh, "status": {"S": "CONFIRMADO"}}, [PENDENTES]) == 1 + 2, "out and in again"
    left = {name: value for name, value in fresh.items() if name != "pendenteDesde"}
    assert write_units(fresh, left, [PENDENTES]) == 1 + 1
    assert write_units(left, left, [PENDENTES]) == 1


def test_a_read_is_billed_by_the_whole_item_in_steps_of_4_kb() -> None:
    assert read_units(None) == 1
    assert read_units(_order(texto="x" * 5000)) == 2
