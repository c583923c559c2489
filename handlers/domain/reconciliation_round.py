"""The reconciler's round over every order that is not well, and its look at one order an event named.

Each act is claimed in the order's row before it is made, and made again if the claim was never followed by it: a
run that dies, runs twice, late, or beside itself calls a person once, and never not at all.
"""

from __future__ import annotations

import zlib
from collections import Counter
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from handlers.domain.errors import ErroInesperado, GatewayIndisponivelError
from handlers.domain.metrics import Metrica
from handlers.domain.orders import entrada_canonica
from handlers.domain.reconciliation import (
    Encerrar,
    Escalar,
    Nada,
    Reenviar,
    aberto_em,
    caso_desde,
    falta_avisar,
    mensagem,
    sobre_pendente,
)
from handlers.domain.reconciliation_executions import SEM_EXECUCAO
from handlers.domain.reconciliation_rows import Indice, Motivo
from handlers.domain.status import Status

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from handlers.domain.clock import Clock
    from handlers.domain.orders import Pedidos
    from handlers.domain.reconciliation import Decisao, Prazos
    from handlers.domain.reconciliation_closed import Conferencia
    from handlers.domain.reconciliation_executions import Execucao, Execucoes
    from handlers.domain.reconciliation_rows import Linha, Linhas
    from handlers.domain.stock import Estoque

__all__ = ["MAIS_PEDIDOS", "Conciliador", "Resultado", "Rodada"]

MAIS_PEDIDOS: Final = 500
"""Orders looked at in one round, about; the rest take turns in the rounds that follow."""
_FOLGA_SEGUNDOS: Final = 15
"""Left of the function's time when a round stops: longer than one order's look-up at the gateway."""

_NAO_ACERTADOS: Final = (Status.RECEBIDO, Status.COMPENSANDO, Status.CONFIRMADO, Status.REQUER_INTERVENCAO_HUMANA)
_FECHADOS: Final = (Status.FALHOU_COMPENSADO, Status.FALHOU_SEM_RESERVA, Status.RESOLVIDO_MANUALMENTE)


class Resultado(StrEnum):
    """What became of one order, and the metric that counts it."""

    SADIO = Metrica.PEDIDOS_SADIOS
    REENVIADO = Metrica.PEDIDOS_REENVIADOS
    ESCALADO = Metrica.CASOS_ABERTOS
    ACERTADO = Metrica.PEDIDOS_ACERTADOS
    FALHOU = Metrica.CONCILIACOES_FALHADAS


@dataclass
class Rodada:
    """What one round did and saw.

    Attributes:
        contagem: orders by what became of them.
        caso_mais_antigo_segundos: how long the oldest human case among them has waited; 0 when there is none.
    """

    contagem: Counter[Resultado] = field(default_factory=Counter["Resultado"])
    caso_mais_antigo_segundos: float = 0

    def ver_caso(self, desde: float | None, *, agora: float) -> None:
        """Takes note of a case that waits since then (epoch seconds), if it does."""
        if desde is not None:
            self.caso_mais_antigo_segundos = max(self.caso_mais_antigo_segundos, agora - desde)


