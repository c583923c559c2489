"""Reading an Amazon States Language definition, ours or anybody's: JSON or YAML, JSONPath.

`parse` guarantees the shape everything else here and in the checks relies on: an object with ``StartAt`` and a
non-empty ``States`` whose values are objects, and objects and lists wherever the language wants them. What those
mean, and whether it is any good, is for the checks and the explorer.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

import yaml

from infra.saga.errors import DefinitionError

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator, Mapping, Sequence

__all__ = [
    "Definition",
    "DefinitionError",
    "Edge",
    "State",
    "catcher_for",
    "edges",
    "matches",
    "parse",
    "reachable",
    "retrier_for",
    "submachines",
]

State: TypeAlias = "dict[str, Any]"
Definition: TypeAlias = "dict[str, Any]"

# --- Reading -------------------------------------------------------------------------------------------------------

_LISTS_OF_OBJECTS = ("Retry", "Catch", "Choices", "Branches")
_OBJECTS = ("Parameters", "ItemProcessor", "Iterator")
_TEXTS = ("Type", "Next", "Default")
_DEEPEST = 100


def parse(text: str, *, source: str = "") -> Definition:
    """The definition in ``text``.

    Args:
        text: JSON, or YAML when it does not begin with ``{``.
        source: the file's name, for messages.

    Raises:
        DefinitionError: it cannot be read, has a key twice in one object, is not a definition, or uses JSONata.
    """
    loaded = _load_json(text, source) if text.lstrip().startswith("{") else _load_yaml(text, source)
    if not isinstance(loaded, dict):
        raise DefinitionError("SG001", "a definição não é um objeto", "comece por {StartAt, States}", source=source)
    definition = cast("Definition", loaded)
    _check_machine(definition, source, "")
    return definition


class _RepeatedKeyError(ValueError):
    """A key appears twice in one object: a reader would silently keep the last."""


def _load_json(text: str, source: str) -> object:
    try:
        return json.loads(text, object_pairs_hook=_object, parse_constant=_no_constant)
    except _RepeatedKeyError as error:
        raise _repeated(str(error), source) from None
    except (ValueError, RecursionError) as error:
        raise DefinitionError("SG001", f"o JSON não se lê ({error})", "corrija o texto", source=source) from None


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    result: dict[str, object] = {}
    for key, value in pairs:
        if key in result:
            raise _RepeatedKeyError(key)
        result[key] = value
    return result


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} não é JSON")


class _Loader(yaml.SafeLoader):
    """YAML's plain data, with repeated keys refused and dates left as the text they are."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[object] = set()
        for key, _ in node.value:
            if key.value in seen:
                raise _RepeatedKeyError(str(key.value))
            seen.add(key.value)
        return super().construct_mapping(node, deep)


# "2026-08-07T13:04:11Z" in a Wait is a text in the Amazon States Language, not a date.
_Loader.yaml_implicit_resolvers = {
    first: [(tag, regexp) for tag, regexp in resolvers if tag != "tag:yaml.org,2002:timestamp"]
    for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
}


def _load_yaml(text: str, source: str) -> object:
    try:
        return yaml.load(text, Loader=_Loader)  # noqa: S506  (a SafeLoader)
    except _RepeatedKeyError as error:
        raise _repeated(str(error), source) from None
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        problem = " ".join(str(error).split())
        raise DefinitionError("SG001", f"não se lê ({problem})", "corrija o texto", source=source) from None


def _repeated(key: str, source: str) -> DefinitionError:
    return DefinitionError(
        "SG002",
        f"a chave {key!r} aparece duas vezes no mesmo objeto, e só a última valeria",
        "apague ou renomeie uma delas",
        source=source,
    )


def _check_machine(machine: Mapping[str, object], source: str, where: str, depth: int = 0) -> None:
    if depth > _DEEPEST:
        raise _malformed(source, where, "máquinas uma dentro da outra além do razoável")
    if machine.get("QueryLanguage") == "JSONata":
        raise _jsonata(source, where)
    if not isinstance(machine.get("StartAt"), str):
        raise _malformed(source, where, "falta StartAt, o nome do primeiro estado")
    states = machine.get("States")
    if not isinstance(states, dict) or not states:
        raise _malformed(source, where, "falta States, o objeto com os estados")
    for name, state in cast("dict[object, object]", states).items():
        if not isinstance(name, str) or not isinstance(state, dict):
            raise _malformed(source, str(name), "um estado é um objeto com nome de texto")
        _check_state(cast("State", state), source, name, depth)


def _check_state(state: State, source: str, name: str, depth: int) -> None:
    if state.get("QueryLanguage") == "JSONata":
        raise _jsonata(source, name)
    _check_texts(state, source, name)
    for field in _LISTS_OF_OBJECTS:
        for item in _objects(state.get(field, []), source, name, field):
            if field in ("Retry", "Catch") and not _is_texts(item.get("ErrorEquals")):
                raise _malformed(source, name, f"ErrorEquals em {field} é uma lista de textos")
            if field != "Branches":
                _check_texts(item, source, name)
            if field == "Choices":
                _check_rule(item, source, name, depth)
    for field in _OBJECTS:
        if not isinstance(state.get(field, {}), dict):
            raise _malformed(source, name, f"{field} é um objeto")
    for machine in submachines(state):
        _check_machine(machine, source, name, depth + 1)


def _check_texts(place: State, source: str, name: str) -> None:
    """A state, a catcher or a rule: what names something is a text."""
    for field in _TEXTS:
        if not isinstance(place.get(field, ""), str):
            raise _malformed(source, name, f"{field} é um texto")
    if not isinstance(place.get("ResultPath"), str | None):
        raise _malformed(source, name, "ResultPath é um texto ou null")


def _check_rule(rule: State, source: str, name: str, depth: int) -> None:
    if depth > _DEEPEST:
        raise _malformed(source, name, "regras uma dentro da outra além do razoável")
    for field in ("And", "Or"):
        for part in _objects(rule.get(field, []), source, name, field):
            _check_rule(part, source, name, depth + 1)
    if "Not" in rule:
        _check_rule(_objects([rule["Not"]], source, name, "Not")[0], source, name, depth + 1)


def _objects(value: object, source: str, name: str, field: str) -> list[State]:
    items = cast("list[object]", value) if isinstance(value, list) else [None]
    if not all(isinstance(item, dict) for item in items):
        raise _malformed(source, name, f"{field} é uma lista de objetos")
    return cast("list[State]", items)


def _is_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(item, str) for item in cast("list[object]", value))


