"""The commands, as a person and a script use them: real processes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from infra.ops.target import announce

if TYPE_CHECKING:
    from infra.local.proofs.workbench import Workbench
    from infra.local.stack import EmbeddedStack

pytestmark = pytest.mark.e2e

VIEW_KEYS = {
    "pedidoId",
    "status",
    "etapa",
    "execucao",
    "linha",
    "estoque",
    "dinheiro",
    "ultimoErro",
    "caso",
    "proximoPasso",
}


def _cesta(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "infra.cli", *arguments], capture_output=True, text=True, timeout=60, check=False
    )


@pytest.fixture
def announced(stack: EmbeddedStack) -> EmbeddedStack:
    announce(stack.endpoints(), stack.run_dir, os.getpid())
    return stack


def test_pedido_tells_where_an_order_stopped(bench: Workbench, announced: EmbeddedStack) -> None:
    sku = bench.stock_sku("cli")
    pedido_id = bench.post(bench.order("cli", sku))
    bench.end(pedido_id)
    told = _cesta("pedido", pedido_id, "--json")
    assert told.returncode == 0, told.stderr
    view = json.loads(told.stdout)
    assert set(view) >= VIEW_KEYS
    assert (view["status"], view["etapa"]) == ("CONFIRMADO", "confirmado")
    assert view["dinheiro"] == {"cobrado": 14_000, "estornado": 0, "situacao": "cobrado"}
    assert [line["estado"] for line in view["linha"]] == [
        "POST /pedidos",
        "ReservarEstoque",
        "CobrarPagamento",
        "ConfirmarPedido",
        "EfetivarReserva",
        "(fim)",
    ]
    printed = _cesta("pedido", pedido_id)
    assert printed.returncode == 0, printed.stderr
    assert "EfetivarReserva" in printed.stdout


def test_the_customer_sees_the_same_end_at_the_address_the_post_gave(bench: Workbench) -> None:
    order = bench.order("links", bench.stock_sku("links"))
    posted = bench.front_door.post(order)
    assert posted.status == 202
    bench.end(order["pedidoId"])
    seen = bench.front_door.request("GET", posted.body["links"]["self"])
    assert posted.headers["location"] == posted.body["links"]["self"]
    assert (seen.status, seen.body["status"], seen.body["etapa"]) == (200, "CONFIRMADO", "confirmado")
    assert seen.body["links"] == posted.body["links"]


def test_an_unknown_order_exits_1_and_says_so_in_json(announced: EmbeddedStack) -> None:
    told = _cesta("pedido", "nunca-existiu", "--json")
    assert told.returncode == 1
    assert set(json.loads(told.stdout)) == {"erro"}


@pytest.mark.parametrize(
    "arguments", [("pedido",), ("pedidos",), ("provas", "--alvo", "lua"), ("local", "--porta-aws", "0")]
)
def test_a_wrong_use_exits_2(arguments: tuple[str, ...]) -> None:
    assert _cesta(*arguments).returncode == 2
