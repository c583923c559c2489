"""``python -m tests.scale``: runs the model and writes docs/scale-model.json, docs/scale.md and its pictures.

Exit codes: 0 written, 1 there are no measured loads to begin from.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import click
from rich.console import Console

from tests.scale.durations import Durations
from tests.scale.page import render
from tests.scale.plots import draw
from tests.scale.runs import BUSY_DAY, kept, study

DOCS = Path(__file__).parents[2] / "docs"
LOAD, MODEL, PAGE = DOCS / "scale-load.json", DOCS / "scale-model.json", DOCS / "scale.md"

_progress = Console(stderr=True, highlight=False)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--processos", type=click.IntRange(1, 64), default=os.cpu_count() or 1, show_default=True)
@click.option("--so-pagina", is_flag=True, help="escreve a página outra vez, dos resultados que há, sem simular")
def main(processos: int, so_pagina: bool) -> None:
    """Simula um dia de um milhão de pedidos contra os limites da AWS e escreve docs/scale.md."""
    if not LOAD.exists():
        _progress.print(f"[red]erro:[/red] falta {LOAD.relative_to(DOCS.parent)}; rode antes: make load")
        sys.exit(1)
    load = json.loads(LOAD.read_text())
    if not so_pagina:
        began = time.monotonic()
        with _progress.status("simulando") as status:
            found = study(
                Durations.measured(load["corridas"]),
                processes=processos,
                on_done=lambda title: status.update(f"simulado: {title}"),
            )
        _progress.print(f"simulado em {time.monotonic() - began:.0f} s")
        kept(MODEL, found)
    model = json.loads(MODEL.read_text())
    draw(DOCS / "img", BUSY_DAY, model)
    PAGE.write_text(render(load, model))
    _progress.print(f"escritos {PAGE.relative_to(DOCS.parent)} e docs/img/scale-*.svg")


if __name__ == "__main__":
    main()
