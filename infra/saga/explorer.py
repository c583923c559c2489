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
        states=len(walk.worlds),
        counterexamples=counterexamples,
    )


@dataclass
class _Walk:
    """A breadth-first walk: the first way to a state of the world is a shortest one.

    States of the world have numbers, in the order in which they are first reached: a state is long, and is looked at
    whole only when it is reached.
    """

    dynamics: Dynamics
    numbers: dict[World, int] = field(default_factory=dict["World", int])
    worlds: list[World] = field(default_factory=list["World"])
    parents: list[tuple[int, Move] | None] = field(default_factory=list["tuple[int, Move] | None"])
    ahead: list[tuple[tuple[int, Move], ...]] = field(default_factory=list["tuple[tuple[int, Move], ...]"])
    broken: dict[tuple[Fault, str], Counterexample] = field(default_factory=dict["tuple[Fault, str]", Counterexample])
    visited: set[str] = field(default_factory=set[str])

    def run(self, *, first_only: bool) -> None:
        beginnings = list(starts(self.dynamics))
        numbered = [(self._reach(world, None), broken) for world, broken in beginnings]
        for number, broken in numbered:
            for found in broken:
                self._break(found, number, None)
        # The list grows while it is walked.
        for number, world in enumerate(self.worlds):
            self._look_at(number, world)
            if first_only and self.broken:
                return
            ahead: list[tuple[int, Move]] = []
            for move in self.dynamics.moves(world):
                for found in move.found:
                    self._break(found, number, move)
                ahead.append((self._reach(move.world, (number, move)), move))
            self.ahead.append(tuple(ahead))

    def _reach(self, world: World, parent: tuple[int, Move] | None) -> int:
        """The number of ``world``, which is one more to walk on from if it is new."""
        number = self.numbers.setdefault(world, len(self.worlds))
        if number == len(self.worlds):
            self.worlds.append(world)
            self.parents.append(parent)
        return number

    def _look_at(self, number: int, world: World) -> None:
        if world.ended:
            for found in self.dynamics.rules.end(world):
                self._break(found, number, None)
        elif world.state not in self.visited:
            self.visited.add(world.state)
            for found in self._local(world.state):
                self._break(found, number, None)

    def _local(self, name: str) -> tuple[Found, ...]:
        outcomes = self.dynamics.outcomes.get(name)
        if outcomes is None:
            return ()
        return tuple(local_faults(name, outcomes.state, self.dynamics.effects, outcomes.write, self.dynamics.statuses))

    def _break(self, found: Found, number: int, move: Move | None) -> None:
        kind = (found.fault, found.subject)
        if kind not in self.broken:
            path = [*self._path(number), *([move] if move is not None else [])]
            world = move.world if move is not None else self.worlds[number]
            self.broken[kind] = tell(found, path, world, self.dynamics.effects)

    def _path(self, number: int) -> list[Move]:
        path: list[Move] = []
        while (parent := self.parents[number]) is not None:
            number, move = parent
            path.append(move)
        return path[::-1]

    # --- Cycles and paths ---

    def look_for_endless(self) -> None:
        """A cycle that no person's answer is part of goes round by itself."""
        done: set[int] = set()
        for root in range(len(self.worlds)):
            if root not in done:
                self._dive(root, done)

    def _dive(self, root: int, done: set[int]) -> None:
        on_path: dict[int, None] = {root: None}
        stack = [(root, iter(self.ahead[root]))]
        while stack:
            number, ahead = stack[-1]
            target, move = next(ahead, (None, None))
            if target is None or move is None:
                stack.pop()
                done.add(number)
                del on_path[number]
            elif move.person or target in done:
                continue
            elif target in on_path:
                self._endless(number, move)
            else:
                on_path[target] = None
                stack.append((target, iter(self.ahead[target])))

    def _endless(self, number: int, move: Move) -> None:
        message = f"a máquina volta a {move.world.state} sem esperar por ninguém, e pode fazê-lo para sempre"
        self._break(Found(Fault.ENDLESS, move.world.state, message), number, move)

    def paths(self) -> int:
        """Different ways through, cut where a person answers; needs a walk without endless cycles."""
        roots = [number for number, parent in enumerate(self.parents) if parent is None]
        roots += dict.fromkeys(target for ahead in self.ahead for target, move in ahead if move.person)
        ways: dict[int, int] = {}
        for root in roots:
            self._count(root, ways)
        return sum(ways[root] for root in roots)

    def _count(self, root: int, ways: dict[int, int]) -> None:
        stack = [root]
        while stack:
            number = stack[-1]
            if number in ways:
                stack.pop()
                continue
            ahead = [target for target, move in self.ahead[number] if not move.person]
            missing = [target for target in ahead if target not in ways]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            stops = self.worlds[number].ended or len(ahead) < len(self.ahead[number])
            ways[number] = int(stops) + sum(ways[target] for target in ahead)
