"""What a million orders cost, line by line, out of what a run used."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from infra.saga.cost import Prices
from tests.scale.durations import FUNCTION_MB

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["ListPrices", "bill"]

_MILLION = 1_000_000
_ORDER_LOG_KB: Final = 10
"""Assumed: what an order's execution, its functions and its POST write to CloudWatch Logs."""


@dataclass(frozen=True)
class ListPrices:
    """Prices in dollars, which change: see `date`.

    Attributes:
        saga: of transitions and functions.
        write_unit: of one DynamoDB write unit, on demand.
        read_unit: of one read unit.
        queue_request: of one SQS request, standard queue.
        api_request: of one request of a REST API.
        log_gigabyte: of one GB taken in by CloudWatch Logs.
        date: when these were right, and where.
    """

    saga: Prices = field(default_factory=Prices)
    write_unit: float = 0.625 / _MILLION
    read_unit: float = 0.125 / _MILLION
    queue_request: float = 0.40 / _MILLION
    api_request: float = 3.50 / _MILLION
    log_gigabyte: float = 0.50
    date: str = "2026-03, us-east-1, without the free tier"


def bill(used: Mapping[str, float], orders: int, prices: ListPrices) -> dict[str, float]:
    """Dollars per million orders, by service, when ``orders`` used that much.

    Fixed costs (alarms, metrics, keys, PITR storage, traffic) and the gateway's own fees are not in it.
    """
    saga = prices.saga
    gb_seconds = used.get("function seconds", 0) * FUNCTION_MB / 1024
    lines = {
        "Step Functions": used.get("transitions", 0) * saga.transition,
        "Lambda": used.get("calls", 0) * saga.call + gb_seconds * saga.gb_second,
        "API Gateway": used.get("API requests", 0) * prices.api_request,
        "DynamoDB": used.get("write units", 0) * prices.write_unit + used.get("read units", 0) * prices.read_unit,
        "SQS": used.get("queue requests", 0) * prices.queue_request,
        "CloudWatch Logs": orders * _ORDER_LOG_KB / 1024**2 * prices.log_gigabyte,
    }
    return {service: round(dollars * _MILLION / orders, 2) for service, dollars in lines.items()}
