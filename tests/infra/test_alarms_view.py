"""``cesta alarmes``: what it says of alarms that are not as the program declares them."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest
from pulumi import RunError

from infra import dry_run
from infra.names import Names
from infra.ops import alarms_view
from infra.ops.alarms_view import look_at_alarms, render_alarms, unheard
from infra.ops.errors import StackFileError

if TYPE_CHECKING:
    from collections.abc import Mapping

pytestmark = pytest.mark.infra

NOW = datetime(2026, 8, 7, 3, 4, 5, tzinfo=UTC)
DECLARED = ("compensacao-pendente", "caso-novo", "clientes-afetados")


class Pages:
    """A paginator that has one page."""

    def __init__(self, page: Mapping[str, Any]) -> None:
        self._page = page

    def paginate(self, **_: object) -> list[Mapping[str, Any]]:
        return [self._page]


def target(alarms: list[dict[str, Any]], subscriptions: tuple[str, ...] = ()) -> Any:
    metric = [alarm for alarm in alarms if "AlarmRule" not in alarm]
    composite = [alarm for alarm in alarms if "AlarmRule" in alarm]
    cloudwatch = SimpleNamespace(
        get_paginator=lambda _: Pages({"MetricAlarms": metric, "CompositeAlarms": composite})  # pyright: ignore[reportUnknownLambdaType]
    )
    page = {"Subscriptions": [{"SubscriptionArn": arn} for arn in subscriptions]}
    sns = SimpleNamespace(get_paginator=lambda _: Pages(page))  # pyright: ignore[reportUnknownLambdaType]
    return SimpleNamespace(
        stack="prod",
        names=Names("prod"),
        cloudwatch=cloudwatch,
        clients=SimpleNamespace(client=lambda _: sns),  # pyright: ignore[reportUnknownLambdaType]
        maquinas={"pedido": "arn:aws:states:us-east-1:123456789012:stateMachine:cesta-saga-pedido"},
    )


def alarm(suffix: str, state: str = "OK", **extra: object) -> dict[str, Any]:
    return {
        "AlarmName": f"cesta-saga-{suffix}",
        "StateValue": state,
        "StateUpdatedTimestamp": NOW,
        "AlarmActions": ["arn:aws:sns:us-east-1:123456789012:cesta-saga-alertas"],
        **extra,
    }


@pytest.fixture(autouse=True)
def declared(monkeypatch: pytest.MonkeyPatch) -> None:
    class Run:
        def of(self, kind: str) -> list[Any]:
            composite = "composite" in kind
            suffixes = [suffix for suffix in DECLARED if (suffix == "clientes-afetados") is composite]
            return [
                SimpleNamespace(inputs={"name": f"cesta-saga-{suffix}", "alarmActions": ["t"]}) for suffix in suffixes
            ]

    alarms_view._declared.cache_clear()  # pyright: ignore[reportPrivateUsage]

    def run(*_: object) -> Run:
        return Run()

    monkeypatch.setattr(dry_run, "run_program", run)


def test_what_rings_comes_first_with_its_section_of_the_runbook(capsys: pytest.CaptureFixture[str]) -> None:
    view = look_at_alarms(
        target([alarm("compensacao-pendente"), alarm("caso-novo", "ALARM"), alarm("clientes-afetados", AlarmRule="x")])
    )
    first = view["alarmes"][0]
    assert (first["alarme"], first["estado"], first["oQueFazer"]) == ("caso-novo", "ALARM", "docs/runbook.md#caso-novo")
    assert [each["problema"] for each in view["alarmes"]] == ["", "", ""]
    render_alarms(view)
    told = capsys.readouterr().out.splitlines()
    assert told[0].split()[:2] == ["caso-novo", "ALARM"]
    assert "docs/runbook.md#caso-novo" in told[0]


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        (None, "o programa o declara e ele não existe na conta"),
        (alarm("caso-novo", ActionsEnabled=False), "calado: as ações estão desligadas"),
        (alarm("caso-novo", AlarmActions=[]), "mudo: não avisa o tópico de alertas"),
        (alarm("caso-novo", AlarmActions=["arn:aws:sns:x:1:outro"]), "mudo: não avisa o tópico de alertas"),
    ],
)
def test_an_alarm_nobody_would_hear_is_told_apart(wrong: dict[str, Any] | None, problem: str) -> None:
    others = [alarm("compensacao-pendente"), alarm("clientes-afetados", AlarmRule="x")]
    view = look_at_alarms(target([*others, *([wrong] if wrong else [])], ("arn:aws:sns:x",)))
    assert {each["alarme"]: each["problema"] for each in view["alarmes"]} == {
        "caso-novo": problem,
        "compensacao-pendente": "",
        "clientes-afetados": "",
    }
    assert unheard(view, on_aws=True)
    assert unheard(view, on_aws=False)


@pytest.mark.parametrize(("subscriptions", "heard"), [((), 0), (("PendingConfirmation",), 0), (("arn:aws:sns:x",), 1)])
def test_a_topic_nobody_confirmed_is_heard_by_nobody(subscriptions: tuple[str, ...], heard: int) -> None:
    well = [alarm("compensacao-pendente"), alarm("caso-novo"), alarm("clientes-afetados", AlarmRule="x")]
    view = look_at_alarms(target(well, subscriptions))
    assert view["inscritos"] == heard
    assert unheard(view, on_aws=True) is (heard == 0)
    assert unheard(view, on_aws=False) is False


def test_a_stack_without_a_file_is_an_error_that_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(_: str) -> dict[str, str]:
        raise FileNotFoundError

    monkeypatch.setattr(dry_run, "stack_file", missing)
    with pytest.raises(StackFileError, match=r"Pulumi\.prod\.yaml"):
        look_at_alarms(target([]))


def test_a_file_the_program_refuses_is_one_line_that_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(*_: object) -> None:
        raise RunError("cesta:limiteFilaSegundos recusado")

    monkeypatch.setattr(dry_run, "run_program", refused)
    with pytest.raises(StackFileError, match=r"^Pulumi\.prod\.yaml: cesta:limiteFilaSegundos recusado$"):
        look_at_alarms(target([]))
