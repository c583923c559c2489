"""What a campaign needs of a system under test, whatever its design."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.campaign.plan import CampaignPlan, Order
    from tests.campaign.verdict import Evidence

__all__ = ["ACCEPTED", "NOBODYS_ORDER", "Look", "System"]

ACCEPTED: Final = 202

NOBODYS_ORDER: Final[dict[str, Any]] = {
    "pedidoId": "pedido-de-ninguem",
    "sku": "sku-de-ninguem",
    "quantidade": 1,
    "valorCentavos": 1_000,
}
"""What malformed messages are made of. None lies about an order of the campaign: a lie is an attack, not a fault, and
`tests/e2e/orders/test_load.py` sends those to the product."""


@dataclass(frozen=True)
class Look:
    """One moment of a system.

    Attributes:
        evidence: what the judge needs.
        under_way: ids of accepted orders the system itself is still at.
    """

    evidence: Evidence
    under_way: frozenset[str]


class System(Protocol):
    """One deployed design. Its methods are called from several threads."""

    @property
    def key(self) -> str:
        """Its name in reports and in its orders' ids."""
        ...

    @property
    def title(self) -> str:
        """What it is, in a few words."""
        ...

    @property
    def functions(self) -> frozenset[str]:
        """Its Lambda functions: whose workers are killed."""
        ...

    def deploy(self, plan: CampaignPlan) -> None:
        """Make it ready, with the plan's stock."""
        ...

    def post(self, order: Order) -> int:
        """One POST of the order; the HTTP status, 0 when there was no answer."""
        ...

    def send_again(self, order: Order) -> None:
        """Put the order's message on the entry queue once more."""
        ...

    def poison(self, index: int) -> None:
        """Put a message on the entry queue that is no order."""
        ...

    def running(self) -> Sequence[str]:
        """ARNs of the executions that run now; empty for a design that has none."""
        ...

    def stop(self, arn: str) -> None:
        """StopExecution."""
        ...

    def chores(self) -> Sequence[Callable[[], None]]:
        """What is done around it every few seconds, each in a thread of its own: reconciler, operator."""
        ...

    def look(self) -> Look:
        """How things stand."""
        ...

    def seconds(self) -> Sequence[float]:
        """From acceptance to the end, of orders no person had to do with; empty where the system records neither."""
        ...

    def complaints(self) -> Sequence[str]:
        """What is wrong by the design's own promises, beyond the judge's; asked once everything has settled."""
        ...
