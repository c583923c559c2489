"""The process's AWS clients: made at first use, once, with waits short enough for a function's own timeout.

Nothing is created at import: the Pulumi program loads the API just to read its routes.
"""

from __future__ import annotations

import logging
import threading
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import botocore.session
from botocore.config import Config

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_ssm import SSMClient
    from mypy_boto3_stepfunctions import SFNClient

__all__ = ["CONFIG", "dynamodb", "dynamodb_once", "new_client", "sqs", "ssm", "stepfunctions"]

CONFIG: Final = Config(
    connect_timeout=1, read_timeout=2, retries={"mode": "standard", "total_max_attempts": 2}, max_pool_connections=20
)
"""Seconds, and attempts in total: an answer that comes after the function's timeout is an answer lost (case C34)."""
_ONCE: Final = Config(retries={"mode": "standard", "total_max_attempts": 1})

for _name in ("boto3", "botocore", "urllib3"):
    # At DEBUG they print whole requests and answers, the card token included, whatever the root level is.
    logging.getLogger(_name).setLevel(logging.INFO)

# Creating clients from one session is not thread-safe (boto3's documentation); using them is.
_lock: Final = threading.Lock()
_session: Final = cache(botocore.session.get_session)


@cache
def dynamodb() -> DynamoDBClient:
    """The DynamoDB client; the endpoint is AWS_ENDPOINT_URL's where that is set, as for the others."""
    with _lock:
        return new_client("dynamodb", config=CONFIG)


@cache
def dynamodb_once() -> DynamoDBClient:
    """A DynamoDB client that never sends a request again by itself.

    For a write that must not arrive twice: the SDK sends again what was not answered in time, and the first request
    may still be on its way.
    """
    with _lock:
        return new_client("dynamodb", config=CONFIG.merge(_ONCE))


@cache
def sqs() -> SQSClient:
    """The SQS client."""
    with _lock:
        return new_client("sqs", config=CONFIG)


@cache
def ssm() -> SSMClient:
    """The Systems Manager client, for its Parameter Store."""
    with _lock:
        return new_client("ssm", config=CONFIG)


@cache
def stepfunctions() -> SFNClient:
    """The Step Functions client."""
    with _lock:
        return new_client("stepfunctions", config=CONFIG)


def new_client(service: str, *, config: Config) -> Any:
    """A client as ``boto3.client`` makes it, without boto3.

    boto3 is a thin layer over botocore: what it adds (resources, S3 transfers) no function uses, and each cold start
    would import it.
    """
    return _session().create_client(service, config=config)
