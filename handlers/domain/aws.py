"""The process's AWS clients: made at first use, once, with waits short enough for a function's own timeout.

Nothing is created at import: the Pulumi program loads the API just to read its routes.
"""

from __future__ import annotations

import logging
import threading
from functools import cache
from typing import TYPE_CHECKING, Final

import boto3
from botocore.config import Config

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_ssm import SSMClient
    from mypy_boto3_stepfunctions import SFNClient

__all__ = ["CONFIG", "dynamodb", "sqs", "ssm", "stepfunctions"]

CONFIG: Final = Config(
    connect_timeout=1, read_timeout=2, retries={"mode": "standard", "total_max_attempts": 2}, max_pool_connections=20
)
"""Seconds, and attempts in total: an answer that comes after the function's timeout is an answer lost (case C34)."""

for _name in ("boto3", "botocore", "urllib3"):
    # At DEBUG they print whole requests and answers, the card token included, whatever the root level is.
    logging.getLogger(_name).setLevel(logging.INFO)

# Creating clients from one session is not thread-safe (boto3's documentation); using them is.
_lock: Final = threading.Lock()


@cache
def dynamodb() -> DynamoDBClient:
    """The DynamoDB client; the endpoint is AWS_ENDPOINT_URL's where that is set, as for the others."""
    with _lock:
        # boto3's overloads name the stubs of every service, and only ours are installed.
        return boto3.client("dynamodb", config=CONFIG)  # pyright: ignore[reportUnknownMemberType]


@cache
def sqs() -> SQSClient:
    """The SQS client."""
    with _lock:
        return boto3.client("sqs", config=CONFIG)  # pyright: ignore[reportUnknownMemberType] - as in dynamodb


@cache
def ssm() -> SSMClient:
    """The Systems Manager client, for its Parameter Store."""
    with _lock:
        return boto3.client("ssm", config=CONFIG)  # pyright: ignore[reportUnknownMemberType] - as in dynamodb


@cache
def stepfunctions() -> SFNClient:
    """The Step Functions client."""
    with _lock:
        return boto3.client("stepfunctions", config=CONFIG)  # pyright: ignore[reportUnknownMemberType] - as in dynamodb
