"""Every proof passes on the embedded stack, one by one, and the books balance afterwards."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from infra.local.proofs.catalog import PROOFS
from infra.local.proofs.runner import run_proofs
from infra.ops.books import read_books, violations

if TYPE_CHECKING:
    from infra.local.proofs.catalog import Proof
    from infra.local.proofs.runner import ProofResult
    from infra.local.proofs.workbench import Workbench

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def results(bench: Workbench) -> dict[int, ProofResult]:
    return {result["id"]: result for result in run_proofs(bench)["provas"]}


def test_the_proofs_are_those_of_the_contract() -> None:
    assert [(proof.id, proof.nome) for proof in PROOFS] == [
        (1, "caminho-feliz"),
        (2, "cobranca-recusada"),
        (3, "falha-apos-cobranca"),
        (4, "execucao-duplicada"),
        (5, "compensacao-falhou"),
        (6, "arquitetura-minima"),
        (7, "cobranca-ambigua"),
        (8, "reserva-ambigua"),
        (9, "confirmacao-ambigua"),
        (10, "conteudo-divergente"),
        (11, "intervencao-reprocessada"),
        (12, "execucao-morta"),
    ]


@pytest.mark.parametrize("proof", PROOFS, ids=lambda proof: f"{proof.id}-{proof.nome}")
def test_proof(proof: Proof, results: dict[int, ProofResult]) -> None:
    result = results[proof.id]
    assert result["passou"], result["detalhe"]


def test_the_books_balance_after_the_proofs(bench: Workbench, results: dict[int, ProofResult]) -> None:
    assert results
    books = read_books(bench.target)
    assert violations(books, {}) == []
