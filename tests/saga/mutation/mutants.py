"""Every small mistake that can be made in a definition, made once, systematically."""

from __future__ import annotations

import copy
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

from infra.saga.dynamics import final_statuses
from infra.saga.effects import CompensationEffect, Late, PivotEffect, StepEffect

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from infra.saga.asl import Definition
    from infra.saga.effects import Effects, StateEffect

__all__ = ["Mutant", "mutants"]


@dataclass(frozen=True)
class Mutant:
    """A definition, or what its functions do, with one thing changed.

    Attributes:
        kind: which sort of change.
        what: the change.
        definition: the whole definition with it.
        effects: what its states do.
        state: the state changed, or empty.
        detail: the error name that was dropped or misspelt, for kinds about names.
    """

    kind: str
    what: str
    definition: Definition
    effects: Effects
    state: str = ""
    detail: str = ""


def mutants(definition: Definition, effects: Effects) -> Iterator[Mutant]:
    """All mutants, in a fixed order; none equals the original."""
    maker = _Maker(definition, effects)
    for mutant in maker.every():
        if mutant.definition != definition or mutant.effects is not effects:
            yield mutant


class _Maker:
    def __init__(self, definition: Definition, effects: Effects) -> None:
        self.definition = definition
        self.effects = effects
        self.states: dict[str, dict[str, Any]] = definition["States"]
        self.tasks = [name for name, state in self.states.items() if state["Type"] == "Task"]

    def every(self) -> Iterator[Mutant]:
        for name in self.tasks:
            yield from self._catches(name)
            yield from self._retries(name)
            yield from self._result_paths(name)
            yield from self._ways_on(name)
            yield from self._functions(name)
            yield from self._records(name)
            yield self._changed("timeout removido", name, "sem TimeoutSeconds", lambda s: s.pop("TimeoutSeconds"))
            if "taskToken.$" in str(self.states[name]["Parameters"]):
                yield self._changed(
                    "mensagem sem token",
                    name,
                    "sem taskToken",
                    lambda s: s["Parameters"]["MessageBody"].pop("taskToken.$"),
                )
        for name in self.states:
            if self.states[name]["Type"] == "Choice":
                yield from self._choices(name)
        yield from self._start()
        yield from self._swapped_compensations()
        yield from self._contracts()

    # --- Making one ---

    def _changed(
        self, kind: str, name: str, what: str, change: Callable[[dict[str, Any]], object], *, detail: str = ""
    ) -> Mutant:
        definition = copy.deepcopy(self.definition)
        change(definition["States"][name])
        return Mutant(kind, f"{name}: {what}", definition, self.effects, name, detail)

    # --- Catch ---

    def _catches(self, name: str) -> Iterator[Mutant]:
        catches: list[dict[str, Any]] = self.states[name].get("Catch", [])
        yield self._changed("Catch removido", name, "sem Catch", lambda s: s.pop("Catch"))
        for at, catch in enumerate(catches):
            errors = ", ".join(catch["ErrorEquals"])
            for target in self.states:
                yield self._changed(
                    "Catch desviado",
                    name,
                    f"Catch [{errors}] → {target}",
                    lambda s, at=at, target=target: s["Catch"][at].update(Next=target),
                )
            yield self._changed("Catch removido", name, f"sem Catch [{errors}]", lambda s, at=at: s["Catch"].pop(at))
            yield from self._narrowed(name, at, catch)
        for first, second in combinations(range(len(catches)), 2):
            yield self._changed(
                "Catch reordenado",
                name,
                f"Catch {first} e {second} trocados",
                lambda s, i=first, j=second: _swap(s["Catch"], i, j),
            )

    def _narrowed(self, name: str, at: int, catch: dict[str, Any]) -> Iterator[Mutant]:
        for error in catch["ErrorEquals"]:
            if len(catch["ErrorEquals"]) > 1:
                yield self._changed(
                    "Catch estreitado",
                    name,
                    f"Catch sem {error}",
                    lambda s, error=error: s["Catch"][at]["ErrorEquals"].remove(error),
                )
            yield self._changed(
                "Catch estreitado",
                name,
                f"Catch com {_misspelt(error)}",
                lambda s, error=error: _rename(s["Catch"][at]["ErrorEquals"], error, _misspelt(error)),
            )
        if catch["ErrorEquals"] == ["States.ALL"]:
            for narrower in ("States.TaskFailed", "States.Timeout", *_own_errors(self.effects)):
                yield self._changed(
                    "Catch estreitado",
                    name,
                    f"States.ALL só {narrower}",
                    lambda s, narrower=narrower: s["Catch"][at].update(ErrorEquals=[narrower]),
                )

    # --- Retry ---

    def _retries(self, name: str) -> Iterator[Mutant]:
        retries: list[dict[str, Any]] = self.states[name].get("Retry", [])
        yield self._changed("Retry removido", name, "sem Retry", lambda s: s.pop("Retry"))
        for at, retrier in enumerate(retries):
            errors = retrier["ErrorEquals"]
            yield self._changed(
                "Retry removido", name, f"sem Retry {errors[0]}...", lambda s, at=at: s["Retry"].pop(at)
            )
            other = 3 if retrier.get("MaxAttempts") == 0 else 0
            yield self._changed(
                "Retry com outras tentativas",
                name,
                f"Retry {errors[0]}... com MaxAttempts {other}",
                lambda s, at=at, other=other: s["Retry"][at].update(MaxAttempts=other),
            )
            if "JitterStrategy" in retrier:
                yield self._changed(
                    "jitter trocado",
                    name,
                    f"{errors[0]}... sem jitter",
                    lambda s, at=at: s["Retry"][at].pop("JitterStrategy"),
                )
            else:
                yield self._changed(
                    "jitter trocado",
                    name,
                    f"{errors[0]}... com jitter",
                    lambda s, at=at: s["Retry"][at].update(JitterStrategy="FULL"),
                )
            for error in errors:
                if len(errors) > 1:
                    yield self._changed(
                        "Retry com nome a menos",
                        name,
                        f"Retry sem {error}",
                        lambda s, at=at, error=error: s["Retry"][at]["ErrorEquals"].remove(error),
                        detail=error,
                    )
                yield self._changed(
                    "Retry com nome errado",
                    name,
                    f"Retry com {_misspelt(error)}",
                    lambda s, at=at, error=error: _rename(s["Retry"][at]["ErrorEquals"], error, _misspelt(error)),
                    detail=error,
                )
        for first, second in combinations(range(len(retries)), 2):
            yield self._changed(
                "Retry reordenado",
                name,
                f"Retry {first} e {second} trocados",
                lambda s, i=first, j=second: _swap(s["Retry"], i, j),
            )

    # --- Data ---

    def _result_paths(self, name: str) -> Iterator[Mutant]:
        keys = [None, *(f"$.{key}" for key in dict.fromkeys((*self.effects.fields, *self.effects.owners.values())))]
        yield self._changed("ResultPath removido", name, "sem ResultPath", lambda s: s.pop("ResultPath"))
        for key in keys:
            yield self._changed(
                "ResultPath desviado", name, f"ResultPath {key}", lambda s, key=key: s.update(ResultPath=key)
            )
        for at in range(len(self.states[name].get("Catch", []))):
            yield self._changed(
                "ResultPath removido",
                name,
                f"Catch {at} sem ResultPath",
                lambda s, at=at: s["Catch"][at].pop("ResultPath"),
            )
            for key in keys:
                yield self._changed(
                    "ResultPath desviado",
                    name,
                    f"Catch {at} com ResultPath {key}",
                    lambda s, at=at, key=key: s["Catch"][at].update(ResultPath=key),
                )

    # --- Ways on ---

    def _ways_on(self, name: str) -> Iterator[Mutant]:
        for target in self.states:
            yield self._changed("Next desviado", name, f"Next {target}", lambda s, target=target: _next(s, target))
        if "Next" in self.states[name]:
            yield self._changed("Next desviado", name, "End em vez de Next", lambda s: _end(s))

    def _choices(self, name: str) -> Iterator[Mutant]:
        rules: list[dict[str, Any]] = self.states[name]["Choices"]
        for target in self.states:
            yield self._changed("Choice desviado", name, f"Default {target}", lambda s, t=target: s.update(Default=t))
            for at in range(len(rules)):
                yield self._changed(
                    "Choice desviado",
                    name,
                    f"regra {at} → {target}",
                    lambda s, at=at, target=target: s["Choices"][at].update(Next=target),
                )
        yield self._changed("Choice alterado", name, "sem Default", lambda s: s.pop("Default"))
        for at, rule in enumerate(rules):
            yield self._changed("Choice alterado", name, f"sem a regra {at}", lambda s, at=at: s["Choices"].pop(at))
            for test in range(len(rule["And"])):
                yield self._changed(
                    "Choice alterado",
                    name,
                    f"regra {at} sem a condição {test}",
                    lambda s, at=at, test=test: s["Choices"][at]["And"].pop(test),
                )
        for first, second in combinations(range(len(rules)), 2):
            yield self._changed(
                "Choice alterado",
                name,
                f"regras {first} e {second} trocadas",
                lambda s, i=first, j=second: _swap(s["Choices"], i, j),
            )

    def _start(self) -> Iterator[Mutant]:
        for name in self.states:
            yield Mutant("StartAt desviado", f"StartAt {name}", {**self.definition, "StartAt": name}, self.effects)

    def _swapped_compensations(self) -> Iterator[Mutant]:
        undoing = [name for name, effect in self.effects.states.items() if isinstance(effect, CompensationEffect)]
        for first, second in combinations(undoing, 2):
            definition = copy.deepcopy(self.definition)
            ways = {first: second, second: first}
            for state in definition["States"].values():
                for way in (state, *state.get("Catch", ()), *state.get("Choices", ())):
                    if way.get("Next") in ways:
                        way["Next"] = ways[way["Next"]]
            yield Mutant("compensações trocadas", f"{first} e {second}", definition, self.effects)

    # --- Functions and records ---

    def _functions(self, name: str) -> Iterator[Mutant]:
        parameters = self.states[name]["Parameters"]
        if "FunctionName" not in parameters:
            return
        for other in self.effects.functions.values():
            yield self._changed(
                "função trocada",
                name,
                f"chama {other.rpartition(':')[2]}",
                lambda s, other=other: s["Parameters"].update(FunctionName=other),
            )

    def _records(self, name: str) -> Iterator[Mutant]:
        values = self.states[name]["Parameters"].get("ExpressionAttributeValues", {})
        if ":status" not in values:
            return
        yield self._changed(
            "condição afrouxada", name, "sem condição", lambda s: s["Parameters"].pop("ConditionExpression")
        )
        yield self._changed(
            "condição afrouxada",
            name,
            "só attribute_exists",
            lambda s: s["Parameters"].update(ConditionExpression="attribute_exists(#status)"),
        )
        statuses = sorted(
            {*final_statuses(self.definition, self.effects), self.effects.initial, *_statuses(self.states)}
        )
        allowed = [key for key in values if key.startswith(":allowed")]
        for key in allowed:
            yield self._changed(
                "condição apertada", name, f"sem {values[key]['S']}", lambda s, key=key: _without(s["Parameters"], key)
            )
        for status in statuses:
            yield self._changed(
                "condição afrouxada",
                name,
                f"aceita {status}",
                lambda s, status=status: _also(s["Parameters"], status, len(allowed)),
            )
            yield self._changed(
                "status trocado",
                name,
                f"escreve {status}",
                lambda s, status=status: s["Parameters"]["ExpressionAttributeValues"].update(
                    {":status": {"S": status}}
                ),
            )
        yield self._changed("status por putItem", name, "putItem", _put_item)

    # --- What the functions promise ---

    def _contracts(self) -> Iterator[Mutant]:
        for name, effect in self.effects.states.items():
            for what, changed in _broken_promises(effect):
                yield self._promise(name, what, changed)
        yield Mutant("promessa quebrada", "sem rede de segurança", self.definition, replace(self.effects, net=False))

    def _promise(self, name: str, what: str, effect: StateEffect) -> Mutant:
        effects = replace(self.effects, states={**self.effects.states, name: effect})
        return Mutant("promessa quebrada", f"{name}: {what}", self.definition, effects, name)


