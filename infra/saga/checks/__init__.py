"""Checks on any Amazon States Language definition, ours or anybody's (JSONPath).

    >>> for item in check(parse(text)):
    ...     print(item.codigo, item.estado, item.mensagem)

Each finding says what is wrong, why it hurts and how to mend it; docs/checks.md explains every code. What the
checks cannot see (whether the arrows undo what was done) is for `infra.saga.explorer`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from infra.saga.asl import parse
from infra.saga.checks.catalog import CATALOG
from infra.saga.checks.dataflow import check_dataflow
from infra.saga.checks.dynamodb import check_dynamodb
from infra.saga.checks.findings import Facts, Finding, finding
from infra.saga.checks.integrations import check_integrations
from infra.saga.checks.limits import check_limits
from infra.saga.checks.machine import machines
from infra.saga.checks.results import check_results
from infra.saga.checks.retries import check_retries
from infra.saga.checks.structure import check_structure
from infra.saga.checks.timeouts import check_timeouts
from infra.saga.errors import DefinitionError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from infra.saga.asl import Definition
    from infra.saga.checks.machine import Machine

__all__ = ["CATALOG", "Facts", "Finding", "check", "check_text"]


def check(definition: Definition, facts: Facts | None = None) -> list[Finding]:
    """What is wrong with ``definition``, by code and then by state; empty when nothing is.

    Args:
        definition: as `infra.saga.asl.parse` or the compiler give it.
        facts: what the definition itself does not say.
    """
    known = facts or Facts()
    found = [item for machine in machines(definition) for item in _check_machine(machine, known)]
    found += check_dataflow(next(machines(definition)), known)
    order = {name: position for position, name in enumerate(definition["States"])}
    unique = dict.fromkeys(found)
    return sorted(unique, key=lambda item: (item.codigo, order.get(item.estado, -1), item.mensagem))


def check_text(text: str, facts: Facts | None = None, *, source: str = "") -> list[Finding]:
    """`check` of a text; what cannot be read is a finding too."""
    try:
        definition = parse(text, source=source)
    except DefinitionError as error:
        return [finding(error.code, error.where, error.problem, error.mend)]
    return check(definition, facts)


def _check_machine(machine: Machine, facts: Facts) -> Iterator[Finding]:
    yield from check_structure(machine)
    yield from check_retries(machine)
    yield from check_timeouts(machine, facts)
    yield from check_results(machine, facts)
    yield from check_integrations(machine)
    yield from check_dynamodb(machine)
    yield from check_limits(machine)
