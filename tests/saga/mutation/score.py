"""How many mutants are killed, by what. ``make mutation`` prints it for our saga, every mutant of it.

python -m tests.saga.mutation.score [one in how many]
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rich.console import Console
from rich.table import Table

from infra.saga.checks import check
from infra.saga.explorer import explore
from infra.sagas.ours import our_machines
from tests.saga.mutation.equivalents import why_equivalent
from tests.saga.mutation.mutants import mutants

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from infra.sagas.ours import OurMachine
    from tests.saga.mutation.mutants import Mutant

__all__ = ["Fate", "fates"]


@dataclass(frozen=True)
class Fate:
    """What became of a mutant.

    Attributes:
        mutant: which.
        explored: True if the explorer kills it.
        checked: True if the checks kill it; only asked where the explorer does not.
        equivalent: the rule by which it changes nothing, or None.
    """

    mutant: Mutant
    explored: bool = False
    checked: bool = False
    equivalent: str | None = None

    @property
    def survives(self) -> bool:
        """True if it changes something and nobody notices."""
        return self.equivalent is None and not self.explored and not self.checked


def fates(machine: OurMachine, *, one_in: int = 1) -> Iterator[Fate]:
    """The fate of every mutant, or of one in so many of each kind (at least one of each)."""
    seen: Counter[str] = Counter()
    for mutant in mutants(machine.definition, machine.effects):
        seen[mutant.kind] += 1
        if (seen[mutant.kind] - 1) % one_in:
            continue
        yield _fate(mutant, machine)


def _fate(mutant: Mutant, machine: OurMachine) -> Fate:
    reason = why_equivalent(mutant, machine.definition)
    if reason is not None:
        return Fate(mutant, equivalent=reason)
    if not explore(mutant.definition, mutant.effects, first_only=True).proved:
        return Fate(mutant, explored=True)
    return Fate(mutant, checked=bool(check(mutant.definition, machine.facts)))


def _print(found: Iterable[Fate]) -> int:
    kinds: dict[str, Counter[str]] = {}
    reasons: Counter[str] = Counter()
    survivors: list[Mutant] = []
    for fate in found:
        kind = kinds.setdefault(fate.mutant.kind, Counter())
        kind["all"] += 1
        kind["explored"] += fate.explored
        kind["checked"] += fate.checked
        kind["equivalent"] += fate.equivalent is not None
        if fate.equivalent is not None:
            reasons[fate.equivalent] += 1
        if fate.survives:
            survivors.append(fate.mutant)
    table = Table("mutante", "total", "explorador", "só verificações", "equivalentes", "vivos")
    for name, kind in kinds.items():
        alive = kind["all"] - kind["explored"] - kind["checked"] - kind["equivalent"]
        numbers = (kind["all"], kind["explored"], kind["checked"], kind["equivalent"], alive)
        table.add_row(name, *map(str, numbers))
    console = Console(highlight=False)
    console.print(table)
    total = sum(kinds.values(), Counter[str]())
    killed = total["explored"] + total["checked"]
    console.print(f"{total['all']} mutantes: {killed} mortos de {total['all'] - total['equivalent']} que mudam algo")
    for reason, times in reasons.items():
        console.print(f"  {times} equivalentes: {reason}")
    for mutant in survivors:
        console.print(f"  VIVO  {mutant.kind}: {mutant.what}")
    return 1 if survivors else 0


if __name__ == "__main__":
    sys.exit(_print(fates(our_machines()[0], one_in=int(sys.argv[1]) if len(sys.argv) > 1 else 1)))
