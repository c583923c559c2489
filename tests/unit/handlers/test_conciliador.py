"""The reconciler over orders that are not settled: a broken one calls a person once, a healthy one is not touched."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from handlers import conciliador
from handlers.domain.clock import iso
from handlers.domain.errors import ErroInesperado
from handlers.domain.orders import entrada_canonica
from handlers.domain.reconciliation import MAIS_REENVIOS, Prazos
from handlers.domain.reconciliation_executions import pedido_da_execucao
from handlers.domain.reconciliation_round import MAIS_PEDIDOS, Resultado
from handlers.domain.status import Status
from tests.unit.handlers.conciliacao import (
    AGORA,
    DIA,
    MAQUINA,
    MORTES,
    REQUER,
    RETOMADA,
    Mundo,
    cobranca,
    direto,
    estorno,
    quebra,
)

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.unit


@pytest.fixture
def mundo() -> Mundo:
    return Mundo()


# --- Orders that have not begun ----------------------------------------------------------------------------------


def test_an_order_whose_message_was_lost_is_sent_again_as_it_was_sent_first(mundo: Mundo) -> None:
    mundo.pedido("p-1")
    assert mundo.rodada() == {"PedidosReenviados": 1}
    registrado = mundo.pedidos.ler("p-1")
    assert registrado is not None
    assert mundo.criados == [entrada_canonica(registrado.pedido)]
    assert "tok" not in mundo.criados[0]


def test_a_young_order_is_left_to_the_starter(mundo: Mundo) -> None:
    mundo.pedido("p-1", idade=119)
    assert mundo.rodada() == {}


def test_an_order_is_sent_again_five_times_ever_further_apart_and_then_a_person_is_called(mundo: Mundo) -> None:
    mundo.pedido("p-1", idade=0)
    for n, minutos in enumerate((2, 10, 30, 120, 480), 1):
        mundo.agora += minutos * 60 - 1
        assert mundo.rodada().keys() <= {"PedidosSadios"}, f"{minutos} minutes are not over"
        mundo.agora += 1
        assert mundo.rodada() == {"PedidosReenviados": 1}
        assert mundo.rodada().keys() <= {"PedidosSadios"}
        assert len(mundo.criados) == n
    mundo.agora += 720 * 60 - 1
    assert mundo.rodada() == {"PedidosSadios": 1}, "the queue may be as long as that"
    mundo.agora += 1
    assert mundo.rodada() == {"CasosAbertos": 1}
    assert len(mundo.criados) == MAIS_REENVIOS
    (aviso,) = mundo.avisos()
    assert aviso["motivo"] == "NAO_INICIADO"
    assert mundo.linha("p-1")["status"]["S"] == REQUER
    assert "cartaoToken" not in mundo.linha("p-1")


def test_an_order_in_a_long_queue_keeps_its_card_and_starts(mundo: Mundo) -> None:
    """Two hours of rounds while its message waits: five thousand orders at a slow gateway."""
    mundo.pedido("p-1", idade=0)
    for _ in range(24):
        mundo.agora += 300
        mundo.rodada()
    assert len(mundo.criados) == 3, "after 5, 15 and 45 minutes: each makes the queue longer"
    assert "cartaoToken" in mundo.linha("p-1")
    mundo.sfn.por("p-1", "RUNNING")
    mundo.agora += DIA
    assert mundo.rodada() == {"PedidosSadios": 1}
    assert mundo.humana == []


@pytest.mark.parametrize(("inicio", "minutos"), [(30, 5), (120, 5), (3600, 5), (120, 60)])
def test_a_person_is_called_within_a_day_for_an_order_that_never_starts(inicio: float, minutos: int) -> None:
    """Whatever the stack's settings: the least and the most they take."""
    mundo = Mundo(prazos=Prazos(inicio=inicio))
    mundo.pedido("p-1", idade=0)
    while not mundo.humana:
        mundo.agora += minutos * 60
        mundo.rodada()
    assert mundo.agora - AGORA <= DIA
    assert 3 <= len(mundo.criados) <= MAIS_REENVIOS


def test_an_order_of_another_day_is_a_persons_at_once(mundo: Mundo) -> None:
    mundo.pedido("p-1", idade=DIA + 1)
    assert mundo.rodada() == {"CasosAbertos": 1}
    assert mundo.criados == []


