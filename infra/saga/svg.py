"""A definition as an SVG picture, drawn here: no external program, no font but what the reader has.

Nothing is said by colour alone: the way forward is thick, undoing is solid, failures are dashed, a person's answers
are dash-dotted; shapes tell states apart; a counterexample's way is drawn wide underneath, its steps numbered. On the
picture of one execution (`Trail`) what it went by is thick and numbered, where it is now is filled and says so, and the
rest is thin. Light and dark follow the reader's own setting.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from html import escape
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from infra.saga.layout import Link, Size, lay_out
from infra.saga.picture import arrows, box_kind
from infra.saga.svg_style import FORCED, STYLE
from infra.saga.trail import numbers, resumptions, taken

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from infra.saga.layout import Layout
    from infra.saga.picture import Arrow, BoxKind
    from infra.saga.trail import Trail

__all__ = ["Embedding", "svg"]

_START, _END = "\0início", "\0fim"
"""Boxes beside the states: no state's name begins so."""

_CHARACTER = 7.2
_SMALL = 6.3
_LINE = 13.0
_MARGIN = 24.0
_LEGEND_LINE = 18.0
_NARROWEST = 560.0
_NARROWEST_TRAIL = 300.0
_TAKEN, _OTHER = " percorrida", " outra"

_LEGEND: tuple[tuple[str, str], ...] = (
    ("forward", "caminho de ida"),
    ("back", "desfazer: segue o sucesso"),
    ("failure", "falha (Catch), ou resposta que não serve"),
    ("answer", "resposta de uma pessoa, ou escolha"),
)

_TRAIL_LEGEND: tuple[tuple[str, str], ...] = (
    (f"back{_TAKEN}", "por onde passou, numerado na ordem"),
    (f"failure{_TAKEN}", "saiu por uma falha"),
    (f"back{_OTHER}", "não passou por aqui"),
)


@dataclass(frozen=True)
class Embedding:
    """How a picture stands in a page that has the style sheet (`svg_style`), its own colours and several pictures.

    Attributes:
        id: of the picture, for what its title and description are called.
        title: what it shows.
        description: what it says, for whoever cannot see it.
    """

    id: str
    title: str
    description: str


def svg(
    definition: Mapping[str, Any],
    *,
    route: Sequence[str] = (),
    steps: Sequence[str] = (),
    trail: Trail | None = None,
    words: Mapping[str, str] | None = None,
    embedding: Embedding | None = None,
) -> str:
    """The state machine as an SVG document.

    Args:
        definition: the state machine.
        route: states of a counterexample, in order, to be marked.
        steps: what happened on it, which tells two Catches to one state apart.
        trail: the way of one execution, to be marked instead.
        words: what to write for a state's name, or for a label.
        embedding: for a part of a page, instead of a document.
    """
    texts = words or {}
    states: Mapping[str, Mapping[str, Any]] = definition["States"]
    every = [*arrows(definition), *(resumptions(trail) if trail is not None else ())]
    drawn = [_worded(arrow, texts) for arrow in every if arrow.target is None or arrow.target in states]
    loops = [arrow for arrow in drawn if arrow.target == arrow.source]
    links = [arrow for arrow in drawn if arrow.target != arrow.source]
    notes = {one.state: one.note for one in trail.passes if one.note} if trail is not None else {}
    sizes = {name: _size(texts.get(name, name), notes.get(name, ""), state) for name, state in states.items()}
    boxes = {_START: Size(58, 24), **sizes}
    routes = [Link(arrow.source, arrow.target or _END, _label_size(arrow.label)) for arrow in links]
    if definition["StartAt"] in states:
        routes.insert(0, Link(_START, definition["StartAt"]))
    if any(arrow.target is None for arrow in links):
        boxes[_END] = Size(22, 22)
    layout = lay_out(boxes, routes)
    entry = len(routes) - len(links)
    marks = _Marks.of(trail, definition["StartAt"], links, loops)
    legend = _LEGEND if trail is None else _TRAIL_LEGEND
    top = _MARGIN + len(legend) * _LEGEND_LINE + 12
    room = max((_SMALL * max(map(len, arrow.label), default=0) for arrow in loops), default=0) + 50 if loops else 0
    narrowest = _NARROWEST if trail is None else _NARROWEST_TRAIL
    width, height = max(layout.width + room, narrowest) + 2 * _MARGIN, layout.height + _MARGIN + top
    lines = [
        *_opening(definition, width, height, embedding),
        *_legend(legend, marked=bool(route)),
        f'<g transform="translate({_MARGIN:.0f} {top:.0f})">',
        *_marks(links, layout, entry, route, steps),
    ]
    # What was gone by lies on top of the rest.
    order = sorted(range(len(routes)), key=lambda index: marks.arrow(index - entry) == _TAKEN)
    for index in order:
        style = "forward" if index < entry else links[index - entry].style
        lines += _line(layout.bends[index], boxes, routes[index], f"{style}{marks.arrow(index - entry)}")
    for index, arrow in enumerate(links):
        lines += _label(arrow.label, *layout.labels[index + entry], mark=marks.arrow(index))
    for arrow in loops:
        lines += _loop(arrow, layout, boxes[arrow.source], marks.loop(arrow))
    for name, (x, y) in layout.boxes.items():
        text = (texts.get(name, name), notes.get(name, ""))
        lines += _box(name, text, states.get(name, {}), boxes[name], x, y, marks.box(name))
    passed = _without_repeats(route) if trail is None else [passage.state for passage in trail.passes]
    lines += _steps(layout, boxes, passed)
    return "\n".join([*lines, "</g>", "</svg>"]) + "\n"


