"""Rules every document keeps, whoever wrote it: the ones the program attaches, all of them."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest

from policies.machine import LOG_DELIVERY
from tests.infra.harness import ACCOUNT, run_program, stack_file

if TYPE_CHECKING:
    from policies.documents import PolicyDocument, Statement

pytestmark = pytest.mark.policies

ARNS = {
    "dynamodb": r"arn:aws:dynamodb:us-east-1:\d{12}:table/cesta-(pedidos|estoque)",
    "lambda": r"arn:aws:lambda:us-east-1:\d{12}:function:cesta-[a-z-]+",
    "logs": r"arn:aws:logs:us-east-1:\d{12}:log-group:/aws/lambda/cesta-[a-z-]+:\*",
    "sns": r"arn:aws:sns:us-east-1:\d{12}:cesta-saga-alertas",
    "sqs": r"arn:aws:sqs:us-east-1:\d{12}:cesta-[a-z-]+",
    "states": r"arn:aws:states:us-east-1:\d{12}:(stateMachine:cesta-saga-pedido|execution:cesta-saga-pedido:\*)",
}
"""What a resource of each service looks like, and the only places a ``*`` may stand."""


@pytest.fixture(scope="module")
def attached() -> dict[str, PolicyDocument]:
    """Every policy of the prod stack, by URN."""
    run = run_program("prod", stack_file("prod"))
    documents: dict[str, PolicyDocument] = {}
    for resource in run.resources:
        for key in ("policy", "assumeRolePolicy"):
            if key in resource.inputs:
                documents[f"{resource.urn} {key}"] = json.loads(resource.inputs[key])
    return documents


def statements(attached: dict[str, PolicyDocument]) -> list[tuple[str, Statement]]:
    return [(urn, statement) for urn, document in attached.items() for statement in document["Statement"]]


def test_every_role_and_resource_policy_is_looked_at(attached: dict[str, PolicyDocument]) -> None:
    kinds = [urn.split("::")[2].split("$")[-1] + " " + urn.rsplit(" ", 1)[1] for urn in attached]
    assert kinds.count("aws:iam/rolePolicy:RolePolicy policy") == 10
    assert kinds.count("aws:iam/role:Role assumeRolePolicy") == 10
    assert kinds.count("aws:sqs/queuePolicy:QueuePolicy policy") == 3
    assert kinds.count("aws:sns/topicPolicy:TopicPolicy policy") == 1


def test_no_statement_allows_a_pattern_of_actions(attached: dict[str, PolicyDocument]) -> None:
    for urn, statement in statements(attached):
        assert isinstance(statement["Action"], list)
        if statement["Effect"] == "Allow":
            assert not [action for action in statement["Action"] if "*" in action], urn


def test_everything_is_allowed_only_where_aws_takes_nothing_else(attached: dict[str, PolicyDocument]) -> None:
    for urn, statement in statements(attached):
        if "*" in statement.get("Resource", ()):
            assert statement["Action"] == list(LOG_DELIVERY), urn


def test_every_other_resource_is_one_of_ours_written_in_full(attached: dict[str, PolicyDocument]) -> None:
    for urn, statement in statements(attached):
        for resource in statement.get("Resource", ()):
            for action in statement["Action"]:
                if resource != "*":
                    assert re.fullmatch(ARNS[action.partition(":")[0]], resource), f"{urn}: {action} on {resource}"


def test_nobody_may_pass_a_role(attached: dict[str, PolicyDocument]) -> None:
    assert not [urn for urn, statement in statements(attached) if "iam:PassRole" in statement["Action"]]


def test_only_the_starter_may_start_the_saga_and_nobody_the_resuming_machine(
    attached: dict[str, PolicyDocument],
) -> None:
    starters = [urn for urn, statement in statements(attached) if "states:StartExecution" in statement["Action"]]
    (only,) = starters
    assert "::iniciador" in only


def test_each_role_is_taken_by_one_service_for_this_account(attached: dict[str, PolicyDocument]) -> None:
    for urn, document in attached.items():
        if not urn.endswith("assumeRolePolicy"):
            continue
        (statement,) = document["Statement"]
        assert statement["Action"] == ["sts:AssumeRole"]
        if "Maquina" in urn:
            assert statement.get("Principal") == {"Service": "states.amazonaws.com"}
            assert statement.get("Condition") == {"StringEquals": {"aws:SourceAccount": ACCOUNT}}
        else:
            assert statement.get("Principal") == {"Service": "lambda.amazonaws.com"}


def test_statement_ids_are_what_iam_takes(attached: dict[str, PolicyDocument]) -> None:
    for urn, document in attached.items():
        ids = [statement["Sid"] for statement in document["Statement"]]
        assert all(re.fullmatch(r"[A-Za-z0-9]+", sid) for sid in ids), urn
        assert len(ids) == len(set(ids)), urn
