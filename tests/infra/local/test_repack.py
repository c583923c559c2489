"""A function's zip becomes one for a custom runtime without touching what is in it."""

from __future__ import annotations

import io
import stat
import zipfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from infra.local.creators.functions import repack

pytestmark = pytest.mark.infra

PYTHON = Path("/home/a user/.cesta/worker/bin/python")


def zipped(files: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in files.items():
            file.writestr(name, content)
    return buffer.getvalue()


NAMES = st.lists(st.text("abz_", min_size=1, max_size=4), min_size=1, max_size=3).map("/".join)


@given(st.dictionaries(NAMES, st.binary(max_size=64), max_size=6))
def test_every_file_is_kept_and_only_the_bootstrap_added(files: dict[str, bytes]) -> None:
    with zipfile.ZipFile(io.BytesIO(repack(zipped(files), PYTHON))) as result:
        assert sorted(result.namelist()) == sorted([*files, "bootstrap"])
        assert {name: result.read(name) for name in files} == files


def test_the_bootstrap_is_executable_and_runs_the_runtime_client_on_the_workers_python() -> None:
    with zipfile.ZipFile(io.BytesIO(repack(zipped({}), PYTHON))) as result:
        entry = result.getinfo("bootstrap")
        assert stat.S_IMODE(entry.external_attr >> 16) == 0o755
        assert result.read("bootstrap").decode().splitlines() == [
            "#!/bin/sh",
            """exec '/home/a user/.cesta/worker/bin/python' -m awslambdaric "$_HANDLER\"""",
        ]
