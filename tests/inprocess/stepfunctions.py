"""Step Functions in memory: executions of compiled machines, and the client by which our code sees and touches them.

Tasks run for real: functions as processes of the world, the DynamoDB and SQS integrations on its fakes.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final, cast

from botocore.exceptions import ClientError

from handlers.domain.clock import iso
from handlers.domain.reconciliation_executions import arn_da_execucao
from infra.saga.asl import catcher_for, retrier_for
from tests.inprocess.asl import MissingPathError, choose, filled, placed

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from mypy_boto3_stepfunctions import SFNClient

    from infra.saga.compiler import Definition
    from tests.inprocess.process import Outcome, Process
    from tests.inprocess.world import World

__all__ = ["Execution", "FakeStepFunctions"]

INTEGRATION_SECONDS: Final = 30
"""The state's own TimeoutSeconds ends an integration that hangs."""

_INTEGRATIONS: Final = {
    "arn:aws:states:::dynamodb:updateItem": "DynamoDB",
    "arn:aws:states:::sqs:sendMessage.waitForTaskToken": "SQS",
}


@dataclass
class Execution:
    """One execution.

    Attributes:
        data: the state's input.
        state: where it is.
        status: RUNNING, SUCCEEDED, FAILED or ABORTED.
        wakes_at: the state is entered, or tried again, then; epoch seconds.
        token: answers the task that waits, while it waits.
        task: the attempt under way.
        tries: retries made of the state, by retrier.
    """

    arn: str
    name: str
    machine: str
    input: str
    started: float
    data: dict[str, Any]
    state: str
    entered: str = ""
    status: str = "RUNNING"
    error: str = ""
    cause: str = ""
    stopped: float | None = None
    wakes_at: float = 0.0
    token: str = ""
    waiting: bool = False
    task: Process | None = None
    tries: dict[int, int] = field(default_factory=dict[int, int])
    history: list[tuple[float, str, str]] = field(default_factory=list[tuple[float, str, str]])

    @property
    def order(self) -> str:
        """The order it is about."""
        return self.data["pedidoId"]

    @property
    def running(self) -> bool:
        return self.status == "RUNNING"

    @property
    def ready(self) -> bool:
        """Whether it has something to do once `wakes_at` has come."""
        return self.running and self.task is None

    def states(self) -> list[str]:
        """The states entered, in order."""
        return [detail for _, kind, detail in self.history if kind == "StateEntered"]


