"""``make stateful``: many examples, each from the seed told, and where the orders ended. Fails with the story.

Another seed is another set of examples; the same seed and code are the same set.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from typing import ClassVar

import click
from hypothesis.stateful import run_state_machine_as_test
from rich.console import Console

from tests.inprocess.functions import installed
from tests.stateful.play import examples
from tests.stateful.system import System, system

_BATCH = 50


class _Counted(System):
    """Counts how the orders ended, when the example began to rest."""

    ends: ClassVar[Counter[str]] = Counter()
    calls: ClassVar[int] = 0

    def teardown(self) -> None:
        super().teardown()
        _Counted.ends.update(str(self.world.status(pedido_id) or "nunca gravado") for pedido_id in self.world.orders)
        _Counted.calls += len(self.world.calls)


@click.command()
@click.option("--semente", type=int, default=1, show_default=True, help="De onde vêm as escolhas.")
@click.option("--exemplos", type=click.IntRange(1), default=1000, show_default=True, help="Quantas histórias.")
@click.option("--encurtar", is_flag=True, help="Encurta a história que falhar; leva minutos.")
def main(semente: int, exemplos: int, *, encurtar: bool) -> None:
    """Joga com o sistema inteiro num processo e confere as promessas a cada passo."""
    console = Console(stderr=True)
    begun = time.monotonic()
    with installed() as here, console.status("") as progress:
        for done in range(0, exemplos, _BATCH):
            progress.update(f"{done} de {exemplos} histórias, semente {semente + done}")
            counted = type("Counted", (_Counted, system(here, seed_of_all=semente + done)), {})
            try:
                run_state_machine_as_test(counted, settings=examples(min(_BATCH, exemplos - done), shrink=encurtar))
            except AssertionError as broken:
                click.echo(f"{broken}\n\nrepita com: --semente {semente + done} --exemplos {_BATCH}")
                sys.exit(1)
    seconds = time.monotonic() - begun
    click.echo(f"{exemplos} histórias, {_Counted.calls} chamadas para fora, {seconds:.0f} s; nenhuma promessa quebrada")
    for status, count in _Counted.ends.most_common():
        click.echo(f"  {count:6d} {status}")


if __name__ == "__main__":
    main()
