"""Status writes that may still arrive: which of them can matter, so that a walk need not carry the others along."""

from __future__ import annotations

from typing import TYPE_CHECKING

from infra.saga.effects import CompensationEffect, PivotEffect
from infra.saga.model import StatusWrite

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from infra.saga.effects import Effects
    from infra.saga.outcomes import Outcomes
    from infra.saga.world import World

__all__ = ["LateWrites"]


class LateWrites:
    """The records of one definition.

    Args:
        effects: what the states do.
        written: the status each record writes.
        outcomes: what each task may do.
        statuses: every status known.
    """

    def __init__(
        self,
        effects: Effects,
        written: Mapping[str, str],
        outcomes: Mapping[str, Outcomes],
        statuses: frozenset[str],
    ) -> None:
        self.effects = effects
        self.statuses = statuses
        self.written = {name: status for name, status in written.items() if name in outcomes}
        self.records = {name: outcomes[name] for name in self.written}
        self.alike = self._alike()
        self.may_change = self._changes()

    def settle(self, world: World) -> World:
        """``world`` without the writes on the way that can change nothing any more, whatever the status becomes."""
        if not world.late_records:
            return world
        late = frozenset(
            self.alike.get(name, name) for name in world.late_records if self.may_change.get((name, world.status), True)
        )
        return world if late == world.late_records else world._replace(late_records=late)

    def _alike(self) -> dict[str, str]:
        """For each record, the first that writes the same status over the same statuses."""
        first: dict[tuple[str, tuple[bool, ...]], str] = {}
        alike: dict[str, str] = {}
        for name, status in self.written.items():
            over = tuple(self.records[name].may_write_over(present) for present in sorted(self.statuses))
            alike[name] = first.setdefault((status, over), name)
        return alike

    def _changes(self) -> dict[tuple[str, str], bool]:
        """Whether each record's write, from each status on, may ever be written over another status than its own."""
        ways = {status: self._following(status) for status in self.statuses}
        changes: dict[tuple[str, str], bool] = {}
        for status in self.statuses:
            reached, waiting = {status}, [status]
            while waiting:
                new = ways[waiting.pop()] - reached
                reached |= new
                waiting += new
            for name, record in self.records.items():
                over = (present for present in reached if present != self.written[name])
                changes[name, status] = any(record.may_write_over(present) for present in over)
        return changes

    def _following(self, status: str) -> set[str]:
        following = {self.written[name] for name, record in self.records.items() if record.may_write_over(status)}
        return following | {write.status for write in self._own_writes() if status in write.allowed_from}

    def _own_writes(self) -> Iterator[StatusWrite]:
        """The statuses that functions write by themselves; an unguarded one from any status."""
        for effect in self.effects.states.values():
            match effect:
                case PivotEffect(writes=StatusWrite(status), guarded=False):
                    yield StatusWrite(status, tuple(self.statuses))
                case PivotEffect(writes=StatusWrite() as write) | CompensationEffect(claims=StatusWrite() as write):
                    yield write
                case _:
                    pass