@dataclass(frozen=True)
class Conciliador:
    """One reconciler.

    Attributes:
        linhas: the orders as it sees them.
        execucoes: their executions.
        pedidos: the orders.
        estoque: the stock.
        conferencia: looks at closed orders.
        enviar_pedido: puts a message into the queue of created orders.
        chamar_pessoa: puts a message into the human queue.
        agora: the clock.
        prazos: the stack's times.
        anotar: told of each order looked at, what became of it, and of the error where it could not be.
    """

    linhas: Linhas
    execucoes: Execucoes
    pedidos: Pedidos
    estoque: Estoque
    conferencia: Conferencia
    enviar_pedido: Callable[[str], object]
    chamar_pessoa: Callable[[str], object]
    agora: Clock
    prazos: Prazos
    anotar: Callable[[str, Resultado, Exception | None], object]

    def rodada(self, *, restam: Callable[[], float]) -> Rodada:
        """Looks at every order that is due, one failing alone.

        Args:
            restam: seconds the function has left.
        """
        rodada = Rodada()
        gateway_no_ar = True
        for indice, pedido_id in self._da_vez():
            if restam() < _FOLGA_SEGUNDOS:
                break
            try:
                resultado, falha = self._olhar(rodada, indice, pedido_id, consultar=gateway_no_ar), None
            except Exception as error:
                resultado, falha = Resultado.FALHOU, error
                # Each further look-up would wait for the whole timeout; stock, ledger and tombstones need none.
                gateway_no_ar = gateway_no_ar and not isinstance(error, GatewayIndisponivelError)
            rodada.contagem[resultado] += 1
            self.anotar(pedido_id, resultado, falha)
        return rodada

    def sobre(self, pedido_id: str) -> Resultado:
        """Looks at one order whose execution is said to have died.

        Raises:
            ErroInesperado: there is no such order.
        """
        execucao = self.execucoes.ultima(pedido_id)
        linha = self.linhas.ler(pedido_id)
        if linha is None:
            raise ErroInesperado(pedido_id, "uma execução morreu e o pedido não existe na tabela; confira a origem")
        resultado = self._agir(linha, execucao, self._decidir(linha, execucao))
        self.anotar(pedido_id, resultado, None)
        return resultado

    def _da_vez(self) -> Iterator[tuple[Indice, str]]:
        """What this round looks at: all that is due, or one share of it when it is too much for a round.

        Share and starting point change with the clock's second, whatever the time between rounds: orders that wait
        for a person, the oldest, never hide the newer ones, and a round cut short is never cut at the same place.
        """
        agora = self.agora()
        todos = [
            (indice, pedido_id)
            for indice, statuses, ate in (
                (Indice.PENDENTES, _NAO_ACERTADOS, agora - self.prazos.inicio),
                (Indice.VERIFICACOES, _FECHADOS, agora),
            )
            for status in statuses
            for pedido_id in self.linhas.achar(indice, status, ate=ate)
        ]
        partes = -(-len(todos) // MAIS_PEDIDOS) or 1
        vez = zlib.crc32(str(int(agora)).encode())
        da_vez = [item for item in todos if zlib.crc32(item[1].encode()) % partes == vez % partes]
        corte = vez // partes % len(da_vez) if da_vez else 0
        return iter(da_vez[corte:] + da_vez[:corte])

    def _olhar(self, rodada: Rodada, indice: Indice, pedido_id: str, *, consultar: bool) -> Resultado:
        # The execution first: what it wrote before it ended is then in the row.
        execucao = self.execucoes.ultima(pedido_id)
        linha = self.linhas.ler(pedido_id)
        if linha is None:
            return Resultado.SADIO
        if indice is Indice.VERIFICACOES:
            return self._conferir(rodada, linha, execucao, consultar=consultar)
        rodada.ver_caso(caso_desde(linha), agora=self.agora())
        return self._agir(linha, execucao, self._decidir(linha, execucao))

    def _decidir(self, linha: Linha, execucao: Execucao | None) -> Decisao:
        entrada = None
        if linha.status is Status.CONFIRMADO:
            entrada = self.estoque.entrada(linha.pedido_id, linha.pedido.sku)
        return sobre_pendente(linha, execucao, entrada=entrada, agora=self.agora(), prazos=self.prazos)

    def _agir(self, linha: Linha, execucao: Execucao | None, decisao: Decisao) -> Resultado:
        match decisao:
            case Nada():
                return Resultado.SADIO
            case Encerrar():
                return Resultado.ACERTADO if self.pedidos.encerrar_pendencia(linha.pedido_id) else Resultado.SADIO
            case Reenviar():
                return self._reenviar(linha)
            case Escalar():
                return self._escalar(linha, execucao, decisao)

    def _reenviar(self, linha: Linha) -> Resultado:
        # Counted before it is sent: a crash in between costs one of the five, never sends for ever.
        if not self.linhas.contar_reenvio(linha):
            return Resultado.SADIO
        self.enviar_pedido(entrada_canonica(linha.pedido))
        return Resultado.REENVIADO

    def _escalar(self, linha: Linha, execucao: Execucao | None, decisao: Escalar) -> Resultado:
        if not falta_avisar(linha.caso, decisao.chave, agora=self.agora()):
            return Resultado.SADIO
        if _nome(self.execucoes.ultima(linha.pedido_id)) != decisao.chave:
            # A person resumed it while we looked.
            return Resultado.SADIO
        reivindicado_em = self.linhas.reivindicar(linha, chave=decisao.chave, motivo=decisao.motivo)
        if reivindicado_em is None:
            return Resultado.SADIO
        self.chamar_pessoa(mensagem(linha, decisao, execucao))
        self.linhas.marcar_avisado(linha.pedido_id, chave=decisao.chave, reivindicado_em=reivindicado_em)
        return Resultado.ESCALADO

    def _conferir(self, rodada: Rodada, linha: Linha, execucao: Execucao | None, *, consultar: bool) -> Resultado:
        due = linha.verificar_em is not None and linha.status in _FECHADOS
        if not due or (execucao is not None and execucao.viva):
            return Resultado.SADIO
        try:
            visto = self.conferencia.conferir(linha, agora=self.agora(), consultar=consultar)
        except (GatewayIndisponivelError, ErroInesperado):
            # To the back of the line: an answer that is always bad must not be the first of every round.
            self.linhas.reagendar(linha, self.agora() + self.prazos.reverificacao / 4)
            raise
        if not isinstance(visto, Motivo):
            self.linhas.reagendar(linha, visto)
            return Resultado.SADIO if visto is not None else Resultado.ACERTADO
        # What the gateway told is in the row by now, and a claim demands the row as it is.
        atual = self.linhas.ler(linha.pedido_id)
        if atual is None or atual.status is not linha.status:
            return Resultado.SADIO
        escalar = Escalar(visto, _nome(execucao))
        if atual.caso is not None and atual.caso.chave == escalar.chave:
            # Closed, and a person was called about it since: still unanswered.
            rodada.ver_caso(aberto_em(atual.caso), agora=self.agora())
        return self._escalar(atual, execucao, escalar)


def _nome(execucao: Execucao | None) -> str:
    return execucao.nome if execucao is not None else SEM_EXECUCAO
