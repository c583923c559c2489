"""A layered layout of a directed graph: who is above whom, in which order, and where lines bend.

Sugiyama's method in its plainest form: break cycles by turning back arrows round, put each box a layer below what
leads to it, cut long arrows into one piece a layer, order layers by the barycentre of their neighbours, then move
boxes towards their neighbours. Labels take part as small boxes between layers, so they never lie on anything.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Layout", "Link", "Size", "lay_out"]

_GAP_X = 28.0
_LAYER_GAP = 22.0
_SWEEPS = 40
_STILL = 0.5
"""Pixels: a sweep that moves nothing farther is the last."""


@dataclass(frozen=True)
class Size:
    """Width and height, in pixels."""

    width: float
    height: float


@dataclass(frozen=True)
class Link:
    """An arrow between two different boxes.

    Attributes:
        source: a box.
        target: another.
        label: the room its label needs.
    """

    source: str
    target: str
    label: Size = Size(8, 0)


@dataclass
class Layout:
    """Where everything goes; every position is a centre, in pixels.

    Attributes:
        width: of the whole.
        height: of the whole.
        boxes: centre of each box.
        labels: centre of each link's label, in the order of the links.
        bends: points each link passes, from its source's centre to its target's.
    """

    width: float = 0
    height: float = 0
    boxes: dict[str, tuple[float, float]] = field(default_factory=dict[str, "tuple[float, float]"])
    labels: list[tuple[float, float]] = field(default_factory=list["tuple[float, float]"])
    bends: list[list[tuple[float, float]]] = field(default_factory=list["list[tuple[float, float]]"])


@dataclass(eq=False, slots=True)
class _Item:
    """A box, a label or a bend."""

    size: Size
    layer: int
    x: float = 0
    above: list[_Item] = field(default_factory=list["_Item"])
    below: list[_Item] = field(default_factory=list["_Item"])
    near: list[_Item] = field(default_factory=list["_Item"])
    """Those above and below."""


def lay_out(boxes: Mapping[str, Size], links: Sequence[Link]) -> Layout:
    """Places ``boxes`` (the first is at the top) and routes ``links``."""
    back = _back_links(boxes, links)
    layers = _layers(boxes, links, back)
    items = {name: _Item(size, 2 * layers[name]) for name, size in boxes.items()}
    chains = [_chain(items, link, turned=index in back) for index, link in enumerate(links)]
    rows = _rows(items, chains)
    _order(rows)
    _place(rows)
    return _result(boxes, items, chains, rows, back)


def _back_links(boxes: Mapping[str, Size], links: Sequence[Link]) -> set[int]:
    """Links that close a cycle, met depth first from the boxes in their order."""
    back: set[int] = set()
    done: dict[str, bool] = {}
    for root in boxes:
        # The stack holds a box, and the links out of it yet to be followed.
        stack = [(root, _out(links, root))] if root not in done else []
        done.setdefault(root, False)
        while stack:
            name, waiting = stack[-1]
            if not waiting:
                done[name] = True
                stack.pop()
                continue
            index = waiting.pop(0)
            target = links[index].target
            if target not in done:
                done[target] = False
                stack.append((target, _out(links, target)))
            elif not done[target]:
                back.add(index)
    return back


def _out(links: Sequence[Link], name: str) -> list[int]:
    return [index for index, link in enumerate(links) if link.source == name]


def _layers(boxes: Mapping[str, Size], links: Sequence[Link], back: set[int]) -> dict[str, int]:
    """The layer of each box: one below the lowest that leads to it."""
    layers = dict.fromkeys(boxes, 0)
    ways = [
        (link.target, link.source) if index in back else (link.source, link.target) for index, link in enumerate(links)
    ]
    # As many rounds as boxes settle any graph without cycles.
    for _ in boxes:
        for above, below in ways:
            layers[below] = max(layers[below], layers[above] + 1)
    return layers


def _chain(items: Mapping[str, _Item], link: Link, *, turned: bool) -> list[_Item]:
    """The pieces a link passes, from top to bottom: box, bends, its label half-way, bends, box."""
    top, bottom = (items[link.target], items[link.source]) if turned else (items[link.source], items[link.target])
    between = range(top.layer + 1, bottom.layer)
    # Labels live in odd layers: near the source, where one looks for them.
    labelled = bottom.layer - 1 if turned else top.layer + 1
    bends = [_Item(link.label if layer == labelled else Size(8, 0), layer) for layer in between]
    chain = [top, *bends, bottom]
    for upper, lower in pairwise(chain):
        upper.below.append(lower)
        lower.above.append(upper)
        upper.near.append(lower)
        lower.near.append(upper)
    return chain


def _rows(items: Mapping[str, _Item], chains: Sequence[list[_Item]]) -> list[list[_Item]]:
    every = [*items.values(), *(bend for chain in chains for bend in chain[1:-1])]
    rows: list[list[_Item]] = [[] for _ in range(max(item.layer for item in every) + 1)]
    for item in every:
        rows[item.layer].append(item)
    return rows


def _order(rows: list[list[_Item]]) -> None:
    """Order each row by the mean position of its neighbours, downwards and upwards in turn."""
    for row in rows:
        _number(row)
    for _ in range(_SWEEPS // 2):
        before = [list(row) for row in rows]
        for row in rows:
            _sort(row, [_mean(item.above, item.x) for item in row])
        for row in reversed(rows):
            _sort(row, [_mean(item.below, item.x) for item in row])
        if rows == before:
            # And so would be every sweep after it.
            break


def _sort(row: list[_Item], keys: list[float]) -> None:
    by_key = sorted(zip(keys, range(len(row)), row, strict=True))
    row[:] = [item for _, _, item in by_key]
    _number(row)


def _number(row: list[_Item]) -> None:
    for position, item in enumerate(row):
        item.x = position


def _mean(neighbours: list[_Item], default: float) -> float:
    return sum(item.x for item in neighbours) / len(neighbours) if neighbours else default


def _place(rows: list[list[_Item]]) -> None:
    """Turn orders into pixels: packed first, then towards the neighbours as far as the row allows."""
    for row in rows:
        edge = 0.0
        for item in row:
            item.x = edge + item.size.width / 2
            edge += item.size.width + _GAP_X
    gaps = [[_apart(left, right) for left, right in pairwise(row)] for row in rows]
    downwards = list(zip(rows, gaps, strict=True))
    for move in (_settle, _relax):
        for sweep in range(_SWEEPS):
            order = downwards if sweep % 2 == 0 else downwards[::-1]
            if max(move(row, between) for row, between in order) < _STILL:
                break


def _relax(row: list[_Item], gaps: list[float]) -> float:
    """Each item where it wants to be, as far as its neighbours leave it room: long arrows lose their bends.

    Returns how far the farthest went.
    """
    farthest = 0.0
    for index, item in enumerate(row):
        before, x = item.x, _wanted(item)
        # Comparisons, here and below: `min` and `max` take twice as long, and this is most of what a page takes.
        if index < len(gaps) and (most := row[index + 1].x - gaps[index]) < x:
            x = most
        if index and (least := row[index - 1].x + gaps[index - 1]) > x:
            x = least
        item.x = x
        farthest = max(farthest, abs(x - before))
    return farthest


def _settle(row: list[_Item], gaps: list[float]) -> float:
    """Each item where it wants to be, with neighbours that are in each other's way moved alike.

    Returns how far the farthest went.
    """
    # From each side in turn, nobody passes a neighbour; the mean of both passes is fair and keeps the gaps.
    rightmost = [_wanted(item) for item in row]
    leftmost = list(rightmost)
    for index, gap in enumerate(gaps):
        if (least := rightmost[index] + gap) > rightmost[index + 1]:
            rightmost[index + 1] = least
    for index in range(len(gaps) - 1, -1, -1):
        if (most := leftmost[index + 1] - gaps[index]) < leftmost[index]:
            leftmost[index] = most
    farthest = 0.0
    for item, left, right in zip(row, leftmost, rightmost, strict=True):
        before, item.x = item.x, (left + right) / 2
        farthest = max(farthest, abs(item.x - before))
    return farthest


def _wanted(item: _Item) -> float:
    if len(item.near) == 2:
        # A bend, and most are.
        one, other = item.near
        return (one.x + other.x) / 2
    if not item.near:
        return item.x
    near = sorted([other.x for other in item.near])
    # The median; `statistics` takes three times as long, and this is asked some ten thousand times.
    half = len(near) // 2
    return near[half] if len(near) % 2 else (near[half - 1] + near[half]) / 2


def _apart(left: _Item, right: _Item) -> float:
    return (left.size.width + right.size.width) / 2 + _GAP_X


def _result(
    boxes: Mapping[str, Size],
    items: Mapping[str, _Item],
    chains: Sequence[list[_Item]],
    rows: Sequence[list[_Item]],
    back: set[int],
) -> Layout:
    leftmost = min(item.x - item.size.width / 2 for row in rows for item in row)
    heights = [max((item.size.height for item in row), default=0.0) for row in rows]
    tops = [sum(heights[:layer]) + layer * _LAYER_GAP for layer in range(len(rows))]

    def at(item: _Item) -> tuple[float, float]:
        return item.x - leftmost, tops[item.layer] + heights[item.layer] / 2

    def through(item: _Item) -> list[tuple[float, float]]:
        """Upright past the boxes of its row, so that a line never cuts a neighbour's corner."""
        if item.layer % 2 == 1:
            return [at(item)]
        x = item.x - leftmost
        return [(x, tops[item.layer]), (x, tops[item.layer] + heights[item.layer])]

    layout = Layout(height=tops[-1] + heights[-1])
    layout.width = max(item.x + item.size.width / 2 for row in rows for item in row) - leftmost
    layout.boxes = {name: at(items[name]) for name in boxes}
    for index, chain in enumerate(chains):
        turned = index in back
        layout.labels.append(at(chain[-2] if turned else chain[1]))
        points = [at(chain[0]), *(point for bend in chain[1:-1] for point in through(bend)), at(chain[-1])]
        layout.bends.append(points[::-1] if turned else points)
    return layout
