"""``cesta pedido``: what it prints or writes, and its exit codes (0 found, 1 not found or not reached)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from infra.ops.errors import OpsError, PageNotWrittenError
from infra.ops.order_view import look
from infra.ops.render import render
from infra.ops.target import told

if TYPE_CHECKING:
    from collections.abc import Callable

    from infra.ops.order_view import OrderView
    from infra.ops.target import Target

__all__ = ["show"]


def show(find: Callable[[], Target], pedido_id: str, *, as_json: bool, html: str | None) -> int:
    """Show the order as text, as JSON, or as a page in the file ``html`` (``-`` is the standard output)."""
    try:
        with told():
            view = look(find(), pedido_id)
        if html is not None:
            _write_page(view, html)
            return 0
    except OpsError as error:
        if as_json:
            click.echo(json.dumps({"erro": str(error)}, ensure_ascii=False))
        else:
            click.echo(str(error), err=True)
        return 1
    if as_json:
        click.echo(json.dumps(view, ensure_ascii=False))
    else:
        render(view)
    return 0


def _write_page(view: OrderView, file: str) -> None:
    # The picture's own machine is compiled for it: not for who wants the text.
    from infra.ops.page import page

    document = page(view)
    if file == "-":
        click.echo(document, nl=False)
        return
    try:
        Path(file).write_text(document, encoding="utf-8")
    except OSError as error:
        raise PageNotWrittenError(file, error.strerror or type(error).__name__) from error
    click.echo(f"página escrita em {file}")
