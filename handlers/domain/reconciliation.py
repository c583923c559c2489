"""What the reconciler decides about one order, from what it read: no effect happens here (design §8).

It only ever calls a person, sends a message again, or takes a settled order out of an index. Money moves in the
saga alone.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Final, TypeAlias

from handlers.domain.ledger import EstadoDaCobranca, EstadoDoEstorno
from handlers.domain.reconciliation_executions import SEM_EXECUCAO
from handlers.domain.reconciliation_rows import ORIGEM, Motivo
from handlers.domain.status import FINAIS, Status

if TYPE_CHECKING:
    from handlers.domain.reconciliation_executions import Execucao
    from handlers.domain.reconciliation_rows import Caso, Linha

__all__ = [
    "AVISO_EM_CURSO_SEGUNDOS",
    "ESPERAS_DE_INICIO",
    "LAPIDE_SEGUNDOS",
    "MAIS_REENVIOS",
    "REAVISO_SEGUNDOS",
    "RODADA",
    "Encerrar",
    "Escalar",
    "Nada",
    "Prazos",
    "Reenviar",
    "aberto_em",
    "caso_desde",
    "deixou_em_aberto",
    "dinheiro_retido",
    "epoca",
    "falta_avisar",
    "mensagem",
    "sobre_pendente",
]

RODADA: Final = "aws.events"
"""Source of the event that starts a round (EventBridge, "Creating a rule that runs on a schedule")."""

ESPERAS_DE_INICIO: Final = (1, 5, 15, 60, 240, 360)
"""How long an order waits to begin, in `Prazos.inicio`, before each re-send and, last, before a person is called.

At 2 minutes: sent again after 2, 10, 30, 120 and 480 minutes more, a person after another 720, 22 h 42 min in all. Most
orders that have not begun wait in a long queue, and a re-send only makes it longer; and the claim for a person ends an
order that would have begun. The last wait leaves rounds that are late time before the starter's own limit.
"""

MAIS_REENVIOS: Final = len(ESPERAS_DE_INICIO) - 1
"""Times an order's message is sent again before a person is called (design §8)."""

VIDA_DO_PEDIDO_SEGUNDOS: Final = 24 * 3600
"""Past this age the starter refuses an order (design §6)."""

REAVISO_SEGUNDOS: Final = 13 * 24 * 3600
"""A message lives 14 days in the human queue; it is sent again a day before that."""

AVISO_EM_CURSO_SEGUNDOS: Final = 120
"""A claim younger than this may belong to a run that is about to send its message: longer than the function's life."""

LAPIDE_SEGUNDOS: Final = 15 * 24 * 3600
"""Age at which a tombstone is pruned. A failed execution can be redriven, and so reserve again, for 14 days (Step
Functions, "Redriving executions")."""


@dataclass(frozen=True)
class Prazos:
    """The reconciler's times, in seconds.

    Attributes:
        inicio: how long an accepted order may wait for its execution before its message is sent again; the waits that
            follow are multiples of it (`ESPERAS_DE_INICIO`).
        reverificacao: after the last charge attempt, when a charge in doubt is looked up first.
        reverificacao_final: and when last.
    """

    inicio: float = 120
    reverificacao: float = 3600
    reverificacao_final: float = 24 * 3600


@dataclass(frozen=True)
class Nada:
    """The order is well, or somebody is at it."""


@dataclass(frozen=True)
class Reenviar:
    """Send the order's message to the starter again."""


@dataclass(frozen=True)
class Encerrar:
    """A confirmed order whose reservation is settled: only the index still has it."""


@dataclass(frozen=True)
class Escalar:
    """Call a person.

    Attributes:
        motivo: why.
        chave: the execution this is about: once each.
    """

    motivo: Motivo
    chave: str


Decisao: TypeAlias = Nada | Reenviar | Encerrar | Escalar


def sobre_pendente(
    linha: Linha, execucao: Execucao | None, *, entrada: int | None, agora: float, prazos: Prazos
) -> Decisao:
    """What to do about an order that is not settled.

    Args:
        linha: the order, read after the execution was described.
        execucao: its last execution.
        entrada: the order's entry in the stock item (`Estoque.entrada`); looked at for a CONFIRMADO order only.
        agora: epoch seconds.
        prazos: the stack's times.
    """
    if linha.pendente_desde is None or (execucao is not None and execucao.viva):
        return Nada()
    chave = execucao.nome if execucao is not None else SEM_EXECUCAO
    if linha.status is Status.CONFIRMADO:
        return Encerrar() if entrada == 0 else Escalar(Motivo.RESERVA_EM_PEDIDO_FINAL, chave)
    if linha.status in FINAIS:
        return Nada()
    if linha.status is Status.RECEBIDO and execucao is None:
        return _nao_iniciado(linha, chave, agora, prazos)
    motivo = Motivo.EXECUCAO_MORTA
    if linha.status is Status.REQUER_INTERVENCAO_HUMANA and linha.caso is not None and linha.caso.chave == chave:
        # The same case once more: its message may be due again, its reason is the first one.
        motivo = Motivo(linha.caso.campos["motivo"].get("S", motivo))
    return Escalar(motivo, chave)