class FakeStepFunctions:
    """Machines by ARN, and their executions by ARN."""

    def __init__(self, world: World, machines: Mapping[str, Definition]) -> None:
        self.world = world
        self.machines = machines
        self.executions: dict[str, Execution] = {}

    @property
    def client(self) -> SFNClient:
        """Itself, as the type the code asks for."""
        return cast("SFNClient", cast("object", self))

    # --- What our code calls ---

    def start_execution(self, *, stateMachineArn: str, name: str, input: str) -> dict[str, str]:  # noqa: N803
        def start() -> dict[str, str]:
            arn = arn_da_execucao(stateMachineArn, name)
            known = self.executions.get(arn)
            if known is not None:
                if known.running and known.input == input:
                    return {"executionArn": arn}
                raise _refused("ExecutionAlreadyExists", "StartExecution")
            first: str = self.machines[stateMachineArn]["StartAt"]
            now = self.world.now
            execution = Execution(arn, name, stateMachineArn, input, now, json.loads(input), first, wakes_at=now)
            self.executions[arn] = execution
            self._enter(execution, first)
            return {"executionArn": arn}

        return self.world.outside("start_execution", start)

    def describe_execution(self, *, executionArn: str) -> dict[str, Any]:  # noqa: N803 - boto3's name
        def describe() -> dict[str, Any]:
            found = self._find(executionArn, "DescribeExecution")
            return {
                "status": found.status,
                "input": found.input,
                "startDate": _datetime(found.started),
                "error": found.error,
                "cause": found.cause,
                **({"stopDate": _datetime(found.stopped)} if found.stopped is not None else {}),
            }

        return self.world.outside("describe_execution", describe)

    def stop_execution(self, *, executionArn: str, error: str = "", cause: str = "") -> dict[str, Any]:  # noqa: N803
        def stop() -> dict[str, Any]:
            found = self._find(executionArn, "StopExecution")
            if not found.running:
                raise _refused("ValidationException", "StopExecution")
            self.end(found, "ABORTED", error, cause)
            return {}

        return self.world.outside("stop_execution", stop)

    def send_task_success(self, *, taskToken: str, output: str) -> dict[str, Any]:  # noqa: N803 - boto3's names
        def answer() -> dict[str, Any]:
            waiting = next((e for e in self.executions.values() if e.token == taskToken and e.waiting), None)
            if waiting is None or not waiting.running:
                raise _refused("TaskTimedOut", "SendTaskSuccess")
            waiting.waiting = False
            self._succeed(waiting, json.loads(output))
            return {}

        return self.world.outside("send_task_success", answer)

    def get_paginator(self, name: str) -> _History:
        assert name == "get_execution_history"
        return _History(self)

    def events(self, arn: str) -> list[dict[str, Any]]:
        """The history of an execution, as far as anybody of ours reads it."""
        return list(_events(self._find(arn, "GetExecutionHistory")))

    # --- What Step Functions does by itself ---

    def advance(self, execution: Execution) -> None:
        """Do what the execution has to do now: enter its state, try it again, or give up waiting."""
        assert execution.ready and execution.wakes_at <= self.world.now
        if execution.waiting:
            execution.waiting = False
            self._fail(execution, "States.Timeout", "")
            return
        state = self._state(execution)
        match state["Type"]:
            case "Task":
                self._begin(execution, state)
            case "Choice":
                self._choose(execution, state)
            case "Fail":
                self.end(execution, "FAILED", state.get("Error", ""), state.get("Cause", ""))
            case other:
                raise AssertionError(f"a state of type {other} is not known here")

    def abandon(self, execution: Execution) -> None:
        """The answer of the attempt under way will not be heard; what makes it goes on."""
        task, execution.task = execution.task, None
        assert task is not None
        task.abandoned = True
        self._fail(execution, "Lambda.SdkClientException", "a resposta se perdeu")

    def end(self, execution: Execution, status: str, error: str = "", cause: str = "") -> None:
        """The execution is over."""
        execution.status, execution.error, execution.cause = status, error, cause
        execution.stopped = self.world.now
        execution.waiting = False
        if execution.task is not None:
            execution.task.abandoned = True
            execution.task = None
        self._note(execution, f"Execution{status.capitalize()}", error)
        self.world.tell(f"{execution.name}: execução {status} {error}".rstrip())
        if status != "SUCCEEDED":
            self.world.announce_death(execution.arn, execution.machine, status)

    def _begin(self, execution: Execution, state: Mapping[str, Any]) -> None:
        try:
            parameters = filled(state["Parameters"], execution.data, self._context(execution))
        except MissingPathError as error:
            self.end(execution, "FAILED", "States.Runtime", str(error))
            return
        self._note(execution, "TaskScheduled", "")
        if state["Resource"] == "arn:aws:states:::lambda:invoke":
            execution.task = self.world.invoke(
                parameters["FunctionName"],
                execution.order,
                parameters["Payload"],
                lambda outcome: self._function_ended(execution, outcome),
            )
        else:
            execution.task = self._integration(execution, state["Resource"], parameters)
        execution.task.start()

    def _integration(self, execution: Execution, resource: str, parameters: Mapping[str, Any]) -> Process:
        service = _INTEGRATIONS[resource]

        def do(_: Process) -> object:
            if service == "DynamoDB":
                return self.world.dynamo.update_item(**parameters)
            body = json.dumps(parameters["MessageBody"], ensure_ascii=False)
            return self.world.sqs.send_message(QueueUrl=parameters["QueueUrl"], MessageBody=body)

        return self.world.process(
            execution.state,
            execution.order,
            do,
            INTEGRATION_SECONDS,
            lambda outcome: self._integration_ended(execution, service, outcome),
        )

    def _function_ended(self, execution: Execution, outcome: Outcome) -> None:
        if not self._attempt_over(execution):
            return
        if outcome.death:
            self._fail(execution, "Lambda.Unknown", outcome.death)
        elif outcome.error is not None:
            cause = {"errorType": type(outcome.error).__name__, "errorMessage": str(outcome.error)}
            self._fail(execution, type(outcome.error).__name__, json.dumps(cause))
        else:
            self._succeed(execution, {"Payload": json.loads(json.dumps(outcome.value))})

    def _integration_ended(self, execution: Execution, service: str, outcome: Outcome) -> None:
        if not self._attempt_over(execution):
            return
        if outcome.death or (outcome.error is not None and not isinstance(outcome.error, ClientError)):
            self._fail(execution, f"{service}.SdkClientException", outcome.death)
        elif isinstance(outcome.error, ClientError):
            code = outcome.error.response.get("Error", {}).get("Code", "")
            self._fail(execution, f"{service}.{code}", str(outcome.error))
        elif service == "SQS":
            execution.waiting = True
            execution.wakes_at = self.world.now + self._state(execution)["TimeoutSeconds"]
        else:
            self._succeed(execution, outcome.value)

    def _attempt_over(self, execution: Execution) -> bool:
        """Whether the execution still waits for this attempt; it does not once it ended or gave the answer up."""
        task, execution.task = execution.task, None
        if task is not None and task.ended:
            return execution.running
        execution.task = task
        return False

    def _succeed(self, execution: Execution, result: Any) -> None:
        state = self._state(execution)
        if "ResultSelector" in state:
            try:
                result = filled(state["ResultSelector"], result, self._context(execution))
            except MissingPathError as error:
                self.end(execution, "FAILED", "States.Runtime", str(error))
                return
        execution.data = placed(execution.data, state["ResultPath"], result)
        if state.get("End"):
            self._note(execution, "StateExited", execution.state)
            self.end(execution, "SUCCEEDED")
        else:
            self._enter(execution, state["Next"])

    def _fail(self, execution: Execution, error: str, cause: str) -> None:
        self._note(execution, "TaskTimedOut" if error == "States.Timeout" else "TaskFailed", error)
        self.world.tell(f"{execution.name}: {execution.state} falhou com {error}")
        state = self._state(execution)
        retrier = retrier_for(state, error)
        if retrier is not None:
            which = state["Retry"].index(retrier)
            made = execution.tries.get(which, 0)
            if made < retrier.get("MaxAttempts", 3):
                execution.tries[which] = made + 1
                execution.wakes_at = self.world.now + self._wait(retrier, made)
                return
        catcher = catcher_for(state, error)
        if catcher is None:
            self.end(execution, "FAILED", error, cause)
            return
        execution.data = placed(execution.data, catcher["ResultPath"], {"Error": error, "Cause": cause})
        self._enter(execution, catcher["Next"])

    def _wait(self, retrier: Mapping[str, Any], made: int) -> float:
        longest = retrier.get("MaxDelaySeconds", float("inf"))
        seconds = min(retrier["IntervalSeconds"] * retrier["BackoffRate"] ** made, longest)
        return seconds * self.world.jitter if retrier.get("JitterStrategy") == "FULL" else seconds

    def _choose(self, execution: Execution, state: Mapping[str, Any]) -> None:
        try:
            self._enter(execution, choose(state, execution.data))
        except MissingPathError as error:
            self.end(execution, "FAILED", "States.Runtime", str(error))

    def _enter(self, execution: Execution, state: str) -> None:
        if execution.entered:
            self._note(execution, "StateExited", execution.state)
        execution.state = state
        execution.entered = iso(self.world.now)
        execution.wakes_at = self.world.now
        execution.tries = {}
        execution.token = f"token-{len(execution.history)}-{execution.arn}"
        self._note(execution, "StateEntered", state)
        self.world.tell(f"{execution.name}: {state}")

    def _context(self, execution: Execution) -> Mapping[str, Any]:
        return {
            "Execution": {"Id": execution.arn},
            "State": {
                "Name": execution.state,
                "RetryCount": sum(execution.tries.values()),
                "EnteredTime": execution.entered,
            },
            "Task": {"Token": execution.token},
        }

    def _state(self, execution: Execution) -> Mapping[str, Any]:
        return self.machines[execution.machine]["States"][execution.state]

    def _note(self, execution: Execution, kind: str, detail: str) -> None:
        execution.history.append((self.world.now, kind, detail))

    def _find(self, arn: str, operation: str) -> Execution:
        if arn not in self.executions:
            raise _refused("ExecutionDoesNotExist", operation)
        return self.executions[arn]


@dataclass(frozen=True)
class _History:
    """The paginator of GetExecutionHistory."""

    machines: FakeStepFunctions

    def paginate(self, *, executionArn: str) -> Iterator[dict[str, Any]]:  # noqa: N803 - boto3's name
        world = self.machines.world
        yield {"events": world.outside("get_execution_history", lambda: self.machines.events(executionArn))}


def _events(execution: Execution) -> Iterator[dict[str, Any]]:
    for at, kind, detail in execution.history:
        event: dict[str, Any] = {"timestamp": _datetime(at), "type": kind}
        if kind in ("StateEntered", "StateExited"):
            event["type"] = f"Task{kind}"
            event["stateEnteredEventDetails"] = {"name": detail}
        elif kind == "TaskFailed":
            event["taskFailedEventDetails"] = {"error": detail}
        yield event


def _datetime(epoch: float) -> datetime:
    return datetime.fromtimestamp(epoch, UTC)


def _refused(code: str, operation: str) -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": code}}, operation)
