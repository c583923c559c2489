"""The picture shows every state and every edge, and the one in the docs is today's."""

from __future__ import annotations

from pathlib import Path

import pytest

from infra.saga.diagram import mermaid
from tests.saga.test_pedido import DEFINITION, STATES

pytestmark = pytest.mark.saga

ARCHITECTURE = Path(__file__).parents[2] / "docs" / "architecture.md"


def test_every_state_and_edge_is_drawn() -> None:
    drawn = mermaid(DEFINITION)
    edges = {tuple(line.split()[::2][:2]) for line in drawn.splitlines() if "=>" in line or "->" in line}
    for name, state in STATES.items():
        assert f'"{name}"' in drawn
        for branch in (state, *state.get("Catch", ()), *state.get("Choices", ())):
            if "Next" in branch:
                assert any(edge[0] == name and edge[-1] == branch["Next"] for edge in edges), (name, branch["Next"])


def test_the_way_forward_is_thick_and_failures_are_dotted() -> None:
    drawn = mermaid(DEFINITION)
    assert "ReservarEstoque ==> CobrarPagamento" in drawn
    assert "EstornarPagamento --> LiberarEstoque" in drawn
    assert "ConfirmarPedido -.->|States.ALL| EstornarPagamento" in drawn


def test_the_picture_in_the_docs_is_of_the_definition_deployed() -> None:
    assert mermaid(DEFINITION) in ARCHITECTURE.read_text()
