"""Whoever makes one small mistake in the saga is told: the proof of the proof.

One mutant in twelve of each kind here; ``make mutation`` takes them all.
"""

from __future__ import annotations

from collections import Counter

import pytest

from infra.sagas.ours import our_machines
from tests.saga.mutation.equivalents import why_equivalent
from tests.saga.mutation.mutants import mutants
from tests.saga.mutation.score import Fate, fates

pytestmark = pytest.mark.saga

OURS = our_machines()[0]
ONE_IN = 12

KINDS = {
    "Catch desviado",
    "Catch estreitado",
    "Catch removido",
    "Catch reordenado",
    "Choice alterado",
    "Choice desviado",
    "Next desviado",
    "ResultPath desviado",
    "ResultPath removido",
    "Retry com nome a menos",
    "Retry com nome errado",
    "Retry com outras tentativas",
    "Retry removido",
    "Retry reordenado",
    "StartAt desviado",
    "compensações trocadas",
    "condição afrouxada",
    "condição apertada",
    "função trocada",
    "jitter trocado",
    "mensagem sem token",
    "promessa quebrada",
    "status por putItem",
    "status trocado",
    "timeout removido",
}

MAY_CHANGE_NOTHING = {
    "Catch estreitado",
    "Choice alterado",
    "Retry com nome a menos",
    "Retry com nome errado",
    "Retry reordenado",
    "jitter trocado",
}


@pytest.fixture(scope="module")
def slice_() -> list[Fate]:
    return list(fates(OURS, one_in=ONE_IN))


def test_every_mutant_that_changes_something_is_killed(slice_: list[Fate]) -> None:
    assert [f"{fate.mutant.kind}: {fate.mutant.what}" for fate in slice_ if fate.survives] == []
    assert sum(fate.explored or fate.checked for fate in slice_) > 130


def test_the_explorer_needs_no_check_to_tell_a_wrong_arrow(slice_: list[Fate]) -> None:
    arrows = [fate for fate in slice_ if fate.mutant.kind in {"Catch desviado", "Next desviado", "Choice desviado"}]
    assert len(arrows) > 50
    assert all(fate.explored for fate in arrows)


def test_every_kind_of_mistake_is_made_and_only_those_about_names_and_numbers_may_change_nothing() -> None:
    made: Counter[str] = Counter()
    for mutant in mutants(OURS.definition, OURS.effects):
        made[mutant.kind] += 1
        assert mutant.definition != OURS.definition or mutant.effects != OURS.effects
        if mutant.kind not in MAY_CHANGE_NOTHING:
            assert why_equivalent(mutant, OURS.definition) is None, mutant.what
    assert set(made) == KINDS
    assert sum(made.values()) > 1_500
