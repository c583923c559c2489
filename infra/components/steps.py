"""The six steps of the saga, each a function with its own role."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import pulumi

from handlers.domain import environment as env
from handlers.domain.credentials import COBRANCA, CONSULTA, ESTORNO
from handlers.domain.status import Etapa
from infra.components.credentials import GatewayCredentials
from infra.components.functions import FunctionSpec, LambdaFunction, seconds_text
from infra.names import base_da_etapa
from policies import functions as policies

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from infra.components.tables import Tables
    from infra.config import Settings
    from infra.names import Names
    from policies.documents import PolicyDocument

__all__ = ["Steps"]


@dataclass(frozen=True)
class _Uses:
    """What a step uses beside its log: tables, the gateway, the doubt window."""

    policy: Callable[..., PolicyDocument]
    estoque: bool = False
    pedidos: bool = False
    gateway: tuple[str, ...] = ()
    """The gateway's operations it makes."""
    doubt: bool = False


_USES: Final[Mapping[Etapa, _Uses]] = {
    Etapa.RESERVAR_ESTOQUE: _Uses(policies.reservar_estoque, estoque=True),
    Etapa.COBRAR_PAGAMENTO: _Uses(policies.cobrar_pagamento, pedidos=True, gateway=(COBRANCA, ESTORNO, CONSULTA)),
    Etapa.CONFIRMAR_PEDIDO: _Uses(policies.confirmar_pedido, pedidos=True),
    Etapa.EFETIVAR_RESERVA: _Uses(policies.efetivar_reserva, estoque=True, pedidos=True),
    Etapa.ESTORNAR_PAGAMENTO: _Uses(policies.estornar_pagamento, pedidos=True, gateway=(ESTORNO, CONSULTA), doubt=True),
    Etapa.LIBERAR_ESTOQUE: _Uses(policies.liberar_estoque, estoque=True),
}


class Steps(pulumi.ComponentResource):
    """The functions of the saga's steps.

    Attributes:
        functions: by step.
    """

    def __init__(self, names: Names, settings: Settings, tables: Tables, code: Path) -> None:
        super().__init__("cesta:saga:Etapas", "etapas")
        self.functions = {
            etapa: LambdaFunction(
                _spec(etapa, uses, names, settings, tables, code),
                settings,
                opts=pulumi.ResourceOptions(parent=self),
            ).function
            for etapa, uses in _USES.items()
        }
        self.register_outputs({})


def _spec(etapa: Etapa, uses: _Uses, names: Names, settings: Settings, tables: Tables, code: Path) -> FunctionSpec:
    base = base_da_etapa(etapa)
    grants: dict[str, pulumi.Input[str]] = {}
    variables: dict[str, pulumi.Input[str]] = {env.INJECAO_DE_FALHAS: str(settings.injecao_de_falhas).lower()}
    if uses.estoque:
        grants["estoque"] = tables.estoque.arn
        variables[env.TABELA_ESTOQUE] = tables.estoque.name
    if uses.pedidos:
        grants["pedidos"] = tables.pedidos.arn
        variables[env.TABELA_PEDIDOS] = tables.pedidos.name
    if uses.gateway:
        credentials = GatewayCredentials(settings, *uses.gateway)
        grants |= credentials.grants
        variables |= credentials.environment
        variables[env.GATEWAY_URL] = settings.gateway_url
        variables[env.GATEWAY_CONEXAO_SEGUNDOS] = seconds_text(settings.gateway_conexao_segundos)
        variables[env.GATEWAY_LEITURA_SEGUNDOS] = seconds_text(settings.gateway_leitura_segundos)
    if uses.doubt:
        variables[env.JANELA_DUVIDA_SEGUNDOS] = seconds_text(settings.janela_duvida_no_relogio)
    return FunctionSpec(
        base=base,
        name=names.funcao_da_etapa(etapa),
        code=code,
        handler=f"handlers.{base.replace('-', '_')}.handler",
        timeout=settings.lambda_segundos,
        environment=variables,
        policy=uses.policy,
        grants=grants,
    )
