"""The documents of each stack, from one dry run of the program per stack."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from infra.declared import read_stack

if TYPE_CHECKING:
    from policies.evaluation.material import Material


@pytest.fixture(scope="session")
def prod() -> Material:
    return read_stack("prod")


@pytest.fixture(scope="session")
def dev() -> Material:
    return read_stack("dev")


@pytest.fixture(scope="session")
def local() -> Material:
    return read_stack("local")
