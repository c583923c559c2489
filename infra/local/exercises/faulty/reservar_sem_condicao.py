"""ReservarEstoque without any condition: each attempt takes the units again, and the entry remembers one time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from handlers.domain.aws import dynamodb
from handlers.domain.environment import TABELA_ESTOQUE
from handlers.domain.runtime import step
from handlers.domain.settings import required
from handlers.domain.status import Etapa

if TYPE_CHECKING:
    from handlers.domain.event import Evento


@step(Etapa.RESERVAR_ESTOQUE)
def handler(evento: Evento) -> dict[str, object]:
    """The Lambda entry point."""
    dynamodb().update_item(
        TableName=required(TABELA_ESTOQUE),
        Key={"sku": {"S": evento.sku}},
        # The fault: an unconditional write.
        UpdateExpression="SET #saldo = #saldo - :q, #reservas.#p = :q",
        ExpressionAttributeNames={"#saldo": "saldo", "#reservas": "reservas", "#p": evento.pedido_id},
        ExpressionAttributeValues={":q": {"N": str(evento.quantidade)}},
    )
    return {"sku": evento.sku, "quantidade": evento.quantidade}
