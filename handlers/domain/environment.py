"""Names of the environment variables the functions read: the Pulumi program sets them, `settings` reads them."""

from __future__ import annotations

from typing import Final

TABELA_PEDIDOS: Final = "TABELA_PEDIDOS"
TABELA_ESTOQUE: Final = "TABELA_ESTOQUE"
FILA_CRIADOS_URL: Final = "FILA_CRIADOS_URL"
MAQUINA_ARN: Final = "MAQUINA_ARN"
GATEWAY_URL: Final = "GATEWAY_URL"
GATEWAY_CONEXAO_SEGUNDOS: Final = "GATEWAY_CONEXAO_SEGUNDOS"
GATEWAY_LEITURA_SEGUNDOS: Final = "GATEWAY_LEITURA_SEGUNDOS"
JANELA_DUVIDA_SEGUNDOS: Final = "JANELA_DUVIDA_SEGUNDOS"
INJECAO_DE_FALHAS: Final = "INJECAO_DE_FALHAS"
API_URL_BASE: Final = "API_URL_BASE"
