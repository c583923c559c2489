"""Documents against the calls the code makes, recorded: what the emulator does not enforce is proved here.

Every method of every repository that a role's code reaches is called against a client that writes the requests down;
each request must be allowed by the role's document, and each attribute a document allows must be in some request.
The reconciler's calls come from whole rounds instead: test_reconciler_calls.py.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import pytest
from botocore.exceptions import ClientError

from handlers.domain.ledger import LivroDePagamentos
from handlers.domain.orders import Pedido, Pedidos
from handlers.domain.stock import Estoque
from infra.ops.facts import Facts
from policies.evaluation.evaluator import Evaluator, Request
from tests.policies.calls import methods_called, sources
from tests.policies.requests import as_iam_sees, named

if TYPE_CHECKING:
    from collections.abc import Callable

    from mypy_boto3_dynamodb import DynamoDBClient

    from infra.ops.target import Target
    from policies.evaluation.material import Material

pytestmark = pytest.mark.policies

ORDERS, STOCK = "cesta-pedidos", "cesta-estoque"
CLAIM, REFUND = "handlers/domain/claim.py", "handlers/domain/refund.py"
MODULES: dict[str, tuple[str, ...]] = {
    "reservar-estoque": ("handlers/reservar_estoque.py",),
    "liberar-estoque": ("handlers/liberar_estoque.py",),
    "efetivar-reserva": ("handlers/efetivar_reserva.py",),
    "cobrar-pagamento": ("handlers/cobrar_pagamento.py", REFUND),
    "estornar-pagamento": ("handlers/estornar_pagamento.py", CLAIM, REFUND),
    "confirmar-pedido": ("handlers/confirmar_pedido.py",),
    "api": tuple(module for module in sources("api") if not module.endswith("/iniciador.py")),
    "iniciador": ("api/chalicelib/iniciador.py",),
}
SAMPLES: dict[str, Any] = {
    "pedido_id": "p-1",
    "sku": "sku-1",
    "quantidade": 1,
    "valor_centavos": 1,
    "transacao_id": "tx-1",
    "estorno_id": "es-1",
    "lapide": 1,
    "cartao_token": "tok-1",
    "cliente": "c-1",
    "pedido": Pedido("p-1", "sku-1", 1, 1, "2026-08-07T13:04:11.000Z", {"ConfirmarPedido": "antes"}),
}


@dataclass
class Recorder:
    """A DynamoDB that answers little and writes every request down."""

    requests: list[tuple[str, dict[str, Any]]] = field(default_factory=list[tuple[str, dict[str, Any]]])
    refusals: int = 0
    """How many updates are refused, with an item that lacks everything, before they are taken."""

    def get_item(self, **request: Any) -> dict[str, Any]:
        self.requests.append(("dynamodb:GetItem", request))
        return {}

    def put_item(self, **request: Any) -> dict[str, Any]:
        self.requests.append(("dynamodb:PutItem", request))
        return {}

    def update_item(self, **request: Any) -> dict[str, Any]:
        self.requests.append(("dynamodb:UpdateItem", request))
        if self.refusals:
            self.refusals -= 1
            answer: Any = {"Error": {"Code": "ConditionalCheckFailedException"}, "Item": {"saldo": {"N": "5"}}}
            raise ClientError(answer, "UpdateItem")
        return {"Attributes": {"reservas": {"M": {"p-1": {"N": "1"}}}}}

    @property
    def client(self) -> DynamoDBClient:
        return cast("DynamoDBClient", cast("object", self))


def recorded(name: str) -> list[Request]:
    """Every table call that a role's code can make, as IAM sees it."""
    requests: list[Request] = []
    for receiver, method in sorted(methods_called(*MODULES[name])):
        for refusals in (0, 1):
            recorder = Recorder(refusals=refusals)
            repository: Any = {
                "pedidos": Pedidos(recorder.client, ORDERS, agora=lambda: 0.0),
                "livro": LivroDePagamentos(recorder.client, ORDERS, agora=lambda: 0.0),
                "estoque": Estoque(recorder.client, STOCK),
            }[receiver]
            _call(getattr(repository, method))
            requests += [as_iam_sees(action, request) for action, request in recorder.requests]
    return requests


def _call(method: Callable[..., object]) -> None:
    wanted = [name for name in method.__annotations__ if name != "return"]
    try:
        method(**{name: SAMPLES[name] for name in wanted})
    except ClientError:
        raise
    except Exception as error:  # what a repository makes of an odd answer is another test's
        assert type(error).__module__.startswith("handlers."), error


@pytest.mark.parametrize("name", MODULES)
def test_every_call_of_a_role_s_code_is_allowed(name: str, prod: Material) -> None:
    calls = recorded(name)
    assert calls, "no call recorded: the check would prove nothing"
    evaluator = Evaluator(prod.identity[name])
    for call in calls:
        assert evaluator.allowed_by(call), call


@pytest.mark.parametrize("name", MODULES)
def test_every_attribute_a_role_may_touch_is_touched_by_its_code(name: str, prod: Material) -> None:
    touched: dict[tuple[str, str], set[str]] = {}
    for call in recorded(name):
        touched.setdefault((call.action, call.resource), set()).update(named(call))
    allowed: dict[tuple[str, str], set[str]] = {}
    for statement in prod.identity[name]["Statement"]:
        attributes = statement.get("Condition", {}).get("ForAllValues:StringEquals", {}).get("dynamodb:Attributes", ())
        for action in statement["Action"]:
            if action.startswith("dynamodb:"):
                (resource,) = statement.get("Resource", [""])
                allowed.setdefault((action, resource), set()).update(attributes)
    assert allowed == touched


def test_the_recorder_sees_what_the_emulator_does_not(prod: Material) -> None:
    """A write of one attribute more, or one that asks for the old item, is what the conditions are there to refuse."""
    (write, *_) = [call for call in recorded("confirmar-pedido") if call.action == "dynamodb:UpdateItem"]
    evaluator = Evaluator(prod.identity["confirmar-pedido"])
    assert evaluator.allowed_by(write)
    for key, value in (("dynamodb:Attributes", ("pedidoId", "sku")), ("dynamodb:ReturnValues", "ALL_OLD")):
        assert not evaluator.allowed_by(Request(write.action, write.resource, context={**write.context, key: value}))


@pytest.mark.parametrize("person", ["suporte", "operador"])
def test_what_cesta_pedido_reads_is_what_people_may_read(person: str, prod: Material) -> None:
    recorder = Recorder()
    target = _Target(recorder.client)
    Facts(cast("Target", cast("object", target))).order("p-1")
    ((action, request),) = recorder.requests
    call = as_iam_sees(action, request)
    assert Evaluator(prod.identity[person]).allowed_by(call)
    (statement,) = [one for one in prod.identity[person]["Statement"] if one["Sid"] == "LerPedido"]
    allowed = statement.get("Condition", {})["ForAllValues:StringEquals"]["dynamodb:Attributes"]
    assert set(allowed) == named(call)


@dataclass
class _Target:
    dynamodb: DynamoDBClient
    tabelas: dict[str, str] = field(default_factory=lambda: {"pedidos": ORDERS, "estoque": STOCK})
