"""What wakes a person, and the one alarm that says customers are hurt now."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from handlers.domain.metrics import Metrica

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from infra.limits import Limits
    from infra.observability.series import Series, Sources

__all__ = ["CLIENTES_AFETADOS", "ROUNDS_MISSED", "RUNBOOK", "Alarm", "alarms", "customers_hurt", "described"]

RUNBOOK: Final = "docs/runbook.md"
CLIENTES_AFETADOS: Final = "clientes-afetados"

ROUNDS_MISSED: Final = 3
"""Rounds of the reconciler, one after the other, whose absence is no accident of timing."""
_MINUTE: Final = 60
_FIVE_MINUTES: Final = 300
_HOUR: Final = 3600
_FEWEST_ORDERS: Final = 20
"""Of fewer orders in an hour, one that failed is already more than 5 %."""

_FAILURES: Final = {
    "falhou": ("ExecutionsFailed", "terminaram em falha"),
    "expirou": ("ExecutionsTimedOut", "passaram do prazo"),
    "abortada": ("ExecutionsAborted", "foram interrompidas"),
}
"""A saga that undid itself SUCCEEDS (design §4): each of these is always trouble."""


@dataclass(frozen=True)
class Alarm:
    """An alarm on one metric, or on an expression of several.

    Attributes:
        suffix: of its name, and of its section in the runbook.
        says: what is wrong and where to look first, for the person it calls.
        series: the metrics, by their id in ``expression``; a single one without an expression is watched itself.
        threshold: what is still all right.
        expression: metric math over ``series`` ("Using math expressions with CloudWatch metrics").
        period: seconds that each value stands for.
        periods: values in a row that must be beyond the threshold.
        below: whether too little is what is wrong.
        missing: what a period without data means. A queue nobody writes to stops sending metrics: that is health.
        band: whether ``expression`` is the band of an anomaly detector, and the threshold its upper edge.
    """

    suffix: str
    says: str
    series: Mapping[str, Series]
    threshold: float = 0
    expression: str | None = None
    period: int = _MINUTE
    periods: int = 1
    below: bool = False
    missing: str = "notBreaching"
    band: bool = False

    @property
    def comparison(self) -> str:
        """How a value is held against the threshold, in CloudWatch's word."""
        if self.band:
            return "GreaterThanUpperThreshold"
        return "LessThanThreshold" if self.below else "GreaterThanThreshold"


def described(suffix: str, says: str) -> str:
    """The text CloudWatch sends along: what is wrong, and which section of the runbook says what to do."""
    return f"{says} O que fazer: {RUNBOOK}#{suffix}"


def alarms(of: Sources, limits: Limits, *, round_minutes: int) -> tuple[Alarm, ...]:
    """Every alarm of a stack but the composite one and what only the deployed stacks watch.

    Args:
        of: where its metrics come from.
        limits: the stack's thresholds.
        round_minutes: between two rounds of the reconciler.
    """
    return (
        *_human_queue(of, limits, round_minutes),
        *_entry(of, limits),
        *(alarm for key in of.machines for alarm in _machine(of, key)),
        *_slow_saga(of, limits),
        *_compensations(of, limits),
        *_capacity(of, limits),
        *_safety_net(of, round_minutes),
    )


def customers_hurt(names: Mapping[str, str]) -> str:
    """The composite alarm's rule, in CloudWatch's syntax ("Create a composite alarm").

    Customers are hurt while the shop answers them badly, their orders do not start, or their case waits unanswered. A
    single order that died hurts nobody yet: the safety net turns it into a case, and a case has its own time. So the
    alarms on dead orders count only while the net itself is down.

    Args:
        names: the alarms' names by suffix, these among them.
    """
    hurt = ("api-5xx", "api-lenta", "pedidos-parados", "fila-acumulando", "caso-antigo")
    net_down = ("conciliador-parado", "conciliador-falhou")
    dead = ("pedidos-na-dlq", *(f"{key}-{ending}" for key in ("pedido", "retomada") for ending in _FAILURES))
    return f"{_any(names, hurt)} OR (({_any(names, net_down)}) AND ({_any(names, dead)}))"


