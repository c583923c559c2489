"""The gateway simulator's rules: idempotency keys, the ledger, and the ways a gateway fails. No HTTP, no real clock.

What a real gateway is known to do is kept, because each is a trap for a client: a key is forgotten after 24 h, and
the same request is then a second charge; a 503 did nothing and binds no key; a 500 or a lost answer may have taken
the money; a charge may land after everyone left.
"""

from __future__ import annotations

import itertools
import secrets
import threading
from typing import TYPE_CHECKING, Final, TypeVar

from infra.local.simulator_answers import (
    IN_FLIGHT,
    KEY_REUSED,
    NO_TRANSACTION,
    UNAVAILABLE,
    Answer,
    Drop,
    Hang,
    already_refunded,
    charge_reply,
    refund_reply,
)
from infra.local.simulator_records import (
    Cobranca,
    EstadoCobranca,
    EstadoEstorno,
    Estorno,
    PedidoDeCobranca,
    PedidoDeEstorno,
    RequisicaoInvalidaError,
)
from infra.local.simulator_tokens import behaviour_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from infra.local.simulator_store import Store

__all__ = ["KEY_LIFE_SECONDS", "Gateway"]

KEY_LIFE_SECONDS: Final = 24 * 3600
"""How long a key is remembered (design §7; Stripe's documentation promises "at least 24 hours")."""


_Record = TypeVar("_Record", Cobranca, Estorno)


