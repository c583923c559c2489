"""Every policy of a stack, taken from a dry run of the program: what ``cesta politicas`` shows and verifies."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from handlers.domain.status import Etapa
from infra.config import Settings, from_mapping
from infra.dry_run import ACCOUNT, REGION, Run, arn_of, run_program, stack_file
from infra.names import PROJETO, Names
from policies.deployer import Deployment, implantador
from policies.evaluation.grants import Place
from policies.evaluation.material import Material
from policies.people import Workplace, operador, suporte

if TYPE_CHECKING:
    from infra.dry_run import Resource
    from policies.documents import PolicyDocument

__all__ = ["material_of", "read_stack"]

_ROLE: Final = "iam/role:Role"


def read_stack(stack: str) -> Material:
    """The documents of the stack in ``Pulumi.<stack>.yaml``, on an account of no one.

    Raises:
        FileNotFoundError: there is no such stack file.
        pulumi.RunError: a setting of it is wrong.
    """
    return material_of(run_program(stack, stack_file(stack)), stack_file(stack))


def material_of(run: Run, config: dict[str, str]) -> Material:
    """The documents of one run of the program, and those of the people and of the deployer."""
    mine = f"{PROJETO}:"
    settings = from_mapping(run.stack, {k.removeprefix(mine): v for k, v in config.items() if k.startswith(mine)})
    names = run.names
    trust = {_label(role, names): json.loads(role.inputs["assumeRolePolicy"]) for role in run.of(_ROLE)}
    identity = {
        _label_of(r.inputs["role"], names): json.loads(r.inputs["policy"]) for r in run.of("iam/rolePolicy:RolePolicy")
    }
    at = _workplace(names)
    people = {"suporte": suporte(at), "operador": operador(at), **implantador(_deployment(run, names))}
    return Material(
        stack=run.stack,
        place=Place(names.prefix, REGION, ACCOUNT),
        identity={**dict.fromkeys(trust, _NOTHING), **identity, **people},
        trust=trust,
        attached=_attached(run, names),
        resource=_resource_policies(run),
        arns=_arns(run, settings),
        traced=settings.rastreamento,
    )


_NOTHING: Final[PolicyDocument] = {"Version": "2012-10-17", "Statement": []}


def _label(role: Resource, names: Names) -> str:
    return _label_of(role.inputs["name"], names)


def _label_of(role: str, names: Names) -> str:
    """A role's short name: ``cesta-dev-api-role`` is ``api``."""
    return role.removeprefix(f"{names.prefix}-").removesuffix(Names.papel(""))


def _attached(run: Run, names: Names) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for attachment in run.of("iam/rolePolicyAttachment:RolePolicyAttachment"):
        label = _label_of(attachment.inputs["role"], names)
        found[label] = (*found.get(label, ()), attachment.inputs["policyArn"])
    return found


def _resource_policies(run: Run) -> dict[str, PolicyDocument]:
    """Policies on resources by the resource's ARN; a function's permissions are its policy's statements."""
    found: dict[str, PolicyDocument] = {}
    for policy in run.of("sqs/queuePolicy:QueuePolicy"):
        queue = policy.inputs["queueUrl"].rpartition("/")[2]
        found[arn_of("aws:sqs/queue:Queue", queue)] = json.loads(policy.inputs["policy"])
    for policy in run.of("sns/topicPolicy:TopicPolicy"):
        found[policy.inputs["arn"]] = json.loads(policy.inputs["policy"])
    # The run declares them in any order.
    for permission in sorted(run.of("lambda/permission:Permission"), key=lambda one: one.inputs.get("sourceArn", "")):
        arn = arn_of("aws:lambda/function:Function", permission.inputs["function"])
        policy = found.setdefault(arn, {"Version": "2012-10-17", "Statement": []})
        policy["Statement"].append(_as_statement(permission, arn, len(policy["Statement"]) + 1))
    return dict(sorted(found.items()))


def _as_statement(permission: Resource, arn: str, number: int) -> Any:
    inputs = permission.inputs
    condition: dict[str, dict[str, str]] = {}
    if "sourceArn" in inputs:
        condition["ArnLike"] = {"aws:SourceArn": inputs["sourceArn"]}
    if "sourceAccount" in inputs:
        condition["StringEquals"] = {"aws:SourceAccount": inputs["sourceAccount"]}
    return {
        "Sid": f"Permissao{number}",
        "Effect": "Allow",
        "Principal": {"Service": inputs["principal"]},
        "Action": [inputs["action"]],
        "Resource": [arn],
        "Condition": condition,
    }


def _arns(run: Run, settings: Settings) -> tuple[str, ...]:
    """Everything of the stack that a policy can be about, the gateway's parameters among it."""
    own = {arn for resource in run.resources if (arn := arn_of(resource.typ, resource.physical_name))}
    parameters = (f"arn:aws:ssm:{REGION}:{ACCOUNT}:parameter{name}" for name in settings.parametros_do_gateway.values())
    return tuple(sorted({*own, *parameters}))


def _workplace(names: Names) -> Workplace:
    def queue(name: str) -> str:
        return arn_of("aws:sqs/queue:Queue", name)

    def machine(name: str) -> str:
        return arn_of("aws:sfn/stateMachine:StateMachine", name)

    return Workplace(
        pedidos=arn_of("aws:dynamodb/table:Table", names.tabela_pedidos),
        estoque=arn_of("aws:dynamodb/table:Table", names.tabela_estoque),
        humana=queue(names.fila_humana),
        filas=tuple(queue(name) for name in (names.fila_criados, names.fila_criados_dlq, names.fila_humana)),
        maquina=machine(names.maquina_pedido),
        retomada=machine(names.maquina_retomada),
        cobranca=arn_of("aws:lambda/function:Function", names.funcao_da_etapa(Etapa.COBRAR_PAGAMENTO)),
        apis=f"arn:aws:apigateway:{REGION}::/restapis",
        topico=arn_of("aws:sns/topic:Topic", names.topico),
    )


def _deployment(run: Run, names: Names) -> Deployment:
    declared: dict[str, list[str]] = {}
    for resource in run.resources:
        arn = arn_of(resource.typ, resource.physical_name)
        declared.setdefault(resource.typ, []).extend([arn] if arn else [])
    passed: dict[str, list[str]] = {}
    for role in run.of(_ROLE):
        (statement,) = json.loads(role.inputs["assumeRolePolicy"])["Statement"]
        passed.setdefault(statement["Principal"]["Service"], []).append(arn_of(role.typ, role.inputs["name"]))
    attached: dict[str, list[str]] = {}
    for attachment in run.of("iam/rolePolicyAttachment:RolePolicyAttachment"):
        role_arn = arn_of(f"aws:{_ROLE}", attachment.inputs["role"])
        attached.setdefault(role_arn, []).append(attachment.inputs["policyArn"])
    return Deployment(
        declared=declared,
        passed=passed,
        attached=attached,
        alarms=arn_of("aws:cloudwatch/metricAlarm:MetricAlarm", f"{names.alarme('')}*"),
        consumer=arn_of("aws:lambda/function:Function", names.funcao_iniciador),
        region=REGION,
        account=ACCOUNT,
    )
