"""Where an order stopped: its status, timeline, money, stock, errors, actors and next step, for every kind of end."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, cast

import pytest

from handlers.domain.status import Status
from infra.cli import main
from infra.ops.errors import UnknownOrderError
from infra.ops.money import money, money_told
from infra.ops.order_view import look
from policies.people import ORDER_ATTRIBUTES
from tests.support.stories import CHARGED, DOUBT, ID, NOW, STORIES, FakeAws, History, Story, target_of, view_of

if TYPE_CHECKING:
    import click

    from infra.ops.order_view import OrderView
    from infra.ops.timeline import Line

pytestmark = pytest.mark.unit

TOLD = {
    "confirmado": ("nada", "Confirmado", "R$ 140,00 cobrados", "contas fecham"),
    "confirmado-depois-de-falhas": ("nada", "Confirmado", "R$ 140,00 cobrados", "contas fecham"),
    "confirmado-por-pouco": ("nada", "Confirmado", "R$ 140,00 cobrados", "contas fecham"),
    "sem-estoque": ("nada", "Cancelado antes de qualquer efeito", "nada foi cobrado", "contas fecham"),
    "cartao-recusado": ("nada", "Cancelado e desfeito", "o cartão foi recusado", "contas fecham"),
    "estornado": ("nada", "Cancelado e desfeito", "devolvidos por inteiro", "contas fecham"),
    "em-duvida": (
        "acompanhar",
        "Cancelado, com a cobrança em dúvida",
        "ainda será procurada",
        "a partir de 07/08/2026 14:",
    ),
    "nao-comecou": ("esperar", "Recebido", "nada foi cobrado", "repetir o mesmo POST é seguro"),
    "tentando-de-novo": ("esperar", "Em andamento", "podem ter sido cobrados", "em andamento"),
    "desfazendo": ("esperar", "Sendo desfeito", "aceitou a devolução e ainda não a concluiu", "em andamento"),
    "espera-uma-pessoa": ("decidir", "Precisa de uma pessoa", "não há confirmação dela", "tentar desfazer o pedido"),
    "espera-de-novo": ("decidir", "Precisa de uma pessoa", "cobrados e não devolvidos", "tentar desfazer o pedido"),
    "reprocessado": ("nada", "Cancelado e desfeito", "devolvidos por inteiro", "contas fecham"),
    "encerrado": ("acompanhar", "Encerrado por uma pessoa", "cobrados e não devolvidos", "ana deixou em aberto"),
    "encerrado-sem-nomear": ("decidir", "Encerrado por uma pessoa", "nada foi cobrado", "estoque em aberto"),
    "reserva-por-efetivar": ("decidir", "Confirmado, com a reserva por efetivar", "R$ 140,00", "efetivar a reserva"),
    "pendencia-encerrada": ("acompanhar", "Confirmado", "R$ 140,00 cobrados", "encerrou a pendência"),
    "execucao-morta": ("decidir", "Parado: a execução morreu no meio", "podem ter sido", "em até 5 minutos"),
    "execucao-morta-com-caso": ("decidir", "Precisa de uma pessoa", "podem ter sido", "o plantão precisa decidir"),
    "nunca-comecou-com-caso": ("decidir", "Precisa de uma pessoa", "nada foi cobrado", "a saga nunca começou"),
    "nao-entregue": ("decidir", "Precisa de uma pessoa", "cobrados e não devolvidos", "parou antes do fim"),
    "retomado": ("nada", "Cancelado e desfeito", "devolvidos por inteiro", "contas fecham"),
    "retomado-ha-tempos": ("nada", "Cancelado e desfeito", "nada foi cobrado", "contas fecham"),
    "dinheiro-apareceu": ("decidir", "Precisa de uma pessoa", "cobrados e não devolvidos", "dinheiro do cliente"),
    "historico-expirado": ("acompanhar", "Encerrado por uma pessoa", "cobrados e não devolvidos", "ana deixou"),
}
"""What support must be told of each story: what to do, what became of it, the money, the next step."""


def _line(view: OrderView, state: str) -> Line:
    (line,) = (line for line in view["linha"] if line["estado"] == state)
    return line


def test_the_stories_end_in_every_status() -> None:
    assert {story.status for story in STORIES.values()} == {status.value for status in Status}
    assert set(TOLD) == set(STORIES)


@pytest.mark.parametrize("name", STORIES)
def test_a_glance_tells_what_became_of_it_the_money_and_what_to_do(name: str) -> None:
    view = view_of(STORIES[name])
    action, title, money, step = TOLD[name]
    assert (view["acao"], view["resumo"]["titulo"]) == (action, title)
    assert money in view["resumo"]["dinheiro"]
    assert step in view["proximoPasso"]


@pytest.mark.parametrize("name", STORIES)
def test_the_command_it_gives_exists_and_changes_nothing(name: str) -> None:
    view = view_of(STORIES[name], alvo="aws", stack="prod")
    assert bool(view["comando"]) == (view["acao"] in {"esperar", "decidir"} or name == "em-duvida")
    if not view["comando"]:
        return
    program, *arguments = shlex.split(view["comando"])
    assert program == "cesta"
    command: click.Command = main
    while arguments and arguments[0] in (known := cast("dict[str, click.Command]", getattr(command, "commands", {}))):
        command = known[arguments.pop(0)]
    # Parsed as the command itself would: an option that does not exist raises.
    parsed = command.make_context("cesta", arguments).params
    assert (parsed["pedido_id"], parsed["alvo"], parsed["stack"]) == (ID, "aws", "prod")
    assert command.name == "pedido" or parsed["simular"]


def test_on_the_embedded_stack_the_command_needs_no_stack() -> None:
    assert view_of(STORIES["desfazendo"])["comando"] == f"cesta pedido {ID}"


# --- The timeline ----------------------------------------------------------------------------------------------------


def test_retries_are_one_line_with_what_they_recovered_from() -> None:
    line = _line(view_of(STORIES["confirmado-depois-de-falhas"]), "CobrarPagamento")
    assert (line["tentativas"], line["resultado"]) == (3, "concluido")
    assert line["evento"] == "concluída, depois de uma falha (o gateway de pagamento não respondeu como devia)"


def test_a_wait_for_the_next_attempt_is_named() -> None:
    line = _line(view_of(STORIES["tentando-de-novo"]), "CobrarPagamento")
    assert (line["resultado"], line["ate"]) == ("esperando", None)
    assert line["evento"].startswith("aguardando nova tentativa; a última falhou há 4 h")


def test_a_wait_for_a_person_says_since_when() -> None:
    view = view_of(STORIES["espera-uma-pessoa"])
    assert view["linha"][-1]["evento"] == "aguardando decisão de uma pessoa desde 07/08/2026 13:05:11 UTC, há 4 h"
    assert view["resumo"]["espera"] == "uma pessoa precisa decidir desde 07/08/2026 13:05:00 UTC, há 4 h"


def test_a_case_asked_again_has_been_open_since_the_first_time() -> None:
    later = NOW + timedelta(days=14)
    view = view_of(STORIES["espera-de-novo"], now=later)
    asked = [line for line in view["linha"] if line["estado"] == "CompensacaoFalhouParaFilaHumana"]
    assert asked[0]["evento"] == "ninguém respondeu no prazo: pergunta de novo"
    assert (view["resumo"]["espera"] or "").endswith("há 14 dias")
    assert view["ultimoErro"] == "GatewayIndisponivelError"


def test_the_histories_of_the_saga_and_of_its_resumption_are_joined_in_order() -> None:
    view = view_of(STORIES["retomado"])
    assert [line["estado"] for line in view["linha"]] == [
        "POST /pedidos",
        "ReservarEstoque",
        "CobrarPagamento",
        "(fim)",
        "(conciliador)",
        "(retomada)",
        "DecidirIntervencao",
        "RegistrarReprocessamento",
        "EstornarPagamento",
        "LiberarEstoque",
        "RegistrarFalhaComEstoqueLiberado",
        "(fim)",
    ]
    assert [past["nome"] for past in view["execucoes"]] == [ID, f"{ID}-c1"]
    assert view["execucao"]["arn"].endswith(f":{ID}-c1")
    assert "retomado por uma pessoa" in view["resumo"]["onde"]


def test_of_an_order_whose_history_is_gone_the_row_still_tells() -> None:
    view = view_of(STORIES["historico-expirado"])
    assert view["execucao"]["status"] == "EXPIRADA"
    assert "90 dias" in view["resumo"]["onde"]
    assert [line["quem"] for line in view["linha"]] == ["cliente", "saga", "saga", "saga", "pessoa"]


def test_of_an_order_whose_own_history_is_gone_the_resumption_s_is_still_told() -> None:
    view = view_of(STORIES["retomado-ha-tempos"])
    assert [past["nome"] for past in view["execucoes"]] == [f"{ID}-c1"]
    assert [actor["quem"] for actor in view["quemAgiu"]] == ["cliente", "conciliador", "saga", "pessoa"]


def test_an_order_that_never_started_has_no_execution_even_once_it_is_a_case() -> None:
    for name in ("nao-comecou", "nunca-comecou-com-caso"):
        view = view_of(STORIES[name])
        assert (view["execucao"]["status"], view["execucoes"]) == ("INEXISTENTE", [])
        assert view["linha"][1]["evento"].startswith("reenviou a mensagem do pedido")


def test_what_the_emulator_writes_after_an_execution_was_stopped_is_not_the_order_s() -> None:
    told = History().ok("ReservarEstoque").enter("CobrarPagamento").add("TaskScheduled").end("ABORTED")
    told.add("TaskFailed", taskFailedEventDetails={"error": "ErroInesperado"}).leave()
    view = view_of(replace(STORIES["execucao-morta"], executions=[told]))
    assert _line(view, "CobrarPagamento")["resultado"] == "interrompido"
    assert view["ultimoErro"] is None


# --- Money, stock, errors, people ------------------------------------------------------------------------------------


def test_the_contract_s_keys_keep_their_shape() -> None:
    view = view_of(STORIES["estornado"])
    assert view["dinheiro"] == {"cobrado": 14_000, "estornado": 14_000, "situacao": "estornado"}
    assert view["estoque"] == {"reservado": 0, "sku": "sku-cafe-500g", "quantidade": 2}
    assert (view["etapa"], view["ultimoErro"], view["caso"]) == ("cancelado", "ErroInesperado", None)
    assert view["execucao"]["status"] == "SUCCEEDED"
    assert json.loads(json.dumps(view)) == view


def test_a_charge_without_an_answer_is_in_doubt() -> None:
    view = view_of(STORIES["tentando-de-novo"])
    assert view["dinheiro"] == {"cobrado": 0, "estornado": 0, "situacao": "em_duvida"}
    assert view["resumo"]["estoque"] == "2 unidade(s) de sku-cafe-500g reservada(s) para este pedido"


def test_a_doubt_that_was_looked_up_for_the_last_time_is_over() -> None:
    story = STORIES["em-duvida"]
    row = {name: value for name, value in story.row.items() if name != "verificarEm"}
    view = view_of(replace(story, row=row))
    assert view["acao"] == "nada"
    assert "não apareceu nem depois" in view["resumo"]["dinheiro"]


@pytest.mark.parametrize(
    ("status", "row", "money"),
    [
        ("COMPENSANDO", {}, "ela ainda será procurada"),
        ("REQUER_INTERVENCAO_HUMANA", {"caso": {"origem": "saga"}}, "ela ainda será procurada"),
        # The gateway had no answer to the end, or showed a charge that the ledger cannot hold.
        ("REQUER_INTERVENCAO_HUMANA", {"caso": {"motivo": "DINHEIRO_EM_PEDIDO_FINAL"}}, "podem ter sido cobrados"),
        (
            "RESOLVIDO_MANUALMENTE",
            {"caso": {"motivo": "DINHEIRO_EM_PEDIDO_FINAL"}, "verificarEm": "2026-08-07T14:20:00.000Z"},
            "podem ter sido cobrados",
        ),
        ("RESOLVIDO_MANUALMENTE", {}, "podem ter sido cobrados"),
        ("RESOLVIDO_MANUALMENTE", {"verificarEm": "2026-08-07T14:20:00.000Z"}, "ela ainda será procurada"),
    ],
)
def test_a_doubt_is_over_only_where_the_last_look_up_found_nothing(
    status: str, row: dict[str, Any], money: str
) -> None:
    told = money_told({"status": status, "cobranca": {**DOUBT, "duvidosa": True}, **row})
    assert money in told
    assert "nem depois" not in told


@pytest.mark.parametrize("status", Status)
def test_what_the_ledger_does_not_say_is_never_nothing(status: Status) -> None:
    row = {"status": status, "valorCentavos": 14_000, "cobranca": {**DOUBT, "estado": "NUNCA_VISTO"}}
    assert money(row)["situacao"] == "em_duvida"
    assert money_told(row).startswith("não se sabe: R$ 140,00 podem ter sido cobrados")


@pytest.mark.parametrize(
    ("status", "charge", "told"),
    [
        ("RECEBIDO", {}, "nada foi cobrado até agora"),
        ("RECEBIDO", {"cobranca": CHARGED}, "R$ 140,00 cobrados; o pedido ainda não foi confirmado"),
        ("FALHOU_SEM_RESERVA", {}, "nada foi cobrado"),
        ("RESOLVIDO_MANUALMENTE", {"cobranca": CHARGED}, "R$ 140,00 cobrados e não devolvidos pela saga"),
    ],
)
def test_money_is_told_as_of_now_and_of_the_saga_alone(status: str, charge: dict[str, Any], told: str) -> None:
    assert money_told({"status": status, **charge}) == told


@pytest.mark.parametrize("status", ["FALHOU_SEM_RESERVA", "FALHOU_COMPENSADO"])
def test_a_title_does_not_say_undone_where_money_or_stock_is_left(status: str) -> None:
    for story in (Story(status, row={"cobranca": CHARGED}), Story(status, held=2)):
        assert view_of(story)["resumo"]["titulo"] == "Cancelado, e as contas não fecham"


def test_a_tombstone_holds_nothing() -> None:
    assert view_of(STORIES["em-duvida"])["estoque"]["reservado"] == 0


def test_a_closed_order_that_holds_something_is_not_told_to_be_well() -> None:
    view = view_of(replace(STORIES["cartao-recusado"], held=2))
    assert view["acao"] == "esperar"
    assert "as contas não fecham" in view["proximoPasso"]


def test_an_error_is_told_in_words_with_its_own_sentence_and_no_traceback() -> None:
    view = view_of(STORIES["espera-uma-pessoa"])
    reason, last = view["motivo"], view["erro"]
    assert reason is not None
    assert last is not None
    assert (reason["nome"], reason["mensagem"]) == ("ErroInesperado", "a tabela não respondeu")
    assert (last["estado"], last["tentativas"], last["superado"]) == ("EstornarPagamento", 21, False)
    assert last["significado"] == "o gateway de pagamento não respondeu como devia"
    assert last["mensagem"].startswith("gateway de pagamento indisponível")
    assert "linha 1" not in json.dumps(view)


@pytest.mark.parametrize(
    ("cause", "said"),
    [
        ("", ""),
        ("texto solto", "texto solto"),
        ("consultado até a época 1786107900", "consultado até 07/08/2026 13:05:00 UTC"),
        ('{"outra": 1}', ""),
        ("[1]", "[1]"),
        ('{"errorMessage": null}', ""),
    ],
)
def test_a_cause_may_be_anything(cause: str, said: str) -> None:
    told = History().enter("ReservarEstoque").add("TaskScheduled")
    told.add("TaskFailed", taskFailedEventDetails={"error": "Lambda.Unknown", "cause": cause})
    view = view_of(Story("RECEBIDO", [told]))
    assert view["erro"] is not None
    assert view["erro"]["mensagem"] == said


def test_who_acted_is_told_by_name_and_reason() -> None:
    acted = [(actor["quem"], actor["nome"]) for actor in view_of(STORIES["retomado"])["quemAgiu"]]
    assert acted == [
        ("cliente", "cliente"),
        ("iniciador", "cesta-iniciador"),
        ("saga", "cesta-saga-pedido"),
        ("conciliador", "cesta-conciliador"),
        ("saga", "cesta-saga-retomada"),
        ("pessoa", "ana"),
    ]
    person = view_of(STORIES["reprocessado"])["quemAgiu"][-1]
    assert person["acao"] == 'decidiu REPROCESSAR: "gateway no ar de novo desde as 14h" (ana@plantao)'


def test_a_decision_survives_its_history() -> None:
    person = view_of(STORIES["historico-expirado"])["quemAgiu"][-1]
    assert person["nome"] == "ana"
    assert "deixando em aberto cobranca" in person["acao"]


def test_each_of_several_decisions_is_told() -> None:
    told = History().answered("CompensacaoFalhouParaFilaHumana", "REPROCESSAR").ok("EstornarPagamento")
    told.answered("CompensacaoFalhouParaFilaHumana", "ENCERRAR", responsavel="bia").end()
    view = view_of(replace(STORIES["encerrado"], executions=[told], held=0))
    assert [actor["nome"] for actor in view["quemAgiu"] if actor["quem"] == "pessoa"] == ["ana", "bia"]


# --- Reads -----------------------------------------------------------------------------------------------------------


def test_it_reads_what_support_may_read_and_never_the_card_token() -> None:
    target = target_of(STORIES["confirmado"])
    look(target, ID)
    aws = cast("FakeAws", target.clients)
    (read,) = [read for read in aws.reads if read["TableName"] == "pedidos"]
    asked = cast("dict[str, Any]", read["ExpressionAttributeNames"])
    assert set(asked.values()) == set(ORDER_ATTRIBUTES)
    assert "cartaoToken" not in asked.values()
    assert set(read["ProjectionExpression"].split(", ")) == set(asked)
    assert all(read["ConsistentRead"] for read in aws.reads)


def test_an_unknown_order_is_an_error_that_says_where_it_looked() -> None:
    with pytest.raises(UnknownOrderError, match="não existe em pedidos"):
        look(target_of(None), ID)


def test_now_is_now_unless_said() -> None:
    seen = datetime.fromisoformat(look(target_of(STORIES["confirmado"]), ID)["vistoEm"])
    assert abs((datetime.now(UTC) - seen).total_seconds()) < 60
