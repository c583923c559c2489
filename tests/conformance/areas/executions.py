"""Step Functions: starting, stopping and describing executions."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from tests.conformance.areas.states import CAUGHT, asks, caught, fails_by_condition, invokes, token_in
from tests.conformance.behaviour import Behaviour, Check, Difference, Elsewhere, OnlyOnAws, Probe
from tests.conformance.lab import refusal
from tests.conformance.sources import EVENTS, STATES

if TYPE_CHECKING:
    from tests.conformance.lab import Lab

__all__ = ["BEHAVIOURS"]

_WAITS = {"Espera": {"Type": "Wait", "Seconds": 600, "End": True}}
_PASSES = {"Passa": {"Type": "Pass", "End": True}}
_LARGEST_INPUT = 262_144


def _started_again(lab: Lab, states: dict[str, Any], value: object, *, closed: bool = False) -> str:
    """What a second start under the same name, after one with ``{"a": 1}``, comes to."""
    machine = lab.machine(states)
    first = lab.start(machine, {"a": 1}, name="pedido-1")
    if closed:
        lab.ended(first)
    found: list[str] = []
    code = refusal(lambda: found.append(lab.start(machine, value, name="pedido-1")))
    return code or ("the same execution" if found == [first] else "another execution")


def _same_input_while_it_runs(lab: Lab) -> object:
    return _started_again(lab, _WAITS, {"a": 1})


def _other_input_while_it_runs(lab: Lab) -> object:
    return _started_again(lab, _WAITS, {"a": 2})


def _same_input_after_its_end(lab: Lab) -> object:
    return _started_again(lab, _PASSES, {"a": 1}, closed=True)


def _names(lab: Lab) -> object:
    machine = lab.machine(_PASSES)
    names = {"80 characters": "a" * 80, "81 characters": "a" * 81, "a space": "a b", "a colon": "a:b", "a star": "a*"}
    return {
        kind: "refused" if refusal(lambda name=name: lab.start(machine, name=name)) else "taken"
        for kind, name in names.items()
    }


def _input_size(lab: Lab) -> object:
    sfn, machine = lab.client("stepfunctions"), lab.machine(_PASSES)
    # Two quotation marks are part of the text.
    texts = {size: json.dumps("x" * (size - 2)) for size in (_LARGEST_INPUT, _LARGEST_INPUT + 1)}
    return {
        size: "refused"
        if refusal(lambda text=text: sfn.start_execution(stateMachineArn=machine, input=text))
        else "taken"
        for size, text in texts.items()
    }


def _described_input(lab: Lab) -> object:
    arn = lab.start(lab.machine(_PASSES), {"pedidoId": "p-1", "quantidade": 2})
    described = lab.client("stepfunctions").describe_execution(executionArn=arn)
    return json.loads(described["input"])


def _unknown(lab: Lab) -> object:
    arn = lab.machine(_PASSES).replace(":stateMachine:", ":execution:") + ":nunca"
    return refusal(lambda: lab.client("stepfunctions").describe_execution(executionArn=arn))


def _arn_of_an_execution(lab: Lab) -> object:
    machine = lab.machine(_PASSES)
    arn = lab.start(machine, name="pedido-1")
    return arn == machine.replace(":stateMachine:", ":execution:") + ":pedido-1"


# --- Stopping ---


def _stop(lab: Lab, arn: str) -> None:
    lab.client("stepfunctions").stop_execution(executionArn=arn, error="Parada", cause="de propósito")


def _stopped_while_it_asks(lab: Lab) -> object:
    queue = lab.queue("pergunta")
    arn = lab.start(lab.machine({"Pergunta": asks(queue, Catch=[caught(["States.ALL"])]), "Pego": CAUGHT}))
    assert lab.receive(queue) is not None
    _stop(lab, arn)
    run = lab.ended(arn)
    return {"status": run.status, "error": run.error, "caught": "Pego" in run.states}


def _answer_to_a_stopped_one(lab: Lab) -> object:
    sfn, queue = lab.client("stepfunctions"), lab.queue("parada")
    arn = lab.start(lab.machine({"Pergunta": asks(queue)}))
    token = token_in(lab.receive(queue))
    _stop(lab, arn)
    lab.ended(arn)
    code = refusal(lambda: sfn.send_task_success(taskToken=token, output="{}"))
    return code or "taken"


def _status_after_an_answer_to_a_stopped_one(lab: Lab) -> object:
    sfn, queue = lab.client("stepfunctions"), lab.queue("parada")
    arn = lab.start(lab.machine({"Pergunta": asks(queue)}))
    token = token_in(lab.receive(queue))
    _stop(lab, arn)
    refusal(lambda: sfn.send_task_failure(taskToken=token, error="Tarde", cause=""))
    return _changes_from_aborted(lab, arn)


def _changes_from_aborted(lab: Lab, arn: str) -> str:
    """The status a stopped execution is left with."""
    sfn = lab.client("stepfunctions")
    lab.happens(lambda: sfn.describe_execution(executionArn=arn)["status"] != "ABORTED", local=20, aws=10)
    return sfn.describe_execution(executionArn=arn)["status"]


def _until_event(lab: Lab, arn: str, kind: str) -> None:
    def come() -> bool | None:
        events = lab.client("stepfunctions").get_execution_history(executionArn=arn)["events"]
        return True if any(event["type"] == kind for event in events) else None

    lab.until(come, f"the event {kind}")


def _stopped_while_it_retries(lab: Lab) -> object:
    # At least nine seconds as they pass, in which to be stopped: the emulator waits three at most before each retry.
    interval = max(5, round(3 / lab.scale))
    retry = {"ErrorEquals": ["States.ALL"], "IntervalSeconds": interval, "MaxAttempts": 3, "BackoffRate": 1.0}
    arn = lab.start(lab.machine({"Falha": fails_by_condition(lab, Retry=[retry])}))
    _until_event(lab, arn, "TaskFailed")
    _stop(lab, arn)
    return _changes_from_aborted(lab, arn)


def _function_of_a_stopped_one(lab: Lab) -> object:
    key = lab.key()
    arn = lab.start(lab.machine({"Invoca": invokes(lab, {"dormir": 6, "escrever": key}, function=lab.slow_function)}))
    _until_event(lab, arn, "TaskScheduled")
    time.sleep(1)
    _stop(lab, arn)
    before = lab.item(key) is not None
    after = lab.happens(lambda: lab.item(key) is not None, local=40, aws=20)
    return {"written before the stop": before, "written after it": after}


def _stopped_after_its_end(lab: Lab) -> object:
    run = lab.run(_PASSES)
    code = refusal(lambda: _stop(lab, run.arn))
    after = lab.client("stepfunctions").describe_execution(executionArn=run.arn)["status"]
    return {"no error but ValidationException": code in ("", "ValidationException"), "status": after}


def _redriven(lab: Lab) -> object:
    run = lab.run({"Acaba": {"Type": "Fail", "Error": "Fim"}})
    return refusal(lambda: lab.client("stepfunctions").redrive_execution(executionArn=run.arn)) or "taken"


# --- Telling ---


def _told_of(lab: Lab, end: str) -> object:
    """Of an execution that ended so, what EventBridge sends to a queue."""
    queue, events = lab.queue("aviso"), lab.client("events")
    states = {"Acaba": {"Type": "Fail", "Error": "Fim"}} if end == "FAILED" else _WAITS
    machine = lab.machine(states)
    rule = lab.name("regra")
    pattern = {
        "source": ["aws.states"],
        "detail-type": ["Step Functions Execution Status Change"],
        "detail": {"stateMachineArn": [machine], "status": ["FAILED", "TIMED_OUT", "ABORTED"]},
    }
    events.put_rule(Name=rule, EventPattern=json.dumps(pattern))
    lab.later(lambda: events.delete_rule(Name=rule))
    lab.client("sqs").set_queue_attributes(QueueUrl=queue, Attributes={"Policy": _takes_from_events(lab, queue)})
    events.put_targets(Rule=rule, Targets=[{"Id": "fila", "Arn": lab.queue_arn(queue)}])
    lab.later(lambda: events.remove_targets(Rule=rule, Ids=["fila"]))
    lab.settle(30)  # a new rule matches after a short time
    arn = lab.start(machine, {"pedidoId": "p-1"}, name="pedido-1")
    if end == "ABORTED":
        _stop(lab, arn)
    message = lab.receive(queue)
    if message is None:
        return "nothing"
    detail = json.loads(message["Body"])["detail"]
    return {
        "status": detail["status"],
        "name": detail["name"],
        "the execution's ARN": detail["executionArn"] == arn,
        "the machine's ARN": detail["stateMachineArn"] == machine,
    }


def _takes_from_events(lab: Lab, queue: str) -> str:
    statement = {
        "Effect": "Allow",
        "Principal": {"Service": "events.amazonaws.com"},
        "Action": "sqs:SendMessage",
        "Resource": lab.queue_arn(queue),
    }
    return json.dumps({"Version": "2012-10-17", "Statement": [statement]})


def _told_of_a_failure(lab: Lab) -> object:
    return _told_of(lab, "FAILED")


def _told_of_a_stop(lab: Lab) -> object:
    return _told_of(lab, "ABORTED")


def _event_of(status: str) -> dict[str, object]:
    return {"status": status, "name": "pedido-1", "the execution's ARN": True, "the machine's ARN": True}


def _history_of_a_call(lab: Lab) -> object:
    return [event["type"] for event in lab.run({"Invoca": invokes(lab)}).events]


_CALL = ["ExecutionStarted", "TaskStateEntered", "TaskScheduled", "TaskStarted", "TaskSucceeded", "TaskStateExited"]
_TAKEN_NAMES = dict.fromkeys(["80 characters", "81 characters", "a space", "a colon", "a star"], "taken")
_RECONCILER = "handlers/domain/reconciliation_executions.py"
_STARTER = "api/chalicelib/iniciador.py"

BEHAVIOURS = (
    Behaviour(
        "execution-same-start",
        "StartExecution with the name and input of a running execution answers with that execution.",
        STATES["start"],
        (_STARTER,),
        (
            Probe(
                _same_input_while_it_runs,
                "the same execution",
                Difference("ExecutionAlreadyExists", "ExecutionAlreadyExists; the starter takes either for success"),
            ),
            Elsewhere("tests/api/test_iniciador.py::test_the_same_message_twice_is_one_execution"),
        ),
    ),
    Behaviour(
        "execution-other-start",
        "StartExecution with the name of a running execution and another input is ExecutionAlreadyExists.",
        STATES["start"],
        (_STARTER,),
        (Probe(_other_input_while_it_runs, "ExecutionAlreadyExists"),),
    ),
    Behaviour(
        "execution-start-after-end",
        "A closed execution keeps its name: StartExecution is ExecutionAlreadyExists, same input or not.",
        STATES["start"],
        (_STARTER, _RECONCILER),
        (Probe(_same_input_after_its_end, "ExecutionAlreadyExists"),),
    ),
    Behaviour(
        "execution-name-90-days",
        "A name can be used again 90 days after its execution closed, when its history is gone too.",
        STATES["quotas"],
        (_STARTER, "infra/ops/order_view.py"),
        (
            OnlyOnAws("takes 90 days. By then nothing is started: the starter takes orders younger than 24 h only."),
            Elsewhere("tests/api/test_iniciador.py::test_an_order_older_than_a_day_is_not_started"),
        ),
    ),
    Behaviour(
        "execution-names",
        "An execution's name has at most 80 characters, without spaces, colons or wildcards among others.",
        STATES["start"],
        ("api/chalicelib/parsing.py",),
        (
            Probe(
                _names,
                {**_TAKEN_NAMES, **dict.fromkeys(["81 characters", "a space", "a colon", "a star"], "refused")},
                Difference(_TAKEN_NAMES, "takes any name"),
            ),
            Elsewhere("tests/api/test_parsing.py::test_ids_are_ascii_letters_digits_underscore_and_hyphen"),
        ),
    ),
    Behaviour(
        "execution-input-size",
        "An execution's input has at most 262,144 bytes.",
        STATES["quotas"],
        ("infra/components/queues.py", "infra/saga/checks/limits.py"),
        (
            Probe(
                _input_size,
                {_LARGEST_INPUT: "taken", _LARGEST_INPUT + 1: "refused"},
                Difference({_LARGEST_INPUT: "taken", _LARGEST_INPUT + 1: "taken"}, "takes more"),
            ),
            Check("SG601"),
        ),
    ),
    Behaviour(
        "execution-described",
        "DescribeExecution gives the input, by which the starter tells its own execution from another.",
        STATES["describe"],
        (_STARTER, _RECONCILER),
        (Probe(_described_input, {"pedidoId": "p-1", "quantidade": 2}),),
    ),
    Behaviour(
        "execution-unknown",
        "DescribeExecution of what was never started is ExecutionDoesNotExist.",
        STATES["describe"],
        (_RECONCILER, "infra/ops/history.py"),
        (Probe(_unknown, "ExecutionDoesNotExist"),),
    ),
    Behaviour(
        "execution-arn",
        "An execution's ARN is its machine's with `execution` for `stateMachine` and the name at the end.",
        STATES["start"],
        ("infra/ops/target.py", _RECONCILER),
        (Probe(_arn_of_an_execution, True),),
    ),
    Behaviour(
        "stop-skips-catchers",
        "StopExecution ends the execution ABORTED, with the error given; no catcher runs, so nothing is undone.",
        STATES["stop"],
        (_RECONCILER, "infra/ops/intervention_act.py"),
        (Probe(_stopped_while_it_asks, {"status": "ABORTED", "error": "Parada", "caught": False}),),
    ),
    Behaviour(
        "stop-kills-token",
        "The token of a stopped execution is refused: TaskTimedOut.",
        STATES["success"],
        ("infra/ops/intervention_act.py",),
        (
            Probe(
                _answer_to_a_stopped_one,
                "TaskTimedOut",
                Difference("taken", "takes the answer"),
            ),
        ),
    ),
    Behaviour(
        "stop-is-final",
        "What is answered to a stopped execution no longer changes its status.",
        STATES["stop"],
        (_RECONCILER,),
        (
            Probe(
                _status_after_an_answer_to_a_stopped_one,
                "ABORTED",
                Difference("FAILED", "flips to FAILED when the answer comes; the reconciler takes both for one death"),
            ),
        ),
    ),
    Behaviour(
        "stop-ends-retries",
        "A stopped execution makes no further attempt.",
        STATES["stop"],
        (_RECONCILER,),
        (
            Probe(
                _stopped_while_it_retries,
                "ABORTED",
                Difference("FAILED", "retries to the end, then flips to FAILED"),
            ),
        ),
    ),
    Behaviour(
        "stop-lets-function-finish",
        "StopExecution does not stop the function that runs: its effect may land afterwards.",
        STATES["stop"],
        ("handlers/domain/stock.py", "handlers/cobrar_pagamento.py"),
        (Probe(_function_of_a_stopped_one, {"written before the stop": False, "written after it": True}),),
    ),
    Behaviour(
        "stop-after-end",
        "Stopping an execution that has ended changes nothing, and is no error but a ValidationException.",
        STATES["stop"],
        ("infra/ops/intervention_act.py",),
        (Probe(_stopped_after_its_end, {"no error but ValidationException": True, "status": "SUCCEEDED"}),),
    ),
    Behaviour(
        "execution-redrive",
        "A failed execution can be redriven for 14 days: a reservation may be made again that long after.",
        STATES["redrive"],
        ("handlers/domain/reconciliation.py",),
        (Probe(_redriven, "taken", Difference("InvalidAction", "does not know RedriveExecution")),),
    ),
    Behaviour(
        "execution-events-failed",
        "EventBridge is told of an execution that FAILED, with status, name and both ARNs.",
        STATES["events"],
        ("infra/components/reconciler.py", "handlers/conciliador.py"),
        (Probe(_told_of_a_failure, _event_of("FAILED")),),
    ),
    Behaviour(
        "execution-events-aborted",
        "EventBridge is told of an execution that was stopped.",
        STATES["events"],
        ("infra/components/reconciler.py", "handlers/conciliador.py"),
        (Probe(_told_of_a_stop, _event_of("ABORTED")),),
    ),
    Behaviour(
        "execution-events-best-effort",
        "Those events are best effort: one may never come.",
        EVENTS["states"],
        ("infra/components/reconciler.py",),
        (
            OnlyOnAws("no event is lost on purpose. The reconciler's own round finds what no event told of."),
            Elsewhere(
                "tests/e2e/test_safety_net.py::test_stopped_there_it_is_one_human_case_that_resumes_to_a_consistent_end"
            ),
        ),
    ),
    Behaviour(
        "execution-starts-in-trail",
        "StartExecution reaches EventBridge through CloudTrail, with who called.",
        EVENTS["trail"],
        ("infra/components/detection.py",),
        (
            OnlyOnAws("needs a trail in the account; the emulator has no CloudTrail."),
            Elsewhere("tests/infra/test_detection.py::test_whoever_starts_the_saga_but_the_starter_is_seen"),
        ),
    ),
    Behaviour(
        "execution-logs",
        "A machine's log under `/aws/vendedlogs/` does not lengthen the region's policy for logs, of 5,120 characters.",
        STATES["logs"],
        ("infra/components/machine.py",),
        (
            OnlyOnAws("the emulator delivers to any group."),
            Elsewhere(
                "tests/infra/test_hygiene.py::test_a_machine_logs_under_the_prefix_that_one_resource_policy_covers"
            ),
        ),
    ),
    Behaviour(
        "history-events",
        "Each attempt of a Task is one TaskScheduled in the history, between its state's entry and exit.",
        STATES["history"],
        ("infra/ops/history.py", "infra/saga/checks/worst_case.py"),
        (
            Probe(
                _history_of_a_call,
                [*_CALL, "ExecutionSucceeded"],
                Difference(
                    [kind for kind in _CALL if kind != "TaskStarted"] + ["ExecutionSucceeded"], "has no TaskStarted"
                ),
            ),
        ),
    ),
    Behaviour(
        "history-25000",
        "An execution ends at 25,000 events, and no catcher sees it.",
        STATES["quotas"],
        ("infra/config.py", "infra/saga/checks/limits.py"),
        (Check("SG602"), OnlyOnAws("25,000 events are some 5,000 attempts; the check counts the worst case instead.")),
    ),
    Behaviour(
        "execution-exactly-once",
        "A Standard execution runs each state exactly once, and for up to a year.",
        STATES["kinds"],
        ("infra/components/machine.py",),
        (
            OnlyOnAws("a guarantee, not an observation. Every step is idempotent all the same."),
            Elsewhere("tests/infra/test_machines.py::test_machines_are_standard_and_log_everything"),
        ),
    ),
)
