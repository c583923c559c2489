"""From which values on the alarms ring: settings of the stack, each with its default and where the default is from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from infra.config_reader import Reader

__all__ = ["Limits", "read_limits"]


@dataclass(frozen=True)
class Limits:
    """Thresholds. Each field is the key of the same name in camelCase; "000" is the source document.

    Attributes:
        limite_fila_segundos: how long the oldest accepted order may wait for the starter. It waits for seconds; after
            two redeliveries something is wrong.
        limite_caso_segundos: how long a human case may wait for a decision. 000 wants each case seen within minutes,
            and other alarms do that; this one is for the case that everybody saw and nobody decided.
        limite_erros_da_api: 5xx answers in five minutes that are still all right.
        limite_latencia_milissegundos: of the API's p99. Cold starts take a second or two, and a p99 of little traffic
            is made of them.
        limite_saga_segundos: of the p99 of an execution's duration; None for no such alarm. 000 gives no number and
            says to take one's own baseline.
        limite_compensacoes_por_cento: orders of one hour that ended in a refund (000: "mais de 5% numa hora").
        limite_throttles: throttled calls in five minutes that are still all right, for each service.
        anomalia_de_compensacoes: whether an anomaly detector watches the compensations (000, level 6, which advises
            against it at 3,200 orders a day: too few to learn from).
    """

    limite_fila_segundos: int = 300
    limite_caso_segundos: int = 4 * 3600
    limite_erros_da_api: int = 0
    limite_latencia_milissegundos: int = 3000
    limite_saga_segundos: int | None = None
    limite_compensacoes_por_cento: int = 5
    limite_throttles: int = 0
    anomalia_de_compensacoes: bool = False


def read_limits(read: Reader) -> Limits:
    """The stack's limits. Raises `InvalidSettingError`."""
    return Limits(
        limite_fila_segundos=read.integer(
            "limiteFilaSegundos", default=Limits.limite_fila_segundos, low=60, high=4 * 86_400
        ),
        # Two weeks is how long the case's message lives.
        limite_caso_segundos=read.integer(
            "limiteCasoSegundos", default=Limits.limite_caso_segundos, low=300, high=14 * 86_400
        ),
        limite_erros_da_api=read.integer("limiteErrosDaApi", default=Limits.limite_erros_da_api, low=0, high=1_000_000),
        # API Gateway itself gives up after 29 s.
        limite_latencia_milissegundos=read.integer(
            "limiteLatenciaMilissegundos", default=Limits.limite_latencia_milissegundos, low=100, high=29_000
        ),
        limite_saga_segundos=read.optional_integer("limiteSagaSegundos", low=1, high=86_400),
        limite_compensacoes_por_cento=read.integer(
            "limiteCompensacoesPorCento", default=Limits.limite_compensacoes_por_cento, low=1, high=100
        ),
        limite_throttles=read.integer("limiteThrottles", default=Limits.limite_throttles, low=0, high=1_000_000),
        anomalia_de_compensacoes=read.boolean("anomaliaDeCompensacoes", default=Limits.anomalia_de_compensacoes),
    )
