"""From the model to an Amazon States Language definition (JSONPath).

Deterministic: the same saga and resources give the same text. Every Task has a timeout, retriers, catchers that
end in ``States.ALL``, and a ResultPath beside the input; every path ends in a status write, a person, or a Fail.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from infra.saga.asl import Definition, State, reachable
from infra.saga.errors import MissingResourceError
from infra.saga.model import Constant, Context, Input, JsonText, StepKind
from infra.saga.validation import validate

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from infra.saga.model import (
        Answer,
        Compensation,
        DoubtWindow,
        ErrorClass,
        HumanStep,
        Result,
        Retry,
        Saga,
        StatusRecord,
        Step,
        TaskRetries,
        Timeouts,
        Value,
    )

__all__ = ["PLATFORM_ERRORS", "Definition", "Resources", "compile_resumption", "compile_saga", "to_json"]

PLATFORM_ERRORS = (
    "Lambda.ServiceException",
    "Lambda.AWSLambdaException",
    "Lambda.SdkClientException",
    "Lambda.ClientExecutionTimeoutException",
    "Lambda.TooManyRequestsException",
    "Lambda.Unknown",
    "Sandbox.Timedout",
    "States.Timeout",
    "States.TaskFailed",
)
"""What a Lambda task may fail with without our code having raised it: the outcome is unknown.

``States.TaskFailed`` matches everything but ``States.Timeout`` (Step Functions, "Handling errors"), so it takes
whatever name AWS adds next; the others are named because they are what is expected (case C13).
"""

_CONDITION_FAILED = "DynamoDB.ConditionalCheckFailedException"
"""The optimized integration's prefix is ``DynamoDB.``, the SDK integration's ``DynamoDb.`` (case C26)."""


@dataclass(frozen=True)
class Resources:
    """What the logical names of a saga stand for.

    Attributes:
        functions: Lambda ARN by state name.
        queues: queue URL by logical name.
        tables: table name by logical name.
    """

    functions: Mapping[str, str]
    queues: Mapping[str, str] = field(default_factory=dict[str, str])
    tables: Mapping[str, str] = field(default_factory=dict[str, str])

    def function(self, name: str) -> str:
        """The function's ARN; raises `MissingResourceError`."""
        return _find("function", self.functions, name)

    def queue(self, name: str) -> str:
        """The queue's URL; raises `MissingResourceError`."""
        return _find("queue", self.queues, name)

    def table(self, name: str) -> str:
        """The table's name; raises `MissingResourceError`."""
        return _find("table", self.tables, name)


def _find(kind: str, among: Mapping[str, str], name: str) -> str:
    if name not in among:
        raise MissingResourceError(kind, name)
    return among[name]


def compile_saga(saga: Saga, resources: Resources) -> Definition:
    """The saga's state machine.

    Raises:
        ModelError: the saga is malformed; the message names the place and the mend.
        MissingResourceError: the saga names something `resources` does not hold.
    """
    validate(saga)
    states = _Compiler(saga, resources).states()
    return {"Comment": saga.name, "StartAt": saga.steps[0].name, "States": states}


def compile_resumption(saga: Saga, resources: Resources) -> Definition:
    """The part of the same machine that a person's answer may start: it can undo and close, never do.

    Raises as `compile_saga` does.
    """
    whole = compile_saga(saga, resources)
    start = saga.human.decide
    kept = reachable(whole["States"], start)
    states = {name: state for name, state in whole["States"].items() if name in kept}
    return {"Comment": f"{saga.name} (retomada)", "StartAt": start, "States": states}


def to_json(definition: Definition) -> str:
    """The definition as the text that is deployed."""
    return json.dumps(definition, ensure_ascii=False, indent=2)


