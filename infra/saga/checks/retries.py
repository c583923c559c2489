"""Errors: what is retried, what is caught, and what would slip through."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from infra.saga.asl import catcher_for, edges, matches, retrier_for
from infra.saga.checks.findings import finding
from infra.saga.checks.machine import integration
from infra.saga.checks.numbers import is_integer, is_number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from infra.saga.checks.findings import Finding
    from infra.saga.checks.machine import Machine

__all__ = ["check_retries"]

_WILDCARD = "States.ALL"
_FAILED = "States.TaskFailed"
_TIMEOUT = "States.Timeout"
_ANY_ERROR = "UmErroQualquer"
"""Stands for an error no definition names."""

_KNOWN = frozenset({
    _WILDCARD, _FAILED, _TIMEOUT, "States.HeartbeatTimeout", "States.Permissions", "States.ResultPathMatchFailure",
    "States.ParameterPathFailure", "States.BranchFailed", "States.NoChoiceMatched", "States.IntrinsicFailure",
    "States.ExceedToleratedFailureThreshold", "States.ItemReaderFailed", "States.ResultWriterFailed",
    "States.DataLimitExceeded", "States.Runtime", "States.Http.Socket", "States.QueryEvaluationError",
})  # fmt: skip
"""The names Step Functions reports (Step Functions, "Handling errors in Step Functions workflows")."""

_PLATFORM = (
    "Lambda.ServiceException",
    "Lambda.AWSLambdaException",
    "Lambda.SdkClientException",
    "Lambda.ClientExecutionTimeoutException",
    "Lambda.TooManyRequestsException",
    "Lambda.Unknown",
    "Sandbox.Timedout",
    _TIMEOUT,
)
_MOST_ATTEMPTS = 99_999_999
_LONGEST_DELAY = 31_622_400


def check_retries(machine: Machine) -> Iterator[Finding]:
    """Retriers and catchers of every state, and what no one takes."""
    for name, state in machine.states.items():
        for field in ("Retry", "Catch"):
            yield from _entries(name, field, state.get(field, []))
        for retrier in state.get("Retry", ()):
            yield from _numbers(name, retrier)
        if state.get("Type") in ("Task", "Parallel", "Map"):
            yield from _uncaught(machine, name, state)
    for name, state in machine.tasks():
        yield from _not_retried(machine, name, state)
        yield from _refusals(name, state)


# --- One list of retriers or catchers ------------------------------------------------------------------------------


def _entries(name: str, field: str, entries: list[Mapping[str, Any]]) -> Iterator[Finding]:
    earlier: list[str] = []
    for index, entry in enumerate(entries):
        errors: list[str] = entry["ErrorEquals"]
        where = f"{field} {index + 1}"
        if not errors:
            yield finding("SG213", name, f"{where} não lista erro nenhum", "liste os erros ou apague a entrada")
        if _WILDCARD in errors and len(errors) > 1:
            others = ", ".join(error for error in errors if error != _WILDCARD)
            yield finding("SG201", name, f"{where} lista States.ALL e {others}", "deixe States.ALL só")
        if _WILDCARD in errors and index < len(entries) - 1:
            yield finding("SG202", name, f"{where} tem States.ALL e não é a última entrada", "passe-a para o fim")
        for error in errors:
            yield from _error_name(name, where, error)
            if error != _WILDCARD and _is_shadowed(error, earlier):
                yield finding(
                    "SG204", name, f"{where} lista {error}, que uma entrada anterior já pega", "passe-a para antes"
                )
        earlier += errors


def _error_name(name: str, where: str, error: str) -> Iterator[Finding]:
    if error.startswith("States.") and error not in _KNOWN:
        yield finding("SG203", name, f"{where} lista {error}, que não existe", "corrija o nome")
    if error == "States.Runtime":
        yield finding("SG214", name, f"{where} lista States.Runtime", "apague o nome e evite a causa")


def _is_shadowed(error: str, earlier: list[str]) -> bool:
    if error == _FAILED:
        return bool({_FAILED, _WILDCARD} & set(earlier))
    # States.ALL that is not last is reported as such; saying so again for all that follows helps nobody.
    return matches([other for other in earlier if other != _WILDCARD], error)


def _numbers(name: str, retrier: Mapping[str, Any]) -> Iterator[Finding]:
    attempts = retrier.get("MaxAttempts", 3)
    if not is_integer(attempts) or not 0 <= attempts <= _MOST_ATTEMPTS:
        yield finding("SG210", name, f"MaxAttempts é {attempts!r}", "use um inteiro de 0 para cima")
    backoff = retrier.get("BackoffRate", 2.0)
    if not is_number(backoff) or backoff < 1:
        yield finding("SG211", name, f"BackoffRate é {backoff!r}", "use 1.0 ou mais")
    interval = retrier.get("IntervalSeconds", 1)
    if not is_integer(interval) or not 1 <= interval <= _MOST_ATTEMPTS:
        yield finding("SG212", name, f"IntervalSeconds é {interval!r}", "use um inteiro positivo")
    elif "MaxDelaySeconds" in retrier:
        delay = retrier["MaxDelaySeconds"]
        if not is_integer(delay) or not interval <= delay < _LONGEST_DELAY:
            yield finding(
                "SG212", name, f"MaxDelaySeconds é {delay!r}", f"use um inteiro a partir do intervalo, {interval}"
            )
    if retrier.get("JitterStrategy", "NONE") not in ("NONE", "FULL"):
        yield finding("SG212", name, f"JitterStrategy é {retrier['JitterStrategy']!r}", "use FULL ou NONE")


# --- What slips through --------------------------------------------------------------------------------------------


def _uncaught(machine: Machine, name: str, state: Mapping[str, Any]) -> Iterator[Finding]:
    if not state.get("Catch"):
        # Inside a Parallel or a Map the error goes to the state around it, which is looked at by itself.
        if not machine.inside:
            yield finding("SG205", name, "não tem Catch", "leve a falha a quem desfaz o que foi feito até aqui")
        return
    escaping = {_TIMEOUT: "States.Timeout", _ANY_ERROR: "qualquer erro não listado"}
    slipping = [said for error, said in escaping.items() if catcher_for(state, error) is None]
    if slipping and not machine.inside:
        yield finding(
            "SG206", name, f"o Catch deixa escapar {' e '.join(slipping)}", "termine com um Catch de States.ALL"
        )


def _not_retried(machine: Machine, name: str, state: Mapping[str, Any]) -> Iterator[Finding]:
    called = integration(state)
    if called is None:
        return
    needed = _PLATFORM if called.is_function and not called.waits else (_ANY_ERROR,)
    missing = [error for error in needed if not _is_retried(state, error)]
    if not missing:
        return
    if name in machine.after_failure and not any(_repeats(retrier) for retrier in state.get("Retry", ())):
        yield finding(
            "SG208",
            name,
            "só se chega aqui depois de uma falha, e a primeira falha daqui já desiste",
            "acrescente Retry com mais tentativas que as dos passos",
        )
        return
    if called.is_function:
        yield finding(
            "SG207", name, f"não repete {', '.join(missing)}", "liste-os num Retry, ou acrescente States.TaskFailed"
        )
    elif not called.waits:
        yield finding("SG207", name, f"não repete falhas de {called.service}", "acrescente um Retry", severity="aviso")


def _is_retried(state: Mapping[str, Any], error: str) -> bool:
    retrier = retrier_for(state, error)
    return retrier is not None and _repeats(retrier)


def _repeats(retrier: Mapping[str, Any]) -> bool:
    return retrier.get("MaxAttempts", 3) != 0


def _refusals(name: str, state: Mapping[str, Any]) -> Iterator[Finding]:
    """An error that has a way of its own is an answer; a wildcard retrier would ask again."""
    wide = catcher_for(state, _ANY_ERROR)
    for edge in edges(state):
        if edge.kind != "catch" or (wide is not None and edge.target == wide["Next"]):
            continue
        for error in edge.errors:
            retrier = retrier_for(state, error)
            if error.startswith("States.") or retrier is None or error in retrier["ErrorEquals"]:
                continue
            if _repeats(retrier):
                yield finding(
                    "SG209",
                    name,
                    f"{error} tem caminho próprio e mesmo assim é repetido por {', '.join(retrier['ErrorEquals'])}",
                    "liste-o antes, num Retry com MaxAttempts 0",
                )
