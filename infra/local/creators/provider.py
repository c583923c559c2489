"""An explicit AWS provider: nothing to create, but its settings must hold here too."""

from __future__ import annotations

from infra.local.creators.base import Context, Inputs, Outputs, creates
from infra.local.errors import InvalidPropertyError

__all__ = ["CREATORS"]


@creates(
    "pulumi:providers:aws",
    handled=("region",),
    ignored={
        "skipCredentialsValidation": "set by the SDK on every explicit provider",
        "skipRegionValidation": "set by the SDK on every explicit provider",
    },
)
def provider(inputs: Inputs, context: Context) -> Outputs:
    region = inputs.optional_string("region")
    if region not in (None, context.aws.region):
        raise InvalidPropertyError(
            inputs.type, inputs.name, "region", expected=f"a do emulador ({context.aws.region})", found=str(region)
        )
    return Outputs(inputs.name)


CREATORS = (provider,)
