"""``cesta saga`` (design §7). Exit codes: 0 good, 1 a fault or no proof, 2 used wrongly.

Each command imports what it needs when it runs: ``cesta --help`` must not wait for it.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from infra.cli_options import JSON, STACK, target

if TYPE_CHECKING:
    from collections.abc import Generator

    from infra.sagas.commands import Machines
    from infra.sagas.ours import OurMachine

__all__ = ["saga"]


@click.group()
def saga() -> None:
    """A definição da saga: verificar, mostrar, desenhar, custo. Sem ARQUIVO, a nossa."""


_ARQUIVO = click.argument("arquivo", required=False, type=click.Path(exists=True, dir_okay=False, path_type=Path))
_EFEITOS = click.option(
    "--efeitos", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="YAML que diz o que cada Task faz"
)
_ALVO = click.option(
    "--alvo", type=click.Choice(["local", "aws"]), help="a definição implantada ali, em vez da compilada aqui"
)
_RETOMADA = click.option("--retomada", is_flag=True, help="a máquina que retoma um caso, em vez da saga")


@saga.command()
@_ARQUIVO
@_EFEITOS
@click.option("--entrada", default="", metavar="A,B,C", help="campos que toda entrada tem; sem isto, deduz")
@click.option("--exemplo-efeitos", is_flag=True, help="imprime um arquivo de efeitos comentado")
@_ALVO
@STACK
@JSON
def verificar(
    arquivo: Path | None,
    efeitos: Path | None,
    entrada: str,
    exemplo_efeitos: bool,
    alvo: str | None,
    stack: str,
    as_json: bool,
) -> None:
    """Verifica a definição e prova que nenhuma falha deixa efeito sem dono. Sai com 1 se há erro ou contraexemplo."""
    from infra.saga.effects_file import EXAMPLE
    from infra.sagas import commands

    if exemplo_efeitos:
        click.echo(EXAMPLE, nl=False)
        return
    fields = [field.strip() for field in entrada.split(",") if field.strip()]
    with _saga_errors():
        sys.exit(commands.verify(arquivo, efeitos, fields, _machines(arquivo, alvo, stack), as_json=as_json))


@saga.command()
@_ARQUIVO
@_RETOMADA
@_ALVO
@STACK
def mostrar(arquivo: Path | None, retomada: bool, alvo: str | None, stack: str) -> None:
    """Imprime a definição em Amazon States Language (JSON)."""
    from infra.sagas import commands

    with _saga_errors():
        commands.show(arquivo, _machines(arquivo, alvo, stack), resumption=retomada)


@saga.command()
@_ARQUIVO
@_EFEITOS
@click.option("--formato", type=click.Choice(["mermaid", "svg"]), default="mermaid", show_default=True)
@_RETOMADA
def desenhar(arquivo: Path | None, efeitos: Path | None, formato: str, retomada: bool) -> None:
    """Desenha a definição na saída padrão; com efeitos conhecidos, marca o contraexemplo."""
    from infra.sagas import commands

    with _saga_errors():
        click.echo(commands.draw(arquivo, efeitos, form=formato, resumption=retomada), nl=False)


@saga.command()
@_ARQUIVO
@click.option(
    "--comparar", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="outra definição, lado a lado"
)
@click.option("--falhas", type=click.FloatRange(0, 1), default=0.02, show_default=True, help="fração que falha")
@click.option("--preco-transicao", type=click.FloatRange(0), help="US$ por transição de estado")
@click.option("--preco-chamada", type=click.FloatRange(0), help="US$ por chamada de Lambda")
@click.option("--preco-gb-segundo", type=click.FloatRange(0), help="US$ por GB-segundo de Lambda")
@click.option("--data-precos", help="quando e onde esses preços valem")
@click.option("--memoria", type=click.IntRange(128, 10240), default=256, show_default=True, help="MiB por função")
@click.option("--milissegundos", type=click.FloatRange(0), default=100, show_default=True, help="por chamada")
@JSON
def custo(
    arquivo: Path | None,
    comparar: Path | None,
    falhas: float,
    preco_transicao: float | None,
    preco_chamada: float | None,
    preco_gb_segundo: float | None,
    data_precos: str | None,
    memoria: int,
    milissegundos: float,
    as_json: bool,
) -> None:
    """Transições e Lambdas de cada caminho, e dólares por milhão de pedidos, ao lado da definição de 000."""
    from dataclasses import replace

    from infra.saga.cost import Prices, Usage
    from infra.sagas import commands

    given = {
        "transition": preco_transicao,
        "call": preco_chamada,
        "gb_second": preco_gb_segundo,
        "date": data_precos,
    }
    prices = replace(Prices(), **{name: value for name, value in given.items() if value is not None})
    with _saga_errors():
        commands.price(arquivo, comparar, falhas, prices, Usage(memoria, milissegundos), as_json=as_json)


def _machines(arquivo: Path | None, alvo: str | None, stack: str) -> Machines:
    """Ours as compiled here, or as the stack of ``--alvo`` runs them."""
    if alvo is None:
        from infra.sagas.ours import our_machines

        return our_machines
    if arquivo is not None:
        raise click.UsageError("--alvo é para a nossa saga: com ARQUIVO não há o que buscar")

    def deployed() -> tuple[OurMachine, OurMachine]:
        from infra.ops.target import told
        from infra.sagas.deployed import deployed_machines

        with told():
            return deployed_machines(target(alvo, stack))

    return deployed


@contextmanager
def _saga_errors() -> Generator[None]:
    """One line, and exit code 2 for what cannot be read (used wrongly), 1 for a stack that cannot be asked."""
    from infra.config_errors import SettingsError
    from infra.local.errors import EmbeddedStackError
    from infra.ops.errors import OpsError
    from infra.saga.errors import SagaError

    try:
        yield
    except SagaError as error:
        click.echo(str(error), err=True)
        sys.exit(2)
    except (OpsError, SettingsError, EmbeddedStackError) as error:
        click.echo(str(error), err=True)
        sys.exit(1)
