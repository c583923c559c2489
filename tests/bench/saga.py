"""The saga on the embedded stack beside a bare machine of as many no-op functions: what the emulator itself allows."""

from __future__ import annotations

import io
import json
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from statistics import median
from typing import TYPE_CHECKING, Any, Final

import psutil

from handlers.domain.clock import iso
from handlers.domain.orders import Pedido, Pedidos, entrada_canonica
from infra.local import worker_env
from infra.local.creators.functions import repack
from infra.local.proofs.workbench import VALUE, Workbench
from infra.ops.target import embedded
from tests.bench.measure import percentile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from infra.local.stack import EmbeddedStack

__all__ = ["compare_sagas", "cpu_by_process"]

ROUNDS: Final = 5
PER_ROUND: Final = 40
ALONE: Final = 10
_STARTERS: Final = 4
_DEADLINE: Final = 120.0
_CALLS: Final = (1, 4, 1, 3)
"""Calls to DynamoDB that our four steps make, as the bill counts them."""
_NOTHING: Final = """
def handler(event, context):
    return {"feito": True}
"""
_CALLING: Final = """
import os
import boto3
client = boto3.client("dynamodb")
def handler(event, context):
    for _ in range(int(os.environ["CHAMADAS"])):
        client.update_item(
            TableName=os.environ["TABELA"],
            Key={"id": {"S": event["pedidoId"]}},
            UpdateExpression="SET vezes = :v",
            ExpressionAttributeValues={":v": {"N": "1"}},
        )
    return {"feito": True}
"""
_TABLE: Final = "bench-chamadas"


def compare_sagas(stack: EmbeddedStack, rounds: int = ROUNDS, per_round: int = PER_ROUND) -> dict[str, Any]:
    """Executions a second of both, in turn, on one stack; how long one alone takes; who used the processor.

    Args:
        stack: a running one.
        rounds: how many of each.
        per_round: executions of each round, all started at once.
    """
    machines: dict[str, _Machine] = {
        "ours": _Ours(stack),
        "limit": _Bare(stack, "nada", (0,) * len(_CALLS)),
        "same_calls": _Bare(stack, "chamadas", _CALLS),
    }
    for machine in machines.values():
        machine.run(8)
    alone = {name: [machine.run(1).seconds[0] for _ in range(ALONE)] for name, machine in machines.items()}
    batches: dict[str, list[_Batch]] = {name: [] for name in machines}
    cpu: dict[str, dict[str, float]] = {name: {} for name in machines}
    names = list(machines)
    for number in range(rounds):
        turn = number % len(names)
        for name in (*names[turn:], *names[:turn]):
            before = cpu_by_process(stack)
            batches[name].append(machines[name].run(per_round))
            for process, spent in cpu_by_process(stack).items():
                cpu[name][process] = cpu[name].get(process, 0.0) + spent - before.get(process, 0.0)
    total = rounds * per_round
    rate = {name: median(batch.per_second for batch in done) for name, done in batches.items()}
    ratios = {
        name: median(
            one.per_second / other.per_second for one, other in zip(batches["ours"], batches[name], strict=True)
        )
        for name in ("limit", "same_calls")
    }
    return {
        "rounds": rounds,
        "per_round": per_round,
        "per_second": rate,
        "ratio": ratios["limit"],
        "ratio_same_calls": ratios["same_calls"],
        "alone_ms": {name: 1000 * median(seconds) for name, seconds in alone.items()},
        "p99_ms": {
            name: 1000 * percentile([each for batch in done for each in batch.seconds], 99)
            for name, done in batches.items()
        },
        "cpu_ms_per_execution": {
            name: {process: 1000 * spent / total for process, spent in sorted(spents.items()) if spent > 0}
            for name, spents in cpu.items()
        },
    }


def cpu_by_process(stack: EmbeddedStack) -> dict[str, float]:
    """Processor seconds so far of the stack's processes: each function's workers by its handler, the rest by name."""
    spent: dict[str, float] = {}
    for process in stack.processes():
        try:
            words, times = process.cmdline(), process.cpu_times()
        except psutil.Error:
            continue  # gone since it was listed
        name = _name_of(words)
        spent[name] = spent.get(name, 0.0) + times.user + times.system
    return spent


def _name_of(words: Sequence[str]) -> str:
    if "awslambdaric" in words:
        return words[-1]
    return "emulator" if "infra.local.launcher" in words else "gateway"


