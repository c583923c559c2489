"""Dropping what can matter no more changes no verdict; keeping what can is what the verdict rests on."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from infra.saga.answered import Answered
from infra.saga.dynamics import Dynamics
from infra.saga.effects import CompensationEffect, Late
from infra.saga.explorer import explore
from infra.saga.world import Fault
from infra.sagas.ours import our_machines

if TYPE_CHECKING:
    from infra.saga.asl import Definition
    from infra.saga.effects import Effects
    from infra.saga.explorer import Exploration
    from infra.saga.world import World

pytestmark = pytest.mark.saga

OURS, _ = our_machines()
UNDONE_TOO_SOON = replace(
    OURS.effects,
    states={
        **OURS.effects.states,
        "LiberarEstoque": replace(OURS.effects.states["LiberarEstoque"], late=Late.UNSEEN),  # pyright: ignore[reportArgumentType, reportCallIssue]
    },
)


def _turned(state: str, at: int, target: str) -> Definition:
    definition: dict[str, Any] = copy.deepcopy(OURS.definition)
    definition["States"][state]["Catch"][at]["Next"] = target
    return definition


def _verdict(exploration: Exploration) -> tuple[bool, set[tuple[Fault, str, int]]]:
    # An endless cycle may be told from any place in it.
    told = (each for each in exploration.counterexamples if each.found.fault is not Fault.ENDLESS)
    return exploration.proved, {(each.found.fault, each.found.subject, len(each.steps)) for each in told}


def _unsettled(_: Answered, world: World) -> World:
    return world


@pytest.mark.parametrize(
    ("definition", "effects"),
    [
        (OURS.definition, OURS.effects),
        (OURS.definition, UNDONE_TOO_SOON),
        (_turned("ReservarEstoque", -1, "RegistrarFalhaSemCompensacao"), OURS.effects),
        (_turned("CobrarPagamento", -1, "LiberarEstoque"), OURS.effects),
    ],
    ids=["ours", "a compensation that ignores late attempts", "a wrong catch", "another"],
)
def test_the_verdict_is_that_of_the_walk_that_drops_nothing(
    definition: Definition, effects: Effects, monkeypatch: pytest.MonkeyPatch
) -> None:
    settled = explore(definition, effects)
    monkeypatch.setattr(Answered, "settle", _unsettled)
    whole = explore(definition, effects)
    assert _verdict(settled) == _verdict(whole)
    assert settled.states < whole.states


def test_a_field_is_kept_while_the_step_may_run_or_its_attempt_may_arrive_and_no_longer() -> None:
    dynamics = Dynamics(OURS.definition, OURS.effects)
    (key,) = dynamics.answered.keys
    (step,) = [
        effect.effect
        for effect in OURS.effects.states.values()
        if isinstance(effect, CompensationEffect) and effect.late_unless == key
    ]
    index = dynamics.positions[step]
    world = dynamics.held._replace(state=OURS.definition["StartAt"], keys=frozenset({key}))
    assert dynamics.answered.settle(world).keys == {key}, "the step is still ahead"
    undoing = world._replace(state="LiberarEstoque")
    assert dynamics.answered.settle(undoing).keys == frozenset()
    late = undoing._replace(late=tuple(int(each == index) for each in range(len(world.late))))
    assert dynamics.answered.settle(late).keys == {key}, "an attempt may still arrive"
