"""What a function is made of, built once per process from its environment and kept between invocations."""

from __future__ import annotations

import logging
import time
from functools import cache
from typing import TYPE_CHECKING

import boto3
from botocore.config import Config

from handlers.domain import environment
from handlers.domain.gateway_http import GatewayHttp
from handlers.domain.ledger import LivroDePagamentos
from handlers.domain.orders import Pedidos
from handlers.domain.settings import required, seconds
from handlers.domain.stock import Estoque

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

__all__ = ["AWS_CONFIG", "dynamodb", "estoque", "gateway", "livro", "pedidos"]

AWS_CONFIG = Config(connect_timeout=1, read_timeout=2, retries={"mode": "standard", "total_max_attempts": 2})
"""Short, so that a stuck call ends well inside the function's own timeout (seconds; attempts in total)."""

for _name in ("boto3", "botocore", "urllib3"):
    # At DEBUG they print whole requests and answers, the card token included, whatever the root level is.
    logging.getLogger(_name).setLevel(logging.INFO)


@cache
def dynamodb() -> DynamoDBClient:
    """The process's DynamoDB client; the endpoint is AWS_ENDPOINT_URL's where that is set."""
    # boto3's overloads name the stubs of every service, and only ours are installed.
    return boto3.client("dynamodb", config=AWS_CONFIG)  # pyright: ignore[reportUnknownMemberType]


@cache
def estoque() -> Estoque:
    """The stock table of TABELA_ESTOQUE."""
    return Estoque(dynamodb(), required(environment.TABELA_ESTOQUE))


@cache
def pedidos() -> Pedidos:
    """The orders table of TABELA_PEDIDOS."""
    return Pedidos(dynamodb(), required(environment.TABELA_PEDIDOS), agora=time.time)


@cache
def livro() -> LivroDePagamentos:
    """The payment ledger in the table of TABELA_PEDIDOS."""
    return LivroDePagamentos(dynamodb(), required(environment.TABELA_PEDIDOS), agora=time.time)


@cache
def gateway() -> GatewayHttp:
    """The payment gateway at GATEWAY_URL."""
    return GatewayHttp.conectar(
        required(environment.GATEWAY_URL),
        conexao_segundos=seconds(environment.GATEWAY_CONEXAO_SEGUNDOS),
        leitura_segundos=seconds(environment.GATEWAY_LEITURA_SEGUNDOS),
    )
