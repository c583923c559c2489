"""The machines and the queue in memory against the emulator: the same definition, input and answers, the same states.

``cesta-saga-retomada`` is run, as far as it needs no function: what a person answers, the status writes, the waits.
Where the emulator itself differs from AWS is told in `tests.conformance`; nothing of that is touched here.
"""

from __future__ import annotations

import json
import time
import zlib
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pytest

from infra.ops.history import read_execution
from infra.sagas.pedido import compilar_retomada
from tests.inprocess.functions import HUMANA, PEDIDOS, RESOURCES, RETOMADA, SETTINGS
from tests.inprocess.world import MINUTE, World

if TYPE_CHECKING:
    from collections.abc import Iterator

    from infra.local.emulator import AwsLocal
    from tests.inprocess.functions import Installed
    from tests.support.dynamo import Item

pytestmark = pytest.mark.e2e

_ORDER = {
    "pedidoId": "p-1",
    "sku": "sku-abc",
    "quantidade": 2,
    "valorCentavos": 14_000,
    "criadoEm": "2026-07-25T17:20:00.000Z",
    "erro": {"Error": "CobrancaIndefinidaError", "Cause": "x"},
    "erroCompensacao": {"Error": "Lambda.Unknown"},
}
_CLOSE = {"decisao": "ENCERRAR", "responsavel": "ana", "justificativa": "acertado à mão"}
_NAMING = {**_CLOSE, "pendencias": ["estoque"]}
_TIMES = {"atualizadoEm", "decididoEm", "verificarEm"}
_DEADLINE = 60.0

_CASE = {"caso": {"M": {"origem": {"S": "saga"}, "abertoEm": {"S": "2026-07-25T17:21:00.000Z"}}}}


@dataclass(frozen=True)
class Ended:
    """What is compared."""

    status: str
    states: tuple[str, ...]
    row: dict[str, Any]
    asked: list[list[str]]


@pytest.fixture(scope="module")
def machine(aws: AwsLocal) -> Iterator[tuple[str, str]]:
    """The machine's ARN and the queue's URL, on the emulator."""
    queue = aws.client("sqs").create_queue(QueueName="humana")["QueueUrl"]
    definition = compilar_retomada(SETTINGS, replace(RESOURCES, fila_humana_url=queue))
    arn = aws.client("stepfunctions").create_state_machine(
        name="retomada", definition=json.dumps(definition), roleArn="arn:aws:iam::000000000000:role/m"
    )["stateMachineArn"]
    yield arn, queue


@pytest.mark.parametrize(
    ("status", "more", "answers"),
    [
        ("REQUER_INTERVENCAO_HUMANA", _CASE, [_CLOSE]),
        ("REQUER_INTERVENCAO_HUMANA", _CASE, [_NAMING]),
        ("RESOLVIDO_MANUALMENTE", _CASE, [_CLOSE]),
        ("REQUER_INTERVENCAO_HUMANA", {}, [{"decisao": "TALVEZ"}, _CLOSE]),
        ("REQUER_INTERVENCAO_HUMANA", _CASE, [{**_CLOSE, "responsavel": ""}, {**_CLOSE, "decisao": 1}, _NAMING]),
        ("COMPENSANDO", {}, [_CLOSE, _CLOSE]),
        ("COMPENSANDO", {}, [_NAMING, _NAMING]),
    ],
)
def test_the_same_definition_goes_the_same_way(
    here: Installed,
    aws: AwsLocal,
    machine: tuple[str, str],
    request: pytest.FixtureRequest,
    status: str,
    more: Item,
    answers: list[dict[str, Any]],
) -> None:
    row: Item = {"pedidoId": {"S": "p-1"}, "status": {"S": status}, "cartaoToken": {"S": "tok-x"}, **more}
    ours = _in_memory(here, row, answers)
    theirs = _on_the_emulator(aws, *machine, name=request.node.name, row=row, answers=answers)
    assert ours == theirs
    assert ours.status == "SUCCEEDED"


