"""The person on call, at the real commands: what waits is listed, decided and answered by the code they use."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from infra.ops.errors import CaseRefusedError
from infra.ops.intervention import Decision, Pending, check, load
from infra.ops.intervention_act import Answer, answer, discard
from infra.ops.intervention_list import waiting
from tests.inprocess.functions import HUMANA, PERSON

if TYPE_CHECKING:
    from infra.ops.intervention_list import CaseView
    from tests.inprocess.process import Process
    from tests.inprocess.world import World

__all__ = ["Person", "cases", "decide"]


def cases(world: World) -> dict[str, CaseView]:
    """What ``cesta intervencao listar`` shows, by order."""
    return {view["pedidoId"]: view for view in waiting(world.target)}


def decide(world: World, pedido_id: str, decision: Decision, *, name_open: bool = True) -> bool:
    """``cesta intervencao reprocessar|encerrar``; whether it was taken.

    Args:
        name_open: closing, name in ``pendencias`` what is open.
    """
    case = load(world.target, pedido_id)
    pendencias: tuple[Pending, ...] = ()
    if decision is Decision.ENCERRAR and name_open:
        pendencias = tuple(sorted(case.open))
    try:
        check(case, decision, pendencias)
        answer(world.target, case, Answer(decision, "ana", "decidido no teste", "teste", pendencias))
    except CaseRefusedError as error:
        world.tell(f"a pessoa não pode: {error}")
        return False
    world.tell(f"a pessoa decide {decision} de {pedido_id}, em aberto: {', '.join(pendencias) or 'nada'}")
    return True


@dataclass
class Person:
    """Answers each case of an order with the next of ``decisions``, and none when there are no more.

    Attributes:
        world: where.
        decisions: what is decided, in order.
    """

    world: World
    decisions: list[Decision] = field(default_factory=list[Decision])

    def visit(self) -> None:
        """Look at the queue, and decide what may be decided."""
        if not self.decisions or not self._anything():
            return
        for pedido_id, view in cases(self.world).items():
            if view["status"] == "DESCONHECIDO":
                continue
            if not view["espera"]:
                self._tidy(pedido_id)
            elif self.decisions:
                self._command(pedido_id, self.decisions[0])

    def _command(self, pedido_id: str, decision: Decision) -> None:
        def body(_: Process) -> None:
            if decide(self.world, pedido_id, decision):
                self.decisions.pop(0)

        self.world.command(PERSON, pedido_id, body)

    def _tidy(self, pedido_id: str) -> None:
        case = load(self.world.target, pedido_id)
        if not case.waiting and not case.running:
            discard(self.world.target, case)

    def _anything(self) -> bool:
        world = self.world
        waits = any(world.status(pedido_id) == "REQUER_INTERVENCAO_HUMANA" for pedido_id in world.orders)
        return waits or bool(world.sqs.queues[HUMANA].messages)
