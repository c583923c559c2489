"""Typed values out of the texts of a stack file."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar
from urllib.parse import urlsplit

from infra.config_errors import InvalidSettingError, MissingSettingError

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Reader", "Value"]

Value: TypeAlias = "str | int | float | bool"
"""Pulumi hands every value over as text; a caller of ours may pass it typed."""

_Choice = TypeVar("_Choice", bound=StrEnum)
_LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")
# As a browser sends it: lower case, no path, no default port. ``*`` is none: any page could then read the answers.
_ORIGIN: Final = re.compile(
    r"(https://[a-z0-9-]+(\.[a-z0-9-]+)*|http://(localhost|127\.0\.0\.1|\[::1\]))(:(?!80$|443$)[1-9][0-9]{0,4})?"
)


class Reader:
    """Reads keys of one mapping; each method raises `InvalidSettingError` naming the key and what it takes."""

    def __init__(self, mapping: Mapping[str, Value]) -> None:
        self._mapping = mapping

    def integer(self, key: str, *, default: int, low: int, high: int) -> int:
        value = self._mapping.get(key, default)
        expected = f"um inteiro de {low} a {high}"
        if isinstance(value, bool) or not re.fullmatch(r"-?[0-9]{1,9}", str(value)):
            raise InvalidSettingError(key, value, expected)
        number = int(value)
        if not low <= number <= high:
            raise InvalidSettingError(key, value, expected)
        return number

    def optional_integer(self, key: str, *, low: int, high: int) -> int | None:
        return self.integer(key, default=low, low=low, high=high) if key in self._mapping else None

    def number(self, key: str, *, default: float, low: float, high: float) -> float:
        value = self._mapping.get(key, default)
        expected = f"um número de {low:g} a {high:g}"
        if isinstance(value, bool) or not re.fullmatch(r"[0-9]{1,9}(\.[0-9]{1,9})?", str(value)):
            raise InvalidSettingError(key, value, expected)
        number = float(value)
        if not low <= number <= high:
            raise InvalidSettingError(key, value, expected)
        return number

    def one_of(self, key: str, choices: tuple[int, ...], *, default: int) -> int:
        value = self._mapping.get(key, default)
        if isinstance(value, bool) or str(value) not in {str(choice) for choice in choices}:
            raise InvalidSettingError(key, value, f"um destes: {', '.join(map(str, choices))}")
        return int(value)

    def boolean(self, key: str, *, default: bool) -> bool:
        value = self._mapping.get(key, default)
        if isinstance(value, bool):
            return value
        if value not in ("true", "false"):
            raise InvalidSettingError(key, value, "true ou false")
        return value == "true"

    def member(self, key: str, choices: type[_Choice], *, default: _Choice) -> _Choice:
        value = self._mapping.get(key, default)
        try:
            return choices(str(value))
        except ValueError:
            raise InvalidSettingError(key, value, f"um destes: {', '.join(choices)}") from None

    def matching(self, key: str, pattern: str, expected: str) -> str | None:
        value = self._mapping.get(key)
        if value is None:
            return None
        if not isinstance(value, str) or not re.fullmatch(pattern, value):
            raise InvalidSettingError(key, value, expected)
        return value

    def origins(self, key: str) -> tuple[str, ...]:
        """Web origins (RFC 6454) separated by commas; none when absent."""
        value = str(self._mapping.get(key, ""))
        origins = tuple(origin.strip() for origin in value.split(",") if origin.strip())
        for origin in origins:
            if not _ORIGIN.fullmatch(origin):
                raise InvalidSettingError(
                    key, value, "origens separadas por vírgula, como https://loja.exemplo (http só para esta máquina)"
                )
        return origins

    def required_url(self, key: str) -> str:
        url = self.optional_url(key)
        if url is None:
            raise MissingSettingError(key, "a URL base do gateway de pagamento, https")
        return url

    def optional_url(self, key: str) -> str | None:
        value = self._mapping.get(key)
        if value is None:
            return None
        expected = "uma URL https (http só para esta máquina), sem usuário, parâmetros ou barra final"
        if not isinstance(value, str) or not re.fullmatch(r"[!-~]+", value):
            raise InvalidSettingError(key, value, expected)
        try:
            parts = urlsplit(value)
            host, _ = parts.hostname, parts.port
        except ValueError:
            raise InvalidSettingError(key, value, expected) from None
        if "@" in parts.netloc:
            raise InvalidSettingError(key, "(URL com usuário)", expected)  # it may hold a password
        # Card tokens travel on it: nothing but this machine's own loopback may see them in the clear.
        secure = parts.scheme == "https" or (parts.scheme == "http" and host in _LOOPBACK)
        if not host or not secure or parts.query or parts.fragment or value.endswith(("/", "?", "#")):
            raise InvalidSettingError(key, value, expected)
        return value
