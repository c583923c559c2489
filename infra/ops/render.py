"""An order's view for a person at a terminal."""

from __future__ import annotations

import sys
from datetime import datetime
from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.table import Table
from rich.text import Text

from infra.ops.words import lasted

if TYPE_CHECKING:
    from infra.ops.errors_told import ErrorView
    from infra.ops.order_view import OrderView
    from infra.ops.timeline import Line

__all__ = ["render"]

_PIPE_WIDTH: Final = 120
"""Columns where there is no terminal to ask."""

_MARKS: Final = {
    "concluido": "ok",
    "falhou": "FALHOU",
    "esperando": "ESPERA",
    "andamento": "...",
    "interrompido": "PAROU",
    "informacao": "",
}


def render(view: OrderView) -> None:
    """Print the view: what matters first, then the timeline, who acted, and what to do."""
    console = Console(highlight=False, width=None if sys.stdout.isatty() else _PIPE_WIDTH)
    told = view["resumo"]
    # Text, never markup: an error's own words must not be read as rich's.
    console.print(Text.assemble((f"Pedido {view['pedidoId']}: {told['titulo']}", "bold"), f" ({view['status']})"))
    console.print(_facts(view))
    console.print()
    console.print(_timeline(view["linha"]))
    console.print()
    console.print(_actors(view))
    console.print()
    console.print(Text.assemble(("Próximo passo: ", "bold"), view["proximoPasso"]))
    if view["comando"]:
        # Whole on its own line, however narrow the terminal: it is there to be copied.
        console.print(Text(f"  {view['comando']}"), soft_wrap=True)


def _facts(view: OrderView) -> Table:
    told = view["resumo"]
    table = Table.grid(padding=(0, 1, 0, 0))
    rows = [
        ("Onde parou:", told["onde"]),
        ("Espera:", told["espera"]),
        ("Dinheiro:", told["dinheiro"]),
        ("Estoque:", told["estoque"]),
        ("Motivo:", _error(view["motivo"])),
        ("Último erro:", _error(view["erro"]) if _differs(view) else None),
        ("Execução:", _executions(view)),
    ]
    for name, said in rows:
        if said:
            table.add_row(Text(name), Text(said))
    return table


def _differs(view: OrderView) -> bool:
    """Whether the last error says more than the reason does."""
    motivo, erro = view["motivo"], view["erro"]
    if erro is None or motivo is None:
        return erro is not None
    return (motivo["nome"], motivo["mensagem"]) != (erro["nome"], erro["mensagem"])


def _error(error: ErrorView | None) -> str | None:
    if error is None:
        return None
    where = f" em {error['estado']}" if error["estado"] else ""
    said = f"; “{error['mensagem']}”" if error["mensagem"] else ""
    over = " (superado: outra tentativa deu certo)" if error["superado"] else ""
    return f"{error['significado']} ({error['nome']}{where}){said}{over}"


def _executions(view: OrderView) -> str:
    told = [f"{execution['nome']} {execution['status']}" for execution in view["execucoes"]]
    return ", depois ".join(told) or view["execucao"]["status"]


def _timeline(lines: list[Line]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0))
    for column in ("quando (UTC)", "durou", "estado", "tent.", "", "o que aconteceu"):
        table.add_column(column)
    for line in lines:
        table.add_row(
            Text(line["em"][:19].replace("T", " "), no_wrap=True),
            Text(_lasted(line), no_wrap=True),
            Text(line["estado"], no_wrap=True),
            Text(str(line["tentativas"] or "")),
            Text(_MARKS[line["resultado"]], no_wrap=True),
            Text(line["evento"]),
        )
    return table


def _lasted(line: Line) -> str:
    if line["ate"] is None:
        return ""
    return lasted((datetime.fromisoformat(line["ate"]) - datetime.fromisoformat(line["em"])).total_seconds())


def _actors(view: OrderView) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0))
    for column in ("quem agiu", "desde (UTC)", "o que fez"):
        table.add_column(column)
    for actor in view["quemAgiu"]:
        since = Text(actor["em"][:19].replace("T", " "), no_wrap=True)
        table.add_row(Text(actor["nome"]), since, Text(actor["acao"]))
    return table