def test_an_order_sent_again_just_before_it_is_a_day_old_is_left_to_the_starter_for_a_moment(mundo: Mundo) -> None:
    mundo.pedido("p-1", idade=DIA - 1)
    assert mundo.rodada() == {"PedidosReenviados": 1}
    mundo.agora += 119
    assert mundo.rodada() == {"PedidosSadios": 1}
    mundo.agora += 1
    assert mundo.rodada() == {"CasosAbertos": 1}


def test_a_crash_between_counting_and_sending_costs_one_of_the_five(mundo: Mundo) -> None:
    mundo.pedido("p-1")
    mundo.outside = quebra("sqs.criados")
    assert mundo.rodada() == {"ConciliacoesFalhadas": 1}
    mundo.agora += 601
    mundo.outside = direto
    mundo.rodada()
    assert len(mundo.criados) == 1
    assert mundo.linha("p-1")["reenvio"]["M"]["vezes"] == {"N": "2"}


# --- Executions that died ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("morte", MORTES)
@pytest.mark.parametrize("status", [Status.RECEBIDO, Status.COMPENSANDO, REQUER])
def test_an_order_whose_execution_died_calls_a_person_once(mundo: Mundo, morte: str, status: Status) -> None:
    linha = mundo.em("p-1", status, motivo={"S": "ErroInesperado"})
    mundo.sfn.por("p-1", morte, erro="States.Runtime")
    assert mundo.rodada() == {"CasosAbertos": 1}
    assert mundo.rodada() == {"PedidosSadios": 1}
    (aviso,) = mundo.avisos()
    assert aviso["execucao"].endswith(":execution:cesta-saga-pedido:p-1")
    assert (aviso["origem"], aviso["motivo"]) == ("conciliador", "EXECUCAO_MORTA")
    assert aviso["erroOriginal"] == {"Error": "ErroInesperado"}
    assert aviso["erroDaCompensacao"]["Error"] == "States.Runtime"
    assert "taskToken" not in aviso
    linha = mundo.linha("p-1")
    assert linha["status"]["S"] == REQUER
    assert linha["caso"]["M"]["origem"] == {"S": "conciliador"}
    assert "pendenteDesde" in linha


def test_the_event_and_the_round_together_call_a_person_once(mundo: Mundo) -> None:
    mundo.em("p-1", Status.RECEBIDO)
    mundo.sfn.por("p-1", "ABORTED")
    assert mundo.conciliador().sobre("p-1") == "CasosAbertos"
    # The emulator's own way: what looked aborted fails afterwards, and a second event comes.
    mundo.sfn.por("p-1", "FAILED", erro="ErroInesperado")
    assert mundo.conciliador().sobre("p-1") == "PedidosSadios"
    mundo.rodada()
    assert len(mundo.humana) == 1


def test_an_execution_that_lives_is_left_alone_whatever_its_order_says(mundo: Mundo) -> None:
    for i, status in enumerate((Status.RECEBIDO, Status.COMPENSANDO, Status.CONFIRMADO, REQUER)):
        mundo.em(f"p-{i}", status, idade=9 * DIA)
        mundo.sfn.por(f"p-{i}", "RUNNING")
    antes = mundo.foto()
    assert mundo.rodada() == {"PedidosSadios": 4}
    assert mundo.foto() == antes
    assert mundo.humana == []


def test_a_resumption_answers_for_the_order(mundo: Mundo) -> None:
    mundo.em("p-1", REQUER)
    mundo.sfn.por("p-1", "ABORTED")
    mundo.sfn.por("p-1-c1", "RUNNING", maquina=RETOMADA)
    assert mundo.rodada() == {"PedidosSadios": 1}
    mundo.sfn.por("p-1-c1", "FAILED", maquina=RETOMADA)
    assert mundo.rodada() == {"CasosAbertos": 1}
    assert mundo.avisos()[0]["execucao"].endswith("cesta-saga-retomada:p-1-c1")


def test_a_second_death_is_a_second_case(mundo: Mundo) -> None:
    mundo.em("p-1", Status.COMPENSANDO)
    mundo.sfn.por("p-1", "ABORTED")
    mundo.rodada()
    mundo.linha("p-1")["status"] = {"S": Status.COMPENSANDO}
    mundo.sfn.por("p-1-c1", "TIMED_OUT", maquina=RETOMADA)
    assert mundo.rodada() == {"CasosAbertos": 1}
    assert [aviso["execucao"].rpartition(":")[2] for aviso in mundo.avisos()] == ["p-1", "p-1-c1"]


