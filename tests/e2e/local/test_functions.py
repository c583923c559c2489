"""Functions run in workers of their own, and their errors keep their names all the way to the state machine."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import uv

from infra.local import worker_env
from infra.local.processes import poll_until
from tests.e2e.local import function

if TYPE_CHECKING:
    from infra.local.deploy import Deployment
    from infra.local.emulator import AwsLocal

pytestmark = pytest.mark.e2e

# In the project's environment, and not to be seen by a function that does not bring them.
PROJECT_MODULES = ["infra", "handlers", "policies", "chalice", "pulumi", "ministack", "aws_lambda_powertools", "click"]


def failure_of(aws: AwsLocal, machine: str, **event: Any) -> tuple[str, str]:
    """Error and cause of an execution that invokes the sample function with the event."""
    client = aws.client("stepfunctions")
    execution = client.start_execution(stateMachineArn=machine, input=json.dumps(event))["executionArn"]

    def ended() -> bool | None:
        return True if client.describe_execution(executionArn=execution)["status"] != "RUNNING" else None

    poll_until(ended, awaited="the execution", seconds=30)
    events = client.get_execution_history(executionArn=execution)["events"]
    details = next(item["taskFailedEventDetails"] for item in events if "taskFailedEventDetails" in item)
    return details.get("error", ""), details.get("cause", "")


def test_an_exception_reaches_the_history_under_its_class_name(emulator: AwsLocal, deployment: Deployment) -> None:
    error, cause = failure_of(emulator, deployment.outputs["machine"], action="raise")
    assert error == "FooError"
    assert json.loads(cause)["errorMessage"] == "foo"


@pytest.mark.parametrize("action", ["exit", "kill"])
def test_a_worker_that_dies_is_an_exit_error(emulator: AwsLocal, deployment: Deployment, action: str) -> None:
    error, _ = failure_of(emulator, deployment.outputs["machine"], action=action)
    assert error == "Runtime.ExitError"


@pytest.mark.usefixtures("deployment")
def test_a_function_sees_the_runtime_and_its_own_zip_but_not_the_project(emulator: AwsLocal) -> None:
    modules = [*PROJECT_MODULES, "boto3", "awslambdaric", "sample_handler"]
    seen = function.invoke(emulator, action="look", modules=modules)
    assert seen["importable"] == ["boto3", "awslambdaric", "sample_handler"]
    assert Path(seen["executable"]).parent == worker_env.ensure().parent
    project = str(worker_env.REPO_ROOT / ".venv")
    assert [entry for entry in seen["path"] if entry.startswith(project)] == []


@pytest.mark.usefixtures("deployment")
def test_a_function_is_given_the_emulator_and_never_our_credentials_or_proxies(emulator: AwsLocal) -> None:
    environment = function.invoke(emulator, action="look", modules=[])["environment"]
    assert environment["AWS_ENDPOINT_URL"] == emulator.endpoint
    assert environment["AWS_REGION"] == emulator.region
    assert environment["AWS_SECRET_ACCESS_KEY"] == "test"
    assert environment["TZ"] == "UTC"
    assert [name for name in environment if name.upper().endswith("_PROXY") or name == "PYTHONPATH"] == []


def test_the_workers_environment_holds_exactly_what_is_pinned() -> None:
    python = str(worker_env.ensure())
    command = [uv.find_uv_bin(), "pip"]
    listed = subprocess.run(
        [*command, "freeze", "--python", python], check=True, capture_output=True, text=True
    ).stdout.split()
    assert sorted(listed) == sorted(worker_env.REQUIREMENTS)
    # Nothing that those packages need is missing.
    subprocess.run([*command, "check", "--python", python], check=True, capture_output=True)


def test_the_workers_environment_is_built_once(monkeypatch: pytest.MonkeyPatch) -> None:
    python = worker_env.ensure()
    monkeypatch.setattr(uv, "find_uv_bin", lambda: "/nonexistent")
    assert worker_env.ensure() == python


def test_a_build_that_fails_leaves_no_environment_and_says_why(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(worker_env, "REQUIREMENTS", ("cesta-nao-existe==9.9.9",))
    monkeypatch.setenv("UV_OFFLINE", "1")
    with pytest.raises(worker_env.WorkerEnvironmentError, match="cesta-nao-existe"):
        worker_env.ensure(tmp_path)
    assert [path.name for path in tmp_path.iterdir() if not path.name.endswith((".lock", ".partial"))] == []
