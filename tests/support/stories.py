"""Orders at every end and at every stop, told as AWS would tell them: rows, histories, stock. No stack is needed.

Histories are written event by event, so that a view built from them goes through the same folding as a real one.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

from boto3.dynamodb.types import TypeSerializer
from botocore.exceptions import ClientError

from infra.ops.order_view import look
from infra.ops.target import KnownEntrances, Target

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from infra.ops.order_view import OrderView

__all__ = ["CHARGED", "DOUBT", "ID", "NOW", "STORIES", "FakeAws", "History", "Story", "target_of", "view_of"]

ID: Final = "p-7"
START: Final = datetime(2026, 8, 7, 13, 4, 11, tzinfo=UTC)
NOW: Final = START + timedelta(hours=5)
SKU: Final = "sku-cafe-500g"
CHARGED: Final = {"estado": "APROVADA", "valorCentavos": 14_000, "em": 1786107852, "transacaoId": "tra-1"}
DOUBT: Final = {"estado": "INICIADA", "valorCentavos": 14_000, "em": 1786107852}
ANSWER: Final = {"responsavel": "ana", "justificativa": "gateway no ar de novo desde as 14h", "origem": "ana@plantao"}


class History:
    """One execution's events; time passes as they are written."""

    def __init__(self, start: datetime = START, *, name: str = ID, input: Mapping[str, Any] | None = None) -> None:
        self.name, self.now, self.started = name, start + timedelta(milliseconds=468), start
        self.input = json.dumps(input or {"pedidoId": ID})
        self.status, self.error = "RUNNING", ""
        self.events: list[dict[str, Any]] = [{"type": "ExecutionStarted", "timestamp": self.now}]

    def add(self, kind: str, seconds: float = 0, **details: Any) -> History:
        self.now += timedelta(seconds=seconds)
        self.events.append({"type": kind, "timestamp": self.now, **details})
        return self

    def enter(self, state: str, kind: str = "TaskStateEntered") -> History:
        return self.add(kind, stateEnteredEventDetails={"name": state})

    def attempt(self, error: str = "", *, seconds: float = 0.4, message: str = "") -> History:
        self.add("TaskScheduled")
        if not error:
            return self.add("TaskSucceeded", seconds, taskSucceededEventDetails={"output": "{}"})
        cause = json.dumps({"errorMessage": f"pedido {ID}: {message}", "stackTrace": ["linha 1"]})
        return self.add("TaskFailed", seconds, taskFailedEventDetails={"error": error, "cause": cause})

    def leave(self, kind: str = "TaskStateExited") -> History:
        return self.add(kind)

    def ok(self, *states: str) -> History:
        for state in states:
            self.enter(state).attempt().leave()
        return self

    def failing(self, state: str, error: str, times: int = 1, *, message: str = "") -> History:
        """Every attempt fails, two seconds apart, and the catcher takes it."""
        self.enter(state)
        for n in range(times):
            self.now += timedelta(seconds=2 if n else 0)
            self.attempt(error, message=message)
        return self.leave()

    def answered(self, state: str, decision: str, *, hours: float = 1, **also: Any) -> History:
        self.enter(state).add("TaskScheduled")
        details = {
            "resource": "sendMessage.waitForTaskToken",
            "output": json.dumps({"decisao": decision, **ANSWER, **also}),
        }
        self.add("TaskSucceeded", hours * 3600, taskSucceededEventDetails=details).leave()
        decide = "DecidirPendencia" if state.startswith("Pendencia") else "DecidirIntervencao"
        return self.enter(decide, "ChoiceStateEntered").leave("ChoiceStateExited")

    def waiting(self, state: str) -> History:
        return self.enter(state).add("TaskScheduled")

    def end(self, status: str = "SUCCEEDED", error: str = "") -> History:
        self.status, self.error = status, error
        kinds = {"SUCCEEDED": "ExecutionSucceeded", "FAILED": "ExecutionFailed", "ABORTED": "ExecutionAborted"}
        return self.add(kinds[status], 0.1)


