"""What must hold in a state by itself, given what its task does: retriers, conditions, fields, the function called."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from infra.saga.asl import retrier_for
from infra.saga.effects import RESULT, CompensationEffect, PersonEffect, PivotEffect, RecordEffect, StepEffect
from infra.saga.outcomes import CONDITION_FAILED, DEFAULT_ATTEMPTS, attempts, error_names
from infra.saga.world import Fault, Found

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from infra.saga.conditions import ConditionalWrite
    from infra.saga.effects import Doubt, Effects, StateEffect

__all__ = ["local_faults"]


def local_faults(
    name: str, state: Mapping[str, Any], effects: Effects, write: ConditionalWrite | None, statuses: frozenset[str]
) -> Iterator[Found]:
    """The rules that the Task ``name`` breaks wherever it is reached from.

    Args:
        name: the state's name.
        state: its definition.
        effects: what the saga's states do.
        write: the status it writes, if it does.
        statuses: every status known.
    """
    effect = effects.states.get(name)
    yield from _retries(name, state, effects, effect)
    yield from _fields(name, state, effects, effect)
    yield from _function(name, state, effects)
    if isinstance(effect, RecordEffect) and write is not None:
        yield from _condition(name, effect, write, statuses)
    if isinstance(effect, PersonEffect):
        yield from _person(name, state)


def _retries(name: str, state: Mapping[str, Any], effects: Effects, effect: StateEffect | None) -> Iterator[Found]:
    for refusal in _refusals(state, effect):
        if attempts(state, refusal) > 0:
            yield Found(Fault.RETRY, name, f"{name} tenta de novo depois da recusa {refusal}, que não vai mudar (C12)")
    if effect is None:
        return
    for error in error_names(state, effects, effect):
        if attempts(state, error) < 1:
            yield Found(Fault.RETRY, name, f"{name} não tenta de novo depois de {error}, que pode ser passageiro (C13)")
    if effects.spread and not isinstance(effect, RecordEffect | PersonEffect):
        yield from _spread(name, state, effects)
    if isinstance(effect, CompensationEffect) and effect.doubt is not None:
        yield from _outlasts(name, state, effect.doubt)


def _refusals(state: Mapping[str, Any], effect: StateEffect | None) -> tuple[str, ...]:
    match effect:
        case StepEffect() | PivotEffect():
            return effect.refusals
        case CompensationEffect():
            return (effect.pivot_won,) if effect.pivot_won is not None else ()
        case RecordEffect():
            return (CONDITION_FAILED,) if "ConditionExpression" in state.get("Parameters", {}) else ()
        case _:
            return ()


def _spread(name: str, state: Mapping[str, Any], effects: Effects) -> Iterator[Found]:
    """Where our own code raised, the attempt is over: any moment will do. Otherwise it may still run: wait it out."""
    for error in effects.transient:
        if "JitterStrategy" not in (retrier_for(state, error) or {}):
            yield Found(Fault.RETRY, name, f"{name} repete {error} sem jitter: todas as execuções voltam juntas")
    if "JitterStrategy" in (retrier_for(state, "States.Timeout") or {}):
        message = f"{name} repete com jitter depois de States.Timeout: a tentativa anterior pode ainda correr (C15)"
        yield Found(Fault.RETRY, name, message)


def _outlasts(name: str, state: Mapping[str, Any], doubt: Doubt) -> Iterator[Found]:
    retrier = retrier_for(state, doubt.error) or {"MaxAttempts": 0}
    interval, rate = retrier.get("IntervalSeconds", 1), retrier.get("BackoffRate", 2.0)
    longest = retrier.get("MaxDelaySeconds", float("inf"))
    waits = sum(min(interval * rate**n, longest) for n in range(retrier.get("MaxAttempts", DEFAULT_ATTEMPTS)))
    if waits <= doubt.seconds or "JitterStrategy" in retrier:
        message = f"{name} desiste de {doubt.error} em {waits:g} s; a dúvida pode durar {doubt.seconds:g} s"
        yield Found(Fault.RETRY, name, message)


def _fields(name: str, state: Mapping[str, Any], effects: Effects, effect: StateEffect | None) -> Iterator[Found]:
    path = state.get("ResultPath", "$")
    if isinstance(effect, StepEffect) and effect.answer_key is not None and path != f"$.{effect.answer_key}":
        message = f"a resposta de {name} não chega a $.{effect.answer_key}: quem desfaz não sabe que ela veio"
        yield Found(Fault.DATA, name, message)
    if not effects.owners:
        return
    written = [(path, RESULT)]
    written += [(catcher.get("ResultPath", "$"), catcher["ErrorEquals"][0]) for catcher in state.get("Catch", ())]
    for target, what in written:
        expected = effects.owners.get((name, what))
        if target != (f"$.{expected}" if expected is not None else None):
            told = f"devia ficar em $.{expected}" if expected is not None else "não se guarda"
            message = f"em {name}, o que vem de {what} é escrito em {target or 'lugar nenhum'}; {told}"
            yield Found(Fault.DATA, name, message)


def _function(name: str, state: Mapping[str, Any], effects: Effects) -> Iterator[Found]:
    expected = effects.functions.get(name)
    if expected is None:
        return
    called = state.get("Parameters", {}).get("FunctionName", state.get("Resource"))
    if called != expected:
        yield Found(Fault.WIRING, name, f"{name} chama {called}; a função dele é {expected}")


def _condition(name: str, effect: RecordEffect, write: ConditionalWrite, statuses: frozenset[str]) -> Iterator[Found]:
    if effect.status is not None and write.status != effect.status:
        yield Found(Fault.RECORD, name, f"{name} escreve {write.status}; o status dele é {effect.status}")
    if effect.allowed_from is None:
        return
    for present in sorted(statuses):
        if write.allows(present) and present not in effect.allowed_from:
            message = (
                f"{name} aceita escrever {write.status} sobre {present}, o que a tabela de transições proíbe (C08)"
            )
            yield Found(Fault.GUARD, name, message)
        if not write.allows(present) and present in effect.allowed_from:
            message = f"{name} recusa escrever {write.status} sobre {present}, o que é legítimo"
            yield Found(Fault.GUARD, name, message)


def _person(name: str, state: Mapping[str, Any]) -> Iterator[Found]:
    if "TimeoutSeconds" not in state:
        yield Found(Fault.PERSON, name, f"{name} espera para sempre: a mensagem some da fila e ninguém mais vê o caso")
    if attempts(state, "States.Timeout") > 0:
        yield Found(Fault.PERSON, name, f"{name} repete com o mesmo token quando ninguém responde; é preciso um novo")
