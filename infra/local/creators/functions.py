"""Lambda functions, run by the workers' own Python so that their errors keep their names."""

from __future__ import annotations

import io
import shlex
import zipfile
from typing import TYPE_CHECKING, Any

from infra.local.creators.base import Context, Inputs, Outputs, creates
from infra.local.errors import InvalidPropertyError

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["CREATORS", "repack"]

BOOTSTRAP = "bootstrap"


def repack(archive: bytes, worker_python: Path) -> bytes:
    """A Python function's zip as one for a custom runtime.

    WHY: on its own Python runtimes the emulator reports every exception as ``Runtime.HandlerError``, so the state
    machine's Retry and Catch by name would never match, and runs the handler on the emulator's interpreter. A custom
    runtime's ``bootstrap`` is ours: AWS's runtime client on the workers' Python.

    Args:
        archive: the zip built for Lambda; its files are kept as they are.
        worker_python: the interpreter to run.
    """
    buffer = io.BytesIO(archive)
    entry = zipfile.ZipInfo(BOOTSTRAP)
    entry.create_system = 3  # Unix, so that the mode counts
    entry.external_attr = 0o755 << 16
    with zipfile.ZipFile(buffer, "a") as file:
        file.writestr(entry, f'#!/bin/sh\nexec {shlex.quote(str(worker_python))} -m awslambdaric "$_HANDLER"\n')
    return buffer.getvalue()


@creates(
    "aws:lambda/function:Function",
    handled=("name", "role", "handler", "runtime", "code", "memorySize", "timeout", "environment", "tags"),
    ignored={
        "architectures": "the zip's packages are pure Python, and the workers run on this machine",
        "description": "shown nowhere",
        "tracingConfig": "the emulator has no X-Ray",
        "loggingConfig": "the emulator keeps every function's log in /aws/lambda/<name> as text",
    },
)
def function(inputs: Inputs, context: Context) -> Outputs:
    aws = context.aws
    runtime = inputs.string("runtime")
    if not runtime.startswith("python"):
        raise InvalidPropertyError(
            inputs.type, inputs.name, "runtime", expected="um runtime python (os workers são Python)", found=runtime
        )
    environment = inputs.block("environment", ("variables",))
    variables = environment.string_map("variables") if environment else {}
    archive = inputs.archive("code")
    arn = aws.client("lambda").create_function(
        FunctionName=inputs.string("name"),
        Role=inputs.string("role"),
        Handler=inputs.string("handler"),
        Runtime="provided.al2023",
        Code={"ZipFile": repack(archive.read_bytes(), context.worker_python)},
        MemorySize=inputs.integer("memorySize"),
        Timeout=inputs.integer("timeout"),
        # Credentials come from the emulator, region too.
        Environment={"Variables": variables | {"AWS_ENDPOINT_URL": aws.endpoint}},
        Tags=inputs.string_map("tags"),
    )["FunctionArn"]
    return Outputs(inputs.string("name"), {"arn": arn, "invokeArn": invoke_arn(aws.region, arn)})


def invoke_arn(region: str, function_arn: str) -> str:
    """The ARN API Gateway invokes a function by."""
    return f"arn:aws:apigateway:{region}:lambda:path/2015-03-31/functions/{function_arn}/invocations"


@creates("aws:lambda/permission:Permission", handled=("statementId", "action", "function", "principal", "sourceArn"))
def permission(inputs: Inputs, context: Context) -> Outputs:
    # The provider makes one up where none is given.
    statement = inputs.optional_string("statementId") or inputs.name
    optional: dict[str, Any] = {}
    if source := inputs.optional_string("sourceArn"):
        optional["SourceArn"] = source
    context.aws.client("lambda").add_permission(
        FunctionName=inputs.string("function"),
        StatementId=statement,
        Action=inputs.string("action"),
        Principal=inputs.string("principal"),
        **optional,
    )
    return Outputs(statement)


@creates(
    "aws:lambda/eventSourceMapping:EventSourceMapping",
    handled=("eventSourceArn", "functionName", "batchSize", "functionResponseTypes", "scalingConfig", "tags"),
)
def event_source_mapping(inputs: Inputs, context: Context) -> Outputs:
    optional: dict[str, Any] = {}
    if types := inputs.strings("functionResponseTypes"):
        optional["FunctionResponseTypes"] = types
    if scaling := inputs.block("scalingConfig", ("maximumConcurrency",)):
        optional["ScalingConfig"] = {"MaximumConcurrency": scaling.integer("maximumConcurrency")}
    answer = context.aws.client("lambda").create_event_source_mapping(
        EventSourceArn=inputs.string("eventSourceArn"),
        FunctionName=inputs.string("functionName"),
        BatchSize=inputs.integer("batchSize"),
        Tags=inputs.string_map("tags"),
        **optional,
    )
    return Outputs(answer["UUID"], {"uuid": answer["UUID"], "functionArn": answer["FunctionArn"]})


@creates(
    "aws:lambda/functionEventInvokeConfig:FunctionEventInvokeConfig",
    handled=("functionName", "maximumRetryAttempts", "maximumEventAgeInSeconds", "destinationConfig"),
)
def function_event_invoke_config(inputs: Inputs, context: Context) -> Outputs:
    name = inputs.string("functionName")
    destinations: dict[str, Any] = {}
    given = inputs.block("destinationConfig", ("onFailure",))
    if given and (failure := given.block("onFailure", ("destination",))):
        destinations["OnFailure"] = {"Destination": failure.string("destination")}
    typed: Any = destinations
    context.aws.client("lambda").put_function_event_invoke_config(
        FunctionName=name,
        MaximumRetryAttempts=inputs.integer("maximumRetryAttempts"),
        MaximumEventAgeInSeconds=inputs.integer("maximumEventAgeInSeconds"),
        DestinationConfig=typed,
    )
    return Outputs(name)


CREATORS = (function, permission, event_source_mapping, function_event_invoke_config)
