"""``cesta saga verificar|mostrar|desenhar|custo``: check, prove, show, draw and price a saga, ours or anybody's."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import click
from rich.console import Console
from rich.table import Table

from infra.saga.asl import parse
from infra.saga.checks import Facts, check
from infra.saga.checks.findings import Finding, finding
from infra.saga.compiler import to_json
from infra.saga.cost import Prices, Usage, dollars_per_million, path_costs
from infra.saga.diagram import mermaid
from infra.saga.effects_file import read_effects
from infra.saga.errors import DefinitionError
from infra.saga.explorer import Exploration, explore
from infra.saga.svg import svg
from infra.sagas.ours import our_machines

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from infra.saga.asl import Definition
    from infra.saga.checks.findings import Kind
    from infra.saga.effects import Effects
    from infra.sagas.ours import OurMachine

__all__ = ["Machines", "Subject", "Verdict", "draw", "judge", "price", "show", "subjects", "verify"]

Machines: TypeAlias = "Callable[[], tuple[OurMachine, OurMachine]]"
"""Where our two machines come from: compiled here (`our_machines`), or a stack."""


@dataclass(frozen=True)
class Subject:
    """A definition and what is known of it.

    Attributes:
        name: the machine or the file.
        definition: as parsed or compiled.
        facts: for the checks.
        effects: for the explorer; None where nobody said what the tasks do.
    """

    name: str
    definition: Definition
    facts: Facts
    effects: Effects | None


@dataclass(frozen=True)
class Verdict:
    """What was found of one definition.

    Attributes:
        name: of the subject.
        findings: what the checks say.
        exploration: what the explorer says; None when it did not run: nobody said what the tasks do, or the
            definition is too broken to be walked.
    """

    name: str
    findings: tuple[Finding, ...]
    exploration: Exploration | None


def subjects(
    path: Path | None, effects: Path | None, fields: Sequence[str], machines: Machines = our_machines
) -> tuple[Subject, ...]:
    """What a command works on: the file, or our own machines.

    Args:
        path: the file, if any.
        effects: what its tasks do.
        fields: what its every input has.
        machines: ours, as compiled here or as a stack runs them.

    Raises:
        DefinitionError: the file cannot be read.
        EffectsError: the effects' file cannot be.
    """
    if path is None:
        return tuple(Subject(ours.name, ours.definition, ours.facts, ours.effects) for ours in machines())
    definition = parse(path.read_text(encoding="utf-8"), source=path.name)
    given: dict[str, Kind] | None = dict.fromkeys(fields, "qualquer") if fields else None
    return (Subject(path.name, definition, Facts(given), _effects(effects, definition)),)


def _effects(path: Path | None, definition: Definition) -> Effects | None:
    if path is None:
        return None
    return read_effects(path.read_text(encoding="utf-8"), definition, source=path.name)


_UNCOUNTABLE = ("SG210", "SG213")
"""Retriers whose attempts or errors nobody can count."""


def judge(subject: Subject) -> Verdict:
    """Checks, and then the proof, if what the tasks do is known and the arrows lead somewhere."""
    findings = check(subject.definition, subject.facts)
    walkable = not any(
        item.severidade == "erro" and (item.codigo < "SG200" or item.codigo in _UNCOUNTABLE) for item in findings
    )
    exploration = explore(subject.definition, subject.effects) if subject.effects is not None and walkable else None
    if exploration is not None:
        findings += [
            finding("SG901", example.route[-1] if example.route else "", example.found.message, _mend(example.edge))
            for example in exploration.counterexamples
        ]
    return Verdict(subject.name, tuple(findings), exploration)


def _mend(edge: str) -> str:
    return f"reveja a aresta {edge}" if edge else "reveja o que leva até aqui"


def verify(
    path: Path | None, effects: Path | None, fields: Sequence[str], machines: Machines = our_machines, *, as_json: bool
) -> int:
    """``cesta saga verificar``: prints the verdict and returns the exit code; arguments as of `subjects`."""
    started = time.monotonic()
    try:
        verdicts = [judge(subject) for subject in subjects(path, effects, fields, machines)]
        proof_wanted = path is None or effects is not None
    except DefinitionError as error:
        broken = finding(error.code, error.where, error.problem, error.mend)
        verdicts, proof_wanted = [Verdict(error.source, (broken,), None)], True
    report = _report(verdicts, proof_wanted=proof_wanted)
    if as_json:
        click.echo(json.dumps(report, ensure_ascii=False))
    else:
        _print(verdicts, report, time.monotonic() - started)
    failed = report["provada"] is False or any(item["severidade"] == "erro" for item in report["achados"])
    return 1 if failed else 0


def _report(verdicts: Sequence[Verdict], *, proof_wanted: bool) -> dict[str, Any]:
    """The JSON of design §10; ``provada`` is null when nobody said what the tasks do."""
    explorations = [verdict.exploration for verdict in verdicts if verdict.exploration is not None]
    proved = len(explorations) == len(verdicts) and all(each.proved for each in explorations)
    example = next((each.counterexample for each in explorations if each.counterexample is not None), None)
    return {
        "provada": proved if proof_wanted else None,
        "caminhos": sum(each.paths for each in explorations),
        "estados": sum(each.states for each in explorations),
        "achados": [{"maquina": verdict.name, **item.to_json()} for verdict in verdicts for item in verdict.findings],
        "contraexemplo": None if example is None else {**example.to_json(), "historia": example.story()},
    }


def _print(verdicts: Sequence[Verdict], report: dict[str, Any], seconds: float) -> None:
    for verdict in verdicts:
        exploration = verdict.exploration
        if exploration is None:
            said = "não explorada" if report["provada"] is None else "NÃO PROVADA"
        elif exploration.proved:
            said = f"provada: {exploration.paths} caminhos, {exploration.states} estados do mundo"
        else:
            said = "NÃO PROVADA"
        click.echo(f"{verdict.name}: {said}")
        for item in verdict.findings:
            place = f" {item.estado}:" if item.estado else ""
            click.echo(f"  {item.codigo} {item.severidade}{place} {item.mensagem}")
            click.echo(f"      porque: {item.porque}")
            click.echo(f"      conserto: {item.conserto}")
    if report["contraexemplo"] is not None:
        click.echo()
        click.echo(report["contraexemplo"]["historia"])
    if report["provada"] is None:
        click.echo("Sem --efeitos só se verifica a definição, não o que ela desfaz (veja --exemplo-efeitos).")
    found = len(report["achados"])
    click.echo(f"{found} {'achado' if found == 1 else 'achados'} em {seconds:.2f} s")


# --- Show, draw, price -----------------------------------------------------------------------------------------------


def show(path: Path | None, machines: Machines = our_machines, *, resumption: bool) -> None:
    """``cesta saga mostrar``: the definition as JSON; raises `DefinitionError`."""
    click.echo(to_json(_one(path, machines=machines, resumption=resumption).definition))


def draw(path: Path | None, effects: Path | None, *, form: str, resumption: bool) -> str:
    """``cesta saga desenhar``: the picture, with the worst counterexample marked, if the effects are known.

    Raises as `subjects` does.
    """
    subject = _one(path, effects, resumption=resumption)
    exploration = judge(subject).exploration
    example = exploration.counterexample if exploration is not None else None
    route, steps = (example.route, example.steps) if example is not None else ((), ())
    if form == "svg":
        return svg(subject.definition, route=route, steps=steps)
    return mermaid(subject.definition, route=route)


def _one(
    path: Path | None, effects: Path | None = None, machines: Machines = our_machines, *, resumption: bool
) -> Subject:
    return subjects(path, effects, (), machines)[-1 if resumption else 0]


EXHIBIT = Path(__file__).parents[2] / "tests" / "saga" / "exhibits" / "000.json"
"""A definition equivalent to the one of the document the system comes from: what we compare our cost with."""


def price(
    path: Path | None, other: Path | None, failing: float, prices: Prices, usage: Usage, *, as_json: bool
) -> None:
    """``cesta saga custo``: each way's transitions and calls, and dollars per million; raises `DefinitionError`."""
    chosen = [_one(path, resumption=False)]
    compared = other or (EXHIBIT if path is None and EXHIBIT.exists() else None)
    if compared is not None:
        chosen.append(_one(compared, resumption=False))
    report = [_priced(subject, failing, prices, usage) for subject in chosen]
    if as_json:
        click.echo(json.dumps({"precos": prices.date, "falhas": failing, "sagas": report}, ensure_ascii=False))
        return
    console = Console(highlight=False)
    for priced in report:
        table = Table(title=f"{priced['saga']}: US$ {priced['dolaresPorMilhao']:.2f} por milhão de pedidos")
        for column in ("falha em", "com", "transições", "Lambdas", "termina em"):
            table.add_column(column, justify="right" if column in ("transições", "Lambdas") else "left")
        for way in priced["caminhos"]:
            end = f"{way['estados'][-1]} (pessoa)" if way["pessoa"] else way["estados"][-1]
            table.add_row(
                way["falha"] or "(nenhuma)", ", ".join(way["erros"]), str(way["transicoes"]), str(way["lambdas"]), end
            )
        console.print(table)
    click.echo(
        f"Com {failing:.1%} de pedidos que falham, repartidos por igual entre os estados. Preços: {prices.date}."
    )
    click.echo(f"Cada Lambda: {usage.memory_mb} MiB por {usage.milliseconds:g} ms. Tabelas, filas e logs não entram.")


def _priced(subject: Subject, failing: float, prices: Prices, usage: Usage) -> dict[str, Any]:
    costs = path_costs(subject.definition)
    return {
        "saga": subject.name,
        "dolaresPorMilhao": round(dollars_per_million(costs, failing, prices, usage), 2),
        "caminhos": [
            {
                "falha": cost.failed,
                "erros": list(cost.errors),
                "estados": list(cost.states),
                "transicoes": cost.transitions,
                "lambdas": cost.calls,
                "pessoa": cost.person,
                "dolares": cost.dollars(prices, usage),
            }
            for cost in costs
        ],
    }
