"""What the compiler refuses to compile: each rule is one small function that names the place and the mend."""

from __future__ import annotations

import re
from collections import Counter
from math import ceil
from typing import TYPE_CHECKING

from infra.saga.errors import (
    CompensationIsStepError,
    MissingCompensationError,
    MissingGuardError,
    MissingPendingCaseError,
    NamingError,
    RetryPolicyError,
    StepOrderError,
    TimeoutChainError,
    UnknownErrorClassError,
)
from infra.saga.model import StepKind

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from infra.saga.model import Compensation, ErrorClass, HumanStep, Retry, Saga, StatusRecord, Step, TaskRetries

__all__ = ["LONGEST_NAME", "all_timeouts", "validate"]

LONGEST_NAME = 80
"""Characters of a state name (Step Functions, "State machine structure")."""

LONGEST_WAIT = 99_999_999
"""Seconds of a TimeoutSeconds or IntervalSeconds (Step Functions, "Error handling")."""

MOST_ATTEMPTS = 99_999_999
LONGEST_DELAY = 31_622_400

LONGEST_COMPENSATION_INTERVAL = 60
"""Seconds between two tries of a compensation: somebody's money or stock is held meanwhile."""

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_-]*", re.ASCII)
_FIELD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*", re.ASCII)
_RESERVED_PREFIXES = ("States", "Lambda", "DynamoDB", "SQS", "Sandbox", "Runtime")


def validate(saga: Saga) -> None:
    """Raise the `ModelError` of the first rule the saga breaks, structure before numbers."""
    _check_order(saga)
    for step in saga.steps:
        _check_step(step, saga)
    _check_guard(saga)
    _check_names(saga)
    _check_fields(saga)
    _check_errors(saga)
    _check_retries(saga)
    _check_timeouts(saga)
    for human in _human_steps(saga):
        _check_human(human, saga)
    for record in _records(saga):
        _check_record(record)


# --- Structure ---------------------------------------------------------------------------------------------------


def _check_order(saga: Saga) -> None:
    if not saga.steps:
        raise StepOrderError(saga.name, "the saga has no step", "give it at least one")
    pivots = [step.name for step in saga.steps if step.kind is StepKind.PIVOT]
    if len(pivots) > 1:
        raise StepOrderError(
            pivots[1],
            f"it is a second pivot, {pivots[0]} being the first",
            "keep one point of no return: make the later one retriable, or the earlier one compensable",
        )
    rank = {StepKind.COMPENSABLE: 0, StepKind.PIVOT: 1, StepKind.RETRIABLE: 2}
    highest = saga.steps[0]
    for step in saga.steps:
        if rank[step.kind] < rank[highest.kind]:
            raise StepOrderError(
                step.name,
                f"a {step.kind.value} step comes after {highest.name}, which is {highest.kind.value}",
                "put it before: after the point of no return a saga only goes forward",
            )
        highest = step
    if highest.kind is StepKind.RETRIABLE and not pivots:
        raise StepOrderError(
            highest.name,
            "it is retriable, but no pivot comes before it",
            "name the step that decides as the pivot, or make this one compensable",
        )


def _check_step(step: Step, saga: Saga) -> None:
    if step.kind is StepKind.COMPENSABLE:
        _check_compensable(step, saga)
        return
    if step.compensation is not None:
        raise CompensationIsStepError(
            step.name,
            f"it is {step.kind.value} and declares {step.compensation.name} as its compensation",
            "take the compensation away, or make the step compensable and put it before the pivot",
        )
    if step.kind is StepKind.RETRIABLE and step.pending is None:
        raise MissingPendingCaseError(
            step.name,
            "nobody would see its last failure, and it cannot be undone",
            "declare the person who is called in `pending`",
        )


def _check_compensable(step: Step, saga: Saga) -> None:
    if step.compensation is None:
        raise MissingCompensationError(
            step.name,
            "it is compensable and has no compensation",
            "declare what undoes it, or say that it is the pivot or retriable",
        )
    if step.compensation.name in {other.name for other in saga.steps}:
        raise CompensationIsStepError(
            step.name,
            f"its compensation {step.compensation.name} is itself a step",
            "undo it with a function of its own: a step run backwards is not its inverse",
        )
    if step.pending is not None:
        raise MissingPendingCaseError(
            step.name, "it is compensable and declares `pending`", "only a retriable step waits for a person by itself"
        )


def _check_guard(saga: Saga) -> None:
    pivot, compensations = saga.pivot(), saga.compensations()
    if pivot is None or not compensations:
        return
    if compensations[0].pivot_won is None:
        raise MissingGuardError(
            compensations[0].name,
            f"it undoes what {pivot.name} decides, and cannot tell that {pivot.name} happened after all",
            "declare in `pivot_won` the refusal it raises then",
        )
    for compensation in compensations[1:]:
        if compensation.pivot_won is not None:
            raise MissingGuardError(
                compensation.name,
                "it declares `pivot_won`, but it runs when the pivot is already known to be lost",
                f"declare it on {compensations[0].name} alone",
            )


