"""A run of the Pulumi program on a monitor that records instead of creating, and answers as AWS would.

What a stack declares is known offline, in a second or two: the infrastructure tests look at it, and
``cesta politicas`` takes every role, document and ARN from it.
"""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

import yaml
from pulumi.runtime import mocks, rpc

from infra import packaging
from infra.__main__ import program
from infra.names import Names
from infra.pulumi_run import run_on_monitor

if TYPE_CHECKING:
    from collections.abc import Callable

    from google.protobuf import empty_pb2
    from pulumi.runtime.proto import resource_pb2

__all__ = ["ACCOUNT", "REGION", "Resource", "Run", "arn_of", "run_program", "stack_file"]

Inputs: TypeAlias = "dict[str, Any]"
"""JSON: its values are of any type."""

ACCOUNT = "123456789012"
"""The account the monitor answers for."""
REGION = "us-east-1"


@dataclass
class Resource:
    """A resource as the program declared it."""

    typ: str
    name: str
    urn: str
    inputs: dict[str, Any]
    depends_on: list[str]
    """URNs: what the declaration names, and what its inputs were computed from."""
    protect: bool
    retain_on_delete: bool

    @property
    def physical_name(self) -> str:
        """The name AWS knows it by; empty where it has none."""
        return _physical_name(self.inputs)


def _physical_name(inputs: Inputs) -> str:
    return next((inputs[key] for key in ("name", "alarmName", "dashboardName") if inputs.get(key)), "")


@dataclass
class Run:
    """What one run of the program declared."""

    stack: str
    resources: list[Resource] = field(default_factory=list[Resource])
    exports: dict[str, Any] = field(default_factory=dict[str, Any])
    warnings: list[str] = field(default_factory=list[str])

    def of(self, typ: str) -> list[Resource]:
        """Every resource of a type: ``sqs/queue:Queue``."""
        return [resource for resource in self.resources if resource.typ == f"aws:{typ}"]

    def one(self, typ: str, name: str) -> Resource:
        """The resource of a type with this physical name."""
        (found,) = [resource for resource in self.of(typ) if resource.physical_name == name]
        return found

    @property
    def names(self) -> Names:
        """The names this stack should have."""
        return Names(self.stack)

    def names_of(self, typ: str) -> set[str]:
        """The physical names of every resource of a type."""
        return {resource.physical_name for resource in self.of(typ)}

    def function(self, base: str) -> Resource:
        """A function by its name without the stack's prefix."""
        return self.one("lambda/function:Function", f"{self.names.prefix}-{base}")

    def variables(self, base: str) -> dict[str, str]:
        """A function's environment."""
        return self.function(base).inputs["environment"]["variables"]

    def states(self, machine: str) -> dict[str, Any]:
        """The states of a machine."""
        return json.loads(self.one("sfn/stateMachine:StateMachine", machine).inputs["definition"])["States"]

    def body(self) -> dict[str, Any]:
        """The REST API's OpenAPI document."""
        (rest_api,) = self.of("apigateway/restApi:RestApi")
        return json.loads(rest_api.inputs["body"])


class _Mocks(mocks.Mocks):
    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str | None, Inputs]:
        inputs = cast("Inputs", args.inputs)
        name = _physical_name(inputs) or args.name
        outputs: Inputs = {**inputs, "name": name, "arn": arn_of(args.typ, name) or f"arn:aws:none:::{name}"}
        if args.typ == "aws:sqs/queue:Queue":
            url = f"https://sqs.{REGION}.amazonaws.com/{ACCOUNT}/{name}"
            return url, {**outputs, "url": url}
        if args.typ == "aws:lambda/function:Function":
            path = f"arn:aws:apigateway:{REGION}:lambda:path/2015-03-31/functions/{outputs['arn']}/invocations"
            return name, {**outputs, "invokeArn": path}
        if args.typ == "aws:apigateway/restApi:RestApi":
            return "abc123", {**outputs, "executionArn": f"arn:aws:execute-api:{REGION}:{ACCOUNT}:abc123"}
        if args.typ == "aws:apigateway/stage:Stage":
            return "stage", {**outputs, "invokeUrl": f"https://abc123.execute-api.{REGION}.amazonaws.com/api"}
        return name, outputs

    def call(self, args: mocks.MockCallArgs) -> dict[str, Any]:  # pyright: ignore[reportIncompatibleMethodOverride] - the monitor takes a bare dict too
        return {
            "aws:index/getCallerIdentity:getCallerIdentity": {"accountId": ACCOUNT},
            "aws:index/getRegion:getRegion": {"region": REGION},
        }[args.token]


