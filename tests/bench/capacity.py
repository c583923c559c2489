"""What DynamoDB bills for a write, from the item before and after. Pure.

Units: "DynamoDB read and write operations" and "Using Global Secondary
Indexes" (write capacity units), Amazon DynamoDB Developer Guide.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from tests.scale.items import item_bytes

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Index", "read_units", "write_units"]

_WRITE_BYTES: Final = 1024
_READ_BYTES: Final = 4096


@dataclass(frozen=True)
class Index:
    """A global secondary index.

    Attributes:
        keys: its key attributes; an item without one of them is not in it.
        projected: the other attributes it holds.
    """

    keys: tuple[str, ...]
    projected: tuple[str, ...]

    def entry(self, item: Mapping[str, Any] | None) -> dict[str, Any] | None:
        """What the index holds of an item; None when nothing."""
        if item is None or not all(name in item for name in self.keys):
            return None
        return {name: item[name] for name in (*self.keys, *self.projected) if name in item}


def write_units(
    before: Mapping[str, Any] | None, after: Mapping[str, Any] | None, indexes: Sequence[Index] = ()
) -> int:
    """Write units of one write, indexes included; of a write whose condition failed where both are the same."""
    larger = max(item_bytes(item) if item is not None else 0 for item in (before, after))
    return max(1, _up(larger, _WRITE_BYTES)) + sum(_index_units(index, before, after) for index in indexes)


def read_units(item: Mapping[str, Any] | None) -> int:
    """Read units of one consistent read; a projection reads the whole item all the same."""
    return max(1, _up(item_bytes(item) if item is not None else 0, _READ_BYTES))


def _index_units(index: Index, before: Mapping[str, Any] | None, after: Mapping[str, Any] | None) -> int:
    old, new = index.entry(before), index.entry(after)
    if old == new:
        return 0
    if old is None or new is None:
        return max(1, _up(item_bytes(old or new or {}), _WRITE_BYTES))
    units = max(1, _up(max(item_bytes(old), item_bytes(new)), _WRITE_BYTES))
    moved = any(old[name] != new[name] for name in index.keys)
    # Another key is another place: one write takes the old entry out, one puts the new one in.
    return 2 * units if moved else units


def _up(amount: int, unit: int) -> int:
    return -(-amount // unit)
