"""A DynamoDB in memory behind the low-level client's interface, strict about what it is asked."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar, cast

from botocore.exceptions import ClientError

from tests.support.expressions import (
    InvalidExpressionError,
    Scope,
    check_placeholders,
    condition,
    copied,
    projection,
    update,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from mypy_boto3_dynamodb import DynamoDBClient

    T = TypeVar("T")

    class Outside(Protocol):
        """Stands between the code under test and every effect it has on the world."""

        def __call__(self, name: str, effect: Callable[[], T]) -> T: ...


__all__ = ["FakeDynamo", "Tables", "direct", "refusal"]

Item = dict[str, dict[str, Any]]
Tables = dict[str, dict[str, Item]]
"""Items by table and key: all the state there is, so that a test can copy and compare worlds."""

_READ = {"TableName", "Key", "ConsistentRead", "ProjectionExpression", "ExpressionAttributeNames"}
_PUT = {"TableName", "Item", "ConditionExpression", "ExpressionAttributeNames"}
_UPDATE = {
    "TableName",
    "Key",
    "UpdateExpression",
    "ConditionExpression",
    "ExpressionAttributeNames",
    "ExpressionAttributeValues",
    "ReturnValues",
    "ReturnValuesOnConditionCheckFailure",
}


def direct(name: str, effect: Callable[[], T]) -> T:
    """The `Outside` that lets everything happen."""
    return effect()


class FakeDynamo:
    """The calls this project makes, on ``tables``; ``requests`` has each one made, name and arguments."""

    def __init__(self, keys: dict[str, str], tables: Tables, outside: Outside = direct) -> None:
        self.keys = keys
        self.tables = tables
        self.outside = outside
        self.requests: list[tuple[str, dict[str, Any]]] = []

    @property
    def client(self) -> DynamoDBClient:
        """Itself, as the type the repositories ask for."""
        return cast("DynamoDBClient", cast("object", self))

    def get_item(self, **request: Any) -> dict[str, Any]:
        self._note("get_item", request, _READ)
        return self.outside("get_item", lambda: self._get(request))

    def put_item(self, **request: Any) -> dict[str, Any]:
        self._note("put_item", request, _PUT)
        return self.outside("put_item", lambda: self._put(request))

    def update_item(self, **request: Any) -> dict[str, Any]:
        self._note("update_item", request, _UPDATE)
        return self.outside("update_item", lambda: self._update(request))

    def _note(self, name: str, request: dict[str, Any], known: set[str]) -> None:
        unknown = request.keys() - known
        if unknown:
            raise AssertionError(f"{name} does not know {sorted(unknown)} here")
        self.requests.append((name, request))

    def _get(self, request: dict[str, Any]) -> dict[str, Any]:
        if request.get("ConsistentRead") is not True:
            raise AssertionError("every read of this project is consistent")
        names = request["ExpressionAttributeNames"]

        def parse() -> set[tuple[str, ...]]:
            check_placeholders(request["ProjectionExpression"], names, {})
            return {Scope({}, names, {}).path(parts) for parts in projection(request["ProjectionExpression"])}

        paths = _validated("GetItem", parse)
        item = self._table(request).get(self._key(request))
        if item is None:
            return {}
        return {"Item": _only(item, paths)}

    def _put(self, request: dict[str, Any]) -> dict[str, Any]:
        item = copied(request["Item"])
        key = item[self.keys[request["TableName"]]]["S"]
        current = self._table(request).get(key)
        if not self._holds("PutItem", request, current):
            raise refusal(None)
        self._table(request)[key] = item
        return {}

    def _update(self, request: dict[str, Any]) -> dict[str, Any]:
        key = self._key(request)
        current = self._table(request).get(key)
        if not self._holds("UpdateItem", request, current):
            tells = request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD"
            raise refusal(copied(current) if tells and current is not None else None)
        # An update that meets no item makes one.
        before = current if current is not None else cast("Item", request["Key"])
        scope = Scope(before, request["ExpressionAttributeNames"], request.get("ExpressionAttributeValues", {}))
        after, touched = _validated("UpdateItem", lambda: update(request["UpdateExpression"])(scope))
        self._table(request)[key] = after
        if request.get("ReturnValues") != "UPDATED_OLD":
            return {}
        return {"Attributes": _only(before, touched)}

    @staticmethod
    def _holds(operation: str, request: dict[str, Any], current: Item | None) -> bool:
        names, values = request["ExpressionAttributeNames"], request.get("ExpressionAttributeValues", {})
        expressions = f"{request.get('UpdateExpression', '')} {request['ConditionExpression']}"

        def evaluate() -> bool:
            if "ExpressionAttributeValues" in request and not values:
                raise InvalidExpressionError("ExpressionAttributeValues must not be empty")
            check_placeholders(expressions, names, values)
            return condition(request["ConditionExpression"])(Scope(current or {}, names, values))

        return _validated(operation, evaluate)

    def _table(self, request: dict[str, Any]) -> dict[str, Item]:
        return self.tables[request["TableName"]]

    def _key(self, request: dict[str, Any]) -> str:
        ((name, value),) = request["Key"].items()
        if name != self.keys[request["TableName"]]:
            raise _invalid("GetItem", "the provided key element does not match the schema")
        return value["S"]


def _only(item: Item, paths: set[tuple[str, ...]]) -> Item:
    kept: Item = {}
    for path in paths:
        value: dict[str, Any] | None = {"M": item}
        for name in path:
            value = value["M"].get(name) if value is not None else None
        if value is None:
            continue
        into = kept
        for name in path[:-1]:
            into = cast("Item", into.setdefault(name, {"M": {}})["M"])
        into[path[-1]] = copied({"": value})[""]
    return kept


def _validated(operation: str, action: Callable[[], T]) -> T:
    try:
        return action()
    except InvalidExpressionError as error:
        message = str(error)
    raise _invalid(operation, message)


def _invalid(operation: str, message: str) -> ClientError:
    return ClientError({"Error": {"Code": "ValidationException", "Message": message}}, operation)


def refusal(current: Item | None) -> ClientError:
    """ConditionalCheckFailedException, with the item where the request asked for it and there is one."""
    answer: dict[str, Any] = {
        "Error": {"Code": "ConditionalCheckFailedException", "Message": "The conditional request failed"},
        "ResponseMetadata": {"HTTPStatusCode": 400},
    }
    if current is not None:
        answer["Item"] = current
    return ClientError(cast("Any", answer), "UpdateItem")
