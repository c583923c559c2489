"""What an exercise is: something broken, an order that shows it, what the reader is told, and the answer."""

from __future__ import annotations

import uuid
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from handlers.domain.status import Etapa
from infra.local.proofs.workbench import INITIAL_STOCK
from infra.ops.executions import is_asking

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from contextlib import AbstractContextManager

    from infra.local.proofs.workbench import Workbench
    from infra.ops.target import Target

__all__ = [
    "Clue",
    "Exercise",
    "Order",
    "Prevention",
    "Scene",
    "asked_a_person",
    "came_to_an_end",
    "came_to_the_settlement",
    "died",
    "stage",
]

_VALUE: Final = 14_000
"""Centavos of an exercise's order: the average ticket of source 000, R$ 140."""


@dataclass(frozen=True)
class Scene:
    """What the reader finds.

    Attributes:
        pedido: the order that shows the fault.
        sku: what it bought; `INITIAL_STOCK` units were there.
        gateway: the payment gateway's URL.
    """

    pedido: str
    sku: str
    gateway: str

    def fill(self, text: str) -> str:
        """``text`` with its ``{pedido}``, ``{sku}`` and ``{gateway}`` filled in."""
        return text.format(pedido=self.pedido, sku=self.sku, gateway=self.gateway)


@dataclass(frozen=True, eq=False)
class Order:
    """The order that shows the fault.

    Attributes:
        until: waits for the fault to show.
        cartao: its card token.
        falhas: the faults it brings along.
    """

    until: Callable[[Workbench, str], object]
    cartao: str = "tok-ok"
    falhas: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class Clue:
    """A command that shows the fault.

    Attributes:
        comando: as typed, with the scene's ``{pedido}``, ``{sku}``, ``{gateway}``.
        mostra: texts of its output that give the fault away.
        leia: how to read them.
    """

    comando: str
    mostra: tuple[str, ...]
    leia: str


@dataclass(frozen=True)
class Prevention:
    """Why this does not happen in Cesta.

    Attributes:
        texto: for the reader.
        onde: what keeps it so: a code of ``cesta saga verificar``, or a test (``file::name``).
    """

    texto: str
    onde: tuple[str, ...]


@dataclass(frozen=True)
class Exercise:
    """One exercise. Texts are in Portuguese, for operators, and may use the scene's placeholders.

    Attributes:
        numero: what it is called by.
        titulo: the symptom in a line.
        origem: where in source 000 it comes from.
        relato: what the reader is told.
        quebra: breaks the stack while its block lasts.
        pedido: the order that shows it.
        pistas: the commands to look with; the answer tells how to read them.
        causa: what was broken.
        conserto: what mends it.
        prevencao: why this does not happen in Cesta.
    """

    numero: int
    titulo: str
    origem: str
    relato: str
    quebra: Callable[[Target], AbstractContextManager[None]]
    pedido: Order
    pistas: tuple[Clue, ...]
    causa: str
    conserto: str
    prevencao: tuple[Prevention, ...]


def stage(exercise: Exercise, bench: Workbench) -> Scene:
    """Put the exercise's order through a stack that is broken already, and wait until the fault shows.

    Raises:
        ProofFailedError: the order was not accepted, or the fault did not show in time.
    """
    order = exercise.pedido
    name = f"exercicio-{exercise.numero}-{uuid.uuid4().hex[:4]}"
    sku = bench.stock_sku(name, INITIAL_STOCK)
    posted = {
        "pedidoId": name,
        "sku": sku,
        "quantidade": 1,
        "valorCentavos": _VALUE,
        "cartaoToken": order.cartao,
        **({"falhas": dict(order.falhas)} if order.falhas else {}),
    }
    pedido_id = bench.post(posted)
    order.until(bench, pedido_id)
    return Scene(pedido_id, sku, bench.target.gateway)


def died(bench: Workbench, pedido_id: str) -> None:
    """Wait until the execution is over and the safety net has called a person."""
    bench.end(pedido_id)
    bench.human_case(pedido_id)


def came_to_an_end(bench: Workbench, pedido_id: str) -> None:
    """Wait until the execution is over."""
    bench.end(pedido_id)


def asked_a_person(bench: Workbench, pedido_id: str) -> None:
    """Wait until the execution waits for a person."""

    def asking() -> bool | None:
        execution = bench.execution(pedido_id)
        return (execution is not None and is_asking(execution)) or None

    bench.wait(f"{pedido_id} à espera de uma pessoa", asking, lambda: "ainda em andamento")


def came_to_the_settlement(bench: Workbench, pedido_id: str) -> None:
    """Wait until the order is confirmed and its reservation is being settled."""

    def settling() -> bool | None:
        execution = bench.execution(pedido_id)
        return (execution is not None and Etapa.EFETIVAR_RESERVA in execution.states()) or None

    bench.wait(f"{pedido_id} em {Etapa.EFETIVAR_RESERVA}", settling, lambda: "ainda antes disso")
