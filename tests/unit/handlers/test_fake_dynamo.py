"""The fake is strict: what AWS refuses it refuses too, so that no test passes because it shrugged."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.support.dynamo import FakeDynamo

pytestmark = pytest.mark.unit


def um(**atributos: dict[str, Any]) -> FakeDynamo:
    return FakeDynamo({"t": "id"}, {"t": {"a": {"id": {"S": "a"}, "n": {"N": "5"}, **atributos}}})


def atualizar(dynamo: FakeDynamo, update: str, condition: str = "attribute_exists(#id)", **resto: Any) -> Any:
    names = {f"#{nome}": nome for nome in ("id", "n", "m", "p", "q") if f"#{nome}" in f"{update} {condition}"}
    request: dict[str, Any] = {
        "TableName": "t",
        "Key": {"id": {"S": "a"}},
        "UpdateExpression": update,
        "ConditionExpression": condition,
        "ExpressionAttributeNames": names,
        **resto,
    }
    return dynamo.update_item(**request)


@pytest.mark.parametrize(
    ("update", "condition", "resto"),
    [
        ("SET status = :v", "attribute_exists(#id)", {"ExpressionAttributeValues": {":v": {"S": "x"}}}),
        ("REMOVE #n", "status = :v", {"ExpressionAttributeValues": {":v": {"S": "x"}}}),
        ("SET #m.#p = :v", "attribute_exists(#id)", {"ExpressionAttributeValues": {":v": {"S": "x"}}}),
        ("REMOVE #m.#p", "attribute_exists(#id)", {}),
        ("SET #n = #q + :v", "attribute_exists(#id)", {"ExpressionAttributeValues": {":v": {"N": "1"}}}),
        ("SET #n = #id + :v", "attribute_exists(#id)", {"ExpressionAttributeValues": {":v": {"N": "1"}}}),
        ("SET #n = :v REMOVE #n", "attribute_exists(#id)", {"ExpressionAttributeValues": {":v": {"N": "1"}}}),
        ("SET #n = :v SET #m = :v", "attribute_exists(#id)", {"ExpressionAttributeValues": {":v": {"N": "1"}}}),
        ("REMOVE #n", "attribute_exists(#id)", {"ExpressionAttributeValues": {":v": {"N": "1"}}}),
        ("REMOVE #n", "attribute_exists(#id)", {"ExpressionAttributeValues": {}}),
        ("REMOVE #n", "#n = :v", {}),
        ("REMOVE #n", "#n", {}),
        ("REMOVE #n", "size(#n) > :v", {"ExpressionAttributeValues": {":v": {"N": "1"}}}),
        ("REMOVE #n", "#n <> :v", {"ExpressionAttributeValues": {":v": {"N": "1"}}}),
        ("REMOVE #n", "attribute_exists(#id) attribute_exists(#id)", {}),
        ("SET #n = if_not_exists(:v, #n)", "attribute_exists(#id)", {"ExpressionAttributeValues": {":v": {"N": "1"}}}),
        ("ADD #n :v", "attribute_exists(#id)", {"ExpressionAttributeValues": {":v": {"N": "1"}}}),
        ("REMOVE #n ;", "attribute_exists(#id)", {}),
    ],
)
def test_what_aws_or_this_project_does_not_allow_is_refused(update: str, condition: str, resto: dict[str, Any]) -> None:
    dynamo = um()
    antes = repr(dynamo.tables)
    with pytest.raises(ClientError) as refused:
        atualizar(dynamo, update, condition, **resto)
    assert refused.value.response.get("Error", {}).get("Code") == "ValidationException"
    assert repr(dynamo.tables) == antes


@pytest.mark.parametrize(
    ("condition", "vale"),
    [
        ("#n = :cinco", True),
        ("#n > :cinco", False),
        ("#n >= :cinco AND #n <= :cinco", True),
        ("#q = :cinco", False),
        ("#q < :cinco", False),
        ("#id = :cinco", False),
        ("NOT #n < :cinco", True),
        ("NOT #n IN (:cinco)", False),
        ("#n < :cinco OR #n = :cinco AND attribute_not_exists(#q)", True),
        ("(#n < :cinco OR #n = :cinco) AND attribute_exists(#q)", False),
        ("attribute_exists(#m.#p) OR #n IN (:cinco)", True),
    ],
)
def test_conditions_are_really_evaluated(condition: str, vale: bool) -> None:
    values = {":cinco": {"N": "5.0"}}
    if vale:
        atualizar(um(), "REMOVE #q", condition, ExpressionAttributeValues=values)
        return
    with pytest.raises(ClientError, match="ConditionalCheckFailed"):
        atualizar(um(), "REMOVE #q", condition, ExpressionAttributeValues=values)


def test_operands_see_the_item_as_it_was() -> None:
    dynamo = um(m={"M": {"p": {"N": "2"}}})
    answer = atualizar(dynamo, "SET #n = #n + #m.#p REMOVE #m.#p", "attribute_exists(#id)", ReturnValues="UPDATED_OLD")
    assert dynamo.tables["t"]["a"]["n"] == {"N": "7"}
    assert dynamo.tables["t"]["a"]["m"] == {"M": {}}
    assert answer == {"Attributes": {"n": {"N": "5"}, "m": {"M": {"p": {"N": "2"}}}}}


@pytest.mark.parametrize(("tinha", "fica"), [({"q": {"S": "antes"}}, "antes"), ({}, "depois")])
def test_a_default_is_taken_only_where_there_is_nothing(tinha: dict[str, Any], fica: str) -> None:
    dynamo = um(**tinha)
    atualizar(dynamo, "SET #q = if_not_exists(#q, :v)", ExpressionAttributeValues={":v": {"S": "depois"}})
    assert dynamo.tables["t"]["a"]["q"] == {"S": fica}


def test_an_update_without_an_item_makes_one_unless_the_condition_minds() -> None:
    dynamo = FakeDynamo({"t": "id"}, {"t": {}})
    with pytest.raises(ClientError, match="ConditionalCheckFailed") as refused:
        atualizar(dynamo, "REMOVE #n", ReturnValuesOnConditionCheckFailure="ALL_OLD")
    assert "Item" not in refused.value.response
    atualizar(dynamo, "REMOVE #n", "attribute_not_exists(#q)")
    assert dynamo.tables["t"] == {"a": {"id": {"S": "a"}}}


def test_old_values_come_back_only_when_asked_for() -> None:
    with pytest.raises(ClientError) as quiet:
        atualizar(um(), "REMOVE #n", "attribute_exists(#q)")
    assert "Item" not in quiet.value.response
    with pytest.raises(ClientError) as telling:
        atualizar(um(), "REMOVE #n", "attribute_exists(#q)", ReturnValuesOnConditionCheckFailure="ALL_OLD")
    assert telling.value.response.get("Item") == {"id": {"S": "a"}, "n": {"N": "5"}}


def test_unknown_arguments_and_inconsistent_reads_are_mistakes_of_the_caller() -> None:
    with pytest.raises(AssertionError, match="AttributesToGet"):
        um().get_item(TableName="t", Key={"id": {"S": "a"}}, AttributesToGet=["n"])
    with pytest.raises(AssertionError, match="consistent"):
        um().get_item(
            TableName="t", Key={"id": {"S": "a"}}, ProjectionExpression="#n", ExpressionAttributeNames={"#n": "n"}
        )


def test_a_read_brings_what_is_projected_and_no_more() -> None:
    dynamo = um(m={"M": {"p": {"S": "x"}, "q": {"S": "y"}}}, segredo={"S": "z"})
    answer = dynamo.get_item(
        TableName="t",
        Key={"id": {"S": "a"}},
        ConsistentRead=True,
        ProjectionExpression="#id, #m.#p",
        ExpressionAttributeNames={"#id": "id", "#m": "m", "#p": "p"},
    )
    assert answer == {"Item": {"id": {"S": "a"}, "m": {"M": {"p": {"S": "x"}}}}}


def consultar(dynamo: FakeDynamo, condition: str = "#h = :h AND #r <= :r", **resto: Any) -> Any:
    return dynamo.query(
        TableName="t",
        IndexName="i",
        KeyConditionExpression=condition,
        ProjectionExpression="#id",
        ExpressionAttributeNames={"#id": "id", "#h": "h", "#r": "r"},
        ExpressionAttributeValues={":h": {"S": "x"}, ":r": {"S": "5"}},
        **resto,
    )


def indexado(*linhas: tuple[str, str, str | None]) -> FakeDynamo:
    itens = {
        chave: {"id": {"S": chave}, "h": {"S": hash_}, **({"r": {"S": sort}} if sort is not None else {})}
        for chave, hash_, sort in linhas
    }
    return FakeDynamo({"t": "id"}, {"t": itens}, indexes={"i": ("h", "r")}, page=2)


def test_a_query_sees_only_what_the_sparse_index_holds_in_its_order() -> None:
    dynamo = indexado(("a", "x", "3"), ("b", "x", "1"), ("c", "x", None), ("d", "y", "1"), ("e", "x", "9"))
    assert consultar(dynamo) == {"Items": [{"id": {"S": "b"}}, {"id": {"S": "a"}}]}


def test_a_query_comes_in_pages() -> None:
    dynamo = indexado(("a", "x", "1"), ("b", "x", "1"), ("c", "x", "2"))
    primeira = consultar(dynamo)
    assert [item["id"]["S"] for item in primeira["Items"]] == ["a", "b"]
    segunda = consultar(dynamo, ExclusiveStartKey=primeira["LastEvaluatedKey"])
    assert [item["id"]["S"] for item in segunda["Items"]] == ["c"]
    assert "LastEvaluatedKey" not in segunda


@pytest.mark.parametrize(
    "condition",
    ["#r <= :r AND #h = :h", "#h <= :h AND #r <= :r", "#h = :h AND #r <= :s", "#h = :h AND #r <= :r AND"],
)
def test_a_query_wants_the_equality_of_the_hash_key_first_and_a_whole_condition(condition: str) -> None:
    with pytest.raises(ClientError, match="ValidationException"):
        consultar(indexado(), condition)
