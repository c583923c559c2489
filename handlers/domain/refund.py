"""The refund of an order's charge: one code for EstornarPagamento and for a charge that landed too late."""

from __future__ import annotations

from typing import TYPE_CHECKING

from handlers.domain.errors import ConflitoTransitorioError, ErroInesperado
from handlers.domain.gateway import (
    IDADE_MAXIMA_DA_CHAVE_SEGUNDOS,
    EstornoConcluido,
    EstornoPendente,
    SituacaoDoEstorno,
)
from handlers.domain.ledger import EstadoDoEstorno

if TYPE_CHECKING:
    from handlers.domain.clock import Clock
    from handlers.domain.gateway import GatewayDePagamento
    from handlers.domain.ledger import Estorno, LivroDePagamentos

__all__ = ["estornar_cobranca"]


def estornar_cobranca(
    pedido_id: str,
    *,
    transacao_id: str,
    valor_centavos: int,
    estorno: Estorno | None,
    livro: LivroDePagamentos,
    gateway: GatewayDePagamento,
    agora: Clock,
) -> str:
    """Gives the whole charge back, once, and returns the refund's id.

    Args:
        pedido_id: the order, which is being undone.
        transacao_id: the approved charge, from the ledger.
        valor_centavos: what was charged, in centavos, from the ledger.
        estorno: the refund so far, from the ledger.
        livro: the ledger.
        gateway: the payment gateway.
        agora: the clock.

    Raises:
        GatewayIndisponivelError: the gateway's answer is unknown; the same key makes another attempt safe.
        ConflitoTransitorioError: the refund is pending, in flight, or another attempt is at it.
        ErroInesperado: a person must look at the gateway.
    """
    if estorno is not None and estorno.estado is EstadoDoEstorno.CONCLUIDO:
        return estorno.estorno_id or ""
    if estorno is None and not livro.iniciar_estorno(pedido_id):
        raise ConflitoTransitorioError(pedido_id, "outra tentativa começou o estorno agora mesmo; repita")

    if estorno is not None and _so_consultar(estorno, agora):
        resposta = _consultar(pedido_id, transacao_id, valor_centavos, gateway)
    else:
        resposta = gateway.estornar(pedido_id, transacao_id=transacao_id, valor_centavos=valor_centavos)

    if isinstance(resposta, EstornoPendente):
        livro.adiar_estorno(pedido_id, estorno_id=resposta.estorno_id)
        raise ConflitoTransitorioError(
            pedido_id, f"o gateway aceitou o estorno {resposta.estorno_id} mas ainda não o concluiu; consulte de novo"
        )
    if not livro.concluir_estorno(pedido_id, estorno_id=resposta.estorno_id):
        raise ErroInesperado(
            pedido_id,
            f"estorno {resposta.estorno_id} feito, mas o pedido perdeu o registro dele; corrija o livro à mão",
        )
    return resposta.estorno_id


def _so_consultar(estorno: Estorno, agora: Clock) -> bool:
    """Whether the refund may only be looked up: it is pending, or its key may be forgotten at the gateway."""
    return estorno.estado is EstadoDoEstorno.PENDENTE or agora() - estorno.em > IDADE_MAXIMA_DA_CHAVE_SEGUNDOS


def _consultar(
    pedido_id: str, transacao_id: str, valor_centavos: int, gateway: GatewayDePagamento
) -> EstornoConcluido | EstornoPendente:
    cobranca = gateway.consultar(pedido_id)
    if cobranca is None or cobranca.transacao_id != transacao_id:
        raise ErroInesperado(
            pedido_id, f"o gateway não mostra a cobrança {transacao_id} do livro; confira no painel do gateway"
        )
    if cobranca.situacao_do_estorno is None or cobranca.estorno_id is None:
        raise ErroInesperado(
            pedido_id,
            f"o estorno da cobrança {transacao_id} foi pedido e o gateway não o mostra; não é seguro pedi-lo de novo: "
            "confira e estorne no painel do gateway, depois reprocesse",
        )
    if cobranca.situacao_do_estorno is SituacaoDoEstorno.PENDENTE:
        return EstornoPendente(cobranca.estorno_id)
    if cobranca.valor_estornado_centavos != valor_centavos:
        raise ErroInesperado(
            pedido_id,
            f"o gateway devolveu {cobranca.valor_estornado_centavos} centavos da cobrança {transacao_id}, esperados "
            f"{valor_centavos}; acerte a diferença no painel do gateway",
        )
    return EstornoConcluido(cobranca.estorno_id)
