"""``python -m tests.e2e.fuzz``: thousands of requests against an embedded stack of its own.

Exit codes: 0 when nothing is to be complained of, 1 otherwise. Progress on the error stream.
"""

from __future__ import annotations

import json
import random
import sys

import click
from rich.console import Console
from rich.markup import escape

from infra.local.proofs.workbench import Workbench
from infra.local.settlement import wait_until_settled
from infra.local.stack import EmbeddedStack
from infra.ops.books import violations
from infra.ops.target import embedded
from infra.public_openapi import PATH
from tests.e2e.fuzz import documented, raw
from tests.e2e.fuzz.tally import Tally

RAW_PERCENT = 30
"""Share of the cases that are raw; the others come from the document."""

_progress = Console(stderr=True, highlight=False)
_results = Console(highlight=False)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--casos", type=click.IntRange(10, 1_000_000), default=10_000, show_default=True)
@click.option("--semente", type=int, help="repete uma execução; sorteada se omitida")
def main(casos: int, semente: int | None) -> None:
    """Envia requisições hostis à API de uma pilha local só dela: nenhum 5xx, todo erro nosso é problem+json."""
    seed = random.SystemRandom().randrange(2**32) if semente is None else semente
    raw_cases = casos * RAW_PERCENT // 100
    with _progress.status("subindo a pilha local") as status, EmbeddedStack.start() as stack:
        target = embedded(stack.endpoints())
        tally = Tally(on_case=lambda cases: status.update(f"{cases} de {casos} casos"))
        raw.ask(target.api, tally, cases=raw_cases, seed=seed)
        documented.ask(target.api, json.loads(PATH.read_text()), tally, cases=casos - raw_cases, seed=seed)
        status.update("esperando o fim dos pedidos aceitos")
        books = wait_until_settled(Workbench(target))
        stack.check()
    complaints = [*tally.complaints, *violations(books, {})]
    answers = ", ".join(f"{count} × {answer}" for answer, count in sorted(tally.statuses.items()))
    _results.print(f"{tally.cases} casos (semente {seed}): {answers}")
    _results.print(f"{len(books.orders)} pedidos aceitos, todos com fim")
    for complaint in complaints:
        _results.print(f"[red]·[/red] {escape(complaint)}")
    _results.print(f"{len(complaints)} achados")
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