def test_a_case_of_the_sagas_own_keeps_the_time_it_was_opened(mundo: Mundo) -> None:
    aberto = {"M": {"origem": {"S": "saga"}, "abertoEm": {"S": "2026-07-01T00:00:00.000Z"}}}
    mundo.em("p-1", REQUER, caso=aberto)
    mundo.sfn.por("p-1", "FAILED", erro="IntervencaoNaoEntregue")
    mundo.rodada()
    assert mundo.linha("p-1")["caso"]["M"]["abertoEm"] == {"S": "2026-07-01T00:00:00.000Z"}


def test_the_event_about_an_order_nobody_knows_is_an_error(mundo: Mundo) -> None:
    with pytest.raises(ErroInesperado):
        mundo.conciliador().sobre("p-404")


def test_the_order_of_an_execution_is_told_from_its_name() -> None:
    def order(machine: str, name: str) -> str:
        arn = machine.replace(":stateMachine:", ":execution:")
        return pedido_da_execucao(f"{arn}:{name}", retomada_arn=RETOMADA)

    assert order(MAQUINA, "p-1") == "p-1"
    assert order(MAQUINA, "p-1-c1") == "p-1-c1", "an order may be called so"
    assert order(RETOMADA, "p-1-c2") == "p-1"
    assert order(RETOMADA, "p-c1-c12") == "p-c1"


# --- Messages ----------------------------------------------------------------------------------------------------


def test_a_message_about_to_expire_is_sent_again(mundo: Mundo) -> None:
    mundo.em("p-1", Status.COMPENSANDO)
    mundo.sfn.por("p-1", "ABORTED")
    mundo.rodada()
    mundo.agora += 13 * DIA - 1
    assert mundo.rodada() == {"PedidosSadios": 1}
    mundo.agora += 1
    assert mundo.rodada() == {"CasosAbertos": 1}
    assert mundo.rodada() == {"PedidosSadios": 1}
    assert len(mundo.humana) == 2


@pytest.mark.parametrize("onde", ["sqs.humana", "depois"])
def test_a_run_that_dies_between_its_claim_and_the_end_is_made_up_for(mundo: Mundo, onde: str) -> None:
    mundo.em("p-1", Status.COMPENSANDO)
    mundo.sfn.por("p-1", "ABORTED")
    mundo.outside = quebra("sqs.humana") if onde == "sqs.humana" else quebra("update_item", a_partir_de=2)
    assert mundo.rodada() == {"ConciliacoesFalhadas": 1}
    mundo.outside = direto
    assert mundo.rodada() == {"PedidosSadios": 1}, "the claim may belong to a run that is about to send"
    mundo.agora += 120
    assert mundo.rodada() == {"CasosAbertos": 1}
    assert mundo.rodada() == {"PedidosSadios": 1}
    assert len(mundo.humana) == (1 if onde == "sqs.humana" else 2), "once more rather than never"


def test_two_runs_beside_each_other_call_a_person_once(mundo: Mundo) -> None:
    mundo.em("p-1", Status.COMPENSANDO)
    mundo.sfn.por("p-1", "ABORTED")
    outra: list[Any] = []

    def meio(name: str, effect: Callable[[], Any]) -> Any:
        # The other run does the whole of its work just before this one writes.
        if name == "update_item" and not outra:
            outra.append(None)
            mundo.rodada()
        return effect()

    mundo.outside = meio
    assert mundo.rodada() == {"PedidosSadios": 1}
    assert len(mundo.humana) == 1


@pytest.mark.parametrize("depois", [Status.CONFIRMADO, Status.COMPENSANDO])
def test_an_order_that_moves_while_it_is_looked_at_is_left_alone(mundo: Mundo, depois: Status) -> None:
    mundo.em("p-1", Status.RECEBIDO)
    mundo.sfn.por("p-1", "ABORTED")

    def meio(name: str, effect: Callable[[], Any]) -> Any:
        if name == "update_item":
            mundo.linha("p-1")["status"] = {"S": depois}
        return effect()

    mundo.outside = meio
    assert mundo.rodada() == {"PedidosSadios": 1}
    assert mundo.humana == []
    assert mundo.linha("p-1")["status"]["S"] == depois


