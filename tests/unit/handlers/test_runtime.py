"""What surrounds every step: the event, the logs, the metrics, the injected faults, the closed set of errors."""

from __future__ import annotations

import json
import logging
import os
import traceback
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NoReturn, cast

import pytest
from botocore.exceptions import (
    ClientError,
    ConnectionClosedError,
    ConnectTimeoutError,
    EndpointConnectionError,
    NoCredentialsError,
    ParamValidationError,
    ReadTimeoutError,
)

from handlers.domain import environment, runtime
from handlers.domain.errors import (
    CartaoRecusadoError,
    CestaError,
    CobrancaIndefinidaError,
    ConflitoTransitorioError,
    ErroInesperado,
    GatewayIndisponivelError,
)
from handlers.domain.event import Evento, parse
from handlers.domain.failures import as_cesta_error
from handlers.domain.settings import SettingError, flag, required, seconds
from handlers.domain.status import Etapa
from handlers.domain.table import MalformedItemError
from tests.support.emf import emitted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from aws_lambda_powertools.utilities.typing import LambdaContext

pytestmark = pytest.mark.unit

TOKEN = "tok-segredo-4242"
ENTRADA: dict[str, Any] = {
    "pedidoId": "p-1",
    "sku": "cafe",
    "quantidade": 2,
    "valorCentavos": 14_000,
    "criadoEm": "2026-07-25T17:20:00.000Z",
}
CONTEXTO: dict[str, Any] = {"estado": "CobrarPagamento", "tentativa": 0, "execucao": "arn:aws:states:x:execution:m:p-1"}


class Contexto:
    """What Powertools reads of Lambda's context."""

    function_name = "cesta-cobrar-pagamento"
    memory_limit_in_mb = 256
    invoked_function_arn = "arn:aws:lambda:x:function:cesta-cobrar-pagamento"
    aws_request_id = "req-1"


def evento(entrada: Mapping[str, Any] | None = None, **contexto: Any) -> dict[str, Any]:
    return {"entrada": {**ENTRADA, **(entrada or {})}, "contexto": {**CONTEXTO, **contexto}}


def chamar(passo: runtime.Passo, event: object) -> Mapping[str, object]:
    """Calls a step the way Lambda does."""
    return runtime.step(Etapa.COBRAR_PAGAMENTO)(passo)(event, cast("LambdaContext", Contexto()))


def falhar(error: Exception) -> runtime.Passo:
    def passo(_: Evento) -> NoReturn:
        raise error

    return passo


def bem(_: Evento) -> Mapping[str, object]:
    return {"ok": True}


def client_error(code: str, status: int = 400, text: str = "") -> ClientError:
    return ClientError({"Error": {"Code": code, "Message": text}, "ResponseMetadata": _metadata(status)}, "UpdateItem")


def _metadata(status: int) -> Any:
    return {"HTTPStatusCode": status}


# The event


def test_an_event_is_typed() -> None:
    lido = parse(evento({"reserva": {"sku": "cafe"}, "falhas": {"a": "antes"}}, tentativa=3))
    assert lido == Evento(
        pedido_id="p-1",
        sku="cafe",
        quantidade=2,
        criado_em=1_785_000_000,
        reserva_respondida=True,
        falhas={"a": "antes"},
        estado="CobrarPagamento",
        tentativa=3,
        execucao=CONTEXTO["execucao"],
    )


@pytest.mark.parametrize("reserva", [None, "ausente"])
def test_the_reservation_answered_only_if_it_is_there(reserva: str | None) -> None:
    entrada = {} if reserva else {"reserva": None}
    assert parse(evento(entrada)).reserva_respondida is False


@pytest.mark.parametrize(
    ("event", "campo"),
    [
        (None, "evento"),
        ([], "evento"),
        ({}, "entrada"),
        ({"entrada": ENTRADA}, "contexto"),
        (evento({"pedidoId": ""}), "entrada.pedidoId"),
        (evento({"pedidoId": 7}), "entrada.pedidoId"),
        (evento({"sku": None}), "entrada.sku"),
        (evento({"quantidade": "2"}), "entrada.quantidade"),
        (evento({"quantidade": True}), "entrada.quantidade"),
        (evento({"quantidade": 2.0}), "entrada.quantidade"),
        (evento({"quantidade": 0}), "entrada.quantidade"),
        (evento(tentativa=-1), "contexto.tentativa"),
        (evento(estado=None), "contexto.estado"),
        (evento(execucao=""), "contexto.execucao"),
    ],
)
def test_a_malformed_event_is_an_error_that_names_the_field(event: object, campo: str) -> None:
    with pytest.raises(ErroInesperado, match=f": {campo} do evento"):
        chamar(bem, event)