class _Compiler:
    """One compilation: the saga, its resources, and the states in the order a reader wants them."""

    def __init__(self, saga: Saga, resources: Resources) -> None:
        self.saga = saga
        self.resources = resources
        self.compensations = saga.compensations()

    def states(self) -> dict[str, State]:
        saga = self.saga
        states: dict[str, State] = {}
        for index, step in enumerate(saga.steps):
            states[step.name] = self._step(step, self._after(index))
        for index, compensation in enumerate(self.compensations):
            states[compensation.name] = self._compensation(compensation, index)
        states[saga.nothing_done.name] = self._record(saga.nothing_done)
        states[saga.compensated.name] = self._record(saga.compensated)
        states |= self._human(saga.human, self.compensations[0].name if self.compensations else None)
        for step in saga.steps:
            if step.pending is not None:
                states |= self._human(step.pending, step.name)
        states[saga.undelivered] = {
            "Type": "Fail",
            "Error": saga.undelivered,
            "Cause": "The call for a person could not be delivered; the safety net takes over.",
        }
        kept = reachable(states, saga.steps[0].name)
        return {name: state for name, state in states.items() if name in kept}

    # --- Forward ---

    def _after(self, index: int) -> str | None:
        following = self.saga.steps[index + 1 :]
        return following[0].name if following else None

    def _step(self, step: Step, following: str | None) -> State:
        catches = [_catch(_names(step.refusals), self._undo_before(step), self.saga.error_key)] if step.refusals else []
        catches.append(_catch(["States.ALL"], self._when_unknown(step), self.saga.error_key))
        return {
            **self._task(step.name, step.timeouts, self.saga.policies.step, step.refusals, result=step.result),
            "Catch": catches,
            **_next(following),
        }

    def _when_unknown(self, step: Step) -> str:
        """Where a step goes whose outcome nobody knows: to its own undoing."""
        if step.pending is not None:
            return step.pending.wait
        if step.compensation is not None:
            return step.compensation.name
        return self._undo_before(step)

    def _undo_before(self, step: Step) -> str:
        """Where a step goes that surely did nothing: to the undoing of the step before it."""
        if step.pending is not None:
            return step.pending.wait
        before = self.saga.steps[: self.saga.steps.index(step)]
        undoing = [earlier.compensation.name for earlier in before if earlier.compensation is not None]
        return undoing[-1] if undoing else self.saga.nothing_done.name

    # --- Back ---

    def _compensation(self, compensation: Compensation, index: int) -> State:
        catches: list[State] = []
        if compensation.pivot_won is not None:
            catches.append(_catch([compensation.pivot_won.__name__], self._forward(), None))
        catches.append(_catch(["States.ALL"], self._person(), self.saga.compensation_error_key))
        refusals = (compensation.pivot_won,) if compensation.pivot_won is not None else ()
        earlier = self.compensations[index + 1 :]
        retries = self.saga.policies.compensation
        return {
            **self._task(compensation.name, compensation.timeouts, retries, refusals, doubt=compensation.doubt),
            "Catch": catches,
            "Next": earlier[0].name if earlier else self.saga.compensated.name,
        }

    def _forward(self) -> str:
        """What follows the pivot: where a compensation that lost the race goes."""
        retriable = [step.name for step in self.saga.steps if step.kind is StepKind.RETRIABLE]
        return retriable[0] if retriable else self._person()

    def _person(self) -> str:
        record = self.saga.human.record
        return record.name if record is not None else self.saga.human.wait

    # --- Functions ---

    def _task(
        self,
        name: str,
        timeouts: Timeouts | None,
        retries: TaskRetries,
        refusals: tuple[ErrorClass, ...],
        *,
        doubt: DoubtWindow | None = None,
        result: Result | None = None,
    ) -> State:
        state: State = {
            "Type": "Task",
            "Resource": "arn:aws:states:::lambda:invoke",
            "Parameters": {
                "FunctionName": self.resources.function(name),
                "Payload": {
                    "entrada.$": "$",
                    "contexto": {
                        "estado.$": "$$.State.Name",
                        "tentativa.$": "$$.State.RetryCount",
                        "execucao.$": "$$.Execution.Id",
                    },
                },
            },
            "TimeoutSeconds": (timeouts or self.saga.timeouts).state,
            "ResultPath": None,
        }
        if result is not None:
            state["ResultSelector"] = {f"{name}.$": f"$.Payload.{name}" for name in result.fields}
            state["ResultPath"] = f"$.{result.key}"
        state["Retry"] = self._retriers(retries, refusals, doubt)
        return state

    def _retriers(
        self, retries: TaskRetries, refusals: tuple[ErrorClass, ...], doubt: DoubtWindow | None
    ) -> list[State]:
        retriers: list[State] = [_never(_names(refusals))] if refusals else []
        if doubt is not None:
            retriers.append(_retrier([doubt.error.__name__], doubt.retry))
        retriers.append(_retrier(_names(self.saga.errors.transient), retries.transient))
        retriers.append(_retrier(list(PLATFORM_ERRORS), retries.platform))
        return retriers

    # --- Status writes ---

    def _record(self, record: StatusRecord) -> State:
        return self._status_write(record, following=None, on_failure=self._person())

    def _status_write(self, record: StatusRecord, *, following: str | None, on_failure: str) -> State:
        return {
            "Type": "Task",
            "Resource": "arn:aws:states:::dynamodb:updateItem",
            "Parameters": self._update(record),
            "TimeoutSeconds": self.saga.policies.service_timeout,
            "ResultPath": None,
            "Retry": [
                _never([_CONDITION_FAILED]),
                _retrier(["States.Timeout", "States.TaskFailed"], self.saga.policies.record),
            ],
            "Catch": [_catch(["States.ALL"], on_failure, self.saga.compensation_error_key)],
            **_next(following),
        }

    def _update(self, record: StatusRecord) -> State:
        table = self.saga.table
        assigned = {table.status: {"S": record.status}}
        assigned |= {name: _attribute(value) for name, value in record.assign.items()}
        once = {name: _map_attribute(fields) for name, fields in record.assign_once.items()}
        sets = [f"{_path(name)} = :{_placeholder(name)}" for name in assigned]
        sets += [f"#{name} = if_not_exists(#{name}, :{name})" for name in once]
        update = f"SET {', '.join(sets)}"
        if record.remove:
            update += f" REMOVE {', '.join(f'#{name}' for name in record.remove)}"
        allowed = {f":allowed{index}": {"S": status} for index, status in enumerate(record.allowed_from)}
        return {
            "TableName": self.resources.table(table.table),
            "Key": {table.key: {"S.$": f"$.{table.key_path}"}},
            "UpdateExpression": update,
            "ConditionExpression": f"#{table.status} IN ({', '.join(allowed)})",
            "ExpressionAttributeNames": {
                f"#{part}": part for name in (*assigned, *once, *record.remove) for part in name.split(".")
            },
            "ExpressionAttributeValues": {
                **{f":{_placeholder(name)}": value for name, value in {**assigned, **once}.items()},
                **allowed,
            },
        }

    # --- People ---

    def _human(self, human: HumanStep, back_to: str | None) -> dict[str, State]:
        asked_from = human.record.name if human.record is not None else human.wait
        states: dict[str, State] = {}
        if human.record is not None:
            # The status is for readers; the message is what wakes a person, so a failed write never stops it.
            states[human.record.name] = {
                **self._status_write(human.record, following=human.wait, on_failure=human.wait),
                "Catch": [_catch(["States.ALL"], human.wait, None)],
            }
        states[human.wait] = self._wait_for_answer(human, asked_from)
        states[human.decide] = {
            "Type": "Choice",
            "Choices": [self._choice(human, answer, _leads_to(answer, back_to)) for answer in human.answers],
            "Default": asked_from,
        }
        if isinstance(human.closing, str):
            states[human.closing] = {"Type": "Succeed"}
        else:
            states[human.closing.name] = self._status_write(human.closing, following=None, on_failure=asked_from)
        for answer in human.answers:
            if answer.record is not None:
                states[answer.record.name] = self._answer_record(answer, answer.record, asked_from, back_to)
        return states

    def _answer_record(self, answer: Answer, record: StatusRecord, asked_from: str, back_to: str | None) -> State:
        if answer.then is not None:
            return self._status_write(record, following=None, on_failure=asked_from)
        following = back_to or asked_from
        # The answer is in the execution's history as well, so an audit that fails never stops what was decided.
        return {
            **self._status_write(record, following=following, on_failure=following),
            "Catch": [_catch(["States.ALL"], following, None)],
        }

    def _wait_for_answer(self, human: HumanStep, asked_from: str) -> State:
        body: State = {}
        for name, value in human.message.items():
            body |= _field(name, value)
        body["taskToken.$"] = "$$.Task.Token"
        return {
            "Type": "Task",
            "Resource": "arn:aws:states:::sqs:sendMessage.waitForTaskToken",
            "Parameters": {"QueueUrl": self.resources.queue(human.queue), "MessageBody": body},
            "TimeoutSeconds": human.deadline,
            "ResultPath": f"$.{self.saga.answer_key}",
            # Not States.Timeout: a retry keeps the token, and the deadline is for asking again with a new one.
            "Retry": [_retrier(["States.TaskFailed"], self.saga.policies.notice)],
            "Catch": [
                _catch(["States.Timeout"], asked_from, None),
                _catch(["States.ALL"], self.saga.undelivered, self.saga.compensation_error_key),
            ],
            "Next": human.decide,
        }

    def _choice(self, human: HumanStep, answer: Answer, target: str | None) -> State:
        given = f"$.{self.saga.answer_key}"
        decided = f"{given}.{human.decision_field}"
        # Presence and type before any comparison: a missing path is a States.Runtime that no catcher takes.
        tests: list[State] = [
            {"Variable": decided, "IsPresent": True},
            {"Variable": decided, "IsString": True},
            {"Variable": decided, "StringEquals": answer.decision},
        ]
        for name in answer.required:
            variable = f"{given}.{name}"
            tests += [
                {"Variable": variable, "IsPresent": True},
                {"Variable": variable, "IsString": True},
                {"Not": {"Variable": variable, "StringEquals": ""}},
            ]
        tests += [{"Variable": f"{given}.{name}", "IsPresent": True} for name in answer.given]
        return {"And": tests, "Next": target}


