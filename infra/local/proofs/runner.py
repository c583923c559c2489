"""Runs the proofs beside each other, tells progress, and gives the report of design §10."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor, as_completed
from typing import TYPE_CHECKING, TypedDict

from infra.local.proofs.catalog import PROOFS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from infra.local.proofs.catalog import Proof
    from infra.local.proofs.workbench import Workbench

__all__ = ["ProofResult", "Report", "run_proofs"]


class ProofResult(TypedDict):
    """One proof's result."""

    id: int
    nome: str
    passou: bool
    segundos: float
    detalhe: str


class Report(TypedDict):
    """The shape of ``cesta provas --json`` (design §10)."""

    alvo: str
    provas: list[ProofResult]
    passaram: int
    falharam: int


def run_proofs(
    bench: Workbench,
    *,
    proofs: Iterable[Proof] = PROOFS,
    on_start: Callable[[Proof], None] = lambda _: None,
    on_end: Callable[[ProofResult], None] = lambda _: None,
) -> Report:
    """Run every proof; a proof that cannot be run has failed, whatever the reason.

    Args:
        bench: the stack they run on.
        proofs: which ones.
        on_start: told before each proof, from the thread that runs it.
        on_end: told of each result as it comes.
    """

    def run(proof: Proof) -> ProofResult:
        on_start(proof)
        return _run(bench, proof)

    results: list[ProofResult] = []
    asked = tuple(proofs)
    # All at once: they mostly wait for retries to be due, and each has a SKU and an order of its own.
    pool = ThreadPoolExecutor(len(asked) or 1)
    try:
        for future in as_completed([pool.submit(run, proof) for proof in asked]):
            results.append(future.result())
            on_end(results[-1])
    finally:
        # On Ctrl-C too: nothing more begins, and what runs ends with the stack it runs on.
        pool.shutdown(wait=False, cancel_futures=True)
    passed = sum(result["passou"] for result in results)
    return {
        "alvo": bench.target.alvo,
        "provas": sorted(results, key=lambda result: result["id"]),
        "passaram": passed,
        "falharam": len(results) - passed,
    }


def _run(bench: Workbench, proof: Proof) -> ProofResult:
    started = time.monotonic()
    try:
        detail, passed = proof.prove(bench), True
    except Exception as error:  # the report is where any failure of a proof is told
        detail, passed = f"{type(error).__name__}: {error}", False
    seconds = round(time.monotonic() - started, 2)
    return {"id": proof.id, "nome": proof.nome, "passou": passed, "segundos": seconds, "detalhe": detail}
