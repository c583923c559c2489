"""What each principal is declared to be able to do: the table a reviewer reads, and the documents are held to.

Written apart from the documents on purpose. A document may only change together with its line here; a role of the
program that has no line here fails the verification, and so does a line without a role.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from policies import declared_deployer as deployer
from policies.evaluation.grants import ANY_ID, Account, ActsFor, Grant, Reads, Trusted, Writes, grants
from policies.evaluation.verification import Declarations

if TYPE_CHECKING:
    from collections.abc import Mapping

    from policies.evaluation.material import Material

__all__ = ["declarations"]

_DYNAMODB: Final = "arn:aws:dynamodb:{region}:{account}:table/{prefix}-"
_SQS: Final = "arn:aws:sqs:{region}:{account}:{prefix}-"
_SNS: Final = "arn:aws:sns:{region}:{account}:{prefix}-"
_LAMBDA: Final = "arn:aws:lambda:{region}:{account}:function:{prefix}-"
_MACHINE: Final = "arn:aws:states:{region}:{account}:stateMachine:{prefix}-"
_EXECUTION: Final = "arn:aws:states:{region}:{account}:execution:{prefix}-"
_LOGS: Final = "arn:aws:logs:{region}:{account}:log-group:"
_PARAMETER: Final = "arn:aws:ssm:{region}:{account}:parameter/{prefix}/gateway/"
_ALARM: Final = "arn:aws:cloudwatch:{region}:{account}:alarm:{prefix}-saga-"
_RULE: Final = "arn:aws:events:{region}:{account}:rule/{prefix}-"
_APIS: Final = "arn:aws:apigateway:{region}::/"

PEDIDOS: Final = f"{_DYNAMODB}pedidos"
ESTOQUE: Final = f"{_DYNAMODB}estoque"
CRIADOS: Final = f"{_SQS}pedidos-criados"
HUMANA: Final = f"{_SQS}compensacao-falhou"
FILAS: Final = (CRIADOS, f"{CRIADOS}-dlq", HUMANA)
TOPICO: Final = f"{_SNS}saga-alertas"
PEDIDO: Final = "saga-pedido"
RETOMADA: Final = "saga-retomada"

_STEPS: Final = (
    *("reservar-estoque", "cobrar-pagamento", "confirmar-pedido", "efetivar-reserva", "estornar-pagamento"),
    "liberar-estoque",
)
_UNDOING: Final = ("efetivar-reserva", "estornar-pagamento", "liberar-estoque")
_FUNCTIONS: Final = ("api", "iniciador", "conciliador", *_STEPS)

_LEDGER: Final = "pedidoId status cobranca estorno atualizadoEm"
_POSTED: Final = "pedidoId sku quantidade valorCentavos criadoEm falhas status hashConteudo cliente"
_SHOWN: Final = (
    "pedidoId sku quantidade valorCentavos criadoEm status atualizadoEm pendenteDesde motivo detalhe caso cobranca "
    "estorno responsavel justificativa resolucao decididoEm verificarEm falhas reenvio"
)
_LOG_DELIVERY: Final = "CloudWatch Logs delivers vended logs for the account, not for one log group"


_TRACES: Final = "xray:PutTelemetryRecords xray:PutTraceSegments"
_SAMPLING: Final = "xray:GetSamplingRules xray:GetSamplingTargets"
_EMBEDDED: Final = "local"
_API_LOGS_ROLE: Final = "api-acessos"


def declarations(material: Material) -> Declarations:
    """What the principals of that stack are declared to be able to do.

    Three things differ between stacks: the embedded one has no watch (its emulator has no CloudTrail) and speaks plain
    http; a stack keeps access logs with a role of its own, with the account's, or not at all; and it is traced or not.
    """
    place, embedded = material.place, material.stack == _EMBEDDED
    own_role = _API_LOGS_ROLE in material.trust
    access_log = place.arn(f"{_LOGS}/aws/apigateway/{{prefix}}-api") in material.arns
    watched = {} if embedded else {"vigia": grants("sns:Publish", TOPICO)}
    watcher = {} if embedded else {"vigia": Trusted("events.amazonaws.com", ActsFor(f"{_RULE}partida-estranha"))}
    return Declarations(
        identity={
            **_traced(
                {**_STEP_GRANTS, "api": _API, "iniciador": _STARTER, "conciliador": _RECONCILER}, _TRACES, material
            ),
            **_traced({PEDIDO: _machine(_STEPS), RETOMADA: _machine(_UNDOING)}, f"{_SAMPLING} {_TRACES}", material),
            "suporte": _LOOKING,
            "operador": _OPERATOR,
            "implantador-dados": deployer.data(watched=not embedded, access_log=access_log),
            "implantador-papeis": deployer.roles(watched=not embedded, api_logs_role=own_role),
            "implantador-codigo": deployer.code(),
            **watched,
            **({_API_LOGS_ROLE: ()} if own_role else {}),
        },
        trust={
            **{name: Trusted("lambda.amazonaws.com", ActsFor(account=Account.OURS_IF_SAID)) for name in _FUNCTIONS},
            **{name: Trusted("states.amazonaws.com", ActsFor(f"{_MACHINE}{name}")) for name in (PEDIDO, RETOMADA)},
            **watcher,
            **({_API_LOGS_ROLE: _API_LOGS_TRUST} if own_role else {}),
        },
        attached=_ATTACHED,
        resource=_BY_SERVICES,
        over_tls=() if embedded else (*FILAS, TOPICO),
    )


def _traced(roles: Mapping[str, tuple[Grant, ...]], calls: str, material: Material) -> Mapping[str, tuple[Grant, ...]]:
    traces = grants(calls, "*", why="X-Ray takes no resource") if material.traced else ()
    return {name: (*granted, *traces) for name, granted in roles.items()}


def _attributes(names: str) -> frozenset[str]:
    return frozenset(names.split())


def _reads(names: str) -> Reads:
    return Reads(_attributes(names))


def _writes(names: str) -> Writes:
    return Writes(_attributes(names))


def _own_log(name: str) -> tuple[Grant, ...]:
    group = f"{_LOGS}/aws/lambda/{{prefix}}-{name}"
    return grants("logs:CreateLogStream logs:PutLogEvents", f"{group}:log-stream:{ANY_ID}")


# --- Functions --------------------------------------------------------------------------------------------------------

_STOCK: Final = Writes(_attributes("sku saldo reservas"), frozenset({"NONE", "UPDATED_OLD"}))
_SETTLING: Final = Writes(_attributes("sku reservas"), frozenset({"NONE", "UPDATED_OLD"}))

_STEP_GRANTS: Final[Mapping[str, tuple[Grant, ...]]] = {
    "reservar-estoque": (*_own_log("reservar-estoque"), *grants("dynamodb:UpdateItem", ESTOQUE, only=_STOCK)),
    "liberar-estoque": (*_own_log("liberar-estoque"), *grants("dynamodb:UpdateItem", ESTOQUE, only=_STOCK)),
    "efetivar-reserva": (
        *_own_log("efetivar-reserva"),
        *grants("dynamodb:UpdateItem", ESTOQUE, only=_SETTLING),
        *grants("dynamodb:GetItem", PEDIDOS, only=_reads("pedidoId status")),
        *grants("dynamodb:UpdateItem", PEDIDOS, only=_writes("pedidoId status pendenteDesde")),
    ),
    # The only one that reads the card token.
    "cobrar-pagamento": (
        *_own_log("cobrar-pagamento"),
        *grants("dynamodb:GetItem", PEDIDOS, only=_reads("pedidoId status valorCentavos cartaoToken cobranca estorno")),
        *grants("dynamodb:UpdateItem", PEDIDOS, only=_writes(_LEDGER)),
        *grants("ssm:GetParameter", *(f"{_PARAMETER}{name}" for name in ("cobranca", "estorno", "consulta"))),
    ),
    "estornar-pagamento": (
        *_own_log("estornar-pagamento"),
        *grants("dynamodb:GetItem", PEDIDOS, only=_reads("pedidoId status cobranca estorno")),
        *grants("dynamodb:UpdateItem", PEDIDOS, only=_writes(f"{_LEDGER} cartaoToken")),
        *grants("ssm:GetParameter", *(f"{_PARAMETER}{name}" for name in ("estorno", "consulta"))),
    ),
    "confirmar-pedido": (
        *_own_log("confirmar-pedido"),
        *grants("dynamodb:GetItem", PEDIDOS, only=_reads("pedidoId status")),
        *grants("dynamodb:UpdateItem", PEDIDOS, only=_writes("pedidoId status cobranca cartaoToken atualizadoEm")),
    ),
}

_API: Final = (
    *_own_log("api"),
    *grants("dynamodb:GetItem", PEDIDOS, only=_reads(f"{_POSTED} atualizadoEm motivo cobranca")),
    *grants("dynamodb:PutItem", PEDIDOS, only=_writes(f"{_POSTED} cartaoToken atualizadoEm pendenteDesde")),
    *grants("sqs:SendMessage", CRIADOS),
)

_STARTER: Final = (
    *_own_log("iniciador"),
    *grants("dynamodb:GetItem", PEDIDOS, only=_reads(_POSTED)),
    *grants("sqs:DeleteMessage sqs:GetQueueAttributes sqs:ReceiveMessage", CRIADOS),
    *grants("states:StartExecution", f"{_MACHINE}{PEDIDO}"),
    *grants("states:DescribeExecution", f"{_EXECUTION}{PEDIDO}:{ANY_ID}"),
)

_RECONCILER: Final = (
    *_own_log("conciliador"),
    *grants(
        "dynamodb:GetItem",
        PEDIDOS,
        only=_reads(
            "pedidoId sku quantidade valorCentavos criadoEm falhas status atualizadoEm pendenteDesde verificarEm "
            "motivo cobranca estorno caso reenvio"
        ),
    ),
    *grants(
        "dynamodb:UpdateItem",
        PEDIDOS,
        only=_writes(f"{_LEDGER} pendenteDesde verificarEm caso reenvio cartaoToken"),
    ),
    *grants("dynamodb:GetItem", ESTOQUE, only=_reads("sku reservas")),
    *grants("dynamodb:UpdateItem", ESTOQUE, only=_SETTLING),
    *grants(
        "dynamodb:Query",
        f"{PEDIDOS}/index/pendentes",
        f"{PEDIDOS}/index/verificacoes",
        only=_reads("pedidoId status pendenteDesde verificarEm"),
    ),
    *grants("ssm:GetParameter", f"{_PARAMETER}consulta"),
    *grants("sqs:SendMessage", CRIADOS, HUMANA),
    *grants("states:DescribeExecution", *(f"{_EXECUTION}{name}:{ANY_ID}" for name in (PEDIDO, RETOMADA))),
)


# --- State machines ---------------------------------------------------------------------------------------------------


def _machine(steps: tuple[str, ...]) -> tuple[Grant, ...]:
    written = (
        "pedidoId status atualizadoEm cartaoToken pendenteDesde motivo detalhe caso responsavel justificativa "
        "resolucao decididoEm verificarEm"
    )
    return (
        *grants("lambda:InvokeFunction", *(f"{_LAMBDA}{step}" for step in steps)),
        *grants("sqs:SendMessage", HUMANA),
        *grants("dynamodb:UpdateItem", PEDIDOS, only=_writes(written)),
        *grants(
            "logs:CreateLogDelivery logs:DeleteLogDelivery logs:DescribeLogGroups logs:DescribeResourcePolicies "
            "logs:GetLogDelivery logs:ListLogDeliveries logs:PutResourcePolicy logs:UpdateLogDelivery",
            "*",
            why=_LOG_DELIVERY,
        ),
    )


# --- People -----------------------------------------------------------------------------------------------------------

_LOOKING: Final = (
    *grants("dynamodb:GetItem", PEDIDOS, only=_reads(_SHOWN)),
    *grants("dynamodb:GetItem", ESTOQUE),
    *grants("states:ListExecutions", f"{_MACHINE}{PEDIDO}", f"{_MACHINE}{RETOMADA}"),
    *grants(
        "states:DescribeExecution states:GetExecutionHistory",
        f"{_EXECUTION}{PEDIDO}:{ANY_ID}",
        f"{_EXECUTION}{RETOMADA}:{ANY_ID}",
    ),
    *grants("sqs:GetQueueUrl", *FILAS),
    *grants("lambda:GetFunctionConfiguration", f"{_LAMBDA}cobrar-pagamento"),
    *grants("apigateway:GET", f"{_APIS}restapis"),
    *grants("states:DescribeStateMachine", f"{_MACHINE}{PEDIDO}", f"{_MACHINE}{RETOMADA}"),
    *grants("cloudwatch:DescribeAlarms", "*", why="with less, composite alarms are left out of the answer"),
    *grants("sns:ListSubscriptionsByTopic", TOPICO),
)

_OPERATOR: Final = (
    *_LOOKING,
    *grants("sqs:ReceiveMessage sqs:DeleteMessage sqs:ChangeMessageVisibility sqs:GetQueueAttributes", HUMANA),
    *grants(
        "states:SendTaskSuccess states:SendTaskFailure",
        "*",
        why="Step Functions takes no resource: the task token is the capability",
    ),
    *grants("states:StartExecution", f"{_MACHINE}{RETOMADA}"),
    *grants("states:StopExecution", *(f"{_EXECUTION}{name}:{ANY_ID}" for name in (PEDIDO, RETOMADA))),
    *grants(
        "dynamodb:Query",
        f"{PEDIDOS}/index/pendentes",
        f"{PEDIDOS}/index/verificacoes",
        only=_reads("pedidoId status"),
    ),
)


# --- A policy of AWS's own, and policies on resources -----------------------------------------------------------------

_API_LOGS_TRUST: Final = Trusted("apigateway.amazonaws.com", ActsFor(account=Account.ANY))
"""API Gateway says for no one when it takes the account's role for API logs ("Set up CloudWatch logging")."""

