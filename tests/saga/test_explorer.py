"""The explorer proves what holds and, where something is lost, tells the shortest way to lose it."""

from __future__ import annotations

import copy
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from infra.saga.asl import parse
from infra.saga.dynamics import UnsupportedStateError
from infra.saga.effects import CompensationEffect, Late, PivotEffect, StepEffect
from infra.saga.explorer import UnprovedSagaError, explore, prove
from infra.saga.world import Fault
from infra.sagas.ours import our_machines

if TYPE_CHECKING:
    from collections.abc import Callable

    from infra.saga.asl import Definition
    from infra.saga.effects import Effects, StateEffect
    from infra.saga.story import Counterexample

pytestmark = pytest.mark.saga

OURS, RESUMPTION = our_machines()
HUMAN = "RegistrarRequerIntervencaoHumana"


def _with(change: Callable[[dict[str, Any]], object]) -> Definition:
    definition = copy.deepcopy(OURS.definition)
    change(definition["States"])
    return definition


def _effects(**changed: StateEffect) -> Effects:
    return replace(OURS.effects, states={**OURS.effects.states, **changed})


def _counterexample(definition: Definition, effects: Effects = OURS.effects) -> Counterexample:
    found = explore(definition, effects).counterexample
    assert found is not None
    return found


def test_our_saga_is_proved_in_less_than_a_second() -> None:
    started = time.process_time()
    exploration = explore(OURS.definition, OURS.effects)
    assert time.process_time() - started < 1
    assert exploration.proved
    assert exploration.counterexamples == ()
    # Nothing worth calling a proof is small; the exact numbers are those of the day.
    assert exploration.paths > 1_000_000
    assert exploration.states > 1_000


def test_the_machine_that_resumes_a_case_is_proved_from_every_world_a_dead_execution_may_leave() -> None:
    exploration = explore(RESUMPTION.definition, RESUMPTION.effects)
    assert exploration.proved
    assert exploration.states > 500


def test_the_verdict_is_the_same_every_time() -> None:
    wrong = _with(lambda states: states["CobrarPagamento"]["Catch"][-1].update(Next="LiberarEstoque"))
    assert explore(wrong, OURS.effects) == explore(wrong, OURS.effects)


def test_the_story_of_a_charge_nobody_undoes() -> None:
    wrong = _with(lambda states: states["CobrarPagamento"]["Catch"][-1].update(Next="LiberarEstoque"))
    assert _counterexample(wrong).story() == (
        "Contraexemplo (efeito que sobra): o pedido termina FALHOU_COMPENSADO e continua com: dinheiro cobrado. "
        "Ninguém vai desfazer.\n"
        "O que acontece:\n"
        "  1. ReservarEstoque: feito  [ReservarEstoque, Next → CobrarPagamento]\n"
        "  2. CobrarPagamento: falhou com GatewayIndisponivelError depois do efeito  "
        "[CobrarPagamento, Catch [States.ALL] → LiberarEstoque]\n"
        "  3. LiberarEstoque: desfeito  [LiberarEstoque, Next → RegistrarFalhaComEstoqueLiberado]\n"
        "  4. RegistrarFalhaComEstoqueLiberado: registrado  [RegistrarFalhaComEstoqueLiberado → fim]\n"
        "Como fica o mundo:\n"
        "  - estoque reservado: não\n"
        "  - dinheiro cobrado: sim\n"
        "  - reserva efetivada: não\n"
        "  - status registrado: FALHOU_COMPENSADO\n"
        "A aresta errada: CobrarPagamento, Catch [States.ALL] → LiberarEstoque."
    )


def test_the_wrong_edge_is_where_a_failure_went_astray_and_not_where_a_step_that_was_done_went_on() -> None:
    wrong = _with(lambda states: states["ConfirmarPedido"]["Catch"][-1].update(Next="RegistrarFalhaSemCompensacao"))
    assert _counterexample(wrong).edge == "ConfirmarPedido, Catch [States.ALL] → RegistrarFalhaSemCompensacao"


def _catch(state: str, at: int, target: str) -> Definition:
    return _with(lambda states: states[state]["Catch"][at].update(Next=target))


