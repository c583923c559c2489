"""The program, run once per shipped stack file."""

from __future__ import annotations

import pytest

from tests.infra.harness import GATEWAY, Run, run_program, stack_file


@pytest.fixture(scope="session")
def dev() -> Run:
    return run_program("dev", stack_file("dev"))


@pytest.fixture(scope="session")
def prod() -> Run:
    return run_program("prod", stack_file("prod"))


@pytest.fixture(scope="session")
def local() -> Run:
    return run_program("local", stack_file("local"))


@pytest.fixture(scope="session")
def otherwise() -> Run:
    """A stack whose observation is all that it is not by default: each optional alarm, traces, somebody called."""
    changed = {
        "limiteSagaSegundos": "90",
        "anomaliaDeCompensacoes": "true",
        "metricasDetalhadas": "false",
        "rastreamento": "true",
        "intervaloConciliadorMinutos": "7",
        "alertasEmail": "plantao@cesta.example",
    }
    return run_program("dev", GATEWAY | {f"cesta:{key}": value for key, value in changed.items()})


@pytest.fixture(params=["dev", "prod", "local"])
def stack(request: pytest.FixtureRequest) -> Run:
    """Each of the shipped stacks in turn."""
    return request.getfixturevalue(request.param)
