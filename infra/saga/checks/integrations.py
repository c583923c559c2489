"""Service integrations: known, complete, and called with what they need."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from infra.saga.checks.findings import finding
from infra.saga.checks.machine import integration
from infra.saga.checks.templates import leaves

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from infra.saga.checks.findings import Finding
    from infra.saga.checks.machine import Integration, Machine

__all__ = ["check_integrations"]

_ASYNC = frozenset({"", "waitForTaskToken"})
_JOB = frozenset({"", "sync"})
_PLAIN = frozenset({""})
_PATTERNS: Mapping[str, tuple[str, frozenset[str]]] = {
    "apigateway": ("invoke", _ASYNC),
    "athena": ("startQueryExecution stopQueryExecution getQueryExecution getQueryResults", _JOB),
    "batch": ("submitJob", _JOB),
    "bedrock": ("invokeModel createModelCustomizationJob", _JOB),
    "codebuild": ("startBuild stopBuild batchDeleteBuilds batchGetReports startBuildBatch", _JOB),
    "databrew": ("startJobRun", _JOB),
    "dynamodb": ("getItem putItem updateItem deleteItem", _PLAIN),
    "ecs": ("runTask", _JOB | _ASYNC),
    "eks": ("call runJob createCluster deleteCluster createNodegroup deleteNodegroup createFargateProfile", _JOB),
    "elasticmapreduce": ("addStep cancelStep createCluster terminateCluster setClusterTerminationProtection", _JOB),
    "emr-containers": ("createVirtualCluster deleteVirtualCluster startJobRun", _JOB),
    "emr-serverless": ("createApplication startApplication stopApplication deleteApplication startJobRun", _JOB),
    "events": ("putEvents", _ASYNC),
    "glue": ("startJobRun", _JOB),
    "http": ("invoke", _PLAIN),
    "lambda": ("invoke", _ASYNC),
    "mediaconvert": ("createJob", _JOB),
    "sagemaker": ("createTrainingJob createTransformJob createLabelingJob createProcessingJob createEndpoint", _JOB),
    "sns": ("publish", _ASYNC),
    "sqs": ("sendMessage", _ASYNC),
    "states": ("startExecution", frozenset({"", "sync", "sync:2", "waitForTaskToken"})),
}
"""Optimized integrations: actions and patterns (Step Functions, "Integrating optimized services")."""

_REQUIRED: Mapping[tuple[str, str], tuple[str, ...]] = {
    ("lambda", "invoke"): ("FunctionName",),
    ("sqs", "sendMessage"): ("QueueUrl", "MessageBody"),
    ("sns", "publish"): ("Message",),
    ("events", "putEvents"): ("Entries",),
    ("states", "startExecution"): ("StateMachineArn",),
    ("dynamodb", "getItem"): ("TableName", "Key"),
    ("dynamodb", "putItem"): ("TableName", "Item"),
    ("dynamodb", "updateItem"): ("TableName", "Key"),
    ("dynamodb", "deleteItem"): ("TableName", "Key"),
    ("batch", "submitJob"): ("JobName", "JobQueue", "JobDefinition"),
    ("ecs", "runTask"): ("TaskDefinition",),
    ("glue", "startJobRun"): ("JobName",),
    ("http", "invoke"): ("ApiEndpoint", "Method"),
}

_QUEUES = frozenset({"sqs", "sns", "events"})
_TOKEN = "$$.Task.Token"  # noqa: S105  (a path, not a secret)


def check_integrations(machine: Machine) -> Iterator[Finding]:
    """What Tasks call, and with what."""
    for name, state in machine.tasks():
        called = integration(state)
        if called is None or not _is_known(called):
            if "Resource" in state:
                yield finding(
                    "SG501",
                    name,
                    f"{state['Resource']!r} não é uma integração conhecida",
                    "use o ARN de uma função, de uma atividade, ou arn:aws:states:::serviço:ação[.padrão]",
                )
            continue
        yield from _parameters(name, state, called)
        yield from _token(name, state, called)
        yield from _prefix(name, state, called)
        yield from _sensitive(name, state, called)


def _is_known(called: Integration) -> bool:
    if called.direct or called.service == "activity":
        return True
    if called.sdk:
        return called.pattern in _ASYNC and re.fullmatch(r"[a-z][A-Za-z0-9]+", called.action) is not None
    actions, patterns = _PATTERNS.get(called.service, ("", _PLAIN))
    return called.action in actions.split() and called.pattern in patterns


def _parameters(name: str, state: Mapping[str, Any], called: Integration) -> Iterator[Finding]:
    if called.direct:
        return
    given = {field.removesuffix(".$") for field in state.get("Parameters", {})}
    for field in _REQUIRED.get((called.service, called.action), ()):
        if field not in given:
            yield finding("SG502", name, f"falta {field} em Parameters", "acrescente o parâmetro")
    if (called.service, called.action) == ("sns", "publish") and not given & {"TopicArn", "TargetArn", "PhoneNumber"}:
        yield finding("SG502", name, "falta TopicArn em Parameters", "diga a quem publicar")


def _token(name: str, state: Mapping[str, Any], called: Integration) -> Iterator[Finding]:
    sends = any(_TOKEN in str(leaf.value) for leaf in leaves(state.get("Parameters", {})) if leaf.dynamic)
    if called.waits and not sends:
        yield finding("SG503", name, "espera uma resposta e não manda o token", f"mande {_TOKEN} em Parameters")
    elif sends and not called.waits:
        yield finding("SG503", name, "manda um token e não espera", "acrescente .waitForTaskToken ao Resource")


def _prefix(name: str, state: Mapping[str, Any], called: Integration) -> Iterator[Finding]:
    if called.service != "dynamodb":
        return
    right, wrong = ("DynamoDb.", "DynamoDB.") if called.sdk else ("DynamoDB.", "DynamoDb.")
    for field in ("Retry", "Catch"):
        for entry in state.get(field, ()):
            for error in entry["ErrorEquals"]:
                if error.startswith((wrong, "Dynamodb.")) or _is_bare(error):
                    bare = error.split(".")[-1]
                    yield finding("SG504", name, f"{field} lista {error}", f"escreva {right}{bare}")


def _is_bare(error: str) -> bool:
    """True for DynamoDB's own exceptions without any prefix."""
    return error in (
        "ConditionalCheckFailedException",
        "ProvisionedThroughputExceededException",
        "TransactionConflictException",
        "ResourceNotFoundException",
        "RequestLimitExceeded",
        "ItemCollectionSizeLimitExceededException",
    )


