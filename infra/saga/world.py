"""The state of the world while a saga runs, and what may be wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final, NamedTuple

__all__ = ["END", "FAILED", "KILLED", "UNCAUGHT", "Fault", "Found", "Known", "Order", "Race", "World", "put"]

END: Final = "#fim"
FAILED: Final = "#falha"
UNCAUGHT: Final = "#erro"
KILLED: Final = "#morta"


class Known:
    """What the machine may conclude about an effect, whatever really happened."""

    NO: Final = 0
    MAYBE: Final = 1
    YES: Final = 2


class Race:
    """Who won between the pivot and the undoing, where each excludes the other."""

    OPEN: Final = 0
    PIVOT: Final = 1
    UNDOING: Final = 2


class Order:
    """What a person last said."""

    NEVER_ASKED: Final = ""
    RETRY: Final = "desfazer"
    CLOSE: Final = "encerrar"
    NOTHING: Final = "nada"
    """Asked, and nothing valid was answered."""
    ITSELF: Final = "*"


class World(NamedTuple):
    """One state of the world. Effects are by position: those that can be undone, then those after the pivot.

    Attributes:
        state: the machine's state, or one of the ends above.
        counts: how many times each effect is in force (0, 1, 2 for "more than once").
        late: whether an attempt at each may still arrive.
        known: what the machine may conclude about each.
        undone: whether each was undone, kept only where undoing twice would matter.
        status: the recorded status.
        race: pivot against undoing.
        late_pivot: whether the pivot may still arrive.
        known_pivot: what the machine may conclude about the pivot.
        late_records: the records whose write may still arrive; one stands for all that write the same over the same.
        keys: the fields present, of those that matter.
        touched: whether anything but refusals came back from the steps.
        failed: whether a step, the pivot or a step after it was refused or failed.
        undoing: whether a compensation was entered.
        resort: whether something failed that only a person can settle.
        closed: whether a final status was written, and the machine knows.
        tried: whether the status "a person is asked" was tried since the last question.
        heard: index of the answer that waits to be read, or -1.
        order: what the person last said.
        due: what must be done about `order` before anything else: a state's name, ``*`` for the order itself, or
            empty once it was.
        told: whether a message to a person was delivered, with no wait for an answer.
        call_failed: whether the last call for a person could not be delivered.
    """

    state: str
    counts: tuple[int, ...]
    late: tuple[int, ...]
    known: tuple[int, ...]
    undone: tuple[int, ...]
    status: str
    race: int = Race.OPEN
    late_pivot: bool = False
    known_pivot: int = Known.NO
    late_records: frozenset[str] = frozenset()
    keys: frozenset[str] = frozenset()
    touched: bool = False
    failed: bool = False
    undoing: bool = False
    resort: bool = False
    closed: bool = False
    tried: bool = False
    heard: int = -1
    order: str = Order.NEVER_ASKED
    due: str = ""
    told: bool = False
    call_failed: bool = False

    @property
    def ended(self) -> bool:
        """True once the execution is over."""
        return self.state.startswith("#")


def put(values: tuple[int, ...], index: int, value: int) -> tuple[int, ...]:
    """``values`` with one of them changed."""
    return (*values[:index], value, *values[index + 1 :])


class Fault(Enum):
    """What the explorer looks for, the worst first: of several, the worst is told."""

    LEFT_BEHIND = "efeito que sobra"
    TWICE = "efeito repetido"
    AFTER_PIVOT = "desfeito depois de decidido"
    OVERTURNED = "status final derrubado"
    INCOMPLETE = "sucesso incompleto"
    UNCAUGHT = "falha que nada pega"
    UNRECORDED = "fim sem registro"
    ENDLESS = "ciclo sem fim"
    MIRROR = "ordem de desfazer"
    REDONE = "refeito depois de desfazer"
    GUARD = "condição de escrita"
    DIED = "execução morta sem rede"
    PERSON = "pessoa"
    RECORD = "registro errado"
    NEEDLESS = "desfazer sem motivo"
    WIRING = "função errada"
    DATA = "campo com dono errado"
    RETRY = "novas tentativas"


_ORDER = {fault: position for position, fault in enumerate(Fault)}


@dataclass(frozen=True)
class Found:
    """A rule that a step of the walk breaks.

    Attributes:
        fault: which.
        subject: the effect or state it is about.
        message: what is wrong, in Portuguese.
    """

    fault: Fault
    subject: str
    message: str

    def severity(self) -> int:
        """The lower, the worse."""
        return _ORDER[self.fault]
