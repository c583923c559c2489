"""The saga's names in words that support reads: states, errors, statuses, the reconciler's reasons, times.

Every state, error class and status has its words (`tests/unit/ops/test_words.py`); what a platform may raise besides
has the sentence that is always true of it.
"""

from __future__ import annotations

import unicodedata
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final

from handlers.domain.errors import (
    CartaoRecusadoError,
    CobrancaIndefinidaError,
    ConflitoTransitorioError,
    ErroInesperado,
    EstoqueInsuficienteError,
    GatewayIndisponivelError,
    PedidoJaConfirmadoError,
    ReservaCanceladaError,
    SkuInexistenteError,
)
from handlers.domain.reconciliation_rows import Motivo
from handlers.domain.redaction import mask
from handlers.domain.status import Status

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = [
    "ARROWS",
    "ERRORS",
    "INTERRUPTED",
    "REASONS",
    "STATES",
    "STATUSES",
    "ago",
    "clean",
    "error_told",
    "iso",
    "lasted",
    "moment",
    "state_told",
]

INTERRUPTED: Final = "ExecucaoInterrompida"
"""Stands for the error of an execution that ended without one: ``$.erro.Error`` must be a text."""

STATES: Final[Mapping[str, str]] = {
    "ReservarEstoque": "Reservar o estoque",
    "CobrarPagamento": "Cobrar o pagamento",
    "ConfirmarPedido": "Confirmar o pedido",
    "EfetivarReserva": "Efetivar a reserva",
    "EstornarPagamento": "Devolver o dinheiro",
    "LiberarEstoque": "Liberar o estoque",
    "RegistrarFalhaSemCompensacao": "Registrar: recusado",
    "RegistrarFalhaComEstoqueLiberado": "Registrar: desfeito",
    "RegistrarRequerIntervencaoHumana": "Registrar: requer pessoa",
    "CompensacaoFalhouParaFilaHumana": "Esperar uma pessoa",
    "DecidirIntervencao": "O que foi decidido?",
    "RegistrarReprocessamento": "Registrar: tentar de novo",
    "RegistrarResolvidoManualmente": "Registrar: encerrado",
    "RegistrarResolvidoComPendencias": "Registrar: encerrado com pendências",
    "PendenciaParaFilaHumana": "Esperar uma pessoa (reserva)",
    "DecidirPendencia": "O que foi decidido?",
    "RegistrarPendenciaReprocessada": "Registrar: efetivar de novo",
    "PendenciaEncerrada": "Registrar: pendência encerrada",
    "IntervencaoNaoEntregue": "Ninguém pôde ser chamado",
}
"""What each state does."""

ERRORS: Final[Mapping[str, str]] = {
    EstoqueInsuficienteError.__name__: "não há unidades suficientes do produto",
    SkuInexistenteError.__name__: "o produto não existe no estoque",
    ReservaCanceladaError.__name__: "a reserva chegou depois de já ter sido desfeita, e foi recusada",
    CartaoRecusadoError.__name__: "o cartão foi recusado; nada foi cobrado",
    PedidoJaConfirmadoError.__name__: "o pedido já estava confirmado, e um pedido confirmado não se estorna",
    GatewayIndisponivelError.__name__: "o gateway de pagamento não respondeu como devia",
    ConflitoTransitorioError.__name__: "outra tentativa mexia no mesmo pedido ao mesmo tempo",
    CobrancaIndefinidaError.__name__: "não se sabia ainda se o cartão tinha sido cobrado",
    ErroInesperado.__name__: "a etapa falhou de um jeito não previsto; o que ela fez é tratado como desconhecido",
    INTERRUPTED: "a execução foi interrompida de fora, no meio do caminho",
    "States.Timeout": "a etapa não respondeu dentro do prazo",
    "Sandbox.Timedout": "a função não terminou dentro do prazo",
    "States.TaskFailed": "a etapa falhou sem dizer por quê",
    "States.Runtime": "a execução encontrou um dado que não esperava e parou",
    "States.DataLimitExceeded": "os dados da execução passaram do tamanho permitido",
    "DynamoDB.ConditionalCheckFailedException": "o pedido já não estava no status esperado quando se foi gravar",
    "Lambda.TooManyRequestsException": "havia chamadas demais ao mesmo tempo, e a AWS recusou esta",
    "Runtime.ExitError": "o processo da função morreu no meio da etapa",
    "Lambda.Unknown": "a função terminou sem que se saiba como",
}
"""What each error means, as one clause."""

