"""Proofs 1 to 5 and 7 to 10 of design §9: the saga, seen from outside. Each returns what it saw."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from handlers.domain.status import Etapa, Status
from infra.local.proofs.minimal import arquitetura_minima
from infra.local.proofs.people import UNDOING, execucao_morta, intervencao_reprocessada
from infra.local.proofs.workbench import INITIAL_STOCK, expect

if TYPE_CHECKING:
    from collections.abc import Callable

    from infra.local.proofs.workbench import Workbench
    from infra.ops.facts import OrderRow, StockRow
    from infra.ops.history import Execution

__all__ = ["PROOFS", "Proof"]

HUMAN_WAIT = "CompensacaoFalhouParaFilaHumana"
HUMAN_ALARM = "compensacao-pendente"
REPEATED = 2
"""Copies of an order's message put straight on the queue while its saga runs."""
DIVERGENT = "urn:cesta:problema:conteudo-divergente"


@dataclass(frozen=True)
class Proof:
    """One proof.

    Attributes:
        id: its number in design §9.
        nome: its name there.
        prove: runs it and returns what was seen; raises `ProofFailedError`.
    """

    id: int
    nome: str
    prove: Callable[[Workbench], str]


@dataclass(frozen=True)
class _Outcome:
    """What is left of an order when its execution ended."""

    execution: Execution
    row: OrderRow
    stock: StockRow
    charged: int
    refunded: int
    net: int


def caminho_feliz(bench: Workbench) -> str:
    """1: confirmed, charged once, stock down by the quantity, no reservation left."""
    seen = _run(bench, "1")
    _expect_status(seen, Status.CONFIRMADO)
    _expect_charges(seen, charged=1, refunded=0)
    _expect_stock(seen, INITIAL_STOCK - 1)
    return _told(seen)


def cobranca_recusada(bench: Workbench) -> str:
    """2: refused card: stock as before, nothing charged, no refund state visited."""
    seen = _run(bench, "2", cartao="tok-forcar-recusa")
    _expect_status(seen, Status.FALHOU_COMPENSADO)
    _expect_charges(seen, charged=0, refunded=0)
    _expect_stock(seen, INITIAL_STOCK)
    states = seen.execution.states()
    expect(Etapa.ESTORNAR_PAGAMENTO.value not in states, "nenhum estorno no caminho", states)
    expect(seen.execution.attempts(Etapa.COBRAR_PAGAMENTO.value) == 1, "uma recusa não se repete", states)
    return _told(seen)


def falha_apos_cobranca(bench: Workbench) -> str:
    """3: the confirmation fails after the charge: refund, then release, in that order."""
    seen = _run(bench, "3", falhas={Etapa.CONFIRMAR_PEDIDO.value: "antes"})
    _expect_undone(seen)
    _expect_charges(seen, charged=1, refunded=1)
    return _told(seen)


def execucao_duplicada(bench: Workbench) -> str:
    """4: the same order twice and the same message twice: one execution, one charge."""
    sku = bench.stock_sku("4")
    order = bench.order("4", sku)
    pedido_id = bench.post(order)
    bench.post(order)
    execution = bench.started(pedido_id)
    queue = bench.target.filas["criados"]
    for _ in range(REPEATED):
        bench.target.sqs.send_message(QueueUrl=queue, MessageBody=execution.input)
    bench.wait("a fila de entrada vazia", lambda: bench.queue_is_empty(queue) or None, lambda: "mensagens na fila")
    seen = _outcome(bench, pedido_id, sku, bench.end(pedido_id))
    _expect_status(seen, Status.CONFIRMADO)
    _expect_charges(seen, charged=1, refunded=0)
    _expect_stock(seen, INITIAL_STOCK - 1)
    expect(seen.execution.attempts(Etapa.COBRAR_PAGAMENTO.value) == 1, "uma tentativa de cobrança", seen.execution)
    expect(seen.execution.started == execution.started, "a mesma execução", seen.execution.started)
    bench.remove_sku(sku)
    return f"o mesmo POST duas vezes, a mensagem mais {REPEATED}: 1 execução · {_told(seen)}"


