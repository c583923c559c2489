"""``python -m infra.local.load``: a load on an embedded stack of its own. Exit codes: 0 good, 1 a promise broken.

Progress on the error stream, the report on the output stream.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING

import click
from rich.console import Console
from rich.markup import escape

from infra.config_errors import SettingsError
from infra.local.errors import EmbeddedStackError
from infra.local.load.plan import LoadPlan
from infra.local.load.run import run_load
from infra.local.proofs.workbench import ProofFailedError, Workbench
from infra.local.stack import EmbeddedStack
from infra.ops.target import embedded

if TYPE_CHECKING:
    from infra.local.load.run import LoadReport

_PERCENT = click.IntRange(0, 100)
_WARM_UP = LoadPlan(pedidos=40, clientes=8)
"""Starts the functions' workers: the first call of each costs a second that is the emulator's, not the API's."""

_progress = Console(stderr=True, highlight=False)
_results = Console(highlight=False)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--pedidos", type=click.IntRange(1, 20_000), default=500, show_default=True)
@click.option(
    "--clientes", type=click.IntRange(1, 64), default=8, show_default=True, help="quantos enviam ao mesmo tempo"
)
@click.option("--duplicados", type=_PERCENT, default=10, show_default=True, help="% enviados duas vezes, iguais")
@click.option("--divergentes", type=_PERCENT, default=5, show_default=True, help="% reenviados com outro valor")
@click.option("--malformadas", type=_PERCENT, default=5, show_default=True, help="% de mensagens inválidas na fila")
@click.option("--p99-ms", type=click.IntRange(1), help="falha se o p99 do POST passar disto")
@click.option("--json", "as_json", is_flag=True, help="imprime JSON, sozinho na saída padrão")
def main(
    pedidos: int, clientes: int, duplicados: int, divergentes: int, malformadas: int, p99_ms: int | None, as_json: bool
) -> None:
    """Envia pedidos em carga a uma pilha local só dela e confere todas as promessas."""
    plan = LoadPlan(pedidos, clientes, duplicados, divergentes, malformadas)
    try:
        with _progress.status("subindo a pilha local") as status, EmbeddedStack.start() as stack:
            bench = Workbench(embedded(stack.endpoints()))
            status.update("aquecendo")
            run_load(bench, stack, _WARM_UP)
            report = run_load(bench, stack, plan, on_progress=status.update)
    except (EmbeddedStackError, SettingsError, ProofFailedError) as error:
        _progress.print(f"[red]erro:[/red] {escape(str(error))}")
        sys.exit(1)
    if p99_ms is not None and report.p99_ms > p99_ms:
        report.achados.append(f"p99 do POST {report.p99_ms} ms, acima de {p99_ms} ms")
    if as_json:
        print(json.dumps(report.as_json(), ensure_ascii=False))  # noqa: T201 - one line, alone
    else:
        _tell(report)
    sys.exit(1 if report.achados else 0)


def _tell(report: LoadReport) -> None:
    plan = report.plano
    lines = {
        "pedidos": f"{plan.pedidos}, {plan.clientes} clientes",
        "respostas": ", ".join(f"{count} × {status}" for status, count in report.respostas.items()),
        "POST": f"p50 {report.p50_ms} ms, p99 {report.p99_ms} ms",
        "fins": ", ".join(f"{count} {status}" for status, count in report.fins.items()),
        "até o fim": f"{report.segundos} s",
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
