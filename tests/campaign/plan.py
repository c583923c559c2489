"""What a campaign sends and what it breaks, all of it drawn from one seed: the same for every system it is put through.

The draws are reproducible; when each blow lands among the processes is not, which is the point of a campaign.
"""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["Blow", "CampaignPlan", "Order"]

SKUS: Final = 8
SCARCE: Final = 2
"""SKUs with fewer units than are asked for: somebody must be told no, and nobody more than there are units."""
SCARCE_PERCENT: Final = 60
LARGEST_QUANTITY: Final = 3
PRICES_CENTAVOS: Final = range(1_000, 40_000)


class Blow(StrEnum):
    """What happens beside one order, besides what its own card and ``falhas`` ask for."""

    REPOST = "POST repetido"
    REMESSAGE = "mensagem repetida"
    POISON = "mensagem malformada"
    KILL = "worker morto por SIGKILL"
    STOP = "StopExecution"
    FREEZE = "gateway parado"


SHARES: Final[Mapping[Blow, float]] = {
    Blow.REPOST: 0.10,
    Blow.REMESSAGE: 0.05,
    Blow.POISON: 0.03,
    Blow.KILL: 0.12,
    Blow.STOP: 0.03,
    Blow.FREEZE: 0.005,
}
"""How many of each, as a share of the orders; at least one."""

FROZEN_SECONDS: Final = 4.0
"""How long the gateway stands still each time: several reads give up, and what they asked for is done afterwards."""


@dataclass(frozen=True)
class Fate:
    """What an order brings with it.

    Attributes:
        share: of all orders; the others are paid with ``tok-ok`` and bring nothing.
        cartao: the card token: what the simulated gateway does (design §7).
        falhas: which of its own steps fail, and how (design §8).
    """

    share: float
    cartao: str = "tok-ok"
    falhas: Mapping[str, str] = field(default_factory=dict[str, str])


_UNCONFIRMED: Final = {"ConfirmarPedido": "antes"}

FATES: Final[Sequence[Fate]] = (
    Fate(0.08, "tok-forcar-recusa"),
    Fate(0.05, "tok-indisponivel-2"),
    Fate(0.04, "tok-500-cobrado"),
    Fate(0.03, "tok-estorno-perdido", _UNCONFIRMED),
    Fate(0.03, "tok-estorno-lento-3", _UNCONFIRMED),
    Fate(0.01, "tok-estorno-lento-12", _UNCONFIRMED),
    Fate(0.01, "tok-estorno-pendente", _UNCONFIRMED),
    Fate(0.01, "tok-estorno-indisponivel", _UNCONFIRMED),
    Fate(0.02, falhas={"ReservarEstoque": "depois"}),
    Fate(0.02, falhas={"ReservarEstoque": "morrer:1"}),
    Fate(0.02, falhas={"CobrarPagamento": "morrer:1"}),
    Fate(0.02, falhas={"CobrarPagamento": "depois"}),
    Fate(0.02, falhas=_UNCONFIRMED),
    Fate(0.02, falhas={"ConfirmarPedido": "depois"}),
    Fate(0.01, falhas={"LiberarEstoque": "depois:1", **_UNCONFIRMED}),
    Fate(0.01, falhas={"EstornarPagamento": "morrer:1", **_UNCONFIRMED}),
)
"""Fates that end within seconds. The refund's counts straddle one round of it on the embedded stack."""

SLOW_FATES: Final[Sequence[Fate]] = (
    Fate(0.010, "tok-indisponivel"),
    Fate(0.005, "tok-timeout-sem-cobrar"),
    Fate(0.005, "tok-timeout-cobrado"),
    Fate(0.005, "tok-cobranca-tardia"),
    Fate(0.005, "tok-cobranca-muito-tardia"),
)
"""Fates that last a doubt window, or hold a worker while the gateway says nothing: few, or the stack's two workers a
function would do nothing else."""


@dataclass(frozen=True)
class Order:
    """One order, before a system gives it a name of its own."""

    index: int
    sku: str
    quantidade: int
    valor_centavos: int
    cartao: str
    falhas: Mapping[str, str]


@dataclass(frozen=True)
class CampaignPlan:
    """A campaign.

    Attributes:
        pedidos: how many orders.
        semente: what everything is drawn from.
        por_segundo: orders posted a second.
        clientes: how many post at once.
        em_andamento: orders under way at which posting waits.
        lentos: whether there are fates that last a doubt window.
        golpes: whether anything is struck besides what the orders bring with them.
        reentrega_segundos: the entry queues' visibility timeout. A message refused five times is dead after five of
            them, not after ten minutes; long enough for a delivery whose calls are lost and made again.
    """

    pedidos: int
    semente: int
    por_segundo: float = 4
    clientes: int = 8
    em_andamento: int = 60
    lentos: bool = True
    golpes: bool = True
    reentrega_segundos: int = 6

    @property
    def seconds(self) -> float:
        """How long posting takes when nothing holds it up."""
        return self.pedidos / self.por_segundo

    @cached_property
    def orders(self) -> Sequence[Order]:
        """The orders, in the order they are posted."""
        draw = random.Random(f"{self.semente}-pedidos")  # noqa: S311 - reproducible, not secret
        fates = [fate for fate in self._fates() for _ in range(max(1, round(self.pedidos * fate.share)))]
        fates = (fates + [Fate(0.0)] * self.pedidos)[: self.pedidos]
        draw.shuffle(fates)
        return [
            Order(
                index=index,
                sku=f"sku-{draw.randrange(SKUS)}",
                quantidade=draw.randint(1, LARGEST_QUANTITY),
                valor_centavos=draw.choice(PRICES_CENTAVOS),
                cartao=fate.cartao,
                falhas=dict(fate.falhas),
            )
            for index, fate in enumerate(fates)
        ]

    @cached_property
    def stock(self) -> Mapping[str, int]:
        """Units each SKU begins with: enough for all, but for the scarce ones."""
        wanted: defaultdict[str, int] = defaultdict(int)
        for order in self.orders:
            wanted[order.sku] += order.quantidade
        return {
            sku: wanted[sku] * SCARCE_PERCENT // 100 if place < SCARCE else wanted[sku]
            for place, sku in enumerate(f"sku-{index}" for index in range(SKUS))
        }

    @cached_property
    def blows(self) -> Mapping[int, Sequence[Blow]]:
        """What happens beside each order, by its index."""
        draw = random.Random(f"{self.semente}-golpes")  # noqa: S311 - as above
        found: defaultdict[int, list[Blow]] = defaultdict(list)
        for blow, share in SHARES.items() if self.golpes else ():
            for index in draw.sample(range(self.pedidos), max(1, round(self.pedidos * share))):
                found[index].append(blow)
        return found

    def count(self, blow: Blow) -> int:
        """How many of that blow there are."""
        return sum(blows.count(blow) for blows in self.blows.values())

    def _fates(self) -> Sequence[Fate]:
        return (*FATES, *SLOW_FATES) if self.lentos else FATES
