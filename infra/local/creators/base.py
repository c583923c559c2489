"""What a creator is: one resource type, the properties it knows, and how to create it through boto3."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias, TypeVar, cast

import pulumi

from infra.local.errors import InvalidPropertyError, MissingPropertyError, UnknownPropertyError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from infra.local.emulator import AwsLocal

__all__ = ["Context", "CreateFunction", "Creator", "Inputs", "Outputs", "creates"]

T = TypeVar("T")
# A missing property and one set to null are the same thing to a provider.
ABSENT: Final = None


@dataclass(frozen=True)
class Context:
    """What a creator needs besides the resource's own inputs.

    Attributes:
        aws: the emulator.
        worker_python: the Python that runs the functions (``infra/local/worker_env.py``).
    """

    aws: AwsLocal
    worker_python: Path


@dataclass(frozen=True)
class Outputs:
    """What a provider would answer.

    Attributes:
        id: the resource's physical id.
        properties: output properties, camelCase; the inputs are added to them.
    """

    id: str
    properties: Mapping[str, object] = field(default_factory=dict[str, object])


class Inputs:
    """A resource's inputs, read with the type each property must have.

    Every reader raises InvalidPropertyError for another type; those without a default raise MissingPropertyError.
    """

    def __init__(self, type_: str, name: str, values: Mapping[str, object], *, path: str = "") -> None:
        self.type = type_
        self.name = name
        self._values = {key: value for key, value in values.items() if value is not ABSENT}
        self._path = path

    def check_known(self, known: Iterable[str]) -> None:
        """Raise UnknownPropertyError for a property that is not among the known ones."""
        unknown = sorted(self._values.keys() - set(known))
        if unknown:
            raise UnknownPropertyError(self.type, self.name, [self._path + key for key in unknown])

    def string(self, key: str) -> str:
        return self._typed(key, str, "um texto")

    def optional_string(self, key: str) -> str | None:
        return self.string(key) if key in self._values else None

    def integer(self, key: str) -> int:
        number = self.number(key)
        if not number.is_integer():
            raise self._invalid(key, "um número inteiro")
        return int(number)

    def optional_integer(self, key: str) -> int | None:
        return self.integer(key) if key in self._values else None

    def number(self, key: str) -> float:
        value = self._required(key)
        # A bool is an int to Python.
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise self._invalid(key, "um número")
        return float(value)

    def boolean(self, key: str, *, default: bool) -> bool:
        return self._typed(key, bool, "verdadeiro ou falso") if key in self._values else default

    def strings(self, key: str) -> list[str]:
        """A list of strings; empty when absent."""
        values = self._list(key)
        if not all(isinstance(value, str) for value in values):
            raise self._invalid(key, "uma lista de textos")
        return cast("list[str]", values)

    def string_map(self, key: str) -> dict[str, str]:
        """A map of strings; empty when absent."""
        values = self._map(key)
        if not all(isinstance(value, str) for value in values.values()):
            raise self._invalid(key, "um mapa de textos")
        return cast("dict[str, str]", values)

    def block(self, key: str, known: Iterable[str]) -> Inputs | None:
        """A nested object, of which only the known properties may be set; None when absent."""
        return self._nested(key, self._map(key), known) if key in self._values else None

    def blocks(self, key: str, known: Iterable[str]) -> list[Inputs]:
        """A list of nested objects, of which only the known properties may be set; empty when absent."""
        items = self._list(key)
        if not all(isinstance(item, Mapping) for item in items):
            raise self._invalid(key, "uma lista de objetos")
        return [self._nested(key, cast("Mapping[str, object]", item), known) for item in items]

    def archive(self, key: str) -> Path:
        """The path of a ``FileArchive``."""
        return Path(self._typed(key, pulumi.FileArchive, "um FileArchive").path)

    def _required(self, key: str) -> object:
        if key not in self._values:
            raise MissingPropertyError(self.type, self.name, self._path + key)
        return self._values[key]

    def _typed(self, key: str, kind: type[T], expected: str) -> T:
        value = self._required(key)
        if not isinstance(value, kind):
            raise self._invalid(key, expected)
        return value

    def _list(self, key: str) -> list[object]:
        return cast("list[object]", self._typed(key, list, "uma lista")) if key in self._values else []

    def _map(self, key: str) -> dict[str, object]:
        return cast("dict[str, object]", self._typed(key, dict, "um mapa")) if key in self._values else {}

    def _nested(self, key: str, values: Mapping[str, object], known: Iterable[str]) -> Inputs:
        nested = Inputs(self.type, self.name, values, path=f"{self._path}{key}.")
        nested.check_known(known)
        return nested

    def _invalid(self, key: str, expected: str) -> InvalidPropertyError:
        found = type(self._values[key]).__name__
        return InvalidPropertyError(self.type, self.name, self._path + key, expected=expected, found=found)


CreateFunction: TypeAlias = Callable[[Inputs, Context], Outputs]


@dataclass(frozen=True)
class Creator:
    """How one resource type is created.

    Attributes:
        type: the type's token.
        create: creates the resource and answers as the provider would.
        known: the properties it may be given.
    """

    type: str
    create: CreateFunction
    known: frozenset[str]


def creates(
    type_: str, *, handled: Iterable[str], ignored: Mapping[str, str] | None = None
) -> Callable[[CreateFunction], Creator]:
    """Make a function the creator of a resource type.

    Args:
        type_: the type's token.
        handled: the properties the function acts on.
        ignored: the properties it may be given and does nothing about, each with the reason.
    """
    known = frozenset(handled) | frozenset(ignored or {})

    def decorate(create: CreateFunction) -> Creator:
        return Creator(type=type_, create=create, known=known)

    return decorate
