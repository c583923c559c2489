"""JSONPath and intrinsic functions, as far as the checks need them: is it well written, and what does it read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Path", "PathSyntaxError", "looks_like_path", "read_expression", "read_path", "reference_path"]


class PathSyntaxError(ValueError):
    """The text is not a path or not an intrinsic function."""


@dataclass(frozen=True)
class Path:
    """What is read.

    Attributes:
        text: as written.
        root: ``$`` the state's data, ``$$`` the context object, or ``$name`` a variable.
        names: the fields to walk from the root.
        exact: True if the names are the whole path; False when an index, slice, wildcard or filter follows them.
    """

    text: str
    root: str
    names: tuple[str, ...]
    exact: bool = True


_ROOT = re.compile(r"\$\$|\$(?:[A-Za-z_][A-Za-z0-9_]*)?")
_STEP = re.compile(
    r"""
    \.(?P<dot>[^\W\d][\w-]*)                   # .name
    | \[\s*'(?P<quoted>(?:[^'\\]|\\.)*)'\s*\]  # ['name']
    | \[\s*"(?P<double>(?:[^"\\]|\\.)*)"\s*\]  # ["name"]
    | (?P<many>
        \.\.(?:[^\W\d][\w-]*|\*)? | \.\* | \[\s*\*\s*\]
        | \[\s*-?\d*\s*:\s*-?\d*\s*(?::\s*-?\d*\s*)?\] | \[\s*-?\d+(?:\s*,\s*-?\d+)*\s*\]
        | \[\?\([^()]*(?:\([^()]*\)[^()]*)*\)\] | \[\?[^\[\]]+\]
        | \[\s*'[^']*'(?:\s*,\s*'[^']*')+\s*\]
        | \.length\(\)
      )
    """,
    re.VERBOSE,
)
_REFERENCE = re.compile(r"\$(?:\.[^\W\d][\w-]*|\[\s*'[^']*'\s*\]|\[\d+\])*")


def looks_like_path(text: str) -> bool:
    """True for a text that somebody surely meant as a path or an intrinsic function."""
    return bool(re.match(r"\$\$?\.[A-Za-z_]|\$\[|States\.[A-Z]\w*\(", text)) or text == "$"


def read_path(text: str) -> Path:
    """The path in ``text``; raises `PathSyntaxError`."""
    root = _ROOT.match(text)
    if root is None:
        raise PathSyntaxError(f"{text!r} não começa por $")
    names: list[str] = []
    exact = True
    position = root.end()
    while position < len(text):
        step = _STEP.match(text, position)
        if step is None:
            raise PathSyntaxError(f"{text!r} não é um caminho: pare em {text[position:]!r}")
        name = step["dot"] or step["quoted"] or step["double"]
        if name is None:
            exact = False
        elif exact:
            names.append(name)
        position = step.end()
    return Path(text, root[0], tuple(names), exact)


def reference_path(text: str) -> Path:
    """The path of a place to write to: names and indexes only (``ResultPath``); raises `PathSyntaxError`."""
    if not _REFERENCE.fullmatch(text):
        raise PathSyntaxError(f"{text!r} não é um caminho simples ($.a.b)")
    return read_path(text)


# --- Intrinsic functions -------------------------------------------------------------------------------------------

_FUNCTIONS = frozenset({
    "Format", "StringToJson", "JsonToString", "Array", "ArrayPartition", "ArrayContains", "ArrayRange", "ArrayGetItem",
    "ArrayLength", "ArrayUnique", "Base64Encode", "Base64Decode", "Hash", "JsonMerge", "MathRandom", "MathAdd",
    "StringSplit", "UUID",
})  # fmt: skip
"""Step Functions, "Intrinsics for JSONPath states in Step Functions"."""
_CALL = re.compile(r"States\.(\w+)\(")
_LITERAL = re.compile(r"'(?:[^'\\]|\\.)*'|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null")
_PATH_END = re.compile(r"[,)]")


def read_expression(text: str) -> Iterator[Path]:
    """The paths a ``.$`` field reads; raises `PathSyntaxError`."""
    if text.startswith("$"):
        yield read_path(text)
        return
    paths, end = _call(text, 0)
    if text[end:].strip():
        raise PathSyntaxError(f"{text!r} continua depois do fim: {text[end:]!r}")
    yield from paths


def _call(text: str, position: int) -> tuple[list[Path], int]:
    match = _CALL.match(text, position)
    if match is None:
        raise PathSyntaxError(f"{text!r} não é um caminho nem uma função States.")
    if match[1] not in _FUNCTIONS:
        raise PathSyntaxError(f"States.{match[1]} não existe")
    position = _blank(text, match.end())
    paths: list[Path] = []
    while position < len(text) and text[position] != ")":
        found, position = _argument(text, position)
        paths += found
        position = _blank(text, position)
        if position < len(text) and text[position] == ",":
            position = _blank(text, position + 1)
        elif position < len(text) and text[position] != ")":
            raise PathSyntaxError(f"{text!r}: falta vírgula em {text[position:]!r}")
    if position >= len(text):
        raise PathSyntaxError(f"{text!r} não fecha os parênteses")
    return paths, position + 1


def _argument(text: str, position: int) -> tuple[list[Path], int]:
    if text.startswith("States.", position):
        return _call(text, position)
    if text[position] == "$":
        end = _end_of_path(text, position)
        return [read_path(text[position:end].rstrip())], end
    literal = _LITERAL.match(text, position)
    if literal is None:
        raise PathSyntaxError(f"{text!r}: argumento inválido em {text[position:]!r}")
    return [], literal.end()


def _end_of_path(text: str, position: int) -> int:
    """Where a path among arguments ends: at a comma or parenthesis outside of brackets."""
    depth = 0
    for index in range(position, len(text)):
        depth += {"[": 1, "]": -1}.get(text[index], 0)
        if depth == 0 and _PATH_END.match(text[index]):
            return index
    return len(text)


def _blank(text: str, position: int) -> int:
    while position < len(text) and text[position].isspace():
        position += 1
    return position
