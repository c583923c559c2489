"""Nothing is deployed with a saga that loses something."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import pulumi
import pytest

from infra.sagas import ours
from infra.sagas.pedido import compilar
from tests.infra.harness import GATEWAY, run_program

if TYPE_CHECKING:
    from collections.abc import Iterator

    from infra.saga.asl import Definition
    from infra.saga.effects import Effects
    from infra.sagas.pedido import AjustesDaSaga, Recursos

pytestmark = pytest.mark.infra


@pytest.fixture
def unproved() -> Iterator[None]:
    ours.prove_ours.cache_clear()
    yield
    ours.prove_ours.cache_clear()


def _one_wrong_arrow(ajustes: AjustesDaSaga, recursos: Recursos) -> Definition:
    definition = copy.deepcopy(compilar(ajustes, recursos))
    definition["States"]["CobrarPagamento"]["Catch"][-1]["Next"] = "LiberarEstoque"
    return definition


@pytest.mark.usefixtures("unproved")
def test_a_preview_with_one_wrong_arrow_fails_with_its_counterexample(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ours, "compilar", _one_wrong_arrow)
    # pulumi.RunError is what the CLI prints as it is; any other exception would be a stack trace.
    with pytest.raises(pulumi.RunError) as refused:
        run_program("dev", GATEWAY, first_preview=True)
    told = str(refused.value)
    assert told.startswith("a saga 'Cesta: saga do pedido' não está provada.\nContraexemplo (efeito que sobra): ")
    assert "dinheiro cobrado: sim" in told
    assert told.endswith("A aresta errada: CobrarPagamento, Catch [States.ALL] → LiberarEstoque.")


@pytest.mark.usefixtures("unproved")
def test_the_proof_is_made_once_for_the_same_times(monkeypatch: pytest.MonkeyPatch) -> None:
    proofs: list[str] = []

    def prove(definition: Definition, _effects: Effects) -> None:
        proofs.append(definition["StartAt"])

    monkeypatch.setattr(ours, "prove", prove)
    for _ in range(2):
        run_program("dev", GATEWAY, first_preview=True)
    assert proofs == ["ReservarEstoque", "DecidirIntervencao"]
