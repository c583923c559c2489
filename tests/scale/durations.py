"""How long things take: processor time as measured on the embedded stack, the rest assumed and named here.

A Lambda function gets a share of a processor that goes with its memory, all of one at 1,769 MB. What its code takes on
a whole one is measured by `infra.local.load` (``cpu_ms``); at 256 MB it takes seven times as long.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Mapping
    from random import Random

__all__ = ["FULL_PROCESSOR_MB", "Durations", "drawn"]

FULL_PROCESSOR_MB: Final = 1769
FUNCTION_MB: Final = 256

DYNAMODB_CALL: Final = 0.005
"""Assumed: single-digit milliseconds is what DynamoDB promises."""
SQS_CALL: Final = 0.010
START_CALL: Final = 0.030
"""Assumed, for StartExecution."""
GATEWAY_CALL: Final = 0.400
"""Assumed: median of a charge."""
GATEWAY_TIMEOUT: Final = 6.0
"""Connect and read, as the stack sets them."""
RECORD: Final = 0.020
"""Assumed: a status written by the machine itself."""
SPREAD: Final = 0.35
"""Assumed: sigma of the lognormal law every duration follows; p99 is 2.3 times the median."""

_CALLS: Final[Mapping[str, int]] = {
    "ReservarEstoque": 1,
    "CobrarPagamento": 4,
    "ConfirmarPedido": 1,
    "EfetivarReserva": 3,
    "EstornarPagamento": 4,
    "LiberarEstoque": 1,
}
"""Calls to DynamoDB in each step, at most one after the other (read off the handlers)."""


@dataclass(frozen=True)
class Durations:
    """Medians, in seconds.

    Attributes:
        api: a POST inside its function.
        starter: a batch of the starter, beyond its records.
        starter_record: each record of it: ten threads share one processor, so it adds up.
        steps: each step's function, the gateway's answer aside.
        gateway: a charge, look-up or refund at the gateway.
        gateway_timeout: what a call that gets no answer takes.
        record: a status the machine writes.
        spread: sigma of the lognormal law.
    """

    api: float = 0.100
    starter: float = 0.050
    starter_record: float = 0.030
    steps: Mapping[str, float] = field(default_factory=lambda: dict.fromkeys(_CALLS, 0.050))
    gateway: float = GATEWAY_CALL
    gateway_timeout: float = GATEWAY_TIMEOUT
    record: float = RECORD
    spread: float = SPREAD

    @classmethod
    def measured(cls, runs: Mapping[str, Any]) -> Durations:
        """With the processor times of a load's results (``corridas`` of docs/scale-load.json)."""
        posted, drained = runs["carga"], runs["represa"]
        orders = drained["plano"]["pedidos"]
        confirmed, undone = drained["fins"]["CONFIRMADO"], drained["fins"]["FALHOU_COMPENSADO"]

        def step(function: str, calls: int) -> float:
            return _stretched(_cpu(drained, function) * orders / calls)

        charging = step("cobrar-pagamento", orders)
        processor = {
            "ReservarEstoque": step("reservar-estoque", orders),
            "CobrarPagamento": charging,
            "ConfirmarPedido": step("confirmar-pedido", confirmed),
            "EfetivarReserva": step("efetivar-reserva", confirmed),
            # No order of a load is refunded; it does what a charge does.
            "EstornarPagamento": charging,
            "LiberarEstoque": step("liberar-estoque", undone),
        }
        return cls(
            api=_stretched(_cpu(posted, "api")) + DYNAMODB_CALL + SQS_CALL,
            starter=DYNAMODB_CALL + START_CALL,
            starter_record=_stretched(_cpu(drained, "iniciador")),
            steps={name: taken + _CALLS[name] * DYNAMODB_CALL for name, taken in processor.items()},
        )

    def batch(self, records: int) -> float:
        """A batch of the starter."""
        return self.starter + records * self.starter_record


def drawn(random: Random, median: float, spread: float) -> float:
    """One duration of that median."""
    return median * random.lognormvariate(0, spread) if spread else median


def _cpu(run: Mapping[str, Any], function: str) -> float:
    """Processor seconds per order on a whole processor."""
    return run["cpu_ms"][f"cesta-local-{function}"] / 1000


def _stretched(seconds: float) -> float:
    return seconds * FULL_PROCESSOR_MB / FUNCTION_MB