def _next(state: str, target: str) -> Definition:
    return _with(lambda states: states[state].update(Next=target))


@pytest.mark.parametrize(
    ("wrong", "fault", "subject"),
    [
        (_catch("ReservarEstoque", -1, "RegistrarFalhaSemCompensacao"), Fault.LEFT_BEHIND, "estoque reservado"),
        # 000's own example of an arrow to a wrong but existing state.
        (_catch("ConfirmarPedido", 0, "RegistrarFalhaSemCompensacao"), Fault.LEFT_BEHIND, "estoque reservado"),
        (_next("EstornarPagamento", "RegistrarFalhaComEstoqueLiberado"), Fault.LEFT_BEHIND, "estoque reservado"),
        (_catch("EstornarPagamento", -1, "LiberarEstoque"), Fault.LEFT_BEHIND, "dinheiro cobrado"),
        (_next("ReservarEstoque", "ConfirmarPedido"), Fault.INCOMPLETE, "dinheiro cobrado"),
        (_catch("LiberarEstoque", -1, "EstornarPagamento"), Fault.ENDLESS, "EstornarPagamento"),
    ],
)
def test_what_a_wrong_arrow_loses_is_found(wrong: Definition, fault: Fault, subject: str) -> None:
    exploration = explore(wrong, OURS.effects)
    assert not exploration.proved
    assert exploration.paths == 0
    assert (fault, subject) in {(each.found.fault, each.found.subject) for each in exploration.counterexamples}


@pytest.mark.parametrize(
    ("wrong", "fault", "subject"),
    [
        (_with(lambda s: s["CobrarPagamento"].pop("Catch")), Fault.UNCAUGHT, "CobrarPagamento"),
        (_catch("ConfirmarPedido", 0, "EfetivarReserva"), Fault.INCOMPLETE, "EfetivarReserva"),
        (_next("LiberarEstoque", "CobrarPagamento"), Fault.REDONE, "CobrarPagamento"),
        (_catch("CobrarPagamento", -1, "LiberarEstoque"), Fault.MIRROR, "LiberarEstoque"),
        (_catch("ConfirmarPedido", 0, HUMAN), Fault.PERSON, HUMAN),
        (_catch("CobrarPagamento", 0, "EstornarPagamento"), Fault.NEEDLESS, "EstornarPagamento"),
        (_catch("EstornarPagamento", 0, HUMAN), Fault.PERSON, HUMAN),
        (_next("CompensacaoFalhouParaFilaHumana", "EstornarPagamento"), Fault.PERSON, "EstornarPagamento"),
        (_next("ReservarEstoque", "LiberarEstoque"), Fault.NEEDLESS, "LiberarEstoque"),
        (_next("RegistrarResolvidoManualmente", "LiberarEstoque"), Fault.RECORD, "LiberarEstoque"),
        (
            _catch("ReservarEstoque", 0, "RegistrarFalhaComEstoqueLiberado"),
            Fault.RECORD,
            "RegistrarFalhaComEstoqueLiberado",
        ),
    ],
)
def test_the_rule_a_wrong_arrow_breaks_is_found(wrong: Definition, fault: Fault, subject: str) -> None:
    exploration = explore(wrong, OURS.effects, first_only=True)
    assert not exploration.proved
    assert (fault, subject) in {(each.found.fault, each.found.subject) for each in exploration.counterexamples}


def test_the_worst_is_told_first() -> None:
    wrong = _catch("CobrarPagamento", -1, "LiberarEstoque")
    severities = [each.found.severity() for each in explore(wrong, OURS.effects).counterexamples]
    assert severities == sorted(severities)
    assert _counterexample(wrong).found.fault is Fault.LEFT_BEHIND


# --- What the functions promise ------------------------------------------------------------------------------------


def _promise(name: str, **changed: object) -> Effects:
    effect = OURS.effects.states[name]
    assert isinstance(effect, StepEffect | CompensationEffect | PivotEffect)
    return _effects(**{name: replace(effect, **changed)})  # pyright: ignore[reportArgumentType] - a test's shorthand


