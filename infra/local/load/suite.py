"""Every load that docs/scale.md tells of, one after the other on one stack, and the file they are kept in.

``python -m infra.local.load --todas`` runs them: the POST alone, orders of every kind, one SKU for all, and a queue
that grew while nobody took from it.
"""

from __future__ import annotations

import json
import os
import platform
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import psutil

from infra.local.load.plan import LoadPlan

if TYPE_CHECKING:
    from collections.abc import Mapping

    from infra.local.load.run import LoadReport

__all__ = ["P99_MS", "SUITE", "keep", "machine"]

P99_MS: Final = 300
"""The POST's promise, with two clients (`latencia`)."""

SUITE: Final[Mapping[str, LoadPlan]] = {
    "latencia": LoadPlan(pedidos=200, clientes=2),
    "carga": LoadPlan(pedidos=1000, clientes=8, duplicados=10, divergentes=5, malformadas=5),
    "sku-quente": LoadPlan(pedidos=1000, clientes=8, skus=1),
    "represa": LoadPlan(pedidos=5000, clientes=8, represados=True),
}
"""Each load by its name in the file."""


def machine() -> dict[str, Any]:
    """This machine, as far as it matters to a load."""
    return {
        "processador": _processor(),
        "nucleos": os.cpu_count() or 0,
        "memoriaGib": round(psutil.virtual_memory().total / 1024**3, 1),
        "sistema": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "ministack": version("ministack"),
    }


def keep(path: Path, reports: Mapping[str, LoadReport], *, measured_at: str, busy: float) -> None:
    """Write the reports, what they ran on, and when.

    Args:
        path: the file.
        reports: by the load's name.
        measured_at: ISO-8601.
        busy: the machine's load average just before, per core: above 0.2, something else was running.
    """
    data = {
        "medidoEm": measured_at,
        "maquina": machine(),
        "ocupacaoAntes": round(busy, 2),
        "corridas": {name: report.as_json() for name, report in reports.items()},
    }
    path.write_text(json.dumps(data, indent=1, ensure_ascii=False) + "\n")


def _processor() -> str:
    if platform.system() != "Linux":
        return platform.processor()
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), platform.machine())
