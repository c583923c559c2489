"""An order as one page of HTML, for whoever answers the customer: no network, no script, nothing but itself.

Built as a tree (`xml.etree`), so that every text is escaped because it is a text; its policy allows its own style sheet
by hash and nothing else, so that what should slip through all the same would do nothing.
"""

from __future__ import annotations

import base64
import hashlib
from datetime import datetime
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final
from xml.etree import ElementTree

from infra.ops.page_style import PAGE_STYLE
from infra.ops.timeline import ACCEPTED, DECISION, ENDED, FROM_THE_ROW, RECONCILER, RESUMED
from infra.ops.words import ARROWS, STATES, lasted, moment
from infra.saga.svg import Embedding, svg
from infra.saga.svg_style import FORCED, STYLE
from infra.saga.trail import Pass, Trail
from infra.sagas.ours import our_machines

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from infra.ops.errors_told import ErrorView
    from infra.ops.next_step import Action
    from infra.ops.order_view import OrderView
    from infra.ops.timeline import Line, Outcome
    from infra.saga.asl import Definition

__all__ = ["page"]

_BASE: Final = (
    *("ReservarEstoque", "CobrarPagamento", "ConfirmarPedido", "EfetivarReserva"),
    *("EstornarPagamento", "LiberarEstoque", "RegistrarFalhaSemCompensacao", "RegistrarFalhaComEstoqueLiberado"),
)
"""Always drawn, so that pictures of different orders can be compared; the rest only where the order passed."""

_WAY_FORWARD: Final = _BASE[:4]

_ACTIONS: Final[Mapping[Action, str]] = {
    "nada": "Nada a fazer",
    "esperar": "Esperar",
    "acompanhar": "Acompanhar",
    "decidir": "Uma pessoa precisa decidir",
}
_OUTCOMES: Final[Mapping[Outcome, str]] = {
    "concluido": "ok",
    "falhou": "falhou",
    "esperando": "espera",
    "andamento": "em andamento",
    "interrompido": "parou",
    "informacao": "",
}
_SHEET: Final = PAGE_STYLE + STYLE + FORCED
_POLICY: Final = "default-src 'none'; style-src 'sha256-{}'; base-uri 'none'; form-action 'none'"

Node = ElementTree.Element


@cache
def _machine() -> Definition:
    return our_machines()[0].definition


def page(view: OrderView) -> str:
    """The whole document."""
    return "<!doctype html>\n" + ElementTree.tostring(_html(view), encoding="unicode", method="html") + "\n"


def _html(view: OrderView) -> Node:
    digest = base64.b64encode(hashlib.sha256(_SHEET.encode()).digest()).decode()
    head = _node(
        "head",
        _node("meta", charset="utf-8"),
        _node("meta", {"http-equiv": "Content-Security-Policy", "content": _POLICY.format(digest)}),
        _node("meta", name="viewport", content="width=device-width, initial-scale=1"),
        _node("meta", name="referrer", content="no-referrer"),
        _node("title", f"Pedido {view['pedidoId']}: {view['resumo']['titulo']}"),
        _node("style", _SHEET),
    )
    return _node("html", head, _node("body", _header(view), _main(view), _footer(view)), lang="pt-BR")


def _node(tag: str, *children: Node | str | dict[str, str] | None, **attributes: str) -> Node:
    """An element; ``class_`` is its class. Texts are texts, whatever they hold."""
    node = ElementTree.Element(tag, {name.rstrip("_"): value for name, value in attributes.items()})
    for child in children:
        if isinstance(child, dict):
            node.attrib.update(child)
        elif isinstance(child, ElementTree.Element):
            node.append(child)
        elif child is not None and len(node):
            node[-1].tail = (node[-1].tail or "") + child
        elif child is not None:
            node.text = (node.text or "") + child
    return node


def _header(view: OrderView) -> Node:
    told = view["resumo"]
    return _node(
        "header",
        _node("p", f"Pedido {view['pedidoId']} · {view['alvo']}", class_="sobre"),
        _node("p", _ACTIONS[view["acao"]], class_=f"acao {view['acao']}"),
        _node("h1", told["titulo"]),
        _node("p", _sentence(told["onde"]), class_="onde"),
        _node("p", _sentence(told["espera"]), class_="onde") if told["espera"] else None,
    )


def _main(view: OrderView) -> Node:
    columns = _node("div", _picture_section(view), _timeline_section(view["linha"]), class_="colunas")
    return _node("main", _facts(view), _next(view), columns, _people(view), _whole_saga(view), _identities(view))


