"""Where results and errors are written, and who reads an error's Cause."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from infra.saga.asl import reachable
from infra.saga.checks.findings import finding
from infra.saga.checks.machine import integration
from infra.saga.checks.paths import PathSyntaxError, read_expression, read_path, reference_path
from infra.saga.checks.reads import reads_of, rule_paths, single_path_fields, written_keys
from infra.saga.checks.templates import check_template, leaves

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from infra.saga.asl import State
    from infra.saga.checks.findings import Facts, Finding
    from infra.saga.checks.machine import Machine
    from infra.saga.checks.paths import Path

__all__ = ["check_results"]

_TEMPLATES = ("Parameters", "ResultSelector", "ItemSelector", "Assign")


def check_results(machine: Machine, facts: Facts) -> Iterator[Finding]:
    """ResultPath on Tasks and Catches, well-written paths, names, Cause."""
    for name, state in machine.states.items():
        yield from _syntax(name, state)
        yield from _task_result(name, state)
        yield from _caught_error(machine, name, state)
        yield from _over_input(name, state, facts)
        yield from _cause(machine, name, state)
    yield from _same_key(machine)
    if facts.input_fields is None:
        yield from _similar_names(machine)


# --- Well written ---------------------------------------------------------------------------------------------------


def _syntax(name: str, state: State) -> Iterator[Finding]:
    for field in _TEMPLATES:
        if field in state:
            yield from check_template(name, field, state[field])
    texts = [(field, state[field]) for field in ("InputPath", "OutputPath") if isinstance(state.get(field), str)]
    texts += [item for choice in state.get("Choices", ()) for item in rule_paths(choice)]
    for field, text in texts:
        yield from _path(name, field, text)
    for field, text in single_path_fields(state):
        try:
            list(read_expression(text))
        except PathSyntaxError as error:
            yield finding("SG410", name, f"{field}: {error}", "corrija o caminho")
    for where, place in _places(state):
        target = place.get("ResultPath")
        if target is not None:
            try:
                reference_path(str(target))
            except PathSyntaxError as error:
                yield finding("SG410", name, f"{where}: {error}", "use um caminho simples, como $.erro, ou null")


def _path(name: str, field: str, text: str) -> Iterator[Finding]:
    try:
        read_path(text)
    except PathSyntaxError as error:
        yield finding("SG410", name, f"{field}: {error}", "corrija o caminho")


def _places(state: State) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Whatever may have a ResultPath, with what to call it."""
    yield "ResultPath", state
    for index, catcher in enumerate(state.get("Catch", ())):
        yield f"ResultPath do Catch {index + 1}", catcher


# --- Over what --------------------------------------------------------------------------------------------------------


def _task_result(name: str, state: State) -> Iterator[Finding]:
    if state.get("Type") != "Task" or "Next" not in state or state.get("ResultPath", "$") != "$":
        return
    called = integration(state)
    said = "não tem ResultPath" if "ResultPath" not in state else "tem ResultPath $"
    yield finding(
        "SG401",
        name,
        f"{said}: a resposta fica no lugar de tudo o que o próximo estado receberia",
        "use ResultPath $.algo, ou null para descartar a resposta",
        # A function called directly may hand the order on by itself; an integration's envelope never holds it.
        severity="aviso" if called is not None and called.direct else "erro",
    )


def _caught_error(machine: Machine, name: str, state: State) -> Iterator[Finding]:
    for index, catcher in enumerate(state.get("Catch", ())):
        target = machine.states.get(catcher.get("Next", ""), {})
        if catcher.get("ResultPath", "$") != "$" or target.get("Type") in ("Fail", "Succeed"):
            continue
        said = "não tem ResultPath" if "ResultPath" not in catcher else "tem ResultPath $"
        yield finding(
            "SG402",
            name,
            f"o Catch {index + 1} {said}: {catcher.get('Next')} recebe só o erro",
            "use ResultPath $.erro, ou null para descartar o erro",
        )


def _over_input(name: str, state: State, facts: Facts) -> Iterator[Finding]:
    for where, place in _places(state):
        key = _first_name(place)
        # An error that came with the input is there to be replaced by the next one.
        if key is not None and (facts.input_fields or {}).get(key, "erro") != "erro":
            yield finding("SG403", name, f"{where} escreve em $.{key}, que veio na entrada", "escreva em outra chave")


def _first_name(place: Mapping[str, Any]) -> str | None:
    target = place.get("ResultPath")
    if not isinstance(target, str):
        return None
    try:
        return next(iter(reference_path(target).names), None)
    except PathSyntaxError:
        return None


def _same_key(machine: Machine) -> Iterator[Finding]:
    """A result over another state's result, or over a caught error."""
    writers = [(name, key) for name, state in machine.tasks() if (key := _first_name(state)) is not None]
    errors = {key for state in machine.states.values() for c in state.get("Catch", ()) if (key := _first_name(c))}
    for name, key in writers:
        if key in errors:
            yield finding("SG405", name, f"ResultPath escreve em $.{key}, onde um Catch põe o erro", "use outra chave")
        for earlier, same in writers:
            if same == key and earlier != name and _differs(machine, earlier, name):
                yield finding("SG405", name, f"ResultPath escreve em $.{key}, como {earlier} antes", "use outra chave")


def _differs(machine: Machine, earlier: str, later: str) -> bool:
    first, second = machine.states[earlier], machine.states[later]
    same_kind = first.get("ResultSelector") == second.get("ResultSelector") and integration(first) == integration(
        second
    )
    return not same_kind and any(later in reachable(machine.states, target) for target in machine.targets(earlier))


# --- What is read -----------------------------------------------------------------------------------------------------


def _cause(machine: Machine, name: str, state: State) -> Iterator[Finding]:
    caught = {key for other in machine.states.values() for c in other.get("Catch", ()) if (key := _first_name(c))}
    for path in _all_reads(state):
        if len(path.names) < 2 or path.names[0] not in caught or path.names[1] != "Cause":
            continue
        parsed = len(path.names) > 2 or not path.exact or _is_parsed(state, path)
        yield finding(
            "SG411",
            name,
            f"lê {path.text}" + (" por dentro" if parsed else ""),
            f"grave $.{path.names[0]}.Error, e o erro inteiro com States.JsonToString($.{path.names[0]})",
            severity="erro" if parsed else "aviso",
        )


def _all_reads(state: State) -> set[Path]:
    return set(reads_of(state))


def _is_parsed(state: State, path: Path) -> bool:
    texts = [leaf.value for leaf in leaves(state.get("Parameters", {})) if leaf.dynamic]
    return any(isinstance(text, str) and f"StringToJson({path.text}" in text for text in texts)


def _similar_names(machine: Machine) -> Iterator[Finding]:
    """A field that is read, that nothing writes, and that looks like one that something does."""
    written = written_keys(machine)
    for name, state in machine.states.items():
        for path in sorted(_all_reads(state), key=lambda path: path.text):
            read = path.names[0] if path.names else ""
            if not read or read in written:
                continue
            similar = get_close_matches(read, sorted(written), n=1, cutoff=0.8)
            if similar:
                yield finding(
                    "SG406",
                    name,
                    f"lê $.{read}, que nenhum estado escreve; parecido com $.{similar[0]}",
                    f"se é da entrada, diga com --entrada; se não, corrija para $.{similar[0]}",
                )
