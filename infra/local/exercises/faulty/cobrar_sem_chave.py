"""CobrarPagamento that asks for a new charge each time: a new key per attempt, and no look at the ledger first."""

from __future__ import annotations

import uuid
from typing import TYPE_CHECKING

from handlers.domain import gateway_http, wiring
from handlers.domain.credentials import COBRANCA
from handlers.domain.errors import CartaoRecusadoError, ErroInesperado
from handlers.domain.gateway import CobrancaRecusada
from handlers.domain.runtime import step
from handlers.domain.status import Etapa

if TYPE_CHECKING:
    from handlers.domain.event import Evento


def _new_key(pedido_id: str) -> str:
    """The fault: to the gateway, every attempt is another charge."""
    return f"cesta-cobranca-{pedido_id}-{uuid.uuid4().hex[:8]}"


@step(Etapa.COBRAR_PAGAMENTO)
def handler(evento: Evento) -> dict[str, object]:
    """The Lambda entry point."""
    wiring.credenciais().ler(COBRANCA)
    gateway_http.chave_da_cobranca = _new_key
    livro, pedido_id = wiring.livro(), evento.pedido_id
    pedido = livro.ler_para_cobrar(pedido_id)
    if pedido is None or pedido.cartao_token is None:
        raise ErroInesperado(pedido_id, "o pedido não pode ser cobrado; nada foi enviado ao gateway")
    livro.iniciar_cobranca(pedido_id, valor_centavos=pedido.valor_centavos)
    resposta = wiring.gateway().cobrar(
        pedido_id, cartao_token=pedido.cartao_token, valor_centavos=pedido.valor_centavos
    )
    if isinstance(resposta, CobrancaRecusada):
        livro.recusar_cobranca(pedido_id)
        raise CartaoRecusadoError(pedido_id)
    livro.aprovar_cobranca(pedido_id, transacao_id=resposta.transacao_id)
    return {"transacaoId": resposta.transacao_id, "valorCentavos": pedido.valor_centavos}
