"""``cesta exercicio``: the list, a broken stack kept up, the answer."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Final

import click
from rich.markup import escape

from infra.config_errors import SettingsError
from infra.local.errors import EmbeddedStackError
from infra.local.exercises.catalog import EXERCISES
from infra.local.exercises.exercise import stage
from infra.local.proofs.workbench import ProofFailedError, Workbench
from infra.ops.errors import OpsError
from infra.ops.target import announce, embedded, told

if TYPE_CHECKING:
    from infra.local.endpoints import Endpoints
    from infra.local.exercises.exercise import Exercise, Scene

__all__ = ["answer", "listing", "play"]

WAIT_SCALE: Final = 0.005
"""Retries two hundred times as quick: what is looked for is where an order stopped, not how long it tried."""

_ANY: Final = {"pedido": "ID", "sku": "SKU", "gateway": "GATEWAY"}


def listing(*, as_json: bool) -> None:
    """Print every exercise: number, symptom, where it comes from."""
    if as_json:
        rows = [{"numero": each.numero, "titulo": each.titulo, "origem": each.origem} for each in EXERCISES]
        click.echo(json.dumps({"exercicios": rows}, ensure_ascii=False))
        return
    for each in EXERCISES:
        click.echo(f"{each.numero}  {each.titulo} ({each.origem})")
    click.echo("\nComece um com: cesta exercicio N. A explicação: cesta exercicio N --resposta")


def answer(exercise: Exercise, *, as_json: bool) -> None:
    """Print what was broken, how it shows, what mends it, and why it does not happen in Cesta."""
    if as_json:
        click.echo(json.dumps(_answer(exercise), ensure_ascii=False))
        return
    click.echo(f"Exercício {exercise.numero}: {exercise.titulo}\n")
    click.echo(f"Causa: {exercise.causa}\n\nComo aparece:")
    for clue in exercise.pistas:
        click.echo(f"  {clue.comando.format(**_ANY)}\n      {clue.leia}")
    click.echo(f"\nConserto: {exercise.conserto}\n\nPor que não acontece na Cesta:")
    for prevention in exercise.prevencao:
        click.echo(f"  {prevention.texto}")
        for where in prevention.onde:
            click.echo(f"      {where}")


def _answer(exercise: Exercise) -> dict[str, Any]:
    return {
        "numero": exercise.numero,
        "titulo": exercise.titulo,
        "causa": exercise.causa,
        "pistas": [{"comando": clue.comando.format(**_ANY), "leia": clue.leia} for clue in exercise.pistas],
        "conserto": exercise.conserto,
        "prevencao": [{"texto": each.texto, "onde": list(each.onde)} for each in exercise.prevencao],
    }


def play(exercise: Exercise, *, as_json: bool) -> int:
    """Bring up a stack with the fault in it, put an order through it, and keep it up until Ctrl-C."""
    # Imported on use: it brings Pulumi's SDK, and neither the list nor an answer needs a stack.
    from infra.local.starting import progress, start

    try:
        with start(escala_espera=WAIT_SCALE) as stack, told():
            endpoints = stack.endpoints()
            bench = Workbench(embedded(endpoints))
            with exercise.quebra(bench.target):
                with progress.status("quebrando, e esperando o defeito aparecer"):
                    scene = stage(exercise, bench)
                announce(endpoints, stack.run_dir, os.getpid())
                _tell(exercise, scene, endpoints, as_json=as_json)
                stack.wait()
    except KeyboardInterrupt:
        progress.print("exercício encerrado")
        return 0
    except (EmbeddedStackError, SettingsError, OpsError, ProofFailedError) as error:
        progress.print(f"[red]erro:[/red] {escape(str(error))}")
        return 1
    return 0


def _tell(exercise: Exercise, scene: Scene, endpoints: Endpoints, *, as_json: bool) -> None:
    commands = [scene.fill(clue.comando) for clue in exercise.pistas]
    if as_json:
        report = {
            "numero": exercise.numero,
            "titulo": exercise.titulo,
            "relato": scene.fill(exercise.relato),
            "pedido": scene.pedido,
            "sku": scene.sku,
            "comandos": commands,
            "pilha": endpoints,
        }
        click.echo(json.dumps(report, ensure_ascii=False))
        return
    click.echo(f"Exercício {exercise.numero}: {exercise.titulo}\n\n{scene.fill(exercise.relato)}\n")
    click.echo("Investigue, em outro terminal:\n")
    for command in commands:
        click.echo(f"  {command}")
    click.echo(f"\nQuando souber, confira: cesta exercicio {exercise.numero} --resposta. Ctrl-C encerra tudo.")
