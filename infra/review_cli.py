"""``cesta politicas`` (design §7). Exit codes: 0 good, 1 not as declared, 2 used wrongly."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from infra.cli_options import JSON

__all__ = ["politicas"]


@click.group()
def politicas() -> None:
    """Quem pode fazer o quê: mostra as políticas e confere se são as declaradas."""


_STACK_FILE = click.option("--stack", default="prod", show_default=True, help="stack do Pulumi cujo programa se lê")


@politicas.command("mostrar")
@_STACK_FILE
@click.option("--papel", help="só este papel")
@JSON
@click.option("--markdown", "as_markdown", is_flag=True, help="imprime docs/policies.md")
def politicas_mostrar(stack: str, papel: str | None, as_json: bool, as_markdown: bool) -> None:
    """Mostra o que cada papel pode fazer, em que recursos e em que condições."""
    from infra import review

    sys.exit(review.show(stack, papel=papel, as_json=as_json, as_markdown=as_markdown))


@politicas.command("verificar")
@click.argument("arquivo", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@_STACK_FILE
@JSON
def politicas_verificar(arquivo: Path | None, stack: str, as_json: bool) -> None:
    """Confere as políticas (ou uma cópia delas, ARQUIVO) com o declarado, sobre todas as ações da AWS."""
    from infra import review

    sys.exit(review.verify_stack(stack, arquivo, as_json=as_json))
