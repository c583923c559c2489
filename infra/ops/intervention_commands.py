"""``cesta intervencao`` and ``cesta sobras``: what they print, and exit codes (0 good, 1 refused or not concluded)."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import click

from infra.names import Names
from infra.ops.errors import OpsError, UnknownOrderError
from infra.ops.intervention import Decision, check, load, plan
from infra.ops.intervention_act import Answer, Outcome, answer, discard, discard_stray, wait_for_result, who_asks
from infra.ops.intervention_list import waiting
from infra.ops.leftovers import leftovers
from infra.ops.money import reais
from infra.ops.target import AwsAccount, told

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from infra.ops.intervention import Pending
    from infra.ops.intervention_list import CaseView
    from infra.ops.money import MoneyView
    from infra.ops.target import Target

__all__ = ["decide", "list_cases", "list_leftovers", "throw_away"]

_TOLD: Final = {
    Outcome.CONCLUIDO: "concluído",
    Outcome.VOLTOU_A_FILA: "a saga tentou e falhou de novo: o caso voltou à fila com outro token",
    Outcome.INTERROMPIDO: "a execução morreu: o conciliador abrirá outro caso",
    Outcome.EM_ANDAMENTO: "a resposta foi aceita e a saga ainda trabalha; acompanhe com `cesta pedido`",
}


def list_cases(find: Callable[[], Target], *, as_json: bool) -> int:
    """Everything that waits for a person."""

    def run() -> int:
        views = waiting(find())
        if as_json:
            _print_json({"casos": views})
        else:
            _show(views)
        return 0

    return _guarded(run, as_json=as_json)


def decide(
    find: Callable[[], Target],
    pedido_id: str,
    decision: Decision,
    *,
    responsavel: str,
    justificativa: str,
    pendencias: Sequence[Pending] = (),
    simular: bool,
    espera: float,
    as_json: bool,
) -> int:
    """Answer one case; says what the saga will do first, and what came of it last."""

    def run() -> int:
        target = find()
        case = load(target, pedido_id)
        check(case, decision, pendencias)
        steps = plan(case, decision, pendencias)
        if not as_json:
            _show_plan(pedido_id, decision, steps)
        result: dict[str, Any] = {"pedidoId": pedido_id, "decisao": decision.value, "plano": steps}
        if simular:
            return _tell(result | {"resultado": "simulado"}, "simulação: nada foi respondido", as_json=as_json, code=0)
        given = Answer(decision, responsavel, justificativa, who_asks(target), tuple(pendencias))
        resumed = answer(target, case, given)
        outcome, execution = wait_for_result(target, resumed, seconds=espera)
        after = load(target, pedido_id)
        result |= {
            "resultado": outcome.value,
            "via": "token" if resumed.by_token else "retomada",
            "execucao": {"arn": resumed.arn, "status": execution.status if execution is not None else "INICIANDO"},
            "status": after.status.value,
            "dinheiro": after.money,
            "estoque": {"sku": after.row["sku"], "reservado": after.reserved},
        }
        said = (
            f"{_TOLD[outcome]}: {after.status.value}, {_money(after.money)}, {after.reserved} unidade(s) reservada(s)"
        )
        return _tell(result, said, as_json=as_json, code=0 if outcome is Outcome.CONCLUIDO else 1)

    return _guarded(run, as_json=as_json)


def throw_away(find: Callable[[], Target], pedido_id: str, *, as_json: bool) -> int:
    """Take the messages of an order that waits for nobody, or of no order at all, out of the queue."""

    def run() -> int:
        target = find()
        try:
            thrown = discard(target, load(target, pedido_id))
        except UnknownOrderError:
            thrown = discard_stray(target, pedido_id)
            if not thrown:
                raise
        result = {"pedidoId": pedido_id, "descartadas": thrown}
        return _tell(result, f"{thrown} mensagem(ns) descartada(s)", as_json=as_json, code=0)

    return _guarded(run, as_json=as_json)


def list_leftovers(stack: str, *, as_json: bool) -> int:
    """What a destroyed stack left in the account of the environment."""

    def run() -> int:
        # By names alone: a destroyed stack has no queue to be found by.
        found = leftovers(AwsAccount.of_environment(), Names(stack))
        if as_json:
            _print_json({"stack": stack, "sobras": found})
            return 0
        for item in found:
            click.echo(f"{item['tipo']:<14} {item['nome']} ({item['detalhe']})\n{'':<14} {item['apagar']}")
        if not found:
            click.echo(f"a stack {stack} não deixou nada nesta conta e região")
        return 0

    return _guarded(run, as_json=as_json)


def _guarded(run: Callable[[], int], *, as_json: bool) -> int:
    try:
        with told():
            return run()
    except OpsError as error:
        if as_json:
            _print_json({"erro": str(error)})
        else:
            click.echo(str(error), err=True)
        return 1


def _tell(result: dict[str, Any], said: str, *, as_json: bool, code: int) -> int:
    if as_json:
        _print_json(result)
    else:
        click.echo(said)
    return code


def _print_json(value: object) -> None:
    click.echo(json.dumps(value, ensure_ascii=False))


def _show_plan(pedido_id: str, decision: Decision, steps: Sequence[str]) -> None:
    click.echo(f"{decision.value} o pedido {pedido_id}. A saga vai:")
    for n, step in enumerate(steps, 1):
        click.echo(f"  {n}. {step}")


def _show(views: Sequence[CaseView]) -> None:
    """A paragraph a case, not a table: whoever was woken reads it on whatever is at hand."""
    for view in views:
        click.echo(f"{view['pedidoId'] or view['mensagem']}  {view['status']} desde {view['desde'].partition('.')[0]}")
        for name, fact in _facts(view):
            click.echo(f"  {name:<9} {fact}")
        click.echo()
    click.echo(f"{len(views)} caso(s)" if views else "nenhum caso espera uma pessoa")


def _facts(view: CaseView) -> Iterator[tuple[str, str]]:
    yield "dinheiro", _money(view["dinheiro"])
    if view["estoque"]["sku"]:
        yield "estoque", f"{view['estoque']['reservado']} de {view['estoque']['sku']} reservada(s)"
    errors = " / ".join(filter(None, (view["erroOriginal"], view["erroDaCompensacao"])))
    yield "por quê", f"{view['porque']} ({errors})" if errors else view["porque"]
    yield "resposta", _WAYS[view["resposta"]] if view["espera"] else "nenhuma: cesta intervencao descartar"


_WAYS: Final = {
    "token": "reprocessar | encerrar",
    "retomada": "reprocessar | encerrar (em cesta-saga-retomada)",
    "nenhuma": "leia a mensagem na fila; depois, cesta intervencao descartar",
}


def _money(money: MoneyView) -> str:
    if money["situacao"] == "em_duvida":
        return "cobrança em dúvida"
    if money["situacao"] == "nada":
        return "nada cobrado"
    return f"cobrado {reais(money['cobrado'])}, devolvido {reais(money['estornado'])}"
