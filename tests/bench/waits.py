"""What a developer waits for: the command's help, a preview of the program, the unit tests, the demo."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from infra.packaging import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["measure_waits"]

_REPEATS: Final = 3
_NOT_A_DEVELOPERS: Final = ("PYTHONDONTWRITEBYTECODE", "MAKEFLAGS", "MAKELEVEL")
"""Variables: what was compiled once is kept, unless somebody says no; and the bench's own make is not the demo's."""
_PREVIEW: Final = "from infra.dry_run import run_program, stack_file; run_program('prod', stack_file('prod'))"


def measure_waits() -> dict[str, Any]:
    """Seconds of each wait, as a developer's clock shows them."""
    command = str(Path(sys.executable).with_name("cesta"))
    return {
        "cesta --help": _median_seconds([command, "--help"], _REPEATS),
        "preview of the program (SDK alone)": _median_seconds([sys.executable, "-c", _PREVIEW], _REPEATS),
        "cesta saga verificar": _median_seconds([command, "saga", "verificar"], _REPEATS),
        "unit tests": _median_seconds([sys.executable, "-m", "pytest", "-q", "tests/unit"], _REPEATS),
        "make demo, environment there": _median_seconds([command, "provas"], 1),
        "make demo, in a fresh clone": _fresh_demo_seconds(),
    }


def _fresh_demo_seconds() -> float:
    """What was committed, on a machine that has nothing of it yet but what package caches keep."""
    with tempfile.TemporaryDirectory(prefix="cesta-bench-") as folder:
        clone = Path(folder) / "cesta"
        subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
        return _median_seconds(["make", "demo"], 1, where=clone)


def _median_seconds(words: Sequence[str], repeats: int, *, where: Path = ROOT) -> float:
    environment = {name: value for name, value in os.environ.items() if name not in _NOT_A_DEVELOPERS}
    spent: list[float] = []
    for _ in range(repeats):
        started = time.perf_counter()
        subprocess.run(words, cwd=where, env=environment, stdout=subprocess.DEVNULL, check=True)
        spent.append(time.perf_counter() - started)
    return median(spent)
