"""Turns whatever a step raises into the closed set of errors the state machine knows (case C13).

What is not ours is reduced to its class name: an SDK's text may hold the request, and the request may hold the
card token.
"""

from __future__ import annotations

from typing import Final

from botocore.exceptions import ClientError, ConnectionError, HTTPClientError

from handlers.domain.credentials import CredencialInvalidaError
from handlers.domain.errors import CestaError, ConflitoTransitorioError, ErroInesperado
from handlers.domain.settings import SettingError
from handlers.domain.table import MalformedItemError

__all__ = ["as_cesta_error"]

_PASSING_CODES: Final = frozenset(
    {
        "InternalServerError",
        "LimitExceededException",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "ServiceUnavailable",
        "ThrottlingException",
        "TransactionConflictException",
        "TransactionInProgressException",
    }
)
"""Codes after which trying again is right: "Error handling with DynamoDB", DynamoDB Developer Guide."""

_OWN_TEXT: Final = (CredencialInvalidaError, MalformedItemError, SettingError)
"""Errors whose text is our own and carries no value."""


def as_cesta_error(pedido_id: str, error: Exception) -> CestaError:
    """The error to raise in the place of ``error``: itself when it is ours already."""
    cause = type(error).__name__
    if isinstance(error, CestaError):
        return error
    if isinstance(error, _OWN_TEXT):
        return ErroInesperado(pedido_id, str(error), causa=cause)
    if isinstance(error, ConnectionError | HTTPClientError):
        return ConflitoTransitorioError(pedido_id, f"a AWS não respondeu ({cause}); o resultado é desconhecido, repita")
    if isinstance(error, ClientError):
        return _from_aws(pedido_id, error, cause)
    return ErroInesperado(pedido_id, "defeito num passo da saga; veja o log desta tentativa", causa=cause)


def _from_aws(pedido_id: str, error: ClientError, cause: str) -> CestaError:
    code = error.response.get("Error", {}).get("Code", "")
    status = error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", 0)
    told = f"a AWS respondeu {code or 'sem código'} a {error.operation_name}"
    if code in _PASSING_CODES or status >= 500:
        return ConflitoTransitorioError(pedido_id, f"{told}; repita")
    return ErroInesperado(pedido_id, f"{told}; confira permissões e tabelas", causa=cause)
