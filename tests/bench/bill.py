"""What a million orders cost: counted on the embedded stack, priced by AWS's list.

Orders of each kind run on the real machine with the real zips; a proxy counts their calls, the emulator's histories the
transitions, its logs the bytes, the operating system the processor time. What cannot be measured here (how long AWS and
the gateway take to answer) is an assumption with a name, in `Assumptions`.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any, Final

from infra.local.proofs.workbench import Workbench
from infra.ops.target import embedded
from infra.saga.asl import parse
from infra.saga.cost import path_costs
from tests.bench.counter import counting
from tests.bench.saga import cpu_by_process
from tests.scale.durations import FULL_PROCESSOR_MB, FUNCTION_MB, GATEWAY_CALL

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from infra.local.stack import EmbeddedStack
    from tests.bench.counter import CountingProxy
    from tests.scale.money import ListPrices

__all__ = ["KINDS", "Assumptions", "Usage", "bill", "count_usage", "mixed", "without_functions"]

ORDERS: Final = 8
"""Of each kind; they differ by nothing but their ids."""
RATES: Final = (0.0, 0.02, 0.10)
_MILLION: Final = 1_000_000

KINDS: Final[Mapping[str, Mapping[str, Any]]] = {
    "confirmado": {"cartao": "tok-ok"},
    "cartão recusado": {"cartao": "tok-forcar-recusa"},
    "sem estoque": {"cartao": "tok-ok", "units": 0},
    "cobrou e não respondeu": {"cartao": "tok-500-cobrado"},
    "confirmação que falha": {"cartao": "tok-ok", "falhas": {"ConfirmarPedido": "antes"}},
}
"""The kinds of order: the first ends well, the others are the failures, shared evenly."""


@dataclass(frozen=True)
class Assumptions:
    """Milliseconds that a function waits, which no machine but AWS's can tell.

    Attributes:
        aws_call_ms: one call of DynamoDB, SQS or Step Functions within the region.
        gateway_call_ms: one call of the payment gateway.
        batch: messages that a starter takes at once.
    """

    aws_call_ms: float = 8.0
    gateway_call_ms: float = 1000 * GATEWAY_CALL
    batch: float = 1.0


@dataclass(frozen=True)
class Usage:
    """What one order uses, on average.

    Attributes:
        transitions: of the machine, retries among them.
        invocations: of functions.
        calls: to AWS, made by functions.
        gateway_calls: to the payment gateway.
        cpu_ms: processor time of the functions, on this machine.
        write_units: of DynamoDB, indexes included.
        read_units: of DynamoDB.
        queue_requests: sent, and received and deleted by the mapping.
        log_bytes: of functions' logs, Lambda's own lines among them.
        machine_log_bytes: of the machine's log (level ALL, no data).
    """

    transitions: float
    invocations: float
    calls: float
    gateway_calls: float
    cpu_ms: float
    write_units: float
    read_units: float
    queue_requests: float
    log_bytes: float
    machine_log_bytes: float


def mixed(parts: Sequence[tuple[float, Usage]]) -> Usage:
    """The average of usages, each with its share."""
    return Usage(
        **{each.name: sum(share * getattr(usage, each.name) for share, usage in parts) for each in fields(Usage)}
    )


def at_rate(usages: Mapping[str, Usage], failing: float) -> Usage:
    """The usage of an average order of which the share ``failing`` fails, in each way alike."""
    good, *bad = usages.values()
    return mixed([(1 - failing, good), *((failing / len(bad), usage) for usage in bad)])


def bill(usage: Usage, prices: ListPrices, assumed: Assumptions) -> dict[str, float]:
    """Dollars per million orders, line by line.

    A function is billed for its processor time, stretched by how little of a vCPU its memory buys, and for its waits.
    """
    waits = usage.calls * assumed.aws_call_ms + usage.gateway_calls * assumed.gateway_call_ms
    billed_ms = usage.cpu_ms * FULL_PROCESSOR_MB / FUNCTION_MB + waits
    lines = {
        "state transitions": usage.transitions * prices.saga.transition,
        "function calls": usage.invocations * prices.saga.call,
        "function time": prices.saga.gb_second * FUNCTION_MB / 1024 * billed_ms / 1000,
        "DynamoDB writes": usage.write_units * prices.write_unit,
        "DynamoDB reads": usage.read_units * prices.read_unit,
        "API request": prices.api_request,
        "SQS requests": usage.queue_requests * prices.queue_request,
        "logs": (usage.log_bytes + usage.machine_log_bytes) / 1e9 * prices.log_gigabyte,
    }
    return {name: _MILLION * dollars for name, dollars in lines.items()}


def without_functions(usage: Usage, moves: float) -> Usage:
    """The same order with ``moves`` of its functions' calls made by the machine itself (a direct integration).

    A state stays a state: transitions, writes and reads are the same. What goes is the call, its share of the time and
    of the logs.
    """
    share = moves / usage.invocations
    return Usage(
        **asdict(usage)
        | {
            "invocations": usage.invocations - moves,
            "calls": usage.calls - moves,
            "cpu_ms": usage.cpu_ms * (1 - share),
            "log_bytes": usage.log_bytes * (1 - share),
        }
    )


# --- Counting --------------------------------------------------------------------------------------------------------


def count_usage(stack: EmbeddedStack, orders: int = ORDERS) -> dict[str, Usage]:
    """What an order of each kind uses, averaged over so many, on a running stack."""
    with counting(stack.aws.endpoint, stack.aws.client("dynamodb")) as (url, proxy):
        counter = _UsageCounter(stack, proxy)
        with counter.functions_behind(url):
            for kind in KINDS:
                # Two, since a function has two workers: none of what follows pays for a cold start.
                counter.run(kind, 2)
            return {kind: counter.run(kind, orders) for kind in KINDS}


class _UsageCounter:
    def __init__(self, stack: EmbeddedStack, proxy: CountingProxy) -> None:
        self._stack = stack
        self._proxy = proxy
        self._bench = Workbench(embedded(stack.endpoints()))
        self._number = 0

    def functions_behind(self, url: str) -> Any:
        """Every function of the stack sends its calls through the proxy, under its own name, while the block lasts."""
        return _Rerouted(self._stack, url)

    def run(self, kind: str, count: int) -> Usage:
        """The average usage of orders of a kind."""
        how = dict(KINDS[kind])
        sku = self._bench.stock_sku(f"conta-{self._number}", how.pop("units", 1000))
        self._proxy.take()
        before, logged = cpu_by_process(self._stack), self._log_bytes()
        ids: list[str] = []
        for _ in range(count):
            self._number += 1
            ids.append(self._bench.post(self._bench.order(f"conta-{self._number}", sku, **how)))
        for pedido_id in ids:
            self._bench.end(pedido_id)
        after = cpu_by_process(self._stack)
        spent = sum(after[name] - before.get(name, 0.0) for name in after if "." in name)
        counted = self._proxy.take()
        histories = [self._history(pedido_id) for pedido_id in ids]
        own_writes = [
            self._machine_writes(pedido_id, history) for pedido_id, history in zip(ids, histories, strict=True)
        ]
        functions = sum(_functions_called(history) for history in histories)
        sent = sum(number for (_, operation), number in counted.calls.items() if operation == "SendMessage")
        return Usage(
            transitions=sum(_transitions(history) for history in histories) / count,
            # The front door and the starter are called once each besides.
            invocations=functions / count + 2,
            calls=sum(counted.calls.values()) / count,
            gateway_calls=self._gateway_calls(ids) / count,
            cpu_ms=1000 * spent / count,
            write_units=(counted.write_units.total() + sum(own_writes)) / count,
            read_units=counted.read_units.total() / count,
            # A message is sent, and received and deleted in a batch of one at worst.
            queue_requests=3 * sent / count,
            log_bytes=(self._log_bytes() - logged) / count,
            machine_log_bytes=sum(_machine_log_bytes(history) for history in histories) / count,
        )

    def _history(self, pedido_id: str) -> list[Any]:
        pages = self._bench.target.sfn.get_paginator("get_execution_history").paginate(
            executionArn=self._bench.target.execution_arn(pedido_id)
        )
        return [event for page in pages for event in page["events"]]

    def _machine_writes(self, pedido_id: str, history: Sequence[Any]) -> int:
        """Units of the machine's own writes, each taken for the one that closes an order: the status changes."""
        table = self._bench.target.tabelas["pedidos"]
        key = {"pedidoId": {"S": pedido_id}}
        answer: Any = self._bench.target.dynamodb.get_item(TableName=table, Key=key, ConsistentRead=True)
        after: dict[str, Any] = answer["Item"]
        before = {**after, "status": {"S": "RECEBIDO"}, "pendenteDesde": after["criadoEm"]}
        before.pop("verificarEm", None)
        return _own_writes(history) * self._proxy.machine_units(table, before, after)

    def _gateway_calls(self, ids: Sequence[str]) -> int:
        """Attempts that the gateway counted; look-ups leave no trace there and are not among them."""
        statement = self._bench.facts.statement()
        entries = [*statement["cobrancas"], *statement["estornos"]]
        return sum(entry["tentativas"] for entry in entries if entry["pedidoId"] in ids)

    def _log_bytes(self) -> int:
        logs = self._stack.aws.client("logs")
        total = 0
        for group in logs.describe_log_groups(logGroupNamePrefix="/aws/lambda/")["logGroups"]:
            name = group.get("logGroupName", "")
            for page in logs.get_paginator("filter_log_events").paginate(logGroupName=name):
                total += sum(len(event.get("message", "").encode()) for event in page["events"])
        return total


