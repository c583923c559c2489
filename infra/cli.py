"""The ``cesta`` command (design §7). Exit codes: 0 good, 1 the check failed, 2 used wrongly.

Each command imports what it needs when it runs: ``cesta --help`` must not wait for an SDK.
"""

from __future__ import annotations

import json
import re
import sys

import click

from infra.cli_options import ALVO, JSON, STACK, target
from infra.ops.cli import intervencao
from infra.review_cli import politicas
from infra.sagas.cli import saga

__all__ = ["main"]

_ESCALA = click.option(
    "--escala-espera",
    type=click.FloatRange(0.0001, 1),
    default=0.05,
    show_default=True,
    help="fator das esperas entre tentativas e da janela de dúvida (1 = tempo real)",
)


def _id_de_pedido(_context: click.Context, _option: click.Parameter, value: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", value, re.ASCII):
        raise click.BadParameter("esperados de 1 a 64 letras, números, _ ou -")
    return value


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """A saga do pedido da Cesta: pilha local, provas e consulta."""


@main.command()
@JSON
@click.option("--porta-aws", type=click.IntRange(1, 65535), help="porta do emulador em 127.0.0.1 (livre se omitida)")
@click.option("--porta-gateway", type=click.IntRange(1, 65535), help="porta do gateway simulado (livre se omitida)")
@_ESCALA
def local(as_json: bool, porta_aws: int | None, porta_gateway: int | None, escala_espera: float) -> None:
    """Mantém a pilha local no ar até Ctrl-C."""
    from infra.local import commands

    sys.exit(
        commands.keep_up(as_json=as_json, porta_aws=porta_aws, porta_gateway=porta_gateway, escala_espera=escala_espera)
    )


@main.command()
@ALVO
@STACK
@JSON
@_ESCALA
def provas(alvo: str, stack: str, as_json: bool, escala_espera: float) -> None:
    """Executa as provas: numa pilha local só delas, ou numa stack da AWS com injecaoDeFalhas."""
    from infra.local import commands

    if alvo == "aws":
        sys.exit(commands.prove_on_aws(stack, as_json=as_json))
    sys.exit(commands.prove_locally(as_json=as_json, escala_espera=escala_espera))


@main.command()
@click.argument("pedido_id", metavar="ID", callback=_id_de_pedido)
@ALVO
@STACK
@JSON
def pedido(pedido_id: str, alvo: str, stack: str, as_json: bool) -> None:
    """Mostra onde o pedido ID parou: linha do tempo, dinheiro, estoque, último erro, próximo passo."""
    from infra.ops.errors import OpsError
    from infra.ops.order_view import look
    from infra.ops.render import render
    from infra.ops.target import told

    try:
        with told():
            view = look(target(alvo, stack), pedido_id)
    except OpsError as error:
        if as_json:
            click.echo(json.dumps({"erro": str(error)}, ensure_ascii=False))
        else:
            click.echo(str(error), err=True)
        sys.exit(1)
    if as_json:
        click.echo(json.dumps(view, ensure_ascii=False))
    else:
        render(view)


@main.command()
@STACK
@JSON
def sobras(stack: str, as_json: bool) -> None:
    """Mostra o que uma stack da AWS deixou para trás depois de `pulumi destroy`, e como apagar; não apaga nada."""
    from infra.ops import intervention_commands as commands

    sys.exit(commands.list_leftovers(stack, as_json=as_json))


main.add_command(saga)
main.add_command(intervencao)
main.add_command(politicas)


if __name__ == "__main__":
    main()