# The errors


@pytest.mark.parametrize(
    ("error", "classe"),
    [
        (client_error("ProvisionedThroughputExceededException"), ConflitoTransitorioError),
        (client_error("ThrottlingException"), ConflitoTransitorioError),
        (client_error("RequestLimitExceeded"), ConflitoTransitorioError),
        (client_error("TransactionConflictException"), ConflitoTransitorioError),
        (client_error("InternalServerError", 500), ConflitoTransitorioError),
        (client_error("QualquerCoisa", 503), ConflitoTransitorioError),
        (ReadTimeoutError(endpoint_url="https://x"), ConflitoTransitorioError),
        (ConnectTimeoutError(endpoint_url="https://x"), ConflitoTransitorioError),
        (EndpointConnectionError(endpoint_url="https://x"), ConflitoTransitorioError),
        (ConnectionClosedError(endpoint_url="https://x"), ConflitoTransitorioError),
        (client_error("ValidationException"), ErroInesperado),
        (client_error("AccessDeniedException"), ErroInesperado),
        (client_error("ResourceNotFoundException"), ErroInesperado),
        (client_error("ConditionalCheckFailedException"), ErroInesperado),
        (client_error(""), ErroInesperado),
        (NoCredentialsError(), ErroInesperado),
        (ParamValidationError(report=TOKEN), ErroInesperado),
        (KeyError(TOKEN), ErroInesperado),
        (ValueError(TOKEN), ErroInesperado),
        (MemoryError(), ErroInesperado),
        (RecursionError(), ErroInesperado),
        (AssertionError(TOKEN), ErroInesperado),
        (SettingError("GATEWAY_URL", "um texto"), ErroInesperado),
        (MalformedItemError("status", "um texto"), ErroInesperado),
    ],
    ids=lambda value: getattr(value, "__name__", None) or type(value).__name__,
)
def test_whatever_is_raised_becomes_one_of_ours(error: Exception, classe: type[CestaError]) -> None:
    """Case C13."""
    with pytest.raises(CestaError) as failed:
        chamar(falhar(error), evento())
    assert type(failed.value) is classe
    assert failed.value.pedido_id == "p-1"


@pytest.mark.parametrize(
    "error",
    [
        CartaoRecusadoError("p-1"),
        GatewayIndisponivelError("p-1", operacao="cobranca", detalhe="HTTP 503"),
        CobrancaIndefinidaError("p-1", duvida_ate=1),
        ErroInesperado("p-1", "x"),
    ],
)
def test_an_error_of_ours_goes_through_as_it_is(error: CestaError) -> None:
    with pytest.raises(CestaError) as failed:
        chamar(falhar(error), evento())
    assert failed.value is error


def test_a_wrapped_error_names_the_class_of_its_cause_and_the_awss_code() -> None:
    wrapped = as_cesta_error("p-1", client_error("AccessDeniedException"))
    assert isinstance(wrapped, ErroInesperado)
    assert wrapped.causa == "ClientError"
    assert "AccessDeniedException" in str(wrapped)
    assert "UpdateItem" in str(wrapped)
    assert str(as_cesta_error("p-1", KeyError("x"))).startswith("pedido p-1: KeyError: ")


def test_our_own_texts_survive_the_wrapping() -> None:
    assert "GATEWAY_URL" in str(as_cesta_error("p-1", SettingError("GATEWAY_URL", "um texto")))
    assert "atributo status" in str(as_cesta_error("p-1", MalformedItemError("status", "um texto")))


@pytest.mark.parametrize(
    "error",
    [
        client_error("ValidationException", text=f"value {TOKEN} is not valid"),
        client_error("ThrottlingException", text=TOKEN),
        ParamValidationError(report=f"cartaoToken: {TOKEN}"),
        ValueError(TOKEN),
        KeyError(TOKEN),
    ],
    ids=lambda error: type(error).__name__,
)
def test_nothing_the_sdk_says_reaches_the_history_or_the_log(
    error: Exception, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG), pytest.raises(CestaError) as failed:
        chamar(falhar(error), evento())
    raised = failed.value
    assert (raised.__context__, raised.__cause__) == (None, None)
    assert TOKEN not in "".join(traceback.format_exception(raised))
    assert TOKEN not in str(vars(raised))
    saida = capsys.readouterr()
    assert "passo não concluído" in caplog.text
    assert TOKEN not in saida.out + saida.err + caplog.text + str([vars(r) for r in caplog.records])