def _any(names: Mapping[str, str], suffixes: Iterable[str]) -> str:
    return " OR ".join(f'ALARM("{names[suffix]}")' for suffix in suffixes)


def _human_queue(of: Sources, limits: Limits, round_minutes: int) -> Iterable[Alarm]:
    humana = of.names.fila_humana
    yield Alarm(
        "compensacao-pendente",
        "Há pedidos esperando a decisão de uma pessoa: cesta intervencao listar.",
        {"casos": of.queue(humana, "ApproximateNumberOfMessagesVisible")},
    )
    # The one above stays red while any case waits, and an alarm tells only of changes: this one rings for each case
    # anew (CloudWatch, "Using Amazon CloudWatch alarms": actions run on state transitions).
    yield Alarm(
        "caso-novo",
        "Mais um pedido precisa da decisão de uma pessoa: cesta intervencao listar.",
        {"casos": of.queue(humana, "NumberOfMessagesSent", "Sum")},
    )
    yield Alarm(
        "caso-antigo",
        f"Um caso espera a decisão de uma pessoa há mais de {_duration(limits.limite_caso_segundos)}: "
        "cesta intervencao listar.",
        {"idade": of.own(Metrica.IDADE_DO_CASO, "conciliador", "Maximum")},
        threshold=limits.limite_caso_segundos,
        # With more pending orders than a round looks at, the oldest is in one of the next.
        period=_MINUTE * round_minutes * ROUNDS_MISSED,
    )


def _entry(of: Sources, limits: Limits) -> Iterable[Alarm]:
    criados = of.names.fila_criados
    yield Alarm(
        "pedidos-na-dlq",
        "Há pedidos aceitos cuja saga não pôde ser iniciada: veja as mensagens da DLQ e o log do iniciador.",
        {"mensagens": of.queue(of.names.fila_criados_dlq, "ApproximateNumberOfMessagesVisible")},
    )
    yield Alarm(
        "pedidos-parados",
        f"O pedido mais antigo da fila espera há mais de {_duration(limits.limite_fila_segundos)}: veja o log do "
        "iniciador.",
        {"idade": of.queue(criados, "ApproximateAgeOfOldestMessage")},
        threshold=limits.limite_fila_segundos,
    )
    # 000: "crescendo sem redução por 10 min seguidos".
    yield Alarm(
        "fila-acumulando",
        "A fila de pedidos aceitos não baixa há 10 minutos: o iniciador não acompanha o ritmo em que chegam.",
        {"fila": of.queue(criados, "ApproximateNumberOfMessagesVisible")},
        expression="IF(fila > 0 AND DIFF(fila) >= 0, 1, 0)",
        periods=10,
    )
    yield Alarm(
        "api-5xx",
        "A API está respondendo erros do servidor (5xx): veja o log da função e os limites.",
        {"erros": of.api("5XXError")},
        threshold=limits.limite_erros_da_api,
        period=_FIVE_MINUTES,
        periods=2,
    )
    yield Alarm(
        "api-lenta",
        f"O p99 da API está acima de {limits.limite_latencia_milissegundos} ms há 15 minutos.",
        {"p99": of.post("Latency", "p99")},
        threshold=limits.limite_latencia_milissegundos,
        period=_FIVE_MINUTES,
        periods=3,
    )


def _machine(of: Sources, key: str) -> Iterable[Alarm]:
    for ending, (metric, what) in _FAILURES.items():
        yield Alarm(
            f"{key}-{ending}",
            f"Execuções da saga ({key}) {what}. Veja onde cada pedido parou: cesta pedido ID.",
            {"execucoes": of.machine(key, metric)},
        )


def _slow_saga(of: Sources, limits: Limits) -> Iterable[Alarm]:
    if limits.limite_saga_segundos is None:
        return
    yield Alarm(
        "saga-lenta",
        f"O p99 da duração da saga está acima de {limits.limite_saga_segundos} s: em geral, o gateway está lento.",
        {"p99": of.machine("pedido", "ExecutionTime", "p99")},
        threshold=limits.limite_saga_segundos * 1000,
        period=_FIVE_MINUTES,
        periods=3,
    )


