"""Step Functions: which errors there are, and what Retry and Catch make of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from infra.saga.compiler import PLATFORM_ERRORS
from tests.conformance import function
from tests.conformance.areas.states import CAUGHT, asks, caught, fails_by_condition, invokes
from tests.conformance.behaviour import Behaviour, Check, Difference, Elsewhere, OnlyOnAws, Probe
from tests.conformance.sources import LAMBDA, STATES

if TYPE_CHECKING:
    from tests.conformance.lab import Lab, Run

__all__ = ["BEHAVIOURS"]

_ALL = [caught(["States.ALL"], ResultPath="$.erro")]


def _ends(lab: Lab, task: dict[str, Any], value: object | None = None) -> Run:
    """The execution of a Task whose catchers lead to ``Pego`` or ``Outro``."""
    states = {"Tarefa": task, "Pego": CAUGHT, "Outro": CAUGHT}
    leads_to = {catcher["Next"] for catcher in task.get("Catch", [])}
    return lab.run({name: state for name, state in states.items() if name == "Tarefa" or name in leads_to}, value)


def _caught_error(lab: Lab, task: dict[str, Any]) -> str:
    return _ends(lab, {**task, "Catch": _ALL}).output["erro"]["Error"]


def _attempts(run: Run) -> int:
    return sum(event["type"] == "TaskScheduled" for event in run.events)


# --- Names ---


def _class_name(lab: Lab) -> object:
    return _caught_error(lab, invokes(lab, {"erros": ["CartaoRecusadoError"]}))


def _stock_runtime_class_name(lab: Lab) -> object:
    name = lab.new_function("padrao", seconds=10, package=("python3.13", function.archive()))
    return _caught_error(lab, invokes(lab, {"erros": ["CartaoRecusadoError"]}, function=name))


def _exit(lab: Lab) -> object:
    return _caught_error(lab, invokes(lab, {"sair": True}))


def _function_timeout(lab: Lab) -> object:
    name = lab.warm(lab.new_function("breve", seconds=3))
    return _caught_error(lab, invokes(lab, {"dormir": 9}, function=name)) in PLATFORM_ERRORS


def _throttled(lab: Lab) -> object:
    name, lambdas = lab.new_function("contida", seconds=5), lab.client("lambda")
    lambdas.put_function_concurrency(FunctionName=name, ReservedConcurrentExecutions=0)
    return _caught_error(lab, invokes(lab, function=name))


def _condition_optimized(lab: Lab) -> object:
    return _caught_error(lab, fails_by_condition(lab))


def _condition_sdk(lab: Lab) -> object:
    return _caught_error(lab, fails_by_condition(lab, "arn:aws:states:::aws-sdk:dynamodb:updateItem"))


def _cause(lab: Lab) -> object:
    error = _ends(lab, {**invokes(lab, {"erros": ["FooError"]}), "Catch": _ALL}).output["erro"]
    return {"keys": sorted(error), "message in Cause": json.loads(error["Cause"])["errorMessage"]}


def _cause_of_a_timeout(lab: Lab) -> object:
    task = invokes(lab, {"dormir": 3}, function=lab.slow_function, TimeoutSeconds=1, Catch=_ALL)
    error = _ends(lab, task).output["erro"]
    try:
        return type(json.loads(error["Cause"])).__name__
    except (KeyError, ValueError):
        return "no JSON"


# --- Matching ---


def _taskfailed_and_timeout(lab: Lab) -> object:
    task = {**asks(lab.queue("ninguem")), "TimeoutSeconds": 1}
    return _ends(lab, {**task, "Catch": [caught(["States.TaskFailed"]), caught(["States.Timeout"], "Outro")]}).states[
        -1
    ]


def _taskfailed_and_any_name(lab: Lab) -> object:
    task = fails_by_condition(lab, Catch=[caught(["States.TaskFailed"]), caught(["States.ALL"], "Outro")])
    return _ends(lab, task).states[-1]


def _all_takes_timeouts(lab: Lab) -> object:
    return _ends(lab, {**asks(lab.queue("ninguem")), "TimeoutSeconds": 1, "Catch": _ALL}).states[-1]


def _first_that_fits(lab: Lab) -> object:
    catchers = [caught(["DynamoDB.ConditionalCheckFailedException"]), caught(["States.ALL"], "Outro")]
    return _ends(lab, fails_by_condition(lab, Catch=catchers)).states[-1]


def _uncaught(lab: Lab) -> object:
    run = _ends(lab, fails_by_condition(lab, Catch=[caught(["OutroError"])]))
    return {"status": run.status, "error": run.error}


def _caught_is_success(lab: Lab) -> object:
    return _ends(lab, fails_by_condition(lab, Catch=_ALL)).status


# --- Retrying ---


def _max_attempts_zero(lab: Lab) -> object:
    retry = [{"ErrorEquals": ["FooError"], "MaxAttempts": 0}, {"ErrorEquals": ["States.ALL"], "MaxAttempts": 3}]
    return _attempts(_ends(lab, {**invokes(lab, {"erros": ["FooError"] * 9}), "Retry": retry, "Catch": _ALL}))


def _retrier(name: str, attempts: int) -> dict[str, Any]:
    return {"ErrorEquals": [name], "MaxAttempts": attempts, "IntervalSeconds": 1, "BackoffRate": 1.0}


def _counted_apart(lab: Lab) -> object:
    """A, B, A with one retry for each: the second A has none left, the B had its own."""
    task = invokes(lab, {"erros": ["AError", "BError", "AError", "BError"]})
    return _attempts(_ends(lab, {**task, "Retry": [_retrier("AError", 1), _retrier("BError", 1)], "Catch": _ALL}))


def _retry_count(lab: Lab) -> object:
    task = {**invokes(lab, {"erros": ["FooError", "FooError"]}), "Retry": [_retrier("FooError", 5)]}
    return _ends(lab, task).output["Payload"]["tentativa"]


def _retry_before_catch(lab: Lab) -> object:
    run = _ends(lab, fails_by_condition(lab, Retry=[_retrier("States.ALL", 2)], Catch=_ALL))
    return {"attempts": _attempts(run), "state": run.states[-1]}


def _max_delay(lab: Lab) -> object:
    """Whether the second wait is two seconds rather than sixty."""
    retry = {**_retrier("States.ALL", 2), "BackoffRate": 60.0, "MaxDelaySeconds": 2}
    run = _ends(lab, fails_by_condition(lab, Retry=[retry], Catch=_ALL))
    _, second, third = run.seconds_of("TaskScheduled")
    return third - second < 30 * lab.scale


# --- What ends an execution all the same ---


def _missing_path(lab: Lab) -> object:
    task = invokes(lab, {"valor.$": "$.falta"}, Catch=_ALL)
    return _summary(_ends(lab, task))


def _missing_in_choice(lab: Lab) -> object:
    choice = {
        "Type": "Choice",
        "Choices": [{"Variable": "$.falta", "StringEquals": "x", "Next": "Pego"}],
        "Default": "Pego",
    }
    return _summary(lab.run({"Escolhe": choice, "Pego": CAUGHT}))


def _number_as_n(lab: Lab) -> object:
    task = fails_by_condition(lab, Catch=_ALL)
    task["Parameters"]["ExpressionAttributeValues"] = {":um": {"N.$": "$.valorCentavos"}}
    return _summary(_ends(lab, task, {"valorCentavos": 1990}))


def _large_output(lab: Lab) -> object:
    return _summary(_ends(lab, invokes(lab, {"bytes": 300_000}, Catch=_ALL)))


def _machine_timeout(lab: Lab) -> object:
    states = {"Tarefa": asks(lab.queue("ninguem"), TimeoutSeconds=3, Catch=_ALL), "Pego": CAUGHT}
    run = lab.run(states, TimeoutSeconds=1)
    return {"status": run.status, "caught": "Pego" in run.states}


def _summary(run: Run) -> dict[str, object]:
    return {"status": run.status, "error": run.error, "caught": "Pego" in run.states}


def _dead(error: str) -> dict[str, object]:
    return {"status": "FAILED", "error": error, "caught": False}


def _late_effect(lab: Lab) -> object:
    key = lab.key()
    sleeps = {"dormir": 6, "escrever": key}
    run = _ends(lab, invokes(lab, sleeps, function=lab.slow_function, TimeoutSeconds=1, Catch=_ALL))
    before = lab.item(key) is not None
    after = lab.happens(lambda: lab.item(key) is not None, local=40, aws=20)
    return {"error": run.output["erro"]["Error"], "written before": before, "written after": after}


_COMPILER = "infra/saga/compiler.py"
_CHECKS = "infra/saga/checks/retries.py"

BEHAVIOURS = (
    Behaviour(
        "error-class-name",
        "What a Python function raises is, to the machine, an error of the name of its class.",
        STATES["lambda_"],
        ("handlers/domain/errors.py", "infra/sagas/pedido.py"),
        (
            Probe(_class_name, "CartaoRecusadoError"),
            Elsewhere("tests/e2e/local/test_functions.py::test_an_exception_reaches_the_history_under_its_class_name"),
        ),
    ),
    Behaviour(
        "error-class-name-stock-runtime",
        "That holds on Lambda's own Python runtime, with nothing of ours in between.",
        LAMBDA["errors"],
        ("infra/local/creators/functions.py",),
        (
            Probe(
                _stock_runtime_class_name,
                "CartaoRecusadoError",
                Difference(
                    "Runtime.HandlerError",
                    "Runtime.HandlerError for every exception; hence our own `bootstrap` in the zips",
                ),
            ),
        ),
    ),
    Behaviour(
        "error-exit",
        "A function whose process ends without an answer fails with Runtime.ExitError.",
        LAMBDA["exits"],
        (_COMPILER, "handlers/domain/faults.py"),
        (
            Probe(_exit, "Runtime.ExitError"),
            Elsewhere("tests/e2e/local/test_functions.py::test_a_worker_that_dies_is_an_exit_error"),
        ),
    ),
    Behaviour(
        "error-function-timeout",
        "A function that exceeds its own timeout fails with an error that our platform retrier names.",
        STATES["lambda_errors"],
        (_COMPILER,),
        (Probe(_function_timeout, True),),
    ),
    Behaviour(
        "error-throttled",
        "An invocation over the concurrency limit fails with Lambda.TooManyRequestsException.",
        STATES["lambda_errors"],
        (_COMPILER,),
        (
            Probe(
                _throttled,
                "Lambda.TooManyRequestsException",
                Difference("Lambda.Unknown", "Lambda.Unknown; both are in the platform retrier"),
            ),
            Check("SG207"),
        ),
    ),
    Behaviour(
        "error-condition-optimized",
        "A refused condition is DynamoDB.ConditionalCheckFailedException in the optimized integration.",
        STATES["dynamodb"],
        (_COMPILER, "infra/saga/checks/integrations.py"),
        (Probe(_condition_optimized, "DynamoDB.ConditionalCheckFailedException"), Check("SG504")),
    ),
    Behaviour(
        "error-condition-sdk",
        "The same error is DynamoDb.ConditionalCheckFailedException in the SDK integration.",
        STATES["sdk"],
        ("infra/saga/checks/integrations.py",),
        (Probe(_condition_sdk, "DynamoDb.ConditionalCheckFailedException"), Check("SG504")),
    ),
    Behaviour(
        "error-output",
        "What is caught is {Error, Cause}; the Cause of a function's exception is JSON text with its message.",
        STATES["errors"],
        ("infra/sagas/pedido.py", "handlers/domain/runtime.py"),
        (Probe(_cause, {"keys": ["Cause", "Error"], "message in Cause": "de propósito"}),),
    ),
    Behaviour(
        "error-cause-kinds",
        "The Cause of a timeout is no JSON, or absent: Cause is never parsed nor addressed.",
        STATES["errors"],
        ("infra/sagas/pedido.py",),
        (Probe(_cause_of_a_timeout, "no JSON"), Check("SG411")),
    ),
    Behaviour(
        "catch-taskfailed-not-timeout",
        "States.TaskFailed does not match States.Timeout.",
        STATES["errors"],
        (_COMPILER, _CHECKS),
        (Probe(_taskfailed_and_timeout, "Outro"), Check("SG206")),
    ),
    Behaviour(
        "catch-taskfailed-any-name",
        "States.TaskFailed matches any other error of a Task, whatever its name.",
        STATES["errors"],
        (_COMPILER, _CHECKS),
        (Probe(_taskfailed_and_any_name, "Pego"),),
    ),
    Behaviour(
        "catch-all-timeout",
        "States.ALL matches States.Timeout and every name of ours.",
        STATES["errors"],
        (_COMPILER,),
        (Probe(_all_takes_timeouts, "Pego"), Check("SG205")),
    ),
    Behaviour(
        "catch-first-that-fits",
        "The first catcher that matches is the one that counts.",
        STATES["errors"],
        (_COMPILER, "infra/saga/asl.py"),
        (Probe(_first_that_fits, "Pego"), Check("SG204")),
    ),
    Behaviour(
        "catch-none",
        "An error that no catcher matches ends the execution FAILED, under the error's name.",
        STATES["errors"],
        ("infra/components/reconciler.py", "infra/components/alarms.py"),
        (Probe(_uncaught, {"status": "FAILED", "error": "DynamoDB.ConditionalCheckFailedException"}), Check("SG205")),
    ),
    Behaviour(
        "catch-is-success",
        "An execution whose error was caught and that reached its end SUCCEEDED: a failed one is always trouble.",
        STATES["errors"],
        ("infra/components/alarms.py",),
        (Probe(_caught_is_success, "SUCCEEDED"),),
    ),
    Behaviour(
        "retry-zero",
        "MaxAttempts 0 means no retry, though a later retrier would take the error.",
        STATES["errors"],
        (_COMPILER,),
        (Probe(_max_attempts_zero, 1), Check("SG209")),
    ),
    Behaviour(
        "retry-counted-apart",
        "Each retrier counts its own attempts.",
        STATES["errors"],
        ("infra/saga/checks/worst_case.py", "infra/saga/cost.py"),
        (Probe(_counted_apart, 3),),
    ),
    Behaviour(
        "retry-count-in-context",
        "`$$.State.RetryCount` is the number of attempts before this one.",
        STATES["context"],
        (_COMPILER, "handlers/domain/faults.py"),
        (Probe(_retry_count, 2),),
    ),
    Behaviour(
        "retry-before-catch",
        "Retries come first; the catcher is used when they are spent.",
        STATES["errors"],
        (_COMPILER,),
        (Probe(_retry_before_catch, {"attempts": 3, "state": "Pego"}),),
    ),
    Behaviour(
        "retry-max-delay",
        "MaxDelaySeconds caps the growing interval.",
        STATES["errors"],
        (_COMPILER, "infra/saga/checks/worst_case.py"),
        (Probe(_max_delay, True, Difference(False, "ignores it; caps every wait at 60 s before scaling")),),
    ),
    Behaviour(
        "retry-jitter",
        "JitterStrategy FULL draws each wait between 0 and the interval.",
        STATES["errors"],
        (_COMPILER, "infra/saga/checks/timeouts.py"),
        (
            OnlyOnAws("a draw shows no rule, and the emulator ignores it; the checks assume both ends of it."),
            Elsewhere("tests/saga/test_pedido.py::test_two_attempts_never_overlap_after_a_platform_error"),
            Check("SG304"),
        ),
    ),
    Behaviour(
        "runtime-missing-path",
        "A path that is not in the state is States.Runtime: the execution ends, and States.ALL does not catch it.",
        STATES["errors"],
        ("infra/saga/checks/dataflow.py", "infra/sagas/pedido.py"),
        (
            Probe(
                _missing_path,
                _dead("States.Runtime"),
                Difference({"status": "SUCCEEDED", "error": "", "caught": False}, "goes on with null"),
            ),
            Check("SG404"),
        ),
    ),
    Behaviour(
        "runtime-missing-in-choice",
        "A Choice that compares a path that is not there is States.Runtime too.",
        STATES["choice"],
        ("infra/saga/choices.py", "infra/sagas/pedido.py"),
        (
            Probe(
                _missing_in_choice,
                _dead("States.Runtime"),
                Difference({"status": "SUCCEEDED", "error": "", "caught": True}, "takes the Default"),
            ),
            Check("SG404"),
            Elsewhere("tests/saga/test_compiler.py::test_a_decision_is_compared_only_after_its_presence_and_type"),
        ),
    ),
    Behaviour(
        "runtime-number-as-text",
        "A number where a DynamoDB integration wants text fails before the task starts, past every catcher.",
        STATES["dynamodb"],
        ("infra/saga/checks/attributes.py", "infra/sagas/pedido.py"),
        (
            Probe(
                _number_as_n,
                _dead("States.Runtime"),
                Difference(
                    {"status": "SUCCEEDED", "error": "", "caught": True}, "sends it on, and catches the refusal"
                ),
            ),
            Check("SG505"),
        ),
    ),
    Behaviour(
        "runtime-data-limit",
        "An output over 256 KiB is States.DataLimitExceeded, which States.ALL does not catch.",
        STATES["errors"],
        ("infra/saga/checks/limits.py", "infra/components/reconciler.py"),
        (
            Probe(
                _large_output,
                _dead("States.DataLimitExceeded"),
                Difference({"status": "SUCCEEDED", "error": "", "caught": False}, "has no limit"),
            ),
            Check("SG601"),
        ),
    ),
    Behaviour(
        "timeout-of-machine",
        "A machine's own TimeoutSeconds ends the execution TIMED_OUT, past every catcher: ours have none.",
        STATES["errors"],
        ("infra/saga/checks/timeouts.py",),
        (
            Probe(
                _machine_timeout,
                {"status": "TIMED_OUT", "caught": False},
                Difference({"status": "SUCCEEDED", "caught": True}, "ignores it"),
            ),
            Check("SG305"),
        ),
    ),
    Behaviour(
        "timeout-of-task",
        "A Task's TimeoutSeconds is States.Timeout, and its function runs on: the effect lands after the error.",
        STATES["task"],
        ("infra/saga/checks/timeouts.py", "handlers/domain/stock.py"),
        (
            Probe(_late_effect, {"error": "States.Timeout", "written before": False, "written after": True}),
            Check("SG303"),
            Check("SG301"),
        ),
    ),
)
