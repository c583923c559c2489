"""``pytest tests/conformance`` on the embedded AWS, or with ``--alvo aws`` on the account of the environment."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, Final

import pytest

from infra.local.emulator import start_emulator
from infra.local.processes import Guardian, choose_port
from infra.saga.cost import Prices
from tests.conformance.behaviour import Alvo
from tests.conformance.catalog import CATALOG
from tests.conformance.lab import Lab
from tests.conformance.targets import on_account, on_emulator

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from infra.local.emulator import AwsLocal

_USED: Final = pytest.StashKey[Lab]()
AT_ONCE: Final = 12
"""Probes at the same time: mostly they wait."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--alvo", choices=[one.value for one in Alvo], default=Alvo.LOCAL.value, help="onde observar a AWS"
    )


@pytest.fixture(scope="package")
def alvo(request: pytest.FixtureRequest) -> Alvo:
    # The default again: where another folder is tested first, pytest reads this file after its options.
    return Alvo(request.config.getoption("--alvo", Alvo.LOCAL.value))


@pytest.fixture(scope="package")
def emulator() -> Iterator[AwsLocal]:
    """An emulator of this package's own, which refuses what roles do not allow."""
    with Guardian() as guardian:
        yield start_emulator(guardian, choose_port(None, option="--porta-aws"), iam=True)


@pytest.fixture(scope="package")
def lab(alvo: Alvo, request: pytest.FixtureRequest) -> Iterator[Lab]:
    made = on_account() if alvo is Alvo.AWS else on_emulator(request.getfixturevalue("emulator"))
    with made as lab:
        yield lab
    request.config.stash[_USED] = lab


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """What a run on an account did and cost."""
    lab = config.stash.get(_USED, None)
    if lab is None or lab.alvo is Alvo.LOCAL:
        return
    calls = ", ".join(f"{service} {number}" for service, number in lab.calls.most_common())
    dollars = lab.transitions * Prices().transition
    terminalreporter.write_line(f"{lab.prefix}*: {lab.calls.total()} chamadas ({calls}); tudo removido")
    terminalreporter.write_line(f"{lab.transitions} transições de estado: US$ {dollars:.4f}; o resto, poucos centavos")


@pytest.fixture(scope="package")
def seen(lab: Lab, request: pytest.FixtureRequest) -> Iterator[Mapping[str, Future[object]]]:
    """What each probe that was asked for sees, all of them running beside each other."""
    wanted = {item.name for item in request.session.items}
    threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="probe")
    yield {
        one.id: threads.submit(one.probe.run, lab)
        for one in CATALOG
        if one.probe and any(name.endswith(f"[{one.id}]") for name in wanted)
    }
    # After Ctrl-C some are still at work, and others have not begun.
    lab.abandon()
    threads.shutdown(cancel_futures=True)