_UNKNOWN_ERROR: Final = "erro da plataforma; o que a etapa fez é tratado como desconhecido"

STATUSES: Final[Mapping[Status, str]] = {
    Status.RECEBIDO: "Recebido",
    Status.CONFIRMADO: "Confirmado",
    Status.COMPENSANDO: "Sendo desfeito",
    Status.FALHOU_SEM_RESERVA: "Cancelado antes de qualquer efeito",
    Status.FALHOU_COMPENSADO: "Cancelado e desfeito",
    Status.REQUER_INTERVENCAO_HUMANA: "Precisa de uma pessoa",
    Status.RESOLVIDO_MANUALMENTE: "Encerrado por uma pessoa",
}
"""What each status says at a glance."""

REASONS: Final[Mapping[str, str]] = {
    Motivo.NAO_INICIADO: "o pedido foi aceito e a saga nunca começou",
    Motivo.EXECUCAO_MORTA: "a execução morreu antes de chegar ao fim",
    Motivo.RESERVA_EM_PEDIDO_FINAL: "o pedido terminou e ainda há estoque reservado para ele",
    Motivo.DINHEIRO_EM_PEDIDO_FINAL: "o pedido terminou sem venda e há, ou pode haver, dinheiro do cliente",
}
"""Why the reconciler calls a person."""

ARROWS: Final[Mapping[str, str]] = {
    "EstoqueInsuficiente": "sem estoque",
    "SkuInexistente": "produto não existe",
    "ReservaCancelada": "já desfeita",
    "CartaoRecusado": "cartão recusado",
    "PedidoJaConfirmado": "já confirmado",
    "States.ALL": "falhou",
    "States.Timeout": "ninguém respondeu",
    "REPROCESSAR": "reprocessar",
    "ENCERRAR": "encerrar",
}
"""Labels of the picture's arrows."""

_LONGEST: Final = 400
"""Characters of a free text shown: a person's reason, an error's own message."""


def state_told(state: str) -> str:
    """A state in words; its own name where nobody gave it any."""
    return STATES.get(state, state)


def error_told(name: str) -> str:
    """What an error means."""
    return ERRORS.get(name, _UNKNOWN_ERROR)


def clean(text: object) -> str:
    """A free text fit to be shown: no card data, no control or direction characters, no line breaks, not too long."""
    plain = "".join(" " if unicodedata.category(char)[0] in "CZ" else char for char in str(text))
    masked = mask(" ".join(plain.split()))
    return masked if len(masked) <= _LONGEST else f"{masked[: _LONGEST - 1]}…"


def iso(moment: datetime) -> str:
    """ISO-8601 UTC with milliseconds, as everywhere in the project."""
    return moment.astimezone(tz=UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def moment(when: datetime) -> str:
    """A moment as a person reads it; UTC, and it says so: who reads may be anywhere."""
    return f"{when.astimezone(tz=UTC):%d/%m/%Y %H:%M:%S} UTC"


_SECOND, _MINUTE, _HOUR, _DAY = 1.0, 60.0, 3600.0, 86400.0


def lasted(seconds: float) -> str:
    """A duration in one unit: ``0,4 s``, ``3 min``, ``5 h``, ``2 dias``."""
    if seconds < _MINUTE:
        return f"{seconds:.1f} s".replace(".", ",") if seconds < 10 * _SECOND else f"{seconds:.0f} s"
    if seconds < 2 * _HOUR:
        return f"{seconds // _MINUTE:.0f} min"
    if seconds < 2 * _DAY:
        return f"{seconds // _HOUR:.0f} h"
    return f"{seconds // _DAY:.0f} dias"


def ago(since: datetime, now: datetime) -> str:
    """``há 3 h``."""
    return f"há {lasted(max((now - since).total_seconds(), 0))}"
