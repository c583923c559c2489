"""``cesta intervencao`` (design §7). Exit codes: 0 good, 1 refused or not finished, 2 used wrongly."""

from __future__ import annotations

import sys

import click

from infra.cli_options import ALVO, JSON, STACK, target

__all__ = ["intervencao"]


def _nao_vazio(_context: click.Context, _option: click.Parameter, value: str) -> str:
    if not value.strip():
        raise click.BadParameter("não pode ficar em branco")
    return value.strip()


@click.group()
def intervencao() -> None:
    """Os casos que esperam a decisão de uma pessoa: listar, reprocessar, encerrar, descartar."""


_QUEM = click.option("--responsavel", required=True, callback=_nao_vazio, help="quem decide")
_POR_QUE = click.option("--justificativa", required=True, callback=_nao_vazio, help="por que decide assim")
_SIMULAR = click.option("--simular", is_flag=True, help="só mostra o que a saga faria")
_ESPERA = click.option(
    "--espera", type=click.FloatRange(0), default=300, show_default=True, help="segundos à espera do resultado"
)


@intervencao.command()
@ALVO
@STACK
@JSON
def listar(alvo: str, stack: str, as_json: bool) -> None:
    """Mostra o que espera, desde quando, por quê, e o dinheiro e o estoque de cada pedido."""
    from infra.ops import intervention_commands as commands

    sys.exit(commands.list_cases(lambda: target(alvo, stack), as_json=as_json))


@intervencao.command()
@click.argument("pedido_id", metavar="ID")
@_QUEM
@_POR_QUE
@_SIMULAR
@_ESPERA
@ALVO
@STACK
@JSON
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

    sys.exit(
        commands.decide(
            lambda: target(alvo, stack),
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
@ALVO
@STACK
@JSON
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

    sys.exit(
        commands.decide(
            lambda: target(alvo, stack),
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
@ALVO
@STACK
@JSON
def descartar(pedido_id: str, alvo: str, stack: str, as_json: bool) -> None:
    """Tira da fila a mensagem de um pedido que não espera mais ninguém."""
    from infra.ops import intervention_commands as commands

    sys.exit(commands.throw_away(lambda: target(alvo, stack), pedido_id, as_json=as_json))
