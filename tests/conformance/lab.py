"""Scratch resources on whatever AWS the probes run on, and everything removed at the end.

Names begin with a prefix of the run's own, so that runs do not meet and what a killed run left is found.
"""

from __future__ import annotations

import json
import threading
import time
import uuid
from collections import Counter
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import boto3
from botocore.exceptions import ClientError

from infra.local.processes import poll_until
from tests.conformance import function
from tests.conformance.behaviour import Alvo

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from infra.ops.target import Clients

__all__ = ["PREFIX", "Lab", "Package", "Run", "refusal", "transitions"]

Package = tuple[str, bytes]
"""Lambda runtime and zip."""

PREFIX: Final = "cesta-conformidade-"
_STILL_SPREADING: Final = frozenset(
    {"InvalidParameterValueException", "AccessDeniedException", "InvalidParameterValue"}
)
"""What services answer while a role that was just made is not yet known to them (IAM, "Troubleshoot IAM")."""
_THROTTLED: Final = frozenset({"TooManyRequestsException"})
_DEADLINE_SECONDS: Final = 150.0
_SERVICES: Final = ("lambda.amazonaws.com", "states.amazonaws.com")


@dataclass(frozen=True)
class Run:
    """An execution that ended.

    Attributes:
        arn: its ARN.
        status: ``SUCCEEDED``, ``FAILED``...
        error: its error name; empty if none.
        output: its output, parsed; None if none.
        events: its history.
    """

    arn: str
    status: str
    error: str
    output: Any
    events: Sequence[Mapping[str, Any]]

    @property
    def states(self) -> list[str]:
        """The states entered, in order."""
        return [
            event["stateEnteredEventDetails"]["name"] for event in self.events if "stateEnteredEventDetails" in event
        ]

    def seconds_of(self, kind: str) -> list[float]:
        """When events of this type happened, in seconds since the first of the history."""
        start = self.events[0]["timestamp"]
        return [(event["timestamp"] - start).total_seconds() for event in self.events if event["type"] == kind]


def refusal(call: Callable[[], object]) -> str:
    """The code with which AWS refuses the call; empty if it does not."""
    try:
        call()
    except ClientError as error:
        return error.response.get("Error", {}).get("Code", "?")
    return ""


