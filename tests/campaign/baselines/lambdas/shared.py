"""What both baselines do alike: the stock, the gateway, the entry, and the failures an order brings with it."""

from __future__ import annotations

import json
import os
from functools import cache
from typing import Any

import boto3
import urllib3
from botocore.exceptions import ClientError

Evento = dict[str, Any]


class EstoqueInsuficienteError(Exception):
    """Not enough units."""


class CartaoRecusadoError(Exception):
    """The card was refused."""


class GatewayIndisponivelError(Exception):
    """Network, timeout, 5xx: what the documents' functions take for "nothing was done"."""


class FalhaInjetadaError(Exception):
    """A failure the order brought with it."""


@cache
def client(service: str) -> Any:
    """boto3's client with its own defaults: the documents change none."""
    return boto3.client(service)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType, reportCallIssue, reportArgumentType]


_pool = urllib3.PoolManager(
    timeout=urllib3.Timeout(connect=1.0, read=float(os.environ.get("LEITURA_SEGUNDOS", "1"))), retries=False
)


# --- What an order brings with it ------------------------------------------------------------------------------------


def antes(pedido: Evento, etapa: str, tentativa: int) -> None:
    """Fail before the effect, if the order asks for that in this attempt."""
    if _planejada(pedido, etapa, tentativa) == "antes":
        raise FalhaInjetadaError(etapa)


def depois(pedido: Evento, etapa: str, tentativa: int) -> None:
    """Fail after the effect, or die there."""
    momento = _planejada(pedido, etapa, tentativa)
    if momento == "morrer":
        os._exit(1)
    if momento == "depois":
        raise FalhaInjetadaError(etapa)


def _planejada(pedido: Evento, etapa: str, tentativa: int) -> str:
    momento, _, vezes = pedido.get("falhas", {}).get(etapa, "").partition(":")
    return "" if vezes and tentativa >= int(vezes) else momento


# --- Stock (000, ReservarEstoqueFunction and LiberarEstoqueFunction) -------------------------------------------------


def reservar(pedido: Evento) -> None:
    """One conditional update; a failed condition is looked into."""
    try:
        client("dynamodb").update_item(
            TableName=os.environ["TABELA_ESTOQUE"],
            Key={"sku": {"S": pedido["sku"]}},
            UpdateExpression="SET saldo = saldo - :qtd, reservas.#pedido = :qtd",
            ConditionExpression="saldo >= :qtd AND attribute_not_exists(reservas.#pedido)",
            ExpressionAttributeNames={"#pedido": pedido["pedidoId"]},
            ExpressionAttributeValues={":qtd": {"N": str(pedido["quantidade"])}},
        )
    except ClientError as error:
        if not _condicao_falhou(error):
            raise
        if not _ja_reservado(pedido):
            raise EstoqueInsuficienteError(f"sem saldo para {pedido['sku']}") from None


def _ja_reservado(pedido: Evento) -> bool:
    item = client("dynamodb").get_item(TableName=os.environ["TABELA_ESTOQUE"], Key={"sku": {"S": pedido["sku"]}})
    return pedido["pedidoId"] in item.get("Item", {}).get("reservas", {}).get("M", {})


def liberar(pedido: Evento) -> None:
    """Only while the reservation is there: a second call is a silent success."""
    try:
        client("dynamodb").update_item(
            TableName=os.environ["TABELA_ESTOQUE"],
            Key={"sku": {"S": pedido["sku"]}},
            UpdateExpression="SET saldo = saldo + :qtd REMOVE reservas.#pedido",
            ConditionExpression="attribute_exists(reservas.#pedido)",
            ExpressionAttributeNames={"#pedido": pedido["pedidoId"]},
            ExpressionAttributeValues={":qtd": {"N": str(pedido["quantidade"])}},
        )
    except ClientError as error:
        if not _condicao_falhou(error):
            raise


def _condicao_falhou(error: ClientError) -> bool:
    return error.response.get("Error", {}).get("Code") == "ConditionalCheckFailedException"


# --- Orders ----------------------------------------------------------------------------------------------------------


def salvar(pedido: Evento, status: str) -> None:
    """The order and its status, as one item."""
    item = {
        "pedidoId": {"S": pedido["pedidoId"]},
        "sku": {"S": pedido["sku"]},
        "quantidade": {"N": str(pedido["quantidade"])},
        "valorCentavos": {"N": str(pedido["valorCentavos"])},
        "status": {"S": status},
    }
    client("dynamodb").put_item(TableName=os.environ["TABELA_PEDIDOS"], Item=item)


# --- Gateway (000, CobrarPagamentoFunction) --------------------------------------------------------------------------


def cobrar(pedido: Evento) -> str:
    """Charge under a key derived from the order's id; the transaction's id."""
    corpo = {
        "pedidoId": pedido["pedidoId"],
        "cartaoToken": pedido["cartaoToken"],
        "valorCentavos": pedido["valorCentavos"],
    }
    status, resposta = _chamar("/cobrancas", f"cesta-cobranca-{pedido['pedidoId']}", "CREDENCIAL_COBRANCA", corpo)
    if status == 402:
        raise CartaoRecusadoError(pedido["pedidoId"])
    if status != 201:
        raise GatewayIndisponivelError(pedido["pedidoId"])
    return resposta["transacaoId"]


def estornar(pedido: Evento, transacao_id: str) -> None:
    """Refund it all; pending, or done already, is taken for done."""
    corpo = {
        "pedidoId": pedido["pedidoId"],
        "transacaoId": transacao_id,
        "valorCentavos": pedido["valorCentavos"],
    }
    status, resposta = _chamar("/estornos", f"cesta-estorno-{pedido['pedidoId']}", "CREDENCIAL_ESTORNO", corpo)
    if status not in (201, 202) and resposta.get("codigo") != "ja_estornada":
        raise GatewayIndisponivelError(pedido["pedidoId"])


def _chamar(caminho: str, chave: str, credencial: str, corpo: Evento) -> tuple[int, dict[str, Any]]:
    headers = {
        "Content-Type": "application/json",
        "Idempotency-Key": chave,
        "Authorization": f"Bearer {os.environ[credencial]}",
    }
    try:
        resposta = _pool.request(
            "POST", os.environ["GATEWAY_URL"] + caminho, body=json.dumps(corpo).encode(), headers=headers
        )
        return resposta.status, json.loads(resposta.data)
    except (urllib3.exceptions.HTTPError, OSError, ValueError):
        raise GatewayIndisponivelError(corpo["pedidoId"]) from None


# --- Entry -----------------------------------------------------------------------------------------------------------


def api(evento: Evento, _contexto: object) -> Evento:
    """POST /pedidos: publishes the event and answers (000, "API de Pedidos")."""
    client("sqs").send_message(QueueUrl=os.environ["FILA_CRIADOS_URL"], MessageBody=json.dumps(evento))
    return {"statusCode": 202}
