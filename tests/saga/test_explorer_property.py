"""Any saga of the model is proved; no rewiring of one is called proved that a random run sees go wrong."""

from __future__ import annotations

import copy
from random import Random
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from infra.saga import compile_resumption, compile_saga
from infra.saga.derivation import effects_of
from infra.saga.explorer import explore
from tests.saga.growth import prove_of
from tests.saga.samples import compensable, pivot, resources, retriable, trip
from tests.saga.simulator import Run
from tests.saga.test_compiler import sagas

if TYPE_CHECKING:
    from infra.saga import Saga

pytestmark = pytest.mark.saga

SMALL = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def _definition(saga: Saga) -> dict[str, Any]:
    return compile_saga(saga, resources(saga))


def _wrongs(definition: dict[str, Any], saga: Saga, seed: int, runs: int) -> list[str]:
    """What ``runs`` random runs see go wrong."""
    chance = Random(seed)  # noqa: S311 - chance, not a secret
    return [wrong for _ in range(runs) for wrong in Run(definition, saga, chance).go()]


@given(sagas())
@SMALL
def test_any_legal_saga_is_proved_and_so_is_its_resumption(saga: Saga) -> None:
    effects = effects_of(saga, resources(saga))
    for compile_ in (compile_saga, compile_resumption):
        exploration = explore(compile_(saga, resources(saga)), effects)
        assert exploration.counterexamples == ()
        assert exploration.paths > exploration.states > 10


@given(sagas(), st.integers(0, 2**32))
@SMALL
def test_no_random_run_of_a_proved_saga_goes_wrong(saga: Saga, seed: int) -> None:
    assert _wrongs(_definition(saga), saga, seed, runs=40) == []


@st.composite
def rewired(draw: st.DrawFn) -> tuple[Saga, dict[str, Any]]:
    """A saga's machine with one to three arrows that lead to other states, drop out, or swap places."""
    saga = draw(sagas())
    definition = copy.deepcopy(_definition(saga))
    states: dict[str, Any] = definition["States"]
    names = list(states)
    for _ in range(draw(st.integers(1, 3))):
        state = states[draw(st.sampled_from(names))]
        ways = [way for way in (state, *state.get("Catch", ()), *state.get("Choices", ())) if "Next" in way]
        what = draw(st.sampled_from(("turn", "turn", "turn", "drop", "swap", "end")))
        if what == "turn" and ways:
            draw(st.sampled_from(ways))["Next"] = draw(st.sampled_from(names))
        elif what == "drop" and state.get("Catch"):
            state["Catch"].pop(draw(st.integers(0, len(state["Catch"]) - 1)))
        elif what == "swap" and len(state.get("Catch", ())) > 1:
            state["Catch"].reverse()
        elif what == "end" and state["Type"] == "Task" and "Next" in state:
            del state["Next"]
            state["End"] = True
    return saga, definition


@given(rewired(), st.integers(0, 2**32))
@settings(SMALL, max_examples=150)
def test_no_rewiring_is_proved_that_a_random_run_sees_go_wrong(both: tuple[Saga, dict[str, Any]], seed: int) -> None:
    saga, definition = both
    exploration = explore(definition, effects_of(saga, resources(saga)), first_only=True)
    if exploration.proved:
        assert _wrongs(definition, saga, seed, runs=60) == []


def test_the_second_opinion_sees_what_is_there_to_see() -> None:
    saga = trip(compensable("Flight"), compensable("Hotel", guard=True), pivot(), retriable("SendVoucher"))
    turns = {
        ("BookHotel", -1, "CancelFlight"): "ends UNDONE with BookHotel",
        ("BookFlight", -1, "RecordNothingDone"): "ends REFUSED with BookFlight",
        ("IssueTicket", 0, "RecordUndone"): "ends UNDONE with BookFlight",
        ("CancelFlight", -1, "CancelHotel"): "goes round for ever",
    }
    for (state, at, target), wrong in turns.items():
        definition = copy.deepcopy(_definition(saga))
        definition["States"][state]["Catch"][at]["Next"] = target
        if wrong == "goes round for ever":
            definition["States"]["CancelHotel"]["Next"] = "CancelFlight"
            definition["States"]["CancelFlight"]["Next"] = "CancelHotel"
        assert wrong in _wrongs(definition, saga, seed=1, runs=300)
        assert not explore(definition, effects_of(saga, resources(saga)), first_only=True).proved


def test_the_proof_grows_with_the_square_of_the_steps_and_not_with_their_power() -> None:
    small, large = prove_of(3), prove_of(6)
    assert small.proved
    assert large.proved
    assert large.states < 6 * small.states
