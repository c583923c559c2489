"""Every physical name of a stack, from one place (design §3).

The stack ``prod`` has the bare names; any other stack has ``cesta-<stack>-...``, so that several stacks live in
one account. The Pulumi program, the embedded stack and the operators' commands all take names from here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from handlers.domain.status import Etapa

__all__ = ["ESTAGIO", "INDICE_PENDENTES", "INDICE_VERIFICACOES", "PROD", "PROJETO", "Names", "base_da_etapa"]

PROJETO: Final = "cesta"
PROD: Final = "prod"
ESTAGIO: Final = "api"
"""Stage of the REST API: part of every URL the API answers on."""
INDICE_PENDENTES: Final = "pendentes"
"""Sparse index of ``cesta-pedidos`` with the orders that are not settled yet (design §5)."""
INDICE_VERIFICACOES: Final = "verificacoes"
"""Sparse index of ``cesta-pedidos`` with the closed orders the reconciler has yet to look at again."""


def base_da_etapa(etapa: Etapa) -> str:
    """Base name of a step's function: ``ReservarEstoque`` is ``reservar-estoque``."""
    return re.sub(r"(?<!^)(?=[A-Z])", "-", etapa).lower()


@dataclass(frozen=True)
class Names:
    """The physical names of one stack.

    Attributes:
        stack: name of the Pulumi stack.
    """

    stack: str

    @property
    def prefix(self) -> str:
        """What every name of this stack begins with."""
        return PROJETO if self.stack == PROD else f"{PROJETO}-{self.stack}"

    @property
    def tabela_pedidos(self) -> str:
        """Orders, keyed by ``pedidoId``."""
        return f"{self.prefix}-pedidos"

    @property
    def tabela_estoque(self) -> str:
        """Stock, keyed by ``sku``."""
        return f"{self.prefix}-estoque"

    @property
    def fila_criados(self) -> str:
        """Orders the API accepted, waiting for the starter."""
        return f"{self.prefix}-pedidos-criados"

    @property
    def fila_criados_dlq(self) -> str:
        """Messages the starter could not handle."""
        return f"{self.fila_criados}-dlq"

    @property
    def fila_humana(self) -> str:
        """Cases a person must decide."""
        return f"{self.prefix}-compensacao-falhou"

    @property
    def topico(self) -> str:
        """Where every alarm goes."""
        return f"{self.prefix}-saga-alertas"

    @property
    def maquina_pedido(self) -> str:
        """The saga."""
        return f"{self.prefix}-saga-pedido"

    @property
    def maquina_retomada(self) -> str:
        """The part of the saga that resumes a dead execution: it can undo and close, never charge."""
        return f"{self.prefix}-saga-retomada"

    @property
    def api(self) -> str:
        """The REST API."""
        return f"{self.prefix}-api"

    @property
    def funcao_api(self) -> str:
        """The function behind the REST API."""
        return f"{self.prefix}-api"

    @property
    def funcao_iniciador(self) -> str:
        """The starter: reads the entry queue and starts executions."""
        return f"{self.prefix}-iniciador"

    @property
    def funcao_conciliador(self) -> str:
        """The reconciler: finds what died outside any catcher."""
        return f"{self.prefix}-conciliador"

    @property
    def funcoes(self) -> tuple[str, ...]:
        """Every function of the stack."""
        steps = (self.funcao_da_etapa(etapa) for etapa in Etapa)
        return (self.funcao_api, self.funcao_iniciador, self.funcao_conciliador, *steps)

    @property
    def painel(self) -> str:
        """The dashboard."""
        return f"{self.prefix}-saga"

    @property
    def regra_partida_estranha(self) -> str:
        """EventBridge rule on sagas started by anybody but the starter."""
        return f"{self.prefix}-partida-estranha"

    @property
    def vigia(self) -> str:
        """Who that rule speaks as."""
        return f"{self.prefix}-vigia"

    @property
    def logs_de_achados(self) -> str:
        """Log group of the reports on card numbers found in the other log groups."""
        return f"/aws/vendedlogs/{self.prefix}-cartoes-achados"

    @property
    def regra_execucoes_mortas(self) -> str:
        """EventBridge rule on executions that ended outside any catcher."""
        return f"{self.prefix}-execucoes-mortas"

    @property
    def regra_conciliacao(self) -> str:
        """EventBridge rule that runs the reconciler every few minutes."""
        return f"{self.prefix}-conciliacao"

    def funcao_da_etapa(self, etapa: Etapa) -> str:
        """The function of one step of the saga."""
        return f"{self.prefix}-{base_da_etapa(etapa)}"

    def alarme(self, sufixo: str) -> str:
        """An alarm of the saga."""
        return f"{self.prefix}-saga-{sufixo}"

    def parametro_do_gateway(self, operacao: str) -> str:
        """The parameter with the gateway's credential for an operation, unless the stack file names another."""
        return f"/{self.prefix}/gateway/{operacao}"

    @staticmethod
    def papel(dono: str) -> str:
        """The IAM role of the function or machine called ``dono``."""
        return f"{dono}-role"

    @staticmethod
    def logs_da_funcao(funcao: str) -> str:
        """Log group of a function: the name Lambda writes to by itself."""
        return f"/aws/lambda/{funcao}"

    @staticmethod
    def logs_de_acesso(api: str) -> str:
        """Log group of the requests to a REST API."""
        return f"/aws/apigateway/{api}"

    @staticmethod
    def logs_da_maquina(maquina: str) -> str:
        """Log group of a state machine.

        Under ``/aws/vendedlogs/`` one resource policy covers every group; elsewhere each machine adds to a policy
        limited to 5,120 characters, and the deploy that passes it fails (case C44).
        """
        return f"/aws/vendedlogs/states/{maquina}"
