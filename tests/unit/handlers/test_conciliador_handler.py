"""The reconciler's entry point: which events it takes, and what it raises."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, cast

import pytest

from handlers import conciliador
from handlers.domain import environment
from handlers.domain.errors import ConflitoTransitorioError, ErroInesperado
from handlers.domain.reconciliation_round import Resultado, Rodada
from tests.support.emf import emitted
from tests.unit.handlers.conciliacao import MAQUINA, RETOMADA

if TYPE_CHECKING:
    from aws_lambda_powertools.utilities.typing import LambdaContext

pytestmark = pytest.mark.unit


class Contexto:
    function_name = "cesta-conciliador"
    memory_limit_in_mb = 256
    invoked_function_arn = "arn:aws:lambda:us-east-1:1:function:cesta-conciliador"
    aws_request_id = "r-1"

    def get_remaining_time_in_millis(self) -> int:
        return 60_000


class Falso:
    """A reconciler that notes what it is asked."""

    def __init__(self, erro: Exception | None = None) -> None:
        self.pedidos: list[str] = []
        self.rodadas = 0
        self.erro = erro

    def rodada(self, *, restam: Any) -> Rodada:
        assert restam() == 60
        self.rodadas += 1
        if self.erro is not None:
            raise self.erro
        return Rodada(Counter({Resultado.ESCALADO: 2}), 42)

    def sobre(self, pedido_id: str) -> Resultado:
        self.pedidos.append(pedido_id)
        if self.erro is not None:
            raise self.erro
        return Resultado.ESCALADO


@pytest.fixture
def falso(monkeypatch: pytest.MonkeyPatch) -> Falso:
    monkeypatch.setenv(environment.MAQUINA_RETOMADA_ARN, RETOMADA)
    novo = Falso()
    monkeypatch.setattr(conciliador, "_conciliador", lambda: novo)
    return novo


def chamar(event: object) -> dict[str, int]:
    return conciliador.handler(event, cast("LambdaContext", Contexto()))


def fim(maquina: str, nome: str) -> dict[str, Any]:
    arn = f"{maquina.replace(':stateMachine:', ':execution:')}:{nome}"
    return {"source": "aws.states", "detail": {"executionArn": arn, "status": "ABORTED"}}


def test_the_schedule_starts_a_round(falso: Falso) -> None:
    assert chamar({"source": "aws.events", "detail-type": "Scheduled Event"}) == {"CasosAbertos": 2}
    assert falso.rodadas == 1


def test_the_end_of_an_execution_of_either_machine_is_about_its_order(falso: Falso) -> None:
    assert chamar(fim(MAQUINA, "p-1")) == {"CasosAbertos": 1}
    chamar(fim(RETOMADA, "p-2-c3"))
    assert falso.pedidos == ["p-1", "p-2"]


@pytest.mark.parametrize(
    "event", [{}, [], None, {"source": "aws.states"}, {"source": "aws.states", "detail": {}}, {"source": "x"}]
)
def test_any_other_event_is_an_error_and_ends_in_the_human_queue(falso: Falso, event: object) -> None:
    with pytest.raises(ErroInesperado, match="não é do agendamento"):
        chamar(event)
    assert (falso.rodadas, falso.pedidos) == (0, [])


def test_what_it_raises_is_of_the_closed_set_and_quotes_nothing(
    falso: Falso, capsys: pytest.CaptureFixture[str]
) -> None:
    falso.erro = ValueError("tok-segredo-4242")
    with pytest.raises(ErroInesperado) as raised:
        chamar(fim(MAQUINA, "p-1"))
    falso.erro = ConflitoTransitorioError("p-1", "repita")
    with pytest.raises(ConflitoTransitorioError):
        chamar(fim(MAQUINA, "p-1"))
    printed = capsys.readouterr()
    assert "tok-segredo" not in f"{raised.value} {printed.out} {printed.err}"


def test_a_round_that_fails_is_a_metric_and_no_message_to_anybody(
    falso: Falso, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is raised ends in the human queue, where nobody could close it: the next round makes up for this one."""
    falso.erro = ValueError("tok-segredo-4242")
    assert chamar({"source": "aws.events"}) == {"RodadasFalhadas": 1}
    assert [(m.name, m.values) for m in emitted(capsys.readouterr().out)] == [("RodadasFalhadas", [1.0])]


def test_a_stack_set_up_wrongly_is_a_round_that_failed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv(environment.FILA_CRIADOS_URL, raising=False)
    assert chamar({"source": "aws.events"}) == {"RodadasFalhadas": 1}
    assert "RodadasFalhadas" in capsys.readouterr().out


@pytest.mark.usefixtures("falso")
def test_each_round_tells_the_age_of_the_oldest_case_and_an_event_does_not(capsys: pytest.CaptureFixture[str]) -> None:
    chamar({"source": "aws.events"})
    round_ = {metric.name: metric.values for metric in emitted(capsys.readouterr().out)}
    assert round_ == {"IdadeDoCasoMaisAntigo": [42.0], "CasosAbertos": [2.0]}
    chamar(fim(MAQUINA, "p-1"))
    assert {metric.name for metric in emitted(capsys.readouterr().out)} == {"CasosAbertos"}
