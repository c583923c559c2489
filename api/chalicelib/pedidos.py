"""``POST /pedidos``: the order is accepted once its row is written; the row is the outbox entry (case C32)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from handlers.domain.clock import iso
from handlers.domain.metrics import Metrica, emit
from handlers.domain.orders import Pedido, entrada_canonica, hash_conteudo
from handlers.domain.status import Status

from .observabilidade import descrever, logger, registrar
from .prazo import vencido
from .problems import ConteudoDivergenteError, IndisponivelError

if TYPE_CHECKING:
    from collections.abc import Callable

    from handlers.domain.clock import Clock
    from handlers.domain.orders import PedidoRegistrado, Pedidos

    from .parsing import NovoPedido

__all__ = ["Aceite", "receber"]


@dataclass(frozen=True)
class Aceite:
    """The order is ours, now or since an earlier request.

    Attributes:
        status: where it stands.
    """

    pedido_id: str
    status: Status


def receber(
    pedido_id: str,
    novo: NovoPedido,
    *,
    cliente: str | None,
    pedidos: Pedidos,
    enviar: Callable[[str], object],
    agora: Clock,
) -> Aceite:
    """Write the order if its id is free, and put it in the queue while it has not begun.

    Safe to call again with the same arguments, after any failure: the write is conditional, the starter is
    idempotent. A write whose answer was lost is such a failure; the caller is told to try again.

    Args:
        pedido_id: the order's id, given or derived.
        novo: what was posted.
        cliente: whose order it is; None where the stack identifies nobody.
        pedidos: the orders.
        enviar: puts a message into the queue of created orders.
        agora: the time.

    Raises:
        ConteudoDivergenteError: the id is taken by an order with other content, or of somebody else's.
        IndisponivelError: the id is taken, and yet there is no such order.
    """
    pedido = Pedido(
        pedido_id=pedido_id,
        sku=novo.sku,
        quantidade=novo.quantidade,
        valor_centavos=novo.valor_centavos,
        criado_em=iso(agora()),
        falhas=novo.falhas,
    )
    if pedidos.criar(pedido, novo.cartao_token, cliente):
        registrar(Metrica.PEDIDOS_RECEBIDOS, "pedido recebido")
        _enviar(pedido, enviar)
        return Aceite(pedido_id, Status.RECEBIDO)
    registrado = pedidos.ler(pedido_id)
    if registrado is None:
        raise IndisponivelError("O pedido não pôde ser lido de volta; envie de novo, igual.")
    # Somebody else's order is told nothing about, not even whether the content is the same.
    if registrado.cliente != cliente or registrado.hash_conteudo != hash_conteudo(pedido, novo.cartao_token):
        registrar(Metrica.CONTEUDOS_DIVERGENTES, "pedidoId já usado com outro conteúdo, ou por outro cliente")
        raise ConteudoDivergenteError
    registrar(Metrica.PEDIDOS_REPETIDOS, "pedido repetido", status=registrado.status)
    if _espera_inicio(registrado, agora()):
        _enviar(registrado.pedido, enviar)
    return Aceite(pedido_id, registrado.status)


def _espera_inicio(registrado: PedidoRegistrado, agora: float) -> bool:
    """Whether the starter would still take it; a message it would refuse only ends in the dead-letter queue."""
    return registrado.status is Status.RECEBIDO and not vencido(registrado.pedido.criado_em, agora)


def _enviar(pedido: Pedido, enviar: Callable[[str], object]) -> None:
    try:
        enviar(entrada_canonica(pedido))
    except Exception as erro:
        # The row is written, so the order is accepted whatever this was; the reconciler sends what was not sent.
        emit(Metrica.FILA_INDISPONIVEL)
        logger.warning("pedido gravado e não enviado à fila; o conciliador o enviará", extra=descrever(erro))