def _worded(arrow: Arrow, words: Mapping[str, str]) -> Arrow:
    return replace(arrow, label=tuple(words.get(text, text) for text in arrow.label))


def _opening(definition: Mapping[str, Any], width: float, height: float, embedding: Embedding | None) -> Iterator[str]:
    box = f'viewBox="0 0 {width:.0f} {height:.0f}"'
    if embedding is not None:
        yield (
            f'<svg {box} width="{width:.0f}" height="{height:.0f}" role="img" '
            f'aria-labelledby="{embedding.id}-titulo {embedding.id}-texto">'
        )
        yield f'<title id="{embedding.id}-titulo">{escape(embedding.title)}</title>'
        yield f'<desc id="{embedding.id}-texto">{escape(embedding.description)}</desc>'
        return
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" {box} role="img" '
        f'aria-label="{escape(str(definition.get("Comment", definition["StartAt"])))}">'
    )
    yield f"<style>{STYLE}{FORCED}</style>"
    yield f'<rect class="fundo" width="{width:.0f}" height="{height:.0f}"/>'


# --- Boxes -----------------------------------------------------------------------------------------------------------


def _size(text: str, note: str, state: Mapping[str, Any]) -> Size:
    extra = {"choice": 56, "person": 44}.get(box_kind(state), 30)
    return Size(max(len(text), len(note)) * _CHARACTER + extra, 50 if note else 34)


def _label_size(label: Sequence[str]) -> Size:
    if not label:
        return Size(8, 0)
    return Size(max(map(len, label)) * _SMALL + 6, len(label) * _LINE)


def _box(
    name: str, text: tuple[str, str], state: Mapping[str, Any], size: Size, x: float, y: float, mark: str
) -> Iterator[str]:
    if name == _END:
        yield f'<circle class="caixa{mark}" cx="{x:.1f}" cy="{y:.1f}" r="10"/>'
        yield f'<circle class="fim{mark}" cx="{x:.1f}" cy="{y:.1f}" r="6"><title>fim</title></circle>'
        return
    if name == _START:
        yield f'<text x="{x:.1f}" y="{y + 4:.1f}">início</text>'
        return
    said, note = text
    kind = box_kind(state)
    yield _outline(kind, size, x, y, mark)
    # Clear of the notch.
    x += 6 if kind == "person" else 0
    tip = f"<title>{escape(name)}</title>" if said != name else ""
    styled = f' class="{mark.strip()}"' if mark else ""
    yield f'<text{styled} x="{x:.1f}" y="{y - (4 if note else -4):.1f}">{tip}{escape(said)}</text>'
    if note:
        yield f'<text class="rotulo{mark}" x="{x:.1f}" y="{y + 13:.1f}">{escape(note)}</text>'


def _outline(kind: BoxKind, size: Size, x: float, y: float, mark: str) -> str:
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
        return f'<polygon class="caixa{" pessoa" if kind == "person" else ""}{mark}" points="{points}"/>'
    radius = 17 if kind == "success" else 4
    box = (
        f'<rect class="caixa{mark}" x="{x - half:.1f}" y="{y - tall:.1f}" width="{size.width:.1f}" '
        f'height="{size.height:.1f}" rx="{radius}"/>'
    )
    if kind != "failure":
        return box
    bars = f"M{x - half + 6:.1f} {y - tall:.1f}v{size.height:.1f}M{x + half - 6:.1f} {y - tall:.1f}v{size.height:.1f}"
    return f'{box}<path class="linha{mark}" d="{bars}"/>'


# --- Arrows ----------------------------------------------------------------------------------------------------------