_ARNS: Final = {
    "aws:cloudwatch/compositeAlarm:CompositeAlarm": ("cloudwatch", "alarm:{}"),
    "aws:cloudwatch/dashboard:Dashboard": ("cloudwatch", "dashboard/{}"),
    "aws:cloudwatch/eventRule:EventRule": ("events", "rule/{}"),
    "aws:cloudwatch/logGroup:LogGroup": ("logs", "log-group:{}"),
    "aws:cloudwatch/metricAlarm:MetricAlarm": ("cloudwatch", "alarm:{}"),
    "aws:dynamodb/table:Table": ("dynamodb", "table/{}"),
    "aws:iam/role:Role": ("iam", "role/{}"),
    "aws:lambda/function:Function": ("lambda", "function:{}"),
    "aws:sfn/stateMachine:StateMachine": ("states", "stateMachine:{}"),
    "aws:sns/topic:Topic": ("sns", "{}"),
    "aws:sqs/queue:Queue": ("sqs", "{}"),
}


_GLOBAL: Final = frozenset({"aws:cloudwatch/dashboard:Dashboard"})
"""Types whose ARN has no region, though their service's have."""


def arn_of(typ: str, name: str) -> str:
    """The ARN of a resource by its physical name; empty for a type that has none, or none known before it exists."""
    if typ not in _ARNS:
        return ""
    service, pattern = _ARNS[typ]
    region = "" if service == "iam" or typ in _GLOBAL else REGION
    return f"arn:aws:{service}:{region}:{ACCOUNT}:{pattern.format(name)}"


class _Preview(_Mocks):
    def new_resource(self, args: mocks.MockResourceArgs) -> tuple[str | None, Inputs]:
        return None, cast("Inputs", args.inputs)


class _Monitor(mocks.MockMonitor):
    def __init__(self, run: Run, answers: _Mocks) -> None:
        super().__init__(answers)
        self._run = run

    def RegisterResource(  # noqa: N802 - gRPC's name
        self, request: resource_pb2.RegisterResourceRequest
    ) -> resource_pb2.RegisterResourceResponse:
        answer = super().RegisterResource(request)  # pyright: ignore[reportUnknownMemberType] - untyped in the SDK
        if request.custom:
            self._run.resources.append(
                Resource(
                    typ=request.type,
                    name=request.name,
                    urn=answer.urn,
                    inputs=_plain(rpc.deserialize_properties(request.object)),
                    depends_on=list(request.dependencies),
                    protect=request.protect,
                    retain_on_delete=request.retainOnDelete,
                )
            )
        return answer

    def RegisterResourceOutputs(  # noqa: N802 - gRPC's name
        self, request: resource_pb2.RegisterResourceOutputsRequest
    ) -> empty_pb2.Empty:
        if "::pulumi:pulumi:Stack::" in request.urn:
            self._run.exports = _plain(rpc.deserialize_properties(request.outputs))
        return super().RegisterResourceOutputs(request)  # pyright: ignore[reportUnknownMemberType] - untyped in the SDK


def _plain(value: Any) -> Any:
    """Whole numbers as ints: protobuf has floats only."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in cast("Inputs", value).items()}
    if isinstance(value, list):
        return [_plain(item) for item in cast("list[Any]", value)]
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value


class _Warnings(logging.Handler):
    def __init__(self, run: Run) -> None:
        super().__init__(logging.WARNING)
        self._run = run

    def emit(self, record: logging.LogRecord) -> None:
        self._run.warnings.append(record.getMessage())


def run_program(
    stack: str,
    config: dict[str, str],
    *,
    what: Callable[[], None] | None = None,
    first_preview: bool = False,
    real_zips: bool = False,
) -> Run:
    """One run of the program; raises what it raises.

    Args:
        stack: the stack's name.
        config: its settings, all texts, keys with their ``cesta:`` or ``aws:``.
        what: what to run instead of the program.
        first_preview: nothing exists yet, so no output is known but what the program itself said.
        real_zips: build the zips too; what the program declares does not depend on what is in them.
    """
    run = Run(stack)
    logger = logging.Logger("engine")
    logger.addHandler(_Warnings(run))
    monitor = _Monitor(run, _Preview() if first_preview else _Mocks())
    default = partial(program, build=packaging.build if real_zips else _no_zip)

    run_on_monitor(
        what or default,
        stack=stack,
        config=config,
        monitor=monitor,
        engine=mocks.MockEngine(logger),
        dry_run=first_preview,
    )
    return run


def _no_zip(package: packaging.Package) -> Path:
    return Path(f"/nowhere/{package.name}.zip")


def stack_file(stack: str) -> dict[str, str]:
    """The shipped settings of a stack, as the engine hands them over: all texts."""
    content = yaml.safe_load((packaging.ROOT / f"Pulumi.{stack}.yaml").read_text())
    return {key: _text(value) for key, value in content["config"].items()}


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
