"""CobrarPagamento, path by path: when it asks for money, when it only looks, when it gives the money back."""

from __future__ import annotations

from typing import Any

import pytest

from handlers.domain.errors import (
    CartaoRecusadoError,
    CobrancaIndefinidaError,
    ConflitoTransitorioError,
    ErroInesperado,
    GatewayIndisponivelError,
)
from handlers.domain.gateway import SituacaoDaCobranca
from handlers.domain.status import Status
from tests.unit.handlers.world import AGORA, HORA, PEDIDO, VALOR, Cobrado, Mundo, Terminal, mundo

pytestmark = pytest.mark.unit

NAO_RECEBIDO = [status for status in Status if status is not Status.RECEBIDO]
DESFEITO = [status for status in NAO_RECEBIDO if status is not Status.CONFIRMADO]
PAGAMENTO = {"transacaoId": "tx-1", "valorCentavos": VALOR}


def cobranca(estado: str, *, em: int = AGORA, valor: int = VALOR) -> dict[str, Any]:
    mapa = {
        "estado": {"S": estado},
        "valorCentavos": {"N": str(valor)},
        "em": {"N": str(em)},
        "ultimaTentativa": {"N": str(em)},
    }
    if estado == "APROVADA":
        mapa["transacaoId"] = {"S": "tx-1"}
    return {"cobranca": {"M": mapa}}


def terminal_com(situacao: SituacaoDaCobranca, valor: int = VALOR) -> Terminal:
    """A gateway that knows one charge already."""
    terminal = Terminal(cobrados=[Cobrado(PEDIDO, "tx-1", valor, situacao)], primeira_cobranca_em=AGORA)
    terminal.pedidos_de_cobranca = 1
    return terminal


def test_an_approved_charge_is_recorded_and_handed_over() -> None:
    um = mundo()
    assert um.cobrar() == PAGAMENTO
    assert um.cobranca["estado"] == {"S": "APROVADA"}
    assert um.cobranca["transacaoId"] == {"S": "tx-1"}
    assert um.estado.terminal.liquido == VALOR


def test_what_may_be_charged_is_written_before_the_gateway_is_called() -> None:
    um = mundo(terminal=Terminal(cobrar=["cai"]))
    with pytest.raises(GatewayIndisponivelError):
        um.cobrar()
    assert um.cobranca["estado"] == {"S": "INICIADA"}
    assert um.cobranca["valorCentavos"] == {"N": str(VALOR)}


def test_the_amount_is_the_rows_and_on_a_later_attempt_the_ledgers() -> None:
    """Case C38: the same key with another amount would be another operation."""
    um = mundo(cobranca("INICIADA", valor=5_000))
    assert um.cobrar() == {"transacaoId": "tx-1", "valorCentavos": 5_000}
    assert um.estado.terminal.aprovadas[0].valor_centavos == 5_000


def test_a_refused_card_is_recorded_and_never_asked_again() -> None:
    um = mundo(terminal=Terminal(cobrar=["recusa"]))
    for _ in range(3):
        with pytest.raises(CartaoRecusadoError):
            um.cobrar()
    assert um.estado.terminal.pedidos_de_cobranca == 1
    assert um.cobranca["estado"] == {"S": "RECUSADA"}


def test_an_attempt_after_an_unknown_one_is_the_same_charge() -> None:
    um = mundo(terminal=Terminal(cobrar=["cobra-e-cai", "aprova"]))
    with pytest.raises(GatewayIndisponivelError):
        um.cobrar()
    um.passar(30)
    assert um.cobrar() == PAGAMENTO
    assert len(um.estado.terminal.aprovadas) == 1
    assert um.cobranca["em"] == {"N": str(AGORA)}
    assert um.cobranca["ultimaTentativa"] == {"N": str(AGORA + 30)}


