"""How a run of the program begins and ends."""

from __future__ import annotations

import runpy
from typing import TYPE_CHECKING

import pulumi
import pytest
import yaml

from infra import packaging
from infra.names import Names
from tests.infra.harness import FUNCTIONS, GATEWAY, ROOT, run_program, stack_file

if TYPE_CHECKING:
    from pathlib import Path

    from tests.infra.harness import Run

pytestmark = pytest.mark.infra


def test_log_retention_is_the_stacks(dev: Run, prod: Run) -> None:
    for run, days in ((dev, 7), (prod, 30)):
        groups = run.of("cloudwatch/logGroup:LogGroup")
        assert {group.inputs["retentionInDays"] for group in groups} == {days}


@pytest.mark.parametrize(
    ("stack_name", "settings", "message"),
    [
        ("dev", {}, "falta cesta:gatewayUrl"),
        ("dev", GATEWAY | {"cesta:gatewayURL": "x"}, "cesta:gatewayURL não existe (talvez cesta:gatewayUrl)"),
        ("dev", GATEWAY | {"cesta:lambdaSegundos": "vinte"}, "cesta:lambdaSegundos = 'vinte' recusado"),
        ("prod", GATEWAY | {"cesta:authorizer": "none"}, "cesta:authorizer = none não é permitido na stack prod"),
        ("prod", GATEWAY | {"cesta:injecaoDeFalhas": "true"}, "cesta:injecaoDeFalhas = true não é permitido"),
        ("dev", GATEWAY | {"cesta:estadoSegundos": "15"}, "cesta:lambdaSegundos e cesta:estadoSegundos não combinam"),
        ("Dev_1", GATEWAY, "nome de stack 'Dev_1' recusado"),
    ],
)
def test_a_wrong_setting_stops_the_preview_with_one_line(
    stack_name: str, settings: dict[str, str], message: str
) -> None:
    # pulumi.RunError is what the CLI prints as it is; any other exception would be a stack trace.
    with pytest.raises(pulumi.RunError) as refused:
        run_program(stack_name, settings, first_preview=True)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_zip_that_cannot_be_built_stops_the_preview_with_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_network(package: packaging.Package) -> Path:
        raise packaging.VendoringError(package.name, "sem rede")

    monkeypatch.setattr(packaging, "build", no_network)
    with pytest.raises(pulumi.RunError, match=r"handlers\.zip: .* \(sem rede\)") as refused:
        run_program("dev", GATEWAY, real_zips=True)
    assert "\n" not in str(refused.value)


def test_settings_of_other_namespaces_are_not_ours_to_refuse() -> None:
    run_program("dev", GATEWAY | {"aws:region": "us-east-1", "aws:profile": "cesta"})


@pytest.mark.parametrize("stack_name", ["dev", "prod", "local"])
def test_a_first_preview_needs_nothing_that_does_not_exist_yet(stack_name: str) -> None:
    run = run_program(stack_name, stack_file(stack_name), first_preview=True)
    assert run.names_of("sfn/stateMachine:StateMachine") == {
        Names(stack_name).maquina_pedido,
        Names(stack_name).maquina_retomada,
    }


def test_the_placeholder_gateway_is_warned_about(prod: Run, local: Run) -> None:
    assert any("gatewayUrl" in warning for warning in prod.warnings)
    assert local.warnings == []


def test_pulumis_executor_can_run_the_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """As ``pulumi-language-python-exec`` does: in the file's folder, by path, as ``__main__``; real zips too."""
    monkeypatch.chdir(ROOT / "infra")

    def execute() -> None:
        runpy.run_path("__main__.py", run_name="__main__")

    run = run_program("dev", stack_file("dev"), what=execute, real_zips=True)
    assert len(run.of("lambda/function:Function")) == len(FUNCTIONS)
    for name in ("handlers", "api"):
        assert (ROOT / ".cesta" / "build" / f"{name}.zip").stat().st_size < 1_000_000


def test_the_project_file_points_at_the_program() -> None:
    project = yaml.safe_load((ROOT / "Pulumi.yaml").read_text())
    assert project["name"] == "cesta"
    assert (ROOT / project["main"]).name == "__main__.py"
