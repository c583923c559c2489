"""Card data in text: card numbers, whatever separates their digits, and the gateway's card tokens. Pure.

A card number is 13 to 19 digits with an issuer's prefix, of a length that issuer uses, and a good Luhn digit (design
§6). Two promises pull at each other: no card passes in any dress, and no timestamp or id is taken for one. What is
recognisably something else (a UUID, a hash, a date and time, a product's bar code, a company's CNPJ) is therefore
taken out first, and each of those is so unlikely in a card's digits that next to no card leaves with it.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

__all__ = ["TOKEN", "contem_cartao", "contem_token", "numeros_de_cartao"]

MIN_DIGITS: Final = 13
MAX_DIGITS: Final = 19

TOKEN: Final = re.compile(r"(?<![A-Za-z])tok[-_][A-Za-z0-9_-]+")
"""A card token wherever it stands; ``estok-1`` is none."""

_MAESTRO: Final = r"5018|5020|5038|5893|6304|6759|676[1-3]"
_ISSUERS: Final[tuple[tuple[re.Pattern[str], frozenset[int]], ...]] = tuple(
    (re.compile(prefix), frozenset(lengths))
    for prefix, lengths in (
        (r"4", (13, 16, 19)),  # Visa (and Elo's 4011, 4312, 4389, 4514, 4576)
        (r"5[1-5]", (16,)),  # Mastercard
        (r"2(22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)", (16,)),  # Mastercard, second range
        (r"3[47]", (15,)),  # American Express
        (r"3(0[0-5]|095|[689])", (14, 16, 19)),  # Diners Club, and Hipercard's 3841
        (r"35(2[89]|[3-8]\d)", (16,)),  # JCB
        (r"62", range(16, 20)),  # UnionPay
        (_MAESTRO, range(13, 20)),
        (r"50|5[6-9]|6", (16, 19)),  # Discover, Elo, Hipercard, and who shares their ranges
        (r"220[0-4]", range(16, 20)),  # Mir
    )
)
"""Prefix and lengths as issued, not as ISO 7812 would allow: a range it allows and nobody issues is somebody's id."""

_USUAL_GROUPS: Final = frozenset({(4, 6, 5), (4, 6, 4), (4, 3, 3, 3)})
"""How Amex, Diners and old Visa numbers are printed; the others are printed in groups of one size."""
_WIDEST_GROUP: Final = 5

_ENOUGH_DIGITS: Final = re.compile(rf"(?:\D*\d){{{MIN_DIGITS}}}")
_DIGITS: Final = re.compile(r"\d+")
# Whatever is neither letter nor digit separates: nobody can list what people, or attackers, put between digits.
_RUN: Final = re.compile(r"\d+(?:[\W_]+\d+)*")

_YEAR, _MONTH, _DAY = r"(?:19|20)\d\d", r"(?:0[1-9]|1[0-2])", r"(?:0[1-9]|[12]\d|3[01])"
_HOUR, _SIXTY, _FRACTION = r"(?:[01]\d|2[0-3])", r"[0-5]\d", r"(?:[.,-]?\d{3}(?:\d{3}){0,2})?"
_DATE: Final = rf"(?:{_YEAR}([-/.]?){_MONTH}\1{_DAY}|{_DAY}([-/.]?){_MONTH}\2{_YEAR})"
# A time glued to its date, or one with separators of its own: a bare "2223" after a date begins a card, too.
_TIME: Final = rf"(?:[T_-]?{_HOUR}{_SIXTY}{_SIXTY}{_FRACTION}|[T_ -]{_HOUR}([:.h-]){_SIXTY}(?:\3{_SIXTY}{_FRACTION})?)"


def contem_cartao(texto: str) -> bool:
    """Whether ``texto`` holds a card number, also with separators or digits of another script."""
    return next(numeros_de_cartao(texto), None) is not None


def contem_token(texto: str) -> bool:
    """Whether ``texto`` holds a card token, or what is written like one."""
    return TOKEN.search(texto) is not None


def numeros_de_cartao(texto: str) -> Iterator[tuple[int, int]]:
    """Where each card number begins and ends in ``texto``; places may overlap."""
    plain = texto if texto.isascii() else _ascii_digits(texto)
    # Nearly every text there is, and each is looked at on its way in and on its way to the log.
    if len(plain) < MIN_DIGITS or _ENOUGH_DIGITS.match(plain) is None:
        return
    plain = _without_ids(plain)
    for run in _RUN.finditer(plain):
        groups = list(_DIGITS.finditer(plain, run.start(), run.end()))
        for first, last in _candidates(plain, groups):
            if _is_card("".join(group[0] for group in groups[first : last + 1])):
                yield groups[first].start(), groups[last].end()


