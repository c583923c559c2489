"""``cesta intervencao`` (design §7). Exit codes: 0 good, 1 refused or not finished, 2 used wrongly."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final, TypedDict, TypeVar, Unpack

import click

from infra.cli_options import ALVO, JSON, STACK, target

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["intervencao"]


def _nao_vazio(_context: click.Context, _option: click.Parameter, value: str) -> str:
    if not value.strip():
        raise click.BadParameter("não pode ficar em branco")
    return value.strip()


@click.group()
def intervencao() -> None:
    """Os casos que esperam a decisão de uma pessoa: listar, reprocessar, encerrar, descartar."""


class _Answer(TypedDict):
    """What both decisions are given."""

    responsavel: str
    justificativa: str
    simular: bool
    espera: float
    as_json: bool


_DECISION: Final = (
    click.argument("pedido_id", metavar="ID"),
    click.option("--responsavel", required=True, callback=_nao_vazio, help="quem decide"),
    click.option("--justificativa", required=True, callback=_nao_vazio, help="por que decide assim"),
    click.option("--simular", is_flag=True, help="só mostra o que a saga faria"),
    click.option(
        "--espera", type=click.FloatRange(0), default=300, show_default=True, help="segundos à espera do resultado"
    ),
    *(ALVO, STACK, JSON),
)

F = TypeVar("F", bound="Callable[..., None]")


def _decision(command: F) -> F:
    """Give the command what both decisions take."""
    for parameter in reversed(_DECISION):
        command = parameter(command)
    return command


@intervencao.command()
@ALVO
@STACK
@JSON
def listar(alvo: str, stack: str, as_json: bool) -> None:
    """Mostra o que espera, desde quando, por quê, e o dinheiro e o estoque de cada pedido."""
    from infra.ops import intervention_commands as commands

    sys.exit(commands.list_cases(lambda: target(alvo, stack), as_json=as_json))


@intervencao.command()
@_decision
def reprocessar(pedido_id: str, alvo: str, stack: str, **answer: Unpack[_Answer]) -> None:
    """Manda a saga tentar de novo: desfazer o pedido ID, ou efetivar a reserva de um CONFIRMADO."""
    from infra.ops import intervention_commands as commands
    from infra.ops.intervention import Decision

    sys.exit(commands.decide(lambda: target(alvo, stack), pedido_id, Decision.REPROCESSAR, **answer))


@intervencao.command()
@_decision
@click.option(
    "--pendencias",
    type=click.Choice(["cobranca", "estoque"]),
    multiple=True,
    help="o que fica em aberto de propósito (repita para mais de um)",
)
def encerrar(pedido_id: str, alvo: str, stack: str, pendencias: tuple[str, ...], **answer: Unpack[_Answer]) -> None:
    """Fecha o caso do pedido ID sem desfazer nada: alguém acertou por fora, ou diz o que fica em aberto."""
    from infra.ops import intervention_commands as commands
    from infra.ops.intervention import Decision, Pending

    left = [Pending(pendencia) for pendencia in pendencias]
    sys.exit(commands.decide(lambda: target(alvo, stack), pedido_id, Decision.ENCERRAR, pendencias=left, **answer))


@intervencao.command()
@click.argument("pedido_id", metavar="ID")
@ALVO
@STACK
@JSON
def descartar(pedido_id: str, alvo: str, stack: str, as_json: bool) -> None:
    """Tira da fila a mensagem de um pedido que não espera mais ninguém, ou a que não é de pedido nenhum."""
    from infra.ops import intervention_commands as commands

    sys.exit(commands.throw_away(lambda: target(alvo, stack), pedido_id, as_json=as_json))
