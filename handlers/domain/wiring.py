"""What a function is made of, built once per process from its environment and kept between invocations."""

from __future__ import annotations

import time
from functools import cache
from typing import Final

from handlers.domain import environment
from handlers.domain.aws import dynamodb, dynamodb_once, ssm
from handlers.domain.credentials import COBRANCA, CONSULTA, ESTORNO, CredenciaisDoParameterStore
from handlers.domain.gateway_http import GatewayHttp
from handlers.domain.ledger import LivroDePagamentos
from handlers.domain.orders import Pedidos
from handlers.domain.settings import optional, required, seconds
from handlers.domain.stock import Estoque

__all__ = ["credenciais", "estoque", "estoque_sem_repeticao", "gateway", "livro", "pedidos"]

_PARAMETROS: Final = {
    COBRANCA: environment.GATEWAY_PARAMETRO_COBRANCA,
    ESTORNO: environment.GATEWAY_PARAMETRO_ESTORNO,
    CONSULTA: environment.GATEWAY_PARAMETRO_CONSULTA,
}


@cache
def estoque() -> Estoque:
    """The stock table of TABELA_ESTOQUE."""
    return Estoque(dynamodb(), required(environment.TABELA_ESTOQUE))


@cache
def estoque_sem_repeticao() -> Estoque:
    """The same, for a move that must not arrive twice: the SDK repeats none of its requests."""
    return Estoque(dynamodb_once(), required(environment.TABELA_ESTOQUE))


@cache
def pedidos() -> Pedidos:
    """The orders table of TABELA_PEDIDOS."""
    return Pedidos(dynamodb(), required(environment.TABELA_PEDIDOS), agora=time.time)


@cache
def livro() -> LivroDePagamentos:
    """The payment ledger in the table of TABELA_PEDIDOS."""
    return LivroDePagamentos(dynamodb(), required(environment.TABELA_PEDIDOS), agora=time.time)


@cache
def credenciais() -> CredenciaisDoParameterStore:
    """The gateway credentials this function was given, by the parameters of GATEWAY_PARAMETRO_*."""
    nomes = {operacao: optional(variavel) for operacao, variavel in _PARAMETROS.items()}
    return CredenciaisDoParameterStore(
        ssm, {operacao: parametro for operacao, parametro in nomes.items() if parametro is not None}
    )


@cache
def gateway() -> GatewayHttp:
    """The payment gateway at GATEWAY_URL."""
    return GatewayHttp.conectar(
        required(environment.GATEWAY_URL),
        conexao_segundos=seconds(environment.GATEWAY_CONEXAO_SEGUNDOS),
        leitura_segundos=seconds(environment.GATEWAY_LEITURA_SEGUNDOS),
        credenciais=credenciais(),
    )
