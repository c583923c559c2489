"""What the deployer is declared to be able to do: manage each resource of the stack, and hand over its roles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from policies.evaluation.grants import ANY_ID, Grant, Only, grants

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["code", "data", "roles"]

_FUNCTIONS: Final = (
    *("api", "iniciador", "conciliador", "reservar-estoque", "cobrar-pagamento", "confirmar-pedido"),
    *("efetivar-reserva", "estornar-pagamento", "liberar-estoque"),
)
_MACHINES: Final = ("saga-pedido", "saga-retomada")
_API_LOGS_ROLE: Final = "api-acessos"

_HERE: Final = "{region}:{account}:"
_NO_ID_YET: Final = "AWS makes its id up, and takes no other resource"
_COMPOSITES: Final = "with any narrower scope AWS tells nothing of composite alarms"
_NO_RESOURCE: Final = "AWS takes no resource for it"


def data(*, watched: bool, access_log: bool) -> tuple[Grant, ...]:
    """What the deployer may do to tables, queues, topics, logs, alarms and rules.

    Args:
        watched: whether the stack watches for strange starts and card numbers in logs.
        access_log: whether the API keeps access logs.
    """
    rules = ("conciliacao", "execucoes-mortas", *(("partida-estranha",) if watched else ()))
    return (
        *grants(
            "dynamodb:CreateTable dynamodb:DescribeTable dynamodb:UpdateTable dynamodb:DeleteTable "
            "dynamodb:DescribeContinuousBackups dynamodb:UpdateContinuousBackups dynamodb:DescribeTimeToLive "
            "dynamodb:TagResource dynamodb:UntagResource dynamodb:ListTagsOfResource",
            *(f"arn:aws:dynamodb:{_HERE}table/{{prefix}}-{name}" for name in ("pedidos", "estoque")),
        ),
        *grants(
            "sqs:CreateQueue sqs:GetQueueAttributes sqs:SetQueueAttributes sqs:GetQueueUrl sqs:DeleteQueue "
            "sqs:TagQueue sqs:UntagQueue sqs:ListQueueTags",
            *(
                f"arn:aws:sqs:{_HERE}{{prefix}}-{name}"
                for name in ("pedidos-criados", "pedidos-criados-dlq", "compensacao-falhou")
            ),
        ),
        *grants(
            "sns:CreateTopic sns:GetTopicAttributes sns:SetTopicAttributes sns:DeleteTopic sns:Subscribe "
            "sns:TagResource sns:UntagResource sns:ListTagsForResource",
            f"arn:aws:sns:{_HERE}{{prefix}}-saga-alertas",
        ),
        *grants(
            "logs:CreateLogGroup logs:DeleteLogGroup logs:PutRetentionPolicy logs:TagResource logs:UntagResource "
            "logs:ListTagsForResource logs:PutDataProtectionPolicy logs:GetDataProtectionPolicy "
            "logs:DeleteDataProtectionPolicy",
            *(f"arn:aws:logs:{_HERE}log-group:{name}" for name in _log_groups(watched=watched, access_log=access_log)),
        ),
        *grants(
            "cloudwatch:PutMetricAlarm cloudwatch:PutCompositeAlarm cloudwatch:DeleteAlarms cloudwatch:TagResource "
            "cloudwatch:UntagResource cloudwatch:ListTagsForResource",
            f"arn:aws:cloudwatch:{_HERE}alarm:{{prefix}}-saga-{ANY_ID}",
        ),
        *grants(
            "events:PutRule events:DescribeRule events:DeleteRule events:PutTargets events:RemoveTargets "
            "events:ListTargetsByRule events:TagResource events:UntagResource events:ListTagsForResource",
            *(f"arn:aws:events:{_HERE}rule/{{prefix}}-{name}" for name in rules),
        ),
        *grants(
            "cloudwatch:PutDashboard cloudwatch:GetDashboard cloudwatch:DeleteDashboards",
            "arn:aws:cloudwatch::{account}:dashboard/{prefix}-saga",
        ),
        *grants("cloudwatch:DescribeAlarms", "*", why=_COMPOSITES),
        *grants(
            "logs:CreateLogDelivery logs:DescribeLogGroups logs:DescribeResourcePolicies logs:PutResourcePolicy "
            "sns:GetSubscriptionAttributes sns:SetSubscriptionAttributes sns:Unsubscribe",
            "*",
            why=_NO_RESOURCE,
        ),
    )


def roles(*, watched: bool, api_logs_role: bool) -> tuple[Grant, ...]:
    """What the deployer may do to the stack's roles, and to whom it may hand them.

    Args:
        watched: see `data`.
        api_logs_role: whether the account's role for API logs is the stack's.
    """
    takers = {
        "lambda.amazonaws.com": _FUNCTIONS,
        "states.amazonaws.com": _MACHINES,
        "apigateway.amazonaws.com": (_API_LOGS_ROLE,) if api_logs_role else (),
        "events.amazonaws.com": ("vigia",) if watched else (),
    }
    return _roles(takers)


def code() -> tuple[Grant, ...]:
    """What the deployer may do to functions, machines and the API."""
    return (
        *grants(
            "states:CreateStateMachine states:DescribeStateMachine states:UpdateStateMachine "
            "states:DeleteStateMachine states:ListStateMachineVersions states:TagResource states:UntagResource "
            "states:ListTagsForResource",
            *(f"arn:aws:states:{_HERE}stateMachine:{{prefix}}-{name}" for name in _MACHINES),
        ),
        *grants(
            "lambda:CreateFunction lambda:GetFunction lambda:GetFunctionCodeSigningConfig lambda:UpdateFunctionCode "
            "lambda:UpdateFunctionConfiguration lambda:DeleteFunction lambda:ListVersionsByFunction lambda:GetPolicy "
            "lambda:AddPermission lambda:RemovePermission lambda:PutFunctionEventInvokeConfig "
            "lambda:GetFunctionEventInvokeConfig lambda:DeleteFunctionEventInvokeConfig lambda:PutFunctionConcurrency "
            "lambda:DeleteFunctionConcurrency lambda:TagResource lambda:UntagResource lambda:ListTags",
            *(f"arn:aws:lambda:{_HERE}function:{{prefix}}-{name}" for name in _FUNCTIONS),
        ),
        *_mappings(),
        *_apis(),
        *grants("states:ValidateStateMachineDefinition", "*", why=_NO_RESOURCE),
    )


def _log_groups(*, watched: bool, access_log: bool) -> tuple[str, ...]:
    return (
        *(f"/aws/lambda/{{prefix}}-{name}" for name in _FUNCTIONS),
        *(f"/aws/vendedlogs/states/{{prefix}}-{name}" for name in _MACHINES),
        *(("/aws/apigateway/{prefix}-api",) if access_log else ()),
        *(("/aws/vendedlogs/{prefix}-cartoes-achados",) if watched else ()),
    )


def _role(name: str) -> str:
    return f"arn:aws:iam::{{account}}:role/{{prefix}}-{name}-role"


def _roles(takers: Mapping[str, tuple[str, ...]]) -> tuple[Grant, ...]:
    return (
        *grants(
            "iam:CreateRole iam:GetRole iam:DeleteRole iam:UpdateAssumeRolePolicy iam:TagRole iam:UntagRole "
            "iam:ListRolePolicies iam:ListAttachedRolePolicies iam:ListInstanceProfilesForRole iam:PutRolePolicy "
            "iam:GetRolePolicy iam:DeleteRolePolicy",
            *(_role(name) for names in takers.values() for name in names),
        ),
        *(
            grant
            for service, names in takers.items()
            for grant in grants(
                "iam:PassRole",
                *(_role(name) for name in names),
                only=Only("iam:PassedToService", frozenset({service})),
            )
        ),
        *grants(
            "iam:AttachRolePolicy iam:DetachRolePolicy",
            *(_role(name) for name in takers["apigateway.amazonaws.com"]),
            only=Only(
                "iam:PolicyARN",
                frozenset({"arn:aws:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs"}),
            ),
        ),
    )


def _mappings() -> tuple[Grant, ...]:
    starter = Only("lambda:FunctionArn", frozenset({f"arn:aws:lambda:{_HERE}function:{{prefix}}-iniciador"}))
    mapping = f"arn:aws:lambda:{_HERE}event-source-mapping:{ANY_ID}"
    return (
        *grants("lambda:CreateEventSourceMapping", "*", only=starter, why=_NO_ID_YET),
        *grants(
            "lambda:GetEventSourceMapping lambda:UpdateEventSourceMapping lambda:DeleteEventSourceMapping",
            mapping,
            only=starter,
        ),
        *grants("lambda:ListTags lambda:TagResource lambda:UntagResource", mapping),
    )


def _apis() -> tuple[Grant, ...]:
    apis = "arn:aws:apigateway:{region}::/"
    return (
        *grants(
            "apigateway:DELETE apigateway:GET apigateway:PATCH apigateway:POST apigateway:PUT",
            f"{apis}restapis",
            f"{apis}restapis/{ANY_ID}",
            f"{apis}tags/{ANY_ID}",
        ),
        *grants("apigateway:GET apigateway:PATCH", f"{apis}account"),
    )
