"""What of a load's traces should not have been. Pure: a check that cannot fail would prove nothing."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from infra.ops.books import violations

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from infra.ops.books import Books

__all__ = ["Answer", "Seen", "findings", "percentile_ms"]


@dataclass(frozen=True)
class Answer:
    """One POST.

    Attributes:
        status: HTTP status; 0 where there was no answer.
        expected: the status it should have had.
        seconds: how long it took.
        first: whether it was the order's own, and no repetition.
    """

    status: int
    expected: int
    seconds: float
    first: bool = False


@dataclass(frozen=True)
class Seen:
    """The traces of a load, once everything has ended.

    Attributes:
        orders: as first posted.
        skus: units each SKU began with.
        malformed: messages that were put on the queue and are no order.
        answers: to every POST.
        executions: how many there are of each order.
        dead: bodies of the run's messages in the dead-letter queue.
        books: tables and statement.
    """

    orders: Sequence[Mapping[str, Any]]
    skus: Mapping[str, int]
    malformed: Sequence[str]
    answers: Sequence[Answer]
    executions: Counter[str]
    dead: Counter[str]
    books: Books

    @property
    def charges(self) -> Counter[str]:
        """How many charges took money, by order of the run."""
        ids = {order["pedidoId"] for order in self.orders}
        charges = self.books.statement["cobrancas"]
        return Counter(
            charge["pedidoId"] for charge in charges if charge["estado"] == "aprovada" and charge["pedidoId"] in ids
        )


def findings(seen: Seen) -> list[str]:
    """Everything that should not have been, in words; empty when all promises held."""
    return [
        *_answers(seen),
        *_executions(seen),
        *_charges(seen),
        *_dead_letters(seen),
        *_contents(seen),
        *violations(seen.books, seen.skus),
    ]


def percentile_ms(answers: Sequence[Answer], percent: int) -> int | None:
    """Nearest-rank percentile of the orders' own POSTs, milliseconds; None where nothing was posted."""
    ordered = sorted(answer.seconds for answer in answers if answer.first)
    if not ordered:
        return None
    rank = -(-len(ordered) * percent // 100)
    return round(1000 * ordered[max(rank, 1) - 1])


def _answers(seen: Seen) -> Iterator[str]:
    pairs = Counter((answer.expected, answer.status) for answer in seen.answers)
    for (expected, status), count in sorted(pairs.items()):
        if status != expected:
            yield f"{count} respostas {status} onde se esperava {expected}"


def _executions(seen: Seen) -> Iterator[str]:
    for order in seen.orders:
        count = seen.executions[order["pedidoId"]]
        if count != 1:
            yield f"{order['pedidoId']}: {count} execuções"


def _charges(seen: Seen) -> Iterator[str]:
    for pedido_id, count in sorted(seen.charges.items()):
        if count > 1:
            yield f"{pedido_id}: {count} cobranças"


def _dead_letters(seen: Seen) -> Iterator[str]:
    expected = Counter(seen.malformed)
    for body in (expected - seen.dead).elements():
        yield f"fora da DLQ: {body}"
    for body in (seen.dead - expected).elements():
        yield f"na DLQ sem dever: {body}"


def _contents(seen: Seen) -> Iterator[str]:
    """Orders whose row no longer holds what was first posted."""
    for order in seen.orders:
        row = seen.books.orders.get(order["pedidoId"], {})
        changed = [name for name in ("sku", "quantidade", "valorCentavos") if row.get(name) != order[name]]
        if changed:
            yield f"{order['pedidoId']}: gravado com outro conteúdo em {', '.join(changed)}"
