"""Waits until nothing is under way on a stack: every order final, its reservation settled, its execution over."""

from __future__ import annotations

from typing import TYPE_CHECKING

from handlers.domain.status import FINAIS
from infra.ops.books import read_books

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from infra.local.proofs.workbench import Workbench
    from infra.ops.books import Books

__all__ = ["is_settled", "wait_until_settled"]


def wait_until_settled(
    bench: Workbench,
    ids: Collection[str] | None = None,
    *,
    on_progress: Callable[[int], None] = lambda _: None,
    seconds: float | None = None,
    every: float | None = None,
) -> Books:
    """The books once every order is settled; reads whole tables, so it is for stacks of tests.

    Args:
        bench: the stack.
        ids: the orders waited for; all there are by default.
        on_progress: told how many are still under way.
        seconds: how long to wait, as in `Workbench.wait`.
        every: seconds between two looks, as in `Workbench.wait`: thousands of rows should not be read ten times a
            second.

    Raises:
        ProofFailedError: they did not end in time.
    """

    def settled() -> Books | None:
        books = read_books(bench.target)
        under_way = sum(not is_settled(books, pedido_id) for pedido_id in (books.orders if ids is None else ids))
        on_progress(under_way)
        return None if under_way else books

    return bench.wait(
        "o fim de todos os pedidos", settled, lambda: "pedidos em andamento", seconds=seconds, every=every
    )


def is_settled(books: Books, pedido_id: str) -> bool:
    """Whether the order is final, its reservation settled and its execution over."""
    row = books.orders.get(pedido_id)
    final = row is not None and row["status"] in FINAIS and "pendenteDesde" not in row
    return final and pedido_id not in books.live
