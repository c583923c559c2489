"""What the infrastructure tests look at: a dry run of the program (`infra.dry_run`), and what it should hold."""

from __future__ import annotations

from infra import packaging
from infra.dry_run import ACCOUNT, REGION, Resource, Run, run_program, stack_file

__all__ = [
    "ACCOUNT",
    "FUNCTIONS",
    "GATEWAY",
    "REGION",
    "ROOT",
    "STEPS",
    "Resource",
    "Run",
    "queue_arn",
    "run_program",
    "stack_file",
]

ROOT = packaging.ROOT
GATEWAY = {"cesta:gatewayUrl": "https://gateway.teste.invalid"}
"""The least a stack must say."""
STEPS = (
    "reservar-estoque",
    "liberar-estoque",
    "efetivar-reserva",
    "cobrar-pagamento",
    "estornar-pagamento",
    "confirmar-pedido",
)
FUNCTIONS = ("api", "iniciador", "conciliador", *STEPS)


def queue_arn(name: str) -> str:
    """ARN of a queue in the account the monitor answers for."""
    return f"arn:aws:sqs:{REGION}:{ACCOUNT}:{name}"
