"""A small form of ``make campaign``: faults of every kind at once, every promise held, and the other designs break.

On a stack of its own: its functions see AWS through the fault proxy, and its workers are killed.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

import boto3
import pytest
from botocore.config import Config
from botocore.exceptions import ClientError, HTTPClientError

from infra.local.emulator import AwsLocal
from infra.local.stack import EmbeddedStack
from infra.ops.facts import Facts
from policies.documents import trust
from tests.campaign.__main__ import PATIENCE_SECONDS
from tests.campaign.baselines.systems import Document000, NestedTryExcept
from tests.campaign.fault_proxy import RULES, FaultProxy
from tests.campaign.plan import CampaignPlan
from tests.campaign.report import findings
from tests.campaign.run import run_campaign
from tests.campaign.saga import Saga
from tests.campaign.verdict import Harm
from tests.e2e.waits import WAIT_SCALE

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

pytestmark = pytest.mark.e2e

SEED = 13
UNDER_FIRE = CampaignPlan(pedidos=18, semente=SEED, por_segundo=10, lentos=False, reentrega_segundos=3)
"""By this seed one case of a refund is closed by a person, and another still waits for him at the end."""
CALM = CampaignPlan(pedidos=3, semente=8, por_segundo=20, lentos=False, golpes=False, reentrega_segundos=3)
"""The first three fates: refused, unavailable twice, charged without an answer. By this seed none of them asks for a
scarce SKU."""

LIMIT_SECONDS = 300.0
"""Seldom needed: a lost call to a person is made again after two minutes, a lost message sent again ever later."""


@pytest.fixture(scope="module")
def stack() -> Iterator[EmbeddedStack]:
    with EmbeddedStack.start(escala_espera=WAIT_SCALE, iam=True) as stack:
        yield stack


@pytest.fixture(scope="module")
def proxy(stack: EmbeddedStack) -> FaultProxy:
    return FaultProxy.start(stack, SEED)


@pytest.fixture(scope="module")
def saga(stack: EmbeddedStack, proxy: FaultProxy) -> Saga:
    return Saga(stack, proxy.url)


@pytest.mark.parametrize("name", RULES)
def test_each_rule_strikes_before_the_effect_or_after_it(stack: EmbeddedStack, proxy: FaultProxy, name: str) -> None:
    """For certain, one call of a service it is for, by a caller that does not try again."""
    service = RULES[name].get("service", "sqs")
    call, was_done = _call(stack, proxy, service, f"golpe-{list(RULES).index(name)}")
    before = proxy.calls()
    proxy.strike({rule: {**settings, "probability": float(rule == name)} for rule, settings in RULES.items()})
    with pytest.raises((ClientError, HTTPClientError)):
        call()
    assert proxy.rest() == {rule: int(rule == name) for rule in RULES}
    calls = proxy.calls() - before
    assert (calls.seen, calls.failed) == ({service: 1}, {service: 1})
    assert was_done() == name.endswith("(depois)")
    call()
    assert was_done()


def _call(
    stack: EmbeddedStack, proxy: FaultProxy, service: str, name: str
) -> tuple[Callable[[], object], Callable[[], bool]]:
    """A call with an effect, through the proxy and once; and whether it was done, asked of the emulator itself."""
    aws = stack.aws
    # Overloaded per literal service name, which a text is not.
    once = cast("Any", boto3).client(
        service,
        endpoint_url=proxy.url,
        region_name=aws.region,
        aws_access_key_id=aws.access_key,
        aws_secret_access_key=aws.secret_key,
        config=Config(retries={"total_max_attempts": 1}),
    )
    match service:
        case "dynamodb":
            key: Any = {"pedidoId": {"S": name}}
            aws.client("dynamodb").create_table(
                TableName=name,
                BillingMode="PAY_PER_REQUEST",
                AttributeDefinitions=[{"AttributeName": "pedidoId", "AttributeType": "S"}],
                KeySchema=[{"AttributeName": "pedidoId", "KeyType": "HASH"}],
            )
            return (
                lambda: once.put_item(TableName=name, Item=key),
                lambda: "Item" in aws.client("dynamodb").get_item(TableName=name, Key=key),
            )
        case "sqs":
            url = aws.client("sqs").create_queue(QueueName=name)["QueueUrl"]
            return (
                lambda: once.send_message(QueueUrl=url, MessageBody=name),
                lambda: "Messages" in aws.client("sqs").receive_message(QueueUrl=url, VisibilityTimeout=0),
            )
        case _:
            role = aws.client("iam").create_role(
                RoleName=name, AssumeRolePolicyDocument=json.dumps(trust("states.amazonaws.com"))
            )["Role"]["Arn"]
            machine = aws.client("stepfunctions").create_state_machine(
                name=name,
                definition=json.dumps({"StartAt": "Fim", "States": {"Fim": {"Type": "Succeed"}}}),
                roleArn=role,
            )["stateMachineArn"]
            return (
                lambda: once.start_execution(stateMachineArn=machine, name=name),
                lambda: bool(aws.client("stepfunctions").list_executions(stateMachineArn=machine)["executions"]),
            )


def test_through_the_proxy_policies_are_enforced(stack: EmbeddedStack, proxy: FaultProxy, saga: Saga) -> None:
    iam = stack.aws.client("iam")
    iam.create_user(UserName="ninguem-da-campanha")
    key = iam.create_access_key(UserName="ninguem-da-campanha")["AccessKey"]
    aws = stack.aws
    nobody = AwsLocal(proxy.url, aws.region, aws.account_id, key["AccessKeyId"], key["SecretAccessKey"])
    with pytest.raises(ClientError, match="AccessDenied"):
        nobody.client("dynamodb").scan(TableName=saga.bench.target.tabelas["pedidos"])


def test_under_fire_every_promise_is_held(stack: EmbeddedStack, proxy: FaultProxy, saga: Saga) -> None:
    saga.deploy(UNDER_FIRE)
    outcome = run_campaign(saga, stack, proxy, UNDER_FIRE, patience=PATIENCE_SECONDS, limit=LIMIT_SECONDS)
    assert findings(outcome, UNDER_FIRE) == []
    assert outcome.accepted == UNDER_FIRE.pedidos
    assert sum(outcome.ends.values()) == UNDER_FIRE.pedidos
    assert {
        "CONFIRMADO",
        "FALHOU_COMPENSADO",
        "REQUER_INTERVENCAO_HUMANA",
        "RESOLVIDO_MANUALMENTE",
    } <= outcome.ends.keys()
    # A person still has what no gateway would refund, and nothing was lost on the way to him.
    assert outcome.ends["REQUER_INTERVENCAO_HUMANA"] <= outcome.held
    assert outcome.seconds
    assert outcome.calls.seen.total() > UNDER_FIRE.pedidos


@pytest.mark.parametrize(
    ("design", "confirmed"),
    [
        pytest.param(Document000, 1, id="000: tries the unavailable gateway again"),
        pytest.param(NestedTryExcept, 0, id="try/except: undoes at the first failure"),
    ],
)
def test_the_other_designs_break_without_any_fire(
    stack: EmbeddedStack,
    proxy: FaultProxy,
    saga: Saga,
    design: type[Document000] | type[NestedTryExcept],
    confirmed: int,
) -> None:
    facts = Facts(saga.bench.target)
    system = design(stack, proxy.url, facts.statement, saga.bench.run)
    system.deploy(CALM)
    outcome = run_campaign(system, stack, proxy, CALM, patience=2, limit=LIMIT_SECONDS)
    ambiguous = next(order.index for order in CALM.orders if order.cartao == "tok-500-cobrado")
    assert outcome.accepted == CALM.pedidos
    assert {harm for harm, ids in outcome.verdict.harms.items() if ids} == {Harm.DINHEIRO}
    assert {pedido_id.split("-")[1] for pedido_id in outcome.verdict.broken} == {f"{ambiguous:05}"}
    assert outcome.ends.get("CONFIRMADO", 0) == confirmed