_ATTACHED: Final = {
    _API_LOGS_ROLE: {
        "arn:aws:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs": (
            "API Gateway tries the account's role at once, and refuses one with less"
        )
    }
}

_BY_SERVICES: Final = (
    *grants("sns:Publish", TOPICO, by="cloudwatch.amazonaws.com", only=ActsFor(f"{_ALARM}{ANY_ID}")),
    *grants(
        "sqs:SendMessage",
        HUMANA,
        by="events.amazonaws.com",
        only=ActsFor(f"{_RULE}execucoes-mortas", Account.ANY),
    ),
    *(
        grant
        for rule in ("execucoes-mortas", "conciliacao")
        for grant in grants(
            "lambda:InvokeFunction",
            f"{_LAMBDA}conciliador",
            by="events.amazonaws.com",
            only=ActsFor(f"{_RULE}{rule}", Account.ANY),
        )
    ),
    *(
        grant
        for request in ("/POST/pedidos", f"/GET/pedidos/{ANY_ID}")
        for grant in grants(
            "lambda:InvokeFunction",
            f"{_LAMBDA}api",
            by="apigateway.amazonaws.com",
            only=ActsFor(f"arn:aws:execute-api:{{region}}:{{account}}:abc123/{ANY_ID}{request}", Account.ANY),
        )
    ),
)
