"""The proof: every outcome of every task, in every order the definition allows, to a fixed point.

Exhaustive and deterministic: the same definition and effects give the same verdict, the same numbers and the same
counterexample, the shortest there is of its kind. What is assumed is in docs/checks.md ("What the proof assumes").
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from infra.saga.dynamics import Dynamics, Move
from infra.saga.errors import UnprovedSagaError
from infra.saga.local_rules import local_faults
from infra.saga.starts import starts
from infra.saga.story import Counterexample, tell
from infra.saga.world import Fault, Found

if TYPE_CHECKING:
    from infra.saga.asl import Definition
    from infra.saga.effects import Effects
    from infra.saga.world import World

__all__ = ["Exploration", "UnprovedSagaError", "explore", "prove"]


@dataclass(frozen=True)
class Exploration:
    """What was found.

    Attributes:
        proved: True if no rule is broken on any path.
        paths: different ways through the machine, each from a start or a person's answer to an end or to a person;
            0 when not proved.
        states: states of the world that were reached.
        counterexamples: the shortest of each kind, the worst kind first.
    """

    proved: bool
    paths: int
    states: int
    counterexamples: tuple[Counterexample, ...] = ()

    @property
    def counterexample(self) -> Counterexample | None:
        """The worst, if any."""
        return self.counterexamples[0] if self.counterexamples else None


def prove(definition: Definition, effects: Effects) -> Exploration:
    """`explore`, for whoever wants no saga that is not proved.

    Raises:
        UnprovedSagaError: a path breaks a rule; the message tells the worst.
    """
    exploration = explore(definition, effects)
    if exploration.counterexample is not None:
        raise UnprovedSagaError(definition.get("Comment", definition["StartAt"]), exploration.counterexample)
    return exploration


def explore(definition: Definition, effects: Effects, *, first_only: bool = False) -> Exploration:
    """Walks everything that may happen.

    Args:
        definition: the state machine, as `infra.saga.asl.parse` gives it.
        effects: what its states do.
        first_only: stop at the nearest counterexample, whatever its kind.
    """
    walk = _Walk(Dynamics(definition, effects))
    walk.run(first_only=first_only)
    if not (first_only and walk.broken):
        walk.look_for_endless()
    counterexamples = tuple(sorted(walk.broken.values(), key=lambda each: (each.found.severity(), len(each.steps))))
    return Exploration(
        proved=not counterexamples,
        paths=0 if counterexamples else walk.paths(),
        states=len(walk.parents),
        counterexamples=counterexamples,
    )


@dataclass
class _Walk:
    """A breadth-first walk: the first way to a state of the world is a shortest one."""

    dynamics: Dynamics
    parents: dict[World, tuple[World, Move] | None] = field(default_factory=dict["World", "tuple[World, Move] | None"])
    moves: dict[World, tuple[Move, ...]] = field(default_factory=dict["World", "tuple[Move, ...]"])
    broken: dict[tuple[Fault, str], Counterexample] = field(default_factory=dict["tuple[Fault, str]", Counterexample])
    visited: set[str] = field(default_factory=set[str])

    def run(self, *, first_only: bool) -> None:
        beginnings = list(starts(self.dynamics))
        waiting = [world for world, _ in beginnings]
        self.parents = dict.fromkeys(waiting)
        for world, broken in beginnings:
            for found in broken:
                self._break(found, world, None)
        for world in waiting:
            self._look_at(world)
            if first_only and self.broken:
                return
            self.moves[world] = moves = tuple(self.dynamics.moves(world))
            for move in moves:
                for found in move.found:
                    self._break(found, world, move)
                if move.world not in self.parents:
                    self.parents[move.world] = (world, move)
                    waiting.append(move.world)

    def _look_at(self, world: World) -> None:
        if world.ended:
            for found in self.dynamics.rules.end(world):
                self._break(found, world, None)
        elif world.state not in self.visited:
            self.visited.add(world.state)
            for found in self._local(world.state):
                self._break(found, world, None)

    def _local(self, name: str) -> tuple[Found, ...]:
        outcomes = self.dynamics.outcomes.get(name)
        if outcomes is None:
            return ()
        return tuple(local_faults(name, outcomes.state, self.dynamics.effects, outcomes.write, self.dynamics.statuses))

    def _break(self, found: Found, world: World, move: Move | None) -> None:
        kind = (found.fault, found.subject)
        if kind not in self.broken:
            path = [*self._path(world), *([move] if move is not None else [])]
            self.broken[kind] = tell(found, path, move.world if move is not None else world, self.dynamics.effects)

    def _path(self, world: World) -> list[Move]:
        path: list[Move] = []
        while (parent := self.parents[world]) is not None:
            world, move = parent
            path.append(move)
        return path[::-1]

    # --- Cycles and paths ---

    def look_for_endless(self) -> None:
        """A cycle that no person's answer is part of goes round by itself."""
        done: set[World] = set()
        for root in self.parents:
            if root in done:
                continue
            self._dive(root, done)

    def _dive(self, root: World, done: set[World]) -> None:
        on_path: dict[World, None] = {root: None}
        stack = [(root, iter(self.moves.get(root, ())))]
        while stack:
            world, ahead = stack[-1]
            move = next(ahead, None)
            if move is None:
                stack.pop()
                done.add(world)
                del on_path[world]
            elif move.person or move.world in done:
                continue
            elif move.world in on_path:
                self._endless(world, move)
            else:
                on_path[move.world] = None
                stack.append((move.world, iter(self.moves.get(move.world, ()))))

    def _endless(self, world: World, move: Move) -> None:
        message = f"a máquina volta a {move.world.state} sem esperar por ninguém, e pode fazê-lo para sempre"
        self._break(Found(Fault.ENDLESS, move.world.state, message), world, move)

    def paths(self) -> int:
        """Different ways through, cut where a person answers; needs a walk without endless cycles."""
        roots = [world for world, parent in self.parents.items() if parent is None]
        roots += dict.fromkeys(move.world for moves in self.moves.values() for move in moves if move.person)
        ways: dict[World, int] = {}
        for root in roots:
            self._count(root, ways)
        return sum(ways[root] for root in roots)

    def _count(self, root: World, ways: dict[World, int]) -> None:
        stack = [root]
        while stack:
            world = stack[-1]
            ahead = [move for move in self.moves.get(world, ()) if not move.person]
            missing = [move.world for move in ahead if move.world not in ways]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            stops = world.ended or len(ahead) < len(self.moves.get(world, ()))
            ways[world] = int(stops) + sum(ways[move.world] for move in ahead)
