"""The second look at an order that is closed: no stock held, no money kept, no tombstone for ever (design §8).

A charge nobody could find when the order was closed is looked up again, 1 h and 24 h after its last attempt. What
the gateway says is written to the ledger, where a resumed saga finds it: the reconciler itself refunds nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from handlers.domain.errors import ErroInesperado, GatewayIndisponivelError
from handlers.domain.gateway import SituacaoDaCobranca, SituacaoDoEstorno
from handlers.domain.ledger import EstadoDaCobranca
from handlers.domain.reconciliation import LAPIDE_SEGUNDOS, deixou_em_aberto, dinheiro_retido, epoca
from handlers.domain.reconciliation_rows import Motivo

if TYPE_CHECKING:
    from handlers.domain.gateway import CobrancaNoGateway, GatewayDePagamento
    from handlers.domain.ledger import Cobranca, LivroDePagamentos
    from handlers.domain.reconciliation import Prazos
    from handlers.domain.reconciliation_rows import Linha
    from handlers.domain.stock import Estoque

__all__ = ["Conferencia"]

_ASSENTA_SEGUNDOS: Final = 60
_ESTOQUE: Final = ("estoque",)
_DINHEIRO: Final = ("dinheiro", "cobran", "estorno")
"""Words by which a person names what stays open; ``cobran`` takes both spellings."""


class Conferencia:
    """Looks at closed orders."""

    def __init__(
        self, *, livro: LivroDePagamentos, estoque: Estoque, gateway: GatewayDePagamento, prazos: Prazos
    ) -> None:
        self._livro = livro
        self._estoque = estoque
        self._gateway = gateway
        self._prazos = prazos

    def conferir(self, linha: Linha, *, agora: float, consultar: bool = True) -> Motivo | float | None:
        """Why a person must look; else when to look again, epoch seconds; None for never.

        Args:
            linha: the order.
            agora: the time, epoch seconds.
            consultar: whether the gateway may be asked; where it must be and may not, the order stays due.

        Raises:
            GatewayIndisponivelError: the charge in doubt could not be looked up: ask again.
            ErroInesperado: the gateway answered outside its contract.
        """
        if dinheiro_retido(linha) and not deixou_em_aberto(linha, *_DINHEIRO):
            # A charge that landed on a closed order gives itself back within a minute (CobrarPagamento).
            assentado = epoca(linha.atualizado_em) + _ASSENTA_SEGUNDOS
            return Motivo.DINHEIRO_EM_PEDIDO_FINAL if agora >= assentado else assentado
        entrada = self._estoque.entrada(linha.pedido_id, linha.pedido.sku) or 0
        if entrada > 0 and not deixou_em_aberto(linha, *_ESTOQUE):
            return Motivo.RESERVA_EM_PEDIDO_FINAL
        duvida = self._tirar_duvida(linha, agora, consultar=consultar)
        if isinstance(duvida, Motivo):
            return duvida
        return min((when for when in (duvida, self._podar(linha, entrada, agora)) if when is not None), default=None)

    def _podar(self, linha: Linha, entrada: int, agora: float) -> float | None:
        if entrada >= 0:
            return None
        if agora >= -entrada + LAPIDE_SEGUNDOS:
            self._estoque.podar(linha.pedido_id, linha.pedido.sku, lapide=-entrada)
            return None
        return -entrada + LAPIDE_SEGUNDOS

    def _tirar_duvida(self, linha: Linha, agora: float, *, consultar: bool) -> Motivo | float | None:
        cobranca = linha.cobranca
        if cobranca is None or cobranca.estado is not EstadoDaCobranca.INICIADA:
            return None
        primeira = cobranca.ultima_tentativa + self._prazos.reverificacao
        ultima = cobranca.ultima_tentativa + self._prazos.reverificacao_final
        if agora < primeira:
            return primeira
        if not consultar:
            return agora
        try:
            achada = self._gateway.consultar(linha.pedido_id)
        except (GatewayIndisponivelError, ErroInesperado):
            if agora < ultima + self._prazos.reverificacao:
                raise
            # Past the last look-up and still no answer to believe in: the doubt is a person's.
            return Motivo.DINHEIRO_EM_PEDIDO_FINAL
        if achada is not None and achada.situacao is SituacaoDaCobranca.APROVADA:
            return self._dinheiro_achado(linha, cobranca, achada)
        if achada is not None and achada.situacao is SituacaoDaCobranca.RECUSADA:
            self._livro.recusar_cobranca(linha.pedido_id)
            return None
        if achada is not None:
            # In flight: unknown for as long as it lasts.
            return agora + self._prazos.reverificacao
        return ultima if agora < ultima else None

    def _dinheiro_achado(self, linha: Linha, cobranca: Cobranca, achada: CobrancaNoGateway) -> Motivo | None:
        conferida = achada.transacao_id is not None and achada.valor_centavos == cobranca.valor_centavos
        if not conferida and deixou_em_aberto(linha, *_DINHEIRO):
            return None
        if not conferida or not self._livro.aprovar_cobranca(linha.pedido_id, transacao_id=achada.transacao_id or ""):
            # The gateway took money that the ledger cannot hold.
            return Motivo.DINHEIRO_EM_PEDIDO_FINAL
        if achada.estorno_id is not None and _devolveu_tudo(achada):
            self._livro.iniciar_estorno(linha.pedido_id)
            self._livro.concluir_estorno(linha.pedido_id, estorno_id=achada.estorno_id)
            return None
        return None if deixou_em_aberto(linha, *_DINHEIRO) else Motivo.DINHEIRO_EM_PEDIDO_FINAL


def _devolveu_tudo(achada: CobrancaNoGateway) -> bool:
    done = achada.situacao_do_estorno is SituacaoDoEstorno.CONCLUIDO
    return done and achada.valor_estornado_centavos >= achada.valor_centavos
