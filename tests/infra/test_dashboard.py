"""The dashboard answers the questions it must, and is a document CloudWatch takes."""

from __future__ import annotations

import json
from html import escape
from typing import TYPE_CHECKING, Any, Final

import pytest

from tests.infra.harness import REGION
from tests.pictures.panel import Seen, html

if TYPE_CHECKING:
    from tests.infra.harness import Run

pytestmark = pytest.mark.infra

# 000, "Observabilidade: as perguntas que o painel tem de responder", word for word.
SEVEN: Final = (
    "Quantas sagas esperam intervenção humana agora?",
    "A falha está mais na cobrança ou na confirmação?",
    "Quantas execuções falharam de vez, sem nem compensar?",
    "A saga está demorando mais que o normal?",
    "A idempotência de execução está protegendo de verdade?",
    "A fila de entrada está acumulando?",
    "Quanto tempo o estoque fica reservado até compensar?",
)
BESIDES: Final = {
    "O POST responde a tempo?": {"Latency"},
    "Há quanto tempo espera o pedido mais antigo da entrada?": {"ApproximateAgeOfOldestMessage"},
    "Há mensagens que o iniciador não aceitou (DLQ)?": {"ApproximateNumberOfMessagesVisible", "MensagensFalhadas"},
    "Algum limite da AWS está sendo atingido?": {
        *("Throttles", "ReadThrottleEvents", "WriteThrottleEvents", "ExecutionThrottled", "ThrottledEvents")
    },
    "Há cobranças que ninguém sabe se aconteceram?": {"CobrancaIndefinida", "CobrancaEmDuvida"},
    "O que o conciliador achou?": {"CasosAbertos", "PedidosReenviados", "PedidosAcertados", "ConciliacoesFalhadas"},
    "Há quanto tempo espera o caso mais antigo?": {"IdadeDoCasoMaisAntigo"},
    "A rede de segurança está rodando?": {"Invocations", "Errors", "RodadasFalhadas"},
}


def body(run: Run) -> dict[str, Any]:
    (dashboard,) = run.of("cloudwatch/dashboard:Dashboard")
    return json.loads(dashboard.inputs["dashboardBody"])


def graphs(run: Run) -> dict[str, dict[str, Any]]:
    """Properties of the graphs, by title."""
    found = [widget["properties"] for widget in body(run)["widgets"] if widget["type"] == "metric"]
    by_title = {properties["title"]: properties for properties in found}
    assert len(by_title) == len(found), "no question is asked twice"
    return by_title


def test_the_source_documents_seven_questions_are_asked_word_for_word(stack: Run) -> None:
    assert graphs(stack).keys() >= set(SEVEN)


def test_and_what_the_operators_ask_besides(stack: Run) -> None:
    for title, names in BESIDES.items():
        shown = {entry[1] for entry in graphs(stack)[title]["metrics"] if len(entry) > 1}
        assert shown == names, title


def test_every_graphs_title_is_a_question_and_every_line_has_a_name(stack: Run) -> None:
    for title, properties in graphs(stack).items():
        assert title.endswith("?")
        visible = [entry for entry in properties["metrics"] if entry[-1].get("visible", True)]
        labels = [entry[-1]["label"] for entry in visible]
        assert len(set(labels)) == len(labels) >= 1, title


def test_where_nothing_tells_post_from_get_the_question_says_so(otherwise: Run) -> None:
    assert "O POST responde a tempo?" not in graphs(otherwise)
    assert "A API responde a tempo?" in graphs(otherwise)


def test_the_alarms_thresholds_are_drawn(stack: Run, otherwise: Run) -> None:
    def drawn(run: Run, title: str) -> list[float]:
        annotations = graphs(run)[title].get("annotations", {"horizontal": []})
        return [line["value"] for line in annotations["horizontal"]]

    assert drawn(stack, "Há quanto tempo espera o caso mais antigo?") == [4 * 3600]
    assert drawn(stack, "O POST responde a tempo?") == [3000]
    assert drawn(stack, "A saga está demorando mais que o normal?") == []
    assert drawn(otherwise, "A saga está demorando mais que o normal?") == [90], "in seconds, as the graph is"


def test_every_alarm_is_on_it_the_one_about_customers_first(stack: Run) -> None:
    (widget,) = [widget for widget in body(stack)["widgets"] if widget["type"] == "alarm"]
    names = [arn.rpartition(":alarm:")[2] for arn in widget["properties"]["alarms"]]
    assert names[0] == stack.exports["alarmes"]["clientes-afetados"]
    assert sorted(names) == sorted(stack.exports["alarmes"].values())
    # "The array can have 1-100 ARNs".
    assert len(names) <= 100


