"""The last net under the logs: card numbers and card tokens are masked in whatever is about to be written.

No code here means to log either; this is for the day one does, or a library does. It works in two places. Every record
of every logger of the process (ours, boto3's, Chalice's) has its message and its traceback masked as it is made; and
what Powertools writes is masked once more, field by field, after all else was added to it.
"""

from __future__ import annotations

import json
import logging
from typing import TYPE_CHECKING, Any, Final, cast

from aws_lambda_powertools import Logger

from handlers.domain.cards import TOKEN, numeros_de_cartao

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CARTAO_OMITIDO", "TOKEN_OMITIDO", "install", "make_logger", "mask", "serialize"]

CARTAO_OMITIDO: Final = "[cartao omitido]"
TOKEN_OMITIDO: Final = "[token omitido]"  # noqa: S105 - what stands where a token stood

_plain: Final = logging.Formatter()


def make_logger() -> Logger:
    """The process's logger, with the net under it and under every other."""
    install()
    return Logger(utc=True, json_serializer=serialize)


def install() -> None:
    """Mask the records of every logger from now on; once is enough, and again does no harm."""
    logging.setLogRecordFactory(_Masked)


def mask(text: str) -> str:
    """``text`` without card numbers and card tokens."""
    # A text without it has no token: a search for three letters costs a tenth of one for a pattern.
    masked = TOKEN.sub(TOKEN_OMITIDO, text) if "tok" in text else text
    # From the end, so that places found before stay true; overlapping ones are masked as one.
    for start, end in reversed(_merged(sorted(numeros_de_cartao(masked)))):
        masked = masked[:start] + CARTAO_OMITIDO + masked[end:]
    return masked


def serialize(record: Mapping[str, object]) -> str:
    """A structured record as one line of JSON, every name and value in it masked.

    Text by text, never the whole line: digits of neighbouring fields are not one number.
    """
    return json.dumps(_mask_tree(record), ensure_ascii=False, separators=(",", ":"))


class _Masked(logging.LogRecord):
    """A record whose message and traceback are masked, whoever formats it."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.exc_info:
            # Formatters take this text where it is set, and format the exception themselves where it is not.
            self.exc_text = mask(_plain.formatException(self.exc_info))

    def getMessage(self) -> str:  # noqa: N802 - logging's name
        return mask(super().getMessage())


def _mask_tree(value: object) -> object:
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, dict):
        return {mask(str(key)): _mask_tree(inner) for key, inner in cast("dict[object, object]", value).items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_mask_tree(inner) for inner in cast("list[object]", value)]
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int | float):
        return value if mask(str(value)) == str(value) else CARTAO_OMITIDO
    return mask(str(value))


def _merged(places: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in places:
        if merged and start < merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged
