"""CobrarPagamento: charges the card, at most once. Undone by EstornarPagamento.

The ledger says "may have charged" before the gateway is called and keeps what the gateway answered, whatever
became of the order meanwhile (design §5). The key at the gateway makes a repeated call the same charge.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final, TypedDict

from handlers.domain import wiring
from handlers.domain.credentials import COBRANCA
from handlers.domain.errors import (
    CartaoRecusadoError,
    CobrancaIndefinidaError,
    ConflitoTransitorioError,
    ErroInesperado,
)
from handlers.domain.gateway import (
    IDADE_MAXIMA_DA_CHAVE_SEGUNDOS,
    CobrancaAprovada,
    CobrancaRecusada,
    SituacaoDaCobranca,
    transacao_conferida,
)
from handlers.domain.ledger import EstadoDaCobranca
from handlers.domain.refund import estornar_cobranca
from handlers.domain.runtime import step
from handlers.domain.status import Etapa, Status

if TYPE_CHECKING:
    from handlers.domain.clock import Clock
    from handlers.domain.event import Evento
    from handlers.domain.gateway import GatewayDePagamento
    from handlers.domain.ledger import LivroDePagamentos, ParaCobrar

_QUEREM_O_DINHEIRO: Final = frozenset({Status.RECEBIDO, Status.CONFIRMADO})
"""Statuses of an order for which an approved charge is right."""


class Pagamento(TypedDict):
    """What the state machine keeps in ``$.cobranca``."""

    transacaoId: str
    valorCentavos: int


def cobrar(pedido_id: str, *, livro: LivroDePagamentos, gateway: GatewayDePagamento, agora: Clock) -> Pagamento:
    """Charges the order's card, or tells what an earlier attempt did.

    Raises:
        CartaoRecusadoError: refused, so surely not charged.
        GatewayIndisponivelError: the outcome is unknown; another attempt uses the same key.
        ConflitoTransitorioError: another attempt is at it, or the charge is in flight.
        CobrancaIndefinidaError: too old to be sent again, and the gateway knows no charge.
        ErroInesperado: the order is not to be charged, or ledger and gateway disagree.
    """
    pedido = livro.ler_para_cobrar(pedido_id)
    if pedido is None:
        raise ErroInesperado(pedido_id, "o pedido não existe na tabela; nada foi cobrado, confira a origem da execução")
    estado = pedido.cobranca.estado if pedido.cobranca is not None else None
    if estado is EstadoDaCobranca.RECUSADA:
        raise CartaoRecusadoError(pedido_id)
    if estado is EstadoDaCobranca.APROVADA and pedido.status is not Status.RESOLVIDO_MANUALMENTE:
        return _entregar(pedido_id, livro, gateway, agora)
    if pedido.status is not Status.RECEBIDO:
        raise ErroInesperado(pedido_id, f"não se cobra um pedido {pedido.status}; nada foi enviado ao gateway")

    resposta = _obter_resposta(pedido_id, pedido, livro, gateway, agora)
    if isinstance(resposta, CobrancaRecusada):
        if not livro.recusar_cobranca(pedido_id):
            raise _livro_discorda(pedido_id, "recusou o cartão")
        raise CartaoRecusadoError(pedido_id)
    if not livro.aprovar_cobranca(pedido_id, transacao_id=resposta.transacao_id):
        raise _livro_discorda(pedido_id, f"aprovou a cobrança {resposta.transacao_id}")
    return _entregar(pedido_id, livro, gateway, agora)


def _obter_resposta(
    pedido_id: str, pedido: ParaCobrar, livro: LivroDePagamentos, gateway: GatewayDePagamento, agora: Clock
) -> CobrancaAprovada | CobrancaRecusada:
    """What the gateway says of the charge: sent, or only looked up once its key may be forgotten."""
    cobranca = pedido.cobranca
    if cobranca is not None and agora() - cobranca.em > IDADE_MAXIMA_DA_CHAVE_SEGUNDOS:
        return _consultar(pedido_id, cobranca.valor_centavos, gateway, agora)
    if pedido.cartao_token is None:
        raise ErroInesperado(pedido_id, "o pedido está RECEBIDO sem token de cartão; nada foi enviado ao gateway")
    if cobranca is None:
        valor_centavos = pedido.valor_centavos
        registrada = livro.iniciar_cobranca(pedido_id, valor_centavos=valor_centavos)
    else:
        valor_centavos = cobranca.valor_centavos
        registrada = livro.repetir_cobranca(pedido_id)
    if not registrada:
        raise ConflitoTransitorioError(pedido_id, "o pedido mudou antes da cobrança; nada foi enviado, repita")
    return gateway.cobrar(pedido_id, cartao_token=pedido.cartao_token, valor_centavos=valor_centavos)


def _consultar(
    pedido_id: str, valor_centavos: int, gateway: GatewayDePagamento, agora: Clock
) -> CobrancaAprovada | CobrancaRecusada:
    consultada_em = int(agora())
    cobranca = gateway.consultar(pedido_id)
    if cobranca is None:
        raise CobrancaIndefinidaError(pedido_id, duvida_ate=consultada_em)
    if cobranca.situacao is SituacaoDaCobranca.RECUSADA:
        return CobrancaRecusada()
    if cobranca.situacao is SituacaoDaCobranca.EM_ANDAMENTO:
        raise ConflitoTransitorioError(pedido_id, "a cobrança ainda está em andamento no gateway; consulte de novo")
    return CobrancaAprovada(transacao_conferida(pedido_id, cobranca, valor_centavos=valor_centavos))


def _entregar(pedido_id: str, livro: LivroDePagamentos, gateway: GatewayDePagamento, agora: Clock) -> Pagamento:
    """Hands an approved charge over to an order that still wants it; gives the money back otherwise.

    Read again, because the order may have been given up while the gateway was thinking.
    """
    atual = livro.ler_para_estornar(pedido_id)
    cobranca = atual.cobranca if atual is not None else None
    if atual is None or cobranca is None or cobranca.transacao_id is None:
        raise _livro_discorda(pedido_id, "aprovou a cobrança")
    if atual.status in _QUEREM_O_DINHEIRO:
        return {"transacaoId": cobranca.transacao_id, "valorCentavos": cobranca.valor_centavos}
    estornar_cobranca(
        pedido_id,
        transacao_id=cobranca.transacao_id,
        valor_centavos=cobranca.valor_centavos,
        estorno=atual.estorno,
        livro=livro,
        gateway=gateway,
        agora=agora,
    )
    raise ErroInesperado(
        pedido_id, f"a cobrança {cobranca.transacao_id} chegou com o pedido {atual.status}; já foi estornada"
    )


def _livro_discorda(pedido_id: str, gateway_disse: str) -> ErroInesperado:
    return ErroInesperado(
        pedido_id, f"o gateway {gateway_disse} e o livro do pedido diz outra coisa; confira no painel do gateway"
    )


@step(Etapa.COBRAR_PAGAMENTO)
def handler(evento: Evento) -> Pagamento:
    """The Lambda entry point."""
    # Before the ledger says "may have charged": a credential that cannot be read leaves nothing in doubt.
    wiring.credenciais().ler(COBRANCA)
    return cobrar(evento.pedido_id, livro=wiring.livro(), gateway=wiring.gateway(), agora=time.time)
