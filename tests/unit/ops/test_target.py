"""Which account and region a command looks at."""

from __future__ import annotations

import os

import pytest

from infra.ops.target import AwsAccount

pytestmark = pytest.mark.unit


def account(said: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> AwsAccount:
    for variable in ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE"):
        monkeypatch.delenv(variable, raising=False)
    for variable, value in {**said, "AWS_CONFIG_FILE": os.devnull}.items():
        monkeypatch.setenv(variable, value)
    return AwsAccount.of_environment()


@pytest.mark.parametrize(
    ("said", "region"),
    [
        ({"AWS_REGION": "sa-east-1"}, "sa-east-1"),
        ({"AWS_REGION": "sa-east-1", "AWS_DEFAULT_REGION": "eu-west-1"}, "sa-east-1"),
        ({"AWS_REGION": "", "AWS_DEFAULT_REGION": "eu-west-1"}, "eu-west-1"),
        ({}, "us-east-1"),
    ],
    ids=["as the runbook says", "over boto3's own", "empty", "nothing said"],
)
def test_the_region_is_the_one_the_environment_names(
    said: dict[str, str], region: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert account(said, monkeypatch).region == region


@pytest.mark.parametrize(
    "said",
    [
        {"AWS_REGION": "sa-east-1", "AWS_DEFAULT_REGION": "eu-west-1"},
        {"AWS_REGION": "", "AWS_DEFAULT_REGION": "eu-west-1"},
        {},
    ],
)
def test_clients_are_of_that_region_where_boto3_alone_would_take_another_or_none(
    said: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at = account(said, monkeypatch)
    assert looked_at.client("sts").meta.region_name == looked_at.region
