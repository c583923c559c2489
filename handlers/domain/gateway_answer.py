"""One answer of the payment gateway, read with suspicion: a value of the wrong type is no answer at all."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Final, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Answer", "MalformedAnswerError"]

E = TypeVar("E", bound=StrEnum)

_CODES: Final = frozenset(
    {
        "cartao_recusado",
        "chave_reutilizada",
        "em_andamento",
        "erro_interno",
        "indisponivel",
        "ja_estornada",
        "requisicao_invalida",
        "transacao_inexistente",
    }
)
"""The codes of the contract (design §7): the only words of the gateway's that may be repeated in an error."""

_IDENTIFIER: Final = re.compile(r"[\x21-\x7e]{1,128}")


class MalformedAnswerError(Exception):
    """The answer is not what the contract says. Its text names the field and never its value."""


@dataclass(frozen=True)
class Answer:
    """A status and a JSON object, or one object of a list in it.

    Attributes:
        status: the HTTP status.
        body: the object; None when the body is not one.
    """

    status: int
    body: Mapping[str, object] | None

    @classmethod
    def parse(cls, status: int, data: bytes) -> Answer:
        """Reads a body; one that is not a JSON object is kept as "no body"."""
        try:
            body: object = json.loads(data)
        except (ValueError, RecursionError):
            body = None
        return cls(status, cast("dict[str, object]", body) if isinstance(body, dict) else None)

    @property
    def code(self) -> str:
        """The contract's code; "" when there is none or it is not of the contract."""
        code = self.body.get("codigo") if self.body is not None else None
        return code if isinstance(code, str) and code in _CODES else ""

    def get(self, name: str) -> object:
        """The raw field; None when absent. Raises `MalformedAnswerError` when there is no object."""
        if self.body is None:
            raise MalformedAnswerError("o corpo não é um objeto JSON")
        return self.body.get(name)

    def expect(self, name: str, value: str) -> None:
        """Raises `MalformedAnswerError` unless the field is exactly ``value``."""
        if self.get(name) != value:
            raise MalformedAnswerError(f"{name} deveria ser {value}")

    def integer(self, name: str) -> int:
        """A whole number; a boolean is none. Raises `MalformedAnswerError` otherwise."""
        value = self.get(name)
        if not isinstance(value, int) or isinstance(value, bool):
            raise MalformedAnswerError(f"{name} deveria ser um número inteiro")
        return value

    def identifier(self, name: str) -> str:
        """An id: 1 to 128 visible ASCII characters. Raises `MalformedAnswerError` otherwise."""
        value = self.get(name)
        if not isinstance(value, str) or _IDENTIFIER.fullmatch(value) is None:
            raise MalformedAnswerError(f"{name} deveria ser um identificador")
        return value

    def member(self, name: str, kind: type[E]) -> E:
        """One of ``kind``'s values. Raises `MalformedAnswerError` otherwise."""
        value = self.get(name)
        found = next((member for member in kind if member.value == value), None)
        if found is None:
            raise MalformedAnswerError(f"{name} não é um dos valores do contrato")
        return found

    def entries(self, name: str) -> list[Answer]:
        """A list of objects. Raises `MalformedAnswerError` otherwise."""
        value = self.get(name)
        if not isinstance(value, list):
            raise MalformedAnswerError(f"{name} deveria ser uma lista")
        return [
            Answer(self.status, cast("dict[str, object]", entry) if isinstance(entry, dict) else None)
            for entry in cast("list[object]", value)
        ]
