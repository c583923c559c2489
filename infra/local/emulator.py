"""The AWS emulator: start it under a guardian, wait until it answers, talk to it."""

from __future__ import annotations

import os
import sys
import threading
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, cast, overload

import boto3
import botocore.session
import urllib3
from botocore.config import Config

from infra.local.errors import EmbeddedStackError
from infra.local.processes import LOOPBACK, child_environment, poll_until

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from mypy_boto3_apigateway import APIGatewayClient
    from mypy_boto3_cloudwatch import CloudWatchClient
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_events import EventBridgeClient
    from mypy_boto3_iam import IAMClient
    from mypy_boto3_lambda import LambdaClient
    from mypy_boto3_logs import CloudWatchLogsClient
    from mypy_boto3_sns import SNSClient
    from mypy_boto3_sqs import SQSClient
    from mypy_boto3_ssm import SSMClient
    from mypy_boto3_stepfunctions import SFNClient

    from infra.local.processes import Guardian

__all__ = ["PROCESS_NAME", "AwsLocal", "configure", "environment", "start_emulator"]

PROCESS_NAME: Final = "emulador"
START_DEADLINE_SECONDS: Final = 30.0
# The user's own AWS settings (a profile that does not exist, a broken file) must not matter here. Each entry is
# botocore's (name in the config file, environment variable, default, conversion).
NO_USER_SETTINGS: Final = {
    "profile": (None, None, None, None),
    "config_file": (None, None, os.devnull, None),
    "credentials_file": (None, None, os.devnull, None),
}


@dataclass(frozen=True)
class AwsLocal:
    """Where the emulated AWS is and who calls it.

    Attributes:
        endpoint: URL without trailing slash.
        region: AWS region.
        account_id: account number, 12 digits.
        access_key: access key id; the emulator takes any.
        secret_key: secret access key; the emulator takes any.
    """

    endpoint: str
    region: str = "us-east-1"
    account_id: str = "000000000000"
    access_key: str = "test"
    secret_key: str = "test"  # noqa: S105 - not a secret: the emulator takes any
    _clients: dict[str, Any] = field(default_factory=dict[str, Any], init=False, repr=False, compare=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False, repr=False, compare=False)

    @overload
    def client(self, name: Literal["apigateway"]) -> APIGatewayClient: ...
    @overload
    def client(self, name: Literal["cloudwatch"]) -> CloudWatchClient: ...
    @overload
    def client(self, name: Literal["dynamodb"]) -> DynamoDBClient: ...
    @overload
    def client(self, name: Literal["events"]) -> EventBridgeClient: ...
    @overload
    def client(self, name: Literal["iam"]) -> IAMClient: ...
    @overload
    def client(self, name: Literal["lambda"]) -> LambdaClient: ...
    @overload
    def client(self, name: Literal["logs"]) -> CloudWatchLogsClient: ...
    @overload
    def client(self, name: Literal["sns"]) -> SNSClient: ...
    @overload
    def client(self, name: Literal["sqs"]) -> SQSClient: ...
    @overload
    def client(self, name: Literal["ssm"]) -> SSMClient: ...
    @overload
    def client(self, name: Literal["stepfunctions"]) -> SFNClient: ...

    def client(self, name: str) -> Any:
        """The boto3 client of a service, made once; safe to share between threads."""
        with self._lock:
            if name not in self._clients:
                self._clients[name] = self._new_client(name)
            return self._clients[name]

    def environment(self) -> dict[str, str]:
        """Environment variables by which another process finds this emulator."""
        return {
            "AWS_ENDPOINT_URL": self.endpoint,
            "AWS_DEFAULT_REGION": self.region,
            "AWS_ACCESS_KEY_ID": self.access_key,
            "AWS_SECRET_ACCESS_KEY": self.secret_key,
        }

    @cached_property
    def _session(self) -> boto3.Session:
        # One for all clients: each would read botocore's tables of endpoints and partitions again.
        return boto3.Session(botocore_session=botocore.session.Session(session_vars=NO_USER_SETTINGS))

    def _new_client(self, name: str) -> Any:
        # Overloaded per literal service name, which a text is not.
        return cast("Any", self._session).client(
            name,
            endpoint_url=self.endpoint,
            region_name=self.region,
            aws_access_key_id=self.access_key,
            aws_secret_access_key=self.secret_key,
            # An empty mapping, unlike None, keeps HTTP_PROXY out.
            config=Config(proxies={}, max_pool_connections=32, connect_timeout=5, read_timeout=60),
        )


def environment(*, port: int, run_dir: Path, iam: bool = False) -> dict[str, str]:
    """The emulator's whole environment, from which its Lambda workers' is made.

    Args:
        port: its port on 127.0.0.1.
        run_dir: where it keeps its state and unpacks the functions' zips.
        iam: whether calls are refused that the caller's policies do not allow; functions then run as their roles.
    """
    return child_environment(run_dir) | {
        "GATEWAY_PORT": str(port),
        "BIND_HOST": LOOPBACK,
        "MINISTACK_HOST": LOOPBACK,
        "IOT_MTLS_ENABLED": "0",
        "SFTP_ENABLED": "0",
        "STATE_DIR": str(run_dir / "state"),
        # 0 = no cap: the default one, derived from the machine's memory, answers 429. Ours is in the launcher.
        "LAMBDA_ACCOUNT_CONCURRENCY": "0",
        "LOG_LEVEL": "WARNING",
        "AUTH": "true" if iam else "false",
    }


def start_emulator(guardian: Guardian, port: int, *, iam: bool = False) -> AwsLocal:
    """Start the emulator and return when it answers.

    Args:
        guardian: who ends it with us.
        port: its port on 127.0.0.1.
        iam: see `environment`.

    Raises:
        ProcessDiedError: it ended instead.
        DeadlineError: it did not answer in time.
    """
    argv = [sys.executable, "-m", "infra.local.launcher"]
    guardian.start(PROCESS_NAME, argv, environment(port=port, run_dir=guardian.run_dir, iam=iam))
    aws = AwsLocal(endpoint=f"http://{LOOPBACK}:{port}")
    poll_until(
        lambda: True if is_up(f"{aws.endpoint}/_ministack/health") else None,
        awaited="a resposta do emulador da AWS",
        seconds=START_DEADLINE_SECONDS,
        check=guardian.check,
    )
    return aws


def is_up(url: str) -> bool:
    """Whether a GET on the URL answers 200 now."""
    try:
        return urllib3.request("GET", url, timeout=2.0, retries=False).status == 200
    except urllib3.exceptions.HTTPError:
        return False


def configure(aws: AwsLocal, *, wait_scale: float) -> None:
    """Scale Step Functions' Wait states and retry intervals (1 = real, 0.05 = twenty times faster).

    Raises:
        EmbeddedStackError: the emulator did not take the setting.
    """
    key = "stepfunctions._SFN_WAIT_SCALE"
    answer = urllib3.request(
        "POST", f"{aws.endpoint}/_ministack/config", json={key: str(wait_scale)}, timeout=10.0, retries=False
    )
    applied: Mapping[str, object] = answer.json().get("applied", {})
    if applied.get(key) != wait_scale:
        raise EmbeddedStackError(f"o emulador não aceitou a escala de espera {wait_scale}; use um número entre 0 e 1")
