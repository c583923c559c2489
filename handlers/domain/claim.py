"""The claim of an order for undoing: one side of the pivot guard (design §4), whichever compensation comes first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from handlers.domain.errors import ConflitoTransitorioError, ErroInesperado, PedidoJaConfirmadoError
from handlers.domain.status import FINAIS, Status

if TYPE_CHECKING:
    from handlers.domain.orders import Pedidos

__all__ = ["reivindicar"]


def reivindicar(pedido_id: str, pedidos: Pedidos) -> bool:
    """Makes the order COMPENSANDO; False when it was closed before, so that there is nothing to undo.

    Raises:
        PedidoJaConfirmadoError: the pivot won: the order is CONFIRMADO.
        ConflitoTransitorioError: its status changed meanwhile.
        ErroInesperado: there is no such order.
    """
    if pedidos.marcar_compensando(pedido_id):
        return True
    status = pedidos.ler_status(pedido_id)
    if status is None:
        raise ErroInesperado(pedido_id, "o pedido não existe na tabela; confira no painel do gateway se houve cobrança")
    if status is Status.CONFIRMADO:
        raise PedidoJaConfirmadoError(pedido_id)
    if status not in FINAIS:
        raise ConflitoTransitorioError(pedido_id, f"o pedido passou a {status} neste instante; repita")
    return False
