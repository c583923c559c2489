"""Options that more than one group of ``cesta`` takes, and the target they name."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from infra.ops.target import Target

__all__ = ["ALVO", "JSON", "STACK", "target"]

ALVO = click.option(
    "--alvo", type=click.Choice(["local", "aws"]), default="local", show_default=True, help="pilha local ou conta AWS"
)
STACK = click.option("--stack", default="dev", show_default=True, help="stack do Pulumi, com --alvo aws")
JSON = click.option("--json", "as_json", is_flag=True, help="imprime JSON, sozinho na saída padrão")


def target(alvo: str, stack: str) -> Target:
    """The stack that ``--alvo`` and ``--stack`` name; raises `OpsError`."""
    from infra.ops.target import aws, running_embedded

    return aws(stack) if alvo == "aws" else running_embedded()
