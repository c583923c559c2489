"""Requests that schemathesis makes from the public OpenAPI document, right and wrong, and what it checks in answers.

Its own checks hold the document to the truth: statuses, headers and bodies as documented, wrong data refused, right
data accepted.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, cast

import schemathesis
from schemathesis.config import SchemathesisConfig
from schemathesis.engine import Status, events, from_schema
from schemathesis.openapi.checks import RejectedPositiveData

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from schemathesis import Case, HookContext, Response
    from schemathesis.core.failures import Failure

    from tests.e2e.fuzz.tally import Tally

__all__ = ["ALL_PHASES", "ask"]

ALL_PHASES = ("examples", "coverage", "fuzzing", "stateful")
REQUESTS_PER_EXAMPLE = 8
"""About how many requests one more example means: two operations, right and wrong data, sequences."""


def ask(
    url: str, document: Mapping[str, Any], tally: Tally, *, cases: int, seed: int, phases: Sequence[str] = ALL_PHASES
) -> None:
    """Make at least that many requests; each round has a seed of its own.

    Args:
        url: the API's base URL.
        document: the OpenAPI document.
        tally: told of every answer.
        cases: how many, at least.
        seed: makes a run repeatable.
        phases: schemathesis's ways to make requests. All but fuzzing make the same ones each time, so after the first
            round only fuzzing and sequences of requests go on.
    """
    goal = tally.cases + cases
    while (before := tally.cases) < goal:
        _round(url, document, tally, examples=-(-(goal - before) // REQUESTS_PER_EXAMPLE), seed=seed, phases=phases)
        if tally.cases == before:
            raise AssertionError("schemathesis makes no more requests")
        seed += 1
        phases = [phase for phase in phases if phase not in ("examples", "coverage")]


def _round(
    url: str, document: Mapping[str, Any], tally: Tally, *, examples: int, seed: int, phases: Sequence[str]
) -> None:
    schema = schemathesis.openapi.from_dict(dict(document), config=_config(url, examples, seed, phases))

    def after_call(context: HookContext, case: Case[Any], response: Response) -> None:
        headers = {name: values[0] for name, values in response.headers.items()}
        tally.judge(response.status_code, headers, response.content, lambda: case.as_curl_command())

    def after_network_error(context: HookContext, case: Case[Any], request: object) -> None:
        tally.judge(0, {}, b"", lambda: case.as_curl_command())

    # Its stub has a bare Callable.
    register = cast("Any", schema.hooks).register_hook_with_name
    register(after_call, "after_call")
    register(after_network_error, "after_network_error")
    register(_counts, "filter_failure")
    for event in from_schema(schema).execute():
        _collect(event, tally)


def _config(url: str, examples: int, seed: int, phases: Sequence[str]) -> SchemathesisConfig:
    # Its stub has a bare dict.
    return cast("Any", SchemathesisConfig).from_dict(
        {
            "base-url": url,
            "seed": seed,
            # Two at once meet "AST constructor recursion depth mismatch" of CPython 3.11 (gh-106905).
            "workers": 1,
            "continue-on-failure": True,
            "request-timeout": 30,
            # What was found is told, not shrunk: shrinking asks thousands of times more.
            "generation": {"max-examples": examples, "no-shrink": True, "database": "none"},
            "phases": {phase: {"enabled": phase in phases} for phase in ALL_PHASES},
            # The embedded stack asks nobody for credentials.
            "checks": {"ignored_auth": {"enabled": False}},
        }
    )


def _collect(event: events.EngineEvent, tally: Tally) -> None:
    if isinstance(event, events.NonFatalError):
        tally.complain(f"schemathesis: {event.info}")
    if isinstance(event, events.FatalError):
        raise event.exception
    if isinstance(event, events.ScenarioFinished):
        for checks in event.recorder.checks.values():
            for check in checks:
                if check.status is Status.FAILURE and check.failure_info is not None:
                    failure = check.failure_info.failure
                    tally.complain(f"{failure.title}: {failure.message}\n{check.failure_info.code_sample}")


def _counts(context: HookContext, failure: Failure, case: Case[Any], response: Response) -> bool:
    """Whether a failure counts: not the refusals that the document states in words, as a schema cannot."""
    return not (isinstance(failure, RejectedPositiveData) and _is_refused_by_words(case, response))


def _is_refused_by_words(case: Case[Any], response: Response) -> bool:
    if response.status_code == 422:
        # The schema's texts may hold a card number.
        return True
    if response.status_code != 400 or not isinstance(case.body, dict):
        return False
    body = cast("dict[str, object]", case.body)
    # To a schema 2.0 is an integer; the document says "without fraction or exponent".
    fractions = any(isinstance(value, float) and math.isfinite(value) for value in body.values())
    keyless = "pedidoId" not in body and not any(
        name.lower() == "idempotency-key" for name in cast("Mapping[str, str]", case.headers or {})
    )
    return fractions or keyless