# --- Names and fields ----------------------------------------------------------------------------------------------


def _check_names(saga: Saga) -> None:
    names = list(_state_names(saga))
    for name in names:
        if not _NAME.fullmatch(name):
            raise NamingError(name or "(empty)", "it is not a plain name", "use letters, digits, _ and -")
        if len(name) > LONGEST_NAME:
            raise NamingError(name, f"it has {len(name)} characters", f"Step Functions takes {LONGEST_NAME}")
        if name in _RESERVED_PREFIXES:
            raise NamingError(name, "it is a reserved word of Step Functions' error names", "choose another name")
    for name, times in Counter(names).items():
        if times > 1:
            raise NamingError(name, f"{times} states have this name", "give each a name of its own")


def _state_names(saga: Saga) -> Iterator[str]:
    for step in saga.steps:
        yield step.name
    for compensation in saga.compensations():
        yield compensation.name
    for record in _records(saga):
        yield record.name
    for human in _human_steps(saga):
        yield from (human.wait, human.decide)
        if isinstance(human.closing, str):
            yield human.closing
    yield saga.undelivered


def _check_fields(saga: Saga) -> None:
    taken = list(saga.input_fields)
    taken += [saga.error_key, saga.compensation_error_key, saga.answer_key]
    taken += [step.result.key for step in saga.steps if step.result is not None]
    for name in taken:
        if not _FIELD.fullmatch(name):
            raise NamingError(name or "(empty)", "it is not a plain field name", "use letters, digits and _")
    for name, times in Counter(taken).items():
        if times > 1:
            raise NamingError(
                name, "this field of the state is written by more than one thing", "the input is never written again"
            )
    if saga.table.key_path not in saga.input_fields:
        raise NamingError(saga.table.key_path, "the table's key is not a field of the input", "add it to input_fields")


# --- Errors --------------------------------------------------------------------------------------------------------


def _check_errors(saga: Saga) -> None:
    declared = saga.errors
    every = (*declared.refusals, *declared.transient, *declared.unknown)
    for error, times in Counter(every).items():
        _check_error_name(error)
        if times > 1:
            raise UnknownErrorClassError(
                error.__name__, "it is declared as two kinds of outcome", "an error is refused, transient or unknown"
            )
    for name, times in Counter(error.__name__ for error in every).items():
        if times > 1:
            raise UnknownErrorClassError(name, "two classes have this name", "Step Functions sees only the name")
    for step in saga.steps:
        for error in step.refusals:
            _check_declared(step.name, error, declared.refusals, "refusals")
    for compensation in saga.compensations():
        if compensation.pivot_won is not None:
            _check_declared(compensation.name, compensation.pivot_won, declared.refusals, "refusals")
        if compensation.doubt is not None:
            _check_declared(compensation.name, compensation.doubt.error, declared.unknown, "unknown")


def _check_error_name(error: ErrorClass) -> None:
    name = error.__name__
    if name.startswith("States.") or name in {"Exception", "Error", "Timeout"}:
        raise UnknownErrorClassError(name, "it is not an error of the saga's own", "declare a class for it")


def _check_declared(where: str, error: ErrorClass, among: tuple[ErrorClass, ...], kind: str) -> None:
    if error not in among:
        raise UnknownErrorClassError(
            where, f"{error.__name__} is not among the saga's {kind}", f"add it to ErrorClasses.{kind}, or correct it"
        )


# --- Numbers -------------------------------------------------------------------------------------------------------


def all_timeouts(saga: Saga) -> dict[str, tuple[float, int, int]]:
    """The chain (HTTP, function, state; seconds) of each task that calls a function."""
    tasks: list[Step | Compensation] = [*saga.steps, *saga.compensations()]
    chosen = {task.name: task.timeouts or saga.timeouts for task in tasks}
    return {name: (chain.http, chain.function, chain.state) for name, chain in chosen.items()}


def _check_timeouts(saga: Saga) -> None:
    retries = {compensation.name: saga.policies.compensation for compensation in saga.compensations()}
    for name, (http, function, state) in all_timeouts(saga).items():
        if not 0 < http < function < state <= LONGEST_WAIT:
            raise TimeoutChainError(
                name,
                f"its timeouts are HTTP {http} s, function {function} s, state {state} s",
                "each must be positive and shorter than the next, so that nobody gives up on work that goes on",
            )
        interval = retries.get(name, saga.policies.step).platform.interval
        if interval <= function:
            raise TimeoutChainError(
                name,
                f"after a platform error it is tried again in {interval} s, and its function may run for {function} s",
                "make the platform interval longer than the function's timeout, so that attempts never overlap",
            )


