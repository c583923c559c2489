"""``cesta politicas``: who may do what, and whether it is what was declared."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Final

import click
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from infra.declared import read_stack
from policies.declared import declarations
from policies.evaluation.material import Material, MaterialShapeError
from policies.evaluation.verification import Tally, verify
from policies.table import markdown, rows

if TYPE_CHECKING:
    from pathlib import Path

    from policies.evaluation.verification import Finding

__all__ = ["show", "verify_stack"]

_PIPE_WIDTH: Final = 160
_MOST_SHOWN: Final = 20
"""Findings printed: a pattern too wide makes thousands, all by the same statement."""


def show(stack: str, *, papel: str | None, as_json: bool, as_markdown: bool) -> int:
    """Print the stack's documents; returns the exit code."""
    material = _read(stack)
    if isinstance(material, int):
        return material
    if papel is not None and papel not in material.identity:
        click.echo(f"não há papel {papel}; existem {', '.join(sorted(material.identity))}", err=True)
        return 2
    if as_markdown:
        click.echo(markdown(material, declarations(material)), nl=False)
    elif as_json:
        shown = material.to_json() if papel is None else material.identity[papel]
        click.echo(json.dumps(shown, ensure_ascii=False, indent=2))
    else:
        _print_tables(material, papel)
    return 0


def verify_stack(stack: str, file: Path | None, *, as_json: bool) -> int:
    """Hold documents to their declarations; 0 when every cell is as declared, 1 otherwise."""
    material = _read(stack) if file is None else _from_file(file)
    if isinstance(material, int):
        return material
    tally = Tally()
    found = list(verify(material, declarations(material), tally))
    if as_json:
        click.echo(
            json.dumps(
                {
                    "verificado": not found,
                    "papeis": tally.principals,
                    "acoes": tally.actions,
                    "celulas": tally.cells,
                    "chamadas": tally.calls,
                    "achados": [finding._asdict() for finding in found],
                },
                ensure_ascii=False,
            )
        )
    else:
        _tell(found, tally)
    return 1 if found else 0


def _read(stack: str) -> Material | int:
    try:
        return read_stack(stack)
    except FileNotFoundError:
        click.echo(f"não há Pulumi.{stack}.yaml", err=True)
        return 2


def _from_file(file: Path) -> Material | int:
    try:
        return Material.from_json(json.loads(file.read_text(encoding="utf-8")))
    except (OSError, ValueError) as error:
        click.echo(f"não consegui ler {file}: {error}", err=True)
    except MaterialShapeError as error:
        click.echo(f"{file}: {error}", err=True)
    return 2


def _print_tables(material: Material, papel: str | None) -> None:
    console = Console(highlight=False, width=None if sys.stdout.isatty() else _PIPE_WIDTH)
    for name in sorted(material.identity):
        if papel in (None, name) and material.identity[name]["Statement"]:
            console.print(_table(name, material))


def _table(name: str, material: Material) -> Table:
    table = Table(title=name, title_justify="left", show_lines=True)
    for column in ("declaração", "pode", "em", "só se"):
        table.add_column(column)
    for row in rows(name, material.identity[name]):
        cells = (row.sid, "\n".join(row.actions), "\n".join(row.resources), "\n".join(row.only))
        table.add_row(*(escape(cell) for cell in cells))
    return table


def _tell(found: list[Finding], tally: Tally) -> None:
    for finding in found[:_MOST_SHOWN]:
        statement = f" [{finding.sid}]" if finding.sid else ""
        click.echo(f"{finding.papel}{statement}: {finding.problema}: {finding.detalhe}")
    if len(found) > _MOST_SHOWN:
        click.echo(f"... e mais {len(found) - _MOST_SHOWN}")
    click.echo(
        f"{tally.principals} papéis x {tally.actions} ações: {tally.spoken} pares com declaração, "
        f"{tally.cells} células com recurso, {tally.calls} chamadas decididas; "
        + (f"{len(found)} fora do declarado" if found else "tudo como declarado")
    )
