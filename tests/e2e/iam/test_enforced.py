"""With every call checked against its caller's policy: proofs pass, people can work, the program deploys."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from botocore.exceptions import ClientError

from infra.declared import read_stack
from infra.dry_run import ACCOUNT
from infra.local.deploy import deploy
from infra.local.emulator import AwsLocal, start_emulator
from infra.local.processes import Guardian, choose_port
from infra.local.proofs.catalog import PROOFS
from infra.local.proofs.runner import run_proofs
from infra.local.settings_file import read_settings
from infra.ops.books import read_books, violations
from infra.ops.order_view import look
from infra.ops.target import embedded

if TYPE_CHECKING:
    from collections.abc import Iterator

    from infra.local.proofs.catalog import Proof
    from infra.local.proofs.runner import ProofResult
    from infra.local.proofs.workbench import Workbench
    from infra.local.stack import EmbeddedStack
    from infra.ops.target import Target

pytestmark = pytest.mark.e2e

DEPLOYER = ("implantador-dados", "implantador-papeis", "implantador-codigo")
NAMELESS_ON_THE_EMULATOR = ("CriarConsumo", "Funcoes", "LerAlarmes", "Paineis", "Regras")
"""The deployer's statements on calls that the emulator checks without saying on what, nor for what."""


@pytest.fixture(scope="module")
def results(guarded: Workbench) -> dict[int, ProofResult]:
    return {result["id"]: result for result in run_proofs(guarded)["provas"]}


@pytest.mark.parametrize("proof", PROOFS, ids=lambda proof: f"{proof.id}-{proof.nome}")
def test_the_proof_passes_with_every_role_enforced(proof: Proof, results: dict[int, ProofResult]) -> None:
    assert results[proof.id]["passou"], results[proof.id]["detalhe"]


def test_the_books_balance(guarded: Workbench, results: dict[int, ProofResult]) -> None:
    assert results
    assert violations(read_books(guarded.target), {}) == []


def test_policies_are_enforced_at_all(enforced: EmbeddedStack) -> None:
    nobody = _as(enforced.aws, "ninguem")
    with pytest.raises(ClientError, match="AccessDenied"):
        nobody.client("dynamodb").scan(TableName="cesta-local-pedidos")


def test_no_gateway_credential_is_anywhere_but_in_its_parameter(
    enforced: EmbeddedStack, guarded: Workbench, results: dict[int, ProofResult]
) -> None:
    """Not in a function's environment, a log, a table, a queue or an execution's history, after every proof."""
    assert results
    aws = enforced.aws
    secrets = [
        aws.client("ssm").get_parameter(Name=name, WithDecryption=True)["Parameter"].get("Value", "")
        for name in enforced.settings.parametros_do_gateway.values()
    ]
    assert len(set(secrets)) == 3
    assert all(len(secret) > 20 for secret in secrets)
    held = json.dumps(list(_everything(enforced, guarded.target)), default=str)
    # That what is searched holds what it should: environments, logs, histories.
    assert all(word in held for word in ("GATEWAY_PARAMETRO_COBRANCA", "CobrarPagamento", "TaskStateEntered"))
    assert not [secret for secret in secrets if secret in held]


def _everything(enforced: EmbeddedStack, target: Target) -> Iterator[object]:
    logs, functions = enforced.aws.client("logs"), enforced.aws.client("lambda")
    yield functions.list_functions()["Functions"]
    for group in logs.describe_log_groups()["logGroups"]:
        yield logs.filter_log_events(logGroupName=group.get("logGroupName", ""))["events"]
    for table in target.tabelas.values():
        yield target.dynamodb.scan(TableName=table)["Items"]
    yield target.sqs.receive_message(QueueUrl=target.filas["humana"], MaxNumberOfMessages=10, VisibilityTimeout=0)
    for execution in target.sfn.list_executions(stateMachineArn=target.maquinas["pedido"])["executions"]:
        yield target.sfn.get_execution_history(executionArn=execution["executionArn"])["events"]


# --- People -----------------------------------------------------------------------------------------------------------