def test_a_process_being_killed_is_not_swallowed() -> None:
    def passo(_: Evento) -> NoReturn:
        raise SystemExit(1)

    with pytest.raises(SystemExit):
        chamar(passo, evento())


# Logs and metrics


def registros(caplog: pytest.LogCaptureFixture) -> list[logging.LogRecord]:
    return [record for record in caplog.records if record.name == runtime.logger.service]


@pytest.mark.parametrize(
    ("passo", "metrica"),
    [
        (bem, "PassoConcluido"),
        (falhar(CartaoRecusadoError("p-1")), "PassoRecusado"),
        (falhar(ConflitoTransitorioError("p-1", "x")), "PassoTransitorio"),
        (falhar(CobrancaIndefinidaError("p-1", duvida_ate=1)), "CobrancaIndefinida"),
        (falhar(ErroInesperado("p-1", "x")), "PassoInesperado"),
        (falhar(ValueError("x")), "PassoInesperado"),
    ],
)
def test_each_outcome_counts_once_under_the_function_and_the_stack(
    passo: runtime.Passo, metrica: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # As where a function runs.
    monkeypatch.setenv("POWERTOOLS_SERVICE_NAME", "cobrar-pagamento")
    monkeypatch.setenv(environment.STACK, "dev")
    with suppress(CestaError):
        chamar(passo, evento())
    (emitida,) = emitted(capsys.readouterr().out)
    assert emitida == ("Cesta", metrica, "Count", {"service": "cobrar-pagamento", "stack": "dev"}, [1.0])


def formatado(record: logging.LogRecord) -> dict[str, Any]:
    return json.loads(runtime.logger.registered_formatter.format(record))


def test_every_line_carries_the_order_as_its_correlation_id(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        chamar(bem, evento(tentativa=2))
        linha = formatado(registros(caplog)[-1])
    assert linha["correlation_id"] == "p-1"
    assert (linha["etapa"], linha["tentativa"], linha["execucao"]) == ("CobrarPagamento", 2, CONTEXTO["execucao"])
    assert linha["resultado"] == {"ok": True}
    assert linha["function_request_id"] == "req-1"


@pytest.mark.parametrize("dito", [None, "ontem", 7, {}])
def test_no_step_fails_for_a_time_it_only_measures_with(dito: object) -> None:
    assert parse(evento({"criadoEm": dito})).criado_em is None


def test_a_failure_is_logged_with_its_place_and_without_values(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(ErroInesperado):
        chamar(falhar(ValueError(TOKEN)), evento())
    linha = formatado(registros(caplog)[-1])
    assert linha["erro"] == "ErroInesperado"
    assert linha["detalhe"].startswith("pedido p-1: ValueError: ")
    assert linha["pilha"][-1].startswith("test_runtime.py:")
    assert linha["pilha"][-1].endswith(" passo")


def test_one_orders_keys_do_not_stay_for_the_next_invocation(caplog: pytest.LogCaptureFixture) -> None:
    chamar(bem, evento())
    with pytest.raises(ErroInesperado):
        chamar(bem, {})
    linha = formatado(registros(caplog)[-1])
    assert linha.get("correlation_id") is None
    assert "execucao" not in linha


def test_the_event_is_never_logged_even_when_the_environment_asks_for_it(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("POWERTOOLS_LOGGER_LOG_EVENT", "true")
    with caplog.at_level(logging.DEBUG):
        chamar(bem, evento({"segredo": TOKEN}))
    assert TOKEN not in caplog.text + capsys.readouterr().out


# Fault injection


def com_falha(spec: object, tentativa: int = 0) -> dict[str, Any]:
    return evento({"falhas": {"CobrarPagamento": spec}}, tentativa=tentativa)


@pytest.fixture
def efeitos(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A stack that injects faults, and the effects a step had in it."""
    monkeypatch.setenv(environment.INJECAO_DE_FALHAS, "true")
    return []


def contar(efeitos: list[str]) -> runtime.Passo:
    def passo(_: Evento) -> Mapping[str, object]:
        efeitos.append("efeito")
        return {"ok": True}

    return passo


@pytest.mark.parametrize(("spec", "esperados"), [("antes", 0), ("depois", 1), ("antes:2", 0), ("depois:9999", 1)])
def test_an_injected_fault_strikes_on_its_side_of_the_effect(efeitos: list[str], spec: str, esperados: int) -> None:
    with pytest.raises(ErroInesperado, match=f"falha injetada em CobrarPagamento \\({spec.split(':')[0]} do efeito\\)"):
        chamar(contar(efeitos), com_falha(spec))
    assert len(efeitos) == esperados


def test_an_injected_death_comes_after_the_effect_and_leaves_at_once(
    efeitos: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class SaidaError(BaseException):
        pass

    def sair(code: int) -> NoReturn:
        assert code == 1
        raise SaidaError

    monkeypatch.setattr(os, "_exit", sair)
    with pytest.raises(SaidaError):
        chamar(contar(efeitos), com_falha("morrer"))
    assert efeitos == ["efeito"]


@pytest.mark.parametrize(("tentativa", "falha"), [(0, True), (1, True), (2, False), (3, False)])
def test_a_counted_fault_strikes_only_the_first_attempts(efeitos: list[str], tentativa: int, falha: bool) -> None:
    event = com_falha("antes:2", tentativa)
    if falha:
        with pytest.raises(ErroInesperado):
            chamar(contar(efeitos), event)
    else:
        assert chamar(contar(efeitos), event) == {"ok": True}


def test_a_fault_planned_for_another_state_does_not_strike(efeitos: list[str]) -> None:
    assert chamar(contar(efeitos), evento({"falhas": {"ConfirmarPedido": "antes"}})) == {"ok": True}


def test_a_refusal_comes_before_a_fault_that_was_to_strike_after_the_effect(efeitos: list[str]) -> None:
    with pytest.raises(CartaoRecusadoError):
        chamar(falhar(CartaoRecusadoError("p-1")), com_falha("depois"))


@pytest.mark.parametrize("spec", ["", "agora", "antes:0", "antes:", "antes:-1", "antes:99999", " antes", 1, {}])
def test_a_malformed_fault_is_an_error_before_the_effect(efeitos: list[str], spec: object) -> None:
    with pytest.raises(ErroInesperado, match="falhas deveria ser"):
        chamar(contar(efeitos), com_falha(spec))
    assert efeitos == []


def test_faults_that_are_no_map_are_an_error_before_the_effect(efeitos: list[str]) -> None:
    with pytest.raises(ErroInesperado, match="falhas deveria ser"):
        chamar(contar(efeitos), evento({"falhas": "antes"}))
    assert efeitos == []


@pytest.mark.parametrize("valor", ["false", None])
@pytest.mark.parametrize("falhas", [{"CobrarPagamento": "antes"}, {"CobrarPagamento": "morrer"}, "lixo", 7])
def test_where_the_stack_does_not_inject_faults_they_mean_nothing(
    monkeypatch: pytest.MonkeyPatch, valor: str | None, falhas: object
) -> None:
    if valor is None:
        monkeypatch.delenv(environment.INJECAO_DE_FALHAS, raising=False)
    else:
        monkeypatch.setenv(environment.INJECAO_DE_FALHAS, valor)
    assert chamar(bem, evento({"falhas": falhas})) == {"ok": True}


# The environment


def test_settings_are_typed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("X", "1.5")
    assert (required("X"), seconds("X")) == ("1.5", 1.5)
    monkeypatch.setenv("X", "true")
    assert flag("X") is True


@pytest.mark.parametrize("valor", [None, ""])
def test_a_missing_setting_names_itself(monkeypatch: pytest.MonkeyPatch, valor: str | None) -> None:
    monkeypatch.delenv("X", raising=False)
    if valor is not None:
        monkeypatch.setenv("X", valor)
    with pytest.raises(SettingError, match="variável de ambiente X") as missing:
        required("X")
    assert missing.value.name == "X"


@pytest.mark.parametrize("valor", ["", "um", "0", "-1", "nan", "inf"])
def test_seconds_are_positive_and_finite(monkeypatch: pytest.MonkeyPatch, valor: str) -> None:
    monkeypatch.setenv("X", valor)
    with pytest.raises(SettingError):
        seconds("X")


@pytest.mark.parametrize("valor", ["True", "1", "sim", ""])
def test_a_switch_is_true_or_false_and_nothing_else(monkeypatch: pytest.MonkeyPatch, valor: str) -> None:
    monkeypatch.setenv("X", valor)
    with pytest.raises(SettingError):
        flag("X")


def test_an_absent_switch_is_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("X", raising=False)
    assert flag("X") is False
