"""What each function may do: the calls its code makes, on the resources it makes them on, and its own log.

Each function of this module is one role of design §3; arguments are ARNs.
"""

from __future__ import annotations

from typing import Final

from policies.documents import PolicyDocument, Statement, allow, document

__all__ = [
    "api",
    "cobrar_pagamento",
    "confirmar_pedido",
    "efetivar_reserva",
    "estornar_pagamento",
    "execucoes_de",
    "iniciador",
    "liberar_estoque",
    "reservar_estoque",
]

_GET: Final = "dynamodb:GetItem"
_PUT: Final = "dynamodb:PutItem"
_UPDATE: Final = "dynamodb:UpdateItem"


def reservar_estoque(*, log_group: str, estoque: str) -> PolicyDocument:
    """Reserves by one conditional update; the failed condition brings the old item back, so it never reads."""
    return document(_own_logs(log_group), allow("Estoque", [_UPDATE], [estoque]))


def liberar_estoque(*, log_group: str, estoque: str) -> PolicyDocument:
    """As `reservar_estoque`: the amount comes from the entry, inside the update itself."""
    return document(_own_logs(log_group), allow("Estoque", [_UPDATE], [estoque]))


def efetivar_reserva(*, log_group: str, estoque: str, pedidos: str) -> PolicyDocument:
    """Settles the reservation of a confirmed order, and takes the order out of the pending index."""
    return document(
        _own_logs(log_group),
        allow("Estoque", [_UPDATE], [estoque]),
        allow("Pedidos", [_GET, _UPDATE], [pedidos]),
    )


def cobrar_pagamento(*, log_group: str, pedidos: str) -> PolicyDocument:
    """Keeps the payment ledger; the gateway is outside AWS."""
    return _pedidos(log_group, pedidos)


def estornar_pagamento(*, log_group: str, pedidos: str) -> PolicyDocument:
    """Keeps the payment ledger; the gateway is outside AWS."""
    return _pedidos(log_group, pedidos)


def confirmar_pedido(*, log_group: str, pedidos: str) -> PolicyDocument:
    """Writes CONFIRMADO, or reads why it may not."""
    return _pedidos(log_group, pedidos)


def api(*, log_group: str, pedidos: str, criados: str) -> PolicyDocument:
    """Accepts, answers about and announces orders."""
    return document(
        _own_logs(log_group),
        allow("Pedidos", [_GET, _PUT], [pedidos]),
        allow("Anunciar", ["sqs:SendMessage"], [criados]),
    )


def iniciador(*, log_group: str, pedidos: str, criados: str, maquina: str) -> PolicyDocument:
    """Reads the entry queue and starts the saga: the only role that may start ``cesta-saga-pedido``."""
    return document(
        _own_logs(log_group),
        allow("Pedidos", [_GET], [pedidos]),
        # What a Lambda event source needs of its function's role (Lambda, "Using Lambda with Amazon SQS").
        allow("Consumir", ["sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage"], [criados]),
        allow("Iniciar", ["states:StartExecution"], [maquina]),
        allow("Comparar", ["states:DescribeExecution"], [execucoes_de(maquina)]),
    )


def execucoes_de(maquina: str) -> str:
    """ARN pattern of every execution of a state machine (case C43)."""
    return f"{maquina.replace(':stateMachine:', ':execution:')}:*"


def _pedidos(log_group: str, pedidos: str) -> PolicyDocument:
    return document(_own_logs(log_group), allow("Pedidos", [_GET, _UPDATE], [pedidos]))


def _own_logs(log_group: str) -> Statement:
    """Streams and events of the function's own log group, which the stack creates (so no CreateLogGroup)."""
    return allow("Logs", ["logs:CreateLogStream", "logs:PutLogEvents"], [f"{log_group}:*"])
