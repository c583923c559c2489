"""``python -m tests.bench``: measures, and writes docs/performance.json and the tables of docs/performance.md.

Never a pass or a failure: a ratio is a fact about a machine and a day. Progress goes to the error stream.
"""

from __future__ import annotations

import json
import os
import platform
import time
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click
from rich.console import Console

from infra.local.stack import EmbeddedStack
from infra.packaging import ROOT
from tests.bench import bill, report
from tests.bench.cold import measure_cold
from tests.bench.compiler import measure_compiler
from tests.bench.post import measure_post
from tests.bench.saga import compare_sagas
from tests.bench.starter import measure_starter
from tests.bench.waits import measure_waits
from tests.scale.money import ListPrices

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

DOCUMENT: Final = ROOT / "docs" / "performance.md"
NUMBERS: Final = ROOT / "docs" / "performance.json"
_EXHIBIT: Final = ROOT / "tests" / "saga" / "exhibits" / "000.json"
_STOCK_MOVES: Final = 2.0
"""Functions on the way forward that move stock: ReservarEstoque and EfetivarReserva."""

_progress: Final = Console(stderr=True, highlight=False)


def _saga() -> dict[str, Any]:
    with EmbeddedStack.start() as stack:
        return compare_sagas(stack)


def _bill() -> dict[str, Any]:
    with EmbeddedStack.start() as stack:
        usages = bill.count_usage(stack)
    prices, assumed = ListPrices(), bill.Assumptions()
    typical = bill.at_rate(usages, 0.02)
    kinds = {f"ours, {rate:.0%} fail": bill.at_rate(usages, rate) for rate in bill.RATES}
    kinds["stock moves direct, 2%"] = bill.without_functions(typical, _STOCK_MOVES)
    kinds["000's machine, 2%"] = bill.of_definition(_EXHIBIT, typical, 0.02)
    return {
        "usages": {kind: asdict(usage) for kind, usage in usages.items()},
        "bills": {name: bill.bill(usage, prices, assumed) for name, usage in kinds.items()},
        "assumptions": asdict(assumed),
        "prices": prices.date,
    }


SCENARIOS: Final[Mapping[str, Callable[[], Any]]] = {
    "post": measure_post,
    "cold": measure_cold,
    "starter": measure_starter,
    "saga": _saga,
    "bill": _bill,
    "compiler": measure_compiler,
    "waits": measure_waits,
}


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--somente", multiple=True, type=click.Choice(list(SCENARIOS)), help="só esta medida (pode repetir)")
@click.option("--nota", default="", help="uma frase sobre a máquina ou o dia, para o documento")
def main(somente: tuple[str, ...], nota: str) -> None:
    """Mede e escreve docs/performance.json e as tabelas de docs/performance.md."""
    results: dict[str, Any] = json.loads(NUMBERS.read_text()) if NUMBERS.exists() else {}
    results["machine"] = _machine(nota)
    for name in somente or SCENARIOS:
        started = time.monotonic()
        results[name] = SCENARIOS[name]()
        _progress.print(f"  {name:<10} {time.monotonic() - started:6.1f} s")
        # After each, so that what was measured is not lost with what comes next.
        NUMBERS.write_text(json.dumps(results, ensure_ascii=False, indent=1) + "\n")
    DOCUMENT.write_text(report.written(DOCUMENT.read_text(), results))


def _machine(nota: str) -> dict[str, Any]:
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
        "cpus": os.cpu_count(),
        "cpu": _cpu_name(),
        "python": platform.python_version(),
        "load": os.getloadavg()[0],
        "note": nota,
    }


def _cpu_name() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), platform.machine())


if __name__ == "__main__":
    main()
