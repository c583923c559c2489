"""The few low-level DynamoDB calls the repositories share, and how attributes are written and read.

The low-level client on purpose: the resource API costs a cold start. Every attribute goes through
ExpressionAttributeNames, because ``status`` and many others are reserved words (case C21): an expression
here says ``#status``, and the name behind a placeholder is the placeholder's own word unless told otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, TypeVar, cast

from botocore.exceptions import ClientError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_dynamodb.type_defs import AttributeValueTypeDef, QueryInputTypeDef, UpdateItemInputTypeDef

__all__ = [
    "Applied",
    "Item",
    "MalformedItemError",
    "Refused",
    "Table",
    "integer",
    "member",
    "n",
    "optional_text",
    "s",
    "submap",
    "text",
]

Item = Mapping[str, "AttributeValueTypeDef"]
"""An item, or a map inside one, in DynamoDB's own notation."""

E = TypeVar("E", bound=StrEnum)

_PLACEHOLDER = re.compile(r"#(\w+)")


class MalformedItemError(Exception):
    """An item lacks an attribute, or holds another type. The text carries no value, so it may be shown.

    Attributes:
        attribute: the attribute's name.
    """

    def __init__(self, attribute: str, expected: str) -> None:
        self.attribute = attribute
        super().__init__(f"o atributo {attribute} da tabela deveria ser {expected}; confira o item antes de repetir")


def s(value: str) -> AttributeValueTypeDef:
    """A string attribute."""
    return {"S": value}


def n(value: int) -> AttributeValueTypeDef:
    """A number attribute."""
    return {"N": str(value)}


def optional_text(item: Item, name: str) -> str | None:
    """The string ``name``, None when absent. Raises `MalformedItemError` for another type."""
    attribute = item.get(name)
    if attribute is None:
        return None
    value = attribute.get("S")
    if value is None:
        raise MalformedItemError(name, "um texto")
    return value


def text(item: Item, name: str) -> str:
    """The string ``name``. Raises `MalformedItemError` when absent or of another type."""
    value = optional_text(item, name)
    if value is None:
        raise MalformedItemError(name, "um texto")
    return value


def integer(item: Item, name: str) -> int:
    """The whole number ``name``. Raises `MalformedItemError` when absent or not one."""
    attribute = item.get(name, {})
    try:
        return int(attribute.get("N", ""))
    except ValueError:
        pass
    raise MalformedItemError(name, "um número inteiro")


def member(item: Item, name: str, kind: type[E]) -> E:
    """The string ``name`` as a member of ``kind``. Raises `MalformedItemError` when absent or not one of them."""
    value = text(item, name)
    try:
        return kind(value)
    except ValueError:
        pass
    raise MalformedItemError(name, f"um valor de {kind.__name__}")


def submap(item: Item, name: str) -> Item | None:
    """The map ``name``, None when absent. Raises `MalformedItemError` for another type."""
    attribute = item.get(name)
    if attribute is None:
        return None
    value = attribute.get("M")
    if value is None:
        raise MalformedItemError(name, "um mapa")
    return cast("Item", value)


@dataclass(frozen=True)
class Applied:
    """The update was made.

    Attributes:
        before: the touched attributes as they were before.
    """

    before: Item


@dataclass(frozen=True)
class Refused:
    """The condition did not hold, so nothing was written.

    Attributes:
        current: the whole item at that very moment; None when there is no such item.
    """

    current: Item | None