def _broken_promises(effect: StateEffect) -> Iterator[tuple[str, StateEffect]]:
    match effect:
        case StepEffect():
            yield "o passo não é idempotente", replace(effect, idempotent=False)
        case CompensationEffect():
            yield "a compensação não é idempotente", replace(effect, idempotent=False)
            yield "o que chega tarde não é visto", replace(effect, late=Late.UNSEEN)
            if effect.pivot_won is not None:
                yield "a guarda do pivô não existe", replace(effect, pivot_won=None, claims=None)
        case PivotEffect():
            yield "a guarda do pivô não existe", replace(effect, guarded=False)
        case _:
            return


def _own_errors(effects: Effects) -> tuple[str, ...]:
    return (*effects.transient, *effects.unknown)


def _statuses(states: dict[str, dict[str, Any]]) -> set[str]:
    values = (state.get("Parameters", {}).get("ExpressionAttributeValues", {}) for state in states.values())
    return {text["S"] for each in values for key, text in each.items() if key.startswith((":allowed", ":status"))}


def _misspelt(error: str) -> str:
    return f"{error[:-1]}{error[-1]}{error[-1]}"


def _rename(names: list[str], old: str, new: str) -> None:
    names[names.index(old)] = new


def _swap(items: list[Any], first: int, second: int) -> None:
    items[first], items[second] = items[second], items[first]


