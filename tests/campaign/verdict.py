"""Which orders a system left broken. Pure, and the same for every system: it knows no design, only the promise.

An order is broken when money or stock is where it should not be, or when it is nowhere near an end, and no person was
told. What a person was told of is not broken: somebody can act on it; nor is what whoever closed an order said stays
open.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from handlers.domain.status import FINAIS, Status
from infra.ops.intervention import Pending

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from infra.ops.facts import Statement, StockRow
    from tests.campaign.plan import Order

__all__ = ["Evidence", "Harm", "Verdict", "judge"]


class Harm(StrEnum):
    """What can be wrong with an order."""

    PERDIDO = "perdido ou parado, sem ninguém saber"
    ESTOQUE = "estoque preso sem pedido confirmado"
    DINHEIRO = "dinheiro tomado sem pedido confirmado"
    SEM_DINHEIRO = "confirmado, e o dinheiro não está"
    COBRANCA_DUPLA = "cobrado duas vezes"


@dataclass(frozen=True)
class Evidence:
    """What is left of a campaign.

    Attributes:
        posted: orders by the id they were posted under.
        accepted: ids the front door answered 202 to, at least once.
        status: last recorded status by id; an order without a record is absent.
        stock: rows by SKU.
        initial: units each SKU began with.
        statement: what the simulated gateway did.
        held: ids a person was told of.
        left_open: what whoever closed an order said stays open (design §4, ``pendencias``), by id.
    """

    posted: Mapping[str, Order]
    accepted: frozenset[str]
    status: Mapping[str, str]
    stock: Mapping[str, StockRow]
    initial: Mapping[str, int]
    statement: Statement
    held: frozenset[str]
    left_open: Mapping[str, frozenset[Pending]] = field(default_factory=dict[str, "frozenset[Pending]"])


@dataclass(frozen=True)
class Verdict:
    """What is broken.

    Attributes:
        harms: broken orders by what is wrong with them; an order may be in several.
        oversold: units confirmed to customers that never left the shelf.
        vanished: units that left the shelf for nobody.
    """

    harms: Mapping[Harm, frozenset[str]]
    oversold: int
    vanished: int

    @property
    def broken(self) -> frozenset[str]:
        """Every broken order, once."""
        return frozenset[str]().union(*self.harms.values())

    @property
    def clean(self) -> bool:
        """Whether nothing is wrong."""
        return not self.broken and not self.oversold and not self.vanished


def judge(evidence: Evidence) -> Verdict:
    """Every order broken, and how."""
    harms: defaultdict[Harm, set[str]] = defaultdict(set)
    taken, returned = _money(evidence)
    reserved = _reserved(evidence)
    for pedido_id in evidence.posted:
        for harm in _harms(evidence, pedido_id, taken[pedido_id], returned[pedido_id], reserved[pedido_id]):
            harms[harm].add(pedido_id)
    missing = [_missing(evidence, sku, reserved) for sku in evidence.initial]
    return Verdict(
        harms={harm: frozenset(harms[harm]) for harm in Harm},
        oversold=-sum(units for units in missing if units < 0),
        vanished=sum(units for units in missing if units > 0),
    )


def _money(evidence: Evidence) -> tuple[defaultdict[str, list[int]], defaultdict[str, list[int]]]:
    taken: defaultdict[str, list[int]] = defaultdict(list)
    returned: defaultdict[str, list[int]] = defaultdict(list)
    for charge in evidence.statement["cobrancas"]:
        if charge["estado"] == "aprovada":
            taken[charge["pedidoId"]].append(charge["valorCentavos"])
    for refund in evidence.statement["estornos"]:
        if refund["estado"] == "concluido":
            returned[refund["pedidoId"]].append(refund["valorCentavos"])
    return taken, returned


def _reserved(evidence: Evidence) -> Counter[str]:
    """Units held, by order; tombstones hold none."""
    units = Counter[str]()
    for row in evidence.stock.values():
        units.update({pedido_id: held for pedido_id, held in row.reservas.items() if held > 0})
    return units


def _harms(evidence: Evidence, pedido_id: str, taken: list[int], returned: list[int], reserved: int) -> Iterator[Harm]:
    status = evidence.status.get(pedido_id)
    net = sum(taken) - sum(returned)
    if len(taken) > 1:
        yield Harm.COBRANCA_DUPLA
    if status == Status.CONFIRMADO:
        if net != evidence.posted[pedido_id].valor_centavos:
            yield Harm.SEM_DINHEIRO
        return
    if pedido_id in evidence.held:
        return
    if pedido_id in evidence.accepted and status not in FINAIS:
        yield Harm.PERDIDO
    said = evidence.left_open.get(pedido_id, frozenset())
    if net and Pending.COBRANCA not in said:
        yield Harm.DINHEIRO
    if reserved and Pending.ESTOQUE not in said:
        yield Harm.ESTOQUE


def _missing(evidence: Evidence, sku: str, reserved: Counter[str]) -> int:
    """Units that left the shelf beyond those sold or held; negative when more were sold than left it."""
    saldo = evidence.stock[sku].saldo if sku in evidence.stock else 0
    sold = held = 0
    for pedido_id, order in evidence.posted.items():
        if order.sku != sku:
            continue
        if evidence.status.get(pedido_id) == Status.CONFIRMADO:
            sold += order.quantidade
        else:
            held += reserved[pedido_id]
    return evidence.initial[sku] - saldo - sold - held
