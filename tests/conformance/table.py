# ruff: noqa: E501  (a page of Markdown)
"""``python -m tests.conformance.table``: docs/conformance.md, from the catalog."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tests.conformance.catalog import AREAS, CATALOG

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tests.conformance.behaviour import Behaviour

__all__ = ["DOCUMENT", "document"]

DOCUMENT: Final = Path(__file__).parents[2] / "docs" / "conformance.md"

_HEAD = """\
<!-- Written by `make conformance` from tests/conformance; a test fails while the two differ. -->

# What we rely on in AWS

{total} facts. Each has its source, the code that would be wrong without it, and how it is shown:

| shown by | facts | what that means |
|---|---|---|
| **probe** | {probes} | an experiment on scratch resources, run on the emulator by `make test`, and on an account by the command below |
| of these, **differs** | {differences} | the emulator does something else, and a test pins what: an upgrade that changes it is noticed |
| **check** | {checks} | a check of ours over every definition ([checks.md](checks.md)) refuses what AWS would refuse or lose |
| **test** | {tests} | a test elsewhere: the program declares it, or the code stands it |
| **only on AWS** | {unshown} | nothing here can show it; why, and what holds if it is not so |

A fact may be shown in more than one way. Where the emulator differs, a green run on it proves nothing about that fact: the column says what it does instead.

## On your account

```
AWS_PROFILE=sandbox AWS_REGION=us-east-1 .venv/bin/python -m pytest tests/conformance --alvo aws
```

The same experiments, held to what AWS does rather than to what the emulator does. They make what they need, under names that begin with
`cesta-conformidade-`, and remove it at the end, also after a failure or Ctrl-C. What a run that was killed left is shown, and with `--limpar` removed, by
`.venv/bin/python -m tests.conformance.sweep`. Nothing of a stack is read or touched. The run says at its end how many calls and state transitions it made and what those cost; tables are on demand, and nothing is billed by the hour.
It wants the rights to create and delete what it makes: tables, queues, functions, machines, roles, rules, topics, alarms,
a dashboard, a log group, APIs and a parameter.
"""


def document() -> str:
    """The whole file."""
    kinds = Counter(kind for one in CATALOG for kind in _kinds(one))
    head = _HEAD.format(
        total=len(CATALOG),
        probes=kinds["probe"],
        differences=kinds["differs"],
        checks=kinds["check"],
        tests=kinds["test"],
        unshown=kinds["only on AWS"],
    )
    return "\n".join([head, *(line for area, facts in AREAS.items() for line in _area(area, facts))]).rstrip() + "\n"


def _kinds(one: Behaviour) -> Iterator[str]:
    if one.probe is not None:
        yield "probe"
        if one.probe.emulator is not None:
            yield "differs"
    if one.checks:
        yield "check"
    if one.tests:
        yield "test"
    if one.unshown is not None:
        yield "only on AWS"


def _area(name: str, facts: Sequence[Behaviour]) -> list[str]:
    rows = ["| fact | what AWS does | used by | shown by | the emulator instead |", "|---|---|---|---|---|"]
    return [f"## {name}", "", *rows, *(_row(one) for one in facts), ""]


def _row(one: Behaviour) -> str:
    differs = one.probe.emulator.instead if one.probe and one.probe.emulator else ""
    statement = f"{one.statement} ([{one.source.title}]({one.source.url}))"
    used = ", ".join(f"[`{Path(path).name}`](../{path})" for path in one.used_by)
    cells = (f"`{one.id}`", statement, used, "; ".join(_shown(one)), differs)
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"


def _shown(one: Behaviour) -> Iterator[str]:
    if one.probe is not None:
        yield "**probe**"
    if one.checks:
        yield f"**check** {', '.join(check.code for check in one.checks)}"
    for test in one.tests:
        path, _, name = test.node.partition("::")
        yield f"**test** [`{name}`](../{path})"
    if one.unshown is not None:
        yield f"**only on AWS**: {one.unshown.why}"


def main() -> None:
    """Write the file."""
    DOCUMENT.write_text(document(), encoding="utf-8")


if __name__ == "__main__":
    main()
