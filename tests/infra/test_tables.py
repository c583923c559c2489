"""The tables, and what keeps them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.infra.harness import Run

pytestmark = pytest.mark.infra


def test_tables_are_on_demand_recoverable_and_encrypted(stack: Run) -> None:
    for table in stack.of("dynamodb/table:Table"):
        assert table.inputs["billingMode"] == "PAY_PER_REQUEST"
        assert table.inputs["pointInTimeRecovery"] == {"enabled": True}
        assert table.inputs["serverSideEncryption"] == {"enabled": True}


def test_prods_tables_cannot_be_lost_by_mistake(prod: Run) -> None:
    for table in prod.of("dynamodb/table:Table"):
        assert table.protect
        assert table.retain_on_delete
        assert table.inputs["deletionProtectionEnabled"] is True


def test_other_stacks_can_be_destroyed(dev: Run) -> None:
    for resource in dev.resources:
        assert not resource.protect
        assert not resource.retain_on_delete
    for table in dev.of("dynamodb/table:Table"):
        assert table.inputs["deletionProtectionEnabled"] is False


def test_the_keys_and_the_sparse_index_are_the_designs(stack: Run) -> None:
    names = stack.names
    pedidos = stack.one("dynamodb/table:Table", names.tabela_pedidos)
    assert pedidos.inputs["hashKey"] == "pedidoId"
    assert stack.one("dynamodb/table:Table", names.tabela_estoque).inputs["hashKey"] == "sku"
    index, closed = pedidos.inputs["globalSecondaryIndexes"]
    assert (closed["name"], closed["hashKey"], closed["rangeKey"]) == ("verificacoes", "status", "verificarEm")
    assert closed["projectionType"] == "KEYS_ONLY"
    assert (index["name"], index["hashKey"], index["rangeKey"]) == ("pendentes", "status", "pendenteDesde")
    assert index["projectionType"] == "INCLUDE"
    assert index["nonKeyAttributes"] == ["criadoEm"]
