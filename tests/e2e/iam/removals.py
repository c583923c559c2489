"""One permission fewer at a time: which order would notice, and where that order must end."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from handlers.domain.status import Etapa, Status

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["NOT_TRIED", "REMOVALS", "SLICE", "Removal"]

_CONFIRMATION_FAILS: Final = {"falhas": {Etapa.CONFIRMAR_PEDIDO.value: "antes"}}


@dataclass(frozen=True)
class Removal:
    """A permission taken away from a role, and what must be seen of the order that needs it.

    Attributes:
        role: short name of the role.
        sid: the statement.
        action: what is taken out of it.
        resource: when given, only this resource (its end) is taken out, and the action stays.
        status: where the order's row must end; None when the API writes none.
        waits_in: the human state the execution must be waiting in; empty when it must have ended.
        net: whether the money must still be taken.
        cartao: the order's card token.
        extra: the order's other fields.
    """

    role: str
    sid: str
    action: str
    status: Status | None
    resource: str = ""
    waits_in: str = ""
    net: bool = False
    cartao: str = "tok-ok"
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @property
    def id(self) -> str:
        """For the test's name."""
        return f"{self.role}-{self.sid}-{(self.resource or self.action).rpartition('/')[2].rpartition(':')[2]}"


_HUMAN: Final = "CompensacaoFalhouParaFilaHumana"
_PENDING: Final = "PendenciaParaFilaHumana"
_UNDONE: Final = Status.FALHOU_COMPENSADO
_CASE: Final = Status.REQUER_INTERVENCAO_HUMANA
_GET, _PUT, _UPDATE = "dynamodb:GetItem", "dynamodb:PutItem", "dynamodb:UpdateItem"
_SECRET: Final = "ssm:GetParameter"

REMOVALS: Final = (
    # Nothing was reserved or charged: undone.
    Removal("reservar-estoque", "MoverEstoque", _UPDATE, _UNDONE),
    # The stock stays held, and a person knows.
    Removal("liberar-estoque", "MoverEstoque", _UPDATE, _CASE, waits_in=_HUMAN, cartao="tok-forcar-recusa"),
    # Confirmed and paid whatever becomes of the settling: a person settles.
    Removal("efetivar-reserva", "LerPedido", _GET, Status.CONFIRMADO, waits_in=_PENDING, net=True),
    Removal("efetivar-reserva", "MoverEstoque", _UPDATE, Status.CONFIRMADO, waits_in=_PENDING, net=True),
    Removal("efetivar-reserva", "EscreverPedido", _UPDATE, Status.CONFIRMADO, waits_in=_PENDING, net=True),
    # Nothing reached the gateway: undone.
    Removal("cobrar-pagamento", "LerPedido", _GET, _UNDONE),
    Removal("cobrar-pagamento", "EscreverPedido", _UPDATE, _UNDONE),
    Removal("cobrar-pagamento", "Credenciais", _SECRET, _UNDONE, resource="gateway/cobranca"),
    # Charged, not confirmed: given back.
    Removal("confirmar-pedido", "EscreverPedido", _UPDATE, _UNDONE),
    # Charged, and the refund cannot be made: a person knows, and the money is in the ledger.
    Removal(
        "estornar-pagamento", "EscreverPedido", _UPDATE, _CASE, waits_in=_HUMAN, net=True, extra=_CONFIRMATION_FAILS
    ),
    Removal("estornar-pagamento", "LerPedido", _GET, _CASE, waits_in=_HUMAN, net=True, extra=_CONFIRMATION_FAILS),
    Removal(
        "estornar-pagamento",
        "Credenciais",
        _SECRET,
        _CASE,
        resource="gateway/estorno",
        waits_in=_HUMAN,
        net=True,
        extra=_CONFIRMATION_FAILS,
    ),
    Removal(
        "estornar-pagamento",
        "Credenciais",
        _SECRET,
        _CASE,
        resource="gateway/consulta",
        waits_in=_HUMAN,
        net=True,
        cartao="tok-timeout-cobrado",
    ),
    # No row, no order: the customer is told to try again.
    Removal("api", "CriarPedido", _PUT, None),
    # The row is the outbox entry: accepted, and sent again by the reconciler.
    Removal("api", "Anunciar", "sqs:SendMessage", Status.RECEBIDO),
    Removal("iniciador", "LerPedido", _GET, Status.RECEBIDO),
    Removal("iniciador", "Iniciar", "states:StartExecution", Status.RECEBIDO),
)

SLICE: Final = ("cobrar-pagamento-Credenciais-cobranca", "api-Anunciar-SendMessage", "iniciador-Iniciar-StartExecution")
"""What ``make test`` tries; ``make iam`` tries all."""

NOT_TRIED: Final = {
    ("*", "logs:CreateLogStream"): "the emulator writes a function's log itself",
    ("*", "logs:PutLogEvents"): "the emulator writes a function's log itself",
    ("iniciador", "sqs:DeleteMessage"): "the emulator's mapping polls as itself (tests/policies)",
    ("iniciador", "sqs:GetQueueAttributes"): "the emulator's mapping polls as itself (tests/policies)",
    ("iniciador", "sqs:ReceiveMessage"): "the emulator's mapping polls as itself (tests/policies)",
    ("iniciador", "states:DescribeExecution"): "only for an execution that exists with another input: tests/api",
    ("api", "dynamodb:GetItem"): "reads alone: tests/policies/test_attributes.py",
    ("confirmar-pedido", "dynamodb:GetItem"): "only when the write is refused: tests/unit/handlers",
    (
        "cobrar-pagamento",
        "gateway/estorno",
    ): "only for a charge that lands on an order being undone: tests/unit/handlers",
    ("cobrar-pagamento", "gateway/consulta"): "only for a key older than 20 h: tests/unit/handlers",
}
"""Permissions of the functions whose loss no order of the campaign would notice, and who shows that they are needed."""
