"""Everything that waits for a person, from the queue and from the orders themselves: a lost message hides no case."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC
from typing import TYPE_CHECKING, Any, Final, TypedDict

from handlers.domain.reconciliation_rows import Indice
from handlers.domain.status import Status
from infra.ops.errors import UnknownOrderError
from infra.ops.human_queue import held
from infra.ops.intervention import load

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from infra.ops.human_queue import Message
    from infra.ops.intervention import Case
    from infra.ops.money import MoneyView
    from infra.ops.target import Target

__all__ = ["CaseView", "waiting"]


_MAY_WAIT: Final = (
    (Indice.PENDENTES, Status.REQUER_INTERVENCAO_HUMANA),
    (Indice.PENDENTES, Status.CONFIRMADO),
    (Indice.VERIFICACOES, Status.RESOLVIDO_MANUALMENTE),
)
"""Where an order whose case has no message is: its reservation unsettled, or found wanting after it was closed."""


class CaseView(TypedDict):
    """One case of ``cesta intervencao listar --json``.

    ``espera`` says whether a person has something to decide; ``resposta`` how the answer would go: ``token``,
    ``retomada`` (token or execution lost), or ``nenhuma``. ``mensagem`` is SQS's id of a message that names no order,
    and empty else. Money in centavos.
    """

    pedidoId: str
    mensagem: str
    desde: str
    status: str
    espera: bool
    resposta: str
    execucao: dict[str, str] | None
    dinheiro: MoneyView
    estoque: dict[str, Any]
    porque: str
    erroOriginal: str | None
    erroDaCompensacao: str | None
    origem: str
    mensagens: int


def waiting(target: Target) -> list[CaseView]:
    """Every case, oldest first; orders whose saga went on by itself are listed with ``espera`` false."""
    by_order: dict[str, list[Message]] = defaultdict(list)
    with held(target) as messages:
        for message in messages:
            by_order[message.pedido_id].append(message)
    views = [_unknown([message]) for message in by_order.pop("", ())]
    for pedido_id in dict.fromkeys([*by_order, *_without_message(target)]):
        try:
            case = load(target, pedido_id)
        except UnknownOrderError:
            case = None
        messages = by_order.get(pedido_id, [])
        if case is None:
            views.append(_unknown(messages))
        elif messages or case.waiting:
            # An order the indexes alone brought up may be well: a CONFIRMADO about to settle, a closed one due a look.
            views.append(_view(case, messages))
    return sorted(views, key=lambda view: view["desde"])


def _without_message(target: Target) -> Iterator[str]:
    """Orders that wait by their status, whether or not the queue still has their message."""
    for index, status in _MAY_WAIT:
        pages = target.dynamodb.get_paginator("query").paginate(
            TableName=target.tabelas["pedidos"],
            IndexName=index,
            KeyConditionExpression="#s = :s",
            ProjectionExpression="#p",
            ExpressionAttributeNames={"#s": "status", "#p": "pedidoId"},
            ExpressionAttributeValues={":s": {"S": status}},
        )
        for page in pages:
            for item in page["Items"]:
                yield item["pedidoId"].get("S", "")


def _view(case: Case, messages: Sequence[Message]) -> CaseView:
    opened: dict[str, Any] = case.row.get("caso", {})
    newest: Mapping[str, Any] = messages[-1].body if messages else {}
    execution = case.execution
    return {
        "pedidoId": case.pedido_id,
        "mensagem": "",
        "desde": opened.get("abertoEm") or _sent(messages) or case.row.get("pendenteDesde", ""),
        "status": case.status.value,
        "espera": case.waiting,
        "resposta": _way(case, messages),
        "execucao": {"arn": execution.arn, "status": execution.status} if execution is not None else None,
        "dinheiro": case.money,
        "estoque": {"sku": case.row["sku"], "reservado": case.reserved},
        "porque": _why(case, newest),
        "erroOriginal": case.row.get("motivo") or _error(newest.get("erroOriginal") or newest.get("erro")),
        "erroDaCompensacao": _error(newest.get("erroDaCompensacao")),
        "origem": str(newest.get("origem") or opened.get("origem") or "saga"),
        "mensagens": len(messages),
    }


def _unknown(messages: Sequence[Message]) -> CaseView:
    """A message that names no order, or one that does not exist: somebody must read it, if it may mean anything."""
    message = messages[0]
    why = "a mensagem não é de um pedido da tabela: leia-a na fila e veja o log do conciliador"
    if message.of_a_dead_round:
        why = "uma rodada do conciliador morreu no meio (tempo ou memória), e a seguinte a refaz"
    return {
        "pedidoId": message.pedido_id,
        "mensagem": "" if message.pedido_id else message.id,
        "desde": _sent(messages),
        "status": "DESCONHECIDO",
        "espera": not message.of_a_dead_round,
        "resposta": "nenhuma",
        "execucao": None,
        "dinheiro": {"cobrado": 0, "estornado": 0, "situacao": "em_duvida"},
        "estoque": {"sku": "", "reservado": 0},
        "porque": why,
        "erroOriginal": None,
        "erroDaCompensacao": None,
        "origem": "desconhecida",
        "mensagens": len(messages),
    }


def _way(case: Case, messages: Sequence[Message]) -> str:
    if not case.waiting:
        return "nenhuma"
    arn = case.execution.arn if case.execution is not None else ""
    answerable = case.asking and any(message.token and message.execution == arn for message in messages)
    return "token" if answerable else "retomada"


def _why(case: Case, newest: Any) -> str:
    if case.asking:
        if case.status is Status.CONFIRMADO:
            return "a reserva de um pedido confirmado não pôde ser efetivada"
        return "a saga não conseguiu desfazer o pedido sozinha"
    if case.running:
        return "a saga está em andamento: a mensagem é de um caso já respondido"
    if not case.waiting:
        return "o pedido chegou ao fim e as contas fecham: a mensagem pode ser descartada"
    return str(newest.get("explicacao") or "a execução terminou sem desfazer nem confirmar o pedido")


def _sent(messages: Sequence[Message]) -> str:
    if not messages:
        return ""
    return messages[0].sent.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _error(error: Any) -> str | None:
    return error.get("Error") if isinstance(error, dict) else None  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
