"""What a load complains of: every promise, broken once."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest

from infra.local.load.findings import Answer, Seen, findings, percentile_ms
from infra.ops.books import Books
from infra.ops.facts import StockRow

pytestmark = pytest.mark.unit

ORDER = {"pedidoId": "p-1", "sku": "s", "quantidade": 1, "valorCentavos": 100}
ROW = {**ORDER, "status": "CONFIRMADO"}
CHARGE: Any = {"pedidoId": "p-1", "chave": "k", "transacaoId": "t", "valorCentavos": 100, "tentativas": 1}
CHARGE["estado"] = "aprovada"


def books(*, row: dict[str, Any] = ROW, charges: int = 1, saldo: int = 9) -> Books:
    return Books(
        {"p-1": row}, {"s": StockRow("s", saldo, {})}, {"cobrancas": [CHARGE] * charges, "estornos": []}, frozenset()
    )


GOOD = Seen(
    orders=[ORDER],
    skus={"s": 10},
    malformed=["ruim"],
    answers=[Answer(202, 202, 0.01, first=True), Answer(409, 409, 0.02)],
    executions=Counter({"p-1": 1}),
    dead=Counter(["ruim"]),
    books=books(),
)


def test_a_load_that_kept_every_promise_has_no_findings() -> None:
    assert findings(GOOD) == []


@pytest.mark.parametrize(
    ("seen", "told"),
    [
        (replace(GOOD, answers=[Answer(503, 202, 1.0, first=True)]), "503 onde se esperava 202"),
        (replace(GOOD, answers=[Answer(202, 409, 1.0)]), "202 onde se esperava 409"),
        (replace(GOOD, executions=Counter()), "p-1: 0 execuções"),
        (replace(GOOD, executions=Counter({"p-1": 2})), "p-1: 2 execuções"),
        (replace(GOOD, books=books(charges=2)), "p-1: 2 cobranças"),
        (replace(GOOD, dead=Counter()), "fora da DLQ: ruim"),
        (replace(GOOD, dead=Counter(["ruim", "p-1"])), "na DLQ sem dever: p-1"),
        (replace(GOOD, books=books(row={**ROW, "valorCentavos": 101})), "outro conteúdo em valorCentavos"),
        (replace(GOOD, books=books(saldo=10)), "saldo 10"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_broken_promise_is_found(seen: Seen, told: str) -> None:
    assert any(told in finding for finding in findings(seen))


def test_a_percentile_is_of_the_orders_own_posts_alone() -> None:
    answers = [Answer(202, 202, seconds / 1000, first=True) for seconds in range(1, 101)]
    answers.append(Answer(409, 409, 60.0))
    assert (percentile_ms(answers, 50), percentile_ms(answers, 99), percentile_ms(answers[:1], 50)) == (50, 99, 1)
    assert percentile_ms(answers[-1:], 50) is None
