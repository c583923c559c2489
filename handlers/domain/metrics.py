"""The functions' own metrics: every name, its unit, and the one way to emit it.

They are written to the log in CloudWatch's embedded metric format, which costs no call. CloudWatch bills a metric for
each combination of dimensions it was ever seen with, so there are two: the function and the stack (several stacks live
in one account). An order's id is never one; what is true of one order is in the logs, under its ``correlation_id``.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Final

from aws_lambda_powertools import single_metric
from aws_lambda_powertools.metrics import MetricUnit

from handlers.domain import environment
from handlers.domain.redaction import mask
from handlers.domain.settings import optional

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["FUNCAO", "NAMESPACE", "PILHA", "UNIDADES", "Metrica", "emit"]

NAMESPACE: Final = "Cesta"
FUNCAO: Final = "service"
"""Dimension: the function, by its name without the stack's prefix. The name is Powertools' own."""
PILHA: Final = "stack"
"""Dimension: the stack."""
_UNKNOWN: Final = "desconhecida"
"""A dimension's value cannot be empty."""


class Metrica(StrEnum):
    """A metric of ours, in the namespace ``Cesta``."""

    PEDIDOS_RECEBIDOS = "PedidosRecebidos"
    PEDIDOS_REPETIDOS = "PedidosRepetidos"
    """The same order posted again."""
    CONTEUDOS_DIVERGENTES = "ConteudosDivergentes"
    """Another order posted under an id that is taken."""
    FILA_INDISPONIVEL = "FilaIndisponivel"
    """Accepted, and left to the reconciler to send."""
    REQUISICOES_FALHADAS = "RequisicoesFalhadas"

    EXECUCOES_INICIADAS = "ExecucoesIniciadas"
    EXECUCOES_JA_INICIADAS = "ExecucoesJaIniciadas"
    """A message that came again: the execution's name protected the order."""
    MENSAGENS_DE_PEDIDO_JA_ANDADO = "MensagensDePedidoJaAndado"
    MENSAGENS_FALHADAS = "MensagensFalhadas"

    PASSO_CONCLUIDO = "PassoConcluido"
    PASSO_RECUSADO = "PassoRecusado"
    PASSO_TRANSITORIO = "PassoTransitorio"
    PASSO_INESPERADO = "PassoInesperado"
    COBRANCA_INDEFINIDA = "CobrancaIndefinida"
    """An attempt that could not tell whether money was taken: one for each look-up within the doubt window."""
    COBRANCA_EM_DUVIDA = "CobrancaEmDuvida"
    """The window is over and still nobody can tell: the reconciler looks twice more."""
    ESTOQUE_RETIDO = "EstoqueRetido"
    """From the order's acceptance until the units of an order that failed were free again."""

    PEDIDOS_SADIOS = "PedidosSadios"
    PEDIDOS_REENVIADOS = "PedidosReenviados"
    CASOS_ABERTOS = "CasosAbertos"
    PEDIDOS_ACERTADOS = "PedidosAcertados"
    CONCILIACOES_FALHADAS = "ConciliacoesFalhadas"
    RODADAS_FALHADAS = "RodadasFalhadas"
    IDADE_DO_CASO = "IdadeDoCasoMaisAntigo"
    """How long the oldest human case has waited; 0 while none does. Emitted by every round."""


UNIDADES: Final[Mapping[Metrica, MetricUnit]] = {
    **dict.fromkeys(Metrica, MetricUnit.Count),
    Metrica.ESTOQUE_RETIDO: MetricUnit.Seconds,
    Metrica.IDADE_DO_CASO: MetricUnit.Seconds,
}


def emit(metrica: Metrica, valor: float = 1, *, sobre: Mapping[str, str] | None = None) -> None:
    """One value of a metric of this function.

    A line each: a buffer shared by the starter's threads would need a lock.

    Args:
        metrica: which.
        valor: in its unit.
        sobre: what else the line says, masked as every log line is: found by a search of the logs, never a dimension.
    """
    dimensions = {
        FUNCAO: optional("POWERTOOLS_SERVICE_NAME") or _UNKNOWN,
        PILHA: optional(environment.STACK) or _UNKNOWN,
    }
    with single_metric(
        name=metrica, unit=UNIDADES[metrica], value=valor, namespace=NAMESPACE, default_dimensions=dimensions
    ) as linha:
        for chave, dito in (sobre or {}).items():
            linha.add_metadata(chave, mask(dito))