def _in_memory(here: Installed, row: Item, answers: list[dict[str, Any]]) -> Ended:
    world = here.world = World()
    world.tables[PEDIDOS]["p-1"] = row
    first, *others = answers
    body = json.dumps({**_ORDER, "intervencao": first})
    arn = world.machines.start_execution(stateMachineArn=RETOMADA, name="p-1-c1", input=body)["executionArn"]
    world.settle(world.now + 30 * MINUTE)
    for answer in others:
        token = world.sqs.queues[HUMANA].bodies()[-1]["taskToken"]
        world.machines.send_task_success(taskToken=token, output=json.dumps(answer))
        world.settle(world.now + 30 * MINUTE)
    execution = world.machines.executions[arn]
    asked = [sorted(body) for body in world.sqs.queues[HUMANA].bodies()]
    return Ended(execution.status, tuple(execution.states()), _without_times(world.tables[PEDIDOS]["p-1"]), asked)


def _on_the_emulator(
    aws: AwsLocal, machine: str, queue: str, *, name: str, row: Item, answers: list[dict[str, Any]]
) -> Ended:
    dynamodb, sfn = aws.client("dynamodb"), aws.client("stepfunctions")
    dynamodb.put_item(TableName=PEDIDOS, Item=row)
    first, *others = answers
    body = json.dumps({**_ORDER, "intervencao": first})
    started = sfn.start_execution(stateMachineArn=machine, name=f"p-{zlib.crc32(name.encode())}-c1", input=body)
    asked: list[list[str]] = []
    for answer in others:
        message = _received(aws, queue)
        asked.append(sorted(message))
        sfn.send_task_success(taskToken=message["taskToken"], output=json.dumps(answer))
    execution = _ended(sfn, started["executionArn"])
    left = dynamodb.get_item(TableName=PEDIDOS, Key={"pedidoId": {"S": "p-1"}}, ConsistentRead=True)
    return Ended(execution.status, execution.states(), _without_times(left.get("Item", {})), asked)


def _received(aws: AwsLocal, queue: str) -> dict[str, Any]:
    sqs: Any = aws.client("sqs")
    until = time.monotonic() + _DEADLINE
    while time.monotonic() < until:
        for message in sqs.receive_message(QueueUrl=queue, WaitTimeSeconds=1).get("Messages", []):
            sqs.delete_message(QueueUrl=queue, ReceiptHandle=message["ReceiptHandle"])
            return json.loads(message["Body"])
    raise AssertionError("nobody was asked")


def _ended(sfn: Any, arn: str) -> Any:
    until = time.monotonic() + _DEADLINE
    while time.monotonic() < until:
        execution = read_execution(sfn, arn)
        if execution is not None and execution.status != "RUNNING":
            return execution
        time.sleep(0.05)
    raise AssertionError(f"{arn} does not end")


def _without_times(row: Any) -> dict[str, Any]:
    kept = {name: value for name, value in row.items() if name not in _TIMES}
    if "caso" in kept:
        kept["caso"] = {"M": {name: value for name, value in kept["caso"]["M"].items() if name != "abertoEm"}}
    for text in ("resolucao", "detalhe"):
        if text in kept:
            kept[text] = json.loads(kept[text]["S"])
    return kept


def test_messages(here: Installed, aws: AwsLocal) -> None:
    url = aws.client("sqs").create_queue(QueueName="mensagens")["QueueUrl"]
    world = here.world = World()
    assert _messages(world.sqs, HUMANA) == _messages(aws.client("sqs"), url)


def _messages(sqs: Any, url: str) -> list[object]:
    """What two readers see of a message, in turn."""

    def read(seconds: int) -> list[Any]:
        return sqs.receive_message(
            QueueUrl=url,
            MaxNumberOfMessages=10,
            VisibilityTimeout=seconds,
            WaitTimeSeconds=0,
            MessageSystemAttributeNames=["SentTimestamp"],
        ).get("Messages", [])

    def hidden() -> int:
        name = "ApproximateNumberOfMessagesNotVisible"
        return int(sqs.get_queue_attributes(QueueUrl=url, AttributeNames=[name])["Attributes"][name])

    seen: list[object] = [len(read(60))]
    sqs.send_message(QueueUrl=url, MessageBody="a")
    (first,) = read(60)
    seen += [first["Body"], sorted(first["Attributes"]), len(read(60)), hidden()]
    sqs.change_message_visibility(QueueUrl=url, ReceiptHandle=first["ReceiptHandle"], VisibilityTimeout=0)
    (again,) = read(60)
    seen += [again["Body"], again["ReceiptHandle"] == first["ReceiptHandle"], hidden()]
    sqs.delete_message(QueueUrl=url, ReceiptHandle=again["ReceiptHandle"])
    return [*seen, len(read(60)), hidden()]