# --- Pieces of the language ----------------------------------------------------------------------------------------


def _names(errors: Iterable[ErrorClass]) -> list[str]:
    return [error.__name__ for error in errors]


def _leads_to(answer: Answer, back_to: str | None) -> str | None:
    if answer.then is None and answer.record is not None:
        return answer.record.name
    return answer.then or back_to


def _path(name: str) -> str:
    return ".".join(f"#{part}" for part in name.split("."))


def _placeholder(name: str) -> str:
    return name.replace(".", "_")


def _next(following: str | None) -> State:
    return {"Next": following} if following is not None else {"End": True}


def _catch(errors: list[str], target: str, key: str | None) -> State:
    return {"ErrorEquals": errors, "ResultPath": f"$.{key}" if key is not None else None, "Next": target}


def _never(errors: list[str]) -> State:
    return {"ErrorEquals": errors, "MaxAttempts": 0}


def _retrier(errors: list[str], retry: Retry) -> State:
    retrier: State = {
        "ErrorEquals": errors,
        "IntervalSeconds": retry.interval,
        "MaxAttempts": retry.attempts,
        "BackoffRate": float(retry.backoff),
    }
    if retry.max_delay is not None:
        retrier["MaxDelaySeconds"] = retry.max_delay
    if retry.jitter:
        retrier["JitterStrategy"] = "FULL"
    return retrier


def _field(name: str, value: Value) -> State:
    """One entry of a payload template."""
    match value:
        case Constant(text):
            return {name: text}
        case Input(path):
            return {f"{name}.$": f"$.{path}"}
        case JsonText(path):
            return {f"{name}.$": f"States.JsonToString($.{path})"}
        case Context(path):
            return {f"{name}.$": f"$$.{path}"}


def _attribute(value: Value) -> State:
    """A string attribute: the only type the machine writes, since a number there fails before the task (case C05)."""
    return _field("S", value)


def _map_attribute(fields: Mapping[str, Value]) -> State:
    return {"M": {name: _attribute(value) for name, value in fields.items()}}
