"""Every alarm a stack should have: whether it rings, whether anybody would hear it, and where to read what to do.

What should be there comes from the program itself, run dry on the stack's settings; an alarm that was deleted or
silenced by hand is told apart from one that is well.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypedDict

import click

from infra.observability.alarms import RUNBOOK
from infra.ops.errors import StackFileError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mypy_boto3_sns import SNSClient

    from infra.ops.target import Target

__all__ = ["AlarmView", "AlarmsView", "look_at_alarms", "render_alarms", "unheard"]

_KINDS: Final = ("cloudwatch/metricAlarm:MetricAlarm", "cloudwatch/compositeAlarm:CompositeAlarm")
_ABSENT: Final = "INEXISTENTE"
_RINGING: Final = "ALARM"
_QUIET: Final = {"OK": "ok", "INSUFFICIENT_DATA": "sem dados"}
"""The other states in words: ALARM and nothing else in capitals is seen at once, without colour."""


class AlarmView(TypedDict):
    """One alarm. ``problema`` says why nobody would hear it, or is empty; ``oQueFazer`` is its runbook section."""

    alarme: str
    estado: str
    desde: str
    motivo: str
    problema: str
    oQueFazer: str


class AlarmsView(TypedDict):
    """The shape of ``cesta alarmes --json``. ``inscritos`` counts who confirmed that they want to hear."""

    stack: str
    inscritos: int
    alarmes: list[AlarmView]


@dataclass(frozen=True)
class _Declared:
    """An alarm as the program declares it."""

    name: str
    speaks: bool


def look_at_alarms(target: Target) -> AlarmsView:
    """Every declared alarm, those that ring first.

    Raises:
        StackFileError: there is no ``Pulumi.<stack>.yaml`` to run the program on, or the program refuses it.
    """
    prefix = target.names.alarme("")
    region, account = target.maquinas["pedido"].split(":")[3:5]
    topic = f"arn:aws:sns:{region}:{account}:{target.names.topico}"
    deployed = _deployed(target, prefix)
    views = [_view(alarm, deployed.get(alarm.name), prefix, topic) for alarm in _declared(target.stack)]
    order = {_RINGING: 0, _ABSENT: 1}
    views.sort(key=lambda view: (order.get(view["estado"], 2), not view["problema"], view["alarme"]))
    return {"stack": target.stack, "inscritos": _subscribers(target, topic), "alarmes": views}


def unheard(view: AlarmsView, *, on_aws: bool) -> bool:
    """Whether something of the stack could go wrong without anybody hearing of it.

    On the embedded stack nobody subscribes, and that is no fault.
    """
    return any(alarm["problema"] for alarm in view["alarmes"]) or (on_aws and view["inscritos"] == 0)


@cache
def _declared(stack: str) -> tuple[_Declared, ...]:
    """In any order; a run of the program takes seconds."""
    # Imported on use: Pulumi's SDK takes the better part of a second, and AWS is asked first and may refuse.
    from pulumi import RunError

    from infra.dry_run import run_program, stack_file

    try:
        run = run_program(stack, stack_file(stack))
    except FileNotFoundError as error:
        raise StackFileError(stack) from error
    except RunError as error:
        raise StackFileError(stack, str(error)) from error
    alarms = [alarm.inputs for kind in _KINDS for alarm in run.of(kind)]
    # A composite's own name for its name.
    return tuple(
        _Declared(inputs.get("name") or inputs["alarmName"], speaks=bool(inputs.get("alarmActions")))
        for inputs in alarms
    )


def _deployed(target: Target, prefix: str) -> dict[str, Mapping[str, Any]]:
    pages = target.cloudwatch.get_paginator("describe_alarms").paginate(
        AlarmNamePrefix=prefix, AlarmTypes=["MetricAlarm", "CompositeAlarm"]
    )
    found: dict[str, Mapping[str, Any]] = {}
    for page in pages:
        for alarm in [*page.get("MetricAlarms", []), *page.get("CompositeAlarms", [])]:
            found[alarm.get("AlarmName", "")] = alarm
    return found


def _view(declared: _Declared, deployed: Mapping[str, Any] | None, prefix: str, topic: str) -> AlarmView:
    suffix = declared.name.removeprefix(prefix)
    since = deployed.get("StateUpdatedTimestamp") if deployed is not None else None
    return {
        "alarme": suffix,
        "estado": deployed.get("StateValue", "") if deployed is not None else _ABSENT,
        "desde": since.isoformat(timespec="seconds") if since is not None else "",
        "motivo": deployed.get("StateReason", "") if deployed is not None else "",
        "problema": _problem(declared, deployed, topic),
        "oQueFazer": f"{RUNBOOK}#{suffix}",
    }


def _problem(declared: _Declared, deployed: Mapping[str, Any] | None, topic: str) -> str:
    if deployed is None:
        return "o programa o declara e ele não existe na conta"
    if not declared.speaks:
        return ""
    if not deployed.get("ActionsEnabled", True):
        return "calado: as ações estão desligadas"
    return "" if topic in deployed.get("AlarmActions", []) else "mudo: não avisa o tópico de alertas"


def _subscribers(target: Target, topic: str) -> int:
    sns: SNSClient = target.clients.client("sns")
    pages = sns.get_paginator("list_subscriptions_by_topic").paginate(TopicArn=topic)
    # One nobody confirmed yet is "PendingConfirmation" in the place of its ARN (SNS, "Subscription confirmation").
    subscriptions = [one for page in pages for one in page["Subscriptions"]]
    return sum(one.get("SubscriptionArn", "").startswith("arn:") for one in subscriptions)


def render_alarms(view: AlarmsView) -> None:
    """Print the view for a person at a terminal: what rings, or cannot, before all that is well."""
    longest = max(len(alarm["alarme"]) for alarm in view["alarmes"])
    for alarm in view["alarmes"]:
        state = _QUIET.get(alarm["estado"], alarm["estado"])
        told = alarm["problema"] or (f"desde {alarm['desde']}: {alarm['oQueFazer']}" if state == _RINGING else "")
        click.echo(f"{alarm['alarme']:<{longest}}  {state:<11}  {told}".rstrip())
    click.echo(f"Inscritos no tópico de alertas: {view['inscritos']}")
