"""Quotas of Step Functions, estimated from the definition: 256 KiB of data, 25,000 events, 1 MiB of definition."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from infra.saga.checks.findings import finding
from infra.saga.checks.machine import integration
from infra.saga.checks.worst_case import cycles, events_once, longest_events, seconds_waited

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from infra.saga.checks.findings import Finding
    from infra.saga.checks.machine import Machine

__all__ = ["check_limits"]

_LARGEST_INPUT = 262_144
_LARGEST_DEFINITION = 1_048_576
_MOST_EVENTS = 25_000
_LARGEST_ERROR = 256 + 32_768
"""Bytes of an Error and a Cause (Step Functions API, "SendTaskFailure")."""
_DAY = 86_400


def check_limits(machine: Machine) -> Iterator[Finding]:
    """What may grow past a quota."""
    size = len(_bytes(machine.definition))
    if size > _LARGEST_DEFINITION and not machine.inside:
        yield finding("SG603", "", f"a definição tem {size} bytes", "divida-a em máquinas aninhadas")
    yield from _data(machine)
    yield from _events(machine)


def _bytes(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode()


def _data(machine: Machine) -> Iterator[Finding]:
    for name, state in machine.states.items():
        size = len(_bytes(state.get("Parameters", state.get("Result", ""))))
        if size > _LARGEST_INPUT:
            yield finding("SG601", name, f"só o texto fixo tem {size} bytes", "guarde-o fora (S3) e passe o endereço")
    keys = {catcher["ResultPath"] for state in machine.states.values() for catcher in _kept(state)}
    if len(keys) * _LARGEST_ERROR > _LARGEST_INPUT:
        yield finding(
            "SG601",
            "",
            f"{len(keys)} chaves de erro, de até 32 KiB cada, podem somar mais que 256 KiB",
            "escreva os erros nas mesmas chaves: o último é o que importa",
        )


def _kept(state: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    return (catcher for catcher in state.get("Catch", ()) if isinstance(catcher.get("ResultPath"), str))


def _events(machine: Machine) -> Iterator[Finding]:
    most = longest_events(machine)
    if most > _MOST_EVENTS:
        yield finding(
            "SG602",
            "",
            f"um caminho com todas as tentativas gera {most} eventos",
            "baixe MaxAttempts ou divida a máquina",
        )
    for cycle in cycles(machine):
        states = [machine.states[name] for name in cycle]
        asks = any((called := integration(state)) is not None and called.waits for state in states)
        waited = sum(seconds_waited(state) for state in states)
        rounds = _MOST_EVENTS / sum(events_once(state) for state in states)
        if not asks and 0 < waited * rounds < _DAY:
            yield finding(
                "SG602",
                min(cycle),
                f"o ciclo chega a 25.000 eventos em {waited * rounds / 3600:.1f} h se a condição não vier",
                "espere mais entre as voltas, ou conte-as e pare",
                severity="aviso",
            )
