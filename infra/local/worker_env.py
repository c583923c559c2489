"""The environment of the emulated Lambda workers: boto3 and AWS's runtime client, and nothing of this project.

Workers that could see the project's own packages would hide a zip that lacks a dependency.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import platform
import shutil
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final

import uv

from infra.local.errors import WorkerEnvironmentError

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence

__all__ = ["CACHE_DIR", "REQUIREMENTS", "ensure"]

REPO_ROOT: Final = Path(__file__).resolve().parents[2]
CACHE_DIR: Final = REPO_ROOT / ".cesta"
# The first two are wanted, the rest is what they need: pinned, so that one environment means one content.
REQUIREMENTS: Final = (
    "boto3==1.43.106",
    "awslambdaric==4.2.2",
    "botocore==1.43.106",
    "jmespath==1.1.0",
    "python-dateutil==2.9.0.post0",
    "s3transfer==0.19.3",
    "simplejson==4.3.0",
    "six==1.17.0",
    "snapshot-restore-py==1.0.0",
    "urllib3==2.8.0",
)


def ensure(cache_dir: Path = CACHE_DIR) -> Path:
    """The workers' Python, in an environment built on first use (2-3 s) and kept.

    Args:
        cache_dir: where environments are kept.

    Returns:
        Path of its ``python``.

    Raises:
        WorkerEnvironmentError: it could not be built (no access to the package index, no space...).
    """
    home = cache_dir / f"worker-{_fingerprint()}"
    if not home.exists():
        _build_once(home)
    return home / "bin" / "python"


def _fingerprint() -> str:
    """Changes with the requirements, the interpreter and where both are."""
    interpreter = (os.path.realpath(sys.executable), sys.version, platform.platform())
    return hashlib.sha256(repr((REQUIREMENTS, interpreter)).encode()).hexdigest()[:16]


def _build_once(home: Path) -> None:
    home.parent.mkdir(parents=True, exist_ok=True)
    with _lock(home.with_suffix(".lock")):
        if home.exists():  # another process was faster
            return
        # What a killed build left is removed; only a complete environment gets the name.
        partial = home.with_suffix(".partial")
        shutil.rmtree(partial, ignore_errors=True)
        _uv("venv", "--relocatable", "--python", sys.executable, str(partial))
        _uv("pip", "install", "--no-deps", "--python", str(partial / "bin" / "python"), *REQUIREMENTS)
        partial.rename(home)


def _uv(*arguments: str) -> None:
    command: Sequence[str] = (uv.find_uv_bin(), *arguments)
    result = subprocess.run(  # noqa: S603 - uv of our own environment, constant arguments
        command, capture_output=True, text=True, check=False
    )
    if result.returncode != 0:
        raise WorkerEnvironmentError(command, output=result.stderr.strip())


@contextmanager
def _lock(path: Path) -> Generator[None]:
    """One builder at a time; the kernel frees the lock of a process that dies."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
