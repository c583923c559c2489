"""One fact about AWS that this project relies on, and how it is shown."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.conformance.lab import Lab

T = TypeVar("T")

__all__ = ["Alvo", "Behaviour", "Check", "Difference", "Elsewhere", "OnlyOnAws", "Page", "Probe"]


class Alvo(Enum):
    """Where the probes run."""

    LOCAL = "local"
    AWS = "aws"


@dataclass(frozen=True)
class Page:
    """A page of AWS's documentation.

    Attributes:
        title: as the page has it.
        url: without anchor.
    """

    title: str
    url: str


@dataclass(frozen=True)
class Difference:
    """The emulator does something else.

    Attributes:
        seen: what the probe sees there, pinned: an upgrade that changes it fails the test.
        instead: the same in words, for the table.
    """

    seen: object
    instead: str


@dataclass(frozen=True)
class Probe:
    """An experiment, the same on the emulator and on an account.

    Attributes:
        run: makes it on scratch resources and returns what it saw, a plain value.
        aws: what AWS shows.
        emulator: what the emulator shows, where that is not the same.
    """

    run: Callable[[Lab], object]
    aws: object
    emulator: Difference | None = None

    def expected(self, alvo: Alvo) -> object:
        """What the experiment must show there."""
        if alvo is Alvo.LOCAL and self.emulator is not None:
            return self.emulator.seen
        return self.aws


@dataclass(frozen=True)
class Check:
    """A check of our own over every definition, which refuses what AWS would refuse or lose.

    Attributes:
        code: in `infra.saga.checks.catalog`.
    """

    code: str


@dataclass(frozen=True)
class Elsewhere:
    """A test outside this package: that the program declares it, or that the code stands it.

    Attributes:
        node: ``tests/<file>.py::<test>``.
    """

    node: str


@dataclass(frozen=True)
class OnlyOnAws:
    """Nothing here can show it.

    Attributes:
        why: what it would take, and what holds if the fact does not.
    """

    why: str


Evidence = Probe | Check | Elsewhere | OnlyOnAws


@dataclass(frozen=True)
class Behaviour:
    """One fact.

    Attributes:
        id: area and a few words.
        statement: what AWS does.
        source: who says so.
        used_by: files of this project that are wrong if it is not so.
        evidence: how it is shown; at least one.
    """

    id: str
    statement: str
    source: Page
    used_by: tuple[str, ...]
    evidence: tuple[Evidence, ...]

    @property
    def probe(self) -> Probe | None:
        """The experiment, where there is one."""
        return next(iter(self._of(Probe)), None)

    @property
    def checks(self) -> list[Check]:
        """Our own checks that show it."""
        return list(self._of(Check))

    @property
    def tests(self) -> list[Elsewhere]:
        """Tests elsewhere that show it."""
        return list(self._of(Elsewhere))

    @property
    def unshown(self) -> OnlyOnAws | None:
        """Why it is not shown here, where it is not."""
        return next(iter(self._of(OnlyOnAws)), None)

    def _of(self, kind: type[T]) -> Iterator[T]:
        return (one for one in self.evidence if isinstance(one, kind))
