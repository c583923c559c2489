"""Whether a command a document gives could be typed: its program, subcommands, options and arguments exist.

Nothing is run. ``cesta`` is held against click, ``make`` against the Makefile, ``python -m`` against what can be
imported, ``aws`` against botocore's model of the service.
"""

from __future__ import annotations

import importlib.util
import re
from contextlib import chdir, contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

import botocore.session
import click
from botocore import xform_name

from infra.cli import main
from infra.packaging import ROOT

if TYPE_CHECKING:
    from collections.abc import Generator, Sequence
    from pathlib import Path

__all__ = ["CHECKED", "PROGRAMS", "action_of", "problem_of", "problem_of_mention", "repository"]

CESTA = {"cesta", ".venv/bin/cesta"}
PYTHON = {"python", "python3", ".venv/bin/python"}
PULUMI = {("preview",), ("up",), ("destroy",), ("stack", "init"), ("config", "set"), ("config",), ("refresh",)}
"""Pulumi's commands ("Pulumi CLI commands"); its program cannot be asked here."""
SHELL = {"cd", "source", "eval", "export", "unset", "read", "echo", "curl", "git", "chalice", "kill"}
PROGRAMS = frozenset({*CESTA, *PYTHON, *SHELL, "make", "aws", "pulumi"})
CHECKED = frozenset({*CESTA, *PYTHON, "make", "aws", "pulumi"})

AWS_GLOBAL = {"--query", "--output", "--region", "--profile", "--max-items", "--no-cli-pager", "--cli-input-json"}
"""AWS CLI, "Command line options"; ``--max-items`` is of every operation that has pages."""
AWS_OWN = {("logs", "tail"): (1, {"--since", "--follow", "--format", "--filter-pattern", "--log-stream-names"})}
"""What the AWS CLI adds to the services: how many words, and which options (AWS CLI reference, "logs tail")."""
CALLED = {("logs", "tail"): ("logs", "filter-log-events")}
"""The operation such a command calls (the AWS CLI's ``awscli/customizations/logs/tail.py``)."""


@contextmanager
def repository(scratch: Path) -> Generator[None]:
    """A working directory with the repository's files in it, where a document may have made more."""
    for entry in ROOT.iterdir():
        if entry.name not in {".git", ".venv"}:
            (scratch / entry.name).symlink_to(entry)
    with chdir(scratch):
        yield


def problem_of(words: Sequence[str]) -> str:
    """Why a command of a code block could not be typed, or "" when it could."""
    program, *arguments = words
    if program in CESTA:
        return _cesta(arguments)
    if program not in PROGRAMS:
        return f"no such program here: {program}"
    return _other(program, arguments)


def problem_of_mention(words: Sequence[str]) -> str:
    """The same for a mention in a sentence, which may leave arguments out."""
    program, *arguments = words
    return _mentioned(arguments) if program in CESTA else _other(program, arguments, whole=False)


def _other(program: str, arguments: Sequence[str], *, whole: bool = True) -> str:
    if program == "make":
        return _make(arguments)
    if program in PYTHON:
        return _python(arguments)
    if program == "pulumi":
        known = any(tuple(arguments[: len(each)]) == each for each in PULUMI)
        return "" if known else f"no such pulumi command: {' '.join(arguments)}"
    if program == "aws":
        return _aws(arguments, whole=whole)
    return ""


# --- cesta -----------------------------------------------------------------------------------------------------------


def _command(arguments: Sequence[str]) -> tuple[click.Command, list[str]]:
    """The command the words lead to, and the words left for it."""
    command: click.Command = main
    left = list(arguments)
    while isinstance(command, click.Group) and left and not left[0].startswith("-"):
        found = command.get_command(click.Context(command), left[0])
        if found is None:
            raise click.UsageError(f"no such command: {left[0]}")
        command, left = found, left[1:]
    return command, left