class _Batch:
    """Executions that were started at once.

    Attributes:
        seconds: how long each ran, by the machine's own clock.
        per_second: how many ended a second, from the first start to the last end.
    """

    def __init__(self, executions: Sequence[Any]) -> None:
        for execution in executions:
            assert execution["status"] == "SUCCEEDED", execution
        starts = [execution["startDate"].timestamp() for execution in executions]
        ends = [execution["stopDate"].timestamp() for execution in executions]
        self.seconds = [end - start for start, end in zip(starts, ends, strict=True)]
        self.per_second = len(executions) / (max(ends) - min(starts))


class _Machine:
    """A machine, and how to make inputs for it."""

    def __init__(self, stack: EmbeddedStack, arn: str) -> None:
        self.sfn = stack.aws.client("stepfunctions")
        self.arn = arn

    def prepare(self, name: str) -> str:
        """What an execution of that name needs; its input."""
        raise NotImplementedError

    def run(self, count: int) -> _Batch:
        """Start so many at once and wait until all ended."""
        names = [f"bench-{time.time_ns()}-{number}" for number in range(count)]
        inputs = [self.prepare(name) for name in names]
        with ThreadPoolExecutor(_STARTERS) as threads:
            arns = list(threads.map(self._start, names, inputs))
        return _Batch([self._ended(arn) for arn in arns])

    def _start(self, name: str, entrada: str) -> str:
        return self.sfn.start_execution(stateMachineArn=self.arn, name=name, input=entrada)["executionArn"]

    def _ended(self, arn: str) -> Any:
        deadline = time.monotonic() + _DEADLINE
        while (execution := self.sfn.describe_execution(executionArn=arn))["status"] == "RUNNING":
            if time.monotonic() > deadline:
                raise TimeoutError(f"{arn} still runs after {_DEADLINE:g} s")
            time.sleep(0.1)
        return execution


class _Ours(_Machine):
    """The saga, on the way on which nothing fails; its orders are in the table before it starts."""

    def __init__(self, stack: EmbeddedStack) -> None:
        bench = Workbench(embedded(stack.endpoints()))
        super().__init__(stack, bench.target.maquinas["pedido"])
        self._sku = bench.stock_sku("bench", 100_000)
        self._orders = Pedidos(bench.target.dynamodb, bench.target.tabelas["pedidos"], agora=time.time)

    def prepare(self, name: str) -> str:
        pedido = Pedido(name, self._sku, 1, VALUE, iso(time.time()))
        assert self._orders.criar(pedido, "tok-ok")
        return entrada_canonica(pedido)


class _Bare(_Machine):
    """As many functions, with as many workers each (the launcher's limit), that make so many calls and do nothing."""

    def __init__(self, stack: EmbeddedStack, name: str, calls: Sequence[int]) -> None:
        role = f"arn:aws:iam::{stack.aws.account_id}:role/bench"
        if any(calls):
            stack.aws.client("dynamodb").create_table(
                TableName=_TABLE,
                BillingMode="PAY_PER_REQUEST",
                AttributeDefinitions=[{"AttributeName": "id", "AttributeType": "S"}],
                KeySchema=[{"AttributeName": "id", "KeyType": "HASH"}],
            )
        arns = [_function(stack, f"bench-{name}-{number}", role, count) for number, count in enumerate(calls)]
        super().__init__(
            stack,
            stack.aws.client("stepfunctions").create_state_machine(
                name=f"bench-{name}", roleArn=role, definition=json.dumps(bare_definition(arns))
            )["stateMachineArn"],
        )

    def prepare(self, name: str) -> str:
        return json.dumps({"pedidoId": name})


def bare_definition(functions: Sequence[str]) -> dict[str, Any]:
    """One task after the other, each calling its function as our compiler's tasks do."""
    states: dict[str, Any] = {}
    for number, function in enumerate(functions):
        following = {"End": True} if number == len(functions) - 1 else {"Next": f"Passo{number + 1}"}
        states[f"Passo{number}"] = {
            "Type": "Task",
            "Resource": "arn:aws:states:::lambda:invoke",
            "Parameters": {"FunctionName": function, "Payload.$": "$"},
            "ResultPath": None,
            **following,
        }
    return {"StartAt": "Passo0", "States": states}


def _function(stack: EmbeddedStack, name: str, role: str, calls: int) -> str:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("simples.py", _CALLING if calls else _NOTHING)
    variables = {"AWS_ENDPOINT_URL": stack.aws.endpoint, "TABELA": _TABLE, "CHAMADAS": str(calls)}
    return stack.aws.client("lambda").create_function(
        FunctionName=name,
        Role=role,
        Handler="simples.handler",
        Runtime="provided.al2023",
        Code={"ZipFile": repack(buffer.getvalue(), worker_env.ensure())},
        MemorySize=256,
        Timeout=10,
        Environment={"Variables": variables},
    )["FunctionArn"]