class _Rerouted:
    def __init__(self, stack: EmbeddedStack, url: str) -> None:
        self._aws = stack.aws
        self._url = url
        self._before: dict[str, dict[str, str]] = {}

    def __enter__(self) -> None:
        functions = self._aws.client("lambda")
        for each in functions.list_functions()["Functions"]:
            name = each.get("FunctionName", "")
            variables = each.get("Environment", {}).get("Variables", {})
            if "POWERTOOLS_SERVICE_NAME" not in variables:
                continue
            self._before[name] = variables
            self._set(name, {**variables, "AWS_ENDPOINT_URL": f"{self._url}/{variables['POWERTOOLS_SERVICE_NAME']}"})

    def __exit__(self, *_: object) -> None:
        for name, variables in self._before.items():
            self._set(name, variables)

    def _set(self, name: str, variables: dict[str, str]) -> None:
        self._aws.client("lambda").update_function_configuration(
            FunctionName=name, Environment={"Variables": variables}
        )


def _transitions(history: Sequence[Any]) -> int:
    """States entered, and retries: each is billed."""
    entered = sum(event["type"].endswith("StateEntered") for event in history)
    scheduled = sum(event["type"] in _SCHEDULED for event in history)
    tasks = sum(event["type"] == "TaskStateEntered" for event in history)
    return entered + max(scheduled - tasks, 0)


