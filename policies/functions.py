"""What each function may do: the calls its code makes, on the resources it makes them on, and its own log.

Each function of this module is one role of design §3; arguments are ARNs. On the orders table each role names the
attributes it touches: only CobrarPagamento can read the card token, and no write can bring an old value back.

What IAM has no condition for: a failed conditional write may ask for the item it met
(``ReturnValuesOnConditionCheckFailure``), so a role that may write an order could read it so. No code of ours asks
(`handlers.domain.orders`); docs/policies.md says it too.
"""

from __future__ import annotations

from typing import Final

from policies.conditions import reading, writing
from policies.documents import PolicyDocument, Statement, allow, document

__all__ = [
    "api",
    "cobrar_pagamento",
    "conciliador",
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

_ID: Final = "pedidoId"
_ESTOQUE: Final = ("sku", "saldo", "reservas")
_LIVRO: Final = (_ID, "status", "cobranca", "estorno", "atualizadoEm")
"""What keeping the payment ledger writes, or sets conditions on."""
_POSTADO: Final = (_ID, "sku", "quantidade", "valorCentavos", "criadoEm", "falhas", "status", "hashConteudo", "cliente")
"""An order as it was posted, but for the card token."""

_INDICES: Final = {"pendentes": "pendenteDesde", "verificacoes": "verificarEm"}
"""The sparse indexes of the orders table, and their sort keys."""
_CONCILIACAO: Final = (
    *(_ID, "sku", "quantidade", "valorCentavos", "criadoEm", "falhas", "status", "atualizadoEm"),
    *("pendenteDesde", "verificarEm", "motivo", "cobranca", "estorno", "caso", "reenvio"),
)
"""What the reconciler looks at: everything but the card token."""


def reservar_estoque(*, log_group: str, estoque: str) -> PolicyDocument:
    """Reserves by one conditional update; the failed condition brings the old item back, so it never reads."""
    return document(_own_logs(log_group), _move_stock(estoque, _ESTOQUE))


def liberar_estoque(*, log_group: str, estoque: str) -> PolicyDocument:
    """As `reservar_estoque`: the amount comes from the entry, inside the update itself."""
    return document(_own_logs(log_group), _move_stock(estoque, _ESTOQUE))


def efetivar_reserva(*, log_group: str, estoque: str, pedidos: str) -> PolicyDocument:
    """Settles the reservation of a confirmed order, and takes the order out of the pending index."""
    return document(
        _own_logs(log_group),
        _move_stock(estoque, ("sku", "reservas")),
        _read_order(pedidos, (_ID, "status")),
        _write_order(pedidos, (_ID, "status", "pendenteDesde")),
    )


def cobrar_pagamento(
    *, log_group: str, pedidos: str, credencial_cobranca: str, credencial_estorno: str, credencial_consulta: str
) -> PolicyDocument:
    """Keeps the payment ledger, reads the card token, and holds every gateway credential.

    The refund's too: a charge that lands on an order being undone gives itself back.
    """
    return document(
        _own_logs(log_group),
        _read_order(pedidos, (_ID, "status", "valorCentavos", "cartaoToken", "cobranca", "estorno")),
        _write_order(pedidos, _LIVRO),
        _credentials(credencial_cobranca, credencial_estorno, credencial_consulta),
    )


def estornar_pagamento(
    *, log_group: str, pedidos: str, credencial_estorno: str, credencial_consulta: str
) -> PolicyDocument:
    """Claims the order, keeps the payment ledger, and cannot charge: it has neither the token nor the credential."""
    return document(
        _own_logs(log_group),
        _read_order(pedidos, (_ID, "status", "cobranca", "estorno")),
        _write_order(pedidos, (*_LIVRO, "cartaoToken")),
        _credentials(credencial_estorno, credencial_consulta),
    )


def confirmar_pedido(*, log_group: str, pedidos: str) -> PolicyDocument:
    """Writes CONFIRMADO, or reads why it may not."""
    return document(
        _own_logs(log_group),
        _read_order(pedidos, (_ID, "status")),
        _write_order(pedidos, (_ID, "status", "cobranca", "cartaoToken", "atualizadoEm")),
    )


def api(*, log_group: str, pedidos: str, criados: str) -> PolicyDocument:
    """Accepts, answers about and announces orders: it writes a card token and can never read one."""
    return document(
        _own_logs(log_group),
        _read_order(pedidos, (*_POSTADO, "atualizadoEm", "motivo", "cobranca")),
        allow(
            "CriarPedido",
            [_PUT],
            [pedidos],
            when=writing((*_POSTADO, "cartaoToken", "atualizadoEm", "pendenteDesde")),
        ),
        allow("Anunciar", ["sqs:SendMessage"], [criados]),
    )


def iniciador(*, log_group: str, pedidos: str, criados: str, maquina: str) -> PolicyDocument:
    """Reads the entry queue and starts the saga: the only role that may start ``cesta-saga-pedido``."""
    return document(
        _own_logs(log_group),
        _read_order(pedidos, _POSTADO),
        # What a Lambda event source needs of its function's role (Lambda, "Using Lambda with Amazon SQS").
        allow("Consumir", ["sqs:DeleteMessage", "sqs:GetQueueAttributes", "sqs:ReceiveMessage"], [criados]),
        allow("Iniciar", ["states:StartExecution"], [maquina]),
        allow("Comparar", ["states:DescribeExecution"], [execucoes_de(maquina)]),
    )


def conciliador(
    *,
    log_group: str,
    pedidos: str,
    estoque: str,
    criados: str,
    humana: str,
    maquina: str,
    retomada: str,
    credencial_consulta: str,
) -> PolicyDocument:
    """Finds orders by the two indexes, marks them, calls people: it starts nothing and cannot charge or refund."""
    return document(
        _own_logs(log_group),
        allow(
            "AcharPedidos",
            ["dynamodb:Query"],
            [f"{pedidos}/index/{index}" for index in _INDICES],
            when=reading((_ID, "status", *_INDICES.values())),
        ),
        _read_order(pedidos, _CONCILIACAO),
        _write_order(
            pedidos,
            (*_LIVRO, "pendenteDesde", "verificarEm", "caso", "reenvio", "cartaoToken"),
        ),
        allow("LerEstoque", [_GET], [estoque], when=reading(("sku", "reservas"))),
        _move_stock(estoque, ("sku", "reservas")),
        allow("Descrever", ["states:DescribeExecution"], [execucoes_de(maquina), execucoes_de(retomada)]),
        # The order's message again, and the case for a person; the human queue is its on-failure destination too.
        allow("Avisar", ["sqs:SendMessage"], [criados, humana]),
        _credentials(credencial_consulta),
    )


def execucoes_de(maquina: str) -> str:
    """ARN pattern of every execution of a state machine (case C43)."""
    return f"{maquina.replace(':stateMachine:', ':execution:')}:*"


def _read_order(pedidos: str, attributes: tuple[str, ...]) -> Statement:
    return allow("LerPedido", [_GET], [pedidos], when=reading(attributes))


def _write_order(pedidos: str, attributes: tuple[str, ...]) -> Statement:
    return allow("EscreverPedido", [_UPDATE], [pedidos], when=writing(attributes))


def _move_stock(estoque: str, attributes: tuple[str, ...]) -> Statement:
    # The old entry comes back, to tell how much was released: there is no secret on this table.
    return allow("MoverEstoque", [_UPDATE], [estoque], when=writing(attributes, returning=("NONE", "UPDATED_OLD")))


def _credentials(*parameters: str) -> Statement:
    """Secure parameters, each by its own ARN.

    No KMS statement: they are under the account's key for Systems Manager (``aws/ssm``), whose own policy lets in
    whoever may read the parameter through that service (KMS, "AWS managed keys").
    """
    return allow("Credenciais", ["ssm:GetParameter"], parameters)


def _own_logs(log_group: str) -> Statement:
    """Streams and events of the function's own log group, which the stack creates (so no CreateLogGroup)."""
    return allow("Logs", ["logs:CreateLogStream", "logs:PutLogEvents"], [f"{log_group}:*"])
