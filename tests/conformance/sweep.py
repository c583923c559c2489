"""``python -m tests.conformance.sweep``: what killed runs left in an account; ``--limpar`` removes it."""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import click

from tests.conformance.lab import PREFIX
from tests.conformance.targets import on_account

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tests.conformance.lab import Lab

__all__ = ["Left", "left", "main", "remove"]


@dataclass(frozen=True)
class _Kind:
    """Resources of one kind.

    Attributes:
        word: what a person calls them.
        service: whose they are.
        listing: the operation that lists them, page by page.
        key: where a page has them.
        name: of one of them.
        remove: one, by the service's client.
        options: of the listing.
    """

    word: str
    service: str
    listing: str
    key: str
    name: Callable[[Any], str]
    remove: Callable[[Any, Any], object]
    options: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True)
class Left:
    """A resource of a run that is over."""

    kind: _Kind
    name: str
    found: Any

    def __str__(self) -> str:
        return f"{self.kind.word} {self.name}"


def _remove_rule(events: Any, rule: Any) -> None:
    targets = events.list_targets_by_rule(Rule=rule["Name"])["Targets"]
    if targets:
        events.remove_targets(Rule=rule["Name"], Ids=[target["Id"] for target in targets])
    events.delete_rule(Name=rule["Name"])


def _remove_table(dynamodb: Any, name: Any) -> None:
    if dynamodb.describe_table(TableName=name)["Table"].get("DeletionProtectionEnabled"):
        dynamodb.update_table(TableName=name, DeletionProtectionEnabled=False)
    dynamodb.get_waiter("table_exists").wait(TableName=name)
    dynamodb.delete_table(TableName=name)


def _remove_role(iam: Any, role: Any) -> None:
    name = role["RoleName"]
    for policy in iam.list_role_policies(RoleName=name)["PolicyNames"]:
        iam.delete_role_policy(RoleName=name, PolicyName=policy)
    iam.delete_role(RoleName=name)


def _alarm(kind: str) -> _Kind:
    # Metric alarms alone are listed where no type is asked for (CloudWatch API reference, DescribeAlarms).
    return _Kind(
        "alarme",
        "cloudwatch",
        "describe_alarms",
        f"{kind}s",
        lambda one: one["AlarmName"],
        lambda watch, one: watch.delete_alarms(AlarmNames=[one["AlarmName"]]),
        {"AlarmTypes": [kind]},
    )


# What uses something comes before it.
_KINDS: Final = (
    _Kind(
        "mapeamento",
        "lambda",
        "list_event_source_mappings",
        "EventSourceMappings",
        lambda one: one.get("FunctionArn", "").rsplit(":", 1)[-1],
        lambda lambdas, one: lambdas.delete_event_source_mapping(UUID=one["UUID"]),
    ),
    _Kind(
        "função",
        "lambda",
        "list_functions",
        "Functions",
        lambda one: one["FunctionName"],
        lambda lambdas, one: lambdas.delete_function(FunctionName=one["FunctionName"]),
    ),
    _Kind(
        "máquina",
        "stepfunctions",
        "list_state_machines",
        "stateMachines",
        lambda one: one["name"],
        lambda sfn, one: sfn.delete_state_machine(stateMachineArn=one["stateMachineArn"]),
    ),
    _Kind("regra", "events", "list_rules", "Rules", lambda one: one["Name"], _remove_rule),
    _alarm("CompositeAlarm"),
    _alarm("MetricAlarm"),
    _Kind(
        "painel",
        "cloudwatch",
        "list_dashboards",
        "DashboardEntries",
        lambda one: one["DashboardName"],
        lambda watch, one: watch.delete_dashboards(DashboardNames=[one["DashboardName"]]),
    ),
    _Kind(
        "tópico",
        "sns",
        "list_topics",
        "Topics",
        lambda one: one["TopicArn"].rsplit(":", 1)[-1],
        lambda sns, one: sns.delete_topic(TopicArn=one["TopicArn"]),
    ),
    _Kind(
        "fila",
        "sqs",
        "list_queues",
        "QueueUrls",
        lambda one: one.rsplit("/", 1)[-1],
        lambda sqs, one: sqs.delete_queue(QueueUrl=one),
    ),
    _Kind("tabela", "dynamodb", "list_tables", "TableNames", lambda one: one, _remove_table),
    _Kind(
        "log",
        "logs",
        "describe_log_groups",
        "logGroups",
        lambda one: one["logGroupName"],
        lambda logs, one: logs.delete_log_group(logGroupName=one["logGroupName"]),
    ),
    _Kind(
        "parâmetro",
        "ssm",
        "describe_parameters",
        "Parameters",
        lambda one: one["Name"],
        lambda ssm, one: ssm.delete_parameter(Name=one["Name"]),
    ),
    _Kind(
        "API",
        "apigateway",
        "get_rest_apis",
        "items",
        lambda one: one["name"],
        lambda gateway, one: gateway.delete_rest_api(restApiId=one["id"]),
    ),
    _Kind("papel", "iam", "list_roles", "Roles", lambda one: one["RoleName"], _remove_role),
)


def left(lab: Lab, prefix: str = PREFIX) -> list[Left]:
    """What has a name that begins so, in the order in which it can be removed."""
    return [one for kind in _KINDS for one in _of(lab, kind, prefix)]


def _of(lab: Lab, kind: _Kind, prefix: str) -> Iterator[Left]:
    for page in lab.client(kind.service).get_paginator(kind.listing).paginate(**kind.options):
        for found in page.get(kind.key, []):
            name = kind.name(found)
            # A parameter's name is a path.
            if name.removeprefix("/").startswith(prefix):
                yield Left(kind, name, found)


def remove(lab: Lab, one: Left) -> None:
    """Remove it; raises what the service does."""
    lab.unthrottled(lambda: one.kind.remove(lab.client(one.kind.service), one.found))


@click.command(help="O que execuções interrompidas à força deixaram na conta. Sai com 1 se sobrou algo.")
@click.option("--prefixo", default=PREFIX, show_default=True, help="de uma execução só, ou de todas")
@click.option("--limpar", is_flag=True, help="remover, e não só mostrar")
def main(prefixo: str, *, limpar: bool) -> None:
    """Show what is left, and remove it where told to."""
    if not prefixo.startswith(PREFIX):
        raise click.BadParameter(f"tem de começar por {PREFIX}", param_hint="--prefixo")
    with on_account() as lab:
        found = left(lab, prefixo)
        for one in found:
            if limpar:
                remove(lab, one)
            click.echo(f"{'removido' if limpar else 'sobrou'}: {one}")
    if not found:
        click.echo("nada sobrou")
    sys.exit(1 if found and not limpar else 0)


if __name__ == "__main__":
    main()
