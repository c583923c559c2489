"""A definition as an SVG picture, drawn here: no external program, no font but what the reader has.

Nothing is said by colour alone: the way forward is thick, undoing is solid, failures are dashed, a person's answers
are dash-dotted; shapes tell states apart; a counterexample's way is drawn wide underneath, its steps numbered. Light
and dark follow the reader's own setting.
"""

from __future__ import annotations

from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from infra.saga.layout import Link, Size, lay_out
from infra.saga.picture import arrows, box_kind

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from infra.saga.layout import Layout
    from infra.saga.picture import Arrow, BoxKind, Style

__all__ = ["svg"]

_START, _END = "\0início", "\0fim"
"""Boxes beside the states: no state's name begins so."""

_CHARACTER = 7.2
_SMALL = 6.3
_LINE = 13.0
_MARGIN = 24.0
_LEGEND_HEIGHT = 84.0

_STYLE = """
  svg { color-scheme: light dark; }
  .fundo { fill: #ffffff; } .caixa { fill: #f6f8fa; stroke: #24292f; stroke-width: 1.4; }
  .pessoa { fill: #eef1f4; stroke-width: 2.6; } .fim { fill: #24292f; stroke: #24292f; }
  text { fill: #1f2328; font: 12px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; text-anchor: middle; }
  .rotulo { font-size: 10.5px; } .lenda { text-anchor: start; }
  .linha { fill: none; stroke: #24292f; stroke-width: 1.5; } .ponta { fill: #24292f; }
  .forward { stroke-width: 3.6; } .failure { stroke-dasharray: 6 4; } .answer { stroke-dasharray: 10 3 2 3; }
  .marca { fill: none; stroke: #f2a65a; stroke-width: 11; stroke-linecap: round; opacity: .65; }
  .passo { fill: #bf5b00; } .numero { fill: #ffffff; font-weight: bold; font-size: 11px; }
  @media (prefers-color-scheme: dark) {
    .fundo { fill: #0d1117; } .caixa { fill: #161b22; stroke: #d1d7e0; } .pessoa { fill: #21262d; }
    .fim, .ponta { fill: #d1d7e0; stroke: #d1d7e0; } .linha { stroke: #d1d7e0; } text { fill: #e6edf3; }
    .marca { stroke: #9e5a1c; } .passo { fill: #ffb26b; } .numero { fill: #0d1117; }
  }
"""

_LEGEND: tuple[tuple[Style, str], ...] = (
    ("forward", "caminho de ida"),
    ("back", "desfazer: segue o sucesso"),
    ("failure", "falha (Catch), ou resposta que não serve"),
    ("answer", "resposta de uma pessoa, ou escolha"),
)


def svg(definition: Mapping[str, Any], *, route: Sequence[str] = (), steps: Sequence[str] = ()) -> str:
    """The state machine as an SVG document.

    Args:
        definition: the state machine.
        route: states of a counterexample, in order, to be marked.
        steps: what happened on it, which tells two Catches to one state apart.
    """
    states: Mapping[str, Mapping[str, Any]] = definition["States"]
    drawn = [arrow for arrow in arrows(definition) if arrow.target is None or arrow.target in states]
    loops = [arrow for arrow in drawn if arrow.target == arrow.source]
    links = [arrow for arrow in drawn if arrow.target != arrow.source]
    boxes = {_START: Size(58, 24), **{name: _size(name, state) for name, state in states.items()}}
    routes = [Link(arrow.source, arrow.target or _END, _label_size(arrow.label)) for arrow in links]
    if definition["StartAt"] in states:
        routes.insert(0, Link(_START, definition["StartAt"]))
    if any(arrow.target is None for arrow in links):
        boxes[_END] = Size(22, 22)
    layout = lay_out(boxes, routes)
    entry = len(routes) - len(links)
    room = max((_SMALL * max(map(len, arrow.label), default=0) for arrow in loops), default=0) + 50 if loops else 0
    width, height = max(layout.width + room, 560) + 2 * _MARGIN, layout.height + 2 * _MARGIN + _LEGEND_HEIGHT
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" role="img" '
        f'aria-label="{escape(str(definition.get("Comment", definition["StartAt"])))}">',
        f"<style>{_STYLE}</style>",
        f'<rect class="fundo" width="{width:.0f}" height="{height:.0f}"/>',
        *_legend(marked=bool(route)),
        f'<g transform="translate({_MARGIN:.0f} {_MARGIN + _LEGEND_HEIGHT:.0f})">',
        *_marks(links, layout, entry, route, steps),
    ]
    for index, points in enumerate(layout.bends):
        lines += _line(points, boxes, routes[index], "forward" if index < entry else links[index - entry].style)
    for index, arrow in enumerate(links):
        lines += _label(arrow.label, *layout.labels[index + entry])
    for arrow in loops:
        lines += _loop(arrow, layout, boxes[arrow.source])
    for name, (x, y) in layout.boxes.items():
        lines += _box(name, states.get(name, {}), boxes[name], x, y)
    lines += _steps(layout, boxes, route)
    return "\n".join([*lines, "</g>", "</svg>"]) + "\n"