def _cesta(arguments: Sequence[str]) -> str:
    try:
        command, left = _command(arguments)
        if isinstance(command, click.Group) and not left:
            return "a group without its command"
        with command.make_context("cesta", left):
            return ""
    except click.exceptions.Exit:
        return ""  # --help
    except click.ClickException as error:
        return error.format_message()


def _mentioned(arguments: Sequence[str]) -> str:
    try:
        command, left = _command(arguments)
    except click.UsageError as error:
        return error.format_message()
    known = {name for parameter in command.params for name in (*parameter.opts, *parameter.secondary_opts)} | {"--help"}
    return next((f"no such option: {word}" for word in left if word.startswith("--") and word not in known), "")


# --- make, python, aws -----------------------------------------------------------------------------------------------


def _make(arguments: Sequence[str]) -> str:
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = {name for line in re.findall(r"^\.PHONY:(.*)$", text, re.MULTILINE) for name in line.split()}
    wanted = [word for word in arguments if "=" not in word]
    return next((f"no such target: {target}" for target in wanted if target not in targets), "")


def _python(arguments: Sequence[str]) -> str:
    if arguments[:1] != ["-m"]:
        return "only `python -m MODULE` can be checked"
    try:
        found = importlib.util.find_spec(arguments[1])
        runs = found is not None and (
            found.submodule_search_locations is None or importlib.util.find_spec(f"{arguments[1]}.__main__") is not None
        )
    except ModuleNotFoundError:
        runs = False
    return "" if runs else f"no such module to run: {arguments[1]}"


@cache
def _service(name: str) -> Any:
    return botocore.session.get_session().get_service_model(name)


def _aws(arguments: Sequence[str], *, whole: bool = True) -> str:
    service, operation, *left = [*arguments, "", ""][:2] + list(arguments[2:])
    if (service, operation) in AWS_OWN:
        count, options = AWS_OWN[service, operation]
        given = [word for word in left if word.startswith("--")]
        positional = _positional(left, flags=frozenset({"--follow"}))
        unknown = next((word for word in given if word not in options | AWS_GLOBAL), "")
        if unknown:
            return f"no such option: {unknown}"
        enough = len(positional) == count or (not whole and len(positional) < count)
        return "" if enough else f"takes {count} word(s), has {positional}"
    try:
        model = _service(service)
    except botocore.session.UnknownServiceError:
        return f"no such service: {service}"
    names = {xform_name(name, "-"): name for name in model.operation_names}
    if operation not in names:
        return f"no such operation of {service}: {operation}"
    shape: Any = model.operation_model(names[operation]).input_shape
    declared: dict[str, Any] = shape.members if shape else {}
    members = {"--" + xform_name(name, "-"): member for name, member in declared.items()}
    given = [word for word in left if word.startswith("--")]
    for word in given:
        if word not in members and word not in AWS_GLOBAL and f"--{word.removeprefix('--no-')}" not in members:
            return f"no such option: {word}"
    required = {"--" + xform_name(name, "-") for name in (shape.required_members if shape else ())}
    if whole and (missing := sorted(required - set(given))):
        return f"missing: {', '.join(missing)}"
    flags = frozenset(word for word in given if word in members and members[word].type_name == "boolean")
    lists = frozenset(word for word in given if word in members and members[word].type_name == "list")
    extra = _positional(left, flags=flags, lists=lists)
    return f"words too many: {extra}" if extra else ""


def action_of(command: Sequence[str]) -> str:
    """The IAM action that a command of ``aws``, as service and operation, takes."""
    service, operation = CALLED.get((command[0], command[1]), (command[0], command[1]))
    model = _service(service)
    (name,) = [name for name in model.operation_names if xform_name(name, "-") == operation]
    return f"{model.signing_name}:{name}"


def _positional(words: Sequence[str], *, flags: frozenset[str], lists: frozenset[str] = frozenset()) -> list[str]:
    """Words that are no option's value."""
    found: list[str] = []
    option, taken = "", 0
    for word in words:
        if word.startswith("--"):
            option, taken = word, 0
        elif not option or option in flags or (taken and option not in lists):
            found.append(word)
        else:
            taken += 1
    return found
