"""The reconciler's role against every SDK call of its rounds, recorded: each allowed, and nothing allowed in vain.

The function itself runs, wired by its own environment, over one order broken in each way there is.
"""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, cast

import pytest

from handlers import conciliador
from handlers.domain import aws, environment, wiring
from handlers.domain.gateway_http import GatewayHttp
from handlers.domain.ledger import LivroDePagamentos
from handlers.domain.orders import Pedidos
from handlers.domain.reconciliation import LAPIDE_SEGUNDOS
from handlers.domain.reconciliation_executions import arn_da_execucao
from handlers.domain.reconciliation_rows import Linhas
from handlers.domain.status import Status
from handlers.domain.stock import Estoque
from policies.evaluation.evaluator import Evaluator, Request
from tests.policies.calls import methods_called
from tests.policies.requests import as_iam_sees, named
from tests.unit.handlers.conciliacao import (
    AGORA,
    DIA,
    HORA,
    MAQUINA,
    REQUER,
    RETOMADA,
    VALOR,
    Mundo,
    caso,
    cobranca,
    estorno,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from aws_lambda_powertools.utilities.typing import LambdaContext

    from policies.documents import PolicyDocument, Statement
    from policies.evaluation.material import Material

pytestmark = pytest.mark.policies

ROLE: Final = "conciliador"
MODULES: Final = tuple(f"handlers/domain/reconciliation_{name}.py" for name in ("round", "closed"))
REPOSITORIES: Final[dict[str, type]] = {
    "linhas": Linhas,
    "pedidos": Pedidos,
    "livro": LivroDePagamentos,
    "estoque": Estoque,
}
QUEUES: Final = "https://sqs.us-east-1.amazonaws.com/123456789012/"
ENVIRONMENT: Final = {
    environment.TABELA_PEDIDOS: "pedidos",
    environment.TABELA_ESTOQUE: "estoque",
    environment.FILA_CRIADOS_URL: f"{QUEUES}cesta-pedidos-criados",
    environment.FILA_HUMANA_URL: f"{QUEUES}cesta-compensacao-falhou",
    environment.MAQUINA_ARN: MAQUINA,
    environment.MAQUINA_RETOMADA_ARN: RETOMADA,
    environment.GATEWAY_PARAMETRO_CONSULTA: "/cesta/gateway/consulta",
    environment.ESPERA_INICIO_SEGUNDOS: "120",
    environment.REVERIFICACAO_SEGUNDOS: str(HORA),
    environment.REVERIFICACAO_FINAL_SEGUNDOS: str(DIA),
}
CACHED: Final = (wiring.pedidos, wiring.estoque, wiring.livro, wiring.credenciais)
NOT_CALLED: Final = "Logs"
"""The one statement of the role that no call of ours uses: Lambda itself writes a function's log."""


class Contexto:
    function_name = "cesta-conciliador"
    memory_limit_in_mb = 256
    invoked_function_arn = "arn:aws:lambda:us-east-1:123456789012:function:cesta-conciliador"
    aws_request_id = "r-1"

    def get_remaining_time_in_millis(self) -> int:
        return 60_000


@dataclass
class Servicos:
    """SQS, Parameter Store and the gateway's HTTP, as far as the reconciler asks; the first two write it down."""

    requests: list[Request] = field(default_factory=list[Request])
    charges: dict[str, dict[str, Any]] = field(default_factory=dict[str, "dict[str, Any]"])

    def send_message(self, **request: Any) -> dict[str, Any]:
        account, _, queue = request["QueueUrl"].partition("amazonaws.com/")[2].partition("/")
        self.requests.append(Request("sqs:SendMessage", f"arn:aws:sqs:us-east-1:{account}:{queue}"))
        return {}

    def get_parameter(self, **request: Any) -> dict[str, Any]:
        parameter = f"arn:aws:ssm:us-east-1:123456789012:parameter{request['Name']}"
        self.requests.append(Request("ssm:GetParameter", parameter))
        return {"Parameter": {"Value": "credencial"}}

    def request(self, method: str, url: str, **_: Any) -> Any:
        assert method == "GET", "the reconciler only looks"
        found = self.charges.get(url.rpartition("=")[2])
        return SimpleNamespace(status=200, data=json.dumps({"cobrancas": [found] if found else []}).encode())


@dataclass
class Gravacao:
    """What a whole set of rounds did.

    Attributes:
        requests: every SDK call, as IAM sees it.
        methods: (repository, method) of every call of a repository.
        counts: what became of the orders, in all.
    """

    requests: list[Request]
    methods: set[tuple[str, str]]
    counts: dict[str, int]


@pytest.fixture(scope="module")
def gravacao() -> Gravacao:
    """Rounds, and one event, over every kind of broken order."""
    _forget()
    with pytest.MonkeyPatch.context() as patch:
        recorded = _record(patch)
    _forget()
    return recorded


def _forget() -> None:
    for constructor in CACHED:
        constructor.cache_clear()


def _record(patch: pytest.MonkeyPatch) -> Gravacao:
    mundo, servicos, counts = Mundo(), Servicos(), dict[str, int]()
    mundo.dynamo.page = 2  # a second page asks with the keys of the first one's end
    methods = _wire(patch, mundo, servicos)
    _break(mundo, servicos)
    mundo.dynamo.requests.clear()
    events: list[dict[str, Any]] = [{"source": "aws.events"}] * 2
    events.append({"source": "aws.states", "detail": {"executionArn": arn_da_execucao(MAQUINA, "evento")}})
    for event in events:
        for result, many in conciliador.handler(event, cast("LambdaContext", Contexto())).items():
            counts[result] = counts.get(result, 0) + many
        mundo.agora += 121  # the time after which a message is sent once more
    return Gravacao([*_table_calls(mundo), *_descriptions(mundo), *servicos.requests], methods, counts)


def _wire(patch: pytest.MonkeyPatch, mundo: Mundo, servicos: Servicos) -> set[tuple[str, str]]:
    for name, value in ENVIRONMENT.items():
        patch.setenv(name, value)
    clock = SimpleNamespace(time=lambda: mundo.agora)
    for module in (conciliador, wiring):
        patch.setattr(module, "time", clock)
    patch.setattr(aws, "stepfunctions", lambda: mundo.sfn)
    patch.setattr(aws, "sqs", lambda: servicos)
    patch.setattr(wiring, "ssm", lambda: servicos)
    for module in (aws, wiring):
        patch.setattr(module, "dynamodb", lambda: mundo.dynamo)
    patch.setattr(wiring, "gateway", lambda: GatewayHttp("http://gateway", servicos, wiring.credenciais()))
    called: set[tuple[str, str]] = set()
    for receiver, method in methods_called(*MODULES):
        original = getattr(REPOSITORIES[receiver], method)
        patch.setattr(REPOSITORIES[receiver], method, _noting(called, (receiver, method), original))
    return called


def _noting(called: set[tuple[str, str]], what: tuple[str, str], original: Callable[..., Any]) -> Callable[..., Any]:
    def noted(*args: Any, **kwargs: Any) -> Any:
        called.add(what)
        return original(*args, **kwargs)

    return noted


def _break(mundo: Mundo, servicos: Servicos) -> None:
    # Never begun: the message is lost, twice; too old to be sent again.
    mundo.pedido("perdido")
    mundo.pedido("de-ontem", idade=DIA + 1)
    # Executions that died, without and with a resumption, and beside a case of the saga's own.
    for pedido_id, status in (("morto", Status.COMPENSANDO), ("retomado", REQUER), ("efetivado", Status.CONFIRMADO)):
        mundo.em(pedido_id, status, motivo={"S": "ErroInesperado"})
        mundo.sfn.por(pedido_id, "ABORTED")
    mundo.sfn.por("retomado-c1", "FAILED", maquina=RETOMADA, erro="ErroInesperado")
    mundo.em("da-saga", REQUER, caso=caso(None))
    mundo.sfn.por("da-saga", "TIMED_OUT")
    mundo.em("preso", Status.CONFIRMADO)
    mundo.reservar("preso")
    mundo.sfn.por("preso", "FAILED")
    # Closed: well, with money, with stock, with a tombstone that nothing needs any more, and closed by a person.
    aprovada = cobranca("APROVADA")
    mundo.fechado("bem", Status.FALHOU_COMPENSADO, cobranca=aprovada, estorno=estorno("CONCLUIDO"))
    mundo.fechado("com-dinheiro", Status.FALHOU_COMPENSADO, cobranca=aprovada)
    mundo.fechado("com-estoque", Status.FALHOU_SEM_RESERVA)
    mundo.reservar("com-estoque")
    mundo.fechado("lapide", Status.FALHOU_COMPENSADO)
    mundo.reservar("lapide", -(AGORA - LAPIDE_SEGUNDOS))
    mundo.fechado("da-pessoa", Status.RESOLVIDO_MANUALMENTE, caso=caso('["dinheiro"]'))
    mundo.reservar("da-pessoa")
    # Closed with the charge in doubt: not found, in flight, refused, taken, taken and given back.
    for pedido_id, charge in CHARGES.items():
        mundo.fechado(pedido_id, Status.FALHOU_COMPENSADO, cobranca=cobranca("INICIADA", ha=2 * HORA))
        if charge:
            servicos.charges[pedido_id] = {
                "pedidoId": pedido_id,
                "transacaoId": None,
                "valorCentavos": VALOR,
                "valorEstornadoCentavos": 0,
                **charge,
            }
    # Too young for a round, but an event names it.
    mundo.em("evento", Status.COMPENSANDO, idade=-HORA)
    mundo.sfn.por("evento", "ABORTED")


CHARGES: Final[dict[str, dict[str, Any]]] = {
    "sem-cobranca": {},
    "no-ar": {"estado": "em_andamento"},
    "recusada": {"estado": "recusada"},
    "cobrada": {"estado": "aprovada", "transacaoId": "tx-1"},
    "devolvida": {
        "estado": "aprovada",
        "transacaoId": "tx-1",
        "valorEstornadoCentavos": VALOR,
        "estornoId": "es-1",
        "estornoEstado": "concluido",
    },
}


def _table_calls(mundo: Mundo) -> list[Request]:
    return [
        as_iam_sees(
            f"dynamodb:{name.title().replace('_', '')}", {**request, "TableName": f"cesta-{request['TableName']}"}
        )
        for name, request in mundo.dynamo.requests
    ]


def _descriptions(mundo: Mundo) -> list[Request]:
    return [
        Request("states:DescribeExecution", arn.replace("us-east-1:1:", "us-east-1:123456789012:"))
        for arn in mundo.sfn.perguntas
    ]


def test_the_rounds_see_every_kind_of_broken_order(gravacao: Gravacao) -> None:
    """Else the checks below would prove less than they say."""
    assert gravacao.counts.keys() == {"PedidosSadios", "PedidosReenviados", "CasosAbertos", "PedidosAcertados"}
    assert gravacao.methods == methods_called(*MODULES)
    assert any("/index/" in call.resource for call in gravacao.requests)


def test_every_call_of_the_reconciler_is_allowed(gravacao: Gravacao, prod: Material) -> None:
    evaluator = Evaluator(prod.identity[ROLE])
    assert [call for call in gravacao.requests if not evaluator.allowed_by(call)] == []


def test_every_statement_of_the_reconciler_is_used_and_every_attribute_touched(
    gravacao: Gravacao, prod: Material
) -> None:
    evaluator = Evaluator(prod.identity[ROLE])
    touched: dict[str | None, set[str]] = {}
    for call in gravacao.requests:
        attributes = named(call) if call.action.startswith("dynamodb:") else set[str]()
        touched.setdefault(evaluator.allowed_by(call), set()).update(attributes)
    allowed = {
        statement["Sid"]: set(_attributes(statement))
        for statement in prod.identity[ROLE]["Statement"]
        if statement["Sid"] != NOT_CALLED
    }
    assert touched == allowed


def test_no_action_or_resource_of_the_reconciler_can_be_taken_away(gravacao: Gravacao, prod: Material) -> None:
    needless = [
        what
        for what, less in _each_one_fewer(prod.identity[ROLE])
        if all(Evaluator(less).allowed_by(call) for call in gravacao.requests)
    ]
    assert needless == []


@pytest.mark.parametrize(
    ("action", "table", "key", "value"),
    [
        ("GetItem", "pedidos", "dynamodb:Attributes", ("cartaoToken", "pedidoId")),
        ("GetItem", "pedidos", "dynamodb:Select", "ALL_ATTRIBUTES"),
        ("GetItem", "estoque", "dynamodb:Attributes", ("saldo", "sku")),
        ("UpdateItem", "pedidos", "dynamodb:Attributes", ("pedidoId", "valorCentavos")),
        ("UpdateItem", "pedidos", "dynamodb:ReturnValues", "UPDATED_OLD"),
        ("UpdateItem", "estoque", "dynamodb:Attributes", ("saldo", "sku")),
        ("UpdateItem", "estoque", "dynamodb:ReturnValues", "ALL_OLD"),
        ("Query", "pedidos/index/pendentes", "dynamodb:Attributes", ("cartaoToken", "status")),
        ("Query", "pedidos/index/verificacoes", "dynamodb:Select", "ALL_PROJECTED_ATTRIBUTES"),
    ],
)
def test_a_call_that_asks_for_more_is_refused(
    gravacao: Gravacao, prod: Material, action: str, table: str, key: str, value: str | tuple[str, ...]
) -> None:
    made = next(
        call
        for call in gravacao.requests
        if call.action == f"dynamodb:{action}" and call.resource.endswith(f"table/cesta-{table}")
    )
    more = Request(made.action, made.resource, context={**made.context, key: value})
    assert not Evaluator(prod.identity[ROLE]).allowed_by(more)


def _attributes(statement: Statement) -> Any:
    return statement.get("Condition", {}).get("ForAllValues:StringEquals", {}).get("dynamodb:Attributes", ())


def _each_one_fewer(document: PolicyDocument) -> Iterator[tuple[tuple[str, str], PolicyDocument]]:
    """The document without one action, or one resource, of one statement."""
    for i, statement in enumerate(document["Statement"]):
        if statement["Sid"] == NOT_CALLED:
            continue
        for part in ("Action", "Resource"):
            for value in statement.get(part, ()):
                less = copy.deepcopy(document)
                less["Statement"][i][part] = [one for one in statement.get(part, ()) if one != value]
                yield (statement["Sid"], value), less
