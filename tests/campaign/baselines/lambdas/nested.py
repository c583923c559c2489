"""The minimal design: reserve, charge, save, in one function, with nested try/except that undoes (000, 003).

Better than the documents draw it: a conditional reservation, one gateway key per order, an order that ended is not
begun again, and an undoing that fails is not swallowed: the queue delivers the message again, and at last to a
dead-letter queue that people read.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from . import shared

if TYPE_CHECKING:
    from collections.abc import Callable

    from .shared import Evento


class DesfazerError(Exception):
    """What should undo a step failed."""


def iniciador(evento: Evento, _contexto: object) -> None:
    """Creates each order of the batch; an exception brings the message back."""
    for registro in evento["Records"]:
        tentativa = int(registro["attributes"]["ApproximateReceiveCount"]) - 1
        criar_pedido(json.loads(registro["body"]), tentativa)


def criar_pedido(pedido: Evento, tentativa: int) -> None:
    """The shape document 003 calls honest, step inside step."""
    if _terminou(pedido):
        return
    try:
        _passo(pedido, "ReservarEstoque", tentativa, lambda: shared.reservar(pedido))
        try:
            transacao_id = _cobrar(pedido, tentativa)
            try:
                _passo(pedido, "ConfirmarPedido", tentativa, lambda: shared.salvar(pedido, "CONFIRMADO"))
            except Exception:
                _desfazer(pedido, "EstornarPagamento", tentativa, lambda: shared.estornar(pedido, transacao_id))
                raise
        except DesfazerError:
            raise
        except Exception:
            _desfazer(pedido, "LiberarEstoque", tentativa, lambda: shared.liberar(pedido))
            raise
    except DesfazerError:
        raise
    except Exception:
        shared.salvar(pedido, "FALHOU_COMPENSADO")


def _cobrar(pedido: Evento, tentativa: int) -> str:
    shared.antes(pedido, "CobrarPagamento", tentativa)
    transacao_id = shared.cobrar(pedido)
    shared.depois(pedido, "CobrarPagamento", tentativa)
    return transacao_id


def _passo(pedido: Evento, etapa: str, tentativa: int, fazer: Callable[[], None]) -> None:
    shared.antes(pedido, etapa, tentativa)
    fazer()
    shared.depois(pedido, etapa, tentativa)


def _desfazer(pedido: Evento, etapa: str, tentativa: int, fazer: Callable[[], None]) -> None:
    try:
        _passo(pedido, etapa, tentativa, fazer)
    except Exception as error:
        raise DesfazerError(etapa) from error


def _terminou(pedido: Evento) -> bool:
    item = shared.client("dynamodb").get_item(
        TableName=os.environ["TABELA_PEDIDOS"], Key={"pedidoId": {"S": pedido["pedidoId"]}}, ConsistentRead=True
    )
    return "Item" in item
