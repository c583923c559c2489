"""The SVG says everything without colour, needs nothing but itself, and marks a counterexample."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from infra.saga.asl import parse
from infra.saga.diagram import mermaid
from infra.saga.layout import Link, Size, lay_out
from infra.saga.svg import svg
from tests.saga.test_pedido import DEFINITION, STATES

pytestmark = pytest.mark.saga

GOOD = sorted((Path(__file__).parent / "good").iterdir())
SPACE = "{http://www.w3.org/2000/svg}"
ROUTE = ("ReservarEstoque", "CobrarPagamento", "LiberarEstoque")


def texts(drawn: str) -> list[str]:
    return [element.text or "" for element in ElementTree.fromstring(drawn).iter(f"{SPACE}text")]  # noqa: S314


def lines(drawn: str, style: str) -> int:
    """Arrows of a style; the legend shows one more of each."""
    return drawn.count(f'class="linha {style}"') - 1


def test_every_state_and_every_arrow_is_drawn_in_its_own_line_style() -> None:
    drawn = svg(DEFINITION)
    assert set(STATES) <= set(texts(drawn))
    states = list(STATES.values())
    catches = sum(len(state.get("Catch", ())) for state in states)
    choices = [state for state in states if state["Type"] == "Choice"]
    assert lines(drawn, "failure") == catches + len(choices)
    assert lines(drawn, "answer") == sum(len(state["Choices"]) for state in choices)
    # The start's arrow, four steps, of which the last ends.
    assert lines(drawn, "forward") == 5


def test_line_styles_differ_in_width_or_dashes_and_not_in_colour() -> None:
    drawn = svg(DEFINITION)
    assert ".forward { stroke-width: 3.6; }" in drawn
    assert ".failure { stroke-dasharray" in drawn
    assert ".answer { stroke-dasharray" in drawn
    assert {"caminho de ida", "falha (Catch), ou resposta que não serve"} <= set(texts(drawn))


def test_it_stands_alone_and_follows_the_reader_s_light_or_dark() -> None:
    drawn = svg(DEFINITION)
    assert "prefers-color-scheme: dark" in drawn
    assert drawn.count("http") == 1  # the namespace
    assert drawn == svg(DEFINITION)


def test_a_counterexample_is_marked_wide_and_numbered() -> None:
    plain, marked = svg(DEFINITION), svg(DEFINITION, route=ROUTE)
    assert plain.count('class="marca"') == 0
    assert marked.count('class="marca"') == 1 + len(list(pairwise(ROUTE)))
    assert [text for text in texts(marked) if text.isdigit()] == ["1", "2", "3"]
    assert "class ReservarEstoque,CobrarPagamento,LiberarEstoque marcado" in mermaid(DEFINITION, route=ROUTE)


@pytest.mark.parametrize("path", GOOD, ids=lambda path: path.stem)
def test_anybody_s_definition_can_be_drawn(path: Path) -> None:
    definition = parse(path.read_text())
    assert set(definition["States"]) <= set(texts(svg(definition)))
    assert mermaid(definition).startswith("flowchart TD\n")


def test_names_that_are_markup_stay_text() -> None:
    name = 'a<b>&"c" end'
    definition = {"StartAt": name, "States": {name: {"Type": "Succeed"}}}
    assert name in texts(svg(definition))
    assert 'estado0(["a<b>&#quot;c#quot; end"])' in mermaid(definition)


NAMES = st.sampled_from([f"S{index}" for index in range(8)])


@given(st.lists(st.tuples(NAMES, NAMES).filter(lambda pair: pair[0] != pair[1]), max_size=20))
@settings(max_examples=60, deadline=None)
def test_boxes_never_overlap_and_every_link_joins_its_boxes(pairs: list[tuple[str, str]]) -> None:
    boxes = {f"S{index}": Size(40 + 20 * index, 30) for index in range(8)}
    layout = lay_out(boxes, [Link(*pair) for pair in pairs])
    placed = [(x, y, boxes[name]) for name, (x, y) in layout.boxes.items()]
    for index, (x, y, size) in enumerate(placed):
        assert size.width / 2 - 0.01 <= x <= layout.width - size.width / 2 + 0.01
        for other_x, other_y, other in placed[:index]:
            apart_x = abs(x - other_x) >= (size.width + other.width) / 2
            apart_y = abs(y - other_y) >= (size.height + other.height) / 2
            assert apart_x or apart_y
    for (source, target), bends in zip(pairs, layout.bends, strict=True):
        assert (bends[0], bends[-1]) == (layout.boxes[source], layout.boxes[target])
