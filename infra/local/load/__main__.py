"""``python -m infra.local.load``: a load, or all of them, on an embedded stack of its own.

Exit codes: 0 good, 1 a promise broken. Progress on the error stream, the report on the output stream.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.markup import escape

from handlers.domain.clock import iso
from infra.config_errors import SettingsError
from infra.local.errors import EmbeddedStackError
from infra.local.load.plan import LoadPlan
from infra.local.load.run import run_load
from infra.local.load.suite import P99_MS, SUITE, keep
from infra.local.proofs.workbench import ProofFailedError, Workbench
from infra.local.stack import EmbeddedStack
from infra.ops.target import embedded

if TYPE_CHECKING:
    from collections.abc import Mapping

    from infra.local.load.run import LoadReport

_PERCENT = click.IntRange(0, 100)
_WARM_UP = LoadPlan(pedidos=40, clientes=8)
"""Starts the functions' workers: the first call of each costs a second that is the emulator's, not the API's."""

_progress = Console(stderr=True, highlight=False)
_results = Console(highlight=False)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--todas", is_flag=True, help="as cargas de docs/scale.md, uma depois da outra; as opções de uma só não valem"
)
@click.option(
    "--gravar", type=click.Path(dir_okay=False, path_type=Path), help="grava os resultados de --todas neste arquivo"
)
@click.option("--pedidos", type=click.IntRange(1, 20_000), default=500, show_default=True)
@click.option(
    "--clientes", type=click.IntRange(1, 64), default=8, show_default=True, help="quantos enviam ao mesmo tempo"
)
@click.option("--duplicados", type=_PERCENT, default=10, show_default=True, help="% enviados duas vezes, iguais")
@click.option("--divergentes", type=_PERCENT, default=5, show_default=True, help="% reenviados com outro valor")
@click.option("--malformadas", type=_PERCENT, default=5, show_default=True, help="% de mensagens inválidas na fila")
@click.option("--skus", type=click.IntRange(1, 1000), default=4, show_default=True, help="1: todos no mesmo SKU")
@click.option("--represados", is_flag=True, help="os pedidos esperam na fila, o iniciador desligado, e saem de uma vez")
@click.option("--p99-ms", type=click.IntRange(1), help="falha se o p99 do POST passar disto")
@click.option("--json", "as_json", is_flag=True, help="imprime JSON, sozinho na saída padrão")
def main(todas: bool, gravar: Path | None, p99_ms: int | None, as_json: bool, **one: Any) -> None:
    """Envia pedidos em carga a uma pilha local só dela e confere todas as promessas."""
    plans = SUITE if todas else {"carga": LoadPlan(**one)}
    promised = {"latencia": P99_MS} if todas else {"carga": p99_ms}
    busy = os.getloadavg()[0] / (os.cpu_count() or 1)
    try:
        reports = _run(plans)
    except (EmbeddedStackError, SettingsError, ProofFailedError) as error:
        _progress.print(f"[red]erro:[/red] {escape(str(error))}")
        sys.exit(1)
    for name, report in reports.items():
        limit = promised.get(name)
        if limit is not None and report.p99_ms is not None and report.p99_ms > limit:
            report.achados.append(f"p99 do POST {report.p99_ms} ms, acima de {limit} ms")
    if gravar is not None:
        keep(gravar, reports, measured_at=iso(time.time()), busy=busy)
    _print(reports, as_json=as_json, todas=todas)
    sys.exit(1 if any(report.achados for report in reports.values()) else 0)


def _run(plans: Mapping[str, LoadPlan]) -> dict[str, LoadReport]:
    reports: dict[str, LoadReport] = {}
    with _progress.status("subindo a pilha local") as status, EmbeddedStack.start() as stack:
        bench = Workbench(embedded(stack.endpoints()))
        status.update("aquecendo")
        run_load(bench, stack, _WARM_UP)
        for name, plan in plans.items():
            reports[name] = run_load(
                bench, stack, plan, on_progress=lambda text, name=name: status.update(f"{name}: {text}")
            )
    return reports


def _print(reports: Mapping[str, LoadReport], *, as_json: bool, todas: bool) -> None:
    if as_json:
        told = {name: report.as_json() for name, report in reports.items()}
        print(json.dumps(told if todas else told["carga"], ensure_ascii=False))  # noqa: T201 - one line, alone
        return
    for name, report in reports.items():
        if todas:
            _results.print(f"[bold]{name}[/bold]")
        _tell(report)


def _tell(report: LoadReport) -> None:
    plan = report.plano
    lines = {
        "pedidos": f"{plan.pedidos}, " + ("represados na fila" if plan.represados else f"{plan.clientes} clientes"),
        "respostas": ", ".join(f"{count} × {status}" for status, count in report.respostas.items()) or "nenhuma",
        "POST": "nenhum" if report.p50_ms is None else f"p50 {report.p50_ms} ms, p99 {report.p99_ms} ms",
        "fins": ", ".join(f"{count} {status}" for status, count in report.fins.items()),
        "até o fim": f"{report.segundos} s, {report.pedidos_por_segundo} pedidos/s",
        "execuções": f"{report.execucoes}",
        "cobranças": f"{report.cobrancas}",
        "na DLQ": f"{report.malformadas_na_dlq} de {plan.malformed()} mensagens malformadas",
        "memória": f"{report.memoria_mib} MiB em {report.processos} processos (pico)",
        "achados": "nenhum" if not report.achados else "",
    }
    for name, value in lines.items():
        _results.print(f"{name:<11} {value}")
    for finding in report.achados:
        _results.print(f"  [red]·[/red] {escape(finding)}")


if __name__ == "__main__":
    main()
