"""Every request our code was seen to make, on every kind of item it was seen to meet: the fake answers as DynamoDB.

Recorded from all scenarios of the crash points, the machines' own integrations among them; nothing is written by hand.
"""

from __future__ import annotations

import json
from decimal import Decimal
from typing import TYPE_CHECKING, Any, cast

import pytest
from botocore.exceptions import ClientError

from handlers.domain.reconciliation_rows import INDICES
from tests.crash.scenarios import SCENARIOS, run
from tests.inprocess.functions import ESTOQUE, PEDIDOS
from tests.support.dynamo import FakeDynamo

if TYPE_CHECKING:
    from collections.abc import Mapping

    from infra.local.emulator import AwsLocal
    from tests.inprocess.functions import Installed
    from tests.support.dynamo import Item

pytestmark = pytest.mark.e2e

_KEYS = {PEDIDOS: "pedidoId", ESTOQUE: "sku"}
_OF_EACH_KIND = 1
"""Requests kept of those that differ in their values alone."""


class _Recording:
    """What was asked, and what items there were."""

    def __init__(self) -> None:
        self.requests: dict[str, list[tuple[str, dict[str, Any]]]] = {}
        self.items: dict[str, dict[str, Item]] = {PEDIDOS: {}, ESTOQUE: {}}

    def ask(self, name: str, request: dict[str, Any]) -> None:
        texts = {key: value for key, value in request.items() if "Expression" in key and isinstance(value, str)}
        kind = json.dumps([name, request["TableName"], request.get("IndexName"), texts], sort_keys=True)
        known = self.requests.setdefault(kind, [])
        if len(known) < _OF_EACH_KIND and (name, request) not in known:
            known.append((name, request))

    def see(self, table: str, item: Item) -> None:
        charge = item.get("cobranca", {}).get("M", {}).get("estado")
        # A message sent again matters to an order that has not begun.
        told = [name in item and (charge is None or name != "reenvio") for name in ("caso", "estorno", "reenvio")]
        self.items[table].setdefault(json.dumps([item.get("status"), charge, told, _entries(item)]), item)


@pytest.fixture(scope="module")
def recording(here: Installed) -> _Recording:
    recorded = _Recording()
    for scenario in SCENARIOS:
        world = run(here, scenario).world
        for name, request in world.dynamo.requests:
            recorded.ask(name, request)
        for table, item in world.dynamo.written:
            recorded.see(table, item)
    return recorded


def test_reads_and_writes(aws: AwsLocal, recording: _Recording) -> None:
    dynamodb = aws.client("dynamodb")
    asked = [one for kind in recording.requests.values() for one in kind if one[0] != "query"]
    applied = refused = 0
    for table, items in recording.items.items():
        requests = [(name, request) for name, request in asked if request["TableName"] == table]
        for item in (None, *items.values()):
            there: object = None
            for name, request in requests:
                key = request["Key"] if "Key" in request else {_KEYS[table]: request["Item"][_KEYS[table]]}
                before = {**item, **key} if item is not None else None
                ours = _ours(table, before)
                if there != key:
                    _put(dynamodb, table, key, before)
                answers = [_asked(client, name, request) for client in (ours, dynamodb)]
                assert answers[0] == answers[1], (name, request, before)
                # What was refused, or only read, leaves the item there for the next request.
                there = key if "Error" in answers[0] or name == "get_item" else None
                if there is None:
                    mine, its = (_item(client, table, key) for client in (ours, dynamodb))
                    assert mine == its, (name, request, before)
                applied += there is None
                refused += "Error" in answers[0]
    assert len(asked) > 30
    assert min(applied, refused) > 100


def test_queries(aws: AwsLocal, recording: _Recording) -> None:
    dynamodb = aws.client("dynamodb")
    rows = {f"q-{n}": {**item, "pedidoId": {"S": f"q-{n}"}} for n, item in enumerate(recording.items[PEDIDOS].values())}
    for row in rows.values():
        dynamodb.put_item(TableName=PEDIDOS, Item=row)
    # Left there by the other requests.
    dynamodb.delete_item(TableName=PEDIDOS, Key={"pedidoId": {"S": "p-1"}})
    fake = FakeDynamo(_KEYS, {PEDIDOS: rows, ESTOQUE: {}}, indexes={i: ("status", k) for i, k in INDICES.items()})
    found = 0
    for name, request in (one for kind in recording.requests.values() for one in kind if one[0] == "query"):
        ours, theirs = (_asked(client, name, request) for client in (fake, dynamodb))
        assert ours["Items"] == theirs["Items"], request
        found += len(ours["Items"])
    assert found > 5


def _ours(table: str, before: Item | None) -> Any:
    key = _KEYS[table]
    return FakeDynamo(_KEYS, {table: {} if before is None else {before[key]["S"]: before}})


def _put(dynamodb: Any, table: str, key: Mapping[str, Any], before: Item | None) -> None:
    if before is None:
        dynamodb.delete_item(TableName=table, Key=key)
    else:
        dynamodb.put_item(TableName=table, Item=before)


def _item(client: Any, table: str, key: Mapping[str, Any]) -> Any:
    return _plain(client.get_item(TableName=table, Key=key, ConsistentRead=True))


def _asked(client: Any, name: str, request: dict[str, Any]) -> dict[str, Any]:
    """The answer, or the error's code and item."""
    try:
        return _plain(getattr(client, name)(**request))
    except ClientError as error:
        response: Any = error.response
        item = {"Item": _plain(response["Item"])} if "Item" in response else {}
        return {"Error": response["Error"]["Code"], **item}


def _plain(value: Any) -> Any:
    """Without what is about the call and not the item, and with numbers as numbers."""
    if isinstance(value, list):
        return [_plain(item) for item in cast("list[Any]", value)]
    if not isinstance(value, dict):
        return value
    fields = cast("dict[str, Any]", value)
    if fields.keys() == {"N"}:
        return {"N": Decimal(fields["N"])}
    return {k: _plain(v) for k, v in fields.items() if k not in ("ResponseMetadata", "Count", "ScannedCount")}


def _entries(item: Item) -> list[bool]:
    """Which of the item's entries are reservations, the others being tombstones."""
    entries = item.get("reservas", {}).get("M", {}).values()
    return sorted(int(entry["N"]) > 0 for entry in entries)
