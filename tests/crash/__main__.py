"""``make crash``: in every scenario, each crash point that differs (`fewer_points`).

``--todos`` has those of every invocation and of every first N, ``--pares`` every second death after a first. Says how
far it is as it goes, and how many there were; fails with the story of the first that lost something.
"""

from __future__ import annotations

import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.table import Table

from tests.crash.points import Point, every_point, fewer_points, pairs
from tests.crash.scenarios import SCENARIOS, Scenario, run
from tests.inprocess.functions import Installed, installed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.inprocess.process import Call, Moment


@dataclass(frozen=True)
class Result:
    """What became of one scenario's points.

    Attributes:
        scenario: its name.
        points: how many there were.
        told: the first that lost something; "" when none did.
    """

    scenario: str
    points: int
    told: str


@click.command()
@click.option("--todos", is_flag=True, help="Também em cada repetição igual de cada função; quatro vezes mais pontos.")
@click.option("--pares", is_flag=True, help="Também toda segunda morte depois de uma primeira; leva horas.")
def main(*, todos: bool, pares: bool) -> None:
    """Mata cada processo em cada lugar e confere que nada se perde."""
    begun = time.monotonic()
    table = Table("cenário", "pontos", "resultado")
    results: list[Result] = []
    with ProcessPoolExecutor(os.cpu_count()) as workers:
        runs = [workers.submit(_of, number, todos=todos, pares=pares) for number in range(len(SCENARIOS))]
        for ended in as_completed(runs):
            result = ended.result()
            results.append(result)
            end = "perdeu" if result.told else "passou"
            click.echo(f"{len(results)} de {len(runs)}: {result.scenario}, {result.points} pontos, {end}", err=True)
            table.add_row(result.scenario, str(result.points), end)
    Console().print(table)
    total = sum(result.points for result in results)
    click.echo(f"{total} pontos em {len(results)} cenários, {time.monotonic() - begun:.0f} s")
    lost = [result.told for result in results if result.told]
    if lost:
        click.echo(lost[0])
        sys.exit(1)


def _of(number: int, *, todos: bool, pares: bool) -> Result:
    scenario = SCENARIOS[number]
    with installed() as here:
        count = 0
        for count, points in enumerate(_points(here, scenario, todos=todos, pares=pares), 1):
            ran = run(here, scenario, partial(_first_of, points))
            wrongs = ran.wrongs(scenario.ends_after(points[0]) if len(points) == 1 else None)
            if wrongs:
                return Result(scenario.name, count, ran.told(scenario.name, *points, *wrongs))
    return Result(scenario.name, count, "")


def _points(here: Installed, scenario: Scenario, *, todos: bool, pares: bool) -> Iterator[tuple[Point, ...]]:
    calls = run(here, scenario).world.calls
    yield from ((point,) for point in (every_point(calls) if todos else fewer_points(calls)))
    if pares:
        for first in fewer_points(calls):
            yield from pairs(first, run(here, scenario, first).world.calls)


def _first_of(points: tuple[Point, ...], call: Call) -> Moment | None:
    return next((moment for point in points if (moment := point(call)) is not None), None)


if __name__ == "__main__":
    main()
