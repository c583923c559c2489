"""Data flow: on every path, success and catch, everything a state reads is surely there.

The machine is walked symbolically from its start: what is carried is the shape of the state's input, and a state is
walked again only with a shape that lacks something no earlier one lacked. What a person or another system answers
is trusted only after a Choice has tested it.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from infra.saga.asl import submachines
from infra.saga.checks import choices
from infra.saga.checks.attributes import attribute_types
from infra.saga.checks.findings import finding
from infra.saga.checks.machine import Machine, integration
from infra.saga.checks.paths import Path, PathSyntaxError, read_path, reference_path
from infra.saga.checks.reads import reads_of, written_keys
from infra.saga.checks.shapes import (
    ANSWER,
    ANY,
    CAUGHT,
    EMPTY,
    NUMBER,
    TEXT,
    Shape,
    holds_less,
    look,
    maybe,
    of_kind,
    put,
    record,
)
from infra.saga.checks.templates import template_shape

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from infra.saga.asl import State
    from infra.saga.checks.findings import Facts, Finding
    from infra.saga.checks.machine import Integration

__all__ = ["check_dataflow", "input_shape"]

_MOST_VISITS = 5_000

_CONTEXT = record({
    "Execution": record({
        "Id": TEXT, "Input": ANY, "Name": TEXT, "RoleArn": TEXT, "StartTime": TEXT, "RedriveCount": NUMBER,
        "RedriveTime": maybe(TEXT),
    }),
    "State": record({"EnteredTime": TEXT, "Name": TEXT, "RetryCount": NUMBER}),
    "StateMachine": record({"Id": TEXT, "Name": TEXT}),
    "Task": record({"Token": TEXT}),
    "Map": ANY,
})  # fmt: skip
"""Step Functions, "Accessing execution data from the Context object"."""


@dataclass(frozen=True)
class _Visit:
    """A state reached with some data, and how it was reached."""

    name: str
    data: Shape
    trail: tuple[str, ...]


def input_shape(machine: Machine, facts: Facts) -> Shape:
    """What an execution starts with: the fields given, or else those read that no state writes."""
    if facts.input_fields is not None:
        return record({name: of_kind(kind) for name, kind in facts.input_fields.items()})
    read = {path.names[0] for state in machine.states.values() for path in reads_of(state) if path.names}
    return record(dict.fromkeys(read - written_keys(machine), ANY))


def check_dataflow(machine: Machine, facts: Facts) -> Iterator[Finding]:
    """Every reference that some path leaves without what it reads, with the shortest such path."""
    yield from _Walk(machine, facts).findings(input_shape(machine, facts))


class _Walk:
    def __init__(self, machine: Machine, facts: Facts) -> None:
        self.machine = machine
        self.facts = facts
        self.found: dict[tuple[str, str, str], Finding] = {}
        self.visit = _Visit("", EMPTY, ())
        self.assumed: list[Path] = []

    def findings(self, start: Shape) -> Iterator[Finding]:
        waiting = deque([_Visit(self.machine.start, start, ())])
        seen: dict[str, list[Shape]] = {name: [] for name in self.machine.states}
        visits = 0
        while waiting:
            visit = waiting.popleft()
            if visit.name not in seen or any(holds_less(data, visit.data) for data in seen[visit.name]):
                continue
            seen[visit.name].append(visit.data)
            visits += 1
            if visits > _MOST_VISITS:
                yield finding(
                    "SG404",
                    "",
                    "há combinações demais de dados para seguir todas",
                    "divida a máquina",
                    severity="aviso",
                )
                break
            self.visit = visit
            self.assumed = []
            waiting.extend(self._after(visit, self.machine.states[visit.name]))
        yield from self.found.values()

    # --- One state ---

    def _after(self, visit: _Visit, state: State) -> Iterator[_Visit]:
        trail = (*visit.trail, visit.name)
        given = self._select(state, "InputPath", visit.data)
        if state.get("Type") == "Choice":
            for target, data in choices.outcomes(state, given, self._resolve):
                yield _Visit(target, self._select(state, "OutputPath", data), trail)
            return
        result = self._result(state, given)
        visit = replace(visit, data=self._with_assumed(visit.data))
        after = self._select(state, "OutputPath", self._write(state, visit.data, result))
        if after.kind == "any" and state.get("Type") == "Task":
            # A function's answer took the place of the whole data: beside it, it would have been taken on trust.
            after = ANSWER
        for catcher in state.get("Catch", ()):
            if "Next" in catcher:
                failed = f"{visit.name} (falha: {', '.join(catcher['ErrorEquals'])})"
                yield _Visit(catcher["Next"], self._write(catcher, visit.data, CAUGHT), (*visit.trail, failed))
        if "Next" in state:
            yield _Visit(state["Next"], after, trail)

    def _with_assumed(self, data: Shape) -> Shape:
        """``data`` with what was missing: without it the execution ends here, so what follows had it."""
        for path in self.assumed:
            data = put(data, path.names, ANY)
        return data

    def _result(self, state: State, given: Shape) -> Shape:
        """What the state makes, before ResultPath."""
        self._read_single_paths(state, given)
        made = given
        if "Parameters" in state:
            made = template_shape(state["Parameters"], lambda path: self._resolve(path, given))
        match state.get("Type"):
            case "Task":
                called = integration(state)
                self._attribute_types(called, state, made)
                result = _answer(called)
            case "Parallel" | "Map":
                self._inside(state, made, given)
                result = ANY
            case "Pass":
                result = template_shape(state["Result"], lambda _: ANY) if "Result" in state else made
            case _:
                return given
        if "ResultSelector" in state:
            return template_shape(state["ResultSelector"], lambda path: self._resolve(path, result))
        return result

    def _inside(self, state: State, made: Shape, given: Shape) -> None:
        """The machines a Parallel or Map holds, each walked with what it is given."""
        if "ItemSelector" in state:
            made = template_shape(state["ItemSelector"], lambda path: self._resolve(path, given))
        elif state.get("Type") == "Map":
            made = ANY
        for definition in submachines(state):
            inner = _Walk(Machine(definition, inside=True), replace(self.facts, input_fields=None))
            for item in inner.findings(made):
                self.found.setdefault((item.codigo, item.estado, item.mensagem), item)

    def _read_single_paths(self, state: State, given: Shape) -> None:
        for path in reads_of(state, templates=False):
            self._resolve(path, given)

    def _attribute_types(self, called: Integration | None, state: State, made: Shape) -> None:
        if called is None or called.service != "dynamodb":
            return
        for wrong in attribute_types(state.get("Parameters"), made):
            key = ("SG505", self.visit.name, wrong.where)
            self.found.setdefault(
                key,
                finding(
                    "SG505", self.visit.name, f"{wrong.where}: {wrong.problem}", wrong.mend, severity=wrong.severity
                ),
            )

    # --- Paths ---

    def _select(self, state: State, field: str, data: Shape) -> Shape:
        """InputPath or OutputPath: null is an empty object."""
        if field not in state:
            return data
        if state[field] is None:
            return EMPTY
        try:
            path = read_path(str(state[field]))
        except PathSyntaxError:
            return ANY
        found = self._resolve(path, data)
        return found if path.exact else ANY

    def _write(self, place: State, data: Shape, value: Shape) -> Shape:
        """What ResultPath makes of the state's input."""
        target = place.get("ResultPath", "$")
        if target is None:
            return data
        try:
            return put(data, reference_path(str(target)).names, value)
        except PathSyntaxError:
            return data

    def _resolve(self, path: Path, data: Shape) -> Shape:
        """What is at ``path``; what may not be there becomes a finding."""
        if path.root not in ("$", "$$"):
            return ANY
        status, shape = look(_CONTEXT if path.root == "$$" else data, path.names)
        if status == "missing" and "Cause" not in path.names[:-1]:
            self._report("SG404", path, "pode não existir aqui", _mend_missing(path))
        elif status == "answer":
            mend = "guarde a resposta ao lado com ResultPath, ou teste IsPresent antes"
            self._report("SG407", path, "só existe se quem respondeu o devolveu", mend)
        elif status == "maybe" and path.names[-1] != "Cause":
            self._report("SG404", path, "pode faltar na resposta", "teste IsPresent antes de lê-lo")
        return shape

    def _report(self, code: str, path: Path, problem: str, mend: str) -> None:
        if path.root == "$":
            self.assumed.append(path)
        key = (code, self.visit.name, path.text)
        if key in self.found:
            return
        # Breadth first, so the first way found is the shortest.
        way = " → ".join((*self.visit.trail, self.visit.name))
        self.found[key] = finding(code, self.visit.name, f"{path.text} {problem} (caminho: {way})", mend)


def _mend_missing(path: Path) -> str:
    if path.root == "$$":
        return "veja os campos do objeto de contexto"
    return "corrija o nome, ou escreva o campo em todos os caminhos até aqui"


_METADATA: Mapping[str, Shape] = {"SdkHttpMetadata": ANY, "SdkResponseMetadata": ANY}
_ANSWERS: Mapping[str, Mapping[str, Shape]] = {
    "lambda": {"StatusCode": NUMBER, "Payload": ANY, "ExecutedVersion": TEXT},
    "dynamodb": {
        "Item": maybe(ANY),
        "Attributes": maybe(ANY),
        "ConsumedCapacity": maybe(ANY),
        "ItemCollectionMetrics": maybe(ANY),
    },
    "sqs": {"MessageId": TEXT, "MD5OfMessageBody": TEXT, "MD5OfMessageAttributes": maybe(TEXT)},
    "sns": {"MessageId": TEXT, "SequenceNumber": maybe(TEXT)},
}


def _answer(called: Integration | None) -> Shape:
    """What a Task's call gives back."""
    if called is None or called.direct or called.sdk:
        return ANY
    if called.waits:
        return ANSWER
    fields = _ANSWERS.get(called.service)
    return ANY if fields is None else record({**_METADATA, **fields})
