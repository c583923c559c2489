"""One run of a sample saga's machine, at random, by rules of its own: a second opinion on the explorer.

It shares no code with what it judges: it walks the definition as Step Functions would, counts real retries, keeps what
the functions did in plain sets, and knows only the gravest wrongs. It proves nothing; it may find something.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from random import Random

    from infra.saga import Saga

__all__ = ["Run"]

_ERRORS = ("BusyError", "States.Timeout", "Lambda.Unknown", "Boom")
_NOWHERE = ""
"""The execution failed: nothing caught an error."""

_FINAL = {"REFUSED", "UNDONE", "CLOSED"}


class _KilledError(Exception):
    """The execution was killed: whoever watches it calls a person."""


@dataclass
class Run:
    """One execution.

    Attributes:
        definition: the state machine.
        saga: the sample it was compiled from, for what its functions do.
        chance: where outcomes come from.
        wrongs: what went wrong, in the order in which it did.
    """

    definition: dict[str, Any]
    saga: Saga
    chance: Random
    wrongs: list[str] = field(default_factory=list[str])
    held: set[str] = field(default_factory=set[str])
    late: set[str] = field(default_factory=set[str])
    done: set[str] = field(default_factory=set[str])
    status: str = "OPEN"
    decided: bool = False
    undoing: bool = False
    closed: bool = False
    answer: dict[str, str] | None = None

    def go(self) -> list[str]:
        """Run to the end and say what went wrong."""
        self.undoes = {step.compensation.name: step.name for step in self.saga.steps if step.compensation is not None}
        self.guard = next((c.name for c in self.saga.compensations() if c.pivot_won is not None), "")
        self.kinds = {step.name: step.kind.value for step in self.saga.steps}
        with suppress(_KilledError):
            self._walk()
        return self.wrongs

    def _walk(self) -> None:
        states: dict[str, Any] = self.definition["States"]
        name: str | None = self.definition["StartAt"]
        unasked = 0
        while name is not None:
            if self.late and self.chance.random() < 0.3:
                self._land()
            state = states[name]
            unasked = 0 if "waitForTaskToken" in state.get("Resource", "") else unasked + 1
            if unasked > 200:
                self.wrongs.append("goes round for ever")
                return
            if state["Type"] == "Fail":
                return
            if self.chance.random() < 0.02:
                raise _KilledError
            if state["Type"] == "Task":
                name = self._task(name, state)
                if name == _NOWHERE:
                    return
            elif state["Type"] == "Choice":
                name = self._choose(state)
            else:
                self.closed = True
                name = None
        self._judge_end()
        while self.late:
            self._land()
            self._judge_end()

    # --- What functions do ---

    def _land(self) -> None:
        name = self.chance.choice(sorted(self.late))
        self.late.discard(name)
        self._effect(name)

    def _effect(self, name: str) -> None:
        if self.kinds.get(name) == "pivot":
            if not self.undoing:
                self.decided = True
        elif name in self.undoes:
            self._undo(self.undoes[name])
        else:
            self.held.add(name)

    def _undo(self, step: str) -> None:
        if self.decided and step in self.held:
            self.wrongs.append(f"undoes {step} of a trip that was issued")
        self.held.discard(step)
        self.late.discard(step)

    def _attempt(self, name: str) -> str | None:
        """The error of one attempt, or None."""
        kind = self.kinds.get(name)
        if name == self.guard:
            if self.decided:
                return "TripIssuedError"
            self.undoing = True
        if kind == "pivot" and self.undoing:
            return "Boom"
        what = self.chance.choice(("done", "done", "done", "before", "after", "late", "refused"))
        if what == "refused" and kind == "compensable" and name not in self.held:
            self.late.discard(name)
            return "SeatTakenError"
        if what == "late" and name not in self.undoes:
            self.late.add(name)
        if what in ("done", "after", "refused"):
            self.late.discard(name)
            self._effect(name)
        return None if what in ("done", "refused") else self._some_error()

    def _some_error(self) -> str:
        return self.chance.choice(_ERRORS)

    # --- What Step Functions does ---

    def _task(self, name: str, state: dict[str, Any]) -> str | None:
        error = self._with_retries(name, state)
        if error is None:
            return state.get("Next")
        for catch in state.get("Catch", ()):
            if _takes(catch["ErrorEquals"], error):
                return catch["Next"]
        self.wrongs.append(f"{error} of {name} is caught by nothing")
        return _NOWHERE

    def _with_retries(self, name: str, state: dict[str, Any]) -> str | None:
        used: dict[int, int] = {}
        while True:
            error = self._once(name, state)
            if error is None:
                return None
            retrier = next((r for r in state.get("Retry", ()) if _takes(r["ErrorEquals"], error)), None)
            if retrier is None or used.get(id(retrier), 0) >= retrier.get("MaxAttempts", 3):
                return error
            used[id(retrier)] = used.get(id(retrier), 0) + 1
            # The attempt before is over: what it had on the way arrived or never will.
            if name in self.late:
                self.late.discard(name)
                if self.chance.random() < 0.5:
                    self._effect(name)

    def _once(self, name: str, state: dict[str, Any]) -> str | None:
        resource: str = state["Resource"]
        if "dynamodb" in resource:
            return self._write(name, state["Parameters"])
        if "waitForTaskToken" in resource:
            return self._ask()
        return self._attempt(name)

    def _write(self, name: str, parameters: dict[str, Any]) -> str | None:
        values = parameters["ExpressionAttributeValues"]
        allowed = {value["S"] for key, value in values.items() if key.startswith(":allowed")}
        if self.status not in allowed:
            return "DynamoDB.ConditionalCheckFailedException"
        what = self.chance.choice(("done", "done", "done", "before", "after"))
        if what != "before":
            written = values[":status"]["S"]
            if self.status in _FINAL and written != self.status:
                self.wrongs.append(f"{name} writes {written} over {self.status}")
            self.status = written
            self.closed = self.closed or written == "CLOSED"
        return None if what == "done" else self._some_error()

    def _ask(self) -> str | None:
        what = self.chance.choice(("AGAIN", "AGAIN", "AGAIN", "CLOSE", "garbage", "nobody", "unsent"))
        if what == "nobody":
            return "States.Timeout"
        if what == "unsent":
            return "Boom"
        self.answer = {"what": what, "who": "ana", "why": "x"} if what != "garbage" else {"what": "AGAIN"}
        return None

    def _choose(self, state: dict[str, Any]) -> str:
        for rule in state["Choices"]:
            if all(self._holds(test) for test in rule["And"]):
                return rule["Next"]
        return state["Default"]

    def _holds(self, test: dict[str, Any]) -> bool:
        if "Not" in test:
            return not self._holds(test["Not"])
        value = (self.answer or {}).get(test["Variable"].rsplit(".", 1)[1])
        if "IsPresent" in test:
            return value is not None
        return isinstance(value, str) and test.get("StringEquals", value) == value

    # --- The end ---

    def _judge_end(self) -> None:
        booked = {name for name, kind in self.kinds.items() if kind == "compensable"}
        after = {name for name, kind in self.kinds.items() if kind == "retriable"}
        if self.closed:
            return
        if self.decided:
            missing = (booked | after) - self.held
            self.wrongs += [f"ends well without {name}" for name in sorted(missing)]
        elif self.status in ("REFUSED", "UNDONE"):
            self.wrongs += [f"ends {self.status} with {name}" for name in sorted(self.held & booked)]
        elif "pivot" in self.kinds.values() or not booked <= self.held:
            self.wrongs.append(f"ends with nothing recorded ({self.status}, {sorted(self.held)})")


def _takes(names: list[str], error: str) -> bool:
    if error in names or "States.ALL" in names:
        return True
    return "States.TaskFailed" in names and error != "States.Timeout"
