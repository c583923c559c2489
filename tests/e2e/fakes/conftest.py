"""An emulator with bare tables and queues: no functions, no Pulumi program."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from handlers.domain.reconciliation_rows import INDICES
from infra.local.emulator import AwsLocal, configure, start_emulator
from infra.local.processes import Guardian, choose_port
from tests.inprocess.functions import ESTOQUE, PEDIDOS, Installed, installed

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def aws() -> Iterator[AwsLocal]:
    with Guardian() as guardian:
        emulator = start_emulator(guardian, choose_port(None, option="--porta-aws"))
        configure(emulator, wait_scale=0.02)
        _create_tables(emulator)
        yield emulator


@pytest.fixture(scope="module")
def here() -> Iterator[Installed]:
    with installed() as ready:
        yield ready


def _create_tables(emulator: AwsLocal) -> None:
    dynamodb = emulator.client("dynamodb")
    dynamodb.create_table(
        TableName=ESTOQUE,
        KeySchema=[{"AttributeName": "sku", "KeyType": "HASH"}],
        AttributeDefinitions=[{"AttributeName": "sku", "AttributeType": "S"}],
        BillingMode="PAY_PER_REQUEST",
    )
    dynamodb.create_table(
        TableName=PEDIDOS,
        KeySchema=[{"AttributeName": "pedidoId", "KeyType": "HASH"}],
        AttributeDefinitions=[
            {"AttributeName": name, "AttributeType": "S"} for name in ("pedidoId", "status", *INDICES.values())
        ],
        GlobalSecondaryIndexes=[
            {
                "IndexName": index,
                "KeySchema": [
                    {"AttributeName": "status", "KeyType": "HASH"},
                    {"AttributeName": key, "KeyType": "RANGE"},
                ],
                "Projection": {"ProjectionType": "KEYS_ONLY"},
            }
            for index, key in INDICES.items()
        ],
        BillingMode="PAY_PER_REQUEST",
    )