def compensacao_falhou(bench: Workbench) -> str:
    """5: the refund itself fails: a person is called with both errors, and the alarm rings."""
    sku = bench.stock_sku("5")
    order = bench.order(
        "5",
        sku,
        cartao="tok-estorno-indisponivel",
        falhas={Etapa.CONFIRMAR_PEDIDO.value: "antes"},
    )
    pedido_id = bench.post(order)
    bench.waiting_in(pedido_id, HUMAN_WAIT)
    case = bench.human_case(pedido_id)
    for field in ("erroOriginal", "erroDaCompensacao"):
        expect(bool(case.get(field, {}).get("Error")), f"{field} na mensagem", sorted(case))
    expect(bool(case.get("taskToken")) and bool(case.get("execucao")), "o caso pode ser respondido", sorted(case))
    row = bench.row(pedido_id)
    expect(row["status"] == Status.REQUER_INTERVENCAO_HUMANA, Status.REQUER_INTERVENCAO_HUMANA.value, row["status"])
    name = bench.target.names.alarme(HUMAN_ALARM)
    state = bench.wait(
        f"o alarme {name} em ALARM",
        lambda: bench.alarm(name) if bench.alarm(name) == "ALARM" else None,
        lambda: bench.alarm(name),
    )
    errors = f"{case['erroOriginal']['Error']} e {case['erroDaCompensacao']['Error']}"
    return f"{row['status']} · mensagem com {errors} · alarme em {state}"


def cobranca_ambigua(bench: Workbench) -> str:
    """7: the gateway charges and never answers: refunded, stock back."""
    seen = _run(bench, "7", cartao="tok-timeout-cobrado")
    _expect_undone(seen)
    _expect_charges(seen, charged=1, refunded=1)
    return _told(seen)


def reserva_ambigua(bench: Workbench) -> str:
    """8: the reservation happened and its answer was lost: stock back, no charge."""
    seen = _run(bench, "8", falhas={Etapa.RESERVAR_ESTOQUE.value: "depois"})
    _expect_status(seen, Status.FALHOU_COMPENSADO)
    _expect_charges(seen, charged=0, refunded=0)
    _expect_stock(seen, INITIAL_STOCK)
    states = seen.execution.states()
    expect(Etapa.COBRAR_PAGAMENTO.value not in states, "nenhuma cobrança no caminho", states)
    return _told(seen)


def confirmacao_ambigua(bench: Workbench) -> str:
    """9: the confirmation happened and its answer was lost: not refunded, the saga goes forward."""
    seen = _run(bench, "9", falhas={Etapa.CONFIRMAR_PEDIDO.value: "depois"})
    _expect_status(seen, Status.CONFIRMADO)
    _expect_charges(seen, charged=1, refunded=0)
    _expect_stock(seen, INITIAL_STOCK - 1)
    # What would undo first is what finds out that the order was confirmed after all.
    _expect_order(seen, (UNDOING[0], Etapa.EFETIVAR_RESERVA.value))
    return _told(seen)


def conteudo_divergente(bench: Workbench) -> str:
    """10: the same order with another amount, at once and after the first ended: 409, the first untouched."""
    sku = bench.stock_sku("10")
    order = bench.order("10", sku)
    other = {**order, "valorCentavos": order["valorCentavos"] + 1}
    pedido_id = bench.post(order)
    refusals = [bench.front_door.post(other)]
    bench.end(pedido_id)
    refusals.append(bench.front_door.post(other))
    for refusal in refusals:
        told = (refusal.status, refusal.body.get("type"))
        expect(told == (409, DIVERGENT), f"409 {DIVERGENT}", told)
    seen = _outcome(bench, pedido_id, sku, bench.end(pedido_id))
    _expect_status(seen, Status.CONFIRMADO)
    expect(seen.row["valorCentavos"] == order["valorCentavos"], "o valor do primeiro", seen.row["valorCentavos"])
    _expect_charges(seen, charged=1, refunded=0)
    _expect_stock(seen, INITIAL_STOCK - 1)
    bench.remove_sku(sku)
    return f"409 em seguida e 409 depois do fim · {_told(seen)}"


