"""Tags on everything that takes them, so that cost reports and clean-up scripts miss nothing."""

from __future__ import annotations

import pulumi

from infra.names import PROJETO

__all__ = ["tag_everything"]


def tag_everything(stack: str) -> None:
    """Adds ``Projeto`` and ``Stack`` to every taggable resource created from here on.

    A transformation rather than a provider with default tags: an explicit provider would ignore the ``aws:`` settings
    of the stack file (profile, role to assume, endpoints), and a resource given no provider would go untagged.
    """
    tags = {"Projeto": PROJETO, "Stack": stack}

    def add(args: pulumi.ResourceTransformationArgs) -> pulumi.ResourceTransformationResult | None:
        if not hasattr(type(args.resource), "tags"):
            return None
        return pulumi.ResourceTransformationResult({**args.props, "tags": tags}, args.opts)

    pulumi.runtime.register_stack_transformation(add)
