"""``cesta exercicio``. Exit codes: 0 good, 1 the stack could not be brought up or broken, 2 used wrongly."""

from __future__ import annotations

import sys

import click

from infra.cli_options import JSON

__all__ = ["exercicio"]


@click.command()
@click.argument("numero", metavar="[N]", required=False, type=int)
@click.option("--resposta", is_flag=True, help="explica: causa, como aparece, conserto; não sobe nada")
@JSON
def exercicio(numero: int | None, resposta: bool, as_json: bool) -> None:
    """Quebra uma pilha local de propósito, para achar o defeito com os comandos dados. Sem N, lista."""
    from infra.local.exercises import commands
    from infra.local.exercises.catalog import exercise_of

    if numero is None:
        if resposta:
            raise click.UsageError("--resposta é de um exercício: cesta exercicio N --resposta")
        commands.listing(as_json=as_json)
        return
    exercise = exercise_of(numero)
    if exercise is None:
        raise click.BadParameter(f"não há exercício {numero}: cesta exercicio os lista")
    if resposta:
        commands.answer(exercise, as_json=as_json)
        return
    sys.exit(commands.play(exercise, as_json=as_json))
