"""``GET /pedidos/{pedidoId}``: where an order stands, in a customer's words, from its row alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from handlers.domain.errors import EstoqueInsuficienteError, SkuInexistenteError
from handlers.domain.ledger import EstadoDaCobranca
from handlers.domain.status import EtapaDoCliente, Status, etapa_do_cliente

if TYPE_CHECKING:
    from collections.abc import Mapping

    from handlers.domain.orders import ResumoDoPedido

__all__ = ["mensagem", "visao"]

_POR_ETAPA: Final[Mapping[EtapaDoCliente, str]] = {
    EtapaDoCliente.RECEBIDO: "Pedido recebido; estamos reservando o produto.",
    EtapaDoCliente.COBRANDO: "Produto reservado, aguardando pagamento.",
    EtapaDoCliente.CONFIRMANDO: "Pagamento aprovado; estamos confirmando o pedido.",
    EtapaDoCliente.CONFIRMADO: "Pedido confirmado.",
    EtapaDoCliente.DESFAZENDO: "Não foi possível concluir o pedido; estamos desfazendo a reserva e qualquer cobrança.",
    EtapaDoCliente.EM_ANALISE: "O pedido está em análise pela nossa equipe; não é preciso fazer nada.",
}

_SEM_RESERVA: Final[Mapping[str, str]] = {
    EstoqueInsuficienteError.__name__: "Pedido cancelado: não há estoque suficiente do produto. Nada foi cobrado.",
    SkuInexistenteError.__name__: "Pedido cancelado: o produto não foi encontrado. Nada foi cobrado.",
}

_SEM_COBRANCA: Final = "Pedido cancelado. Nada foi cobrado."
_RECUSANDO: Final = "O pagamento foi recusado pelo cartão; estamos cancelando o pedido."
_RECUSADO: Final = "Pedido cancelado: o pagamento foi recusado pelo cartão. Nada foi cobrado; tente com outro cartão."

# By what the ledger says of the charge. INICIADA is a charge nobody could find: it is promised to be watched, no more.
_COMPENSADO: Final[Mapping[EstadoDaCobranca | None, str]] = {
    None: _SEM_COBRANCA,
    EstadoDaCobranca.RECUSADA: _RECUSADO,
    EstadoDaCobranca.APROVADA: "Pedido cancelado. O valor cobrado foi estornado.",
    EstadoDaCobranca.INICIADA: (
        "Pedido cancelado. Nenhuma cobrança foi encontrada; continuamos verificando e, "
        "se alguma aparecer, nossa equipe cuidará dela."
    ),
}


def visao(resumo: ResumoDoPedido, link: str) -> dict[str, object]:
    """The answer's body (design §10).

    Args:
        resumo: the order's row, but for what a customer may not see.
        link: the order's own URL.
    """
    return {
        "pedidoId": resumo.pedido_id,
        "status": resumo.status,
        "etapa": etapa_do_cliente(resumo.status, resumo.cobranca),
        "mensagem": mensagem(resumo),
        "motivo": resumo.motivo,
        "criadoEm": resumo.criado_em,
        "atualizadoEm": resumo.atualizado_em,
        "links": {"self": link},
    }


def mensagem(resumo: ResumoDoPedido) -> str:
    """One sentence or two for the customer; none claims more about money than the ledger knows."""
    if resumo.status is Status.FALHOU_SEM_RESERVA:
        return _SEM_RESERVA.get(resumo.motivo or "", _SEM_COBRANCA)
    if resumo.status is Status.FALHOU_COMPENSADO:
        return _COMPENSADO[resumo.cobranca]
    if resumo.status is Status.RESOLVIDO_MANUALMENTE:
        return "Pedido encerrado pela nossa equipe de atendimento."
    etapa = etapa_do_cliente(resumo.status, resumo.cobranca)
    if etapa is EtapaDoCliente.DESFAZENDO and resumo.cobranca is EstadoDaCobranca.RECUSADA:
        return _RECUSANDO
    return _POR_ETAPA[etapa]
