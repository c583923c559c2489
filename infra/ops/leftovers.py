"""What a stack leaves behind when it is destroyed, by exact name: nothing of another stack is ever listed.

``pulumi destroy`` takes what the program made, but for what `prod` protects and retains; and AWS makes a log group by
itself when something writes to one that was just deleted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict, TypeVar

from botocore.exceptions import ClientError

from handlers.domain.status import Etapa

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_logs import CloudWatchLogsClient
    from mypy_boto3_sqs import SQSClient

    from infra.names import Names
    from infra.ops.target import Clients

__all__ = ["Leftover", "leftovers"]


T = TypeVar("T")


class Leftover(TypedDict):
    """One thing that is still there, and the command that would delete it."""

    tipo: str
    nome: str
    detalhe: str
    apagar: str


def leftovers(clients: Clients, names: Names) -> list[Leftover]:
    """Log groups, tables and queues of the stack that exist now."""
    return [*_log_groups(clients, names), *_tables(clients, names), *_queues(clients, names)]


def _log_groups(clients: Clients, names: Names) -> Iterator[Leftover]:
    functions = [names.funcao_api, names.funcao_iniciador, names.funcao_conciliador]
    functions += [names.funcao_da_etapa(etapa) for etapa in Etapa]
    wanted = [names.logs_da_funcao(function) for function in functions]
    wanted += [names.logs_da_maquina(machine) for machine in (names.maquina_pedido, names.maquina_retomada)]
    wanted += [names.logs_de_acesso(names.api)]
    logs: CloudWatchLogsClient = clients.client("logs")
    for name in wanted:
        for group in logs.describe_log_groups(logGroupNamePrefix=name)["logGroups"]:
            if group.get("logGroupName") != name:
                continue
            days = group.get("retentionInDays")
            yield {
                "tipo": "grupo de logs",
                "nome": name,
                "detalhe": f"expira em {days} dias" if days else "não expira",
                "apagar": f"aws logs delete-log-group --log-group-name {name}",
            }


def _tables(clients: Clients, names: Names) -> Iterator[Leftover]:
    dynamodb: DynamoDBClient = clients.client("dynamodb")
    for name in (names.tabela_pedidos, names.tabela_estoque):
        found = _existing(lambda name=name: dynamodb.describe_table(TableName=name), "ResourceNotFoundException")
        if found is None:
            continue
        protected = found["Table"].get("DeletionProtectionEnabled", False)
        yield {
            "tipo": "tabela",
            "nome": name,
            "detalhe": "protegida contra exclusão" if protected else "sem proteção",
            "apagar": f"aws dynamodb delete-table --table-name {name}",
        }


def _queues(clients: Clients, names: Names) -> Iterator[Leftover]:
    sqs: SQSClient = clients.client("sqs")
    for name in (names.fila_humana, names.fila_criados, names.fila_criados_dlq):
        found = _existing(
            lambda name=name: sqs.get_queue_url(QueueName=name),
            "AWS.SimpleQueueService.NonExistentQueue",
            "QueueDoesNotExist",
        )
        if found is None:
            continue
        url = found["QueueUrl"]
        attribute = "ApproximateNumberOfMessages"
        count = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=[attribute])["Attributes"][attribute]
        yield {
            "tipo": "fila",
            "nome": name,
            "detalhe": f"{count} mensagem(ns)",
            "apagar": f"aws sqs delete-queue --queue-url {url}",
        }


def _existing(ask: Callable[[], T], *absent: str) -> T | None:
    try:
        return ask()
    except ClientError as error:
        if error.response.get("Error", {}).get("Code") in absent:
            return None
        raise
