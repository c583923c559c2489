"""A counterexample, told to people: what happened, step by step, what the world looks like, which edge is wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from infra.saga.effects import CompensationEffect, StepEffect
from infra.saga.world import Fault, Found

if TYPE_CHECKING:
    from collections.abc import Sequence

    from infra.saga.dynamics import Move
    from infra.saga.effects import Effects
    from infra.saga.world import World

__all__ = ["Counterexample", "tell"]


_OF_THE_STATE_ITSELF: Final = (Fault.TWICE, Fault.OVERTURNED, Fault.GUARD, Fault.WIRING, Fault.DATA, Fault.RETRY)
"""What no other arrow would mend."""
_CATCH: Final = ", Catch ["


@dataclass(frozen=True)
class Counterexample:
    """A way by which a saga loses something.

    Attributes:
        found: the rule that is broken.
        steps: what happened, in order.
        world: what the world looks like then.
        edge: the edge of the definition that is wrong, as ``Estado, Catch [nomes] → destino``; empty if none is.
        route: the states passed, for drawing it.
    """

    found: Found
    steps: tuple[str, ...]
    world: tuple[str, ...]
    edge: str
    route: tuple[str, ...]

    def story(self) -> str:
        """The whole of it as text."""
        lines = [f"Contraexemplo ({self.found.fault.value}): {self.found.message}.", "O que acontece:"]
        lines += [f"  {number}. {step}" for number, step in enumerate(self.steps, start=1)]
        lines += ["Como fica o mundo:", *(f"  - {line}" for line in self.world)]
        if self.edge:
            lines.append(f"A aresta errada: {self.edge}.")
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        """The counterexample as in the JSON of ``cesta saga verificar``."""
        return {
            "tipo": self.found.fault.value,
            "sobre": self.found.subject,
            "mensagem": self.found.message,
            "passos": list(self.steps),
            "mundo": list(self.world),
            "aresta": self.edge,
            "caminho": list(self.route),
        }


def tell(found: Found, path: Sequence[Move], world: World, effects: Effects) -> Counterexample:
    """The story of ``path``, at whose end ``found`` shows in ``world``."""
    steps = [f"{move.label}  [{move.edge}]" if move.edge else move.label for move in path]
    route = [move.world.state for move in path if not move.world.ended]
    start = [path[0].edge.split(",")[0].split(" → ")[0]] if path and path[0].edge else []
    return Counterexample(
        found,
        tuple(steps) or ("a definição, por si",),
        tuple(_picture(world, effects)),
        _wrong_edge(found, path, effects),
        (*start, *route),
    )


def _picture(world: World, effects: Effects) -> list[str]:
    lines: list[str] = []
    for index, effect in enumerate((*effects.steps(), *effects.forwards())):
        times = ("não", "sim", "mais de uma vez")[world.counts[index]]
        coming = " (e uma tentativa ainda pode chegar)" if world.late[index] else ""
        lines.append(f"{effect}: {times}{coming}")
    lines.append(f"status registrado: {world.status or 'nenhum'}")
    if world.told:
        lines.append("uma pessoa foi avisada")
    return lines


def _wrong_edge(found: Found, path: Sequence[Move], effects: Effects) -> str:
    """The edge by which the machine left the effect behind, or else the last one taken.

    A step that was done goes on as it should: the failure that came next, and did not lead back, left it behind.
    """
    if found.fault in _OF_THE_STATE_ITSELF:
        return ""
    taken = [move.edge for move in path if move.edge]
    if found.fault is Fault.LEFT_BEHIND:
        sources = {name for name, effect in effects.states.items() if _of(effect, found.subject)}
        ways_out = [at for at, edge in enumerate(taken) if edge.split(",")[0].split(" → ")[0] in sources]
        if ways_out:
            since = taken[ways_out[-1] :]
            return next((edge for edge in since if _CATCH in edge), since[0])
    return taken[-1] if taken else ""


def _of(effect: object, subject: str) -> bool:
    return isinstance(effect, StepEffect | CompensationEffect) and effect.effect == subject
