"""One invocation of a function, and what may befall each of its calls to the outside.

Serially, a process runs from its start to its end. Interleaved, it is a greenlet that stops before each call, so that
a test says who goes on: turns are given, never raced for.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import greenlet
from botocore.exceptions import ClientError, ReadTimeoutError
from urllib3 import HTTPConnectionPool
from urllib3.exceptions import ReadTimeoutError as HttpReadTimeoutError

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.inprocess.world import World

__all__ = ["GATEWAY", "Call", "GatewayBusyError", "KilledError", "Moment", "Outcome", "Process", "silence"]

GATEWAY = "gateway"
"""First word of the name of every call to the payment gateway."""

TICK_SECONDS = 0.005
"""What a call takes, so that no two of them happen at the same instant."""


class Moment(StrEnum):
    """What befalls a call."""

    DIES_BEFORE = "morre antes"
    DIES_AFTER = "morre depois"
    REQUEST_LOST = "o pedido se perde"
    ANSWER_LOST = "a resposta se perde"
    REPEATED = "o SDK repete depois de perder a resposta"
    LATE = "o pedido chega mais tarde"
    REPEATED_LATE = "o SDK repete, e o primeiro pedido chega mais tarde"
    THROTTLED = "recusado por excesso"


DEATHS = (Moment.DIES_BEFORE, Moment.DIES_AFTER)


class KilledError(BaseException):
    """The process is gone: nothing of its own code may catch this, and nothing of it goes out any more."""


class GatewayBusyError(Exception):
    """The gateway answers 429."""


@dataclass(frozen=True)
class Call:
    """A call to the outside.

    Attributes:
        function: who makes it.
        invocation: which of the function's invocations, from 0.
        index: which of the invocation's calls, from 0.
        name: what is called.
    """

    function: str
    invocation: int
    index: int
    name: str


@dataclass(frozen=True)
class Outcome:
    """How a process ended: with a value, with an error, or without either (``death``: why)."""

    value: Any = None
    error: Exception | None = None
    death: str = ""


class Process:
    """One invocation of ``function``, about the order ``about``; ``on_end`` is told how it ended, once.

    Attributes:
        deadline: when the platform ends it, epoch seconds.
        calls: how many calls it has made.
        waits_for: name of the call it is stopped before; "" when it is not.
        wakes_at: it hears nothing before this moment.
        abandoned: nobody waits for its answer any more.
    """

    def __init__(
        self,
        world: World,
        function: str,
        about: str,
        body: Callable[[Process], Any],
        *,
        seconds: float,
        on_end: Callable[[Outcome], object],
    ) -> None:
        self.world = world
        self.function = function
        self.about = about
        self.invocation = world.count_invocation(function)
        self.started = world.now
        self.deadline = world.now + seconds
        self.calls = 0
        self.waits_for = ""
        self.wakes_at = 0.0
        self.abandoned = False
        self.ended = False
        self._body = body
        self._on_end = on_end
        self._dead = ""
        self._next: Moment | None = None
        self._greenlet: greenlet.greenlet | None = None

    def __repr__(self) -> str:
        return f"{self.function}[{self.invocation}] {self.about}"

    def start(self) -> None:
        """To the end, or to just before the first call when turns are given one by one."""
        if not self.world.interleaved:
            self._run()
            return
        self._greenlet = greenlet.greenlet(self._run)
        self._switch()

    def step(self, moment: Moment | None = None) -> None:
        """One turn: the call it waits for is made, ``moment`` befalls it, and it goes on to the next one."""
        self._next = moment
        self._switch()

    def kill(self, why: str) -> None:
        """End it where it stands."""
        self._dead = why
        self._switch()

    def sleep(self, seconds: float) -> None:
        """The process waits and does nothing."""
        self.wakes_at = self.world.now + seconds
        if self._greenlet is None:
            self.world.now = self.wakes_at
            return
        self._pause("espera")

    def call(self, name: str, effect: Callable[[], Any]) -> Any:
        """Make a call to the outside, or suffer what was planned for it."""
        if self._dead:
            raise KilledError
        # Now: before the turn comes, somebody else may have called through another client.
        repeats = self.world.sdk_repeats and not name.startswith(GATEWAY)
        # What calls through no client of ours, a machine's integration, does repeat.
        self.world.sdk_repeats = True
        self._pause(name)
        call = Call(self.function, self.invocation, self.calls, name)
        self.calls += 1
        moment, self._next = self._next or self.world.fault_of(call), None
        self.world.now += TICK_SECONDS
        self.world.told_call(self, call, moment)
        if moment is None:
            return effect()
        return self._befall(moment, name, effect, repeats=repeats)

    def _befall(self, moment: Moment, name: str, effect: Callable[[], Any], *, repeats: bool) -> Any:
        if moment is Moment.THROTTLED:
            raise _throttled(name)
        if moment in (Moment.LATE, Moment.REPEATED_LATE):
            self.world.linger(self, name, effect)
        elif moment not in (Moment.DIES_BEFORE, Moment.REQUEST_LOST):
            # Good or bad, nobody hears the answer.
            with suppress(Exception):
                effect()
        if moment in DEATHS:
            self._dead = moment
            raise KilledError
        # The gateway's client never repeats by itself; the SDK does, where it is let.
        if repeats and moment in (Moment.REPEATED, Moment.REPEATED_LATE):
            return effect()
        raise silence(name)

    def _pause(self, name: str) -> None:
        if self._greenlet is None:
            return
        self.waits_for = name
        hub = self._greenlet.parent
        assert hub is not None
        hub.switch()
        self.waits_for = ""
        if self._dead:
            raise KilledError

    def _switch(self) -> None:
        assert self._greenlet is not None
        before, self.world.running = self.world.running, self
        self._greenlet.parent = greenlet.getcurrent()
        try:
            self._greenlet.switch()
        finally:
            self.world.running = before

    def _run(self) -> None:
        before, self.world.running = self.world.running, self
        try:
            outcome = Outcome(value=self._body(self))
        except KilledError:
            outcome = Outcome(death=self._dead)
        except Exception as error:
            outcome = Outcome(error=error)
        finally:
            self.world.running = before
        self.ended = True
        self.world.told_end(self, outcome)
        self._on_end(outcome)


def silence(name: str) -> Exception:
    """What a client hears of a call that was never answered."""
    if name.startswith(GATEWAY):
        return HttpReadTimeoutError(HTTPConnectionPool("gateway.example"), "/", "sem resposta")
    return ReadTimeoutError(endpoint_url="https://aws.example")


def _throttled(name: str) -> Exception:
    if name.startswith(GATEWAY):
        return GatewayBusyError()
    return ClientError({"Error": {"Code": "ThrottlingException", "Message": "Rate exceeded"}}, name)
