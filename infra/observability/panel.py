"""The dashboard: one look says how many orders are between "something failed" and "somebody settled it".

Each graph's title is the question it answers. The first seven are 000's own ("Observabilidade: as perguntas que o
painel tem de responder"); what 000 calls TaskSucceeded of a step is no metric of Step Functions (its service
integrations are counted together), so the functions' own count takes its place.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from handlers.domain.metrics import Metrica
from infra.observability.alarms import RUNBOOK

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pulumi

    from infra.limits import Limits
    from infra.observability.series import Series, Sources

__all__ = ["COLUMNS", "Graph", "Line", "Math", "body", "graphs"]

COLUMNS: Final = 24
"""Width of a dashboard's grid (CloudWatch API reference, "Dashboard body structure and syntax")."""
_THIRD: Final = 8
_HALF: Final = 12
_HEIGHT: Final = 6
_HEAD: Final = 2
_ALARMS: Final = 4
_PERIOD: Final = 300


@dataclass(frozen=True)
class Line:
    """A metric in a graph."""

    label: str
    series: Series


@dataclass(frozen=True)
class Math:
    """An expression in a graph, over metrics it does not show.

    Attributes:
        label: what the line is called.
        expression: metric math over ``over``.
        over: metrics by their id, unique in the graph.
    """

    label: str
    expression: str
    over: Mapping[str, Series]


@dataclass(frozen=True)
class Graph:
    """One question.

    Attributes:
        question: the title.
        lines: what answers it.
        unit: of the left axis.
        limit: where an alarm rings, in the axis' unit; None where there is none, or its unit is another.
        width: in columns.
    """

    question: str
    lines: Sequence[Line | Math]
    unit: str = "por 5 min"
    limit: float | None = None
    width: int = _THIRD


def graphs(of: Sources, limits: Limits) -> tuple[tuple[Graph, ...], ...]:
    """The graphs of a stack, row by row."""
    return (_people(of, limits), _saga(of, limits), _entry(of, limits), _undoing(of), _front(of, limits), _net(of))


def body(
    of: Sources, limits: Limits, *, region: pulumi.Input[str], alarms: Sequence[pulumi.Input[str]]
) -> dict[str, Any]:
    """The dashboard's body, ready for JSON.

    Args:
        of: where the metrics come from.
        limits: the stack's thresholds, drawn as lines.
        region: where the metrics are.
        alarms: the alarms' ARNs, in the order they are shown.
    """
    head = {"markdown": f"# Cesta ({of.names.stack})\n{_HELP}", "background": "transparent"}
    ringing = {"title": "Algum alarme está tocando?", "alarms": list(alarms)}
    widgets = [_placed("text", 0, 0, COLUMNS, _HEAD, head), _placed("alarm", 0, _HEAD, COLUMNS, _ALARMS, ringing)]
    y = _HEAD + _ALARMS
    for row in graphs(of, limits):
        x = 0
        for graph in row:
            widgets.append(_placed("metric", x, y, graph.width, _HEIGHT, _properties(graph, region)))
            x += graph.width
        y += _HEIGHT
    return {"widgets": widgets}


_HELP: Final = (
    "Um pedido: `cesta pedido ID`. Os que esperam uma pessoa: `cesta intervencao listar`. O que fazer em cada alarme: "
    f"`{RUNBOOK}`. A linha “alarme” é onde ele toca."
)