def _check_retries(saga: Saga) -> None:
    policies = saga.policies
    named = {
        "policies.step.transient": policies.step.transient,
        "policies.step.platform": policies.step.platform,
        "policies.compensation.transient": policies.compensation.transient,
        "policies.compensation.platform": policies.compensation.platform,
        "policies.record": policies.record,
        "policies.notice": policies.notice,
    }
    named |= {f"{c.name}.doubt": c.doubt.retry for c in saga.compensations() if c.doubt is not None}
    for where, retry in named.items():
        _check_retry(where, retry)
    _check_platform("policies.step", policies.step)
    _check_platform("policies.compensation", policies.compensation)
    _check_perseverance(saga)
    for compensation in saga.compensations():
        _check_doubt(compensation)
    if not 0 < policies.service_timeout <= LONGEST_WAIT:
        raise RetryPolicyError("policies.service_timeout", f"{policies.service_timeout} s", "give it positive seconds")


def _check_retry(where: str, retry: Retry) -> None:
    if not 1 <= retry.interval <= LONGEST_WAIT:
        raise RetryPolicyError(where, f"the interval is {retry.interval} s", f"Step Functions takes 1..{LONGEST_WAIT}")
    if not 1 <= retry.attempts <= MOST_ATTEMPTS:
        raise RetryPolicyError(where, f"it retries {retry.attempts} times", "retry at least once, or it is no policy")
    if retry.backoff < 1:
        raise RetryPolicyError(where, f"the backoff rate is {retry.backoff}", "Step Functions takes 1.0 or more")
    if retry.max_delay is not None and not retry.interval <= retry.max_delay < LONGEST_DELAY:
        raise RetryPolicyError(
            where,
            f"the longest delay is {retry.max_delay} s and the interval {retry.interval} s",
            f"keep the longest delay between the interval and {LONGEST_DELAY} s",
        )


def _check_platform(where: str, retries: TaskRetries) -> None:
    if retries.platform.jitter:
        raise RetryPolicyError(
            f"{where}.platform",
            "it has jitter, which may shrink the interval to nothing while the attempt still runs",
            "keep jitter for errors our own code raised",
        )


def _check_perseverance(saga: Saga) -> None:
    step, compensation = saga.policies.step, saga.policies.compensation
    for kind, ours, theirs in (
        ("transient", compensation.transient, step.transient),
        ("platform", compensation.platform, step.platform),
    ):
        where = f"policies.compensation.{kind}"
        if ours.attempts <= theirs.attempts:
            raise RetryPolicyError(
                where, f"{ours.attempts} retries, a step has {theirs.attempts}", "a compensation tries harder"
            )
        longest = ours.max_delay or ceil(ours.interval * ours.backoff ** (ours.attempts - 1))
        if longest > LONGEST_COMPENSATION_INTERVAL:
            raise RetryPolicyError(
                where,
                f"it may wait {longest} s between two tries",
                f"wait {LONGEST_COMPENSATION_INTERVAL} s at most: something is held meanwhile",
            )


def _check_doubt(compensation: Compensation) -> None:
    doubt = compensation.doubt
    if doubt is None:
        return
    waits = doubt.retry.shortest_total()
    if doubt.retry.jitter or waits <= doubt.seconds:
        raise RetryPolicyError(
            f"{compensation.name}.doubt",
            f"its retrier may give up after {0 if doubt.retry.jitter else waits:g} s of a {doubt.seconds} s window",
            "take jitter away and add attempts until it outlasts the window",
        )


# --- People and records ----------------------------------------------------------------------------------------------


def _human_steps(saga: Saga) -> tuple[HumanStep, ...]:
    return (saga.human, *(step.pending for step in saga.steps if step.pending is not None))


def _records(saga: Saga) -> Iterable[StatusRecord]:
    yield saga.nothing_done
    yield saga.compensated
    for human in _human_steps(saga):
        if human.record is not None:
            yield human.record
        if not isinstance(human.closing, str):
            yield human.closing
        for answer in human.answers:
            if answer.record is not None:
                yield answer.record


def _check_human(human: HumanStep, saga: Saga) -> None:
    if not 0 < human.deadline <= LONGEST_WAIT:
        raise TimeoutChainError(human.wait, f"its deadline is {human.deadline} s", "give it positive seconds")
    if "taskToken" in human.message:
        raise NamingError(human.wait, "its message has a field taskToken", "the compiler adds the token itself")
    closing = human.closing if isinstance(human.closing, str) else human.closing.name
    if not human.answers:
        raise StepOrderError(human.decide, "it takes no answer", "declare at least one")
    for answer in human.answers:
        record = answer.record.name if answer.record is not None else closing
        if answer.then not in (None, closing, record):
            raise StepOrderError(
                human.decide,
                f"{answer.decision} leads to {answer.then}",
                f"an answer leads back (None) or to {closing}: a person cannot skip what undoes the saga",
            )
    if saga.human is human and not saga.compensations():
        raise StepOrderError(human.decide, "there is nothing to undo again", "a saga needs a compensable step")


def _check_record(record: StatusRecord) -> None:
    if record.status not in record.allowed_from:
        raise StepOrderError(
            record.name,
            f"{record.status} is not among the statuses it may be written over",
            "add it: a retry after a lost answer is a success, not a conflict",
        )
    for attribute in {*record.assign, *record.assign_once} & set(record.remove):
        raise NamingError(record.name, f"it both sets and removes {attribute}", "do one of the two")