# --- What must not be read by many --------------------------------------------------------------------------------

_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
_SECRET = frozenset({"senha", "password", "passwd", "secret", "segredo", "cvv", "cvc", "pan"})
_CARD = frozenset({"cartao", "card", "cartão"})
_OF_CARD = frozenset({"token", "numero", "number", "validade", "expiry"})


def is_sensitive(name: str) -> bool:
    """True for a field's name that says secret or card data; a task token is neither."""
    words = {word.lower() for word in _WORDS.findall(name)}
    return bool(words & _SECRET) or bool(words & _CARD and words & _OF_CARD)


def _sensitive(name: str, state: Mapping[str, Any], called: Integration) -> Iterator[Finding]:
    for leaf in leaves(state.get("Parameters", {})):
        if not leaf.dynamic or not isinstance(leaf.value, str):
            continue
        secret = sorted(word for word in re.findall(r"[A-Za-z_][A-Za-z0-9_]*", leaf.value) if is_sensitive(word))
        if not secret:
            continue
        exposed = called.service in _QUEUES
        where = f"uma mensagem de {called.service}" if exposed else "o histórico da execução"
        yield finding(
            "SG510",
            name,
            f"{secret[0]} vai para {where}",
            "deixe-o só na tabela, e mande a chave do registro",
            severity="erro" if exposed else "aviso",
        )
