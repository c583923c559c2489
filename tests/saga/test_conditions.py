"""What a condition says about the status, read off a definition."""

from __future__ import annotations

from typing import Any

import pytest

from infra.saga.choices import AbsentPathError, branches
from infra.saga.conditions import ConditionalWrite, status_write

pytestmark = pytest.mark.saga

UPDATE = "arn:aws:states:::dynamodb:updateItem"


def _write(condition: str | None, update: str = "SET #s = :new, other = :b") -> ConditionalWrite:
    parameters: dict[str, Any] = {
        "UpdateExpression": update,
        "ExpressionAttributeNames": {"#s": "status"},
        "ExpressionAttributeValues": {":new": {"S": "DONE"}, ":a": {"S": "OPEN"}, ":b": {"S": "STUCK"}},
    }
    if condition is not None:
        parameters["ConditionExpression"] = condition
    write = status_write({"Resource": UPDATE, "Parameters": parameters}, "status")
    assert write is not None
    return write


@pytest.mark.parametrize(
    ("condition", "over"),
    [
        (None, {"OPEN", "STUCK", "GONE"}),
        ("#s = :a", {"OPEN"}),
        (":a = #s", {"OPEN"}),
        ("status = :a", {"OPEN"}),
        ("#s <> :a", {"STUCK", "GONE"}),
        ("#s IN (:a, :b)", {"OPEN", "STUCK"}),
        ("#s = :a OR #s = :b", {"OPEN", "STUCK"}),
        ("NOT #s = :a", {"STUCK", "GONE"}),
        ("NOT (#s = :a OR #s = :b)", {"GONE"}),
        ("attribute_exists(#s)", {"OPEN", "STUCK", "GONE"}),
        ("attribute_not_exists(#s)", set[str]()),
        ("attribute_exists(pk) AND #s = :a", {"OPEN"}),
        # What is not about the status may hold or not: then the write may happen.
        ("attribute_exists(pk)", {"OPEN", "STUCK", "GONE"}),
        ("total >= :b OR #s = :a", {"OPEN", "STUCK", "GONE"}),
        ("begins_with(name, :a) and #s in (:b)", {"STUCK"}),
    ],
)
def test_a_condition_is_read_as_dynamodb_would(condition: str | None, over: set[str]) -> None:
    write = _write(condition)
    assert {status for status in ("OPEN", "STUCK", "GONE") if write.allows(status)} == over


def test_the_status_written_is_found_in_either_kind_of_write() -> None:
    assert _write(None).status == "DONE"
    assert _write(None, "SET other = :b, status = :a REMOVE x").status == "OPEN"
    put = {"Resource": "arn:aws:states:::dynamodb:putItem", "Parameters": {"Item": {"status": {"S": "X"}}}}
    write = status_write(put, "status")
    assert write is not None
    assert (write.status, write.allows("anything")) == ("X", True)


@pytest.mark.parametrize(
    "state",
    [
        {"Resource": "arn:aws:states:::lambda:invoke", "Parameters": {}},
        {"Resource": UPDATE, "Parameters": {"UpdateExpression": "SET other = :a"}},
        {
            "Resource": UPDATE,
            "Parameters": {"UpdateExpression": "SET #s = :a", "ExpressionAttributeNames": {"#s": "x"}},
        },
        {"Resource": "arn:aws:states:::dynamodb:putItem", "Parameters": {"Item": {"status": {"S.$": "$.x"}}}},
    ],
)
def test_what_writes_no_known_status_is_no_status_write(state: dict[str, Any]) -> None:
    assert status_write(state, "status") is None


# --- Choices -------------------------------------------------------------------------------------------------------

CHOICE: dict[str, Any] = {
    "Choices": [
        {
            "And": [
                {"Variable": "$.r.x", "IsPresent": True},
                {"Variable": "$.r.x", "IsString": True},
                {"Variable": "$.r.x", "StringEquals": "sim"},
            ],
            "Next": "Sim",
        },
        {"Or": [{"Variable": "$.r", "IsNull": True}, {"Variable": "$.other", "NumericEquals": 1}], "Next": "Talvez"},
    ],
    "Default": "Nao",
}


@pytest.mark.parametrize(
    ("value", "targets"),
    [
        ({"x": "sim"}, ["Sim"]),
        ({"x": "não"}, ["Talvez", "Nao"]),
        ({"x": 1}, ["Talvez", "Nao"]),
        ({}, ["Talvez", "Nao"]),
        ("sim", ["Talvez", "Nao"]),
        (None, ["Talvez"]),
    ],
)
def test_a_known_answer_takes_one_branch_and_an_unknown_value_any(value: object, targets: list[str]) -> None:
    assert [target for _, target in branches(CHOICE, "r", value)] == targets


def test_a_comparison_with_what_is_not_there_ends_the_execution() -> None:
    bare = {"Choices": [{"Variable": "$.r.x", "StringEquals": "sim", "Next": "Sim"}], "Default": "Nao"}
    with pytest.raises(AbsentPathError, match=r"\$\.r\.x"):
        list(branches(bare, "r", {}))
    assert [target for _, target in branches(bare, "r", {"x": "sim"})] == ["Sim"]


def test_a_choice_without_default_may_lead_nowhere() -> None:
    without = {"Choices": CHOICE["Choices"]}
    assert [target for _, target in branches(without, "r", {"x": "não"})] == ["Talvez", None]
