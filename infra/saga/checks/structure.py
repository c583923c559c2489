"""Structure: what the language demands of states and of the arrows between them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from infra.saga.asl import edges
from infra.saga.checks.findings import finding

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from infra.saga.checks.findings import Finding
    from infra.saga.checks.machine import Machine

__all__ = ["check_structure"]

_LONGEST_NAME = 80

_COMMON = frozenset({"Type", "Comment", "QueryLanguage"})
_FLOW = frozenset({"Next", "End"})
_IO = frozenset({"InputPath", "OutputPath", "Assign"})
_WORK = frozenset({"Parameters", "ResultSelector", "ResultPath", "Retry", "Catch"})
_FIELDS: Mapping[str, frozenset[str]] = {
    "Task": _FLOW | _IO | _WORK | {
        "Resource", "TimeoutSeconds", "TimeoutSecondsPath", "HeartbeatSeconds", "HeartbeatSecondsPath", "Credentials",
    },
    "Parallel": _FLOW | _IO | _WORK | {"Branches"},
    "Map": _FLOW | _IO | _WORK | {
        "ItemProcessor", "Iterator", "ItemsPath", "ItemSelector", "ItemReader", "ItemBatcher", "ResultWriter", "Label",
        "MaxConcurrency", "MaxConcurrencyPath", "ToleratedFailurePercentage", "ToleratedFailurePercentagePath",
        "ToleratedFailureCount", "ToleratedFailureCountPath",
    },
    "Pass": _FLOW | _IO | {"Parameters", "Result", "ResultPath"},
    "Wait": _FLOW | _IO | {"Seconds", "SecondsPath", "Timestamp", "TimestampPath"},
    "Choice": _IO | {"Choices", "Default"},
    "Succeed": _IO - {"Assign"},
    "Fail": frozenset({"Error", "ErrorPath", "Cause", "CausePath"}),
}  # fmt: skip

_REQUIRED: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "Task": (("Resource",),),
    "Parallel": (("Branches",),),
    "Map": (("ItemProcessor", "Iterator"),),
    "Wait": (("Seconds", "SecondsPath", "Timestamp", "TimestampPath"),),
    "Choice": (("Choices",),),
}
"""For each type, groups of which one field must be there."""


def check_structure(machine: Machine) -> Iterator[Finding]:
    """Names, types, fields, arrows."""
    if machine.start not in machine.states:
        yield _dangling("", "StartAt", machine.start)
        return
    for name, state in machine.states.items():
        yield from _name(name)
        yield from _type(name, state)
        if state.get("Type") in _FIELDS:
            yield from _way_out(name, state)
        yield from _targets(machine, name, state)
    yield from _unreachable(machine)
    yield from _endless(machine)
    yield from _tight_cycles(machine)


def _name(name: str) -> Iterator[Finding]:
    if len(name) > _LONGEST_NAME:
        yield finding("SG109", name, f"o nome tem {len(name)} caracteres", f"encurte para {_LONGEST_NAME} ou menos")


def _type(name: str, state: Mapping[str, Any]) -> Iterator[Finding]:
    kind = state.get("Type")
    if not isinstance(kind, str) or kind not in _FIELDS:
        yield finding("SG106", name, f"o tipo é {kind!r}", f"use um de: {', '.join(_FIELDS)}")
        return
    for group in _REQUIRED.get(kind, ()):
        if not any(state.get(option) not in (None, [], "") for option in group):
            yield finding("SG107", name, f"falta {' ou '.join(group)} em um {kind}", "acrescente o campo")
    for field in sorted(state.keys() - _FIELDS[kind] - _COMMON):
        if not (field in _FLOW and kind in ("Choice", "Succeed", "Fail")):
            yield finding("SG108", name, f"{kind} não tem o campo {field}", "corrija o nome ou apague o campo")
    for index, choice in enumerate(state.get("Choices", ())):
        if "Next" not in choice:
            yield finding("SG107", name, f"a regra {index + 1} não tem Next", "diga para onde ela leva")
    for index, catcher in enumerate(state.get("Catch", ())):
        if "Next" not in catcher:
            yield finding("SG107", name, f"o Catch {index + 1} não tem Next", "diga para onde ele leva")
    if kind == "Choice" and "Default" not in state:
        yield finding("SG112", name, "nenhuma regra servindo, não há para onde ir", "acrescente Default")


def _way_out(name: str, state: Mapping[str, Any]) -> Iterator[Finding]:
    kind = state.get("Type")
    has_next, has_end = "Next" in state, "End" in state
    if kind in ("Choice", "Succeed", "Fail"):
        if has_next or has_end:
            yield finding("SG103", name, f"um {kind} não tem Next nem End", "apague-o")
        return
    if has_next and has_end:
        yield finding("SG103", name, "tem Next e End", "fique com um dos dois")
    elif not has_next and state.get("End") is not True:
        yield finding("SG104", name, "não tem Next nem End: true", "diga para onde vai ou que termina ali")


def _targets(machine: Machine, name: str, state: Mapping[str, Any]) -> Iterator[Finding]:
    for edge in edges(state):
        if edge.target is not None and edge.target not in machine.states:
            yield _dangling(name, {"next": "Next", "catch": "Catch"}.get(edge.kind, "Choice"), edge.target)


def _dangling(name: str, where: str, target: str) -> Finding:
    return finding("SG101", name, f"{where} leva a {target!r}, que não existe", "corrija o nome ou crie o estado")


def _is_end(state: Mapping[str, Any]) -> bool:
    return any(edge.kind == "end" for edge in edges(state))


def _unreachable(machine: Machine) -> Iterator[Finding]:
    for name, state in machine.states.items():
        if name in machine.alive:
            continue
        if _is_end(state):
            yield finding("SG105", name, "nada leva a este fim", "leve a ele o caso que ele registra, ou apague-o")
        else:
            yield finding("SG102", name, "nada leva a este estado", "leve algum estado a ele, ou apague-o")


def _endless(machine: Machine) -> Iterator[Finding]:
    ending = {name for name, state in machine.states.items() if _is_end(state)}
    grown = True
    while grown:
        before = {name for name in machine.alive - ending if ending & set(machine.targets(name))}
        ending |= before
        grown = bool(before)
    for name in machine.states:
        # A state whose only target is missing has been reported as such.
        if name in machine.alive - ending and machine.targets(name):
            yield finding("SG110", name, "daqui não se chega a fim nenhum", "dê uma saída ao ciclo")


def _tight_cycles(machine: Machine) -> Iterator[Finding]:
    """Cycles made of nothing but work: no person, no Wait and no Choice that could stop them."""
    busy = {name for name in machine.alive if _is_busy(machine.states[name])}
    for name in machine.states:
        if name not in busy:
            continue
        cycle = _cycle(machine, name, busy)
        # Report each cycle once, at the first of its states as written.
        if cycle and name == min(cycle, key=list(machine.states).index):
            yield finding(
                "SG111",
                name,
                f"repete sem limite: {' → '.join([*cycle, name])}",
                "quebre o ciclo, ou ponha nele uma pessoa, um Wait ou uma Choice que conte",
            )


def _is_busy(state: Mapping[str, Any]) -> bool:
    resource = str(state.get("Resource", ""))
    return state.get("Type") in ("Task", "Parallel", "Map", "Pass") and not resource.endswith(".waitForTaskToken")


def _cycle(machine: Machine, start: str, within: set[str]) -> list[str]:
    """The shortest way from ``start`` back to itself through ``within``, or nothing."""
    waiting = [[start]]
    seen: set[str] = set()
    for path in waiting:
        for target in machine.targets(path[-1]):
            if target == start:
                return path
            if target in within and target not in seen:
                seen.add(target)
                waiting.append([*path, target])
    return []
