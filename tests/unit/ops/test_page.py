"""The order's page as a document: whole, alone, escaped, and its picture marks what the order went through."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from dataclasses import replace
from functools import cache
from html.parser import HTMLParser
from typing import Any

import pytest

from infra.ops.page import page
from infra.ops.words import STATES
from infra.saga.svg import svg
from infra.saga.trail import Pass, Trail
from infra.sagas.ours import our_machines
from tests.support.stories import ID, STORIES, view_of

pytestmark = pytest.mark.unit

ALLOWED = {
    *("html", "head", "meta", "title", "style", "body", "header", "main", "footer", "section", "div", "p", "h1", "h2"),
    *(
        "dl",
        "dt",
        "dd",
        "span",
        "strong",
        "code",
        "time",
        "ol",
        "ul",
        "li",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
    ),
    *("details", "summary", "figure", "figcaption", "svg", "desc", "g", "path", "rect", "polygon", "circle", "text"),
}
VOID = {"meta"}
HOSTILE = '</style></title><script>alert(1)</script><a href="javascript:x">&lt; 4111 1111 1111 1111 tok-segredo'


class _Reader(HTMLParser):
    """Element names, attributes and texts; fails on what is not closed in order."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] != "style":
            self.texts.append(data)


@cache
def _page(name: str) -> str:
    """Laying out a picture takes a while."""
    return page(view_of(STORIES[name]))


def _read(document: str) -> _Reader:
    reader = _Reader()
    reader.feed(document)
    reader.close()
    assert reader.open == []
    return reader


