"""Where everything of the embedded stack is, in the shape of ``cesta local --json`` (design §10)."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from infra.config import LOCAL
from infra.local.creators.apigateway import REST_API_ID
from infra.local.seed import SKUS
from infra.names import ESTAGIO, Names

if TYPE_CHECKING:
    from infra.local.emulator import AwsLocal

__all__ = ["Credentials", "Endpoints", "api_url", "endpoints"]


class Credentials(TypedDict):
    """What the emulator is called with."""

    id: str
    segredo: str


class Endpoints(TypedDict):
    """The JSON of ``cesta local --json`` (design §10)."""

    api: str
    aws: str
    gateway: str
    regiao: str
    conta: str
    credenciais: Credentials
    tabelas: dict[str, str]
    filas: dict[str, str]
    topico: str
    maquinas: dict[str, str]
    skus: dict[str, int]


def api_url(aws: AwsLocal) -> str:
    """The API's URL, known before the API exists: its id is pinned. POST goes to ``{api_url}/pedidos``."""
    return f"{aws.endpoint}/restapis/{REST_API_ID}/{ESTAGIO}/_user_request_"


def endpoints(aws: AwsLocal, gateway_url: str) -> Endpoints:
    """Everything a client of the embedded stack needs.

    Args:
        aws: the emulator, with the program deployed.
        gateway_url: the payment gateway simulator, without trailing slash.
    """
    names = Names(LOCAL)

    def queue_url(name: str) -> str:
        return aws.client("sqs").get_queue_url(QueueName=name)["QueueUrl"]

    def arn(service: str, resource: str) -> str:
        return f"arn:aws:{service}:{aws.region}:{aws.account_id}:{resource}"

    return {
        "api": api_url(aws),
        "aws": aws.endpoint,
        "gateway": gateway_url,
        "regiao": aws.region,
        "conta": aws.account_id,
        "credenciais": {"id": aws.access_key, "segredo": aws.secret_key},
        "tabelas": {"pedidos": names.tabela_pedidos, "estoque": names.tabela_estoque},
        "filas": {
            "criados": queue_url(names.fila_criados),
            "criadosDlq": queue_url(names.fila_criados_dlq),
            "humana": queue_url(names.fila_humana),
        },
        "topico": arn("sns", names.topico),
        "maquinas": {
            "pedido": arn("states", f"stateMachine:{names.maquina_pedido}"),
            "retomada": arn("states", f"stateMachine:{names.maquina_retomada}"),
        },
        "skus": dict(SKUS),
    }