@pytest.mark.parametrize("status", [Status.RECEBIDO, Status.CONFIRMADO])
def test_a_run_after_the_approval_tells_the_ledgers_transaction_and_asks_for_nothing(status: Status) -> None:
    um = mundo(cobranca("APROVADA"), status=status)
    assert um.cobrar() == PAGAMENTO
    assert um.estado.terminal.pedidos_de_cobranca == 0


@pytest.mark.parametrize("status", NAO_RECEBIDO)
@pytest.mark.parametrize("linha", [{}, cobranca("INICIADA")], ids=["sem cobrança", "iniciada"])
def test_an_order_that_is_not_recebido_is_never_charged(linha: dict[str, Any], status: Status) -> None:
    um = mundo(linha, status=status)
    antes = repr(um.linha)
    with pytest.raises(ErroInesperado, match=f"não se cobra um pedido {status}"):
        um.cobrar()
    assert um.estado.terminal.pedidos_de_cobranca == 0
    assert repr(um.linha) == antes


def test_an_unknown_order_is_never_charged() -> None:
    um = mundo()
    um.estado.tabelas["pedidos"].clear()
    with pytest.raises(ErroInesperado, match="não existe"):
        um.cobrar()
    assert um.estado.terminal.pedidos_de_cobranca == 0


def test_an_order_without_a_token_is_not_recorded_as_maybe_charged() -> None:
    um = mundo()
    del um.linha["cartaoToken"]
    with pytest.raises(ErroInesperado, match="sem token"):
        um.cobrar()
    assert "cobranca" not in um.linha


@pytest.mark.parametrize("status", [s for s in DESFEITO if s is not Status.RESOLVIDO_MANUALMENTE])
def test_a_run_that_finds_its_charge_approved_and_the_order_undone_gives_the_money_back(status: Status) -> None:
    """A retry after the self-refund failed, or the process died in between."""
    um = mundo(cobranca("APROVADA"), terminal=terminal_com(SituacaoDaCobranca.APROVADA), status=status)
    for _ in range(2):
        with pytest.raises(ErroInesperado, match="já foi estornada"):
            um.cobrar()
    assert um.estado.terminal.liquido == 0
    assert um.estado.terminal.pedidos_de_estorno == 1


def test_money_a_person_decided_to_keep_is_left_alone() -> None:
    um = mundo(
        cobranca("APROVADA"),
        terminal=terminal_com(SituacaoDaCobranca.APROVADA),
        status=Status.RESOLVIDO_MANUALMENTE,
    )
    with pytest.raises(ErroInesperado):
        um.cobrar()
    assert um.estado.terminal.liquido == VALOR


class Desistencia:
    """An `Outside` in which the order gets another status while the gateway is thinking."""

    def __init__(self, um: Mundo, status: Status) -> None:
        self.um, self.status = um, status

    def __call__(self, name: str, effect: Any) -> Any:
        answer = effect()
        if name == "gateway.cobrar":
            self.um.linha["status"] = {"S": self.status.value}
        return answer


@pytest.mark.parametrize("status", DESFEITO)
def test_an_order_given_up_while_the_gateway_was_thinking_gets_its_money_back(status: Status) -> None:
    um = mundo()
    with pytest.raises(ErroInesperado, match="já foi estornada"):
        Mundo(um.estado, outside=Desistencia(um, status)).cobrar()
    assert um.estado.terminal.liquido == 0
    assert um.cobranca["estado"] == {"S": "APROVADA"}
    assert um.linha["estorno"]["M"]["estado"] == {"S": "CONCLUIDO"}


def test_a_refund_of_a_late_charge_that_does_not_go_through_is_an_error_to_retry() -> None:
    um = mundo(terminal=Terminal(estornar=["cai", "devolve"]))
    with pytest.raises(GatewayIndisponivelError):
        Mundo(um.estado, outside=Desistencia(um, Status.COMPENSANDO)).cobrar()
    assert um.estado.terminal.liquido == VALOR
    with pytest.raises(ErroInesperado, match="já foi estornada"):
        um.cobrar()
    assert um.estado.terminal.liquido == 0


