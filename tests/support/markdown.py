"""The commands a Markdown document gives its reader: code blocks, line by line, and mentions inside a sentence."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["Block", "Command", "blocks", "commands_of", "mentions"]

SCRIPTS = {"sh", "bash"}
SESSIONS = {"", "console"}
"""Tags of blocks that show a terminal: what follows ``$`` is typed, the rest is what it answered."""
PROMPT = "$ "

_FENCE = re.compile(r"^(?P<indent> *)```(?P<tag>\w*)\s*$")
_INLINE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_SUBSTITUTION = re.compile(r"\$\(([^()]*)\)")
_OPERATORS = {"|", "||", "&&", ";", "&", "(", ")"}
_KEYWORDS = {"do", "then", "else", "if", "while", "!"}
_CLOSING = {"done", "fi"}


@dataclass(frozen=True)
class Block:
    """A fenced block: the line its content begins at, its tag, its lines."""

    path: Path
    line: int
    tag: str
    lines: list[str]
    before: str
    """The last line of text before it, after the block before."""


@dataclass(frozen=True)
class Command:
    """One program with its arguments, and the files that what stands before it in its block has written."""

    where: str
    words: list[str]
    written: list[str] = field(default_factory=list[str])


def blocks(path: Path) -> Iterator[Block]:
    """Every fenced block. Raises `ValueError` for one that is not closed."""
    lines = path.read_text(encoding="utf-8").splitlines()
    at, before = 0, ""
    while at < len(lines):
        opened = _FENCE.match(lines[at])
        if opened is None:
            before = lines[at].strip() or before
            at += 1
            continue
        indent = len(opened["indent"])
        try:
            end = next(n for n in range(at + 1, len(lines)) if lines[n].strip() == "```")
        except StopIteration:
            raise ValueError(f"{path.name}:{at + 1}: a block that is never closed") from None
        yield Block(path, at + 2, opened["tag"], [line[indent:] for line in lines[at + 1 : end]], before)
        at, before = end + 1, ""


def commands_of(block: Block, programs: frozenset[str]) -> list[Command]:
    """The commands a block gives.

    Args:
        block: the block.
        programs: names by which an untagged block without a prompt is told from mere output.

    Raises:
        ValueError: a line cannot be read as a shell would.
    """
    script = _script(block, programs)
    found: list[Command] = []
    written: list[str] = []
    for number, line in _logical_lines(script, block):
        where = f"{block.path.name}:{number}"
        for text in (line, *(inner[1] for inner in _SUBSTITUTION.finditer(line))):
            typed = _simple_commands(_SUBSTITUTION.sub("SUBSTITUTED", text), written, where)
            found.extend(Command(where, words, list(written)) for words in typed)
    return found


def mentions(path: Path, programs: frozenset[str]) -> list[Command]:
    """Commands named inside a sentence, outside of any block."""
    text = path.read_text(encoding="utf-8")
    inside = {n for block in blocks(path) for n in range(block.line - 1, block.line + len(block.lines) + 1)}
    found: list[Command] = []
    for number, line in enumerate(text.splitlines(), 1):
        if number in inside:
            continue
        for code in _INLINE.findall(line):
            if code.split()[0] not in programs or " " not in code.strip():
                continue
            where = f"{path.name}:{number}"
            found += [Command(where, words) for words in _simple_commands(code, [], where)]
    return found


def _script(block: Block, programs: frozenset[str]) -> list[tuple[int, str]]:
    numbered = [(block.line + n, line) for n, line in enumerate(block.lines)]
    if block.tag in SCRIPTS:
        return numbered
    if block.tag not in SESSIONS:
        return []
    if any(line.startswith(PROMPT) for line in block.lines):
        return _typed(numbered)
    first = next((line.split()[0] for line in block.lines if line.strip() and not line.startswith("#")), "")
    return numbered if first in programs else []


def _typed(numbered: list[tuple[int, str]]) -> list[tuple[int, str]]:
    """What was typed at the prompts of a session, with the lines that go on."""
    typed: list[tuple[int, str]] = []
    open_ = ""
    for number, line in numbered:
        if open_:
            typed.append((number, line))
            open_ += "\n" + line
        elif line.startswith(PROMPT):
            typed.append((number, line.removeprefix(PROMPT)))
            open_ = line
        open_ = open_ if open_ and _goes_on(open_) else ""
    return typed


def _logical_lines(script: list[tuple[int, str]], block: Block) -> Iterator[tuple[int, str]]:
    pending, began = "", 0
    for number, line in script:
        pending, began = (f"{pending}\n{line}", began) if pending else (line, number)
        if _goes_on(pending):
            continue
        yield began, pending.replace("\\\n", " ")
        pending = ""
    if pending:
        raise ValueError(f"{block.path.name}:{began}: the command never ends: {pending!r}")


def _goes_on(text: str) -> bool:
    if text.endswith("\\"):
        return True
    try:
        shlex.split(text, comments=True)
    except ValueError:
        return True
    return False


def _simple_commands(line: str, written: list[str], where: str) -> Iterator[list[str]]:
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.commenters = "#"
    # Otherwise a word ends at a colon, a comma or a dollar sign too.
    lexer.whitespace_split = True
    try:
        tokens = list(lexer)
    except ValueError as error:
        raise ValueError(f"{where}: {error}: {line!r}") from error
    command: list[str] = []
    rest = iter([*tokens, ";"])
    for token in rest:
        if token in (">", ">>", "<", ">|"):
            target = next(rest)
            if token != "<":
                written.append(target)
        elif token in _OPERATORS or set(token) <= set("|&;()"):
            if words := _without_syntax(command):
                yield words
            command = []
        else:
            command.append(token)


def _without_syntax(words: list[str]) -> list[str]:
    while words and (words[0] in _KEYWORDS or re.fullmatch(r"[A-Za-z_]\w*=.*", words[0], re.DOTALL)):
        words = words[1:]
    if not words or words[0] in _CLOSING or words[0] == "for":
        return []
    return words
