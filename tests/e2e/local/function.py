"""The Lambda function the tests deploy, alone or in the sample program."""

from __future__ import annotations

import json
import zipfile
from typing import TYPE_CHECKING, Any

from infra.local import worker_env
from infra.local.creators.functions import repack

if TYPE_CHECKING:
    from pathlib import Path

    from infra.local.emulator import AwsLocal

FUNCTION = "sample-function"

# What the function does is chosen by its event.
HANDLER = """
import importlib.util, os, signal, sys, time

class FooError(Exception):
    pass

def handler(event, context):
    action = event.get("action", "echo")
    if action == "raise":
        raise FooError("foo")
    if action == "exit":
        os._exit(1)
    if action == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if action == "sleep":
        time.sleep(event["seconds"])
        return {"pid": os.getpid()}
    if action == "look":
        return {
            "executable": sys.executable,
            "path": sys.path,
            "importable": [name for name in event["modules"] if importlib.util.find_spec(name)],
            "environment": dict(os.environ),
        }
    return {"event": event, "variable": os.environ.get("VARIABLE")}
"""


def write_zip(path: Path) -> Path:
    """The function's package, as for Lambda's own Python runtime."""
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("sample_handler.py", HANDLER)
    return path


def create(aws: AwsLocal, directory: Path) -> None:
    """Create the function on an emulator, without a program around it."""
    aws.client("lambda").create_function(
        FunctionName=FUNCTION,
        Role=f"arn:aws:iam::{aws.account_id}:role/any",
        Handler="sample_handler.handler",
        Runtime="provided.al2023",
        Code={"ZipFile": repack(write_zip(directory / "sample.zip").read_bytes(), worker_env.ensure())},
        Timeout=30,
    )


def invoke(aws: AwsLocal, **event: Any) -> dict[str, Any]:
    """Invoke the function: what it returned, or the error it reported."""
    answer = aws.client("lambda").invoke(FunctionName=FUNCTION, Payload=json.dumps(event))
    return json.loads(answer["Payload"].read())