# --- CloudWatch API reference, "Dashboard body structure and syntax" -------------------------------------------------

PROPERTIES: Final = {
    "text": {"markdown", "background"},
    "alarm": {"title", "alarms", "sortBy", "states"},
    "metric": {
        *("title", "metrics", "view", "stacked", "region", "period", "stat", "yAxis", "annotations", "legend"),
        *("liveData", "timezone", "setPeriodToTimeRange", "sparkline", "start", "end"),
    },
}
RENDERING: Final = {
    *("color", "expression", "id", "label", "period", "region", "stat", "visible", "yAxis", "accountId"),
}


def test_it_is_a_document_cloudwatch_takes(stack: Run) -> None:
    document = body(stack)
    assert document.keys() <= {"widgets", "start", "end", "periodOverride", "variables"}
    assert 1 <= len(document["widgets"]) <= 500
    for widget in document["widgets"]:
        assert widget.keys() == {"type", "x", "y", "width", "height", "properties"}
        properties = widget["properties"]
        assert properties.keys() <= PROPERTIES[widget["type"]]
        if widget["type"] == "metric":
            _a_graph_cloudwatch_takes(properties)
    (text,) = [widget for widget in document["widgets"] if widget["type"] == "text"]
    assert "docs/runbook.md" in text["properties"]["markdown"]


def _a_graph_cloudwatch_takes(properties: dict[str, Any]) -> None:
    assert properties["region"] == REGION
    assert properties["view"] in {"timeSeries", "singleValue", "gauge", "bar", "pie", "table"}
    assert properties["period"] % 60 == 0
    assert 1 <= len(properties["metrics"]) <= 500
    for entry in properties["metrics"]:
        options = entry[-1]
        assert options.keys() <= RENDERING
        # An expression stands alone; a metric is namespace, name, pairs of dimensions, and how it is drawn.
        assert ("expression" in options) == (len(entry) == 1)
        assert len(entry) == 1 or len(entry) % 2 == 1
        assert all(isinstance(part, str) for part in entry[:-1])
    for line in properties.get("annotations", {}).get("horizontal", ()):
        assert line.keys() <= {"value", "label", "color", "fill", "visible", "yAxis"}


def test_widgets_fill_the_grid_and_none_covers_another(stack: Run) -> None:
    taken: set[tuple[int, int]] = set()
    for widget in body(stack)["widgets"]:
        assert 1 <= widget["width"] <= 24
        assert 1 <= widget["height"] <= 1000
        assert widget["x"] + widget["width"] <= 24
        cells = {
            (x, y)
            for x in range(widget["x"], widget["x"] + widget["width"])
            for y in range(widget["y"], widget["y"] + widget["height"])
        }
        assert not cells & taken, widget
        taken |= cells
    lowest = max(y for _, y in taken) + 1
    assert len(taken) == 24 * lowest, "no hole either"


# --- Its picture (make screenshots) ----------------------------------------------------------------------------------


def test_the_picture_puts_every_widget_at_its_place_with_its_lines(dev: Run) -> None:
    document = body(dev)
    refunds = frozenset({("service", "estornar-pagamento"), ("stack", "dev")})
    arn = next(widget for widget in document["widgets"] if widget["type"] == "alarm")["properties"]["alarms"][0]
    seen = Seen(document, {("Cesta", "PassoConcluido", refunds): [1, 1, 1]}, {arn: "ALARM"})
    drawn = html(seen)
    for widget in document["widgets"]:
        place = (
            f"grid-column:{widget['x'] + 1}/span {widget['width']};grid-row:{widget['y'] + 1}/span {widget['height']}"
        )
        assert drawn.count(place) == 1
    for title, properties in graphs(dev).items():
        assert escape(title) in drawn
        for entry in properties["metrics"]:
            assert escape(entry[-1].get("label", title)) in drawn
    assert '<dt>pagamento estornado (falhou depois de cobrar)</dt><dd><i style="width:100.0%"></i><b>3</b>' in drawn
    assert '<li class="alarm">▲ cesta-dev-saga-clientes-afetados</li>' in drawn


def test_the_picture_escapes_what_it_shows() -> None:
    text = {
        "type": "text",
        "x": 0,
        "y": 0,
        "width": 24,
        "height": 2,
        "properties": {"markdown": "# <b>a</b>\n<script>"},
    }
    drawn = html(Seen({"widgets": [text]}, {}, {}))
    assert "<script>" not in drawn
    assert "&lt;b&gt;a" in drawn
