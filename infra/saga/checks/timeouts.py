"""Times: a deadline on every Task, in the right order, and attempts that never overlap."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from infra.saga.asl import matches
from infra.saga.checks.findings import finding
from infra.saga.checks.machine import integration
from infra.saga.checks.numbers import is_integer, number
from infra.saga.checks.worst_case import longest_seconds

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from infra.saga.checks.findings import Facts, Finding
    from infra.saga.checks.machine import Machine

__all__ = ["check_timeouts"]

_LONGEST = 99_999_999
_MAY_STILL_RUN = ("States.Timeout", "Lambda.Unknown", "Sandbox.Timedout")
"""Errors after which the attempt may still be running: nobody heard it end."""


def check_timeouts(machine: Machine, facts: Facts) -> Iterator[Finding]:
    """Deadlines of the Tasks and of the machine."""
    for name, state in machine.tasks():
        yield from _deadline(name, state)
        if name in facts.function_seconds and _is_seconds(state.get("TimeoutSeconds")):
            yield from _chain(name, state, facts)
            yield from _overlap(name, state, facts.function_seconds[name])
    yield from _whole_execution(machine)


def _deadline(name: str, state: Mapping[str, Any]) -> Iterator[Finding]:
    if "TimeoutSecondsPath" not in state:
        if "TimeoutSeconds" not in state:
            yield finding("SG301", name, "não tem prazo", "acrescente TimeoutSeconds, maior que o da função")
            return
        if not _is_seconds(state["TimeoutSeconds"]):
            yield finding("SG302", name, f"TimeoutSeconds é {state['TimeoutSeconds']!r}", "use um inteiro positivo")
            return
    heartbeat, timeout = state.get("HeartbeatSeconds"), state.get("TimeoutSeconds")
    if heartbeat is None:
        return
    if not _is_seconds(heartbeat) or (is_integer(timeout) and heartbeat >= timeout):
        yield finding("SG302", name, f"HeartbeatSeconds é {heartbeat!r}", "use menos que TimeoutSeconds")


def _is_seconds(value: object) -> bool:
    return is_integer(value) and 0 < value <= _LONGEST


def _chain(name: str, state: Mapping[str, Any], facts: Facts) -> Iterator[Finding]:
    http, function = facts.http_seconds.get(name, 0), facts.function_seconds[name]
    if not http < function < state["TimeoutSeconds"]:
        yield finding(
            "SG303",
            name,
            f"HTTP {http:g} s, função {function:g} s, estado {state['TimeoutSeconds']} s",
            "faça cada um menor que o seguinte",
        )


def _overlap(name: str, state: Mapping[str, Any], function_seconds: float) -> Iterator[Finding]:
    called = integration(state)
    if called is None or not called.is_function:
        return
    for retrier in state.get("Retry", ()):
        if retrier.get("MaxAttempts", 3) == 0 or not any(
            matches(retrier["ErrorEquals"], error) for error in _MAY_STILL_RUN
        ):
            continue
        interval = number(retrier.get("IntervalSeconds"), 1)
        if retrier.get("JitterStrategy") == "FULL":
            said = "o Retry tem jitter, que pode encurtar a espera a nada"
        elif interval <= function_seconds:
            said = f"o Retry espera {interval} s e a função pode rodar {function_seconds:g} s"
        else:
            continue
        yield finding(
            "SG304",
            name,
            said,
            f"para {', '.join(retrier['ErrorEquals'])}, espere mais que o prazo da função e sem jitter",
        )


def _whole_execution(machine: Machine) -> Iterator[Finding]:
    deadline = machine.definition.get("TimeoutSeconds")
    if deadline is None:
        return
    if not _is_seconds(deadline):
        yield finding("SG302", "", f"TimeoutSeconds da máquina é {deadline!r}", "use um inteiro positivo")
        return
    needed = longest_seconds(machine)
    if deadline <= needed:
        yield finding(
            "SG305",
            "",
            f"o prazo da máquina é {deadline} s e um caminho com todas as tentativas leva {needed:.0f} s",
            "aumente-o ou apague-o: cada Task já tem o seu",
        )