PROOFS = (
    Proof(1, "caminho-feliz", caminho_feliz),
    Proof(2, "cobranca-recusada", cobranca_recusada),
    Proof(3, "falha-apos-cobranca", falha_apos_cobranca),
    Proof(4, "execucao-duplicada", execucao_duplicada),
    Proof(5, "compensacao-falhou", compensacao_falhou),
    Proof(6, "arquitetura-minima", arquitetura_minima),
    Proof(7, "cobranca-ambigua", cobranca_ambigua),
    Proof(8, "reserva-ambigua", reserva_ambigua),
    Proof(9, "confirmacao-ambigua", confirmacao_ambigua),
    Proof(10, "conteudo-divergente", conteudo_divergente),
    Proof(11, "intervencao-reprocessada", intervencao_reprocessada),
    Proof(12, "execucao-morta", execucao_morta),
)


# --- Steps the proofs share ------------------------------------------------------------------------------------------


def _run(bench: Workbench, name: str, *, cartao: str = "tok-ok", **extra: object) -> _Outcome:
    """Post one order on a SKU of its own and see what is left of it at the end."""
    sku = bench.stock_sku(name)
    pedido_id = bench.post(bench.order(name, sku, cartao=cartao, **extra))
    seen = _outcome(bench, pedido_id, sku, bench.end(pedido_id))
    bench.remove_sku(sku)
    return seen


def _outcome(bench: Workbench, pedido_id: str, sku: str, execution: Execution) -> _Outcome:
    expect(execution.status == "SUCCEEDED", "a execução SUCCEEDED", f"{execution.status} {execution.states()}")
    return _Outcome(
        execution=execution,
        row=bench.row(pedido_id),
        stock=bench.stock(sku),
        charged=len(bench.facts.charges(pedido_id)),
        refunded=len(bench.facts.refunds(pedido_id)),
        net=bench.facts.net_charged(pedido_id),
    )


def _expect_status(seen: _Outcome, status: Status) -> None:
    expect(seen.row["status"] == status, status.value, seen.row["status"])
    expect("pendenteDesde" not in seen.row, "nada pendente na linha do pedido", sorted(seen.row))


def _expect_undone(seen: _Outcome) -> None:
    _expect_status(seen, Status.FALHOU_COMPENSADO)
    _expect_stock(seen, INITIAL_STOCK)
    # A charge nobody knows the end of is undone from the refund on: what comes after it was never tried.
    visited = set(seen.execution.states())
    charged = UNDOING.index(Etapa.ESTORNAR_PAGAMENTO.value)
    _expect_order(seen, UNDOING if Etapa.CONFIRMAR_PEDIDO.value in visited else UNDOING[charged:])


def _expect_order(seen: _Outcome, expected: tuple[str, ...]) -> None:
    states = [state for state in seen.execution.states() if state in expected]
    expect(states == list(expected), " antes de ".join(expected), states)


def _expect_charges(seen: _Outcome, *, charged: int, refunded: int) -> None:
    expect(seen.charged == charged, f"{charged} cobranças no extrato", seen.charged)
    expect(seen.refunded == refunded, f"{refunded} estornos no extrato", seen.refunded)
    value = seen.row["valorCentavos"] * (charged - refunded)
    expect(seen.net == value, f"{value} centavos líquidos", seen.net)


def _expect_stock(seen: _Outcome, free: int) -> None:
    expect(seen.stock.saldo == free, f"saldo {free}", seen.stock.saldo)
    held = {order: units for order, units in seen.stock.reservas.items() if units > 0}
    expect(not held, "nenhuma reserva", held)


def _told(seen: _Outcome) -> str:
    return (
        f"{seen.row['status']} · cobranças {seen.charged}, estornos {seen.refunded}, líquido {seen.net} centavos · "
        f"saldo {INITIAL_STOCK} -> {seen.stock.saldo} · {' > '.join(seen.execution.states())}"
    )
