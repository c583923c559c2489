"""The ``cesta`` command (design §7). Exit codes: 0 good, 1 the check failed, 2 used wrongly.

Each command imports what it needs when it runs: ``cesta --help`` must not wait for an SDK.
"""

from __future__ import annotations

import re
import sys

import click

from infra.cli_options import ALVO, JSON, STACK, target
from infra.local.exercises.cli import exercicio
from infra.ops.cli import intervencao
from infra.ops.look_cli import alarmes, estoque
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
@click.option(
    "--html",
    "html",
    is_flag=False,
    flag_value="",
    metavar="[ARQUIVO]",
    help="escreve uma página em ARQUIVO (pedido-ID.html se omitido; - para a saída padrão); depois do ID",
)
def pedido(pedido_id: str, alvo: str, stack: str, as_json: bool, html: str | None) -> None:
    """Mostra onde o pedido ID parou: linha do tempo, dinheiro, estoque, último erro, quem agiu, próximo passo."""
    from infra.ops import order_commands as commands

    if as_json and html is not None:
        raise click.UsageError("escolha um: --json ou --html")
    file = None if html is None else html or f"pedido-{pedido_id}.html"
    sys.exit(commands.show(lambda: target(alvo, stack), pedido_id, as_json=as_json, html=file))


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
main.add_command(alarmes)
main.add_command(estoque)
main.add_command(exercicio)


if __name__ == "__main__":
    main()
