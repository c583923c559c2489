"""The ``cesta`` command (design §7). Exit codes: 0 good, 1 the check failed, 2 used wrongly.

Each command imports what it needs when it runs: ``cesta --help`` must not wait for an SDK.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from infra.sagas.cli import saga

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
    type=click.FloatRange(0.0001, 1),
    default=0.05,
    show_default=True,
    help="fator das esperas entre tentativas e da janela de dúvida (1 = tempo real)",
)


def _id_de_pedido(_context: click.Context, _option: click.Parameter, value: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9_-]{1,64}", value, re.ASCII):
        raise click.BadParameter("esperados de 1 a 64 letras, números, _ ou -")
    return value


def _nao_vazio(_context: click.Context, _option: click.Parameter, value: str) -> str:
    if not value.strip():
        raise click.BadParameter("não pode ficar em branco")
    return value.strip()


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
@click.argument("pedido_id", metavar="ID", callback=_id_de_pedido)
@_ALVO
@_STACK
@_JSON
def pedido(pedido_id: str, alvo: str, stack: str, as_json: bool) -> None:
    """Mostra onde o pedido ID parou: linha do tempo, dinheiro, estoque, último erro, próximo passo."""
    from infra.ops.errors import OpsError
    from infra.ops.order_view import look
    from infra.ops.render import render
    from infra.ops.target import told

    try:
        with told():
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


main.add_command(saga)


@main.command()
@_STACK
@_JSON
def sobras(stack: str, as_json: bool) -> None:
    """Mostra o que uma stack da AWS deixou para trás depois de `pulumi destroy`, e como apagar; não apaga nada."""
    from infra.ops import intervention_commands as commands

    _exit(commands.list_leftovers(stack, as_json=as_json))


@main.group()
def intervencao() -> None:
    """Os casos que esperam a decisão de uma pessoa: listar, reprocessar, encerrar, descartar."""


_QUEM = click.option("--responsavel", required=True, callback=_nao_vazio, help="quem decide")
_POR_QUE = click.option("--justificativa", required=True, callback=_nao_vazio, help="por que decide assim")
_SIMULAR = click.option("--simular", is_flag=True, help="só mostra o que a saga faria")
_ESPERA = click.option(
    "--espera", type=click.FloatRange(0), default=300, show_default=True, help="segundos à espera do resultado"
)


@intervencao.command()
@_ALVO
@_STACK
@_JSON
def listar(alvo: str, stack: str, as_json: bool) -> None:
    """Mostra o que espera, desde quando, por quê, e o dinheiro e o estoque de cada pedido."""
    from infra.ops import intervention_commands as commands

    _exit(commands.list_cases(lambda: _target(alvo, stack), as_json=as_json))


@intervencao.command()
@click.argument("pedido_id", metavar="ID")
@_QUEM
@_POR_QUE
@_SIMULAR
@_ESPERA
@_ALVO
@_STACK
@_JSON
def reprocessar(
    pedido_id: str,
    responsavel: str,
    justificativa: str,
    simular: bool,
    espera: float,
    alvo: str,
    stack: str,
    as_json: bool,
) -> None:
    """Manda a saga tentar de novo: desfazer o pedido ID, ou efetivar a reserva de um CONFIRMADO."""
    from infra.ops import intervention_commands as commands
    from infra.ops.intervention import Decision

    _exit(
        commands.decide(
            lambda: _target(alvo, stack),
            pedido_id,
            Decision.REPROCESSAR,
            responsavel=responsavel,
            justificativa=justificativa,
            simular=simular,
            espera=espera,
            as_json=as_json,
        )
    )


@intervencao.command()
@click.argument("pedido_id", metavar="ID")
@_QUEM
@_POR_QUE
@click.option(
    "--pendencias",
    type=click.Choice(["cobranca", "estoque"]),
    multiple=True,
    help="o que fica em aberto de propósito (repita para mais de um)",
)
@_SIMULAR
@_ESPERA
@_ALVO
@_STACK
@_JSON
def encerrar(
    pedido_id: str,
    responsavel: str,
    justificativa: str,
    pendencias: tuple[str, ...],
    simular: bool,
    espera: float,
    alvo: str,
    stack: str,
    as_json: bool,
) -> None:
    """Fecha o caso do pedido ID sem desfazer nada: alguém acertou por fora, ou diz o que fica em aberto."""
    from infra.ops import intervention_commands as commands
    from infra.ops.intervention import Decision, Pending

    _exit(
        commands.decide(
            lambda: _target(alvo, stack),
            pedido_id,
            Decision.ENCERRAR,
            responsavel=responsavel,
            justificativa=justificativa,
            pendencias=[Pending(pendencia) for pendencia in pendencias],
            simular=simular,
            espera=espera,
            as_json=as_json,
        )
    )


@intervencao.command()
@click.argument("pedido_id", metavar="ID")
@_ALVO
@_STACK
@_JSON
def descartar(pedido_id: str, alvo: str, stack: str, as_json: bool) -> None:
    """Tira da fila a mensagem de um pedido que não espera mais ninguém."""
    from infra.ops import intervention_commands as commands

    _exit(commands.throw_away(lambda: _target(alvo, stack), pedido_id, as_json=as_json))


@main.group()
def politicas() -> None:
    """Quem pode fazer o quê: mostra as políticas e confere se são as declaradas."""


_STACK_FILE = click.option("--stack", default="prod", show_default=True, help="stack do Pulumi cujo programa se lê")


@politicas.command("mostrar")
@_STACK_FILE
@click.option("--papel", help="só este papel")
@_JSON
@click.option("--markdown", "as_markdown", is_flag=True, help="imprime docs/policies.md")
def politicas_mostrar(stack: str, papel: str | None, as_json: bool, as_markdown: bool) -> None:
    """Mostra o que cada papel pode fazer, em que recursos e em que condições."""
    from infra import review

    _exit(review.show(stack, papel=papel, as_json=as_json, as_markdown=as_markdown))


@politicas.command("verificar")
@click.argument("arquivo", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path))
@_STACK_FILE
@_JSON
def politicas_verificar(arquivo: Path | None, stack: str, as_json: bool) -> None:
    """Confere as políticas (ou uma cópia delas, ARQUIVO) com o declarado, sobre todas as ações da AWS."""
    from infra import review

    _exit(review.verify_stack(stack, arquivo, as_json=as_json))


def _target(alvo: str, stack: str) -> Target:
    from infra.ops.target import aws, running_embedded

    return aws(stack) if alvo == "aws" else running_embedded()


def _exit(code: int) -> None:
    sys.exit(code)


if __name__ == "__main__":
    main()
