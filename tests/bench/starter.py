"""The starter: a batch of ten beside ten starts one after the other, and a backlog beside one bare consumer."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any, Final

from handlers.domain import aws
from handlers.domain.clock import iso
from handlers.domain.orders import Pedido, Pedidos, entrada_canonica
from infra.local.emulator import start_emulator
from infra.local.processes import Guardian, choose_port
from infra.openapi import load_app
from infra.packaging import ROOT
from tests.bench.bare import bare_start
from tests.bench.events import sqs_event
from tests.bench.measure import apart, interleaved, percentile, ratio_of_pairs, variables
from tests.bench.stub import ARN, QUEUE, TABLE, aws_stub, client_environment

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping

__all__ = ["BACKLOG", "LATENCY", "measure_starter"]

BATCH: Final = 10
LATENCY: Final = 0.020
"""Seconds the stub takes over every call: about what a StartExecution takes within a region."""
ROUNDS: Final = 30
BACKLOG: Final = 1000
"""Messages of the backlog. The rate does not depend on how many there are: 5,000 take five times as long."""


def measure_starter(rounds: int = ROUNDS, backlog: int = BACKLOG, *, emulator: bool = True) -> dict[str, Any]:
    """Batch and backlog against a stub that answers after `LATENCY`, and the batch against the emulator."""
    with aws_stub(LATENCY) as url:
        measured = apart(_both, client_environment(url), rounds, backlog)
    if emulator:
        with _emulated() as (environment, machine):
            measured["emulator"] = apart(_batches, environment, machine, rounds)
    return measured


def _both(environment: Mapping[str, str], rounds: int, messages: int) -> dict[str, Any]:
    return {"stub": _batches(environment, ARN, rounds), "backlog": _backlog(environment, messages)}


def _batches(environment: Mapping[str, str], machine: str, rounds: int) -> dict[str, Any]:
    with variables(environment):
        app, bare = load_app(ROOT / "api"), bare_start(environment["AWS_ENDPOINT_URL"], machine)
        total = rounds + 1
        ours = [sqs_event(_accepted(f"o{number}", BATCH)) for number in range(total)]
        theirs = [sqs_event(_accepted(f"b{number}", BATCH)) for number in range(total)]
        starter = app.handler_map["iniciador"]
        _expect_all(starter(ours.pop(), None))
        _expect_all(bare(theirs.pop(), None))
        samples = interleaved(
            {
                "ours": lambda number: _expect_all(starter(ours[number], None)),
                "limit": lambda number: _expect_all(bare(theirs[number], None)),
            },
            rounds,
        )
        return {
            "rounds": rounds,
            "ours_ms": 1000 * percentile(samples["ours"].wall, 50),
            "limit_ms": 1000 * percentile(samples["limit"].wall, 50),
            "ratio": ratio_of_pairs(samples["ours"].wall, samples["limit"].wall),
            "ours_cpu_ms": 1000 * percentile(samples["ours"].cpu, 50),
            "limit_cpu_ms": 1000 * percentile(samples["limit"].cpu, 50),
        }


def _backlog(environment: Mapping[str, str], messages: int) -> dict[str, Any]:
    """Messages a second of one starter and of one bare consumer, each given a fifth of the backlog in turn."""
    with variables(environment):
        app, bare = load_app(ROOT / "api"), bare_start(environment["AWS_ENDPOINT_URL"], ARN)
        starter = app.handler_map["iniciador"]
        chunk = max(messages // 5 // BATCH, 1)
        seconds = {"ours": 0.0, "limit": 0.0}
        for part in range(5):
            for name, handler in (("ours", starter), ("limit", bare)):
                batches = [sqs_event(_accepted(f"{name}-{part}-{number}", BATCH)) for number in range(chunk)]
                started = time.perf_counter()
                for batch in batches:
                    _expect_all(handler(batch, None))
                seconds[name] += time.perf_counter() - started
        sent = 5 * chunk * BATCH
        return {
            "messages": sent,
            "ours_per_second": sent / seconds["ours"],
            "limit_per_second": sent / seconds["limit"],
            "ratio": seconds["limit"] / seconds["ours"],
        }


def _accepted(name: str, count: int) -> list[str]:
    """Bodies of that many messages whose orders are in the table."""
    table = Pedidos(aws.dynamodb(), TABLE, agora=time.time)
    orders = [Pedido(f"{name}-{number}", "sku-cafe-500g", 2, 14_000, iso(time.time())) for number in range(count)]
    with ThreadPoolExecutor(BATCH) as threads:
        assert all(threads.map(table.criar, orders, ["tok-ok"] * count))
    return [entrada_canonica(order) for order in orders]


def _expect_all(answer: Mapping[str, Any]) -> None:
    assert answer == {"batchItemFailures": []}, answer


@contextmanager
def _emulated() -> Generator[tuple[dict[str, str], str]]:
    """The emulator alone, with what the starter needs and a machine that does nothing."""
    with ExitStack() as stack:
        guardian = stack.enter_context(Guardian())
        emulated = start_emulator(guardian, choose_port(None, option="--porta-aws"))
        emulated.client("dynamodb").create_table(
            TableName=TABLE,
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": "pedidoId", "AttributeType": "S"}],
            KeySchema=[{"AttributeName": "pedidoId", "KeyType": "HASH"}],
        )
        machine = emulated.client("stepfunctions").create_state_machine(
            name=QUEUE,
            roleArn=f"arn:aws:iam::{emulated.account_id}:role/bench",
            definition='{"StartAt": "Nada", "States": {"Nada": {"Type": "Succeed"}}}',
        )["stateMachineArn"]
        yield client_environment(emulated.endpoint) | emulated.environment() | {"MAQUINA_ARN": machine}, machine
