"""Step Functions: data between states, callbacks, and what a definition may say."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from tests.conformance.areas.states import CAUGHT, asks, caught, fails_by_condition, invokes, token_in
from tests.conformance.behaviour import Behaviour, Check, Difference, Elsewhere, OnlyOnAws, Probe
from tests.conformance.lab import refusal
from tests.conformance.sources import STATES

if TYPE_CHECKING:
    from tests.conformance.lab import Lab

__all__ = ["BEHAVIOURS"]

_ORDER = {"pedidoId": "p-1", "quantidade": 2}


# --- Data ---


def _catch_keeps_the_input(lab: Lab) -> object:
    task = fails_by_condition(lab, Catch=[caught(["States.ALL"], ResultPath="$.erro")])
    output = lab.run({"Tarefa": task, "Pego": CAUGHT}, _ORDER).output
    return sorted(output)


def _catch_replaces_the_input(lab: Lab) -> object:
    task = fails_by_condition(lab, Catch=[caught(["States.ALL"])])
    return sorted(lab.run({"Tarefa": task, "Pego": CAUGHT}, _ORDER).output)


def _catch_ignores_the_states_paths(lab: Lab) -> object:
    catch = [caught(["States.ALL"], ResultPath="$.erro")]
    task = fails_by_condition(lab, Catch=catch, ResultPath="$.resultado", ResultSelector={"x.$": "$.Payload"})
    return sorted(lab.run({"Tarefa": task, "Pego": CAUGHT}, _ORDER).output)


def _null_result_path(lab: Lab) -> object:
    return lab.run({"Invoca": invokes(lab, ResultPath=None)}, _ORDER).output


def _selected_result(lab: Lab) -> object:
    task = invokes(lab, ResultPath="$.reserva", ResultSelector={"vez.$": "$.Payload.tentativa"})
    return lab.run({"Invoca": task}, _ORDER).output


def _envelope(lab: Lab) -> object:
    output = lab.run({"Invoca": invokes(lab)}).output
    return {"Payload": output["Payload"]["tentativa"], "StatusCode": output["StatusCode"]}


def _json_to_string(lab: Lab) -> object:
    state = {"Type": "Pass", "Parameters": {"detalhe.$": "States.JsonToString($.erro)"}, "End": True}
    output = lab.run({"Passa": state}, {"erro": {"Error": "E", "Cause": '{"a": "é"}'}}).output
    return json.loads(output["detalhe"])


def _context(lab: Lab) -> object:
    state = {
        "Type": "Pass",
        "Parameters": {
            "execucao.$": "$$.Execution.Id",
            "nome.$": "$$.Execution.Name",
            "estado.$": "$$.State.Name",
            "em.$": "$$.State.EnteredTime",
        },
        "End": True,
    }
    arn = lab.start(lab.machine({"Passa": state}), name="pedido-1")
    seen = lab.ended(arn).output
    instant = re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", seen["em"])
    return {
        "Id is the ARN": seen["execucao"] == arn,
        "Name": seen["nome"],
        "State": seen["estado"],
        "EnteredTime is ISO 8601 in UTC": instant is not None,
    }


def _presence(lab: Lab) -> object:
    choice = {
        "Type": "Choice",
        "Choices": [
            {
                "And": [
                    {"Variable": "$.a", "IsPresent": True},
                    {"Variable": "$.a", "IsString": True},
                    {"Variable": "$.a", "StringEquals": "x"},
                ],
                "Next": "Sim",
            }
        ],
        "Default": "Nao",
    }
    machine = lab.machine({"Escolhe": choice, "Sim": CAUGHT, "Nao": CAUGHT})
    values: list[dict[str, object]] = [{"a": "x"}, {"a": 1}, {}]
    return [lab.ended(lab.start(machine, value)).states[-1] for value in values]


def _no_choice(lab: Lab) -> object:
    choice = {"Type": "Choice", "Choices": [{"Variable": "$.a", "IsPresent": True, "Next": "Sim"}]}
    run = lab.run({"Escolhe": choice, "Sim": CAUGHT})
    return {"status": run.status, "error": run.error}


def _fail(lab: Lab) -> object:
    run = lab.run({"Acaba": {"Type": "Fail", "Error": "IntervencaoNaoEntregue", "Cause": "x"}})
    return {"status": run.status, "error": run.error}


# --- Callbacks ---


def _answered(lab: Lab) -> object:
    queue = lab.queue("pergunta")
    arn = lab.start(lab.machine({"Pergunta": asks(queue, ResultPath="$.resposta")}), _ORDER)
    message = lab.receive(queue)
    answer = json.dumps({"decisao": "ENCERRAR"})
    lab.client("stepfunctions").send_task_success(taskToken=token_in(message), output=answer)
    return lab.ended(arn).output


def _message_body(lab: Lab) -> object:
    queue = lab.queue("pergunta")
    lab.start(lab.machine({"Pergunta": asks(queue)}), _ORDER)
    message = lab.receive(queue)
    assert message is not None
    return json.loads(message["Body"])["entrada"]


def _failed_answer(lab: Lab) -> object:
    queue = lab.queue("pergunta")
    catch = [caught(["NaoSeiError"], ResultPath="$.erro")]
    arn = lab.start(lab.machine({"Pergunta": asks(queue, Catch=catch), "Pego": CAUGHT}))
    token = token_in(lab.receive(queue))
    lab.client("stepfunctions").send_task_failure(taskToken=token, error="NaoSeiError", cause="c")
    return lab.ended(arn).output["erro"]


def _two_tokens(lab: Lab, queue: str, states: dict[str, Any]) -> tuple[str, str]:
    """The tokens of the first two questions of an execution."""
    lab.start(lab.machine(states))
    first, second = lab.receive(queue, seconds=60), lab.receive(queue, seconds=60)
    return token_in(first), token_in(second)


def _token_after_catch(lab: Lab) -> object:
    queue = lab.queue("de-novo")
    again = asks(queue, TimeoutSeconds=1, Catch=[caught(["States.Timeout"], "Pergunta", ResultPath="$.erro")])
    first, second = _two_tokens(lab, queue, {"Pergunta": again})
    return first != second


def _token_after_retry(lab: Lab) -> object:
    queue = lab.queue("repete")
    retry = [{"ErrorEquals": ["States.Timeout"], "IntervalSeconds": 1, "MaxAttempts": 1, "BackoffRate": 1.0}]
    first, second = _two_tokens(lab, queue, {"Pergunta": asks(queue, TimeoutSeconds=1, Retry=retry)})
    return first != second


def _answer_again(lab: Lab) -> object:
    sfn, queue = lab.client("stepfunctions"), lab.queue("duas")
    arn = lab.start(lab.machine({"Pergunta": asks(queue)}))
    token = token_in(lab.receive(queue))
    sfn.send_task_success(taskToken=token, output="{}")
    lab.ended(arn)
    return refusal(lambda: sfn.send_task_success(taskToken=token, output="{}")) or "taken"


def _answer_to_a_timed_out_question(lab: Lab) -> object:
    sfn, queue = lab.client("stepfunctions"), lab.queue("tarde")
    again = asks(queue, TimeoutSeconds=1, Catch=[caught(["States.Timeout"], "Pergunta", ResultPath="$.erro")])
    first, _ = _two_tokens(lab, queue, {"Pergunta": again})
    return refusal(lambda: sfn.send_task_success(taskToken=first, output="{}")) or "taken"


def _made_up_token(lab: Lab) -> object:
    return refusal(lambda: lab.client("stepfunctions").send_task_success(taskToken="inventado", output="{}"))


# --- Definitions ---


def _taken(lab: Lab, states: dict[str, Any]) -> str:
    return "refused" if refusal(lambda: lab.machine(states)) else "taken"


def _broken_definitions(lab: Lab) -> object:
    alone = caught(["States.ALL", "FooError"])
    last = [caught(["States.ALL"]), caught(["FooError"])]
    task = fails_by_condition(lab)
    return {
        "Next to nowhere": _taken(lab, {"A": {"Type": "Pass", "Next": "Nada"}}),
        "a state nothing leads to": _taken(lab, {"A": CAUGHT, "Ilha": CAUGHT}),
        "States.ALL in company": _taken(lab, {"A": {**task, "Catch": [alone]}, "Pego": CAUGHT}),
        "States.ALL before another": _taken(lab, {"A": {**task, "Catch": last}, "Pego": CAUGHT}),
        "a state's name of 81 characters": _taken(lab, {"A" * 81: CAUGHT}),
    }


_BROKEN = (
    "Next to nowhere",
    "a state nothing leads to",
    "States.ALL in company",
    "States.ALL before another",
    "a state's name of 81 characters",
)


def _validated(lab: Lab) -> object:
    definition = json.dumps({"StartAt": "A", "States": {"A": {"Type": "Pass", "Next": "Nada"}}})
    return lab.client("stepfunctions").validate_state_machine_definition(definition=definition)["result"]


_COMPILER = "infra/saga/compiler.py"
_PEDIDO = "infra/sagas/pedido.py"
_ACT = "infra/ops/intervention_act.py"

BEHAVIOURS = (
    Behaviour(
        "data-catch-keeps-input",
        "A catcher's ResultPath puts the error beside the state's input.",
        STATES["errors"],
        (_COMPILER,),
        (Probe(_catch_keeps_the_input, ["erro", "pedidoId", "quantidade"]), Check("SG402")),
    ),
    Behaviour(
        "data-catch-replaces-input",
        "A catcher without ResultPath replaces the input by the error.",
        STATES["errors"],
        ("infra/saga/checks/results.py",),
        (Probe(_catch_replaces_the_input, ["Cause", "Error"]), Check("SG402")),
    ),
    Behaviour(
        "data-catch-own-path",
        "A caught error passes by the state's own ResultPath and ResultSelector.",
        STATES["errors"],
        (_COMPILER, "infra/saga/checks/dataflow.py"),
        (Probe(_catch_ignores_the_states_paths, ["erro", "pedidoId", "quantidade"]),),
    ),
    Behaviour(
        "data-null-result",
        "ResultPath null discards the result and passes the input on.",
        STATES["result_path"],
        (_COMPILER,),
        (Probe(_null_result_path, _ORDER), Check("SG401")),
    ),
    Behaviour(
        "data-selected-result",
        "ResultSelector picks fields of the result, ResultPath puts them beside the input.",
        STATES["data"],
        (_COMPILER,),
        (Probe(_selected_result, {**_ORDER, "reserva": {"vez": 0}}), Check("SG401")),
    ),
    Behaviour(
        "data-envelope",
        "`lambda:invoke` answers with an envelope; what the function returned is its Payload.",
        STATES["lambda_"],
        (_COMPILER,),
        (Probe(_envelope, {"Payload": 0, "StatusCode": 200}),),
    ),
    Behaviour(
        "data-json-to-string",
        "States.JsonToString makes a text of any value.",
        STATES["intrinsics"],
        (_PEDIDO,),
        (Probe(_json_to_string, {"Error": "E", "Cause": '{"a": "é"}'}),),
    ),
    Behaviour(
        "data-context",
        "The context has the execution's ARN and name, the state's name and when it was entered.",
        STATES["context"],
        (_COMPILER, _PEDIDO),
        (
            Probe(
                _context,
                {
                    "Id is the ARN": True,
                    "Name": "pedido-1",
                    "State": "Passa",
                    "EnteredTime is ISO 8601 in UTC": True,
                },
            ),
        ),
    ),
    Behaviour(
        "choice-presence",
        "IsPresent and IsString before a comparison keep an absent or wrong value from failing it.",
        STATES["choice"],
        (_COMPILER,),
        (Probe(_presence, ["Sim", "Nao", "Nao"]),),
    ),
    Behaviour(
        "choice-none",
        "A Choice without Default that matches nothing ends the execution: States.NoChoiceMatched.",
        STATES["choice"],
        ("infra/saga/checks/choices.py",),
        (Probe(_no_choice, {"status": "FAILED", "error": "States.NoChoiceMatched"}), Check("SG112")),
    ),
    Behaviour(
        "fail-state",
        "A Fail state ends the execution FAILED under its own error name.",
        STATES["fail"],
        (_PEDIDO, "infra/components/alarms.py"),
        (Probe(_fail, {"status": "FAILED", "error": "IntervencaoNaoEntregue"}),),
    ),
    Behaviour(
        "callback-answer",
        "SendTaskSuccess resumes a `.waitForTaskToken` state with the answer as its result.",
        STATES["callback"],
        (_ACT, _COMPILER),
        (Probe(_answered, {**_ORDER, "resposta": {"decisao": "ENCERRAR"}}),),
    ),
    Behaviour(
        "callback-message",
        "`sqs:sendMessage` takes an object as MessageBody and sends it as JSON.",
        STATES["sqs"],
        (_COMPILER, "infra/ops/human_queue.py"),
        (Probe(_message_body, _ORDER), Check("SG503")),
    ),
    Behaviour(
        "callback-failure",
        "SendTaskFailure makes the state fail with that error, which a catcher takes by name.",
        STATES["callback"],
        (_COMPILER,),
        (Probe(_failed_answer, {"Error": "NaoSeiError", "Cause": "c"}),),
    ),
    Behaviour(
        "callback-new-token-after-catch",
        "A Catch that leads back to the state asks with a new token.",
        STATES["callback"],
        (_COMPILER, _PEDIDO),
        (Probe(_token_after_catch, True),),
    ),
    Behaviour(
        "callback-new-token-after-retry",
        "A Retry after a timeout asks with a new token too; our wait has no Retry on it all the same.",
        STATES["callback"],
        (_COMPILER,),
        (
            Probe(_token_after_retry, True, Difference(False, "asks again with the same token")),
            Elsewhere(
                "tests/saga/test_compiler.py::test_a_case_nobody_answered_is_asked_again_and_one_nobody_heard_fails"
            ),
        ),
    ),
    Behaviour(
        "callback-answered-twice",
        "A token that was used is refused: TaskTimedOut.",
        STATES["success"],
        (_ACT,),
        (Probe(_answer_again, "TaskTimedOut", Difference("TaskDoesNotExist", "TaskDoesNotExist; taken for the same")),),
    ),
    Behaviour(
        "callback-answered-late",
        "The token of a question that timed out is refused, while the next one waits.",
        STATES["success"],
        (_ACT,),
        (
            Probe(
                _answer_to_a_timed_out_question,
                "TaskTimedOut",
                Difference("TaskDoesNotExist", "TaskDoesNotExist; taken for the same"),
            ),
        ),
    ),
    Behaviour(
        "callback-made-up-token",
        "A token nobody gave is InvalidToken.",
        STATES["success"],
        (_ACT,),
        (
            Probe(
                _made_up_token, "InvalidToken", Difference("TaskDoesNotExist", "TaskDoesNotExist; taken for the same")
            ),
        ),
    ),
    Behaviour(
        "callback-13-days",
        "A state may wait 13 days for its token: an execution may last a year.",
        STATES["quotas"],
        (_PEDIDO,),
        (OnlyOnAws("takes 13 days. Shorter than SQS keeps the message that asks, which is 14."),),
    ),
    Behaviour(
        "definition-refused",
        "CreateStateMachine refuses a definition with a wrong target, an unreachable state, or a misplaced States.ALL.",
        STATES["create"],
        ("infra/saga/compiler.py", "infra/saga/checks/structure.py"),
        (
            Probe(
                _broken_definitions,
                dict.fromkeys(_BROKEN, "refused"),
                Difference(dict.fromkeys(_BROKEN, "taken"), "takes any JSON"),
            ),
            Check("SG101"),
            Check("SG102"),
            Check("SG109"),
            Check("SG201"),
            Check("SG202"),
            Elsewhere("tests/saga/test_pedido.py::test_the_linter_finds_nothing_in_either_machine"),
        ),
    ),
    Behaviour(
        "definition-validated",
        "ValidateStateMachineDefinition fails what CreateStateMachine would refuse.",
        STATES["validate"],
        ("infra/saga/checks/structure.py",),
        (Probe(_validated, "FAIL", Difference("OK", "answers OK to anything: our own checks are what holds")),),
    ),
)
