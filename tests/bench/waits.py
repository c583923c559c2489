"""What a developer waits for: the command's help, a preview of the program, the demo."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from infra.packaging import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["measure_waits"]

_REPEATS: Final = 3
_PREVIEW: Final = "from infra.dry_run import run_program, stack_file; run_program('prod', stack_file('prod'))"


def measure_waits(*, demo: bool = True) -> dict[str, Any]:
    """Seconds of each wait, as a developer's clock shows them."""
    command = str(Path(sys.executable).with_name("cesta"))
    waits = {
        "cesta --help": _median_seconds([command, "--help"], _REPEATS),
        "preview of the program (SDK alone)": _median_seconds([sys.executable, "-c", _PREVIEW], _REPEATS),
        "cesta saga verificar": _median_seconds([command, "saga", "verificar"], _REPEATS),
    }
    if demo:
        waits["make demo, environment there"] = _median_seconds([command, "provas"], 1)
    return waits


def _median_seconds(words: Sequence[str], repeats: int) -> float:
    spent: list[float] = []
    for _ in range(repeats):
        started = time.perf_counter()
        subprocess.run(words, cwd=ROOT, capture_output=True, check=True)
        spent.append(time.perf_counter() - started)
    return median(spent)
