"""Which mutants change nothing, by rule. Each rule compares what the two definitions do, never names a mutant."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

from infra.saga.asl import catcher_for, retrier_for
from infra.saga.choices import AbsentPathError, branches
from infra.saga.outcomes import CONDITION_FAILED, DEFAULT_ATTEMPTS, PLATFORM

if TYPE_CHECKING:
    from collections.abc import Mapping

    from infra.saga.asl import Definition
    from infra.saga.effects import Effects
    from tests.saga.mutation.mutants import Mutant

__all__ = ["why_equivalent"]

_SAME_RETRIES = "todo erro possível é repetido do mesmo jeito: outro nome da mesma lista (States.TaskFailed) o pega"
_SAME_CATCHES = "todo erro possível vai para o mesmo destino, e é guardado no mesmo campo"
_SAME_WRITE = "uma escrita condicional não corre ao lado de si mesma: o jitter só muda o instante em que é repetida"
_SAME_BRANCH = "toda resposta possível segue o mesmo ramo"

_NUMBERS = ("IntervalSeconds", "MaxAttempts", "BackoffRate", "MaxDelaySeconds", "JitterStrategy")
_VALUES: tuple[object, ...] = ("", "REPROCESSAR", "ENCERRAR", 7, None, {})


def why_equivalent(mutant: Mutant, original: Definition) -> str | None:
    """The rule by which the mutant behaves as the original does; None if it may behave otherwise."""
    if not mutant.state or mutant.definition == original:
        return None
    before, after = original["States"][mutant.state], mutant.definition["States"][mutant.state]
    changed = {key for key in {*before, *after} if before.get(key) != after.get(key)}
    if not changed <= {"Retry", "Catch", "Choices"}:
        return None
    errors = _errors(original, mutant.effects)
    if changed == {"Retry"} and all(_retried(before, error) == _retried(after, error) for error in errors):
        return _SAME_RETRIES
    if changed == {"Retry"} and ":lambda:" not in before["Resource"] and _but_jitter(before) == _but_jitter(after):
        return _SAME_WRITE
    if changed == {"Catch"} and all(_caught(before, error) == _caught(after, error) for error in errors):
        return _SAME_CATCHES
    if changed == {"Choices"} and _same_branches(before, after):
        return _SAME_BRANCH
    return None


def _errors(definition: Definition, effects: Effects) -> tuple[str, ...]:
    """Every error name there is here, and one that nobody lists."""
    named = {CONDITION_FAILED, "QualquerOutroErro", "States.TaskFailed", "States.HeartbeatTimeout", *PLATFORM}
    named |= {*effects.transient, *effects.unknown}
    for state in definition["States"].values():
        for entry in (*state.get("Retry", ()), *state.get("Catch", ())):
            named.update(entry["ErrorEquals"])
    return tuple(sorted(named - {"States.ALL"}))


def _retried(state: Mapping[str, Any], error: str) -> tuple[Any, ...]:
    retrier = retrier_for(state, error) or {"MaxAttempts": 0}
    if retrier.get("MaxAttempts", DEFAULT_ATTEMPTS) == 0:
        return (0,)
    return tuple(retrier.get(number) for number in _NUMBERS)


def _but_jitter(state: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{key: value for key, value in each.items() if key != "JitterStrategy"} for each in state.get("Retry", ())]


def _caught(state: Mapping[str, Any], error: str) -> tuple[Any, ...] | None:
    catcher = catcher_for(state, error)
    return (catcher["Next"], catcher.get("ResultPath", "$")) if catcher is not None else None


def _same_branches(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """True if both choose alike for every answer built from the fields that either reads."""
    variables = sorted(_variables([*before["Choices"], *after["Choices"]]))
    key = variables[0].split(".")[1]
    fields = [variable.split(".")[2] for variable in variables]
    absent = object()
    for values in product((*_VALUES, absent), repeat=len(fields)):
        answer = {name: value for name, value in zip(fields, values, strict=True) if value is not absent}
        if _branch(before, key, answer) != _branch(after, key, answer):
            return False
    return _branch(before, key, "sim") == _branch(after, key, "sim")


def _variables(rules: list[Any]) -> set[str]:
    found: set[str] = set()
    for rule in rules:
        found |= {rule["Variable"]} if "Variable" in rule else set()
        found |= _variables([*rule.get("And", ()), *rule.get("Or", ()), *([rule["Not"]] if "Not" in rule else [])])
    return found


def _branch(state: Mapping[str, Any], key: str, answer: object) -> list[str | None]:
    try:
        return [target for _, target in branches(state, key, answer)]
    except AbsentPathError as error:
        return [f"States.Runtime: {error}"]