def _footer(view: OrderView) -> Node:
    seen = moment(datetime.fromisoformat(view["vistoEm"]))
    return _node("footer", _node("p", f"Visto em {seen} por cesta pedido. Horários em UTC.", class_="sobre"))


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}." if text else ""


# --- At a glance -----------------------------------------------------------------------------------------------------


def _facts(view: OrderView) -> Node:
    told = view["resumo"]
    facts = _node("dl", _fact("Dinheiro", _sentence(told["dinheiro"])), class_="fatos")
    facts.append(_fact("Estoque", _sentence(told["estoque"])))
    reason, last = view["motivo"], view["erro"]
    if reason is not None:
        facts.append(_fact("Por que não seguiu", _sentence(reason["significado"]), _error(reason)))
    if last is not None and (reason is None or last["nome"] != reason["nome"]):
        name = "Último erro (superado)" if last["superado"] else "Último erro"
        facts.append(_fact(name, _sentence(last["significado"]), _error(last)))
    return facts


def _fact(name: str, said: str, more: str = "") -> Node:
    detail = _node("span", more, class_="suave") if more else None
    return _node("div", _node("dt", name), _node("dd", said, detail))


def _error(error: ErrorView) -> str:
    where = f" em {error['estado']}" if error["estado"] else ""
    said = f": {error['mensagem']}" if error["mensagem"] else ""
    return f"{error['nome']}{where}{said}"


def _next(view: OrderView) -> Node:
    command = _node("code", view["comando"], class_="comando") if view["comando"] else None
    title = _node("h2", "Próximo passo", id="proximo")
    said = _node("p", _sentence(view["proximoPasso"]))
    return _section("proximo", title, said, command, class_="passo-seguinte")


def _section(labelled: str, *children: Node | None, **attributes: str) -> Node:
    return _node("section", {"aria-labelledby": labelled}, *children, **attributes)


# --- The picture -----------------------------------------------------------------------------------------------------


def _picture_section(view: OrderView) -> Node:
    trail, definition = _trail(view), _machine()
    visited = [passage.state for passage in trail.passes]
    wide = _part(definition, {*_BASE, *visited}, trail, usual=_BASE)
    narrow = _part(definition, set(visited) or set(_WAY_FORWARD), trail)
    caption = "Etapas por onde pedidos não costumam passar só aparecem quando este passou."
    figure = _node(
        "figure",
        _drawn(wide, trail, "largo", view),
        _drawn(narrow, trail, "estreito", view),
        _node("figcaption", caption, class_="suave largo"),
    )
    return _section("caminho", _node("h2", "Por onde o pedido passou", id="caminho"), figure)


def _drawn(definition: Definition, trail: Trail, name: str, view: OrderView) -> Node:
    way = ", ".join(f"{n}. {STATES.get(one.state, one.state)}" for n, one in enumerate(trail.passes, start=1))
    note = f"; {trail.passes[-1].note}" if trail.passes else ""
    said = f"{way or 'nenhuma etapa ainda'}{note}"
    embedding = Embedding(f"desenho-{name}", f"A saga do pedido {view['pedidoId']}", said)
    drawn = ElementTree.fromstring(svg(definition, trail=trail, words={**STATES, **ARROWS}, embedding=embedding))  # noqa: S314 - ours
    return _node("div", drawn, class_=name)


def _part(definition: Mapping[str, Any], names: set[str], trail: Trail, *, usual: Sequence[str] = ()) -> Definition:
    """The machine with those states; of failures and answers those that lead to a ``usual`` state, and those met."""
    failed = {(before.state, after.state) for before, after in pairwise(trail.passes) if before.failed}
    gone = {(before.state, after.state) for before, after in pairwise(trail.passes)}
    states: dict[str, Any] = {}
    # In the machine's order: what is drawn must not depend on a set's.
    for name, state in definition["States"].items():
        if name in names:
            states[name] = part = dict(state)
            part["Catch"] = [to for to in state.get("Catch", ()) if to["Next"] in usual or (name, to["Next"]) in failed]
            if "Choices" in state:
                part["Choices"] = [to for to in state["Choices"] if (name, to["Next"]) in gone]
                if part["Choices"]:
                    del part["Default"]
    return {"StartAt": definition["StartAt"], "States": states}


