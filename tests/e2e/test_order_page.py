"""The order's page in a real browser: nothing clipped, nothing overlapping, all of it legible, in every mode."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

import pytest

from infra.ops.page import page
from tests.pictures.browser import opened
from tests.pictures.sight import NARROW, NARROWEST, NEEDS_CHROMIUM, WIDE, Sight
from tests.support.stories import STORIES, view_of

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [pytest.mark.e2e, NEEDS_CHROMIUM]

_EVERY_LOOK: Final = (
    *("confirmado", "nao-comecou", "desfazendo", "espera-uma-pessoa"),
    *("nao-entregue", "encerrado-sem-nomear", "historico-expirado"),
)
"""Stories that have every class of the style sheet that any story has."""
HOSTILE: Final = (
    '</p><script>document.title="tomado"</script><img src="http://127.0.0.1:9/x"><style>*{display:none}</style>'
)


@cache
def _page(name: str) -> str:
    """Laying out a picture takes a while."""
    return page(view_of(STORIES[name]))


@pytest.fixture(scope="module")
def sight() -> Iterator[Sight]:
    with opened() as browser:
        yield Sight(browser.new_page())


@pytest.mark.parametrize(
    ("width", "scheme", "forced", "name"),
    # One mode after the other: to change it makes the browser draw the page once more.
    [
        *((WIDE, "light", "none", name) for name in STORIES),
        *((NARROW, "dark", "none", name) for name in STORIES),
        *((WIDE, "dark", "none", name) for name in _EVERY_LOOK),
        *((WIDE, "light", "active", name) for name in _EVERY_LOOK),
    ],
)
def test_every_story_is_legible(sight: Sight, width: int, scheme: str, forced: str, name: str) -> None:
    sight.show(_page(name))
    assert sight.findings(width, scheme=scheme, forced=forced) == []
    assert sight.complaints == []


def test_those_few_stories_stand_for_all() -> None:
    # Colours hang on classes alone.
    classes = {name: set(re.findall(r'class="([^"]*)"', _page(name))) for name in STORIES}
    assert set().union(*classes.values()) == set().union(*(classes[name] for name in _EVERY_LOOK))


@pytest.mark.parametrize(
    ("fault", "found"),
    [
        ("document.querySelector('h1').style.color = '#999'", "contraste 2.85"),
        ("document.querySelector('.onde').style.marginTop = '-40px'", "um sobre o outro"),
        ("document.querySelector('header').style.minWidth = '2000px'", "rola para o lado"),
        ("document.querySelector('figure svg text').style.fontSize = '8px'", "letra de 8px"),
        ("document.querySelector('figure svg text.aqui').style.fontSize = '30px'", "sai da caixa"),
        ("document.querySelector('figure svg').style.width = '300px'", "desenho encolhido"),
        ("document.querySelector('figure svg').setAttribute('viewBox', '0 0 200 766')", "cortado do desenho"),
        ("document.querySelectorAll('path.percorrida').forEach((line) => line.style.strokeWidth = 1)", "percorrido 1"),
        ("document.querySelector('figure svg').style.display = 'none'", "0 desenhos à vista"),
    ],
)
def test_what_is_wrong_is_seen(sight: Sight, fault: str, found: str) -> None:
    sight.show(_page("cartao-recusado"))
    sight.tab.evaluate(fault)
    assert any(found in told for told in sight.findings(WIDE))


def test_it_fits_the_narrowest_phone_and_a_sheet_of_paper(sight: Sight) -> None:
    sight.show(page(view_of(STORIES["encerrado"], alvo="aws", stack="prod")))
    assert sight.findings(NARROWEST) == []
    assert sight.findings(900) == []
    sight.tab.emulate_media(media="print")
    wider = sight.tab.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    sight.tab.emulate_media(media="screen")
    assert wider <= 0


@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_where_it_stopped_is_on_the_picture_and_says_so(sight: Sight, width: int) -> None:
    sight.show(_page("retomado"))
    assert sight.findings(width) == []
    boxes = sight.tab.locator("figure svg:visible text.aqui")
    assert [text.removeprefix("RegistrarFalhaComEstoqueLiberado") for text in boxes.all_text_contents()] == [
        "Registrar: desfeito",
        "terminou aqui",
    ]
    assert "parou aqui" in (sight.tab.locator("figure svg:visible").text_content() or "")


def test_the_whole_saga_can_be_opened_and_scrolls_in_its_own_frame(sight: Sight) -> None:
    sight.show(_page("espera-uma-pessoa"))
    sight.tab.set_viewport_size({"width": NARROW, "height": 900})
    sight.tab.get_by_text("A saga inteira").click()
    drawn = sight.tab.locator(".rolagem svg")
    assert drawn.is_visible()
    assert "Registrar: encerrado com pendências" in (drawn.text_content() or "")
    assert sight.tab.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert sight.complaints == []


def test_an_error_s_own_words_do_nothing(sight: Sight) -> None:
    view = view_of(STORIES["espera-uma-pessoa"])
    assert view["erro"] is not None
    view["erro"]["mensagem"] = view["proximoPasso"] = view["resumo"]["onde"] = HOSTILE
    view["linha"][0]["evento"] = view["quemAgiu"][0]["acao"] = HOSTILE
    sight.show(page(view))
    assert sight.tab.title().startswith("Pedido p-7")
    assert sight.tab.locator("script, img").count() == 0
    assert sight.tab.locator("body").inner_text().count("tomado") >= 5
    assert sight.complaints == []


def test_what_should_slip_through_is_stopped_by_the_page_s_policy(sight: Sight) -> None:
    sight.complaints.clear()
    sight.tab.set_content(_page("confirmado").replace("</main>", f"{HOSTILE}</main>"))
    assert sight.tab.title().startswith("Pedido p-7")
    assert sight.tab.locator("h1").is_visible()
    stopped = [told for told in sight.complaints if "Content Security Policy" in told]
    assert len(stopped) >= 3


def test_the_page_can_be_read_by_ear(sight: Sight) -> None:
    sight.show(_page("cartao-recusado"))
    heard = sight.tab.locator("body").aria_snapshot()
    for landmark in ("banner:", "main:", "contentinfo:", 'region "Próximo passo"', 'region "O que aconteceu"'):
        assert landmark in heard
    assert 'heading "Cancelado e desfeito" [level=1]' in heard
    assert 'img "A saga do pedido p-7' in heard
    described = sight.tab.locator("figure svg:visible desc").text_content() or ""
    assert described.endswith("4. Registrar: desfeito; terminou aqui")