@dataclass(frozen=True)
class Story:
    """One order.

    Attributes:
        status: of its row.
        executions: its histories, the saga's own first.
        held: units its reservation holds (negative: a tombstone).
        row: the row's other attributes.
    """

    status: str
    executions: Sequence[History] = ()
    held: int = 0
    row: Mapping[str, Any] = field(default_factory=dict[str, Any])


class FakeAws:
    """The SDK, answering from a story; what it was asked is kept."""

    def __init__(self, story: Story | None) -> None:
        self.story = story
        self.reads: list[dict[str, Any]] = []
        self._asked = ""

    def client(self, name: str) -> FakeAws:
        return self

    def environment(self) -> dict[str, str]:
        return {}

    def get_item(self, **request: Any) -> dict[str, Any]:
        self.reads.append(request)
        if self.story is None:
            return {}
        if request["TableName"] == "estoque":
            return {
                "Item": _typed({"sku": SKU, "saldo": 498, "reservas": {ID: self.story.held} if self.story.held else {}})
            }
        return {"Item": _typed(_row(self.story))}

    def _history(self, arn: str) -> History:
        told = self.story.executions if self.story is not None else ()
        found = next((one for one in told if arn == _arn(one.name)), None)
        if found is None:
            raise ClientError({"Error": {"Code": "ExecutionDoesNotExist"}}, "DescribeExecution")
        return found

    def describe_execution(self, **request: str) -> dict[str, Any]:
        told = self._history(request["executionArn"])
        stop = {"stopDate": told.now} if told.status != "RUNNING" else {}
        return {"status": told.status, "startDate": told.started, "input": told.input, "error": told.error, **stop}

    def get_paginator(self, name: str) -> FakeAws:
        return self

    def paginate(self, **request: str) -> list[dict[str, Any]]:
        return [{"events": self._history(request["executionArn"]).events}]


def target_of(story: Story | None, *, alvo: str = "local", stack: str = "local") -> Target:
    """A stack that holds that order, and nothing else."""
    return Target(
        alvo=alvo,
        stack=stack,
        regiao="us-east-1",
        entrances=KnownEntrances("http://x", "http://y", {}),
        tabelas={"pedidos": "pedidos", "estoque": "estoque"},
        maquinas={"pedido": _MACHINE.format("pedido"), "retomada": _MACHINE.format("retomada")},
        clients=FakeAws(story),
    )


def view_of(story: Story, *, now: datetime = NOW, alvo: str = "local", stack: str = "local") -> OrderView:
    """What ``cesta pedido`` would show of it."""
    return look(target_of(story, alvo=alvo, stack=stack), ID, now=now)


_MACHINE: Final = "arn:aws:states:us-east-1:111122223333:stateMachine:cesta-saga-{}"


def _arn(name: str) -> str:
    machine = "retomada" if "-c" in name else "pedido"
    return f"{_MACHINE.format(machine).replace(':stateMachine:', ':execution:')}:{name}"


def _row(story: Story) -> dict[str, Any]:
    return {
        "pedidoId": ID,
        "sku": SKU,
        "quantidade": 2,
        "valorCentavos": 14_000,
        "criadoEm": "2026-08-07T13:04:11.000Z",
        "atualizadoEm": "2026-08-07T13:04:20.000Z",
        "status": story.status,
        **story.row,
    }


def _typed(item: Mapping[str, Any]) -> dict[str, Any]:
    serializer = TypeSerializer()
    return {name: serializer.serialize(value) for name, value in item.items()}


# --- The stories -----------------------------------------------------------------------------------------------------

_FORWARD: Final = ("ReservarEstoque", "CobrarPagamento", "ConfirmarPedido", "EfetivarReserva")
_UNDONE: Final = ("LiberarEstoque", "RegistrarFalhaComEstoqueLiberado")
_HUMAN: Final = "CompensacaoFalhouParaFilaHumana"
_PENDING: Final = {"pendenteDesde": "2026-08-07T13:04:11.000Z"}
_BY_SAGA: Final = {"caso": {"origem": "saga", "abertoEm": "2026-08-07T13:05:00.000Z"}}
_DECIDED: Final = {
    "responsavel": "ana",
    "justificativa": ANSWER["justificativa"],
    "decididoEm": "2026-08-07T14:05:00.000Z",
    "resolucao": json.dumps({"decisao": "REPROCESSAR", **ANSWER}),
}
_503: Final = "gateway de pagamento indisponível na operação estorno: HTTP 503 (indisponivel)"