def _ascii_digits(texto: str) -> str:
    """Every digit, of any script, superscript or circled, as ASCII; one character for one, so that places stay."""
    return "".join(str(unicodedata.digit(char, char)) for char in texto)


def _candidates(plain: str, groups: Sequence[re.Match[str]]) -> Iterator[tuple[int, int]]:
    """First and last of the groups of digits that someone may have written as one number.

    All of them; those between two changes of separator; and any that are grouped as cards are. Not every stretch of
    neighbours: of an id in several groups, some stretch would pass for a card far too often.
    """
    yield 0, len(groups) - 1
    between = [plain[left.end() : right.start()] for left, right in pairwise(groups)]
    changes = [i for i, (left, right) in enumerate(pairwise(between), start=1) if left != right]
    if changes:
        yield from pairwise([0, *changes, len(between)])
    sizes = [len(group[0]) for group in groups]
    for first in range(len(sizes)):
        digits = 0
        for last in range(first, len(sizes)):
            digits += sizes[last]
            if digits > MAX_DIGITS and last > first:
                break
            if digits >= MIN_DIGITS and _grouped_as_a_card(sizes[first : last + 1]):
                yield first, last


def _grouped_as_a_card(sizes: Sequence[int]) -> bool:
    *others, last = sizes
    even = not others or (len({*others}) == 1 and last <= others[0] <= _WIDEST_GROUP)
    return even or tuple(sizes) in _USUAL_GROUPS


def _is_card(padded: str) -> bool:
    digits = padded.lstrip("0")  # no card begins with 0, and fixed-width fields are filled with it
    if not MIN_DIGITS <= len(digits) <= MAX_DIGITS or (len(digits) == MIN_DIGITS and _is_bar_code(digits)):
        return False
    issued = any(prefix.match(digits) and len(digits) in lengths for prefix, lengths in _ISSUERS)
    return issued and _luhn(digits)


def _luhn(digits: str) -> bool:
    doubled = (sum(divmod(int(digit) * 2, 10)) for digit in digits[-2::-2])
    return (sum(int(digit) for digit in digits[-1::-2]) + sum(doubled)) % 10 == 0


def _is_bar_code(text: str) -> bool:
    """Whether the last 13 digits end in the check digit of an EAN-13 (GS1 General Specifications).

    One in ten of them also passes Luhn, and every EAN that begins with 4 looks like a 13-digit Visa, a length issued
    no more: the bar code wins. One in ten of those old numbers goes by with it.
    """
    digits = text[-13:]
    weighted = (int(digit) * (3 if i % 2 else 1) for i, digit in enumerate(digits))
    return sum(weighted) % 10 == 0


def _is_cnpj(text: str) -> bool:
    """Whether the two check digits of a company's number are right (Receita Federal, módulo 11)."""
    digits = [int(char) for char in text if char.isdigit()]
    return all(_cnpj_digit(digits[:length]) == digits[length] for length in (12, 13))


def _cnpj_digit(digits: Sequence[int]) -> int:
    rest = sum(digit * (2 + i % 8) for i, digit in enumerate(reversed(digits))) % 11
    return 0 if rest < 2 else 11 - rest


def _always(_text: str) -> bool:
    return True


_IDS: Final[tuple[tuple[re.Pattern[str], Callable[[str], bool]], ...]] = (
    # RFC 9562, version and variant included: of random hexadecimal in that layout, only one in 64 is well-formed.
    (re.compile(r"(?i)(?<![0-9a-z])[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"), _always),
    # A UUID without hyphens, or a hash: MD5, SHA-1, SHA-256.
    (re.compile(r"(?i)(?<![0-9a-z])(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})(?![0-9a-z])"), _always),
    (re.compile(rf"(?<!\d){_DATE}{_TIME}?(?!\d)"), _always),
    (re.compile(r"(?<!\d)0*\d{13}(?!\d)"), _is_bar_code),
    # Only branches up to 0099: a card's digits would have to match those two zeros too.
    (re.compile(r"(?<!\d)\d{2}\.?\d{3}\.?\d{3}/?00\d{2}-?\d{2}(?!\d)"), _is_cnpj),
)
"""What is surely something else, and how it is told from digits that only look like it."""


def _without_ids(plain: str) -> str:
    def blank(match: re.Match[str], surely: Callable[[str], bool]) -> str:
        # Letters, which end a run of digits, and as many of them, so that places stay.
        return "x" * len(match[0]) if surely(match[0]) else match[0]

    for pattern, surely in _IDS:
        plain = pattern.sub(lambda match, surely=surely: blank(match, surely), plain)
    return plain
