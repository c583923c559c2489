"""Tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from infra.local.creators.base import Context, Inputs, Outputs, creates

if TYPE_CHECKING:
    from mypy_boto3_dynamodb.type_defs import KeySchemaElementTypeDef

__all__ = ["CREATORS"]

INDEX_PROPERTIES = ("name", "hashKey", "rangeKey", "projectionType", "nonKeyAttributes")


@creates(
    "aws:dynamodb/table:Table",
    handled=(
        "name",
        "billingMode",
        "hashKey",
        "rangeKey",
        "attributes",
        "globalSecondaryIndexes",
        "pointInTimeRecovery",
        "serverSideEncryption",
        "deletionProtectionEnabled",
        "tags",
    ),
)
def table(inputs: Inputs, context: Context) -> Outputs:
    client = context.aws.client("dynamodb")
    name = inputs.string("name")
    optional: dict[str, Any] = {}
    if indexes := [_index(index) for index in inputs.blocks("globalSecondaryIndexes", INDEX_PROPERTIES)]:
        optional["GlobalSecondaryIndexes"] = indexes
    if encryption := inputs.block("serverSideEncryption", ("enabled",)):
        optional["SSESpecification"] = {"Enabled": encryption.boolean("enabled", default=False)}
    answer = client.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST" if inputs.string("billingMode") == "PAY_PER_REQUEST" else "PROVISIONED",
        KeySchema=_key_schema(inputs),
        AttributeDefinitions=[
            {"AttributeName": attribute.string("name"), "AttributeType": _attribute_type(attribute.string("type"))}
            for attribute in inputs.blocks("attributes", ("name", "type"))
        ],
        DeletionProtectionEnabled=inputs.boolean("deletionProtectionEnabled", default=False),
        Tags=[{"Key": key, "Value": value} for key, value in inputs.string_map("tags").items()],
        **optional,
    )
    client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1, "MaxAttempts": 20})
    if recovery := inputs.block("pointInTimeRecovery", ("enabled",)):
        enabled = recovery.boolean("enabled", default=False)
        client.update_continuous_backups(
            TableName=name, PointInTimeRecoverySpecification={"PointInTimeRecoveryEnabled": enabled}
        )
    return Outputs(name, {"arn": answer["TableDescription"].get("TableArn", "")})


def _key_schema(keys: Inputs) -> list[KeySchemaElementTypeDef]:
    schema: list[KeySchemaElementTypeDef] = [{"AttributeName": keys.string("hashKey"), "KeyType": "HASH"}]
    if range_key := keys.optional_string("rangeKey"):
        schema.append({"AttributeName": range_key, "KeyType": "RANGE"})
    return schema


def _index(index: Inputs) -> dict[str, object]:
    projection: dict[str, object] = {"ProjectionType": index.string("projectionType")}
    if attributes := index.strings("nonKeyAttributes"):
        projection["NonKeyAttributes"] = attributes
    return {"IndexName": index.string("name"), "KeySchema": _key_schema(index), "Projection": projection}


def _attribute_type(text: str) -> Any:
    # boto3's stubs want a literal type; the emulator validates it as AWS does.
    return text


CREATORS = (table,)