def test_an_order_resumed_while_it_is_looked_at_is_left_alone(mundo: Mundo) -> None:
    mundo.em("p-1", Status.COMPENSANDO)
    mundo.sfn.por("p-1", "ABORTED")

    def meio(name: str, effect: Callable[[], Any]) -> Any:
        if name == "get_item":
            mundo.sfn.por("p-1-c1", "RUNNING", maquina=RETOMADA)
        return effect()

    mundo.outside = meio
    assert mundo.rodada() == {"PedidosSadios": 1}
    assert mundo.humana == []


# --- Confirmed orders --------------------------------------------------------------------------------------------


def test_a_confirmed_order_with_its_reservation_unsettled_is_a_persons_and_stays_confirmed(mundo: Mundo) -> None:
    mundo.em("p-1", Status.CONFIRMADO)
    mundo.reservar("p-1")
    mundo.sfn.por("p-1", "ABORTED")
    assert mundo.rodada() == {"CasosAbertos": 1}
    assert mundo.rodada() == {"PedidosSadios": 1}
    assert mundo.linha("p-1")["status"]["S"] == Status.CONFIRMADO
    assert mundo.avisos()[0]["motivo"] == "RESERVA_EM_PEDIDO_FINAL"


def test_a_confirmed_order_that_is_settled_only_leaves_the_index(mundo: Mundo) -> None:
    mundo.em("p-1", Status.CONFIRMADO)
    mundo.sfn.por("p-1", "ABORTED")
    assert mundo.rodada() == {"PedidosAcertados": 1}
    assert "pendenteDesde" not in mundo.linha("p-1")
    assert mundo.humana == []


@pytest.mark.parametrize("entrada", [-AGORA, None])
def test_a_confirmed_order_whose_reservation_was_cancelled_or_whose_sku_is_gone_is_a_persons(
    mundo: Mundo, entrada: int | None
) -> None:
    mundo.em("p-1", Status.CONFIRMADO)
    mundo.sfn.por("p-1", "FAILED")
    if entrada is None:
        mundo.tabelas["estoque"].clear()
    else:
        mundo.reservar("p-1", entrada)
    assert mundo.rodada() == {"CasosAbertos": 1}


# --- The round ---------------------------------------------------------------------------------------------------


def test_one_order_that_cannot_be_looked_at_does_not_hide_the_others(mundo: Mundo) -> None:
    mundo.em("p-1", Status.COMPENSANDO).pop("sku")
    mundo.em("p-2", Status.COMPENSANDO)
    mundo.sfn.por("p-2", "ABORTED")
    assert mundo.rodada() == {"ConciliacoesFalhadas": 1, "CasosAbertos": 1}
    assert [pedido_id for pedido_id, _ in mundo.falhas] == ["p-1"]


def test_a_round_stops_before_the_function_does(mundo: Mundo) -> None:
    for i in range(10):
        mundo.em(f"p-{i}", Status.COMPENSANDO)
        mundo.sfn.por(f"p-{i}", "ABORTED")
    restam = iter([60.0, 60.0, 14.0])
    mundo.conciliador().rodada(restam=lambda: next(restam))
    assert len(mundo.humana) == 2


def test_too_many_for_one_round_take_turns_and_none_is_hidden(mundo: Mundo) -> None:
    # A round finds them all, in pages, and that is enough for three.
    mundo.dynamo.page = 400
    for i in range(2 * MAIS_PEDIDOS):
        mundo.em(f"espera-{i}", REQUER, idade=9 * DIA)
        mundo.sfn.por(f"espera-{i}", "RUNNING")
    mundo.em("p-1", Status.COMPENSANDO)
    mundo.sfn.por("p-1", "ABORTED")
    for minutos in (10, 10, 10, 5, 5, 60, 60, 15, 15):
        antes = len(mundo.sfn.perguntas)
        mundo.rodada()
        assert len(mundo.sfn.perguntas) - antes < 600
        mundo.agora += minutos * 60
    assert len(mundo.humana) == 1
    vistos = {pergunta.rpartition(":")[2] for pergunta in mundo.sfn.perguntas}
    assert vistos >= mundo.tabelas["pedidos"].keys()


