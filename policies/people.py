"""What people may do to a running stack: the roles an administrator hands to support and to who is on call.

The stack does not create them (who takes them, and through which identity provider, is the account's own matter):
``cesta politicas mostrar --papel suporte --json`` prints the document to attach.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from policies.conditions import reading
from policies.documents import PolicyDocument, Statement, allow, document
from policies.functions import execucoes_de

__all__ = ["ORDER_ATTRIBUTES", "Workplace", "operador", "suporte"]

ORDER_ATTRIBUTES: Final = (
    *("pedidoId", "sku", "quantidade", "valorCentavos", "criadoEm", "status", "atualizadoEm", "pendenteDesde"),
    *("motivo", "detalhe", "caso", "cobranca", "estorno", "responsavel", "justificativa"),
    *("resolucao", "decididoEm", "verificarEm", "falhas", "reenvio"),
)
"""What ``cesta pedido`` shows of an order: everything but the card token and what was hashed with it."""


@dataclass(frozen=True)
class Workplace:
    """ARNs of what support and operators work with.

    Attributes:
        pedidos: the orders table.
        estoque: the stock table.
        humana: the queue of cases.
        filas: every queue of the stack, the human one among them.
        maquina: ``cesta-saga-pedido``.
        retomada: ``cesta-saga-retomada``.
        cobranca: the charge's function, whose configuration names the gateway.
        apis: pattern of the region's REST APIs (``arn:aws:apigateway:REGION::/restapis``).
        topico: the alarms' topic.
    """

    pedidos: str
    estoque: str
    humana: str
    filas: tuple[str, ...]
    maquina: str
    retomada: str
    cobranca: str
    apis: str
    topico: str


def suporte(at: Workplace) -> PolicyDocument:
    """Support says where an order stopped (``cesta pedido``): it reads, and never a card token."""
    return document(*_look(at))


def operador(at: Workplace) -> PolicyDocument:
    """Who is on call reads the cases, decides them, and resumes a dead execution; never starts or charges an order."""
    return document(
        *_look(at),
        # Read, put back, and remove: a case that was answered must not be answered twice.
        allow(
            "Casos",
            ["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:ChangeMessageVisibility", "sqs:GetQueueAttributes"],
            [at.humana],
        ),
        # Step Functions takes no resource here: the token in the case is the capability, treated like a password.
        allow("Responder", ["states:SendTaskSuccess", "states:SendTaskFailure"], ["*"]),
        allow("Retomar", ["states:StartExecution"], [at.retomada]),
        # One whose token is lost only waits; it is stopped once the order goes on in the resumption.
        allow("Parar", ["states:StopExecution"], [execucoes_de(maquina) for maquina in (at.maquina, at.retomada)]),
        # A case whose message is lost is found by its order.
        allow(
            "AcharCasos",
            ["dynamodb:Query"],
            [f"{at.pedidos}/index/pendentes", f"{at.pedidos}/index/verificacoes"],
            when=reading(("pedidoId", "status")),
        ),
    )


def _look(at: Workplace) -> tuple[Statement, ...]:
    maquinas = (at.maquina, at.retomada)
    return (
        allow("LerPedido", ["dynamodb:GetItem"], [at.pedidos], when=reading(ORDER_ATTRIBUTES)),
        allow("LerEstoque", ["dynamodb:GetItem"], [at.estoque]),
        allow("Execucoes", ["states:ListExecutions"], maquinas),
        allow(
            "Historico",
            ["states:DescribeExecution", "states:GetExecutionHistory"],
            [execucoes_de(maquina) for maquina in maquinas],
        ),
        # What the command finds a stack by: names are known, URLs are not.
        allow("LocalizarFilas", ["sqs:GetQueueUrl"], at.filas),
        allow("LocalizarGateway", ["lambda:GetFunctionConfiguration"], [at.cobranca]),
        allow("LocalizarApi", ["apigateway:GET"], [at.apis]),
        # What a stack runs, held against what was compiled (`cesta saga verificar --alvo aws`).
        allow("Definicoes", ["states:DescribeStateMachine"], maquinas),
        # With less than every resource, DescribeAlarms leaves composite alarms out of its answer (its API reference).
        allow("Alarmes", ["cloudwatch:DescribeAlarms"], ["*"]),
        allow("QuemOuve", ["sns:ListSubscriptionsByTopic"], [at.topico]),
    )
