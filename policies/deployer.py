"""What ``pulumi up`` needs, and no more: the calls the AWS provider makes for the resource types of the program.

Derived from what the program declares (`infra.declared`): each resource by its own ARN, patterns only where the id
does not exist before the resource does. A type this module has no calls for is an error, so the document cannot fall
behind the program.

What it cannot hold back: who may write a role's policy and deploy code under that role may do what the role can be
made to do. Give it to the pipeline, not to people, and put the account's permissions boundary on the pipeline.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from policies.conditions import attaching, feeding, passed_to
from policies.documents import PolicyDocument, Statement, allow, document

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

__all__ = ["Deployment", "UnknownTypeError", "implantador"]

_ROLE: Final = "aws:iam/role:Role"


@dataclass(frozen=True)
class _Calls:
    """What managing a resource type takes.

    Attributes:
        sid: the statement's name; types of one service that are managed on the same ARNs share one.
        own: calls on the resource itself, service prefix left out.
        service: the prefix.
    """

    sid: str
    service: str
    own: str


_ALARM: Final = _Calls(
    "Alarmes",
    "cloudwatch",
    "PutMetricAlarm PutCompositeAlarm DeleteAlarms TagResource UntagResource ListTagsForResource",
)
_CALLS: Final[Mapping[str, _Calls]] = {
    "aws:cloudwatch/logGroup:LogGroup": _Calls(
        "Logs",
        "logs",
        "CreateLogGroup DeleteLogGroup PutRetentionPolicy TagResource UntagResource ListTagsForResource "
        "PutDataProtectionPolicy GetDataProtectionPolicy DeleteDataProtectionPolicy",
    ),
    "aws:cloudwatch/dashboard:Dashboard": _Calls("Paineis", "cloudwatch", "PutDashboard GetDashboard DeleteDashboards"),
    "aws:cloudwatch/eventRule:EventRule": _Calls(
        "Regras",
        "events",
        "PutRule DescribeRule DeleteRule PutTargets RemoveTargets ListTargetsByRule "
        "TagResource UntagResource ListTagsForResource",
    ),
    "aws:dynamodb/table:Table": _Calls(
        "Tabelas",
        "dynamodb",
        "CreateTable DescribeTable UpdateTable DeleteTable DescribeContinuousBackups UpdateContinuousBackups "
        "DescribeTimeToLive TagResource UntagResource ListTagsOfResource",
    ),
    _ROLE: _Calls(
        "Papeis",
        "iam",
        "CreateRole GetRole DeleteRole UpdateAssumeRolePolicy TagRole UntagRole ListRolePolicies "
        "ListAttachedRolePolicies ListInstanceProfilesForRole PutRolePolicy GetRolePolicy DeleteRolePolicy",
    ),
    "aws:lambda/function:Function": _Calls(
        "Funcoes",
        "lambda",
        "CreateFunction GetFunction GetFunctionCodeSigningConfig UpdateFunctionCode UpdateFunctionConfiguration "
        "DeleteFunction ListVersionsByFunction GetPolicy AddPermission RemovePermission "
        "PutFunctionEventInvokeConfig GetFunctionEventInvokeConfig DeleteFunctionEventInvokeConfig "
        "PutFunctionConcurrency DeleteFunctionConcurrency TagResource UntagResource ListTags",
    ),
    "aws:sfn/stateMachine:StateMachine": _Calls(
        "Maquinas",
        "states",
        "CreateStateMachine DescribeStateMachine UpdateStateMachine DeleteStateMachine ListStateMachineVersions "
        "TagResource UntagResource ListTagsForResource",
    ),
    "aws:sns/topic:Topic": _Calls(
        "Topicos",
        "sns",
        "CreateTopic GetTopicAttributes SetTopicAttributes DeleteTopic Subscribe "
        "TagResource UntagResource ListTagsForResource",
    ),
    "aws:sqs/queue:Queue": _Calls(
        "Filas",
        "sqs",
        "CreateQueue GetQueueAttributes SetQueueAttributes GetQueueUrl DeleteQueue TagQueue UntagQueue ListQueueTags",
    ),
}
"""Types with an ARN of their own."""

_CODE: Final = ("aws:lambda/function:Function", "aws:sfn/stateMachine:StateMachine")
"""Of those, the ones that decide what runs."""

_PART_OF_ANOTHER: Final = frozenset(
    {
        "aws:cloudwatch/eventTarget:EventTarget",
        "aws:cloudwatch/logDataProtectionPolicy:LogDataProtectionPolicy",
        "aws:iam/rolePolicy:RolePolicy",
        "aws:lambda/functionEventInvokeConfig:FunctionEventInvokeConfig",
        "aws:lambda/permission:Permission",
        "aws:sns/topicPolicy:TopicPolicy",
        "aws:sqs/queuePolicy:QueuePolicy",
        "aws:sqs/redriveAllowPolicy:RedriveAllowPolicy",
    }
)
"""Types that are a property of a resource above: its own calls set them."""

_SPECIAL: Final = frozenset(
    {
        "aws:apigateway/account:Account",
        "aws:apigateway/deployment:Deployment",
        "aws:apigateway/gatewayResponse:Response",
        "aws:apigateway/methodSettings:MethodSettings",
        "aws:apigateway/restApi:RestApi",
        "aws:apigateway/stage:Stage",
        "aws:cloudwatch/compositeAlarm:CompositeAlarm",
        "aws:cloudwatch/metricAlarm:MetricAlarm",
        "aws:iam/rolePolicyAttachment:RolePolicyAttachment",
        "aws:lambda/eventSourceMapping:EventSourceMapping",
        "aws:sns/topicSubscription:TopicSubscription",
    }
)
"""Types with ids AWS makes up, named by a prefix, or whose calls need a condition: their statements are written out."""


class UnknownTypeError(Exception):
    """The program declares a resource type whose calls are not listed here.

    Attributes:
        types: the type tokens.
    """

    def __init__(self, types: Iterable[str]) -> None:
        self.types = sorted(types)
        super().__init__(
            f"não sei o que implantar {', '.join(self.types)} exige; acrescente as chamadas em policies/deployer.py"
        )


@dataclass(frozen=True)
class Deployment:
    """What is deployed, and where.

    Attributes:
        declared: ARNs of what the program declares, by type token; none for types without an ARN of their own.
        passed: ARNs of the roles handed to each service, by the service's principal.
        attached: ARNs of the managed policies attached to each role, by the role's ARN.
        alarms: pattern of the ARNs of the stack's alarms.
        consumer: ARN of the function the entry queue feeds.
        region: AWS region.
        account: 12 digits.
    """

    declared: Mapping[str, Iterable[str]]
    passed: Mapping[str, Iterable[str]]
    attached: Mapping[str, Iterable[str]]
    alarms: str
    consumer: str
    region: str
    account: str


def implantador(of: Deployment) -> dict[str, PolicyDocument]:
    """The deployer's policies, by name: three, since one would be over the size of a managed policy.

    Raises:
        UnknownTypeError: the program declares a type that is not known here.
    """
    if unknown := of.declared.keys() - _CALLS.keys() - _PART_OF_ANOTHER - _SPECIAL:
        raise UnknownTypeError(unknown)
    return {
        "implantador-dados": document(*_data(of)),
        "implantador-papeis": document(*_roles(of)),
        "implantador-codigo": document(*_code(of)),
    }


def _data(of: Deployment) -> Iterator[Statement]:
    """Tables, queues, topics, logs, alarms and rules."""
    yield from (_managed(calls, of.declared[kind]) for kind, calls in _CALLS.items() if _is_data(kind, of))
    # By the stack's prefix, not one by one: an alarm more or fewer is no change of what the deployer may do.
    yield _managed(_ALARM, [of.alarms])
    # Of composite alarms it tells nothing with any narrower scope (CloudWatch API reference, "DescribeAlarms").
    yield allow("LerAlarmes", ["cloudwatch:DescribeAlarms"], ["*"])
    yield allow(
        "EntregaDeLogs",
        # Where a machine's log and the findings in a log go, by CloudWatch Logs' own delivery.
        ["logs:CreateLogDelivery", "logs:DescribeLogGroups", "logs:DescribeResourcePolicies", "logs:PutResourcePolicy"],
        ["*"],
    )
    yield allow(
        "Assinaturas", ["sns:GetSubscriptionAttributes", "sns:SetSubscriptionAttributes", "sns:Unsubscribe"], ["*"]
    )


def _roles(of: Deployment) -> Iterator[Statement]:
    """The stack's roles, and handing each to its own service."""
    yield _managed(_CALLS[_ROLE], of.declared[_ROLE])
    yield from (_passing(service, roles) for service, roles in sorted(of.passed.items()))
    yield from (_attaching(number, *pair) for number, pair in enumerate(sorted(of.attached.items()), 1))


