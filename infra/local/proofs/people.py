"""Proofs 11 and 12 of design §9: the machine gives up, or dies; a person decides, and the saga ends as it should."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from handlers.domain.errors import GatewayIndisponivelError
from handlers.domain.reconciliation_rows import ORIGEM, Motivo
from handlers.domain.status import Etapa, Status
from infra.local.proofs.workbench import DEADLINE_SECONDS, INITIAL_STOCK, expect
from infra.ops.human_queue import held
from infra.ops.intervention import Decision, check, load
from infra.ops.intervention_act import Answer, Outcome, answer, wait_for_result
from infra.sagas.pedido import AjustesDaSaga, definir

if TYPE_CHECKING:
    from infra.local.proofs.workbench import Workbench
    from infra.ops.intervention_act import Resumed

__all__ = ["UNDOING", "attempts_of_a_round", "execucao_morta", "intervencao_reprocessada"]

HUMAN_WAIT = "CompensacaoFalhouParaFilaHumana"
_WHO = "prova"


def intervencao_reprocessada(bench: Workbench) -> str:
    """11: one whole round of refunds fails, a person says REPROCESSAR, and the same execution undoes the order."""
    round_of_refunds = attempts_of_a_round(bench)
    sku = bench.stock_sku("11")
    order = bench.order(
        "11",
        sku,
        cartao=f"tok-estorno-lento-{round_of_refunds}",
        falhas={Etapa.CONFIRMAR_PEDIDO.value: "antes"},
    )
    pedido_id = bench.post(order)
    bench.waiting_in(pedido_id, HUMAN_WAIT)
    bench.human_case(pedido_id)
    resumed = _reprocess(bench, pedido_id)
    expect(resumed.by_token, "a resposta segue pelo token, na mesma execução", resumed)
    _expect_undone(bench, pedido_id, sku)
    states = bench.end(pedido_id).states()
    tail = ("DecidirIntervencao", "RegistrarReprocessamento", *UNDOING)
    after = states[states.index("DecidirIntervencao") :]
    expect(after[: len(tail)] == tail, " > ".join(tail), after)
    bench.remove_sku(sku)
    return f"{round_of_refunds} estornos recusados, REPROCESSAR por {_WHO}: estornado e devolvido, caso fechado"


def execucao_morta(bench: Workbench) -> str:
    """12: the execution is stopped half-way, charged and with stock held: the safety net calls a person."""
    sku = bench.stock_sku("12")
    pedido_id = bench.post(bench.order("12", sku, cartao="tok-timeout-cobrado"))
    bench.waiting_in(pedido_id, Etapa.COBRAR_PAGAMENTO.value)
    bench.wait("a cobrança feita", lambda: bench.facts.charges(pedido_id) or None, lambda: "nenhuma cobrança")
    bench.target.sfn.stop_execution(executionArn=bench.target.execution_arn(pedido_id))
    case = bench.human_case(pedido_id)
    told = (case.get("origem"), case.get("motivo"))
    expect(told == (ORIGEM, Motivo.EXECUCAO_MORTA), f"o aviso do conciliador: {Motivo.EXECUCAO_MORTA}", told)
    row = bench.row(pedido_id)
    expect(row["status"] == Status.REQUER_INTERVENCAO_HUMANA, Status.REQUER_INTERVENCAO_HUMANA.value, row["status"])
    held_then = bench.stock(sku).reserved(pedido_id)
    resumed = _reprocess(bench, pedido_id)
    expect(resumed.arn.endswith(f":{pedido_id}-c1"), "retomado em cesta-saga-retomada", resumed.arn)
    _expect_undone(bench, pedido_id, sku)
    bench.remove_sku(sku)
    return (
        f"execução interrompida com 1 cobrança e {held_then} unidade reservada: caso na fila humana; "
        "REPROCESSAR: estornado e devolvido"
    )


UNDOING = tuple(compensation.name for compensation in definir(AjustesDaSaga()).compensations())
"""What undoes an order, in the order in which it runs."""


def attempts_of_a_round(bench: Workbench) -> int:
    """How often the deployed machine tries a refund the gateway does not take, before it calls a person."""
    machine = bench.target.sfn.describe_state_machine(stateMachineArn=bench.target.maquinas["pedido"])
    retriers: list[dict[str, Any]] = json.loads(machine["definition"])["States"][Etapa.ESTORNAR_PAGAMENTO]["Retry"]
    name = GatewayIndisponivelError.__name__
    return 1 + next(retrier["MaxAttempts"] for retrier in retriers if name in retrier["ErrorEquals"])


def _reprocess(bench: Workbench, pedido_id: str) -> Resumed:
    """As ``cesta intervencao reprocessar`` does it, to the end."""
    case = load(bench.target, pedido_id)
    check(case, Decision.REPROCESSAR, ())
    given = Answer(Decision.REPROCESSAR, _WHO, "o gateway voltou", "cesta provas")
    resumed = answer(bench.target, case, given)
    outcome, _ = wait_for_result(bench.target, resumed, seconds=DEADLINE_SECONDS[bench.target.alvo])
    expect(outcome is Outcome.CONCLUIDO, "a saga conclui depois da decisão", outcome)
    return resumed


def _expect_undone(bench: Workbench, pedido_id: str, sku: str) -> None:
    row, stock = bench.row(pedido_id), bench.stock(sku)
    expect(row["status"] == Status.FALHOU_COMPENSADO, Status.FALHOU_COMPENSADO.value, row["status"])
    expect((row.get("responsavel"), row.get("justificativa")) == (_WHO, "o gateway voltou"), "quem e por quê", row)
    expect("pendenteDesde" not in row, "nada pendente na linha do pedido", sorted(row))
    expect(len(bench.facts.charges(pedido_id)) == 1, "uma cobrança", bench.facts.charges(pedido_id))
    expect(bench.facts.net_charged(pedido_id) == 0, "0 centavos líquidos", bench.facts.net_charged(pedido_id))
    expect((stock.saldo, stock.reserved(pedido_id)) == (INITIAL_STOCK, 0), f"saldo {INITIAL_STOCK}", stock)
    with held(bench.target) as messages:
        left = [message for message in messages if message.pedido_id == pedido_id]
    expect(not left, "nenhuma mensagem do caso na fila humana", left)