@pytest.mark.parametrize(
    ("effects", "fault", "subject"),
    [
        (_promise("CobrarPagamento", idempotent=False), Fault.TWICE, "dinheiro cobrado"),
        (_promise("EstornarPagamento", idempotent=False), Fault.TWICE, "EstornarPagamento"),
        (_promise("LiberarEstoque", late=Late.UNSEEN), Fault.LEFT_BEHIND, "estoque reservado"),
        (_promise("EstornarPagamento", late=Late.UNSEEN), Fault.LEFT_BEHIND, "dinheiro cobrado"),
        (_promise("ConfirmarPedido", guarded=False), Fault.OVERTURNED, "ConfirmarPedido"),
        (_promise("EstornarPagamento", pivot_won=None, claims=None), Fault.AFTER_PIVOT, "dinheiro cobrado"),
        (replace(OURS.effects, net=False), Fault.DIED, "estoque reservado"),
    ],
)
def test_each_promise_of_the_functions_is_needed(effects: Effects, fault: Fault, subject: str) -> None:
    exploration = explore(OURS.definition, effects, first_only=True)
    assert (fault, subject) in {(each.found.fault, each.found.subject) for each in exploration.counterexamples}


def test_a_reservation_that_arrives_after_its_release_needs_the_tombstone() -> None:
    story = _counterexample(OURS.definition, _promise("LiberarEstoque", late=Late.UNSEEN)).story()
    assert "com o efeito ainda a caminho" in story
    assert "chega agora a tentativa atrasada de 'estoque reservado'" in story


def test_an_answer_that_never_came_back_must_not_look_as_if_it_had() -> None:
    # $.reserva present without an answer: LiberarEstoque would leave no tombstone.
    wrong = _with(lambda states: states["ReservarEstoque"]["Catch"][-1].update(ResultPath="$.reserva"))
    assert _counterexample(wrong).found.fault is Fault.LEFT_BEHIND


def test_a_status_write_without_its_condition_overturns_a_final_one() -> None:
    wrong = _with(lambda states: states["RegistrarFalhaSemCompensacao"]["Parameters"].pop("ConditionExpression"))
    example = _counterexample(wrong)
    assert example.found.fault is Fault.OVERTURNED
    assert "chega agora a escrita atrasada de FALHOU_SEM_RESERVA" in example.story()
    assert example.world[-1] == "status registrado: FALHOU_SEM_RESERVA"
    assert example.edge == ""


# --- The verdict as an error -----------------------------------------------------------------------------------------


def test_proving_what_is_not_proved_raises_the_counterexample() -> None:
    with pytest.raises(UnprovedSagaError) as unproved:
        prove(_catch("CobrarPagamento", -1, "LiberarEstoque"), OURS.effects)
    assert str(unproved.value).startswith("a saga 'Cesta: saga do pedido' não está provada.\nContraexemplo (")
    assert unproved.value.counterexample.edge == "CobrarPagamento, Catch [States.ALL] → LiberarEstoque"
    assert prove(OURS.definition, OURS.effects).proved


def test_the_json_of_a_counterexample_says_what_the_story_says() -> None:
    example = _counterexample(_catch("CobrarPagamento", -1, "LiberarEstoque"))
    said = example.to_json()
    assert said["tipo"] == "efeito que sobra"
    assert said["sobre"] == "dinheiro cobrado"
    assert said["caminho"] == [
        "ReservarEstoque",
        "CobrarPagamento",
        "LiberarEstoque",
        "RegistrarFalhaComEstoqueLiberado",
    ]
    assert all(step in example.story() for step in said["passos"])


def test_what_cannot_be_walked_is_refused_clearly() -> None:
    definition = parse('{"StartAt": "A", "States": {"A": {"Type": "Parallel", "Branches": [], "End": true}}}')
    with pytest.raises(UnsupportedStateError, match="A: o explorador não percorre estados Parallel"):
        explore(definition, OURS.effects)


def test_an_arrow_into_nothing_is_a_failure_and_not_a_crash() -> None:
    example = explore(_next("ReservarEstoque", "Nenhures"), OURS.effects).counterexamples
    assert any("leva a Nenhures, que não existe" in each.found.message for each in example)
