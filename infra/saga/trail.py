"""The way one execution went through its machine, to be marked on the picture: states in order, arrows taken."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

from infra.saga.picture import Arrow

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Pass", "Trail", "numbers", "resumptions", "taken"]


@dataclass(frozen=True)
class Pass:
    """One passage through a state.

    Attributes:
        state: its name.
        failed: whether it was left through a catcher.
        resumed: whether another execution went on here: no arrow of the machine leads to it from the pass before.
        note: what is written in its box: that it stopped here, or is here.
    """

    state: str
    failed: bool = False
    resumed: bool = False
    note: str = ""


@dataclass(frozen=True)
class Trail:
    """The way.

    Attributes:
        passes: in order.
        ended: whether the execution went on from there to its end.
    """

    passes: tuple[Pass, ...]
    ended: bool

    @property
    def last(self) -> str:
        """The state it got to, or "" if it got to none."""
        return self.passes[-1].state if self.passes else ""


def resumptions(trail: Trail) -> list[Arrow]:
    """What leads from where one execution stopped to where the next went on."""
    found = [(before.state, after.state) for before, after in pairwise(trail.passes) if after.resumed]
    return [Arrow(before, after, "answer", ("retomada",)) for before, after in dict.fromkeys(found)]


def taken(trail: Trail, arrows: Sequence[Arrow]) -> frozenset[int]:
    """Places in ``arrows`` of those the trail went by."""
    found: set[int] = set()
    for before, after in pairwise(trail.passes):
        found |= _way_out(before, after.state, arrows)
    if trail.passes and trail.ended:
        found |= _way_out(trail.passes[-1], None, arrows)
    return frozenset(found)


def _way_out(left: Pass, target: str | None, arrows: Sequence[Arrow]) -> set[int]:
    """A catcher and a success may lead to one state: what became of the pass tells them apart, where both are drawn."""
    ways = {index for index, arrow in enumerate(arrows) if (arrow.source, arrow.target) == (left.state, target)}
    fitting = {index for index in ways if (arrows[index].style == "failure") == left.failed}
    return fitting or ways


def numbers(names: Sequence[str]) -> dict[str, list[int]]:
    """For each state, which passes went through it, counted from 1."""
    found: dict[str, list[int]] = {}
    for number, name in enumerate(names, start=1):
        found.setdefault(name, []).append(number)
    return found
