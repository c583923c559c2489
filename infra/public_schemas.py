"""The schemas of the public OpenAPI document: JSON Schema 2020-12, with the parser's own patterns and bounds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

from api.chalicelib.parsing import ID, QUANTIDADE_MAXIMA, TOKEN, VALOR_MAXIMO_CENTAVOS
from handlers.domain.status import EtapaDoCliente, Status

if TYPE_CHECKING:
    import re

__all__ = ["NO_TOKEN", "SCHEMAS", "anchored"]

Json: TypeAlias = "dict[str, Any]"
"""JSON: its values are of any type."""


def anchored(pattern: re.Pattern[str]) -> str:
    """The parser's pattern as JSON Schema needs it: the parser matches whole texts, a schema searches inside them."""
    return f"^{pattern.pattern}$"


NO_TOKEN: Final[Json] = {"not": {"pattern": r"(^|[^A-Za-z])tok[-_][A-Za-z0-9_-]"}}
"""No card token inside: `handlers.domain.cards.TOKEN` without its lookbehind, which not every regex engine has."""

_LINKS: Final[Json] = {
    "type": "object",
    "required": ["self"],
    "properties": {"self": {"type": "string", "format": "uri-reference", "description": "URL do pedido."}},
}
_STATUS: Final[Json] = {"type": "string", "enum": list(Status)}
_INSTANT: Final[Json] = {"type": "string", "format": "date-time", "description": "ISO 8601, em UTC."}

SCHEMAS: Final[Json] = {
    "Identificador": {
        "type": "string",
        "pattern": anchored(ID),
        **NO_TOKEN,
        "description": "De 1 a 64 letras sem acento, números, _ ou -. Não pode conter número nem token de cartão.",
    },
    "NovoPedido": {
        "type": "object",
        "additionalProperties": False,
        "required": ["sku", "quantidade", "valorCentavos", "cartaoToken"],
        "properties": {
            "pedidoId": {
                "$ref": "#/components/schemas/Identificador",
                "description": "Identificador do pedido; obrigatório quando não há Idempotency-Key.",
            },
            "sku": {"$ref": "#/components/schemas/Identificador", "description": "O produto."},
            "quantidade": {
                "type": "integer",
                "minimum": 1,
                "maximum": QUANTIDADE_MAXIMA,
                "description": "Unidades, escritas sem fração nem expoente.",
            },
            "valorCentavos": {
                "type": "integer",
                "minimum": 1,
                "maximum": VALOR_MAXIMO_CENTAVOS,
                "description": "Valor do pedido inteiro, em centavos, escrito sem fração nem expoente.",
            },
            "cartaoToken": {
                "type": "string",
                "pattern": anchored(TOKEN),
                "writeOnly": True,
                "description": "Token do gateway de pagamento; um número de cartão, em qualquer campo, é 422.",
            },
        },
    },
    "PedidoAceito": {
        "type": "object",
        "required": ["pedidoId", "status", "links"],
        "properties": {
            "pedidoId": {"$ref": "#/components/schemas/Identificador"},
            "status": {**_STATUS, "description": "RECEBIDO, ou onde já está um pedido repetido."},
            "links": _LINKS,
        },
    },
    "Pedido": {
        "type": "object",
        "required": ["pedidoId", "status", "etapa", "mensagem", "motivo", "criadoEm", "atualizadoEm", "links"],
        "properties": {
            "pedidoId": {"$ref": "#/components/schemas/Identificador"},
            "status": _STATUS,
            "etapa": {"type": "string", "enum": list(EtapaDoCliente)},
            "mensagem": {"type": "string", "description": "Uma frase para o cliente."},
            "motivo": {
                "type": ["string", "null"],
                "description": "Nome do erro que parou o pedido; null quando nenhum parou.",
            },
            "criadoEm": _INSTANT,
            "atualizadoEm": _INSTANT,
            "links": _LINKS,
        },
    },
    "Problema": {
        "type": "object",
        "description": "RFC 9457.",
        "required": ["type", "title", "status", "detail", "erros"],
        "properties": {
            "type": {"type": "string", "format": "uri", "description": "Estável; é por ele que um programa decide."},
            "title": {"type": "string"},
            "status": {"type": "integer"},
            "detail": {"type": "string", "description": "O que houve desta vez e o que fazer."},
            "erros": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["campo", "mensagem"],
                    "properties": {"campo": {"type": "string"}, "mensagem": {"type": "string"}},
                },
            },
        },
    },
    "RespostaDoGateway": {
        "type": "object",
        "required": ["message"],
        "properties": {"message": {"type": "string"}},
    },
}
"""By name, as ``#/components/schemas/`` has them."""
