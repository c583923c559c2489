"""What the emulator, the gateway and so the Lambda workers inherit from us: nothing that could hurt."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from infra.local import worker_env
from infra.local.emulator import environment
from infra.local.errors import EmbeddedStackError
from infra.local.processes import child_environment

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.unit

HARMFUL = {
    "AWS_ACCESS_KEY_ID": "AKIAREAL",
    "AWS_SECRET_ACCESS_KEY": "real",
    "AWS_PROFILE": "prod",
    "AWS_ENDPOINT_URL": "https://elsewhere",
    "HTTP_PROXY": "http://proxy",
    "https_proxy": "http://proxy",
    "PYTHONPATH": "/project",
    "VIRTUAL_ENV": "/project/.venv",
    "GATEWAY_PORT": "1",
    "PERSIST_STATE": "1",
    "AUTH": "true",
    "SERVICES": "s3",
}


def test_harmful_variables_are_not_inherited(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, value in HARMFUL.items():
        monkeypatch.setenv(name, value)
    inherited = child_environment(tmp_path)
    assert inherited.keys() & HARMFUL.keys() == set()
    assert inherited["TMPDIR"] == str(tmp_path)
    emulator = environment(port=4321, run_dir=tmp_path)
    assert emulator.keys() & HARMFUL.keys() == {"AUTH", "GATEWAY_PORT"}
    assert emulator["AUTH"] == "false"
    assert (emulator["GATEWAY_PORT"], emulator["BIND_HOST"]) == ("4321", "127.0.0.1")


def test_all_errors_are_of_one_hierarchy() -> None:
    from infra.local import errors

    classes = [getattr(errors, name) for name in errors.__all__]
    assert all(issubclass(each, EmbeddedStackError) for each in classes)


def test_the_workers_packages_are_the_versions_the_project_is_locked_to() -> None:
    lock = (worker_env.REPO_ROOT / "requirements.lock").read_text(encoding="utf-8")
    locked = dict(re.findall(r"^([a-z0-9-]+)==(\S+)", lock, flags=re.MULTILINE))
    parts = [requirement.partition("==") for requirement in worker_env.REQUIREMENTS]
    pinned = {name: version for name, _, version in parts}
    shared = pinned.keys() & locked.keys()
    assert {"boto3", "botocore", "urllib3"} <= shared
    assert {name: pinned[name] for name in shared} == {name: locked[name] for name in shared}
