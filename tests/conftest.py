"""How the tests are shared between workers (``make test``), and what the collector of garbage need not do."""

from __future__ import annotations

import gc
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

import pytest
from xdist.scheduler import LoadScopeScheduling  # pyright: ignore[reportMissingTypeStubs] - has types, but not py.typed

if TYPE_CHECKING:
    from xdist.remote import Producer  # pyright: ignore[reportMissingTypeStubs]

_E2E: Final = PurePosixPath("tests/e2e")
_CONFORMANCE: Final = PurePosixPath("tests/conformance")


class ByStack(LoadScopeScheduling):
    """A folder that shares a stack or an emulator is one unit of work; of all others, a file is.

    Marks of ``--dist loadgroup`` would say the same, but pytest-xdist 3.8.0 silently groups nothing under pytest 9.2
    (pytest-xdist issue 1386), and every worker then brings up every stack.
    """

    def _split_scope(self, nodeid: str) -> str:
        return unit_of(nodeid)


@pytest.hookimpl(optionalhook=True)  # ``-p no:xdist`` knows no such hook
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling:
    """Hand the tests out by stack, whatever ``--dist`` says."""
    return ByStack(config, log)


def pytest_collection() -> None:
    """Importing makes no garbage to speak of."""
    gc.disable()


def pytest_collection_finish() -> None:
    """What was imported lives as long as the run: it need not be looked through again and again."""
    gc.freeze()
    gc.enable()


def unit_of(nodeid: str) -> str:
    """What one worker gets as a whole.

    Args:
        nodeid: pytest's name of a test, from the repository's root.
    """
    file = PurePosixPath(nodeid.partition("::")[0])
    if file.parent.parent == _E2E or file.parent == _CONFORMANCE:
        return str(file.parent)
    return str(file)
