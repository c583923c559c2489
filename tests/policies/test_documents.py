"""What is verified is all there is: every policy the program attaches, to whatever it attaches it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from infra.declared import material_of
from infra.dry_run import run_program, stack_file
from policies.deployer import Deployment, UnknownTypeError, implantador

if TYPE_CHECKING:
    from infra.dry_run import Run

pytestmark = pytest.mark.policies


@pytest.fixture(scope="module")
def run() -> Run:
    return run_program("prod", stack_file("prod"))


def statements(value: object) -> list[Any]:
    """The statements of a policy, if the input is one."""
    if not isinstance(value, str) or '"Statement"' not in value:
        return []
    # A log's data protection policy has statements too, and they are not IAM's.
    return [one for one in json.loads(value)["Statement"] if "Effect" in one]


def test_every_policy_of_the_program_is_in_what_is_verified(run: Run) -> None:
    declared = [one for resource in run.resources for value in resource.inputs.values() for one in statements(value)]
    permissions = run.of("lambda/permission:Permission")
    material = material_of(run, stack_file("prod"))
    documents = (*material.identity.items(), *material.trust.items(), *material.resource.items())
    people = ("suporte", "operador", "implantador-dados", "implantador-papeis", "implantador-codigo")
    verified = [one for name, document in documents if name not in people for one in document["Statement"]]
    assert len(verified) == len(declared) + len(permissions)
    assert [one for one in declared if one not in verified] == []
    attached = [(resource.inputs["policyArn"]) for resource in run.resources if "policyArn" in resource.inputs]
    assert sorted(attached) == sorted(arn for arns in material.attached.values() for arn in arns)


def test_no_role_is_given_policies_in_any_other_way(run: Run) -> None:
    for role in run.of("iam/role:Role"):
        assert not {"inlinePolicies", "managedPolicyArns"} & role.inputs.keys()
    kinds = {resource.typ for resource in run.resources if "iam/" in resource.typ}
    assert kinds <= {
        "aws:iam/role:Role",
        "aws:iam/rolePolicy:RolePolicy",
        "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
    }


def test_each_role_has_one_inline_policy_so_its_size_is_the_role_s(run: Run) -> None:
    roles = [policy.inputs["role"] for policy in run.of("iam/rolePolicy:RolePolicy")]
    assert len(roles) == len(set(roles))


def test_a_resource_type_the_deployer_knows_no_calls_for_is_an_error() -> None:
    declared = {"aws:iam/role:Role": ["arn"], "aws:ec2/instance:Instance": []}
    with pytest.raises(UnknownTypeError, match="aws:ec2/instance:Instance") as refused:
        implantador(Deployment(declared, {}, {}, "arn", "arn", "us-east-1", "123456789012"))
    assert refused.value.types == ["aws:ec2/instance:Instance"]