def _next(state: dict[str, Any], target: str) -> None:
    state.pop("End", None)
    state["Next"] = target


def _end(state: dict[str, Any]) -> None:
    state.pop("Next")
    state["End"] = True


def _without(parameters: dict[str, Any], key: str) -> None:
    parameters["ExpressionAttributeValues"].pop(key)
    kept = [name for name in parameters["ExpressionAttributeValues"] if name.startswith(":allowed")]
    parameters["ConditionExpression"] = f"#status IN ({', '.join(kept)})" if kept else "attribute_not_exists(#status)"


def _also(parameters: dict[str, Any], status: str, position: int) -> None:
    values = parameters["ExpressionAttributeValues"]
    if {"S": status} in [value for key, value in values.items() if key.startswith(":allowed")]:
        return
    values[f":allowed{position}"] = {"S": status}
    kept = [name for name in values if name.startswith(":allowed")]
    parameters["ConditionExpression"] = f"#status IN ({', '.join(kept)})"


def _put_item(state: dict[str, Any]) -> None:
    parameters = state["Parameters"]
    state["Resource"] = "arn:aws:states:::dynamodb:putItem"
    item = {**parameters["Key"], "status": parameters["ExpressionAttributeValues"][":status"]}
    state["Parameters"] = {"TableName": parameters["TableName"], "Item": item}
