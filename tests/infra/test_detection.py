"""The watches: sagas started by anybody but the starter, and card numbers in logs."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

import pytest

from tests.infra.harness import ACCOUNT, REGION

if TYPE_CHECKING:
    from tests.infra.harness import Run

pytestmark = pytest.mark.infra

RULE = "cloudwatch/eventRule:EventRule"
STARTER = f"arn:aws:iam::{ACCOUNT}:role/cesta-iniciador-role"
MACHINE = f"arn:aws:states:{REGION}:{ACCOUNT}:stateMachine:cesta-saga-pedido"


@pytest.fixture
def pattern(prod: Run) -> dict[str, Any]:
    return json.loads(prod.one(RULE, "cesta-partida-estranha").inputs["eventPattern"])


def matches(pattern: Any, event: Any) -> bool:
    """EventBridge's matching, of the parts the rule uses ("Comparison operators for use in event patterns")."""
    if isinstance(pattern, dict):
        inside = cast("dict[str, Any]", event) if isinstance(event, dict) else {}
        return all(matches(part, inside.get(key)) for key, part in cast("dict[str, Any]", pattern).items())
    return any(_matches_one(choice, event) for choice in cast("list[Any]", pattern))


def _matches_one(choice: Any, value: Any) -> bool:
    match choice:
        case {"exists": bool(wanted)}:
            return (value is not None) is wanted
        case {"anything-but": [*excluded]}:
            return value is not None and value not in excluded
        case {"prefix": str(prefix)}:
            return isinstance(value, str) and value.startswith(prefix)
        case str():
            return value == choice
        case _:
            raise AssertionError(f"the test does not know {choice}")


def call(issuer: str | None, *, machine: str = MACHINE, name: str = "StartExecution") -> dict[str, Any]:
    """A call as CloudTrail tells it; an IAM user or the root has no session, and so no issuer."""
    session = {"sessionContext": {"sessionIssuer": {"arn": issuer}}} if issuer else {}
    return {
        "source": "aws.states",
        "detail-type": "AWS API Call via CloudTrail",
        "detail": {
            "eventSource": "states.amazonaws.com",
            "eventName": name,
            "requestParameters": {"stateMachineArn": machine},
            "userIdentity": {"arn": "arn:aws:iam::1:user/x", **session},
        },
    }


@pytest.mark.parametrize(
    ("event", "seen"),
    [
        (call(STARTER), False),
        (call(f"{STARTER}-x"), True),
        (call(f"arn:aws:iam::{ACCOUNT}:role/cesta-api-role"), True),
        (call(f"arn:aws:iam::999999999999:role/{STARTER.rpartition('/')[2]}"), True),
        (call(None), True),
        (call(None, machine=f"{MACHINE}:apelido"), True),
        (call(None, machine=MACHINE.replace("pedido", "retomada")), False),
        (call(None, name="DescribeStateMachine"), False),
    ],
)
def test_whoever_starts_the_saga_but_the_starter_is_seen(
    event: dict[str, Any], seen: bool, pattern: dict[str, Any]
) -> None:
    assert matches(pattern, event) is seen


def test_the_rule_tells_the_topic_by_a_role_that_only_it_can_take(prod: Run) -> None:
    (target,) = [one for one in prod.of("cloudwatch/eventTarget:EventTarget") if "partida" in one.inputs["rule"]]
    assert target.inputs["arn"] == prod.exports["topicoArn"]
    assert target.inputs["roleArn"] == f"arn:aws:iam::{ACCOUNT}:role/cesta-vigia-role"
    assert prod.one("iam/rolePolicy:RolePolicy", "cesta-vigia").urn in target.depends_on
    assert "<quem>" in target.inputs["inputTransformer"]["inputTemplate"]


def test_every_log_masks_card_numbers_and_reports_them_to_a_log_that_is_not_itself_reported_on(prod: Run) -> None:
    findings = "/aws/vendedlogs/cesta-cartoes-achados"
    policies = prod.of("cloudwatch/logDataProtectionPolicy:LogDataProtectionPolicy")
    groups = prod.names_of("cloudwatch/logGroup:LogGroup")
    assert {policy.inputs["logGroupName"] for policy in policies} == groups - {findings}
    assert findings in groups
    for policy in policies:
        document = json.loads(policy.inputs["policyDocument"])
        audit, mask = document["Statement"]
        assert audit["Operation"] == {"Audit": {"FindingsDestination": {"CloudWatchLogs": {"LogGroup": findings}}}}
        assert mask["Operation"] == {"Deidentify": {"MaskConfig": {}}}
        for statement in (audit, mask):
            assert statement["DataIdentifier"] == ["arn:aws:dataprotection::aws:data-identifier/CreditCardNumber"]


def test_the_first_report_rings(prod: Run) -> None:
    alarm = prod.one("cloudwatch/metricAlarm:MetricAlarm", "cesta-saga-cartao-em-log").inputs
    assert (alarm["namespace"], alarm["metricName"]) == ("AWS/Logs", "IncomingLogEvents")
    assert alarm["dimensions"] == {"LogGroupName": "/aws/vendedlogs/cesta-cartoes-achados"}
    assert (alarm["comparisonOperator"], alarm["threshold"]) == ("GreaterThanThreshold", 0)
    assert alarm["alarmActions"] == [prod.exports["topicoArn"]]


def test_only_the_embedded_stack_is_not_watched(dev: Run, prod: Run, local: Run) -> None:
    watched = {
        run.stack: bool(run.of("cloudwatch/logDataProtectionPolicy:LogDataProtectionPolicy"))
        and f"{run.names.prefix}-partida-estranha" in run.names_of(RULE)
        for run in (dev, prod, local)
    }
    assert watched == {"dev": True, "prod": True, "local": False}
