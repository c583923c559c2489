"""A gateway whose clock the test moves, and short ways to ask it for things."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict, cast

from infra.local.simulator_answers import Answer, Drop, Hang
from infra.local.simulator_core import Gateway
from infra.local.simulator_records import PedidoDeCobranca, PedidoDeEstorno
from infra.local.simulator_store import MemoryStore

if TYPE_CHECKING:
    from infra.local.simulator_store import Store

WINDOW = 100.0
VALOR = 4590


class LinhaCobranca(TypedDict):
    pedidoId: str
    chave: str
    transacaoId: str | None
    valorCentavos: int
    valorSolicitadoCentavos: int
    tentativas: int
    estado: str


class LinhaEstorno(TypedDict):
    pedidoId: str
    chave: str
    transacaoId: str
    estornoId: str | None
    valorCentavos: int
    valorSolicitadoCentavos: int
    tentativas: int
    estado: str


class CobrancaVista(TypedDict):
    transacaoId: str
    pedidoId: str
    valorCentavos: int
    estado: str
    valorEstornadoCentavos: int
    estornoId: str | None
    estornoEstado: str | None


class Clock:
    """Epoch seconds, moved by hand."""

    def __init__(self) -> None:
        self.now = 1_000_000.0

    def __call__(self) -> float:
        return self.now


class Bank:
    """A gateway under test, order ``p-1``."""

    def __init__(self, store: Store | None = None) -> None:
        self.clock = Clock()
        self.gateway = Gateway(doubt_window_seconds=WINDOW, clock=self.clock, store=store or MemoryStore())

    def charge(self, token: str, *, chave: str = "cobranca-p-1", valor: int = VALOR) -> Answer | Hang:
        return self.gateway.charge(chave, PedidoDeCobranca("p-1", token, valor))

    def charge_answer(self, token: str, *, chave: str = "cobranca-p-1", valor: int = VALOR) -> Answer:
        outcome = self.charge(token, chave=chave, valor=valor)
        assert isinstance(outcome, Answer)
        return outcome

    def charge_and_leave(self, token: str) -> None:
        """An attempt that hangs, and its client leaving at once."""
        outcome = self.charge(token)
        assert isinstance(outcome, Hang)
        self.gateway.hang_ended(outcome)

    def refund(
        self, transacao: str, *, chave: str = "estorno-p-1", valor: int = VALOR, pedido: str = "p-1"
    ) -> Answer | Drop:
        return self.gateway.refund(chave, PedidoDeEstorno(pedido, transacao, valor))

    def refund_answer(self, transacao: str, *, chave: str = "estorno-p-1", valor: int = VALOR) -> Answer:
        outcome = self.refund(transacao, chave=chave, valor=valor)
        assert isinstance(outcome, Answer)
        return outcome

    def approved(self, token: str = "tok-ok") -> str:  # noqa: S107 - a made-up token
        """A charge's transacaoId, whatever the client was told."""
        outcome = self.charge(token)
        if isinstance(outcome, Hang):
            self.gateway.hang_ended(outcome)
        (vista,) = self.seen()
        return vista["transacaoId"]

    def seen(self) -> list[CobrancaVista]:
        return cast("list[CobrancaVista]", self.gateway.look_up("p-1").body["cobrancas"])

    def cobrancas(self, pedido_id: str | None = None) -> list[LinhaCobranca]:
        return cast("list[LinhaCobranca]", self.gateway.statement(pedido_id).body["cobrancas"])

    def estornos(self) -> list[LinhaEstorno]:
        return cast("list[LinhaEstorno]", self.gateway.statement().body["estornos"])

    def net(self) -> int:
        """Money taken and not given back, centavos."""
        taken = sum(linha["valorCentavos"] for linha in self.cobrancas())
        return taken - sum(linha["valorCentavos"] for linha in self.estornos())
