"""A Pulumi resource monitor that creates what the program declares, through boto3, on the emulator.

The program runs unchanged: the SDK registers each resource here as it would with the engine, in dependency order,
and gets back the outputs a provider would give.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NoReturn, TypeAlias, cast

from botocore.exceptions import BotoCoreError, ClientError
from pulumi.runtime import rpc
from pulumi.runtime.mocks import MockCallArgs, MockMonitor, MockResourceArgs, Mocks

from infra.local.creators import CREATORS
from infra.local.creators.base import Context, Creator, Inputs
from infra.local.errors import (
    DeployError,
    DuplicateUrnError,
    ResourceCreationError,
    UnknownInvokeError,
    UnknownResourceTypeError,
)

if TYPE_CHECKING:
    from infra.local.emulator import AwsLocal

__all__ = ["INVOKES", "DeployedResource", "LocalMonitor", "OnResource", "plain"]

STACK_TYPE: Final = "pulumi:pulumi:Stack"

INVOKES: Final[Mapping[str, Callable[[AwsLocal], dict[str, object]]]] = {
    "aws:index/getCallerIdentity:getCallerIdentity": lambda aws: {
        "accountId": aws.account_id,
        "arn": f"arn:aws:iam::{aws.account_id}:root",
        "userId": aws.account_id,
        "id": aws.account_id,
    },
    "aws:index/getRegion:getRegion": lambda aws: {"region": aws.region, "name": aws.region, "id": aws.region},
}


@dataclass(frozen=True)
class DeployedResource:
    """A resource of the program, as created.

    Attributes:
        type: its type token.
        name: its logical name.
        id: its physical id.
        seconds: how long creating it took.
    """

    type: str
    name: str
    id: str
    seconds: float


OnResource: TypeAlias = Callable[[DeployedResource], None]


def plain(value: object) -> Any:
    """A value as a provider sees it: secrets opened, whole numbers as ints (they travel as floats)."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [plain(item) for item in cast("list[object]", value)]
    if isinstance(value, dict):
        if rpc.is_rpc_secret(value):
            return plain(rpc.unwrap_rpc_secret(value))
        return {key: plain(item) for key, item in cast("dict[str, object]", value).items()}
    return value


class _Provider(Mocks):
    """Creates resources and answers function calls: what the engine and the AWS provider do on AWS."""

    def __init__(self, context: Context, *, on_resource: OnResource) -> None:
        self._context = context
        self._on_resource = on_resource
        self._lock = threading.Lock()
        self.resources: list[DeployedResource] = []
        self.failure: DeployError | None = None

    def fail(self, error: DeployError) -> NoReturn:
        """Raise the error, and keep it if it is the first: the SDK reports what follows from it as well."""
        with self._lock:
            self.failure = self.failure or error
        raise error

    def new_resource(self, args: MockResourceArgs) -> tuple[str | None, dict[str, object]]:
        try:
            return self._new_resource(args)
        except DeployError as error:
            self.fail(error)

    def _new_resource(self, args: MockResourceArgs) -> tuple[str | None, dict[str, object]]:
        if not args.custom:
            # A component: nothing of its own to create.
            return None, {}
        if args.resource_id:
            raise UnknownInvokeError(f"{args.typ} (import)")
        values = cast("dict[str, object]", plain(cast("object", args.inputs)))
        creator = CREATORS.get(args.typ)
        if creator is None:
            raise UnknownResourceTypeError(args.typ)
        inputs = Inputs(args.typ, args.name, values)
        inputs.check_known(creator.known)
        return self._create(creator, inputs, values)

    def _create(self, creator: Creator, inputs: Inputs, values: Mapping[str, object]) -> tuple[str, dict[str, object]]:
        started = time.monotonic()
        try:
            outputs = creator.create(inputs, self._context)
        except (ClientError, BotoCoreError, OSError) as error:
            raise ResourceCreationError(inputs.type, inputs.name, error) from error
        self._record(DeployedResource(inputs.type, inputs.name, outputs.id, time.monotonic() - started))
        return outputs.id, {**values, **outputs.properties}

    def _record(self, resource: DeployedResource) -> None:
        with self._lock:
            self.resources.append(resource)
            self._on_resource(resource)

    def call(self, args: MockCallArgs) -> Any:
        answer = INVOKES.get(args.token)
        if answer is None:
            self.fail(UnknownInvokeError(args.token))
        return answer(self._context.aws)


class LocalMonitor(MockMonitor):
    """The monitor the SDK talks to.

    Attributes:
        outputs: what the program exports, once it has run.
    """

    def __init__(self, context: Context, *, on_resource: OnResource) -> None:
        self._provider = _Provider(context, on_resource=on_resource)
        super().__init__(self._provider)
        self._urns: set[str] = set()
        self._urns_lock = threading.Lock()
        self.outputs: dict[str, Any] = {}

    @property
    def deployed(self) -> tuple[DeployedResource, ...]:
        """The resources created so far, in order of completion."""
        return tuple(self._provider.resources)

    @property
    def failure(self) -> DeployError | None:
        """The first thing that went wrong here, if anything did."""
        return self._provider.failure

    def RegisterResource(self, request: Any) -> Any:  # noqa: N802 - the name of the RPC
        urn = self.make_urn(request.parent, request.type, request.name)
        with self._urns_lock:
            duplicate = urn in self._urns
            self._urns.add(urn)
        if duplicate:
            self._provider.fail(DuplicateUrnError(urn))
        return cast("Any", super()).RegisterResource(request)

    def ReadResource(self, request: Any) -> Any:  # noqa: N802 - the name of the RPC
        self._provider.fail(UnknownInvokeError(f"{request.type}.get"))

    def RegisterResourceOutputs(self, request: Any) -> Any:  # noqa: N802 - the name of the RPC
        if f"::{STACK_TYPE}::" in request.urn:
            self.outputs = plain(rpc.deserialize_properties(request.outputs))
        return cast("Any", super()).RegisterResourceOutputs(request)