def _people(of: Sources, limits: Limits) -> tuple[Graph, ...]:
    humana = of.names.fila_humana
    pedido, retomada = "pedido", "retomada"
    return (
        Graph(
            "Quantas sagas esperam intervenção humana agora?",
            (
                Line("na fila", of.queue(humana, "ApproximateNumberOfMessagesVisible")),
                Line("sendo lidas", of.queue(humana, "ApproximateNumberOfMessagesNotVisible")),
            ),
            unit="casos",
        ),
        Graph(
            "Há quanto tempo espera o caso mais antigo?",
            (Line("caso mais antigo", of.own(Metrica.IDADE_DO_CASO, "conciliador", "Maximum")),),
            unit="segundos",
            limit=limits.limite_caso_segundos,
        ),
        Graph(
            "Quantas execuções falharam de vez, sem nem compensar?",
            tuple(
                Line(f"{key}: {label}", of.machine(key, metric))
                for key in (pedido, retomada)
                for label, metric in (
                    ("falhou", "ExecutionsFailed"),
                    ("expirou", "ExecutionsTimedOut"),
                    ("abortada", "ExecutionsAborted"),
                )
            ),
            limit=0,
        ),
    )


def _saga(of: Sources, limits: Limits) -> tuple[Graph, ...]:
    seconds = {
        stat: Math(stat, f"{key} / 1000", {key: of.machine("pedido", "ExecutionTime", stat)})
        for key, stat in (("duracao50", "p50"), ("duracao99", "p99"))
    }
    return (
        Graph(
            "A falha está mais na cobrança ou na confirmação?",
            (
                Line("estoque liberado (todo pedido desfeito)", of.own(Metrica.PASSO_CONCLUIDO, "liberar-estoque")),
                Line(
                    "pagamento estornado (falhou depois de cobrar)",
                    of.own(Metrica.PASSO_CONCLUIDO, "estornar-pagamento"),
                ),
                Line("cartão recusado", of.own(Metrica.PASSO_RECUSADO, "cobrar-pagamento")),
                Line("tentativas de confirmar que falharam", of.own(Metrica.PASSO_INESPERADO, "confirmar-pedido")),
            ),
            width=_HALF,
        ),
        Graph(
            "A saga está demorando mais que o normal?",
            tuple(seconds.values()),
            unit="segundos",
            limit=limits.limite_saga_segundos,
            width=_HALF,
        ),
    )


def _entry(of: Sources, limits: Limits) -> tuple[Graph, ...]:
    criados, dlq = of.names.fila_criados, of.names.fila_criados_dlq
    return (
        Graph(
            "A fila de entrada está acumulando?",
            (
                Line("esperando", of.queue(criados, "ApproximateNumberOfMessagesVisible")),
                Line("com o iniciador", of.queue(criados, "ApproximateNumberOfMessagesNotVisible")),
            ),
            unit="mensagens",
        ),
        Graph(
            "Há quanto tempo espera o pedido mais antigo da entrada?",
            (Line("mensagem mais antiga", of.queue(criados, "ApproximateAgeOfOldestMessage")),),
            unit="segundos",
            limit=limits.limite_fila_segundos,
        ),
        Graph(
            "Há mensagens que o iniciador não aceitou (DLQ)?",
            (
                Line("na DLQ", of.queue(dlq, "ApproximateNumberOfMessagesVisible")),
                Line("tentativas que falharam", of.own(Metrica.MENSAGENS_FALHADAS, "iniciador")),
            ),
            unit="mensagens",
            limit=0,
        ),
    )


def _undoing(of: Sources) -> tuple[Graph, ...]:
    return (
        Graph(
            "A idempotência de execução está protegendo de verdade?",
            (
                Line("execução já existia", of.own(Metrica.EXECUCOES_JA_INICIADAS, "iniciador")),
                Line("pedido já tinha andado", of.own(Metrica.MENSAGENS_DE_PEDIDO_JA_ANDADO, "iniciador")),
                Line("mesmo POST de novo", of.own(Metrica.PEDIDOS_REPETIDOS, "api")),
                Line("mesmo id, outro conteúdo", of.own(Metrica.CONTEUDOS_DIVERGENTES, "api")),
            ),
        ),
        Graph(
            "Quanto tempo o estoque fica reservado até compensar?",
            tuple(
                Line(label, of.own(Metrica.ESTOQUE_RETIDO, "liberar-estoque", stat))
                for label, stat in (("p50", "p50"), ("p99", "p99"), ("máximo", "Maximum"))
            ),
            unit="segundos",
        ),
        Graph(
            "Há cobranças que ninguém sabe se aconteceram?",
            (
                Line("consultas sem resposta", of.own(Metrica.COBRANCA_INDEFINIDA, "estornar-pagamento")),
                Line("janela esgotada, em dúvida", of.own(Metrica.COBRANCA_EM_DUVIDA, "estornar-pagamento")),
            ),
        ),
    )


