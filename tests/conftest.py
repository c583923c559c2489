"""How the tests are shared between workers (``make test``): what shares a stack runs beside it, in one of them."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final

from xdist.scheduler import LoadScopeScheduling  # pyright: ignore[reportMissingTypeStubs] - has types, but not py.typed

if TYPE_CHECKING:
    import pytest
    from xdist.remote import Producer  # pyright: ignore[reportMissingTypeStubs]

_E2E: Final = PurePosixPath("tests/e2e")
_CONFORMANCE: Final = PurePosixPath("tests/conformance")


class _ByStack(LoadScopeScheduling):
    """A folder that shares a stack or an emulator is one unit of work; of all others, a file is.

    Marks of ``--dist loadgroup`` would say the same, but pytest-xdist 3.8.0 silently groups nothing under pytest 9.2
    (pytest-xdist issue 1386), and every worker then brings up every stack.
    """

    def _split_scope(self, nodeid: str) -> str:
        return unit_of(nodeid)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> LoadScopeScheduling:
    """Hand the tests out by stack, whatever ``--dist`` says."""
    return _ByStack(config, log)


def unit_of(nodeid: str) -> str:
    """What one worker gets as a whole.

    Args:
        nodeid: pytest's name of a test, from the repository's root.
    """
    file = PurePosixPath(nodeid.partition("::")[0])
    if file.parent.parent == _E2E or file.parent == _CONFORMANCE:
        return str(file.parent)
    return str(file)