def _reason(name: str, message: str = "") -> dict[str, str]:
    cause = json.dumps({"errorMessage": f"pedido {ID}: {message}", "errorType": name, "stackTrace": ["linha 1"]})
    return {"motivo": name, "detalhe": json.dumps({"Error": name, "Cause": cause})}


def _by_reconciler(motivo: str) -> dict[str, Any]:
    opened = "2026-08-07T13:10:00.000Z"
    return {"caso": {"origem": "conciliador", "motivo": motivo, "abertoEm": opened, "reivindicadoEm": 1786108200}}


def _until_human() -> History:
    told = History().ok("ReservarEstoque", "CobrarPagamento").failing("ConfirmarPedido", "ErroInesperado", 5)
    told.failing("EstornarPagamento", "GatewayIndisponivelError", 21, message=_503)
    return told.ok("RegistrarRequerIntervencaoHumana")


def _stories() -> dict[str, Story]:
    timeout = "cartão recusado pelo gateway; o cliente precisa usar outro cartão"
    resumed = {"pedidoId": ID, "intervencao": {"decisao": "REPROCESSAR", **ANSWER}}
    later = START + timedelta(hours=1)
    lost = _reason("ErroInesperado", "a tabela não respondeu")
    return {
        "confirmado": Story("CONFIRMADO", [History().ok(*_FORWARD).end()], row={"cobranca": CHARGED}),
        "confirmado-depois-de-falhas": Story(
            "CONFIRMADO",
            [
                History()
                .ok("ReservarEstoque")
                .enter("CobrarPagamento")
                .attempt("GatewayIndisponivelError", message="HTTP 503")
                .attempt("GatewayIndisponivelError", message="HTTP 503")
                .attempt()
                .leave()
                .ok("ConfirmarPedido", "EfetivarReserva")
                .end()
            ],
            row={"cobranca": CHARGED},
        ),
        "confirmado-por-pouco": Story(
            "CONFIRMADO",
            [
                History()
                .ok("ReservarEstoque", "CobrarPagamento")
                .failing("ConfirmarPedido", "ErroInesperado", 5)
                .failing("EstornarPagamento", "PedidoJaConfirmadoError")
                .ok("EfetivarReserva")
                .end()
            ],
            row={"cobranca": CHARGED},
        ),
        "sem-estoque": Story(
            "FALHOU_SEM_RESERVA",
            [
                History()
                .failing("ReservarEstoque", "EstoqueInsuficienteError", message="pedidas 2, disponíveis 0")
                .ok("RegistrarFalhaSemCompensacao")
                .end()
            ],
            row=_reason("EstoqueInsuficienteError", f"estoque insuficiente de {SKU}: pedidas 2, disponíveis 0"),
        ),
        "cartao-recusado": Story(
            "FALHOU_COMPENSADO",
            [
                History()
                .ok("ReservarEstoque")
                .failing("CobrarPagamento", "CartaoRecusadoError", message=timeout)
                .ok(*_UNDONE)
                .end()
            ],
            row={**_reason("CartaoRecusadoError", timeout), "cobranca": {**DOUBT, "estado": "RECUSADA"}},
        ),
        "estornado": Story(
            "FALHOU_COMPENSADO",
            [
                History()
                .ok("ReservarEstoque", "CobrarPagamento")
                .failing("ConfirmarPedido", "ErroInesperado", 5, message="a tabela não respondeu")
                .ok("EstornarPagamento", *_UNDONE)
                .end()
            ],
            row={**lost, "cobranca": CHARGED, "estorno": {"estado": "CONCLUIDO", "em": 1786107860}},
        ),
        "em-duvida": Story(
            "FALHOU_COMPENSADO",
            [
                History()
                .ok("ReservarEstoque")
                .failing("CobrarPagamento", "GatewayIndisponivelError", 5, message="sem resposta (ReadTimeoutError)")
                .enter("EstornarPagamento")
                .attempt("CobrancaIndefinidaError")
                .attempt("CobrancaIndefinidaError")
                .attempt()
                .leave()
                .ok(*_UNDONE)
                .end()
            ],
            held=-1_786_107_900,
            row={
                **_reason("GatewayIndisponivelError", "sem resposta (ReadTimeoutError)"),
                "cobranca": {**DOUBT, "duvidosa": True},
                "verificarEm": "2026-08-07T14:20:00.000Z",
            },
        ),
        "nao-comecou": Story("RECEBIDO", row={**_PENDING, "reenvio": {"vezes": 2, "em": 1786108500}}),
        "tentando-de-novo": Story(
            "RECEBIDO",
            [
                History()
                .ok("ReservarEstoque")
                .enter("CobrarPagamento")
                .attempt("GatewayIndisponivelError", message="HTTP 503")
                .attempt("GatewayIndisponivelError", message="HTTP 503")
            ],
            held=2,
            row={**_PENDING, "cobranca": DOUBT},
        ),
        "desfazendo": Story(
            "COMPENSANDO",
            [
                History()
                .ok("ReservarEstoque", "CobrarPagamento")
                .failing("ConfirmarPedido", "ErroInesperado", 5)
                .waiting("EstornarPagamento")
            ],
            held=2,
            row={**_PENDING, "cobranca": CHARGED, "estorno": {"estado": "PENDENTE", "em": 1786107860}},
        ),
        "espera-uma-pessoa": Story(
            "REQUER_INTERVENCAO_HUMANA",
            [_until_human().waiting(_HUMAN)],
            held=2,
            row={
                **_PENDING,
                **_BY_SAGA,
                **lost,
                "cobranca": CHARGED,
                "estorno": {"estado": "INICIADO", "em": 1786107860},
            },
        ),
        "espera-de-novo": Story(
            "REQUER_INTERVENCAO_HUMANA",
            [
                _until_human()
                .enter(_HUMAN)
                .add("TaskScheduled")
                .add("TaskTimedOut", 13 * 86_400, taskTimedOutEventDetails={"error": "States.Timeout"})
                .leave()
                .ok("RegistrarRequerIntervencaoHumana")
                .waiting(_HUMAN)
            ],
            held=2,
            row={**_PENDING, **_BY_SAGA, **lost, "cobranca": CHARGED},
        ),
        "reprocessado": Story(
            "FALHOU_COMPENSADO",
            [
                _until_human()
                .answered(_HUMAN, "REPROCESSAR")
                .ok("RegistrarReprocessamento", "EstornarPagamento", *_UNDONE)
                .end()
            ],
            row={
                **_BY_SAGA,
                **_DECIDED,
                **lost,
                "cobranca": CHARGED,
                "estorno": {"estado": "CONCLUIDO", "em": 1786107860},
            },
        ),
        "encerrado": Story(
            "RESOLVIDO_MANUALMENTE",
            [
                _until_human()
                .answered(_HUMAN, "ENCERRAR", pendencias=["cobranca", "estoque"])
                .ok("RegistrarResolvidoComPendencias")
                .end()
            ],
            held=2,
            row={
                **_DECIDED,
                **lost,
                "resolucao": json.dumps({"decisao": "ENCERRAR", **ANSWER}),
                "cobranca": CHARGED,
                "caso": {**_BY_SAGA["caso"], "pendencias": '["cobranca","estoque"]'},
            },
        ),
        "encerrado-sem-nomear": Story(
            "RESOLVIDO_MANUALMENTE",
            [_until_human().answered(_HUMAN, "ENCERRAR").ok("RegistrarResolvidoManualmente").end()],
            held=2,
            row={**_BY_SAGA, **_DECIDED, **lost},
        ),
        "reserva-por-efetivar": Story(
            "CONFIRMADO",
            [
                History()
                .ok(*_FORWARD[:3])
                .failing("EfetivarReserva", "ConflitoTransitorioError", 21)
                .waiting("PendenciaParaFilaHumana")
            ],
            held=2,
            row={**_PENDING, "cobranca": CHARGED},
        ),
        "pendencia-encerrada": Story(
            "CONFIRMADO",
            [
                History()
                .ok(*_FORWARD[:3])
                .failing("EfetivarReserva", "ConflitoTransitorioError", 21)
                .answered("PendenciaParaFilaHumana", "ENCERRAR")
                .ok("PendenciaEncerrada")
                .end()
            ],
            held=2,
            row={**_DECIDED, "cobranca": CHARGED},
        ),
        "execucao-morta": Story(
            "RECEBIDO",
            [History().ok("ReservarEstoque").enter("CobrarPagamento").add("TaskScheduled").end("ABORTED")],
            held=2,
            row={**_PENDING, "cobranca": DOUBT},
        ),
        "execucao-morta-com-caso": Story(
            "REQUER_INTERVENCAO_HUMANA",
            [History().ok("ReservarEstoque").enter("CobrarPagamento").add("TaskScheduled").end("ABORTED")],
            held=2,
            row={**_PENDING, **_by_reconciler("EXECUCAO_MORTA"), "cobranca": DOUBT},
        ),
        "nunca-comecou-com-caso": Story(
            "REQUER_INTERVENCAO_HUMANA",
            row={**_PENDING, **_by_reconciler("NAO_INICIADO"), "reenvio": {"vezes": 5, "em": 1786108100}},
        ),
        "nao-entregue": Story(
            "REQUER_INTERVENCAO_HUMANA",
            [
                _until_human()
                .failing(_HUMAN, "SQS.AmazonSQSException", 21)
                .enter("IntervencaoNaoEntregue", "FailStateEntered")
                .end("FAILED", "IntervencaoNaoEntregue")
            ],
            held=2,
            row={**_PENDING, **_BY_SAGA, **lost, "cobranca": CHARGED},
        ),
        "retomado": Story(
            "FALHOU_COMPENSADO",
            [
                History().ok("ReservarEstoque").enter("CobrarPagamento").add("TaskScheduled").end("ABORTED"),
                History(later, name=f"{ID}-c1", input=resumed)
                .enter("DecidirIntervencao", "ChoiceStateEntered")
                .leave("ChoiceStateExited")
                .ok("RegistrarReprocessamento", "EstornarPagamento", *_UNDONE)
                .end(),
            ],
            row={
                **_DECIDED,
                **_by_reconciler("EXECUCAO_MORTA"),
                **_reason("ExecucaoInterrompida"),
                "cobranca": CHARGED,
                "estorno": {"estado": "CONCLUIDO", "em": 1786111500},
            },
        ),
        "retomado-ha-tempos": Story(
            "FALHOU_COMPENSADO",
            [
                History(later, name=f"{ID}-c1", input=resumed)
                .enter("DecidirIntervencao", "ChoiceStateEntered")
                .leave("ChoiceStateExited")
                .ok("RegistrarReprocessamento", "EstornarPagamento", *_UNDONE)
                .end(),
            ],
            row={**_DECIDED, **_by_reconciler("EXECUCAO_MORTA"), **_reason("ExecucaoInterrompida")},
        ),
        "dinheiro-apareceu": Story(
            "REQUER_INTERVENCAO_HUMANA",
            [
                History()
                .ok("ReservarEstoque")
                .failing("CobrarPagamento", "GatewayIndisponivelError", 5)
                .ok("EstornarPagamento", *_UNDONE)
                .end()
            ],
            row={**_PENDING, **_by_reconciler("DINHEIRO_EM_PEDIDO_FINAL"), "cobranca": CHARGED},
        ),
        "historico-expirado": Story(
            "RESOLVIDO_MANUALMENTE",
            row={
                **_DECIDED,
                **lost,
                "resolucao": json.dumps({"decisao": "ENCERRAR", **ANSWER, "pendencias": ["cobranca"]}),
                "cobranca": CHARGED,
                "caso": {**_BY_SAGA["caso"], "pendencias": '["cobranca"]'},
            },
        ),
    }


STORIES: Final = _stories()
