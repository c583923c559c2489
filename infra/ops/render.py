"""An order's view for a person at a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from infra.ops.order_view import MoneyView, OrderView

__all__ = ["render"]

_SITUATIONS: Final = {
    "nada": "nada foi cobrado",
    "cobrado": "cobrado",
    "estornado": "cobrado e devolvido por inteiro",
    "em_duvida": "EM DÚVIDA: pode ter sido cobrado",
}


def render(view: OrderView) -> None:
    """Print the view: what matters first, then the timeline, then what to do."""
    console = Console(highlight=False)
    console.print(f"[bold]Pedido {view['pedidoId']}[/bold]: {view['status']} ({view['etapa']})")
    console.print(f"Dinheiro: {_money(view['dinheiro'])}")
    console.print(f"Estoque:  {view['estoque']['reservado']} unidade(s) reservada(s)")
    console.print(f"Execução: {view['execucao']['status']}")
    if view["ultimoErro"]:
        console.print(f"Último erro: {view['ultimoErro']}")
    if view["caso"]:
        console.print(f"Caso aberto em {view['caso'].get('abertoEm')} por {view['caso'].get('origem')}")
    console.print(_timeline(view))
    console.print(f"[bold]Próximo passo:[/bold] {view['proximoPasso']}")


def _money(money: MoneyView) -> str:
    taken, returned = _reais(money["cobrado"]), _reais(money["estornado"])
    return f"{_SITUATIONS[money['situacao']]} (cobrado {taken}, devolvido {returned})"


def _reais(centavos: int) -> str:
    return f"R$ {centavos // 100},{centavos % 100:02d}"


def _timeline(view: OrderView) -> Table:
    table = Table(title=None, box=None, padding=(0, 2, 0, 0))
    for column in ("quando", "estado", "tentativas", "o que aconteceu"):
        table.add_column(column)
    for line in view["linha"]:
        table.add_row(line["em"], line["estado"], str(line["tentativas"] or ""), line["evento"])
    return table