def _as(aws: AwsLocal, name: str, *policies: str) -> AwsLocal:
    """The emulator, called by a user of that name with those policies."""
    iam = aws.client("iam")
    iam.create_user(UserName=name)
    for number, policy in enumerate(policies):
        iam.put_user_policy(UserName=name, PolicyName=f"{name}-{number}", PolicyDocument=policy)
    key = iam.create_access_key(UserName=name)["AccessKey"]
    return AwsLocal(aws.endpoint, aws.region, aws.account_id, key["AccessKeyId"], key["SecretAccessKey"])


def _document(name: str, aws: AwsLocal) -> str:
    return json.dumps(read_stack("local").identity[name]).replace(ACCOUNT, aws.account_id)


def _target(enforced: EmbeddedStack, person: AwsLocal) -> Target:
    endpoints = enforced.endpoints()
    endpoints["credenciais"] = {"id": person.access_key, "segredo": person.secret_key}
    return embedded(endpoints)


def test_support_sees_where_an_order_stopped_and_never_its_card(
    enforced: EmbeddedStack, guarded: Workbench, results: dict[int, ProofResult]
) -> None:
    sku = guarded.stock_sku("suporte")
    pedido_id = guarded.post(guarded.order("suporte", sku))
    guarded.end(pedido_id)
    support = _as(enforced.aws, "suporte", _document("suporte", enforced.aws))
    assert look(_target(enforced, support), pedido_id)["status"] == "CONFIRMADO"
    # An order a person resumed: both executions, and who decided.
    assert results[12]["passou"]
    resumed = look(_target(enforced, support), f"prova-12-{guarded.run}")
    assert [past["nome"] for past in resumed["execucoes"]] == [resumed["pedidoId"], f"{resumed['pedidoId']}-c1"]
    assert resumed["quemAgiu"][-1]["nome"] == "prova"
    dynamodb, key = support.client("dynamodb"), {"pedidoId": {"S": pedido_id}}
    with pytest.raises(ClientError, match="AccessDenied"):
        dynamodb.get_item(TableName="cesta-local-pedidos", Key=key)
    with pytest.raises(ClientError, match="AccessDenied"):
        dynamodb.get_item(TableName="cesta-local-pedidos", Key=key, ProjectionExpression="cartaoToken")
    with pytest.raises(ClientError, match="AccessDenied"):
        support.client("sqs").receive_message(QueueUrl=guarded.target.filas["humana"])
    with pytest.raises(ClientError, match="AccessDenied"):
        support.client("ssm").get_parameter(Name="/cesta-local/gateway/cobranca")


def test_the_operator_reads_cases_and_cannot_start_a_saga(enforced: EmbeddedStack, guarded: Workbench) -> None:
    operator = _as(enforced.aws, "operador", _document("operador", enforced.aws))
    operator.client("sqs").receive_message(QueueUrl=guarded.target.filas["humana"], VisibilityTimeout=0)
    with pytest.raises(ClientError, match="AccessDenied"):
        operator.client("stepfunctions").start_execution(
            stateMachineArn=guarded.target.maquinas["pedido"], name="inventado", input="{}"
        )
    with pytest.raises(ClientError, match="AccessDenied"):
        operator.client("sqs").receive_message(QueueUrl=guarded.target.filas["criados"])


def test_the_program_deploys_with_the_deployer_s_policies_alone() -> None:
    from infra.__main__ import program

    with Guardian() as guardian:
        aws = start_emulator(guardian, choose_port(None, option="--porta-aws"), iam=True)
        documents = [json.loads(_document(name, aws)) for name in DEPLOYER]
        for statement in (one for document in documents for one in document["Statement"]):
            if statement["Sid"] in NAMELESS_ON_THE_EMULATOR:
                statement["Resource"] = ["*"]
                statement.pop("Condition", None)
        deployer = _as(aws, "implantador", *(json.dumps(document) for document in documents))
        deployment = deploy(deployer, read_settings({"gatewayUrl": "http://127.0.0.1:1"}), program)
        assert len(deployment.resources) > 60
        with pytest.raises(ClientError, match="AccessDenied"):
            deployer.client("dynamodb").scan(TableName="cesta-local-pedidos")