def _front(of: Sources, limits: Limits) -> tuple[Graph, ...]:
    who = "O POST" if of.detailed else "A API"
    return (
        Graph(
            f"{who} responde a tempo?",
            (Line("p99", of.post("Latency", "p99")), Line("p50", of.post("Latency", "p50"))),
            unit="milissegundos",
            limit=limits.limite_latencia_milissegundos,
        ),
        Graph(
            "A API está recusando ou falhando?",
            (
                Line("5xx", of.api("5XXError")),
                Line("4xx", of.api("4XXError")),
                Line("requisições", of.api("Count")),
            ),
        ),
        Graph(
            "Algum limite da AWS está sendo atingido?",
            (
                Math("Lambda", f"SUM([{', '.join(of.throttled_functions())}])", of.throttled_functions()),
                Math("DynamoDB", f"SUM([{', '.join(of.throttled_tables())}])", of.throttled_tables()),
                Math("Step Functions", f"SUM([{', '.join(of.throttled_machines())}])", of.throttled_machines()),
            ),
            limit=limits.limite_throttles,
        ),
    )


def _net(of: Sources) -> tuple[Graph, ...]:
    found = (
        ("casos abertos", Metrica.CASOS_ABERTOS),
        ("pedidos reenviados", Metrica.PEDIDOS_REENVIADOS),
        ("pedidos acertados", Metrica.PEDIDOS_ACERTADOS),
        ("não examinados", Metrica.CONCILIACOES_FALHADAS),
    )
    conciliador = of.names.funcao_conciliador
    return (
        Graph(
            "O que o conciliador achou?",
            tuple(Line(label, of.own(metrica, "conciliador")) for label, metrica in found),
            width=_HALF,
        ),
        Graph(
            "A rede de segurança está rodando?",
            (
                Line("chamadas", of.function(conciliador, "Invocations")),
                Line("chamadas que falharam", of.function(conciliador, "Errors")),
                Line("rodadas que falharam", of.own(Metrica.RODADAS_FALHADAS, "conciliador")),
            ),
            width=_HALF,
        ),
    )


def _placed(kind: str, x: int, y: int, width: int, height: int, properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": kind, "x": x, "y": y, "width": width, "height": height, "properties": properties}


def _properties(graph: Graph, region: pulumi.Input[str]) -> dict[str, Any]:
    properties: dict[str, Any] = {
        "title": graph.question,
        "view": "timeSeries",
        "stacked": False,
        "region": region,
        "period": _PERIOD,
        "metrics": [entry for line in graph.lines for entry in _entries(line)],
        "yAxis": {"left": {"label": graph.unit, "min": 0, "showUnits": False}},
    }
    if graph.limit is not None:
        properties["annotations"] = {"horizontal": [{"label": "alarme", "value": graph.limit}]}
    return properties


def _entries(line: Line | Math) -> list[list[Any]]:
    if isinstance(line, Line):
        return [_metric(line.series, {"label": line.label})]
    expression = [{"expression": line.expression, "label": line.label}]
    return [expression, *(_metric(series, {"id": key, "visible": False}) for key, series in line.over.items())]


def _metric(series: Series, options: dict[str, Any]) -> list[Any]:
    dimensions = [part for pair in series.dimensions.items() for part in pair]
    return [series.namespace, series.name, *dimensions, {"stat": series.stat, **options}]
