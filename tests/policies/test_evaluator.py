"""The evaluator's verdicts, against what IAM's documentation says of each piece of the language."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import pytest

from policies.evaluation.catalog import actions_like, all_actions, describe, fits
from policies.evaluation.evaluator import Evaluator, Request, UnsupportedPolicyError

if TYPE_CHECKING:
    from policies.documents import PolicyDocument

pytestmark = pytest.mark.policies

TABLE = "arn:aws:dynamodb:us-east-1:123456789012:table/cesta-pedidos"
GET = "dynamodb:GetItem"


def document(**statement: Any) -> PolicyDocument:
    whole = {"Sid": "S", "Effect": "Allow", "Action": [GET], "Resource": [TABLE], **statement}
    return cast("PolicyDocument", {"Version": "2012-10-17", "Statement": [whole]})


def allows(policy: PolicyDocument, **request: Any) -> bool:
    whole: dict[str, Any] = {"action": GET, "resource": TABLE, **request}
    return Evaluator(policy).allowed_by(Request(**whole)) is not None


def test_what_nothing_allows_is_denied() -> None:
    assert not allows(document(Action=["dynamodb:PutItem"]))
    assert not allows(document(Resource=[f"{TABLE}-x"]))


def test_an_explicit_deny_wins_whatever_the_order() -> None:
    deny = document(Sid="N", Effect="Deny")["Statement"]
    allow = document()["Statement"]
    for order in (deny + allow, allow + deny):
        assert not allows({"Version": "2012-10-17", "Statement": order})


def test_the_statement_that_allows_is_named() -> None:
    assert Evaluator(document()).allowed_by(Request(GET, TABLE)) == "S"


@pytest.mark.parametrize(
    ("pattern", "matches"),
    [
        (TABLE, True),
        ("*", True),
        ("arn:aws:dynamodb:*:123456789012:table/cesta-*", True),
        ("arn:aws:dynamodb:us-east-1:123456789012:table/cesta-pedido?", True),
        ("arn:aws:dynamodb:us-east-1:123456789012:table/CESTA-pedidos", False),
        ("arn:aws:dynamodb:us-east-1:123456789012:table/cesta-pedido", False),
        ("arn:aws:dynamodb:us-east-1:123456789012:table/cesta-pedidos/*", False),
        ("arn:aws:dynamodb:us-east-1:123456789012:table.cesta-pedidos", False),
    ],
)
def test_resources_match_whole_and_case_matters(pattern: str, matches: bool) -> None:
    assert allows(document(Resource=[pattern])) is matches


@pytest.mark.parametrize(
    "action", ["dynamodb:getitem", "DynamoDB:GetItem", "dynamodb:Get*", "dynamodb:*", "*", "dynamodb:Get?tem"]
)
def test_actions_match_in_any_case_and_by_pattern(action: str) -> None:
    assert allows(document(Action=[action]))


IS = "StringEquals"


@pytest.mark.parametrize(
    ("condition", "context", "holds"),
    [
        ({IS: {"k": "a"}}, {"k": "a"}, True),
        ({IS: {"k": ["a", "b"]}}, {"k": "b"}, True),
        ({IS: {"k": "a"}}, {"k": "A"}, False),
        ({IS: {"k": "a"}}, {}, False),
        ({"StringEqualsIfExists": {"k": "a"}}, {}, True),
        ({"StringEqualsIfExists": {"k": "a"}}, {"k": "b"}, False),
        ({"ForAllValues:StringEquals": {"k": ["a", "b"]}}, {"k": ("a", "b")}, True),
        ({"ForAllValues:StringEquals": {"k": ["a", "b"]}}, {"k": ("a", "c")}, False),
        # The trap: a request without the key is within any list.
        ({"ForAllValues:StringEquals": {"k": ["a"]}}, {}, True),
        (
            {"ArnLike": {"k": "arn:aws:states:*:1:stateMachine:x"}},
            {"k": "arn:aws:states:us-east-1:1:stateMachine:x"},
            True,
        ),
        (
            {"ArnEquals": {"k": "arn:aws:states:us-east-1:1:stateMachine:x"}},
            {"k": "arn:aws:states:us-east-1:1:stateMachine:y"},
            False,
        ),
        ({"Bool": {"k": "false"}}, {"k": "False"}, True),
        ({"Bool": {"k": "false"}}, {}, False),
        # Every operator, and every key of it, must hold.
        ({IS: {"k": "a", "l": "b"}}, {"k": "a"}, False),
        ({IS: {"k": "a"}, "Bool": {"l": "true"}}, {"k": "a", "l": "false"}, False),
    ],
)
def test_conditions(condition: dict[str, Any], context: dict[str, Any], holds: bool) -> None:
    assert allows(document(Condition=condition), context=context) is holds


@pytest.mark.parametrize(
    ("principal", "caller", "named"),
    [
        ({"Service": "lambda.amazonaws.com"}, "lambda.amazonaws.com", True),
        ({"Service": "lambda.amazonaws.com"}, "states.amazonaws.com", False),
        ({"Service": ["a", "b"]}, "b", True),
        ("*", "anybody", True),
    ],
)
def test_principals(principal: Any, caller: str, named: bool) -> None:
    assert allows(document(Principal=principal), principal=caller) is named


@pytest.mark.parametrize(
    "statement",
    [
        {"NotAction": ["iam:*"]},
        {"NotResource": ["*"]},
        {"Condition": {"StringLike": {"k": "a*"}}},
        {"Condition": {"ForAnyValue:StringEquals": {"k": "a"}}},
        {"Resource": ["arn:aws:s3:::${aws:username}"]},
    ],
)
def test_what_is_not_understood_is_an_error_never_a_verdict(statement: dict[str, Any]) -> None:
    with pytest.raises(UnsupportedPolicyError):
        allows(document(**statement))


# --- The catalogue of actions -----------------------------------------------------------------------------------------


def test_the_catalogue_knows_every_service_we_use_and_thousands_more() -> None:
    assert len(all_actions()) > 18_000
    for action in ("dynamodb:UpdateItem", "states:SendTaskSuccess", "ssm:GetParameter", "logs:PutDataProtectionPolicy"):
        assert actions_like(action) == {action}
    assert actions_like("dynamodb:FazerItem") == frozenset()


def test_it_knows_what_an_action_takes() -> None:
    assert fits(describe(GET), TABLE)
    assert not fits(describe(GET), f"{TABLE}/index/pendentes")
    assert not fits(describe(GET), "arn:aws:sqs:us-east-1:123456789012:fila")
    assert not fits(describe(GET), "*")
    assert fits(describe("states:SendTaskSuccess"), "*")
    assert fits(describe("logs:PutLogEvents"), "arn:aws:logs:us-east-1:123456789012:log-group:/aws/lambda/cesta-api:*")


def test_select_is_a_condition_of_reads_and_return_values_of_writes() -> None:
    assert "dynamodb:Select" in describe(GET).conditions
    for write in ("dynamodb:UpdateItem", "dynamodb:PutItem"):
        assert "dynamodb:Select" not in describe(write).conditions
        assert "dynamodb:ReturnValues" in describe(write).conditions
