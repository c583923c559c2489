"""What is refused of a stack's settings, in one hierarchy; every message is one line::

SettingsError
├── StackNameError          the stack's name would make an invalid resource name
├── UnknownSettingError     no such key: a typo
├── MissingSettingError     required and absent
├── InvalidSettingError     wrong type, out of range, or not one of the choices
├── ForbiddenSettingError   right elsewhere, refused on this stack
└── SettingsChainError      two values that cannot hold together
"""

from __future__ import annotations

import difflib

__all__ = [
    "ForbiddenSettingError",
    "InvalidSettingError",
    "MissingSettingError",
    "SettingsChainError",
    "SettingsError",
    "StackNameError",
    "UnknownSettingError",
]


class SettingsError(Exception):
    """Base of every refused setting; the message is one line.

    Attributes:
        key: the setting, as in the stack file but without ``cesta:``.
    """

    def __init__(self, key: str, message: str) -> None:
        self.key = key
        super().__init__(message)


class StackNameError(SettingsError):
    """The stack's name is not fit for resource names."""

    def __init__(self, stack: str) -> None:
        super().__init__(
            "stack",
            f"nome de stack {stack!r} recusado: esperado de 1 a 20 letras minúsculas, algarismos ou hífens, começando "
            "por letra e sem hífen no fim; crie a stack com outro nome: pulumi stack init <nome>",
        )


class UnknownSettingError(SettingsError):
    """No such key.

    Attributes:
        suggestion: the nearest key there is, or None.
    """

    def __init__(self, key: str, known: tuple[str, ...]) -> None:
        near = difflib.get_close_matches(key, known, n=1)
        self.suggestion = near[0] if near else None
        hint = f"talvez cesta:{self.suggestion}" if self.suggestion else f"existem {', '.join(known)}"
        super().__init__(key, f"cesta:{key} não existe ({hint}); corrija o nome ou remova a chave")


class MissingSettingError(SettingsError):
    """A required setting is absent."""

    def __init__(self, key: str, expected: str) -> None:
        super().__init__(
            key, f"falta cesta:{key}: esperado {expected}; defina com: pulumi config set cesta:{key} <valor>"
        )


class InvalidSettingError(SettingsError):
    """The value is not what the key takes.

    Attributes:
        value: what was given.
        expected: what the key takes.
    """

    def __init__(self, key: str, value: object, expected: str) -> None:
        self.value = value
        self.expected = expected
        super().__init__(
            key,
            f"cesta:{key} = {value!r} recusado: esperado {expected}; "
            f"corrija com: pulumi config set cesta:{key} <valor>",
        )


class ForbiddenSettingError(SettingsError):
    """A value that this stack may not have.

    Attributes:
        stack: the stack that refuses it.
        value: what was given.
    """

    def __init__(self, key: str, value: object, stack: str, reason: str) -> None:
        self.stack = stack
        self.value = value
        super().__init__(
            key,
            f"cesta:{key} = {value} não é permitido na stack {stack}: {reason}; "
            f"remova com: pulumi config rm cesta:{key}",
        )


class SettingsChainError(SettingsError):
    """Two settings that are right alone and wrong together.

    Attributes:
        other: the key that ``key`` was compared with.
    """

    def __init__(self, key: str, other: str, message: str) -> None:
        self.other = other
        super().__init__(key, f"cesta:{key} e cesta:{other} não combinam: {message}; mude um dos dois")