def test_rounds_cut_short_are_not_cut_at_the_same_place(mundo: Mundo) -> None:
    pedidos = [f"p-{i}" for i in range(40)]
    for pedido_id in pedidos:
        mundo.em(pedido_id, REQUER, idade=9 * DIA)
        mundo.sfn.por(pedido_id, "RUNNING")
    for _ in range(30):
        restam = iter([60.0] * 8 + [14.0])
        mundo.conciliador().rodada(restam=lambda restam=restam: next(restam))
        mundo.agora += 300
    vistos = {pergunta.rpartition(":")[2] for pergunta in mundo.sfn.perguntas}
    assert vistos >= set(pedidos)


# --- The age of the oldest case ----------------------------------------------------------------------------------


def aberto(ha: float) -> dict[str, Any]:
    return {"M": {"origem": {"S": "saga"}, "abertoEm": {"S": iso(AGORA - ha)}}}


def test_the_oldest_case_is_told_by_when_it_was_opened_not_by_the_orders_age(mundo: Mundo) -> None:
    assert mundo.caso_mais_antigo() == 0
    for pedido_id, idade, ha in (("velho", 9 * DIA, 600), ("novo", 3 * DIA, 7200)):
        mundo.em(pedido_id, REQUER, idade=idade, caso=aberto(ha))
        mundo.sfn.por(pedido_id, "RUNNING")
    mundo.em("desfazendo", Status.COMPENSANDO, idade=9 * DIA, caso=aberto(9 * DIA))
    mundo.sfn.por("desfazendo", "RUNNING")
    assert mundo.caso_mais_antigo() == 7200


def test_a_confirmed_order_that_waits_for_a_person_is_a_case_too(mundo: Mundo) -> None:
    """PendenciaParaFilaHumana writes nothing in the row: it is as old as the confirmation, at most."""
    mundo.em("p-1", Status.CONFIRMADO, atualizadoEm={"S": iso(AGORA - 5000)})
    mundo.reservar("p-1")
    mundo.sfn.por("p-1", "RUNNING")
    assert mundo.caso_mais_antigo() == 5000
    # The reconciler's own, of an execution that died since.
    mundo.linha("p-1")["caso"] = aberto(300)
    assert mundo.caso_mais_antigo() == 300


def test_a_case_of_a_closed_order_ages_once_a_person_was_called(mundo: Mundo) -> None:
    mundo.fechado("p-1", Status.RESOLVIDO_MANUALMENTE, cobranca=cobranca("APROVADA"))
    assert mundo.caso_mais_antigo() == 0, "found now"
    mundo.agora += 900
    assert mundo.caso_mais_antigo() == 900
    # Given back meanwhile: nobody waits any more.
    mundo.linha("p-1")["estorno"] = estorno("CONCLUIDO")
    assert mundo.caso_mais_antigo() == 0


def test_a_row_that_says_nothing_of_when_is_as_old_as_its_last_change(mundo: Mundo) -> None:
    mundo.em("p-1", REQUER, atualizadoEm={"S": iso(AGORA - 60)})
    mundo.sfn.por("p-1", "RUNNING")
    assert mundo.caso_mais_antigo() == 60


def test_everything_it_did_is_noted_by_order_and_what_is_well_is_not_worth_a_line(
    mundo: Mundo, caplog: pytest.LogCaptureFixture
) -> None:
    notados: list[tuple[str, Resultado]] = []
    mundo.em("morto", Status.COMPENSANDO)
    mundo.sfn.por("morto", "ABORTED")
    mundo.pedido("perdido")

    def anotar(pedido_id: str, resultado: Resultado, _: Exception | None) -> None:
        notados.append((pedido_id, resultado))

    um = replace(mundo.conciliador(), anotar=anotar)
    um.rodada(restam=lambda: 60.0)
    assert um.sobre("morto") is Resultado.SADIO
    assert sorted(notados) == [
        ("morto", Resultado.ESCALADO),
        ("morto", Resultado.SADIO),
        ("perdido", Resultado.REENVIADO),
    ]
    with caplog.at_level("INFO"):
        for pedido_id, resultado in notados:
            conciliador._anotar(pedido_id, resultado, None)  # pyright: ignore[reportPrivateUsage] - what the handler passes
    linhas = [vars(record) for record in caplog.records]
    assert {linha["correlation_id"] for linha in linhas} == {"morto", "perdido"}
    assert len(linhas) == 2
