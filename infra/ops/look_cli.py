"""``cesta estoque`` and ``cesta alarmes``: read-only looks. Exit codes: 0 good, 1 not so, 2 used wrongly."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, TypeVar

import click

from infra.cli_options import ALVO, JSON, STACK, target

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["alarmes", "estoque"]

V = TypeVar("V")


@click.command()
@click.argument("sku", metavar="SKU")
@ALVO
@STACK
@JSON
def estoque(sku: str, alvo: str, stack: str, as_json: bool) -> None:
    """Mostra o saldo do SKU e que pedidos seguram unidades dele, com aviso nos que não deviam."""
    from infra.ops.stock_view import look_at_stock, render_stock

    _show(lambda: look_at_stock(target(alvo, stack), sku), render_stock, as_json=as_json)


@click.command()
@ALVO
@STACK
@JSON
def alarmes(alvo: str, stack: str, as_json: bool) -> None:
    """Mostra que alarmes tocam e onde ler o que fazer. Sai com 1 se algum falta, está mudo, ou ninguém ouve."""
    from infra.ops.alarms_view import look_at_alarms, render_alarms, unheard

    view = _show(lambda: look_at_alarms(target(alvo, stack)), render_alarms, as_json=as_json)
    sys.exit(1 if unheard(view, on_aws=alvo == "aws") else 0)


def _show(look: Callable[[], V], render: Callable[[V], None], *, as_json: bool) -> V:
    """Print what was seen and return it; what could not be seen is one line, and exit code 1."""
    from infra.ops.errors import OpsError
    from infra.ops.target import told

    try:
        with told():
            view = look()
    except OpsError as error:
        click.echo(json.dumps({"erro": str(error)}, ensure_ascii=False) if as_json else str(error), err=not as_json)
        sys.exit(1)
    if as_json:
        click.echo(json.dumps(view, ensure_ascii=False))
    else:
        render(view)
    return view
