"""The public OpenAPI document of the API, for the customers' developers: ``docs/openapi.json``.

What API Gateway is deployed with (`infra.openapi`) is what Chalice writes: routes and integration, no schema. This
document says the rest, and repeats nothing by hand that the code knows: routes come from the Chalice app, patterns and
bounds from the parser, refusals and their texts from the parser's own answers. ``python -m infra.public_openapi``
(``make openapi``) writes it; a test fails while the file differs.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from api.chalicelib import problems
from api.chalicelib.consulta import visao
from api.chalicelib.parsing import CHAVE, ler_objeto, ler_pedido
from handlers.domain.ledger import EstadoDaCobranca
from handlers.domain.orders import ResumoDoPedido
from handlers.domain.status import Status
from infra.names import ESTAGIO
from infra.openapi import API_DIR, load_app, routes
from infra.packaging import ROOT
from infra.public_schemas import NO_TOKEN, SCHEMAS, anchored

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from chalice.app import Chalice

    from infra.openapi import Route

__all__ = ["PATH", "UndocumentedRouteError", "document", "render"]

PATH: Final = ROOT / "docs" / "openapi.json"

Json: TypeAlias = "dict[str, Any]"
"""JSON: its values are of any type."""

_JSON: Final = "application/json"
_PROBLEM: Final = "application/problem+json"
_ORDER: Final[Json] = {
    "pedidoId": "p-2026-0001",
    "sku": "sku-cafe-500g",
    "quantidade": 1,
    "valorCentavos": 14000,
    "cartaoToken": "tok_9f2e",
}
_ORDER_WITHOUT_ID: Final[Json] = {name: value for name, value in _ORDER.items() if name != "pedidoId"}
_URL: Final = "https://abc123.execute-api.us-east-1.amazonaws.com/api/pedidos/p-2026-0001"


class UndocumentedRouteError(Exception):
    """The app has a route this module does not describe, or the other way round.

    Attributes:
        routes: the routes in question.
    """

    def __init__(self, routes: Iterable[Route | tuple[str, str]]) -> None:
        self.routes = tuple(routes)
        super().__init__(
            f"rotas do app e de infra/public_openapi.py divergem em {self.routes}; "
            "descreva-as ali e rode `make openapi`"
        )


def document(app: Chalice) -> Json:
    """The OpenAPI 3.1 document of the app.

    Raises:
        UndocumentedRouteError: a route of the app is not described here, or one described is not in the app.
    """
    served = {(route.path, route.method) for route in routes(app)}
    if served != _OPERATIONS.keys():
        raise UndocumentedRouteError(sorted(served ^ _OPERATIONS.keys()))
    paths: Json = {}
    for (path, method), describe in sorted(_OPERATIONS.items()):
        paths.setdefault(path, {})[method.lower()] = describe()
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Cesta: pedidos",
            "version": "1.0.0",
            "description": (
                "Recebe pedidos e diz onde estão. O POST responde 202 assim que o pedido está gravado; a reserva do "
                "estoque, a cobrança e a confirmação vêm depois, e o GET mostra onde o pedido está. Repetir um POST, "
                "igual, é sempre seguro: nunca vira dois pedidos nem duas cobranças. Todo erro da API é "
                "application/problem+json (RFC 9457); 401, 403 e 429 podem vir do próprio API Gateway."
            ),
        },
        "servers": [_SERVER],
        "security": [{"iam": []}, {"cognito": []}],
        "paths": paths,
        "components": {"schemas": SCHEMAS, "securitySchemes": _SECURITY},
    }


def render(app: Chalice) -> str:
    """The document as the file holds it."""
    return json.dumps(document(app), ensure_ascii=False, indent=2) + "\n"


# --- Operations ------------------------------------------------------------------------------------------------------


def _create() -> Json:
    return {
        "operationId": "criarPedido",
        "summary": "Cria um pedido",
        "description": (
            "Envie pedidoId ou o cabeçalho Idempotency-Key; sem nenhum dos dois, 400. O mesmo pedido enviado de novo "
            "responde 202 outra vez; o mesmo identificador com outro conteúdo, ou de outro cliente, 409, e o primeiro "
            "não muda."
        ),
        "parameters": [
            {
                "name": "Idempotency-Key",
                "in": "header",
                "description": "Identifica o pedido quando o corpo não traz pedidoId: a mesma chave, do mesmo "
                "cliente, é o mesmo pedido. Com os dois, vale o pedidoId.",
                "schema": {"type": "string", "pattern": anchored(CHAVE), **NO_TOKEN},
                "example": "clique-7f3a",
            }
        ],
        "requestBody": {
            "required": True,
            "description": "JSON em UTF-8, sem BOM, sem campos repetidos nem desconhecidos, até 8 KiB.",
            "content": {
                _JSON: {
                    "schema": _ref("NovoPedido"),
                    "examples": {
                        "comPedidoId": {"value": _ORDER},
                        "comIdempotencyKey": {"value": _ORDER_WITHOUT_ID},
                    },
                }
            },
        },
        "responses": {
            "202": {
                "description": "Pedido aceito: está gravado e vai terminar. Acompanhe em Location.",
                "headers": {
                    "Location": {
                        "description": "Onde o pedido pode ser consultado.",
                        "required": True,
                        "schema": {"type": "string", "format": "uri-reference"},
                    }
                },
                "content": {
                    _JSON: {
                        "schema": _ref("PedidoAceito"),
                        "example": {
                            "pedidoId": _ORDER["pedidoId"],
                            "status": Status.RECEBIDO,
                            "links": {"self": _URL},
                        },
                    }
                },
                "links": {
                    "consultar": {
                        "operationId": "consultarPedido",
                        "parameters": {"pedidoId": "$response.body#/pedidoId"},
                    }
                },
            },
            **_refusals(
                _refused(b'{"sku": '),
                _refused(json.dumps(_ORDER | {"quantidade": 0, "cupom": "x"}).encode()),
                problems.ConteudoDivergenteError(),
                _refused(b" " * 9000),
                _refused(b"{}", content_type="text/plain"),
                # A card network's public test number.
                _refused(json.dumps(_ORDER | {"sku": "4111111111111111"}).encode()),
                problems.IndisponivelError("Não foi possível concluir agora. Repita a mesma requisição."),
            ),
            **_GATEWAY_ANSWERS,
        },
    }


def _look_up() -> Json:
    seen = ResumoDoPedido(
        pedido_id=str(_ORDER["pedidoId"]),
        status=Status.CONFIRMADO,
        criado_em="2026-08-07T13:04:11.000Z",
        atualizado_em="2026-08-07T13:04:13.250Z",
        motivo=None,
        cobranca=EstadoDaCobranca.APROVADA,
    )
    return {
        "operationId": "consultarPedido",
        "summary": "Diz onde está um pedido",
        "description": "Só a quem o enviou; para os outros clientes o pedido não existe: 404.",
        "parameters": [
            {
                "name": "pedidoId",
                "in": "path",
                "required": True,
                "schema": _ref("Identificador"),
                "example": _ORDER["pedidoId"],
            }
        ],
        "responses": {
            "200": {
                "description": "Onde o pedido está.",
                "content": {_JSON: {"schema": _ref("Pedido"), "example": visao(seen, _URL)}},
            },
            **_refusals(
                problems.CamposInvalidosError(
                    [problems.ErroDeCampo("pedidoId", "esperados de 1 a 64 letras, números, _ ou -")]
                ),
                problems.PedidoNaoEncontradoError(),
                problems.IndisponivelError("Não foi possível consultar o pedido agora; tente de novo em instantes."),
            ),
            **_GATEWAY_ANSWERS,
        },
    }


_OPERATIONS: Final[dict[tuple[str, str], Callable[[], Json]]] = {
    ("/pedidos", "POST"): _create,
    ("/pedidos/{pedidoId}", "GET"): _look_up,
}


# --- Refusals --------------------------------------------------------------------------------------------------------


def _refused(body: bytes, *, content_type: str = _JSON) -> problems.ProblemaError:
    """What the parser itself answers to a wrong request."""
    try:
        ler_pedido(ler_objeto(body, content_type), chave=None, aceita_falhas=False)
    except problems.ProblemaError as problem:
        return problem
    raise AssertionError("an example of a wrong request that is right")


def _refusals(*examples: problems.ProblemaError) -> Json:
    by_status: dict[int, list[problems.ProblemaError]] = {}
    for example in examples:
        by_status.setdefault(example.status, []).append(example)
    return {str(status): _refusal(status, same) for status, same in sorted(by_status.items())}


def _refusal(status: int, examples: Sequence[problems.ProblemaError]) -> Json:
    types = [str(example.corpo["type"]) for example in examples]
    refusal: Json = {
        "description": " ou ".join(dict.fromkeys(example.titulo for example in examples)),
        "content": {
            _PROBLEM: {
                "schema": {
                    **_ref("Problema"),
                    "properties": {"status": {"const": status}, "type": {"enum": types}},
                },
                "examples": {example.tipo: {"value": example.corpo} for example in examples},
            }
        },
    }
    headers = {name: value for example in examples for name, value in example.cabecalhos.items()}
    if headers:
        refusal["headers"] = {
            name: {"required": True, "schema": {"type": "string"}, "example": value} for name, value in headers.items()
        }
    return refusal


def _ref(schema: str) -> Json:
    return {"$ref": f"#/components/schemas/{schema}"}


def _gateway_answer(description: str, message: str) -> Json:
    return {
        "description": description,
        "content": {_JSON: {"schema": _ref("RespostaDoGateway"), "example": {"message": message}}},
    }


_GATEWAY_ANSWERS: Final[Json] = {
    "401": _gateway_answer("Do API Gateway, com Cognito: o token falta ou não vale.", "Unauthorized"),
    "403": _gateway_answer(
        "Do API Gateway: sem permissão, assinatura inválida, ou rota que não existe.", "Missing Authentication Token"
    ),
    "429": _gateway_answer("Do API Gateway: requisições demais; espere e repita.", "Too Many Requests"),
}

_SECURITY: Final[Json] = {
    "iam": {
        "type": "apiKey",
        "in": "header",
        "name": "Authorization",
        "description": "AWS Signature Version 4, serviço execute-api (o padrão das stacks).",
        "x-amazon-apigateway-authtype": "awsSigv4",
    },
    "cognito": {
        "type": "apiKey",
        "in": "header",
        "name": "Authorization",
        "description": "Token de identidade do Cognito User Pool da stack (stacks com authorizer cognito).",
        "x-amazon-apigateway-authtype": "cognito_user_pools",
    },
}

_SERVER: Final[Json] = {
    "url": f"https://{{api}}.execute-api.{{regiao}}.amazonaws.com/{ESTAGIO}",
    "description": "A saída `api` da stack (`pulumi stack output api`)",
    "variables": {"api": {"default": "abc123"}, "regiao": {"default": "us-east-1"}},
}


def main() -> None:
    """Write the file."""
    PATH.write_text(render(load_app(API_DIR)), encoding="utf-8")


if __name__ == "__main__":
    main()