class Gateway:
    """The gateway's whole state; every method may be called from any thread.

    Args:
        doubt_window_seconds: the client's doubt window, against which late charges are timed.
        clock: epoch seconds.
        store: what is remembered across restarts.
    """

    def __init__(self, *, doubt_window_seconds: float, clock: Callable[[], float], store: Store) -> None:
        self._window = doubt_window_seconds
        self._clock = clock
        self._store = store
        self._lock = threading.Lock()
        self._cobrancas, self._estornos, self._offset = store.load()
        self._numbers = itertools.count(len(self._cobrancas) + len(self._estornos))

    def charge(self, chave: str, pedido: PedidoDeCobranca) -> Answer | Hang:
        """One attempt at a charge."""
        with self._lock:
            self._land_late_charges()
            cobranca = self._live(self._cobrancas, chave)
            if cobranca is not None and cobranca.consumida and cobranca.pedido != pedido:
                return KEY_REUSED
            if cobranca is None or cobranca.pedido != pedido:
                cobranca = Cobranca(next(self._numbers), chave, pedido, self._now(), self._now())
                self._cobrancas.append(cobranca)
            cobranca.tentativas += 1
            cobranca.ultimo_sinal_em = self._now()
            outcome = self._attempt_charge(cobranca)
            if isinstance(outcome, Hang):
                cobranca.esperando += 1
            self._store.save(cobranca)
            return outcome

    def hang_ended(self, hang: Hang) -> None:
        """The client of a hanging attempt left, or was sent away: a late charge is counted from here."""
        with self._lock:
            hang.cobranca.esperando -= 1
            hang.cobranca.ultimo_sinal_em = self._now()
            self._store.save(hang.cobranca)

    def refund(self, chave: str, pedido: PedidoDeEstorno) -> Answer | Drop:
        """One attempt at a refund.

        Raises:
            RequisicaoInvalidaError: the transaction is another order's, or worth less than what is asked back.
        """
        with self._lock:
            self._land_late_charges()
            cobranca = self._approved(pedido.transacao_id)
            if cobranca is None:
                return NO_TRANSACTION
            if cobranca.pedido.pedido_id != pedido.pedido_id:
                raise RequisicaoInvalidaError("pedidoId: a transação é de outro pedido")
            if pedido.valor_centavos > cobranca.pedido.valor_centavos:
                raise RequisicaoInvalidaError("valorCentavos: maior do que o valor cobrado")
            estorno = self._live(self._estornos, chave)
            if estorno is not None and estorno.consumida and estorno.pedido != pedido:
                return KEY_REUSED
            if estorno is None or estorno.pedido != pedido:
                estorno = Estorno(next(self._numbers), chave, pedido, self._now())
                self._estornos.append(estorno)
            estorno.tentativas += 1
            try:
                return self._attempt_refund(estorno, cobranca)
            finally:
                self._store.save(estorno)

    def look_up(self, pedido_id: str) -> Answer:
        """What the gateway tells of an order's charges: only those the bank decided."""
        with self._lock:
            self._land_late_charges()
            decided = (EstadoCobranca.APROVADA, EstadoCobranca.RECUSADA)
            found = [c for c in self._cobrancas if c.pedido.pedido_id == pedido_id and c.estado in decided]
            return Answer(200, {"cobrancas": [self._charge_seen_by_client(c) for c in found]})

    def statement(self, pedido_id: str | None = None) -> Answer:
        """Every charge and refund attempted, in order; ``valorCentavos`` is the money that moved (design §10)."""
        with self._lock:
            self._land_late_charges()
            return Answer(
                200,
                {
                    "cobrancas": [
                        {
                            "pedidoId": c.pedido.pedido_id,
                            "chave": c.chave,
                            "transacaoId": c.transacao_id,
                            "valorCentavos": c.valor_movido,
                            "valorSolicitadoCentavos": c.pedido.valor_centavos,
                            "tentativas": c.tentativas,
                            "estado": c.estado,
                        }
                        for c in _of_order(self._cobrancas, pedido_id)
                    ],
                    "estornos": [
                        {
                            "pedidoId": e.pedido.pedido_id,
                            "chave": e.chave,
                            "transacaoId": e.pedido.transacao_id,
                            "estornoId": e.estorno_id,
                            "valorCentavos": e.valor_movido,
                            "valorSolicitadoCentavos": e.pedido.valor_centavos,
                            "tentativas": e.tentativas,
                            "estado": e.estado,
                        }
                        for e in _of_order(self._estornos, pedido_id)
                    ],
                },
            )

    def advance_clock(self, segundos: float) -> Answer:
        """Move the simulator's clock ahead by ``segundos``; it never goes back."""
        with self._lock:
            self._offset += segundos
            self._store.save_offset(self._offset)
            self._land_late_charges()
            return Answer(200, {"agora": self._now()})

    def _now(self) -> float:
        return self._clock() + self._offset

    def _attempt_charge(self, cobranca: Cobranca) -> Answer | Hang:
        behaviour = behaviour_of(cobranca.pedido.cartao_token)
        if cobranca.estado is EstadoCobranca.EM_ANDAMENTO:
            return IN_FLIGHT
        if cobranca.estado is EstadoCobranca.NAO_COBRADA:
            if cobranca.tentativas <= behaviour.unavailable_charges:
                return UNAVAILABLE
            if behaviour.lands_after:
                cobranca.estado = EstadoCobranca.EM_ANDAMENTO
                return Hang(cobranca)
            if behaviour.refuses:
                _decide(cobranca, EstadoCobranca.RECUSADA)
            elif behaviour.charges:
                _decide(cobranca, EstadoCobranca.APROVADA)
        return charge_reply(cobranca, behaviour.reply)

    def _attempt_refund(self, estorno: Estorno, cobranca: Cobranca) -> Answer | Drop:
        behaviour = behaviour_of(cobranca.pedido.cartao_token)
        if estorno.estado is EstadoEstorno.NAO_ESTORNADO:
            if estorno.tentativas <= behaviour.unavailable_refunds:
                return UNAVAILABLE
            others = self._refunds_of(cobranca)
            left = cobranca.pedido.valor_centavos - sum(e.pedido.valor_centavos for e in others)
            if left == 0:
                return already_refunded(others[-1])
            if estorno.pedido.valor_centavos > left:
                raise RequisicaoInvalidaError("valorCentavos: maior do que o valor ainda não estornado")
            estorno.estorno_id = f"est-{secrets.token_hex(8)}"
            estorno.estado = EstadoEstorno.PENDENTE if behaviour.pending_consults else EstadoEstorno.CONCLUIDO
            if behaviour.loses_refund_answer:
                return Drop()
        if behaviour.loses_refund_answer:
            return already_refunded(estorno)
        # The first answer again, even when a pending refund was concluded since: only a look-up tells that.
        return refund_reply(estorno, pending=behaviour.pending_consults > 0)

    def _charge_seen_by_client(self, cobranca: Cobranca) -> dict[str, object]:
        refunds = self._refunds_of(cobranca)
        for estorno in refunds:
            self._consult(estorno, behaviour_of(cobranca.pedido.cartao_token).pending_consults)
        last = refunds[-1] if refunds else None
        return {
            "transacaoId": cobranca.transacao_id,
            "pedidoId": cobranca.pedido.pedido_id,
            "valorCentavos": cobranca.pedido.valor_centavos,
            "estado": cobranca.estado,
            "valorEstornadoCentavos": sum(e.valor_movido for e in refunds),
            "estornoId": last.estorno_id if last else None,
            "estornoEstado": last.estado if last else None,
        }

    def _consult(self, estorno: Estorno, pending_consults: int) -> None:
        if estorno.estado is not EstadoEstorno.PENDENTE:
            return
        estorno.consultas += 1
        if estorno.consultas > pending_consults:
            estorno.estado = EstadoEstorno.CONCLUIDO
        self._store.save(estorno)

    def _land_late_charges(self) -> None:
        for cobranca in self._cobrancas:
            if cobranca.estado is not EstadoCobranca.EM_ANDAMENTO or cobranca.esperando:
                continue
            lands_at = cobranca.ultimo_sinal_em + behaviour_of(cobranca.pedido.cartao_token).lands_after * self._window
            if self._now() >= lands_at:
                _decide(cobranca, EstadoCobranca.APROVADA)
                self._store.save(cobranca)

    def _live(self, records: list[_Record], chave: str) -> _Record | None:
        """The newest record of the key, unless it is older than the key's life."""
        found = next((r for r in reversed(records) if r.chave == chave), None)
        if found is None or self._now() - found.primeira_em >= KEY_LIFE_SECONDS:
            return None
        return found

    def _approved(self, transacao_id: str) -> Cobranca | None:
        approved = EstadoCobranca.APROVADA
        return next((c for c in self._cobrancas if c.transacao_id == transacao_id and c.estado is approved), None)

    def _refunds_of(self, cobranca: Cobranca) -> list[Estorno]:
        return [e for e in self._estornos if e.pedido.transacao_id == cobranca.transacao_id and e.consumida]


def _decide(cobranca: Cobranca, estado: EstadoCobranca) -> None:
    cobranca.estado = estado
    cobranca.transacao_id = f"tra-{secrets.token_hex(8)}"


def _of_order(records: Iterable[_Record], pedido_id: str | None) -> list[_Record]:
    return [r for r in records if pedido_id in (None, r.pedido.pedido_id)]