def _code(of: Deployment) -> Iterator[Statement]:
    """Functions, machines and the API."""
    yield from (_managed(_CALLS[kind], of.declared[kind]) for kind in _CODE if kind in of.declared)
    yield from _mappings(of.consumer, of.region, of.account)
    # An API's id is made up by AWS; until then there is no ARN to name.
    yield allow(
        "Apis",
        [f"apigateway:{method}" for method in ("DELETE", "GET", "PATCH", "POST", "PUT")],
        [f"arn:aws:apigateway:{of.region}::/{path}" for path in ("restapis", "restapis/*", "tags/*")],
    )
    # The role that API Gateway logs with is the account's, for all of its APIs.
    yield allow("LogsDasApis", ["apigateway:GET", "apigateway:PATCH"], [f"arn:aws:apigateway:{of.region}::/account"])
    yield allow("ConferirDefinicao", ["states:ValidateStateMachineDefinition"], ["*"])


def _is_data(kind: str, of: Deployment) -> bool:
    return kind in of.declared and kind not in (_ROLE, *_CODE)


def _managed(calls: _Calls, arns: Iterable[str]) -> Statement:
    return allow(calls.sid, [f"{calls.service}:{call}" for call in calls.own.split()], arns)


def _passing(service: str, roles: Iterable[str]) -> Statement:
    name = service.partition(".")[0].capitalize()
    return allow(f"EntregarA{name}", ["iam:PassRole"], roles, when=passed_to(service))


def _attaching(number: int, role: str, policies: Iterable[str]) -> Statement:
    return allow(
        f"AnexarPolitica{number}", ["iam:AttachRolePolicy", "iam:DetachRolePolicy"], [role], when=attaching(policies)
    )


def _mappings(consumer: str, region: str, account: str) -> tuple[Statement, ...]:
    """The entry queue's mapping: an id made up by AWS, so the function it feeds is what is named."""
    mappings = f"arn:aws:lambda:{region}:{account}:event-source-mapping:*"
    calls = ("DeleteEventSourceMapping", "GetEventSourceMapping", "UpdateEventSourceMapping")
    return (
        allow("CriarConsumo", ["lambda:CreateEventSourceMapping"], ["*"], when=feeding(consumer)),
        allow("Consumo", [f"lambda:{call}" for call in calls], [mappings], when=feeding(consumer)),
        allow("EtiquetarConsumo", ["lambda:ListTags", "lambda:TagResource", "lambda:UntagResource"], [mappings]),
    )