@pytest.mark.parametrize("name", STORIES)
def test_every_story_is_a_whole_page_of_its_own(name: str) -> None:
    view = view_of(STORIES[name])
    document = _page(name)
    read = _read(document)
    assert {tag for tag, _ in read.tags} <= ALLOWED
    # Nothing is fetched, nothing is run.
    attributes = {attribute for _, attrs in read.tags for attribute in attrs}
    assert not {attribute for attribute in attributes if attribute.startswith("on")} | attributes & {
        "src",
        "href",
        "style",
    }
    assert "url(" not in document
    ids = [attrs["id"] for _, attrs in read.tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    named = [attrs["aria-labelledby"] or "" for _, attrs in read.tags if "aria-labelledby" in attrs]
    assert {one for names in named for one in names.split()} <= set(ids)
    said = " ".join(" ".join(read.texts).split()).lower()
    for told in (view["resumo"]["titulo"], view["resumo"]["onde"], view["resumo"]["dinheiro"], view["proximoPasso"]):
        assert told.lower() in said
    for line in view["linha"]:
        assert line["evento"] == "concluída" or line["evento"].lower() in said


def test_its_policy_allows_its_own_style_sheet_and_nothing_else() -> None:
    document = _page("confirmado")
    (sheet,) = re.findall(r"<style>(.*?)</style>", document, re.DOTALL)
    (policy,) = re.findall(r'content="(default-src[^"]*)"', document)
    digest = base64.b64encode(hashlib.sha256(sheet.encode()).digest()).decode()
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"
    # Before anything it should hold back.
    assert document.index("Content-Security-Policy") < document.index("<style>")


def test_words_of_others_stay_words_and_hold_no_card() -> None:
    row: dict[str, Any] = {
        **STORIES["encerrado"].row,
        "motivo": HOSTILE,
        "detalhe": json.dumps({"Error": "X", "Cause": json.dumps({"errorMessage": HOSTILE})}),
        "responsavel": HOSTILE,
        "justificativa": HOSTILE,
        "resolucao": json.dumps({"decisao": HOSTILE, "origem": HOSTILE, "pendencias": [HOSTILE]}),
        "sku": HOSTILE,
    }
    for story in (replace(STORIES["encerrado"], row=row), replace(STORIES["historico-expirado"], row=row)):
        document = page(view_of(story))
        read = _read(document)
        assert {tag for tag, _ in read.tags} <= ALLOWED
        assert any("<script>alert(1)</script>" in text for text in read.texts)
        assert "tok-segredo" not in document
        assert "4111 1111" not in document


@pytest.mark.parametrize("name", STORIES)
def test_the_picture_numbers_the_states_in_the_order_of_the_timeline(name: str) -> None:
    view = view_of(STORIES[name])
    wide = _page(name).split("<svg")[1]
    states = [line["estado"] for line in view["linha"] if line["execucao"] is not None]
    numbered = re.findall(r'class="numero"[^>]*>([\d,]+)<', wide)
    assert sorted(int(number) for group in numbered for number in group.split(",")) == list(range(1, len(states) + 1))
    described = re.findall(r"<desc[^>]*>(.*?)</desc>", wide)[0]
    assert described.startswith(
        ", ".join(f"{n}. {STATES[state]}" for n, state in enumerate(states, 1)) or "nenhuma etapa"
    )


@pytest.mark.parametrize(
    ("name", "note"),
    [
        ("confirmado", "terminou aqui"),
        ("espera-uma-pessoa", "está aqui, à espera"),
        ("tentando-de-novo", "está aqui, à espera"),
        ("desfazendo", "está aqui"),
        ("execucao-morta", "parou aqui"),
        ("nao-entregue", "parou aqui"),
    ],
)
def test_where_it_is_or_stopped_is_written_on_the_picture(name: str, note: str) -> None:
    wide = _page(name).split("<svg")[1]
    assert re.findall(r'class="rotulo percorrida aqui"[^>]*>([^<]*)<', wide) == [note]


def test_a_page_without_a_history_still_shows_the_saga() -> None:
    document = _page("historico-expirado")
    assert 'class="numero"' not in document
    assert "Reservar o estoque" in document
    assert ID in document


# --- The trail -------------------------------------------------------------------------------------------------------


def _taken(*passes: Pass, ended: bool = False) -> int:
    """Arrows drawn as gone by, the start's and the legend's two left out."""
    drawn = svg(our_machines()[0].definition, trail=Trail(passes, ended))
    return len(re.findall(r'class="linha \w+ percorrida" d="M[\d.]+ [\d.]+C', drawn)) - 1


@pytest.mark.parametrize("failed", [True, False])
def test_a_failure_and_a_success_to_one_state_are_two_arrows(failed: bool) -> None:
    went = Pass("RegistrarRequerIntervencaoHumana", failed=failed), Pass("CompensacaoFalhouParaFilaHumana")
    drawn = svg(our_machines()[0].definition, trail=Trail(went, ended=False))
    gone = re.findall(r'class="linha (\w+) percorrida" d="M[\d.]+ [\d.]+C', drawn)
    assert gone == ["failure" if failed else "back"]


def test_the_way_to_the_end_is_drawn_only_once_it_ended() -> None:
    forward = tuple(Pass(name) for name in ("ReservarEstoque", "CobrarPagamento", "ConfirmarPedido", "EfetivarReserva"))
    assert _taken(*forward) == 3
    assert _taken(*forward, ended=True) == 4


def test_a_resumption_is_joined_to_where_the_execution_before_it_stopped() -> None:
    drawn = svg(
        our_machines()[0].definition,
        trail=Trail(
            (Pass("CobrarPagamento", note="parou aqui"), Pass("DecidirIntervencao", resumed=True)), ended=False
        ),
    )
    assert ">retomada</text>" in drawn
    assert ">parou aqui</text>" in drawn
    # It did not begin at the machine's start.
    assert 'class="linha forward outra"' in drawn


def test_a_state_asked_again_goes_round_itself() -> None:
    asked = Pass("PendenciaParaFilaHumana", failed=True)
    drawn = svg(our_machines()[0].definition, trail=Trail((asked, Pass("PendenciaParaFilaHumana")), ended=False))
    assert re.search(r'class="linha failure percorrida" d="M[\d.]+ [\d.]+c34', drawn)
    assert ">1,2</text>" in drawn
