"""The payment gateway's credentials, one per operation, from Parameter Store.

A function reads the parameters it was told of and no other (its role allows no other): the refund's function has no
charge credential to lose. They are kept in the process's memory alone, and read again after a while, or when the
gateway refuses one, so that a rotated credential needs no deploy.
"""

from __future__ import annotations

import re
import time
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mypy_boto3_ssm import SSMClient

    from handlers.domain.clock import Clock

__all__ = [
    "COBRANCA",
    "CONSULTA",
    "ESTORNO",
    "VALIDADE_SEGUNDOS",
    "Credenciais",
    "CredenciaisDoParameterStore",
    "CredencialInvalidaError",
]

COBRANCA: Final = "cobranca"
ESTORNO: Final = "estorno"
CONSULTA: Final = "consulta"
"""The gateway's operations, each with a credential of its own."""

VALIDADE_SEGUNDOS: Final = 300
"""How long a credential is used without being read again, in seconds."""

_HEADER_SAFE: Final = re.compile(r"[!-~]{1,4096}")


class CredencialInvalidaError(Exception):
    """A parameter holds what cannot be a credential. The text names the parameter and never shows its value.

    Attributes:
        parametro: the parameter's name.
    """

    def __init__(self, parametro: str) -> None:
        self.parametro = parametro
        super().__init__(
            f"o parâmetro {parametro} deveria ter de 1 a 4096 caracteres ASCII visíveis, sem espaços; grave-o de novo"
        )


class Credenciais(Protocol):
    """Where a gateway client takes credentials from."""

    def ler(self, operacao: str) -> str | None:
        """The operation's credential; None where this function has none."""
        ...

    def esquecer(self, operacao: str) -> None:
        """Read it again next time: the gateway refused it."""
        ...


class CredenciaisDoParameterStore:
    """Credentials in SecureString parameters, decrypted by Systems Manager."""

    def __init__(
        self, client: Callable[[], SSMClient], parametros: Mapping[str, str], *, agora: Clock = time.monotonic
    ) -> None:
        """Nothing is read yet, and no client made.

        Args:
            client: makes, or gives, the Systems Manager client.
            parametros: names by operation; an operation that is absent has no credential.
            agora: the clock, in seconds.
        """
        self._client = client
        self._parametros = parametros
        self._agora = agora
        self._lidas: dict[str, tuple[str, float]] = {}

    def ler(self, operacao: str) -> str | None:
        """The operation's credential, read at most once every `VALIDADE_SEGUNDOS`.

        Raises:
            botocore.exceptions.ClientError: the parameter does not exist, or the role may not read it.
            CredencialInvalidaError: it holds what cannot be sent.
        """
        parametro = self._parametros.get(operacao)
        if parametro is None:
            return None
        lida = self._lidas.get(operacao)
        if lida is not None and self._agora() < lida[1]:
            return lida[0]
        answer = self._client().get_parameter(Name=parametro, WithDecryption=True)
        valor = answer["Parameter"].get("Value", "")
        if _HEADER_SAFE.fullmatch(valor) is None:
            raise CredencialInvalidaError(parametro)
        self._lidas[operacao] = (valor, self._agora() + VALIDADE_SEGUNDOS)
        return valor

    def esquecer(self, operacao: str) -> None:
        """Read the operation's credential again next time."""
        self._lidas.pop(operacao, None)
