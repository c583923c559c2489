"""What the gateway simulator reads and remembers: requests, charges and refunds. Pure, no clock, no I/O."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final, Literal

from infra.local.simulator_tokens import TOKEN_PATTERN

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "Cobranca",
    "EstadoCobranca",
    "EstadoEstorno",
    "Estorno",
    "PedidoDeCobranca",
    "PedidoDeEstorno",
    "RequisicaoInvalidaError",
    "chave_valida",
]

_MAX_CENTAVOS: Final = 10**9
_MAX_ID: Final = 64
_MAX_KEY: Final = 255


class RequisicaoInvalidaError(Exception):
    """The request is malformed; the gateway answers 400 and does nothing.

    The message is for the client, in Portuguese, and never repeats the card token.
    """


class EstadoCobranca(StrEnum):
    """Where a charge stands at the gateway."""

    NAO_COBRADA = "nao_cobrada"
    EM_ANDAMENTO = "em_andamento"
    APROVADA = "aprovada"
    RECUSADA = "recusada"


class EstadoEstorno(StrEnum):
    """Where a refund stands at the gateway."""

    NAO_ESTORNADO = "nao_estornado"
    PENDENTE = "pendente"
    CONCLUIDO = "concluido"


@dataclass(frozen=True)
class PedidoDeCobranca:
    """The body of ``POST /cobrancas``."""

    pedido_id: str
    cartao_token: str = field(repr=False)
    valor_centavos: int

    @classmethod
    def de_json(cls, corpo: Mapping[str, object]) -> PedidoDeCobranca:
        """Read the body.

        Raises:
            RequisicaoInvalidaError: a field is missing or has a wrong value.
        """
        cartao_token = corpo.get("cartaoToken")
        if not isinstance(cartao_token, str) or TOKEN_PATTERN.fullmatch(cartao_token) is None:
            raise RequisicaoInvalidaError("cartaoToken: esperado tok- ou tok_ e de 1 a 64 letras, números, _ ou -")
        return cls(pedido_id=_texto(corpo, "pedidoId"), cartao_token=cartao_token, valor_centavos=_centavos(corpo))


@dataclass(frozen=True)
class PedidoDeEstorno:
    """The body of ``POST /estornos``."""

    pedido_id: str
    transacao_id: str
    valor_centavos: int

    @classmethod
    def de_json(cls, corpo: Mapping[str, object]) -> PedidoDeEstorno:
        """Read the body.

        Raises:
            RequisicaoInvalidaError: a field is missing or has a wrong value.
        """
        return cls(
            pedido_id=_texto(corpo, "pedidoId"),
            transacao_id=_texto(corpo, "transacaoId"),
            valor_centavos=_centavos(corpo),
        )


def chave_valida(chave: str | None) -> str:
    """The ``Idempotency-Key``, checked.

    Raises:
        RequisicaoInvalidaError: there is none, or it is longer than 255 characters.
    """
    if not chave or len(chave) > _MAX_KEY:
        raise RequisicaoInvalidaError("cabeçalho Idempotency-Key: obrigatório, de 1 a 255 caracteres")
    return chave


def _texto(corpo: Mapping[str, object], campo: str) -> str:
    valor = corpo.get(campo)
    if not isinstance(valor, str) or not 1 <= len(valor) <= _MAX_ID:
        raise RequisicaoInvalidaError(f"{campo}: esperado um texto de 1 a {_MAX_ID} caracteres")
    return valor


def _centavos(corpo: Mapping[str, object]) -> int:
    valor = corpo.get("valorCentavos")
    if not isinstance(valor, int) or isinstance(valor, bool) or not 1 <= valor <= _MAX_CENTAVOS:
        raise RequisicaoInvalidaError(f"valorCentavos: esperado um inteiro de 1 a {_MAX_CENTAVOS}")
    return valor


@dataclass
class Cobranca:
    """One key's charge, with every attempt at it.

    Attributes:
        numero: its place in the order things began.
        primeira_em: when the key was first seen, epoch seconds of the simulator's clock; a key lives 24 h from it.
        ultimo_sinal_em: the last moment a client was asking for it; a late charge lands counted from here.
        transacao_id: set once the bank decided (approved or refused).
        esperando: attempts hanging right now; a fact of this process, not stored.
    """

    numero: int
    chave: str
    pedido: PedidoDeCobranca
    primeira_em: float
    ultimo_sinal_em: float
    tentativas: int = 0
    estado: EstadoCobranca = EstadoCobranca.NAO_COBRADA
    transacao_id: str | None = None
    esperando: int = 0

    tipo: Literal["cobranca"] = "cobranca"

    @property
    def consumida(self) -> bool:
        """Whether the key is bound to this body: something was done, or may yet be, under it."""
        return self.estado is not EstadoCobranca.NAO_COBRADA or self.esperando > 0

    @property
    def valor_movido(self) -> int:
        """Money taken, centavos."""
        return self.pedido.valor_centavos if self.estado is EstadoCobranca.APROVADA else 0


@dataclass
class Estorno:
    """One key's refund, with every attempt at it.

    Attributes:
        numero: as in `Cobranca`.
        primeira_em: as in `Cobranca`.
        consultas: look-ups answered while it was pending.
        estorno_id: set once the gateway took the refund on.
    """

    numero: int
    chave: str
    pedido: PedidoDeEstorno
    primeira_em: float
    tentativas: int = 0
    estado: EstadoEstorno = EstadoEstorno.NAO_ESTORNADO
    estorno_id: str | None = None
    consultas: int = 0

    tipo: Literal["estorno"] = "estorno"

    @property
    def consumida(self) -> bool:
        """Whether the key is bound to this body."""
        return self.estado is not EstadoEstorno.NAO_ESTORNADO

    @property
    def valor_movido(self) -> int:
        """Money given back, centavos; a pending refund has moved none yet."""
        return self.pedido.valor_centavos if self.estado is EstadoEstorno.CONCLUIDO else 0