# --- Boxes -----------------------------------------------------------------------------------------------------------


def _size(name: str, state: Mapping[str, Any]) -> Size:
    extra = 56 if box_kind(state) == "choice" else 30
    return Size(len(name) * _CHARACTER + extra, 34)


def _label_size(label: Sequence[str]) -> Size:
    if not label:
        return Size(8, 0)
    return Size(max(map(len, label)) * _SMALL + 6, len(label) * _LINE)


def _box(name: str, state: Mapping[str, Any], size: Size, x: float, y: float) -> Iterator[str]:
    if name == _END:
        yield f'<circle class="caixa" cx="{x:.1f}" cy="{y:.1f}" r="10"/>'
        yield f'<circle class="fim" cx="{x:.1f}" cy="{y:.1f}" r="6"><title>fim</title></circle>'
        return
    if name == _START:
        yield f'<text x="{x:.1f}" y="{y + 4:.1f}">início</text>'
        return
    kind = box_kind(state)
    yield _outline(kind, size, x, y)
    yield f'<text x="{x:.1f}" y="{y + 4:.1f}">{escape(name)}</text>'


def _outline(kind: BoxKind, size: Size, x: float, y: float) -> str:
    half, tall = size.width / 2, size.height / 2
    corners = {
        "record": [(-half + 10, -tall), (half, -tall), (half - 10, tall), (-half, tall)],
        "choice": [
            (-half, 0),
            (-half + 18, -tall),
            (half - 18, -tall),
            (half, 0),
            (half - 18, tall),
            (-half + 18, tall),
        ],
        "person": [(-half, -tall), (half, -tall), (half, tall), (-half, tall), (-half + 10, 0)],
    }
    if kind in corners:
        points = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in corners[kind])
        return f'<polygon class="caixa{" pessoa" if kind == "person" else ""}" points="{points}"/>'
    radius = 17 if kind == "success" else 4
    box = (
        f'<rect class="caixa" x="{x - half:.1f}" y="{y - tall:.1f}" width="{size.width:.1f}" '
        f'height="{size.height:.1f}" rx="{radius}"/>'
    )
    if kind != "failure":
        return box
    bars = f"M{x - half + 6:.1f} {y - tall:.1f}v{size.height:.1f}M{x + half - 6:.1f} {y - tall:.1f}v{size.height:.1f}"
    return f'{box}<path class="linha" d="{bars}"/>'


# --- Arrows ----------------------------------------------------------------------------------------------------------


def _line(points: list[tuple[float, float]], boxes: Mapping[str, Size], link: Link, style: Style) -> Iterator[str]:
    path = _path(points, boxes[link.source], boxes[link.target])
    yield f'<path class="linha {style}" d="{_curve(path)}"/>'
    (x, y), below = path[-1], path[-1][1] > points[-1][1]
    reach = 9 if below else -9
    yield f'<path class="ponta" d="M{x:.1f} {y:.1f}l-5 {reach}h10z"/>'


def _path(points: list[tuple[float, float]], source: Size, target: Size) -> list[tuple[float, float]]:
    """``points`` cut at the edges of the boxes they begin and end in."""
    path = list(points)
    down = path[1][1] > path[0][1]
    path[0] = (path[0][0], path[0][1] + (source.height / 2 if down else -source.height / 2))
    down = path[-1][1] > path[-2][1]
    path[-1] = (path[-1][0], path[-1][1] + (-target.height / 2 if down else target.height / 2))
    return path