@dataclass(frozen=True)
class Table:
    """A table whose partition key is one string and which has no sort key.

    Attributes:
        client: the low-level client.
        name: the table's name.
        key: the partition key's attribute.
    """

    client: DynamoDBClient
    name: str
    key: str

    def read(self, key: str, paths: Sequence[str], *, names: Mapping[str, str] | None = None) -> Item | None:
        """Those ``paths`` of the item (dots go into maps), read consistently; None when there is no item.

        The key always comes along, so an item that lacks every path is still told from no item at all.

        Args:
            names: attribute names behind placeholders that are not the attribute's own word.
        """
        projection = ", ".join(".".join(f"#{part}" for part in path.split(".")) for path in (self.key, *paths))
        answer = self.client.get_item(
            TableName=self.name,
            Key={self.key: s(key)},
            ConsistentRead=True,
            ProjectionExpression=projection,
            ExpressionAttributeNames={**_names(projection), **(names or {})},
        )
        return answer.get("Item")

    def keys_until(
        self, index: str, *, partition: tuple[str, str], until: tuple[str, str], pages: int
    ) -> Iterator[str]:
        """Keys of the items of one partition of an index, in its order, up to and including a sort key.

        An index is read eventually consistent: `read` an item before acting on it.

        Args:
            index: the index's name.
            partition: its hash key's attribute, and the value wanted.
            until: its sort key's attribute, and the last value wanted.
            pages: pages of at most 1 MB to read before stopping.
        """
        (hash_key, value), (sort_key, last) = partition, until
        condition = f"#{hash_key} = :partition AND #{sort_key} <= :until"
        request: QueryInputTypeDef = {
            "TableName": self.name,
            "IndexName": index,
            "KeyConditionExpression": condition,
            "ProjectionExpression": f"#{self.key}",
            "ExpressionAttributeNames": _names(f"{condition} #{self.key}"),
            "ExpressionAttributeValues": {":partition": s(value), ":until": s(last)},
        }
        for _ in range(pages):
            page = self.client.query(**request)
            for item in page["Items"]:
                yield text(item, self.key)
            if "LastEvaluatedKey" not in page:
                return
            request["ExclusiveStartKey"] = page["LastEvaluatedKey"]

    def insert(self, item: Item) -> bool:
        """Writes a whole new item; False, and nothing written, when its key is taken."""
        condition = f"attribute_not_exists(#{self.key})"
        try:
            self.client.put_item(
                TableName=self.name,
                Item=item,
                ConditionExpression=condition,
                ExpressionAttributeNames=_names(condition),
            )
        except ClientError as error:
            if not _is_refusal(error):
                raise
            return False
        return True

    def update(self, key: str, *, update: str, condition: str, values: Item) -> bool:
        """One conditional write; False, and nothing written, when the condition does not hold.

        Asks for no old value, so that an attribute the caller may not see can never come back.
        """
        try:
            self.client.update_item(**self._request(key, update, condition, values, {}))
        except ClientError as error:
            if not _is_refusal(error):
                raise
            return False
        return True

    def update_telling(
        self, key: str, *, update: str, condition: str, values: Item, names: Mapping[str, str]
    ) -> Applied | Refused:
        """As `update`, telling what was there; only for tables that hold no secret (design §5).

        Args:
            names: attribute names behind placeholders that are not the attribute's own word.
        """
        request = self._request(key, update, condition, values, names)
        request["ReturnValues"] = "UPDATED_OLD"
        request["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        try:
            answer = self.client.update_item(**request)
        except ClientError as error:
            if not _is_refusal(error):
                raise
            # The service model has "Item" in this one error; the stubs know only the fields all errors share.
            return Refused(cast("Mapping[str, Item]", error.response).get("Item"))
        return Applied(answer.get("Attributes", {}))

    def _request(
        self, key: str, update: str, condition: str, values: Item, names: Mapping[str, str]
    ) -> UpdateItemInputTypeDef:
        request: UpdateItemInputTypeDef = {
            "TableName": self.name,
            "Key": {self.key: s(key)},
            "UpdateExpression": update,
            "ConditionExpression": condition,
            "ExpressionAttributeNames": {**_names(f"{update} {condition}"), **names},
        }
        if values:
            # DynamoDB refuses an empty map of values.
            request["ExpressionAttributeValues"] = values
        return request


def _names(expression: str) -> dict[str, str]:
    return {f"#{word}": word for word in _PLACEHOLDER.findall(expression)}


def _is_refusal(error: ClientError) -> bool:
    return error.response.get("Error", {}).get("Code") == "ConditionalCheckFailedException"
