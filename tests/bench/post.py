"""POST /pedidos: our Lambda entry beside a handler that makes the same two calls and nothing else."""

from __future__ import annotations

from contextlib import ExitStack
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

from handlers.domain import aws
from infra.openapi import load_app
from infra.packaging import ROOT
from tests.bench.bare import bare_post
from tests.bench.events import order as post_order
from tests.bench.events import post_event
from tests.bench.measure import apart, interleaved, percentile, ratio_of_pairs, variables
from tests.bench.stub import aws_stub, client_environment

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tests.bench.measure import Samples

__all__ = ["ROUNDS", "measure_post"]

ROUNDS: Final = 3000
_WARM_UP: Final = 200
_PARTS_CALLS: Final = 1000


def measure_post(rounds: int = ROUNDS) -> dict[str, Any]:
    """Milliseconds of both, their ratio, and where our own time goes."""
    with aws_stub() as url:
        return apart(_measured, url, rounds)


def _measured(url: str, rounds: int) -> dict[str, Any]:
    with variables(client_environment(url)):
        app, bare = load_app(ROOT / "api"), bare_post(url)

        def call(handler: Any, name: str) -> Any:
            def one(number: int) -> None:
                answer = handler(post_event(f"{name}-{number}"), None)
                assert answer["statusCode"] == 202, answer

            return one

        interleaved({"ours": call(app, "aq-o"), "bare": call(bare, "aq-b")}, min(_WARM_UP, rounds))
        samples = interleaved({"ours": call(app, "o"), "bare": call(bare, "b")}, rounds)
        ours, limit = samples["ours"], samples["bare"]
        return {
            "rounds": rounds,
            "ours": _milliseconds(ours),
            "limit": _milliseconds(limit),
            "ratio_p50": percentile(ours.wall, 50) / percentile(limit.wall, 50),
            "ratio_p99": percentile(ours.wall, 99) / percentile(limit.wall, 99),
            "ratio_pairs": ratio_of_pairs(ours.wall, limit.wall),
            "ratio_cpu": percentile(ours.cpu, 50) / percentile(limit.cpu, 50),
            "parts": _parts(app, min(_PARTS_CALLS, rounds)),
        }


def _milliseconds(samples: Samples) -> Mapping[str, float]:
    return {
        "p50_ms": 1000 * percentile(samples.wall, 50),
        "p99_ms": 1000 * percentile(samples.wall, 99),
        "cpu_p50_ms": 1000 * percentile(samples.cpu, 50),
    }


# --- What our own part is made of ---


class _NoAws:
    """Takes the two calls and makes none, so that what is left is ours."""

    def put_item(self, **_: object) -> dict[str, Any]:
        return {}

    def send_message(self, **_: object) -> dict[str, Any]:
        return {}


def _parts(app: Any, calls: int) -> dict[str, float]:
    """Microseconds of each part of a POST, by leaving one after the other out; the last is what Chalice keeps."""
    door: dict[str, Any] = app.routes["/pedidos"]["POST"].view_function.__wrapped__.__globals__
    accepting: dict[str, Any] = door["receber"].__globals__
    order = door["ler_pedido"](post_order("parte"), chave=None, aceita_falhas=False)
    accepted = SimpleNamespace(status="RECEBIDO")
    removals: list[tuple[str, dict[str, Any], str, Any]] = [
        ("log and metric line", accepting, "registrar", _always(None)),
        ("correlation keys", door, "correlacionar", _always(None)),
        ("row, hash, message", door, "receber", _always(accepted)),
        ("fields and card numbers", door, "ler_pedido", _always(order)),
        ("strict JSON", door, "ler_objeto", _always({})),
    ]
    with ExitStack() as stack:
        for name in ("dynamodb", "sqs"):
            stack.enter_context(patch.object(aws, name, _NoAws))
        left = _microseconds(app, calls)
        parts = {"all of it": left}
        for part, where, name, instead in removals:
            stack.enter_context(patch.dict(where, {name: instead}))
            without = _microseconds(app, calls)
            parts[part] = left - without
            left = without
        parts["Chalice, CORS, headers, answer"] = left
    return parts


def _microseconds(app: Any, calls: int) -> float:
    samples = interleaved({"ours": lambda number: app(post_event(f"parte-{number}"), None)}, calls)
    # The tenth, not the median: of what is compared one after the other, the quiet calls.
    return 1e6 * percentile(samples["ours"].wall, 10)


def _always(answer: object) -> Callable[..., object]:
    def function(*_: object, **__: object) -> object:
        return answer

    return function
