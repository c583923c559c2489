"""What the embedded stack starts with: stock (design §10), and the gateway's credentials."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

    from infra.local.emulator import AwsLocal

__all__ = ["SKUS", "seed", "seed_parameters"]

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


def seed_parameters(aws: AwsLocal, values: Mapping[str, str]) -> None:
    """Put secrets where the functions read them, as a person does on AWS: the program never sees them.

    Args:
        aws: the emulator.
        values: secret by the parameter's name.
    """
    client = aws.client("ssm")
    for name, value in values.items():
        client.put_parameter(Name=name, Value=value, Type="SecureString", Overwrite=True)