_SCHEDULED: Final = ("TaskScheduled", "LambdaFunctionScheduled")


def _functions_called(history: Sequence[Any]) -> int:
    return sum(
        event["type"] == "LambdaFunctionScheduled"
        or (event["type"] == "TaskScheduled" and event["taskScheduledEventDetails"]["resourceType"] == "lambda")
        for event in history
    )


def _own_writes(history: Sequence[Any]) -> int:
    # The emulator names the whole resource where AWS splits it in two.
    return sum(
        event["type"] == "TaskScheduled" and "dynamodb" in "".join(event["taskScheduledEventDetails"].values())
        for event in history
    )


def _machine_log_bytes(history: Sequence[Any]) -> int:
    """What Step Functions writes at level ALL without data: a line of JSON for each event ("Logging in CloudWatch")."""
    arn = "arn:aws:states:us-east-1:000000000000:execution:cesta-saga-pedido:0123456789012345678901"
    return sum(
        len(
            json.dumps(
                {
                    "id": str(event["id"]),
                    "type": event["type"],
                    "details": {"name": _state(event)} if _state(event) else {},
                    "redrive_count": "0",
                    "previous_event_id": str(event.get("previousEventId", 0)),
                    "event_timestamp": str(int(1000 * event["timestamp"].timestamp())),
                    "execution_arn": arn,
                },
                separators=(",", ":"),
            )
        )
        for event in history
    )


def _state(event: Mapping[str, Any]) -> str:
    details: Iterator[Any] = (value for name, value in event.items() if name.endswith("EventDetails"))
    return next((each["name"] for each in details if "name" in each), "")


# --- Beside others ---------------------------------------------------------------------------------------------------


def of_definition(path: Path, typical: Usage, failing: float) -> Usage:
    """The usage of somebody's definition: its own transitions and calls, all else as in our typical order, per call."""
    costs = path_costs(parse(path.read_text(), source=path.name))
    good = next(cost for cost in costs if not cost.failed)
    bad = [cost for cost in costs if cost.failed]
    transitions = (1 - failing) * good.transitions + failing * sum(cost.transitions for cost in bad) / len(bad)
    calls = (1 - failing) * good.calls + failing * sum(cost.calls for cost in bad) / len(bad)
    share = (calls + 2) / typical.invocations
    return Usage(
        **asdict(typical)
        | {
            "transitions": transitions,
            "invocations": calls + 2,
            "calls": typical.calls * share,
            "cpu_ms": typical.cpu_ms * share,
            "log_bytes": typical.log_bytes * share,
            "machine_log_bytes": typical.machine_log_bytes * transitions / typical.transitions,
        }
    )
