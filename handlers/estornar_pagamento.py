"""EstornarPagamento: claims the order for undoing, then gives the money back. Undoes CobrarPagamento.

The claim is half of the pivot guard: it and ConfirmarPedido's write exclude each other (design §4).
"""

from __future__ import annotations

import math
import time
from enum import StrEnum
from typing import TYPE_CHECKING, TypedDict

from handlers.domain import environment, wiring
from handlers.domain.claim import reivindicar
from handlers.domain.errors import (
    CobrancaIndefinidaError,
    ConflitoTransitorioError,
    ErroInesperado,
)
from handlers.domain.gateway import SituacaoDaCobranca, transacao_conferida
from handlers.domain.ledger import EstadoDaCobranca
from handlers.domain.metrics import Metrica, emit
from handlers.domain.refund import estornar_cobranca
from handlers.domain.runtime import step
from handlers.domain.settings import seconds
from handlers.domain.status import Etapa

if TYPE_CHECKING:
    from handlers.domain.clock import Clock
    from handlers.domain.event import Evento
    from handlers.domain.gateway import GatewayDePagamento
    from handlers.domain.ledger import Cobranca, LivroDePagamentos
    from handlers.domain.orders import Pedidos


class Situacao(StrEnum):
    """How the order's money stands."""

    NADA = "nada"
    ESTORNADO = "estornado"
    EM_DUVIDA = "em_duvida"
    ENCERRADO = "encerrado"
    """The order was closed before: nothing was looked at and nothing done."""


class Devolucao(TypedDict):
    """The refund: its id ("" when there was none), its amount in centavos, and how the money stands."""

    estornoId: str
    valorCentavos: int
    situacao: str


def estornar(
    pedido_id: str,
    *,
    pedidos: Pedidos,
    livro: LivroDePagamentos,
    gateway: GatewayDePagamento,
    agora: Clock,
    janela_segundos: float,
) -> Devolucao:
    """Leaves the order without money taken, or says why it can't yet.

    Args:
        pedido_id: the order.
        pedidos: the orders.
        livro: the payment ledger.
        gateway: the payment gateway.
        agora: the clock.
        janela_segundos: how long after the last attempt a charge the gateway does not know may still turn up.

    Raises:
        PedidoJaConfirmadoError: the order is CONFIRMADO.
        CobrancaIndefinidaError: in doubt, or in flight at the gateway.
        GatewayIndisponivelError, ConflitoTransitorioError: another attempt is worth making.
        ErroInesperado: a person must look.
    """
    if not reivindicar(pedido_id, pedidos):
        return _devolucao(Situacao.ENCERRADO)
    registro = livro.ler_para_estornar(pedido_id)
    if registro is None:
        raise ErroInesperado(pedido_id, "o pedido sumiu da tabela durante o estorno; confira no painel do gateway")
    cobranca = registro.cobranca
    if cobranca is None or cobranca.estado is EstadoDaCobranca.RECUSADA:
        return _devolucao(Situacao.NADA)
    transacao_id = cobranca.transacao_id
    if cobranca.estado is EstadoDaCobranca.INICIADA:
        achada = _procurar(pedido_id, cobranca, livro, gateway, agora, janela_segundos)
        if isinstance(achada, Situacao):
            return _devolucao(achada)
        transacao_id = achada
    if transacao_id is None:
        raise ErroInesperado(pedido_id, "a cobrança APROVADA está sem transacaoId; confira no painel do gateway")
    estorno_id = estornar_cobranca(
        pedido_id,
        transacao_id=transacao_id,
        valor_centavos=cobranca.valor_centavos,
        estorno=registro.estorno,
        livro=livro,
        gateway=gateway,
        agora=agora,
    )
    return _devolucao(Situacao.ESTORNADO, estorno_id, cobranca.valor_centavos)


def _procurar(
    pedido_id: str,
    cobranca: Cobranca,
    livro: LivroDePagamentos,
    gateway: GatewayDePagamento,
    agora: Clock,
    janela_segundos: float,
) -> str | Situacao:
    """Looks up a charge nobody knows the outcome of; the transaction's id if it took money, else how that stands."""
    # Before the look-up: its answer is no younger than this.
    consultada_em = agora()
    duvida_ate = cobranca.ultima_tentativa + janela_segundos
    achada = gateway.consultar(pedido_id)
    if achada is None and consultada_em >= duvida_ate:
        if not livro.marcar_duvidosa(pedido_id):
            raise ConflitoTransitorioError(pedido_id, "a cobrança ficou conhecida neste instante; repita")
        return Situacao.EM_DUVIDA
    # In flight is unknown however long it lasts: the window only bounds a charge the gateway has not heard of.
    if achada is None or achada.situacao is SituacaoDaCobranca.EM_ANDAMENTO:
        raise CobrancaIndefinidaError(pedido_id, duvida_ate=math.ceil(duvida_ate))
    if achada.situacao is SituacaoDaCobranca.RECUSADA:
        if not livro.recusar_cobranca(pedido_id):
            raise ConflitoTransitorioError(pedido_id, "a cobrança mudou no livro neste instante; repita")
        return Situacao.NADA
    transacao_id = transacao_conferida(pedido_id, achada, valor_centavos=cobranca.valor_centavos)
    if not livro.aprovar_cobranca(pedido_id, transacao_id=transacao_id):
        raise ConflitoTransitorioError(pedido_id, "a cobrança mudou no livro neste instante; repita")
    return transacao_id


def _devolucao(situacao: Situacao, estorno_id: str = "", valor_centavos: int = 0) -> Devolucao:
    return {"estornoId": estorno_id, "valorCentavos": valor_centavos, "situacao": situacao.value}


@step(Etapa.ESTORNAR_PAGAMENTO)
def handler(evento: Evento) -> Devolucao:
    """The Lambda entry point."""
    devolucao = estornar(
        evento.pedido_id,
        pedidos=wiring.pedidos(),
        livro=wiring.livro(),
        gateway=wiring.gateway(),
        agora=time.time,
        janela_segundos=seconds(environment.JANELA_DUVIDA_SEGUNDOS),
    )
    if devolucao["situacao"] == Situacao.EM_DUVIDA:
        emit(Metrica.COBRANCA_EM_DUVIDA)
    return devolucao
