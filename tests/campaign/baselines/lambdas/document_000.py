"""The functions of source document 000, in Python: its three it prints, as printed, and the two it only describes.

Mended in its favour: its functions answer with part of the order, and without a ResultPath that answer is all the next
state sees, so the charge would know no card and the release no SKU. Here each answers with the whole order.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

from . import shared

if TYPE_CHECKING:
    from .shared import Evento


def iniciador(evento: Evento, _contexto: object) -> None:
    """StartExecution(name=pedidoId); a name that is taken is a message that came twice."""
    sfn = shared.client("stepfunctions")
    for registro in evento["Records"]:
        pedido = json.loads(registro["body"])
        try:
            sfn.start_execution(
                stateMachineArn=os.environ["MAQUINA_ARN"], name=pedido["pedidoId"], input=json.dumps(pedido)
            )
        except sfn.exceptions.ExecutionAlreadyExists:
            continue


def reservar_estoque(evento: Evento, _contexto: object) -> Evento:
    """Reserve, once per order."""
    pedido, tentativa = _aberto(evento)
    shared.antes(pedido, "ReservarEstoque", tentativa)
    shared.reservar(pedido)
    shared.depois(pedido, "ReservarEstoque", tentativa)
    return pedido


def cobrar_pagamento(evento: Evento, _contexto: object) -> Evento:
    """Charge; a refusal is final, anything else is "gateway unavailable"."""
    pedido, tentativa = _aberto(evento)
    shared.antes(pedido, "CobrarPagamento", tentativa)
    transacao_id = shared.cobrar(pedido)
    shared.depois(pedido, "CobrarPagamento", tentativa)
    return {**pedido, "transacaoId": transacao_id}


def confirmar_pedido(evento: Evento, _contexto: object) -> Evento:
    """Write the final status."""
    pedido, tentativa = _aberto(evento)
    shared.antes(pedido, "ConfirmarPedido", tentativa)
    shared.salvar(pedido, "CONFIRMADO")
    shared.depois(pedido, "ConfirmarPedido", tentativa)
    return pedido


def estornar_pagamento(evento: Evento, _contexto: object) -> Evento:
    """Refund what was charged."""
    pedido, tentativa = _aberto(evento)
    shared.antes(pedido, "EstornarPagamento", tentativa)
    shared.estornar(pedido, pedido["transacaoId"])
    shared.depois(pedido, "EstornarPagamento", tentativa)
    return pedido


def liberar_estoque(evento: Evento, _contexto: object) -> Evento:
    """Give the units back, if they are still reserved."""
    pedido, tentativa = _aberto(evento)
    shared.antes(pedido, "LiberarEstoque", tentativa)
    shared.liberar(pedido)
    shared.depois(pedido, "LiberarEstoque", tentativa)
    return pedido


def _aberto(evento: Evento) -> tuple[Evento, int]:
    """The state's input, and how often the state was tried before: what the campaign adds to 000's payload."""
    return evento["entrada"], int(evento["tentativa"])
