"""Which account and region a command looks at."""

from __future__ import annotations

import os

import pytest

from infra.ops.target import AwsAccount

pytestmark = pytest.mark.unit


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
    for variable in ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE"):
        monkeypatch.delenv(variable, raising=False)
    for variable, value in {**said, "AWS_CONFIG_FILE": os.devnull}.items():
        monkeypatch.setenv(variable, value)
    account = AwsAccount.of_environment()
    assert account.region == account.client("sts").meta.region_name == region
