"""Roles and their inline policies."""

from __future__ import annotations

from infra.local.creators.base import Context, Inputs, Outputs, creates

__all__ = ["CREATORS"]


@creates("aws:iam/role:Role", handled=("name", "assumeRolePolicy", "description", "tags"))
def role(inputs: Inputs, context: Context) -> Outputs:
    answer = context.aws.client("iam").create_role(
        RoleName=inputs.string("name"),
        AssumeRolePolicyDocument=inputs.string("assumeRolePolicy"),
        Description=inputs.optional_string("description") or "",
        Tags=[{"Key": key, "Value": value} for key, value in inputs.string_map("tags").items()],
    )
    return Outputs(inputs.string("name"), {"arn": answer["Role"]["Arn"]})


@creates("aws:iam/rolePolicy:RolePolicy", handled=("name", "role", "policy"))
def role_policy(inputs: Inputs, context: Context) -> Outputs:
    role_name, name = inputs.string("role"), inputs.string("name")
    context.aws.client("iam").put_role_policy(
        RoleName=role_name, PolicyName=name, PolicyDocument=inputs.string("policy")
    )
    return Outputs(f"{role_name}:{name}")


CREATORS = (role, role_policy)