def _curve(path: list[tuple[float, float]]) -> str:
    """A smooth line through the points (Catmull-Rom), upright at both ends."""
    (x, y), (end_x, end_y) = path[0], path[-1]
    before = (x, 2 * y - path[1][1])
    after = (end_x, 2 * end_y - path[-2][1])
    points = [before, *path, after]
    drawn = [f"M{x:.1f} {y:.1f}"]
    for (ax, ay), (bx, by), (cx, cy), (dx, dy) in zip(points, points[1:], points[2:], points[3:], strict=False):
        # A sixth of the way between neighbours, kept within the span so that no line turns back on itself.
        leave = (bx + _limit(cx - ax, by, cy), by + (cy - ay) / 6)
        arrive = (cx - _limit(dx - bx, by, cy), cy - (dy - by) / 6)
        drawn.append(f"C{leave[0]:.1f} {leave[1]:.1f} {arrive[0]:.1f} {arrive[1]:.1f} {cx:.1f} {cy:.1f}")
    return "".join(drawn)


def _limit(slope: float, y: float, to_y: float) -> float:
    reach = abs(to_y - y) / 2
    return max(-reach, min(reach, slope / 6))


def _label(label: Sequence[str], x: float, y: float) -> Iterator[str]:
    if not label:
        return
    size = _label_size(label)
    yield (
        f'<rect class="fundo" x="{x - size.width / 2:.1f}" y="{y - size.height / 2:.1f}" '
        f'width="{size.width:.1f}" height="{size.height:.1f}"/>'
    )
    for index, text in enumerate(label):
        line = y - size.height / 2 + _LINE * (index + 0.75)
        yield f'<text class="rotulo" x="{x:.1f}" y="{line:.1f}">{escape(text)}</text>'


def _loop(arrow: Arrow, layout: Layout, size: Size) -> Iterator[str]:
    x, y = layout.boxes[arrow.source]
    x += size.width / 2
    yield f'<path class="linha {arrow.style}" d="M{x:.1f} {y - 9:.1f}c34 -10 34 28 8 18"/>'
    yield f'<path class="ponta" d="M{x:.1f} {y + 9:.1f}l9 -5v10z"/>'
    width = max(map(len, arrow.label), default=0) * _SMALL
    yield from _label(arrow.label, x + 34 + width / 2, y)


# --- A counterexample ------------------------------------------------------------------------------------------------


def _marks(
    links: Sequence[Arrow], layout: Layout, entry: int, route: Sequence[str], steps: Sequence[str]
) -> Iterator[str]:
    passed = set(pairwise(route))
    for index, arrow in enumerate(links):
        if (arrow.source, arrow.target) in passed and _was_taken(arrow, steps):
            yield f'<path class="marca" d="{_curve(layout.bends[index + entry])}"/>'


def _was_taken(arrow: Arrow, steps: Sequence[str]) -> bool:
    """False if the steps tell the ways out of a state, and this is not one they tell."""
    if not steps or arrow.style == "answer" or (arrow.style == "failure" and not arrow.errors):
        return True
    way_out = f"Catch [{', '.join(arrow.errors)}]" if arrow.errors else "Next"
    return any(f"{arrow.source}, {way_out} " in step for step in steps)


def _steps(layout: Layout, boxes: Mapping[str, Size], route: Sequence[str]) -> Iterator[str]:
    numbers: dict[str, list[int]] = {}
    passed = [name for name, before in zip(route, ("", *route), strict=False) if name != before]
    for number, name in enumerate(passed, start=1):
        numbers.setdefault(name, []).append(number)
    for name, passes in numbers.items():
        if name in layout.boxes:
            x, y = layout.boxes[name]
            text = ",".join(map(str, passes))
            left, width = x - boxes[name].width / 2 - 8, 10 + 7 * len(text)
            yield f'<rect class="passo" x="{left:.1f}" y="{y - 27:.1f}" width="{width}" height="18" rx="9"/>'
            yield f'<text class="numero" x="{left + width / 2:.1f}" y="{y - 14:.1f}">{text}</text>'


def _legend(*, marked: bool) -> Iterator[str]:
    for index, (style, text) in enumerate(_LEGEND):
        y = _MARGIN + index * 18
        yield f'<path class="linha {style}" d="M{_MARGIN:.0f} {y:.0f}h44"/>'
        yield f'<text class="rotulo lenda" x="{_MARGIN + 54:.0f}" y="{y + 4:.0f}">{text}</text>'
    if marked:
        x, y = _MARGIN + 320, _MARGIN
        yield f'<path class="marca" d="M{x:.0f} {y:.0f}h44"/>'
        yield f'<text class="rotulo lenda" x="{x + 54:.0f}" y="{y + 4:.0f}">contraexemplo, passos numerados</text>'
