"""What each card token makes the gateway do (design §7): no test, proof or person needs another switch.

A behaviour is data, so the core has one path for all of them and this table can be read beside the design's.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from enum import Enum, auto
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["TOKEN_PATTERN", "Behaviour", "Reply", "behaviour_of"]

TOKEN_PATTERN: Final = re.compile(r"tok[-_][A-Za-z0-9_-]{1,64}", re.ASCII)
"""The grammar of a card token, as at the API's door (design §6)."""

ALWAYS: Final = math.inf


class Reply(Enum):
    """How a charge attempt ends for the client, whatever happened to the money."""

    ANSWER = auto()
    HANG = auto()
    ERROR_500 = auto()


@dataclass(frozen=True)
class Behaviour:
    """One token's behaviour; the defaults are a gateway that works.

    Attributes:
        unavailable_charges: how many first charge attempts of a key get 503, nothing charged.
        charges: whether the money is ever taken.
        refuses: the card is refused; a final answer.
        lands_after: doubt windows between the client's last sign and the charge; 0 is at once.
        reply: how a charge attempt is answered.
        unavailable_refunds: how many first refund attempts of a key get 503, nothing refunded.
        loses_refund_answer: the first refund is done, its answer lost; every later attempt hears "already refunded".
        pending_consults: look-ups during which a refund is still pending.
    """

    unavailable_charges: float = 0
    charges: bool = True
    refuses: bool = False
    lands_after: float = 0
    reply: Reply = Reply.ANSWER
    unavailable_refunds: float = 0
    loses_refund_answer: bool = False
    pending_consults: int = 0


_APPROVES: Final = Behaviour()

_BY_TOKEN: Final[Mapping[str, Behaviour]] = {
    "tok-ok": _APPROVES,
    "tok-forcar-recusa": Behaviour(charges=False, refuses=True),
    "tok-indisponivel": Behaviour(unavailable_charges=ALWAYS),
    "tok-timeout-sem-cobrar": Behaviour(charges=False, reply=Reply.HANG),
    "tok-timeout-cobrado": Behaviour(reply=Reply.HANG),
    "tok-500-cobrado": Behaviour(reply=Reply.ERROR_500),
    "tok-cobranca-tardia": Behaviour(lands_after=0.4),
    "tok-cobranca-muito-tardia": Behaviour(lands_after=1.5),
    "tok-estorno-indisponivel": Behaviour(unavailable_refunds=ALWAYS),
    "tok-estorno-perdido": Behaviour(loses_refund_answer=True),
    "tok-estorno-pendente": Behaviour(pending_consults=2),
}

_BY_COUNT: Final[tuple[tuple[re.Pattern[str], Callable[[int], Behaviour]], ...]] = (
    (re.compile(r"tok-indisponivel-(\d{1,6})", re.ASCII), lambda n: Behaviour(unavailable_charges=n)),
    (re.compile(r"tok-estorno-lento-(\d{1,6})", re.ASCII), lambda n: Behaviour(unavailable_refunds=n)),
)


def behaviour_of(card_token: str) -> Behaviour:
    """The behaviour ``card_token`` asks for; a token that asks for none is approved, as a customer's would be."""
    for pattern, build in _BY_COUNT:
        if match := pattern.fullmatch(card_token):
            return build(int(match[1]))
    return _BY_TOKEN.get(card_token, _APPROVES)
