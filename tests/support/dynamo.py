"""A DynamoDB in memory behind the low-level client's interface, strict about what it is asked."""

from __future__ import annotations

from functools import lru_cache
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
    from collections.abc import Callable, Collection, Iterator
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
_QUERY = {
    "TableName",
    "IndexName",
    "KeyConditionExpression",
    "ProjectionExpression",
    "ExpressionAttributeNames",
    "ExpressionAttributeValues",
    "ExclusiveStartKey",
}
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
    """The calls this project makes, on ``tables``; ``requests`` has each one made, name and arguments, and ``written``
    each item left by a write, with its table.

    ``indexes`` has the hash and sort key of each index by name; a page of a query holds ``page`` items.
    """

    def __init__(
        self,
        keys: dict[str, str],
        tables: Tables,
        outside: Outside = direct,
        *,
        indexes: dict[str, tuple[str, str]] | None = None,
        page: int = 50,
    ) -> None:
        self.keys = keys
        self.tables = tables
        self.outside = outside
        self.indexes = indexes or {}
        self.page = page
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self.written: list[tuple[str, Item]] = []

    @property
    def client(self) -> DynamoDBClient:
        """Itself, as the type the repositories ask for."""
        return cast("DynamoDBClient", cast("object", self))

    def get_item(self, **request: Any) -> dict[str, Any]:
        self._note("get_item", request, _READ)
        return self.outside("get_item", lambda: self._get(request))

    def query(self, **request: Any) -> dict[str, Any]:
        self._note("query", request, _QUERY)
        return self.outside("query", lambda: self._query(request))

    def get_paginator(self, name: str) -> _Pages:
        """The only paginator anybody here asks for is Query's."""
        assert name == "query"
        return _Pages(self)

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
        if "ProjectionExpression" not in request:
            whole = self._table(request).get(self._key(request))
            return {} if whole is None else {"Item": copied(whole)}
        names = request["ExpressionAttributeNames"]

        def parse() -> frozenset[tuple[str, ...]]:
            check_placeholders(request["ProjectionExpression"], names, {})
            return _paths(request["ProjectionExpression"], frozenset(names.items()))

        paths = _validated("GetItem", parse)
        item = self._table(request).get(self._key(request))
        if item is None:
            return {}
        return {"Item": _only(item, paths)}

    def _query(self, request: dict[str, Any]) -> dict[str, Any]:
        names, values = request["ExpressionAttributeNames"], request["ExpressionAttributeValues"]
        hash_key, sort_key = self.indexes[request["IndexName"]]
        expression, projected = request["KeyConditionExpression"], request["ProjectionExpression"]

        def parse() -> tuple[frozenset[tuple[str, ...]], Callable[[Scope], bool]]:
            check_placeholders(f"{expression} {projected}", names, values)
            if names[expression.split(" ")[0]] != hash_key or " = " not in expression.partition(" AND ")[0]:
                raise InvalidExpressionError("the hash key of the index wants an equality")
            return _paths(projected, frozenset(names.items())), condition(expression)

        paths, wanted = _validated("Query", parse)
        # Sparse: an item without both keys is not in the index; and a query reads one partition of it.
        partition = values[expression.split(" ")[2]]
        indexed = [i for i in self._table(request).values() if i.get(hash_key) == partition and sort_key in i]
        found = [item for item in indexed if wanted(Scope(item, names, values))]
        key = self.keys[request["TableName"]]
        found.sort(key=lambda item: (item[sort_key]["S"], item[key]["S"]))
        start = request.get("ExclusiveStartKey")
        if start is not None:
            after = (start[sort_key]["S"], start[key]["S"])
            found = [item for item in found if (item[sort_key]["S"], item[key]["S"]) > after]
        answer: dict[str, Any] = {"Items": [_only(item, paths) for item in found[: self.page]]}
        if len(found) > self.page:
            last = found[self.page - 1]
            answer["LastEvaluatedKey"] = {name: last[name] for name in (key, hash_key, sort_key)}
        return answer

    def _put(self, request: dict[str, Any]) -> dict[str, Any]:
        item = copied(request["Item"])
        key = item[self.keys[request["TableName"]]]["S"]
        current = self._table(request).get(key)
        if not self._holds("PutItem", request, current):
            raise refusal(None)
        self._leave(request, key, item)
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
        self._leave(request, key, after)
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

    def _leave(self, request: dict[str, Any], key: str, item: Item) -> None:
        # Every write leaves a new item, so what is noted does not change any more.
        self._table(request)[key] = item
        self.written.append((request["TableName"], item))

    def _table(self, request: dict[str, Any]) -> dict[str, Item]:
        return self.tables[request["TableName"]]

    def _key(self, request: dict[str, Any]) -> str:
        ((name, value),) = request["Key"].items()
        if name != self.keys[request["TableName"]]:
            raise _invalid("GetItem", "the provided key element does not match the schema")
        return value["S"]


class _Pages:
    """The paginator of Query."""

    def __init__(self, dynamo: FakeDynamo) -> None:
        self._dynamo = dynamo

    def paginate(self, **request: Any) -> Iterator[dict[str, Any]]:
        while True:
            page = self._dynamo.query(**request)
            yield page
            if "LastEvaluatedKey" not in page:
                return
            request["ExclusiveStartKey"] = page["LastEvaluatedKey"]


@lru_cache
def _paths(projected: str, names: frozenset[tuple[str, str]]) -> frozenset[tuple[str, ...]]:
    """What a ProjectionExpression asks for; the same few are asked again and again."""
    scope = Scope({}, dict(names), {})
    return frozenset(scope.path(parts) for parts in projection(projected))


def _only(item: Item, paths: Collection[tuple[str, ...]]) -> Item:
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
