"""The stock the embedded stack starts with (design §10)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from infra.local.emulator import AwsLocal

__all__ = ["SKUS", "seed"]

SKUS: Final[Mapping[str, int]] = {"sku-abc": 1000, "sku-cafe-500g": 500, "sku-ultimo": 1, "sku-zerado": 0}


def seed(aws: AwsLocal, table: str) -> None:
    """Put every SKU with its units free and no reservation.

    Args:
        aws: the emulator.
        table: name of the stock table.
    """
    client = aws.client("dynamodb")
    for sku, units in SKUS.items():
        client.put_item(TableName=table, Item={"sku": {"S": sku}, "saldo": {"N": str(units)}, "reservas": {"M": {}}})