def _line(points: list[tuple[float, float]], boxes: Mapping[str, Size], link: Link, style: str) -> Iterator[str]:
    path = _path(points, boxes[link.source], boxes[link.target])
    yield f'<path class="linha {style}" d="{_curve(path)}"/>'
    (x, y), below = path[-1], path[-1][1] > points[-1][1]
    reach = 9 if below else -9
    yield f'<path class="ponta {style}" d="M{x:.1f} {y:.1f}l-5 {reach}h10z"/>'


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


def _label(label: Sequence[str], x: float, y: float, *, mark: str = "") -> Iterator[str]:
    if not label:
        return
    size = _label_size(label)
    yield (
        f'<rect class="fundo" x="{x - size.width / 2:.1f}" y="{y - size.height / 2:.1f}" '
        f'width="{size.width:.1f}" height="{size.height:.1f}"/>'
    )
    for index, text in enumerate(label):
        line = y - size.height / 2 + _LINE * (index + 0.75)
        yield f'<text class="rotulo{mark}" x="{x:.1f}" y="{line:.1f}">{escape(text)}</text>'


def _loop(arrow: Arrow, layout: Layout, size: Size, mark: str) -> Iterator[str]:
    x, y = layout.boxes[arrow.source]
    x += size.width / 2
    yield f'<path class="linha {arrow.style}{mark}" d="M{x:.1f} {y - 9:.1f}c34 -10 34 28 8 18"/>'
    yield f'<path class="ponta {arrow.style}{mark}" d="M{x:.1f} {y + 9:.1f}l9 -5v10z"/>'
    width = max(map(len, arrow.label), default=0) * _SMALL
    yield from _label(arrow.label, x + 34 + width / 2, y, mark=mark)


# --- The way of one execution ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Marks:
    """Classes that tell what a trail went by from the rest; none where there is no trail."""

    trail: Trail | None
    begun: bool
    links: frozenset[int]
    loops: frozenset[str]

    @classmethod
    def of(cls, trail: Trail | None, start: str, links: Sequence[Arrow], loops: Sequence[Arrow]) -> _Marks:
        if trail is None:
            return cls(None, False, frozenset(), frozenset())
        begun = bool(trail.passes) and trail.passes[0].state == start
        return cls(trail, begun, taken(trail, links), frozenset(loops[index].source for index in taken(trail, loops)))

    def arrow(self, index: int) -> str:
        """Of a link; the start's arrow comes before the first of them."""
        if self.trail is None:
            return ""
        return _TAKEN if index in self.links or (index < 0 and self.begun) else _OTHER

    def loop(self, arrow: Arrow) -> str:
        if self.trail is None:
            return ""
        return _TAKEN if arrow.source in self.loops else _OTHER

    def box(self, name: str) -> str:
        if self.trail is None:
            return ""
        if name == self.trail.last:
            return f"{_TAKEN} aqui"
        ended = name == _END and self.trail.ended
        return _TAKEN if ended or any(passage.state == name for passage in self.trail.passes) else _OTHER


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


def _without_repeats(route: Sequence[str]) -> list[str]:
    return [name for name, before in zip(route, ("", *route), strict=False) if name != before]


def _steps(layout: Layout, boxes: Mapping[str, Size], passed: Sequence[str]) -> Iterator[str]:
    for name, passes in numbers(passed).items():
        if name in layout.boxes:
            x, y = layout.boxes[name]
            text = ",".join(map(str, passes))
            left, width = x - boxes[name].width / 2 - 8, 10 + 7 * len(text)
            y -= boxes[name].height / 2 - 17
            yield f'<rect class="passo" x="{left:.1f}" y="{y - 27:.1f}" width="{width}" height="18" rx="9"/>'
            yield f'<text class="numero" x="{left + width / 2:.1f}" y="{y - 14:.1f}">{text}</text>'


def _legend(legend: Sequence[tuple[str, str]], *, marked: bool) -> Iterator[str]:
    for index, (style, text) in enumerate(legend):
        y = _MARGIN + index * _LEGEND_LINE
        yield f'<path class="linha {style}" d="M{_MARGIN:.0f} {y:.0f}h44"/>'
        yield f'<text class="rotulo lenda" x="{_MARGIN + 54:.0f}" y="{y + 4:.0f}">{text}</text>'
    if marked:
        x, y = _MARGIN + 320, _MARGIN
        yield f'<path class="marca" d="M{x:.0f} {y:.0f}h44"/>'
        yield f'<text class="rotulo lenda" x="{x + 54:.0f}" y="{y + 4:.0f}">contraexemplo, passos numerados</text>'
