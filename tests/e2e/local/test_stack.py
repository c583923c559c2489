"""The embedded stack as a whole: the real program deployed, its endpoints, and what the operator hears of a failure."""

from __future__ import annotations

import json
import os
import signal
from datetime import datetime
from typing import TYPE_CHECKING

import psutil
import pytest
import urllib3

from infra.config_errors import SettingsError
from infra.local.errors import PortInUseError, ProcessDiedError
from infra.local.guardian import session_members
from infra.local.processes import choose_port, poll_until
from infra.local.stack import EmbeddedStack, Phase

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.e2e

WAIT_SCALE = 0.04


@pytest.fixture(scope="module")
def progress() -> list[Phase]:
    return []


@pytest.fixture(scope="module")
def stack(progress: list[Phase]) -> Iterator[EmbeddedStack]:
    with EmbeddedStack.start(escala_espera=WAIT_SCALE, on_progress=progress.append) as running:
        yield running


def guarded(stack: EmbeddedStack, module: str) -> psutil.Process:
    """The stack's process that runs a module."""
    return next(
        process
        for child in psutil.Process().children()
        for process in session_members(child.pid)
        if module in process.cmdline() and str(stack.run_dir) == process.environ().get("TMPDIR")
    )


def test_the_endpoints_are_json_of_the_promised_shape(stack: EmbeddedStack) -> None:
    endpoints = json.loads(json.dumps(stack.endpoints()))
    assert endpoints.keys() == {
        *("api", "aws", "gateway", "regiao", "conta", "credenciais", "tabelas", "filas", "topico", "maquinas", "skus"),
    }
    assert endpoints["credenciais"].keys() == {"id", "segredo"}
    assert endpoints["tabelas"] == {"pedidos": "cesta-local-pedidos", "estoque": "cesta-local-estoque"}
    assert endpoints["skus"] == {"sku-abc": 1000, "sku-cafe-500g": 500, "sku-ultimo": 1, "sku-zerado": 0}
    assert not any(str(endpoints[key]).endswith("/") for key in ("api", "aws", "gateway"))


def test_the_endpoints_are_what_the_program_exports(stack: EmbeddedStack) -> None:
    endpoints = stack.endpoints()
    assert {
        "apiUrl": endpoints["api"],
        "tabelaPedidos": endpoints["tabelas"]["pedidos"],
        "tabelaEstoque": endpoints["tabelas"]["estoque"],
        "filaCriadosUrl": endpoints["filas"]["criados"],
        "filaCriadosDlqUrl": endpoints["filas"]["criadosDlq"],
        "filaHumanaUrl": endpoints["filas"]["humana"],
        "topicoArn": endpoints["topico"],
        "maquinaPedidoArn": endpoints["maquinas"]["pedido"],
        "maquinaRetomadaArn": endpoints["maquinas"]["retomada"],
    }.items() <= dict(stack.outputs).items()


def test_api_and_gateway_answer(stack: EmbeddedStack) -> None:
    assert urllib3.request("GET", f"{stack.gateway_url}/_simulador/saude").status == 200
    unknown = urllib3.request("GET", f"{stack.endpoints()['api']}/pedidos/nenhum")
    assert (unknown.status, unknown.headers["content-type"]) == (404, "application/problem+json")


def test_the_functions_know_gateway_and_api_and_scale_the_doubt_window(stack: EmbeddedStack) -> None:
    client = stack.aws.client("lambda")

    def variables(function: str) -> dict[str, str]:
        return client.get_function_configuration(FunctionName=function)["Environment"].get("Variables", {})

    refund = variables("cesta-local-estornar-pagamento")
    assert refund["GATEWAY_URL"] == stack.gateway_url
    assert float(refund["JANELA_DUVIDA_SEGUNDOS"]) == pytest.approx(900 * WAIT_SCALE)
    assert variables("cesta-local-api")["API_URL_BASE"] == stack.endpoints()["api"]


def test_the_emulator_scales_waits(stack: EmbeddedStack) -> None:
    client = stack.aws.client("stepfunctions")
    definition = {"StartAt": "Wait", "States": {"Wait": {"Type": "Wait", "Seconds": 20, "End": True}}}
    machine = client.create_state_machine(
        name="waiter", definition=json.dumps(definition), roleArn=f"arn:aws:iam::{stack.aws.account_id}:role/any"
    )["stateMachineArn"]
    execution = client.start_execution(stateMachineArn=machine)["executionArn"]
    poll_until(
        lambda: True if client.describe_execution(executionArn=execution)["status"] == "SUCCEEDED" else None,
        awaited="the execution's success",
        seconds=15,
    )
    described = client.describe_execution(executionArn=execution)
    took = described.get("stopDate", datetime.max) - described["startDate"]
    assert took.total_seconds() < 5


def test_every_phase_and_resource_was_told(stack: EmbeddedStack, progress: list[Phase]) -> None:
    finished = [phase.name for phase in progress if phase.seconds is not None]
    assert finished == list(stack.phases)
    assert sum(1 for phase in progress if phase.detail) == len(stack.deployment.resources)


def test_a_gateway_that_dies_is_what_the_operator_hears_of() -> None:
    with (
        pytest.raises(ProcessDiedError) as caught,
        EmbeddedStack.start(escala_espera=WAIT_SCALE) as stack,
    ):
        os.kill(guarded(stack, "infra.local.simulator").pid, signal.SIGKILL)
        urllib3.request("GET", f"{stack.gateway_url}/_simulador/saude", retries=False)
        raise AssertionError("the gateway answered")
    assert (caught.value.process, caught.value.exit_code) == ("gateway", -signal.SIGKILL)


def test_the_ports_asked_for_are_used_and_a_taken_one_is_refused(stack: EmbeddedStack) -> None:
    taken = int(stack.gateway_url.rsplit(":", 1)[1])
    with pytest.raises(PortInUseError, match="--porta-aws"), EmbeddedStack.start(porta_aws=taken):
        pass
    free = choose_port(None, option="--porta-aws")
    with (
        pytest.raises(PortInUseError, match="--porta-gateway"),
        EmbeddedStack.start(porta_aws=free, porta_gateway=free),
    ):
        pass


def test_a_wait_scale_out_of_range_is_refused_with_a_clear_line() -> None:
    with pytest.raises(SettingsError, match="escalaEspera"), EmbeddedStack.start(escala_espera=0):
        pass
