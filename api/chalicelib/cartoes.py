"""Finds card numbers in text, whatever separates their digits. Pure.

A card number is 13 to 19 digits with an issuer's prefix, of a length that issuer uses, and a good Luhn digit
(design §6). Only whole groups of digits are joined, never a window inside a longer number: a timestamp or an id that
happens to contain sixteen lucky digits is no card.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import accumulate
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["contem_cartao"]

MIN_DIGITS: Final = 13
MAX_DIGITS: Final = 19

_ISSUERS: Final[tuple[tuple[re.Pattern[str], frozenset[int]], ...]] = tuple(
    (re.compile(prefix), frozenset(lengths))
    for prefix, lengths in (
        (r"4", (13, 16, 19)),  # Visa (and Elo's 4011, 4312, 4389, 4514, 4576)
        (r"5[1-5]", (16,)),  # Mastercard
        (r"2(22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)", (16,)),  # Mastercard, second range
        (r"3[47]", (15,)),  # American Express
        (r"3(0[0-5]|095|[689])", range(14, 20)),  # Diners Club, and Hipercard's 3841
        (r"6(011|4[4-9]|5)", range(16, 20)),  # Discover (and Elo's 650, 651, 655)
        (r"35(2[89]|[3-8]\d)", range(16, 20)),  # JCB
        (r"62", range(16, 20)),  # UnionPay
        (r"50|5[6-9]|6", range(13, 20)),  # Maestro, Elo, Hipercard
        (r"220[0-4]", range(16, 20)),  # Mir
    )
)

_SEPARATOR: Final = r"[\s\-._,/|+*\u00ad\u200b-\u200d\u2010-\u2015\u2060\ufeff]"
_GROUPS: Final = re.compile(rf"\d+(?:{_SEPARATOR}+\d+)*")
# One UUID in some hundred thousand would pass for a card by chance: a well-formed one (RFC 9562) is let through.
_UUID: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}", re.IGNORECASE)


def contem_cartao(texto: str) -> bool:
    """Whether ``texto`` holds a card number, also with separators or digits of another script."""
    plain = _UUID.sub(" uuid ", _ascii_digits(texto))
    return any(
        _is_card(candidate) for match in _GROUPS.finditer(plain) for candidate in _joined(re.findall(r"\d+", match[0]))
    )


def _ascii_digits(texto: str) -> str:
    return "".join(str(unicodedata.digit(char)) if char.isdecimal() else char for char in texto)


def _joined(groups: Sequence[str]) -> Iterator[str]:
    """Every run of neighbouring groups that is as long as a card number."""
    for start in range(len(groups)):
        for digits in accumulate(groups[start:]):
            if len(digits) > MAX_DIGITS:
                break
            if len(digits) >= MIN_DIGITS:
                yield digits


def _is_card(digits: str) -> bool:
    issued = any(prefix.match(digits) and len(digits) in lengths for prefix, lengths in _ISSUERS)
    return issued and _luhn(digits)


def _luhn(digits: str) -> bool:
    doubled = (sum(divmod(int(digit) * 2, 10)) for digit in digits[-2::-2])
    return (sum(int(digit) for digit in digits[-1::-2]) + sum(doubled)) % 10 == 0