class Lab:
    """Where the probes work; safe to share between threads.

    Use it as a context manager: what was made goes at the end, the last first, and a failure to remove one thing
    does not keep the others.

    Args:
        clients: whose SDK clients are used.
        alvo: what is on the other side.
        package: turns the function's zip into what that side runs with its errors' names kept.
        scale: how much faster waits and retries pass than they say (1 = real).
        endpoint: the emulator's URL; None on an account.
    """

    def __init__(
        self,
        clients: Clients,
        alvo: Alvo,
        package: Callable[[bytes], Package],
        *,
        scale: float = 1.0,
        endpoint: str | None = None,
    ) -> None:
        self.clients = clients
        self.alvo = alvo
        self.scale = scale
        self.endpoint = endpoint
        self.prefix = f"{PREFIX}{uuid.uuid4().hex[:8]}"
        self.calls: Counter[str] = Counter()
        """API calls by service, the machines' and functions' own not among them."""
        self.transitions = 0
        """Billed state transitions of the executions that were seen to end."""
        self._package = package
        self._undo: list[Callable[[], object]] = []
        self._lock = threading.Lock()
        self._making = threading.RLock()
        self._abandoned = threading.Event()
        self._clients: dict[str, Any] = {}
        self._made: dict[str, Any] = {}

    def __enter__(self) -> Lab:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Remove everything; raises an `ExceptionGroup` of what could not be."""
        failures: list[Exception] = []
        while self._undo:
            try:
                self._undo.pop()()
            except Exception as error:
                failures.append(error)
        if failures:
            raise ExceptionGroup(f"resources named {self.prefix}* are left", failures)

    def abandon(self) -> None:
        """Wait no longer for what may rightly never come: nobody will read what the probes see."""
        self._abandoned.set()

    # --- Clients ---

    def client(self, service: str) -> Any:
        """The service's client; its calls are counted."""
        with self._lock:
            if service not in self._clients:
                client = self.clients.client(service)
                client.meta.events.register("before-call", partial(self._count, service))
                self._clients[service] = client
            return self._clients[service]

    def _count(self, service: str, **_event: Any) -> None:
        with self._lock:
            self.calls[service] += 1

    @property
    def account(self) -> str:
        """Account number."""
        return self.once("account", lambda: self.client("sts").get_caller_identity()["Account"])

    @property
    def region(self) -> str:
        """Region of the clients."""
        return self.client("sts").meta.region_name

    # --- Names, waiting, undoing ---

    def name(self, what: str) -> str:
        """A resource's name, of this run alone."""
        return f"{self.prefix}-{what}-{uuid.uuid4().hex[:4]}"

    def key(self) -> str:
        """The key of an item no other probe touches."""
        return uuid.uuid4().hex

    def later(self, undo: Callable[[], object]) -> None:
        """Do this at the end."""
        with self._lock:
            self._undo.append(undo)

    def once(self, what: str, make: Callable[[], Any]) -> Any:
        """What ``make`` gives, made by whoever asks first; it may ask for other things in its turn."""
        with self._making:
            if what not in self._made:
                self._made[what] = make()
            return self._made[what]

    def until(self, probe: Callable[[], Any], awaited: str, seconds: float = _DEADLINE_SECONDS) -> Any:
        """What the probe gives once it is not None; raises `DeadlineError`."""
        return poll_until(probe, awaited=awaited, seconds=seconds, interval=0.1 if self.alvo is Alvo.LOCAL else 1.0)

    def happens(self, probe: Callable[[], bool], *, local: float, aws: float) -> bool:
        """Whether it comes true within so many seconds: for what may rightly never come."""
        deadline = time.monotonic() + self.patience(local=local, aws=aws)
        while time.monotonic() < deadline and not self._abandoned.is_set():
            if probe():
                return True
            self._abandoned.wait(0.05 if self.alvo is Alvo.LOCAL else 5.0)
        return False

    def patience(self, *, local: float, aws: float) -> float:
        """Seconds to wait for what may not come."""
        return local if self.alvo is Alvo.LOCAL else aws

    def settle(self, seconds: float) -> None:
        """On an account, let what was just set reach every server: no call says when it has."""
        if self.alvo is Alvo.AWS:
            time.sleep(seconds)

    def spread(self, call: Callable[[], Any]) -> Any:
        """Call until the role it names has reached the service."""
        return self._insist(call, _STILL_SPREADING, "the role to be known everywhere")

    def unthrottled(self, call: Callable[[], Any]) -> Any:
        """Call until it is let through: an account deletes one REST API in 30 s (API Gateway, "Amazon API Gateway
        quotas"), which is longer than the SDK insists.
        """
        return self._insist(call, _THROTTLED, "a call that is not throttled")

    def _insist(self, call: Callable[[], Any], codes: frozenset[str], awaited: str) -> Any:
        def attempt() -> tuple[Any] | None:
            try:
                return (call(),)  # None is an answer too
            except ClientError as error:
                if self.alvo is Alvo.AWS and error.response.get("Error", {}).get("Code") in codes:
                    return None
                raise

        (answer,) = self.until(attempt, awaited)
        return answer

    # --- Roles ---

    def role(self, what: str, statements: Sequence[Mapping[str, Any]], *, principal: Mapping[str, Any]) -> str:
        """ARN of a new role that the principal may take and that may do this and no more."""
        iam, name = self.client("iam"), self.name(what)
        trust = {"Effect": "Allow", "Principal": principal, "Action": "sts:AssumeRole"}
        arn: str = iam.create_role(RoleName=name, AssumeRolePolicyDocument=_document([trust]))["Role"]["Arn"]
        self.later(lambda: iam.delete_role(RoleName=name))
        if statements:
            iam.put_role_policy(RoleName=name, PolicyName="conformidade", PolicyDocument=_document(statements))
            self.later(lambda: iam.delete_role_policy(RoleName=name, PolicyName="conformidade"))
        return arn

    @property
    def own_role(self) -> str:
        """ARN of the role that the scratch functions and machines share: this run's resources and nothing else."""
        return self.once("role", self._make_own_role)

    def _make_own_role(self) -> str:
        own = [f"arn:aws:{service}:{self.region}:{self.account}:{kind}{self.prefix}*" for service, kind in _OWN]
        actions = ["dynamodb:PutItem", "dynamodb:UpdateItem", "lambda:InvokeFunction", *_QUEUE_ACTIONS]
        statement = {"Effect": "Allow", "Action": actions, "Resource": own}
        return self.role("papel", [statement], principal={"Service": list(_SERVICES)})

    def allowed(self, statements: Sequence[Mapping[str, Any]], service: str) -> Any:
        """A client of a role that may do exactly this, already known to the service."""
        principal = {"AWS": f"arn:aws:iam::{self.account}:root"}
        role = self.role("pessoa", statements, principal=principal)
        client = self._session_client(service, self._taken(role))
        self.settle(15)  # a role's policy reaches the services after the role itself
        return client

    def _taken(self, role: str) -> Mapping[str, str]:
        """Credentials of the role, once it can be taken."""
        take = partial(self.client("sts").assume_role, RoleArn=role, RoleSessionName="conformidade")
        return self._insist(take, frozenset({"AccessDenied"}), "the role to be taken")["Credentials"]

    def _session_client(self, service: str, credentials: Mapping[str, str]) -> Any:
        session = boto3.Session(
            aws_access_key_id=credentials["AccessKeyId"],
            aws_secret_access_key=credentials["SecretAccessKey"],
            aws_session_token=credentials["SessionToken"],
            region_name=self.region,
        )
        make: Any = session.client  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] - overloaded
        return make(service, endpoint_url=self.endpoint)

    def over_http(self, service: str) -> Any:
        """A client that uses no TLS."""
        if self.endpoint is not None:
            return self.client(service)  # the emulator speaks plain http
        make: Any = boto3.client  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType] - overloaded
        return make(service, region_name=self.region, endpoint_url=f"http://{service}.{self.region}.amazonaws.com")

    def invoke_url(self, api: str, stage: str) -> str:
        """Where a REST API's stage answers."""
        if self.endpoint is not None:
            return f"{self.endpoint}/restapis/{api}/{stage}/_user_request_"
        return f"https://{api}.execute-api.{self.region}.amazonaws.com/{stage}"

    # --- Tables ---

    @property
    def table(self) -> str:
        """Name of the table all probes share: key ``id``, sparse index ``abertos`` (``status``, ``desde``)."""
        return self.once("table", lambda: self.new_table("tabela"))

    def new_table(self, what: str) -> str:
        """Name of a new table like `table`."""
        dynamodb, name = self.client("dynamodb"), self.name(what)
        dynamodb.create_table(
            TableName=name,
            BillingMode="PAY_PER_REQUEST",
            KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": one, "AttributeType": "S"} for one in ("id", "status", "desde")],
            GlobalSecondaryIndexes=[
                {
                    "IndexName": "abertos",
                    "KeySchema": [
                        {"AttributeName": "status", "KeyType": "HASH"},
                        {"AttributeName": "desde", "KeyType": "RANGE"},
                    ],
                    "Projection": {"ProjectionType": "KEYS_ONLY"},
                }
            ],
        )
        self.later(lambda: dynamodb.delete_table(TableName=name))
        dynamodb.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1, "MaxAttempts": 120})
        return name

    def item(self, key: str) -> Mapping[str, Any] | None:
        """An item of the shared table, read consistently."""
        return (
            self.client("dynamodb")
            .get_item(TableName=self.table, Key={"id": {"S": key}}, ConsistentRead=True)
            .get("Item")
        )

    # --- Queues ---

    def queue(self, what: str, **attributes: str) -> str:
        """URL of a new queue."""
        sqs = self.client("sqs")
        url: str = sqs.create_queue(QueueName=self.name(what), Attributes=attributes)["QueueUrl"]
        self.later(lambda: sqs.delete_queue(QueueUrl=url))
        return url

    def queue_arn(self, url: str) -> str:
        """The queue's ARN."""
        return f"arn:aws:sqs:{self.region}:{self.account}:{url.rsplit('/', 1)[1]}"

    def receive(self, url: str, *, seconds: float = 30, **options: Any) -> Mapping[str, Any] | None:
        """The next message of the queue, waited for; None when none comes."""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            wait = 1 if seconds >= 1 else 0
            found = (
                self.client("sqs").receive_message(QueueUrl=url, WaitTimeSeconds=wait, **options).get("Messages", [])
            )
            if found:
                return found[0]
        return None

    # --- Functions ---

    @property
    def function(self) -> str:
        """Name of the function the probes share (`tests.conformance.function`); it may run for a minute."""
        return self.once("function", lambda: self.new_function("sonda", seconds=60))

    @property
    def slow_function(self) -> str:
        """One like `function` for those that sleep, so that nobody waits for its turn behind them."""
        return self.once("slow", lambda: self.new_function("lenta", seconds=60))

    def arn_of(self, function_name: str) -> str:
        """A function's ARN."""
        return f"arn:aws:lambda:{self.region}:{self.account}:function:{function_name}"

    def new_function(self, what: str, *, seconds: int, package: Package | None = None, role: str | None = None) -> str:
        """Name of a new function with the same code."""
        lambdas, name = self.client("lambda"), self.name(what)
        runtime, archive = package or self._package(function.archive())
        variables = {"TABELA": self.table}
        if self.endpoint is not None:
            variables["AWS_ENDPOINT_URL"] = self.endpoint
        self.spread(
            lambda: lambdas.create_function(
                FunctionName=name,
                Role=role or self.own_role,
                Handler=function.HANDLER,
                Runtime=runtime,
                Code={"ZipFile": archive},
                Timeout=seconds,
                Environment={"Variables": variables},
            )
        )
        self.later(lambda: lambdas.delete_function(FunctionName=name))
        lambdas.get_waiter("function_active_v2").wait(FunctionName=name, WaiterConfig={"Delay": 1, "MaxAttempts": 60})
        return name

    def warm(self, function_name: str) -> str:
        """The function's name once a call of it has succeeded: the first one, on a busy machine, may take too long."""

        def attempt() -> bool | None:
            answer = self.client("lambda").invoke(FunctionName=function_name, Payload=b"{}")
            return True if "FunctionError" not in answer else None

        self.until(attempt, f"a first answer of {function_name}")
        return function_name

    # --- Machines ---

    def machine(self, states: Mapping[str, Any], *, role: str | None = None, **top: Any) -> str:
        """ARN of a new standard machine that starts at the first of the states."""
        sfn = self.client("stepfunctions")
        definition = json.dumps({"StartAt": next(iter(states)), "States": states, **top})
        arn: str = self.spread(
            lambda: sfn.create_state_machine(
                name=self.name("maquina"), definition=definition, roleArn=role or self.own_role
            )
        )["stateMachineArn"]
        self.later(lambda: sfn.delete_state_machine(stateMachineArn=arn))
        return arn

    def start(self, machine: str, value: object | None = None, **options: Any) -> str:
        """ARN of a new execution; it is stopped at the end if it still runs."""
        sfn = self.client("stepfunctions")
        arn: str = sfn.start_execution(stateMachineArn=machine, input=json.dumps(value or {}), **options)[
            "executionArn"
        ]
        self.later(lambda: self._stop(arn))
        return arn

    def _stop(self, arn: str) -> None:
        sfn = self.client("stepfunctions")
        if sfn.describe_execution(executionArn=arn)["status"] == "RUNNING":
            sfn.stop_execution(executionArn=arn)

    def ended(self, arn: str) -> Run:
        """The execution, once it ended."""
        sfn = self.client("stepfunctions")

        def over() -> Mapping[str, Any] | None:
            found = sfn.describe_execution(executionArn=arn)
            return found if found["status"] != "RUNNING" else None

        found = self.until(over, f"the end of {arn}")
        events = sfn.get_execution_history(executionArn=arn, maxResults=1000)["events"]
        with self._lock:
            self.transitions += transitions(events)
        return Run(
            arn=arn,
            status=found["status"],
            # The emulator has null where AWS leaves the field out.
            error=found.get("error") or "",
            output=json.loads(found["output"]) if found.get("output") else None,
            events=events,
        )

    def run(self, states: Mapping[str, Any], value: object | None = None, **top: Any) -> Run:
        """An execution of a new machine, ended."""
        return self.ended(self.start(self.machine(states, **top), value))


_OWN: Final = (
    ("dynamodb", "table/"),
    ("lambda", "function:"),
    ("sqs", ""),
)
_QUEUE_ACTIONS: Final = (
    "sqs:SendMessage",
    "sqs:ReceiveMessage",
    "sqs:DeleteMessage",
    "sqs:GetQueueAttributes",
    "sqs:ChangeMessageVisibility",
)


def transitions(events: Sequence[Mapping[str, Any]]) -> int:
    """What is billed of a history, as `infra.saga.cost` counts: each state entered, and each attempt but its first."""
    count, first = 0, False
    for event in events:
        if event["type"].endswith("StateEntered"):
            count, first = count + 1, True
        elif event["type"] == "TaskScheduled":
            count, first = count + (not first), False
    return count


def _document(statements: Sequence[Mapping[str, Any]]) -> str:
    return json.dumps({"Version": "2012-10-17", "Statement": list(statements)})
