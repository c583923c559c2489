"""The ``cesta`` command (design §7). Exit codes: 0 good, 1 the check failed, 2 used wrongly.

Each command imports what it needs when it runs: ``cesta --help`` must not wait for an SDK.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from infra.ops.target import Target

__all__ = ["main"]

_ALVO = click.option(
    "--alvo", type=click.Choice(["local", "aws"]), default="local", show_default=True, help="pilha local ou conta AWS"
)
_STACK = click.option("--stack", default="dev", show_default=True, help="stack do Pulumi, com --alvo aws")
_JSON = click.option("--json", "as_json", is_flag=True, help="imprime JSON, sozinho na saída padrão")
_ESCALA = click.option(
    "--escala-espera",
    type=click.FloatRange(0, 1, min_open=True),
    default=0.05,
    show_default=True,
    help="fator das esperas entre tentativas e da janela de dúvida (1 = tempo real)",
)


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
def main() -> None:
    """A saga do pedido da Cesta: pilha local, provas e consulta."""


@main.command()
@_JSON
@click.option("--porta-aws", type=click.IntRange(1, 65535), help="porta do emulador em 127.0.0.1 (livre se omitida)")
@click.option("--porta-gateway", type=click.IntRange(1, 65535), help="porta do gateway simulado (livre se omitida)")
@_ESCALA
def local(as_json: bool, porta_aws: int | None, porta_gateway: int | None, escala_espera: float) -> None:
    """Mantém a pilha local no ar até Ctrl-C."""
    from infra.local import commands

    _exit(
        commands.keep_up(as_json=as_json, porta_aws=porta_aws, porta_gateway=porta_gateway, escala_espera=escala_espera)
    )


@main.command()
@_ALVO
@_STACK
@_JSON
@_ESCALA
def provas(alvo: str, stack: str, as_json: bool, escala_espera: float) -> None:
    """Executa as provas: numa pilha local só delas, ou numa stack da AWS com injecaoDeFalhas."""
    from infra.local import commands

    if alvo == "aws":
        _exit(commands.prove_on_aws(stack, as_json=as_json))
    _exit(commands.prove_locally(as_json=as_json, escala_espera=escala_espera))


@main.command()
@click.argument("pedido_id", metavar="ID")
@_ALVO
@_STACK
@_JSON
def pedido(pedido_id: str, alvo: str, stack: str, as_json: bool) -> None:
    """Mostra onde o pedido ID parou: linha do tempo, dinheiro, estoque, último erro, próximo passo."""
    from infra.ops.errors import OpsError
    from infra.ops.order_view import look
    from infra.ops.render import render

    try:
        view = look(_target(alvo, stack), pedido_id)
    except OpsError as error:
        if as_json:
            click.echo(json.dumps({"erro": str(error)}, ensure_ascii=False))
        else:
            click.echo(str(error), err=True)
        _exit(1)
        return
    if as_json:
        click.echo(json.dumps(view, ensure_ascii=False))
    else:
        render(view)


def _target(alvo: str, stack: str) -> Target:
    from infra.ops.target import aws, running_embedded

    return aws(stack) if alvo == "aws" else running_embedded()


def _exit(code: int) -> None:
    sys.exit(code)


if __name__ == "__main__":
    main()