def _malformed(source: str, where: str, problem: str) -> DefinitionError:
    return DefinitionError("SG001", problem, "veja a Amazon States Language", source=source, where=where)


def _jsonata(source: str, where: str) -> DefinitionError:
    return DefinitionError(
        "SG003",
        "usa JSONata, que esta ferramenta não lê",
        "escreva a definição em JSONPath (o padrão de QueryLanguage)",
        source=source,
        where=where,
    )


# --- Edges ---------------------------------------------------------------------------------------------------------

EdgeKind: TypeAlias = Literal["next", "end", "choice", "default", "catch"]


@dataclass(frozen=True)
class Edge:
    """One way out of a state.

    Attributes:
        kind: what makes the machine take it.
        target: the state it leads to; None when the execution ends.
        errors: the catcher's ``ErrorEquals`` (``catch`` only).
        index: the position among the state's choices or catchers, else 0.
    """

    kind: EdgeKind
    target: str | None
    errors: tuple[str, ...] = ()
    index: int = 0


def edges(state: Mapping[str, Any]) -> Iterator[Edge]:
    """Every way out of ``state``, in the order in which the machine considers them."""
    for index, choice in enumerate(state.get("Choices", ())):
        if "Next" in choice:
            yield Edge("choice", choice["Next"], index=index)
    if "Default" in state:
        yield Edge("default", state["Default"])
    if "Next" in state:
        yield Edge("next", state["Next"])
    if state.get("End") is True or state.get("Type") in ("Succeed", "Fail"):
        yield Edge("end", None)
    for index, catcher in enumerate(state.get("Catch", ())):
        if "Next" in catcher:
            yield Edge("catch", catcher["Next"], tuple(catcher["ErrorEquals"]), index)


def submachines(state: Mapping[str, Any]) -> Iterator[Definition]:
    """The machines inside a Parallel or a Map state."""
    branches = state.get("Branches")
    candidates: list[object] = [state.get("ItemProcessor"), state.get("Iterator")]
    if isinstance(branches, list):
        candidates += cast("list[object]", branches)
    for candidate in candidates:
        if isinstance(candidate, dict):
            yield cast("Definition", candidate)


def reachable(
    states: Mapping[str, Mapping[str, Any]], start: str, *, without: EdgeKind | None = None
) -> frozenset[str]:
    """Names of the states that can follow ``start``, itself among them.

    Targets that do not exist are left out; edges of the kind ``without`` are not followed.
    """
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        name = waiting.pop()
        if name in seen or name not in states:
            continue
        seen.add(name)
        waiting += [edge.target for edge in edges(states[name]) if edge.target is not None and edge.kind != without]
    return frozenset(seen)


# --- Errors --------------------------------------------------------------------------------------------------------

_NEVER_TAKEN = "States.Runtime"
"""Always ends the execution, whatever is listed (Step Functions, "Handling errors")."""

_NOT_BY_WILDCARD = "States.DataLimitExceeded"
"""Taken by its own name only (same page)."""

_TIMEOUTS = ("States.Timeout", "States.HeartbeatTimeout")


def matches(error_equals: Sequence[str], error: str) -> bool:
    """True if a retrier or catcher that lists ``error_equals`` takes ``error``.

    ``States.ALL`` takes every error but States.DataLimitExceeded and States.Runtime; ``States.TaskFailed`` takes
    what ``States.ALL`` does, but timeouts; ``States.Timeout`` takes a missed heartbeat too (Step Functions,
    "Handling errors in Step Functions workflows").
    """
    if error == _NEVER_TAKEN:
        return False
    if error in error_equals:
        return True
    if error == _NOT_BY_WILDCARD:
        return False
    if "States.ALL" in error_equals:
        return True
    if error in _TIMEOUTS:
        return "States.Timeout" in error_equals
    return "States.TaskFailed" in error_equals


def retrier_for(state: Mapping[str, Any], error: str) -> State | None:
    """The first retrier of ``state`` that takes ``error``, also one that never retries (``MaxAttempts`` 0)."""
    return _first(state.get("Retry", ()), error)


def catcher_for(state: Mapping[str, Any], error: str) -> State | None:
    """The first catcher of ``state`` that takes ``error``."""
    return _first(state.get("Catch", ()), error)


def _first(candidates: Sequence[State], error: str) -> State | None:
    return next((candidate for candidate in candidates if matches(candidate["ErrorEquals"], error)), None)
