"""Which gateway credentials a function is given: where it reads them, and the right to read exactly those."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import pulumi
import pulumi_aws as aws

from handlers.domain import environment as env
from handlers.domain.credentials import COBRANCA, CONSULTA, ESTORNO

if TYPE_CHECKING:
    from infra.config import Settings

__all__ = ["GatewayCredentials"]

_VARIABLES: Final = {
    COBRANCA: env.GATEWAY_PARAMETRO_COBRANCA,
    ESTORNO: env.GATEWAY_PARAMETRO_ESTORNO,
    CONSULTA: env.GATEWAY_PARAMETRO_CONSULTA,
}


class GatewayCredentials:
    """The credentials of some operations: ``GatewayCredentials(settings, CONSULTA)``.

    Attributes:
        environment: variables with the parameters' names.
        grants: the parameters' ARNs, under the names `policies.functions` takes.
    """

    def __init__(self, settings: Settings, *operations: str) -> None:
        known = settings.parametros_do_gateway
        account, region = aws.get_caller_identity_output().account_id, aws.get_region_output().region
        self.environment = {_VARIABLES[operation]: known[operation] for operation in operations}
        self.grants: dict[str, pulumi.Input[str]] = {
            f"credencial_{operation}": pulumi.Output.concat(
                "arn:aws:ssm:", region, ":", account, ":parameter", known[operation]
            )
            for operation in operations
        }