def test_an_order_confirmed_while_the_gateway_was_thinking_keeps_its_charge() -> None:
    um = mundo()
    assert Mundo(um.estado, outside=Desistencia(um, Status.CONFIRMADO)).cobrar() == PAGAMENTO
    assert um.estado.terminal.liquido == VALOR


@pytest.mark.parametrize(
    ("depois", "resposta"), [("recusa", "recusou"), ("aprova", "aprovou")], ids=["recusada", "aprovada"]
)
def test_a_ledger_that_contradicts_the_gateway_needs_a_person(depois: str, resposta: str) -> None:
    um = mundo(terminal=Terminal(cobrar=[depois]))

    def outro_registro(name: str, effect: Any) -> Any:
        answer = effect()
        if name == "gateway.cobrar":
            um.linha["cobranca"] = cobranca("APROVADA")["cobranca"]
            um.linha["cobranca"]["M"]["transacaoId"] = {"S": "tx-de-outra-vida"}
        return answer

    with pytest.raises(ErroInesperado, match=resposta):
        Mundo(um.estado, outside=outro_registro).cobrar()


def test_a_row_that_vanishes_during_the_charge_needs_a_person() -> None:
    um = mundo()

    def sumico(name: str, effect: Any) -> Any:
        answer = effect()
        if name == "gateway.cobrar":
            um.estado.tabelas["pedidos"].clear()
        return answer

    with pytest.raises(ErroInesperado, match="aprovou a cobrança tx-1"):
        Mundo(um.estado, outside=sumico).cobrar()


@pytest.mark.parametrize(("idade", "enviada"), [(20 * HORA, True), (20 * HORA + 1, False)])
def test_past_twenty_hours_a_charge_is_looked_up_and_never_sent_again(idade: int, enviada: bool) -> None:
    um = mundo(cobranca("INICIADA"))
    um.passar(idade)
    if enviada:
        assert um.cobrar() == PAGAMENTO
        return
    antes = repr(um.linha)
    with pytest.raises(CobrancaIndefinidaError):
        um.cobrar()
    assert um.estado.terminal.pedidos_de_cobranca == 0
    assert repr(um.linha) == antes


def test_an_old_charge_that_is_found_approved_is_recorded_and_handed_over() -> None:
    um = mundo(cobranca("INICIADA", em=AGORA - 21 * HORA), terminal=terminal_com(SituacaoDaCobranca.APROVADA))
    assert um.cobrar() == PAGAMENTO
    assert um.cobranca["estado"] == {"S": "APROVADA"}


def test_an_old_charge_that_is_found_refused_is_a_refusal() -> None:
    um = mundo(cobranca("INICIADA", em=AGORA - 21 * HORA), terminal=terminal_com(SituacaoDaCobranca.RECUSADA))
    with pytest.raises(CartaoRecusadoError):
        um.cobrar()
    assert um.cobranca["estado"] == {"S": "RECUSADA"}


def test_an_old_charge_still_in_flight_is_transient() -> None:
    um = mundo(cobranca("INICIADA", em=AGORA - 21 * HORA), terminal=terminal_com(SituacaoDaCobranca.EM_ANDAMENTO))
    with pytest.raises(ConflitoTransitorioError):
        um.cobrar()


def test_an_old_charge_of_another_amount_needs_a_person() -> None:
    um = mundo(cobranca("INICIADA", em=AGORA - 21 * HORA), terminal=terminal_com(SituacaoDaCobranca.APROVADA, valor=1))
    with pytest.raises(ErroInesperado, match="o gateway cobrou 1 centavos"):
        um.cobrar()
    assert um.cobranca["estado"] == {"S": "INICIADA"}


def test_a_charge_in_flight_at_the_gateway_is_transient() -> None:
    um = mundo(terminal=Terminal(cobrar=["em-andamento"]))
    with pytest.raises(GatewayIndisponivelError):
        um.cobrar()
    with pytest.raises(ConflitoTransitorioError):
        um.cobrar()
    assert um.cobranca["estado"] == {"S": "INICIADA"}
