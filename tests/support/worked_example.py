"""Follows a document as its reader would: applies its diffs, writes its files, types its commands, on a copy.

``python -m tests.support.worked_example`` writes what the commands really print into docs/change-the-saga.md, and then
proves the saga that results on an embedded stack of its own (``make worked-example``).
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from infra.packaging import ROOT
from tests.support.markdown import PROMPT, blocks

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.markdown import Block

__all__ = ["DOCUMENT", "Answer", "copy_repository", "follow", "mismatch"]

DOCUMENT = ROOT / "docs" / "change-the-saga.md"
COPIED = ("api", "handlers", "infra", "policies", "tests", "docs")
LEFT_OUT = ("__pycache__", ".cesta", "img", "fuzz", "campaign")
ELIDED = "..."
_NEW_FILE = re.compile(r"^`(?P<path>[\w./-]+)`:$")
_SECONDS = re.compile(r"\b\d+\.\d\d s$")


@dataclass(frozen=True)
class Answer:
    """A command of the document, what the document says it prints, and what it printed."""

    block: Block
    said: list[str]
    printed: list[str]


def copy_repository(to: Path) -> None:
    """What the document works on."""
    for folder in COPIED:
        shutil.copytree(ROOT / folder, to / folder, ignore=shutil.ignore_patterns(*LEFT_OUT))
    for file in (*ROOT.glob("*.yaml"), ROOT / "pyproject.toml"):
        shutil.copy(file, to)


def follow(document: Path, copy: Path, *, leaving_out: tuple[str, ...] = ()) -> Iterator[Answer]:
    """Each command's answer, in order; diffs and files are applied on the way.

    Args:
        document: what is followed.
        copy: where.
        leaving_out: commands that begin with one of these are not run.

    Raises:
        AssertionError: a diff does not apply.
    """
    for block in blocks(document):
        if block.tag == "diff":
            patch = "\n".join(block.lines) + "\n"
            applied = subprocess.run(
                ["git", "apply", "--whitespace=nowarn", "-"],
                cwd=copy,
                input=patch,
                text=True,
                capture_output=True,
                check=False,
            )
            if applied.returncode:
                raise AssertionError(f"{document.name}:{block.line}: the diff does not apply: {applied.stderr}")
        elif new := _NEW_FILE.match(block.before):
            (copy / new["path"]).write_text("\n".join(block.lines) + "\n", encoding="utf-8")
        elif block.tag == "console":
            command, *said = block.lines
            typed = command.removeprefix(PROMPT)
            if not typed.startswith(leaving_out):
                yield Answer(block, said, _printed(typed, copy))


def _printed(command: str, copy: Path) -> list[str]:
    program, *arguments = shlex.split(command)
    argv = {"cesta": [sys.executable, "-m", "infra.cli"], "python": [sys.executable]}[program] + arguments
    environment = {**os.environ, "PYTHONPATH": str(copy), "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "200"}
    done = subprocess.run(
        argv,
        cwd=copy,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        timeout=300,
    )
    return [line.rstrip() for line in done.stdout.rstrip().splitlines()]


def mismatch(answer: Answer) -> str:
    """Where what was printed is not what the document says; "" when it is, but for times and what it leaves out."""
    pattern = ""
    for line in answer.said:
        # A line of its own stands for any lines, within a line for any text.
        text = (
            "(?:.*\n)*?" if line.strip() == ELIDED else ".*".join(map(re.escape, _timeless(line).split(ELIDED))) + "\n"
        )
        pattern += text
    printed = "".join(f"{_timeless(line)}\n" for line in answer.printed)
    if re.fullmatch(pattern, printed):
        return ""
    return f"{answer.block.path.name}:{answer.block.line}: printed\n{printed}\ninstead of\n" + "\n".join(answer.said)


def _timeless(line: str) -> str:
    return _SECONDS.sub("T s", line)


def main() -> int:
    """Write what is printed into the document, where it differs; then the proofs. Returns the exit code."""
    with tempfile.TemporaryDirectory() as scratch:
        copy_repository(Path(scratch))
        _write(list(follow(DOCUMENT, Path(scratch))))
        # A copy's zips are its own: nothing of ours is deployed in the place of what the document made.
        proofs = [sys.executable, "-m", "infra.cli", "provas"]
        return subprocess.run(proofs, cwd=scratch, env=os.environ | {"PYTHONPATH": scratch}, check=False).returncode


def _write(answers: list[Answer]) -> None:
    lines = DOCUMENT.read_text(encoding="utf-8").splitlines()
    for answer in reversed(answers):
        if told := mismatch(answer):
            sys.stderr.write(f"written again: {told}\n")
            first = answer.block.line
            lines[first : first + len(answer.said)] = answer.printed
    DOCUMENT.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