def _nao_iniciado(linha: Linha, chave: str, agora: float, prazos: Prazos) -> Decisao:
    criado, vezes = epoca(linha.pedido.criado_em), linha.reenvio.vezes
    vencido = agora - criado >= VIDA_DO_PEDIDO_SEGUNDOS
    # Nothing more is to come of an order that is too old, but of a message that was sent just now.
    espera = prazos.inicio * (1 if vencido else ESPERAS_DE_INICIO[min(vezes, MAIS_REENVIOS)])
    if agora - max(criado, linha.reenvio.em) < espera:
        return Nada()
    return Escalar(Motivo.NAO_INICIADO, chave) if vencido or vezes >= MAIS_REENVIOS else Reenviar()


def falta_avisar(caso: Caso | None, chave: str, *, agora: float) -> bool:
    """Whether the case ``chave`` needs a message: new, claimed and never sent, or sent nearly 14 days ago."""
    if caso is None or caso.chave != chave:
        return True
    if caso.avisado_em is None:
        return agora - caso.reivindicado_em >= AVISO_EM_CURSO_SEGUNDOS
    return agora - caso.avisado_em >= REAVISO_SEGUNDOS


def aberto_em(caso: Caso) -> float | None:
    """When the case was opened, epoch seconds; None where it does not say."""
    em = caso.campos.get("abertoEm", {}).get("S")
    return epoca(em) if em is not None else None


def caso_desde(linha: Linha) -> float | None:
    """Since when the order, pending, waits for a person, epoch seconds; None when it does not.

    A confirmed order whose reservation would not settle waits in its execution alone (PendenciaParaFilaHumana), and
    its row says no more than when it was confirmed: early by as long as the retries took.
    """
    espera = linha.status is Status.REQUER_INTERVENCAO_HUMANA or linha.status is Status.CONFIRMADO
    if linha.pendente_desde is None or not espera:
        return None
    desde = aberto_em(linha.caso) if linha.caso is not None else None
    return desde if desde is not None else epoca(linha.atualizado_em)


def dinheiro_retido(linha: Linha) -> bool:
    """Whether the ledger says that money was taken and not given back."""
    cobrada = linha.cobranca is not None and linha.cobranca.estado is EstadoDaCobranca.APROVADA
    devolvida = linha.estorno is not None and linha.estorno.estado is EstadoDoEstorno.CONCLUIDO
    return cobrada and not devolvida


def deixou_em_aberto(linha: Linha, *palavras: str) -> bool:
    """Whether the person who closed the case named one of ``palavras`` in ``pendencias``: on purpose, then."""
    if linha.status is not Status.RESOLVIDO_MANUALMENTE or linha.caso is None or linha.caso.pendencias is None:
        return False
    ditas = linha.caso.pendencias.lower()
    return any(palavra in ditas for palavra in palavras)


_EXPLICACAO: Final = {
    Motivo.NAO_INICIADO: "o pedido foi aceito e reenviado até o limite, e nenhuma execução começou",
    Motivo.EXECUCAO_MORTA: "a execução terminou sem desfazer nem confirmar o pedido",
    Motivo.RESERVA_EM_PEDIDO_FINAL: "o pedido chegou ao fim e a reserva de estoque não está acertada",
    Motivo.DINHEIRO_EM_PEDIDO_FINAL: "o pedido terminou sem venda e há dinheiro cobrado e não devolvido",
}


def mensagem(linha: Linha, escalar: Escalar, execucao: Execucao | None) -> str:
    """The message that calls a person: as the saga's own, but for the task token, since nobody waits for it."""
    corpo: dict[str, object] = {
        "pedidoId": linha.pedido_id,
        "origem": ORIGEM,
        "motivo": escalar.motivo,
        "explicacao": _EXPLICACAO[escalar.motivo],
        "status": linha.status,
    }
    if execucao is not None:
        corpo["execucao"] = execucao.arn
        if execucao.erro:
            corpo["erroDaCompensacao"] = {"Error": execucao.erro, "Cause": execucao.causa}
    if linha.motivo is not None:
        corpo["erroOriginal"] = {"Error": linha.motivo}
    return json.dumps(corpo, ensure_ascii=False, sort_keys=True)


def epoca(iso: str) -> float:
    """Epoch seconds of an ISO-8601 text of ours."""
    return datetime.fromisoformat(iso).timestamp()