def _compensations(of: Sources, limits: Limits) -> Iterable[Alarm]:
    # Refunds, and not releases: a refused card is released too, and refusals are the customers' business.
    yield Alarm(
        "compensacoes-demais",
        f"Mais de {limits.limite_compensacoes_por_cento}% dos pedidos da última hora terminaram em estorno: a cobrança "
        "ou a confirmação está falhando.",
        {
            "estornos": of.own(Metrica.PASSO_CONCLUIDO, "estornar-pagamento"),
            "iniciadas": of.machine("pedido", "ExecutionsStarted"),
        },
        expression=f"IF(iniciadas >= {_FEWEST_ORDERS}, 100 * FILL(estornos, 0) / iniciadas, 0)",
        threshold=limits.limite_compensacoes_por_cento,
        period=_HOUR,
    )
    if limits.anomalia_de_compensacoes:
        yield Alarm(
            "compensacoes-anormais",
            "As compensações por hora estão acima do normal para este horário: o gateway pode estar degradando.",
            {"compensacoes": of.own(Metrica.PASSO_CONCLUIDO, "liberar-estoque")},
            expression="ANOMALY_DETECTION_BAND(compensacoes, 2)",
            period=_HOUR,
            band=True,
        )


def _capacity(of: Sources, limits: Limits) -> Iterable[Alarm]:
    for suffix, what, series in (
        ("funcoes-limitadas", "O Lambda está recusando chamadas por falta de concorrência", of.throttled_functions()),
        ("tabelas-limitadas", "O DynamoDB está recusando leituras ou escritas", of.throttled_tables()),
        ("maquinas-limitadas", "O Step Functions está atrasando execuções", of.throttled_machines()),
    ):
        yield Alarm(
            suffix,
            f"{what}: nada se perde, mas tudo demora.",
            series,
            threshold=limits.limite_throttles,
            expression="SUM(METRICS())",
            period=_FIVE_MINUTES,
            periods=2,
        )


def _safety_net(of: Sources, round_minutes: int) -> Iterable[Alarm]:
    conciliador = of.names.funcao_conciliador
    # A call about a dead execution raises; a round does not, since the next one makes up for it (handlers.conciliador).
    yield Alarm(
        "conciliador-falhou",
        "O conciliador não completou uma rodada ou um aviso: pedidos parados podem não ser vistos. Veja o log dele.",
        {
            "chamadas": of.function(conciliador, "Errors"),
            "rodadas": of.own(Metrica.RODADAS_FALHADAS, "conciliador"),
        },
        expression="SUM(METRICS())",
        # A round long, or it would ring and fall silent with each round that fails.
        period=_MINUTE * round_minutes,
    )
    yield Alarm(
        "conciliador-parado",
        f"O conciliador não roda há {ROUNDS_MISSED} rodadas: ninguém procura pedidos parados. Veja a regra dele.",
        {"chamadas": of.function(conciliador, "Invocations")},
        threshold=1,
        period=_MINUTE * round_minutes,
        periods=ROUNDS_MISSED,
        below=True,
        # The one place where silence is the fault: a function that does not run sends no metric at all.
        missing="breaching",
    )
    yield Alarm(
        "pedidos-nao-conciliados",
        "Há duas rodadas o conciliador não consegue examinar alguns pedidos: veja o log dele (pedido não conciliado).",
        {"pedidos": of.own(Metrica.CONCILIACOES_FALHADAS, "conciliador")},
        # The next round tries each of them again: one bad answer of the gateway is no reason to wake anybody.
        period=_MINUTE * round_minutes,
        periods=2,
    )


def _duration(seconds: int) -> str:
    if seconds % _HOUR == 0:
        return f"{seconds // _HOUR} h"
    return f"{seconds // _MINUTE} min" if seconds % _MINUTE == 0 else f"{seconds} s"
