"""Each stack's documents grant exactly what is declared, and the verification sees whatever is otherwise."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

import pytest

from infra.declared import material_of
from infra.dry_run import run_program, stack_file
from policies.declared import declarations
from policies.documents import allow, document
from policies.evaluation.evaluator import Evaluator, Request
from policies.evaluation.mutants import mutants
from policies.evaluation.verification import Tally, of_identity, of_resource, of_trust, verify

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from policies.documents import PolicyDocument
    from policies.evaluation.material import Material
    from policies.evaluation.mutants import Mutant
    from policies.evaluation.verification import Finding

pytestmark = pytest.mark.policies

STACKS = ("prod", "dev", "local")
TABLE = "arn:aws:dynamodb:us-east-1:123456789012:table/cesta-pedidos"
READS_THE_TOKEN = {"dynamodb:Attributes": ("pedidoId", "cartaoToken"), "dynamodb:Select": "SPECIFIC_ATTRIBUTES"}


@pytest.mark.parametrize("stack", STACKS)
def test_each_document_grants_exactly_what_is_declared(
    stack: str, request: pytest.FixtureRequest, record_property: Callable[[str, object], None]
) -> None:
    material: Material = request.getfixturevalue(stack)
    tally = Tally()
    assert list(verify(material, declarations(material), tally)) == []
    assert (tally.principals, tally.actions > 18_000) == (len(material.identity), True)
    assert tally.cells > 5000
    print(  # noqa: T201 - the figures of this tier, shown with -rP
        f"\n{stack}: {tally.principals} principals x {tally.actions} actions; {tally.spoken} pairs spoken of, "
        f"{tally.cells} cells with a resource, {tally.calls} calls decided"
    )


def test_every_mutant_of_every_document_is_killed(prod: Material) -> None:
    declared = declarations(prod)
    made, alive = 0, list[str]()

    def kill(name: str, original: PolicyDocument, check: Callable[[Mutant], Iterator[Finding]]) -> None:
        nonlocal made
        for mutant in mutants(original):
            made += 1
            if next(check(mutant), None) is None:
                alive.append(f"{name}: {mutant.change}")

    for name, original in prod.identity.items():
        granted = declared.identity[name]
        kill(name, original, lambda m, n=name, g=granted: of_identity(n, m.document, g, prod, about=m.actions))
    for name, original in prod.trust.items():
        trusted = declared.trust[name]
        kill(name, original, lambda m, n=name, t=trusted: of_trust(n, m.document, t, prod))
    for arn, original in prod.resource.items():
        kill(arn, original, lambda m, a=arn: of_resource(a, m.document, declared, prod, about=m.actions))
    assert alive == []
    assert made > 2500
    print(f"\n{made} mutants made, {made} killed")  # noqa: T201


# --- What must be seen ------------------------------------------------------------------------------------------------


def seen(material: Material, **changed: Any) -> list[Finding]:
    other = replace(material, **changed)
    return list(verify(other, declarations(other)))


def with_identity(material: Material, name: str, policy: PolicyDocument) -> dict[str, PolicyDocument]:
    return {**material.identity, name: policy}


def test_a_role_that_is_not_declared_is_seen(prod: Material) -> None:
    found = seen(
        prod,
        identity=with_identity(prod, "novo", document()),
        trust={**prod.trust, "novo": prod.trust["api"]},
    )
    assert [(one.papel, one.problema) for one in found] == [("novo", "papel não declarado")] * 2


def test_a_declaration_without_a_role_is_seen(prod: Material) -> None:
    left = {name: policy for name, policy in prod.identity.items() if name != "vigia"}
    (found,) = seen(prod, identity=left)
    assert (found.papel, found.problema) == ("vigia", "papel sem documento")


def test_a_managed_policy_that_is_not_declared_is_seen(prod: Material) -> None:
    (found,) = seen(prod, attached={**prod.attached, "api": ("arn:aws:iam::aws:policy/AdministratorAccess",)})
    assert (found.papel, found.detalhe) == ("api", "arn:aws:iam::aws:policy/AdministratorAccess")


def test_a_widened_statement_is_named(prod: Material) -> None:
    original = prod.identity["estornar-pagamento"]["Statement"]
    widened = [
        {**statement, "Action": ["dynamodb:*"]} if statement["Sid"] == "LerPedido" else statement
        for statement in original
    ]
    found = seen(
        prod,
        identity=with_identity(
            prod, "estornar-pagamento", cast("PolicyDocument", {"Version": "2012-10-17", "Statement": widened})
        ),
    )
    assert {one.papel for one in found} == {"estornar-pagamento"}
    assert {one.sid for one in found} == {"LerPedido"}


def test_a_queue_without_its_tls_policy_is_seen(prod: Material) -> None:
    queue = "arn:aws:sqs:us-east-1:123456789012:cesta-pedidos-criados"
    found = seen(prod, resource={arn: policy for arn, policy in prod.resource.items() if arn != queue})
    assert {one.papel for one in found} == {queue}
    assert all('"aws:SecureTransport": "false"' in one.detalhe for one in found)


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        (allow("Novo", ["dynamodb:FazerItem"], [TABLE]), "ação inexistente"),
        (
            allow("Novo", ["dynamodb:GetItem"], ["arn:aws:sqs:us-east-1:123456789012:fila"]),
            "recurso que a ação não aceita",
        ),
        (allow("Novo", ["states:SendTaskSuccess"], ["*"]), "curinga sem motivo"),
        (allow("Novo", ["dynamodb:Get*"], [TABLE]), "curinga de ações"),
        (
            allow("Novo", ["dynamodb:UpdateItem"], [TABLE], when={"StringEquals": {"dynamodb:Select": "X"}}),
            "condição que a ação não tem",
        ),
        (allow("Um Nome", ["dynamodb:GetItem"], [TABLE]), "nome de declaração inválido"),
        (allow("Logs", ["dynamodb:GetItem"], [TABLE]), "nome de declaração inválido"),
    ],
)
def test_a_badly_written_statement_is_seen(prod: Material, statement: Any, problem: str) -> None:
    policy = document(*prod.identity["confirmar-pedido"]["Statement"], statement)
    found = of_identity("confirmar-pedido", policy, declarations(prod).identity["confirmar-pedido"], prod)
    assert problem in {one.problema for one in found}


def test_documents_fit_whatever_the_stack_is_called() -> None:
    longest = "nome-de-vinte-letras"
    material = material_of(run_program(longest, stack_file("dev")), stack_file("dev"))
    assert list(verify(material, declarations(material))) == []


def test_a_document_over_its_quota_is_seen(prod: Material) -> None:
    many = [f"arn:aws:dynamodb:us-east-1:123456789012:table/t-{number:04}" for number in range(250)]
    policy = document(allow("Muitas", ["dynamodb:GetItem"], many))
    found = of_identity("confirmar-pedido", policy, (), prod)
    assert "grande demais" in {one.problema for one in found}


# --- What the issue of who-may-do-what comes down to ------------------------------------------------------------------


def can(material: Material, name: str, action: str, resource: str, **context: Any) -> bool:
    request = Request(action, resource, context=context.get("context", {}))
    return Evaluator(material.identity[name]).allowed_by(request) is not None


def test_only_the_charge_can_read_a_card_token(prod: Material) -> None:
    readers = [name for name in prod.identity if can(prod, name, "dynamodb:GetItem", TABLE, context=READS_THE_TOKEN)]
    assert readers == ["cobrar-pagamento"]


def test_nobody_can_read_a_whole_order(prod: Material) -> None:
    whole = {"dynamodb:Select": "ALL_ATTRIBUTES"}
    assert not [name for name in prod.identity if can(prod, name, "dynamodb:GetItem", TABLE, context=whole)]
    for scan in (
        "dynamodb:Scan",
        "dynamodb:BatchGetItem",
        "dynamodb:PartiQLSelect",
        "dynamodb:ExportTableToPointInTime",
    ):
        assert not [name for name in prod.identity if can(prod, name, scan, TABLE)]


def test_no_write_to_an_order_brings_an_old_value_back(prod: Material) -> None:
    for name in prod.identity:
        for returned in ("ALL_OLD", "UPDATED_OLD", "ALL_NEW"):
            context = {"dynamodb:Attributes": ("cartaoToken",), "dynamodb:ReturnValues": returned}
            assert not can(prod, name, "dynamodb:UpdateItem", TABLE, context=context), name


def test_only_the_charge_holds_the_charge_credential(prod: Material) -> None:
    holders = {
        credential: {
            name
            for name in prod.identity
            if can(
                prod,
                name,
                "ssm:GetParameter",
                f"arn:aws:ssm:us-east-1:123456789012:parameter/cesta/gateway/{credential}",
            )
        }
        for credential in ("cobranca", "estorno", "consulta")
    }
    assert holders == {
        "cobranca": {"cobrar-pagamento"},
        "estorno": {"cobrar-pagamento", "estornar-pagamento"},
        "consulta": {"cobrar-pagamento", "estornar-pagamento", "conciliador"},
    }


def test_only_the_starter_starts_the_saga_and_only_the_operator_the_resuming_machine(prod: Material) -> None:
    machine = "arn:aws:states:us-east-1:123456789012:stateMachine:cesta-saga-"
    starters = {
        key: [name for name in prod.identity if can(prod, name, "states:StartExecution", machine + key)]
        for key in ("pedido", "retomada")
    }
    assert starters == {"pedido": ["iniciador"], "retomada": ["operador"]}


def test_only_the_deployer_passes_roles_and_each_to_its_own_service(prod: Material) -> None:
    role = "arn:aws:iam::123456789012:role/cesta-api-role"
    for name in prod.identity:
        passes = {
            service
            for service in ("lambda", "states", "events", "ec2")
            if can(prod, name, "iam:PassRole", role, context={"iam:PassedToService": f"{service}.amazonaws.com"})
        }
        assert passes == ({"lambda"} if name == "implantador-papeis" else set()), name