def _trail(view: OrderView) -> Trail:
    """The states of the timeline, in order, told apart by execution."""
    lines = [line for line in view["linha"] if line["execucao"] is not None]
    names = [line["execucao"] for line in lines]
    passes = tuple(
        Pass(
            line["estado"],
            failed=line["resultado"] == "falhou",
            resumed=before not in {here, None},
            note="" if here == after else _stop(line, view),
        )
        for line, before, here, after in zip(lines, [None, *names], names, [*names[1:], None], strict=False)
    )
    return Trail(passes, ended=view["execucao"]["status"] == "SUCCEEDED")


def _stop(line: Line, view: OrderView) -> str:
    """What is written at the last state of an execution."""
    status = next(past["status"] for past in view["execucoes"] if past["nome"] == line["execucao"])
    if status == "SUCCEEDED":
        return "terminou aqui"
    return _HERE.get(line["resultado"], "parou aqui")


_HERE: Final[Mapping[Outcome, str]] = {"esperando": "está aqui, à espera", "andamento": "está aqui"}


def _whole_saga(view: OrderView) -> Node:
    drawn = _drawn(_machine(), _trail(view), "inteira", view)
    scroll = {"role": "region", "aria-label": "A saga inteira, com rolagem", "tabindex": "0"}
    rolling = _node("div", scroll, drawn, class_="rolagem")
    return _node("details", _node("summary", "A saga inteira, com todas as etapas"), rolling)


# --- The timeline ----------------------------------------------------------------------------------------------------


def _timeline_section(lines: list[Line]) -> Node:
    listed = _node("ol", class_="tempo")
    days = ["", *(line["em"][:10] for line in lines)]
    for line, (before, day) in zip(lines, pairwise(days), strict=True):
        if day != before:
            told = f"{datetime.fromisoformat(day):%d/%m/%Y}"
            listed.append(_node("li", _node("time", told, datetime=day), class_="dia"))
        listed.append(_entry(line))
    return _section("tempo", _node("h2", "O que aconteceu", id="tempo"), listed)


def _entry(line: Line) -> Node:
    outcome = _OUTCOMES[line["resultado"]]
    title = _node("p", _node("strong", _entry_name(line)), " ")
    if outcome:
        title.append(_node("span", outcome, class_="resultado"))
    more = " · ".join(_measures(line))
    # "ok" has said it.
    event = _node("p", _sentence(line["evento"])) if line["evento"] != "concluída" else None
    said = _node("div", title, event, _node("p", more, class_="suave") if more else None)
    when = _node("time", line["em"][11:19], datetime=line["em"], class_="hora")
    return _node("li", when, said, class_=f"{line['resultado']} {line['quem']}")


def _entry_name(line: Line) -> str:
    return _WHO.get(line["estado"], line["nome"])


_WHO: Final = {
    ACCEPTED: "Cliente fez o pedido",
    RESUMED: "Retomado por uma pessoa",
    DECISION: "Decisão de uma pessoa",
    RECONCILER: "Conciliador",
    ENDED: "Fim",
    FROM_THE_ROW: "Do registro do pedido",
}


def _measures(line: Line) -> Iterator[str]:
    if line["nome"] != line["estado"]:
        yield line["estado"]
    if line["tentativas"] > 1:
        yield f"{line['tentativas']} tentativas"
    if line["ate"] is not None:
        spent = datetime.fromisoformat(line["ate"]) - datetime.fromisoformat(line["em"])
        yield lasted(spent.total_seconds())


# --- Who, and what to quote ------------------------------------------------------------------------------------------


def _people(view: OrderView) -> Node:
    head = _node("thead", _row("th", ("Quem", "Desde", "O que fez")))
    body = _node("tbody")
    for actor in view["quemAgiu"]:
        when = moment(datetime.fromisoformat(actor["em"]))
        body.append(_row("td", (actor["nome"], when, _sentence(actor["acao"]))))
    return _section("quem", _node("h2", "Quem agiu", id="quem"), _node("table", head, body), class_="quem")


def _row(cell: str, texts: Iterable[str]) -> Node:
    row = _node("tr")
    for text in texts:
        row.append(_node(cell, text, {"scope": "col"} if cell == "th" else None))
    return row


def _identities(view: OrderView) -> Node:
    listed = _node("ul")
    for execution in view["execucoes"] or [view["execucao"]]:
        listed.append(_node("li", _node("code", execution["arn"]), f" {execution['status']}"))
    listed.append(_node("li", f"status {view['status']}, etapa {view['etapa']}"))
    return _node("details", _node("summary", "Para citar num chamado: execuções e status"), listed)
