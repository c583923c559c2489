"""X-Ray, where the stack asks for it: the API, every function and every machine, and nobody else's rights."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from infra.declared import material_of
from policies.declared import declarations
from policies.evaluation.verification import verify
from tests.infra.harness import GATEWAY

if TYPE_CHECKING:
    from tests.infra.harness import Run

pytestmark = pytest.mark.infra


def test_nothing_is_traced_unless_the_stack_says_so(stack: Run) -> None:
    assert not [function for function in stack.of("lambda/function:Function") if "tracingConfig" in function.inputs]
    assert not [
        machine for machine in stack.of("sfn/stateMachine:StateMachine") if "tracingConfiguration" in machine.inputs
    ]
    (stage,) = stack.of("apigateway/stage:Stage")
    assert stage.inputs["xrayTracingEnabled"] is False
    assert not [policy for policy in stack.of("iam/rolePolicy:RolePolicy") if "xray:" in policy.inputs["policy"]]


def test_a_traced_stack_is_traced_from_the_door_to_the_last_function(otherwise: Run) -> None:
    functions = otherwise.of("lambda/function:Function")
    assert len(functions) == 9
    assert all(function.inputs["tracingConfig"] == {"mode": "Active"} for function in functions)
    machines = otherwise.of("sfn/stateMachine:StateMachine")
    assert len(machines) == 2
    assert all(machine.inputs["tracingConfiguration"] == {"enabled": True} for machine in machines)
    (stage,) = otherwise.of("apigateway/stage:Stage")
    assert stage.inputs["xrayTracingEnabled"] is True


def test_its_roles_may_send_traces_and_nothing_else_changes(otherwise: Run) -> None:
    settings = GATEWAY | {"cesta:rastreamento": "true"}
    material = material_of(otherwise, settings)
    assert list(verify(material, declarations(material))) == []
    untraced = material_of(otherwise, GATEWAY)
    found = {(finding.papel, finding.sid) for finding in verify(untraced, declarations(untraced))}
    # Each of them would be seen if it were there uncalled for.
    assert {sid for _, sid in found} == {"Rastrear"}
    assert len(found) == 11
