"""``cesta local`` and ``cesta provas``: progress on the error stream, results on the output stream."""

from __future__ import annotations

import json
import os
import sys
from typing import TYPE_CHECKING

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from infra.config_errors import SettingsError
from infra.local.errors import EmbeddedStackError
from infra.local.proofs.runner import run_proofs
from infra.local.proofs.workbench import Workbench
from infra.local.starting import progress, start
from infra.ops.errors import OpsError
from infra.ops.target import announce, aws, embedded, told

if TYPE_CHECKING:
    from infra.local.endpoints import Endpoints
    from infra.local.proofs.catalog import Proof
    from infra.local.proofs.runner import ProofResult, Report

__all__ = ["keep_up", "prove_locally", "prove_on_aws"]

_PIPE_WIDTH = 140
"""Columns where there is no terminal to ask."""

_results = Console(highlight=False, width=None if sys.stdout.isatty() else _PIPE_WIDTH)


def keep_up(*, as_json: bool, porta_aws: int | None, porta_gateway: int | None, escala_espera: float) -> int:
    """Keep the embedded stack up until Ctrl-C; returns the exit code."""
    try:
        with start(porta_aws=porta_aws, porta_gateway=porta_gateway, escala_espera=escala_espera) as stack:
            endpoints = stack.endpoints()
            announce(endpoints, stack.run_dir, os.getpid())
            _tell_ready(endpoints, as_json=as_json)
            stack.wait()
    except KeyboardInterrupt:
        progress.print("pilha local encerrada")
        return 0
    except (EmbeddedStackError, SettingsError) as error:
        progress.print(f"[red]erro:[/red] {escape(str(error))}")
        return 1
    return 0


def prove_locally(*, as_json: bool, escala_espera: float) -> int:
    """Run the proofs on an embedded stack of their own; returns the exit code."""
    try:
        with start(porta_aws=None, porta_gateway=None, escala_espera=escala_espera) as stack:
            report = _prove(Workbench(embedded(stack.endpoints())))
            phases = dict(stack.phases)
    except KeyboardInterrupt:
        progress.print("provas interrompidas")
        return 1
    except (EmbeddedStackError, SettingsError) as error:
        progress.print(f"[red]erro:[/red] {escape(str(error))}")
        return 1
    return _tell_report(report, phases, as_json=as_json)


def prove_on_aws(stack: str, *, as_json: bool) -> int:
    """Run the proofs on a deployed stack; returns the exit code."""
    try:
        with told():
            report = _prove(Workbench(aws(stack)))
    except OpsError as error:
        progress.print(f"[red]erro:[/red] {escape(str(error))}")
        return 1
    return _tell_report(report, {}, as_json=as_json)


# --- Progress --------------------------------------------------------------------------------------------------------


def _prove(bench: Workbench) -> Report:
    running: set[str] = set()
    with progress.status("provas") as status:

        def started(proof: Proof) -> None:
            running.add(proof.nome)
            status.update(f"provas em andamento: {', '.join(sorted(running))}")

        def ended(result: ProofResult) -> None:
            running.discard(result["nome"])
            mark = "[green]passou[/green]" if result["passou"] else "[red]FALHOU[/red]"
            progress.print(f"  prova {result['id']:>2} {result['nome']:<26} {mark} {result['segundos']:5.1f} s")

        return run_proofs(bench, on_start=started, on_end=ended)


# --- Results ---------------------------------------------------------------------------------------------------------


def _tell_ready(endpoints: Endpoints, *, as_json: bool) -> None:
    if as_json:
        print(json.dumps(endpoints, ensure_ascii=False), flush=True)  # noqa: T201 - one line, alone
        return
    for name in ("api", "aws", "gateway"):
        _results.print(f"{name:<8} {endpoints[name]}")
    _results.print(f"skus     {', '.join(f'{sku} ({saldo})' for sku, saldo in endpoints['skus'].items())}")
    order = {"pedidoId": "p-1", "sku": "sku-abc", "quantidade": 1, "valorCentavos": 14000, "cartaoToken": "tok-ok"}
    _results.print("\nexperimente, em outro terminal:\n")
    _results.print(
        f"  curl -i -H 'Content-Type: application/json' -d '{json.dumps(order)}' {endpoints['api']}/pedidos",
        soft_wrap=True,
        markup=False,
    )
    _results.print("  cesta pedido p-1\n\nCtrl-C encerra tudo.")


def _tell_report(report: Report, phases: dict[str, float], *, as_json: bool) -> int:
    if as_json:
        print(json.dumps(report, ensure_ascii=False), flush=True)  # noqa: T201
    else:
        _results.print(_table(report))
        total = report["passaram"] + report["falharam"]
        _results.print(f"{report['passaram']} de {total} provas passaram")
        if phases:
            spent = ", ".join(f"{name} {seconds:.1f} s" for name, seconds in phases.items())
            _results.print(f"tempo: {spent}")
    return 0 if report["falharam"] == 0 else 1


def _table(report: Report) -> Table:
    table = Table(title=f"Provas ({report['alvo']})", show_lines=True)
    for column in ("id", "prova", "resultado", "segundos", "o que se viu"):
        table.add_column(column, justify="right" if column in {"id", "segundos"} else "left")
    for result in report["provas"]:
        verdict = "[green]passou[/green]" if result["passou"] else "[red]FALHOU[/red]"
        seconds, seen = f"{result['segundos']:.1f}", escape(result["detalhe"])
        table.add_row(str(result["id"]), result["nome"], verdict, seconds, seen)
    return table
