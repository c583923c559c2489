"""The executions of an order: the saga's own, named after it, and those that resumed it (design §4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from botocore.exceptions import ClientError

if TYPE_CHECKING:
    from mypy_boto3_stepfunctions import SFNClient

__all__ = ["SEM_EXECUCAO", "Execucao", "Execucoes", "arn_da_execucao", "nome_da_retomada", "pedido_da_execucao"]

SEM_EXECUCAO: Final = "nenhuma"
"""Stands for the name of an execution that does not exist."""

_VIVAS: Final = frozenset({"RUNNING", "PENDING_REDRIVE"})
_MAIS_RETOMADAS: Final = 50
"""Resumptions looked for: a person starts each of them."""


@dataclass(frozen=True)
class Execucao:
    """What Step Functions says of one execution.

    Attributes:
        arn: its ARN.
        nome: its name.
        status: RUNNING, SUCCEEDED, FAILED, TIMED_OUT or ABORTED.
        erro: the error it ended with, or "".
        causa: that error's cause, or "": text of any form.
    """

    arn: str
    nome: str
    status: str
    erro: str = ""
    causa: str = ""

    @property
    def viva(self) -> bool:
        """Whether it may still do something."""
        return self.status in _VIVAS


class Execucoes:
    """Executions by order."""

    def __init__(self, client: SFNClient, *, pedido_arn: str, retomada_arn: str) -> None:
        self._client = client
        self._pedido_arn = pedido_arn
        self._retomada_arn = retomada_arn

    def ultima(self, pedido_id: str) -> Execucao | None:
        """The one that answers for the order now: the live one, else the last there was; None if there was none.

        A history lives 90 days: an execution that ended longer ago is as none, and hides the resumptions after it. One
        of those that still lives has asked a person in vain all that time; the order is then told as a case once
        more, and what is resumed beside it finds everything done, or does it once.
        """
        ultima = self._descrever(self._pedido_arn, pedido_id)
        if ultima is not None and ultima.viva:
            return ultima
        for n in range(1, _MAIS_RETOMADAS + 1):
            retomada = self._descrever(self._retomada_arn, nome_da_retomada(pedido_id, n))
            if retomada is None:
                return ultima
            ultima = retomada
        return ultima

    def _descrever(self, maquina_arn: str, nome: str) -> Execucao | None:
        arn = arn_da_execucao(maquina_arn, nome)
        try:
            found = self._client.describe_execution(executionArn=arn)
        except ClientError as error:
            if error.response.get("Error", {}).get("Code") != "ExecutionDoesNotExist":
                raise
            return None
        # The emulator has null where AWS leaves the field out.
        return Execucao(arn, nome, found["status"], found.get("error") or "", found.get("cause") or "")


def arn_da_execucao(maquina_arn: str, nome: str) -> str:
    """ARN of the execution of that name."""
    return f"{maquina_arn.replace(':stateMachine:', ':execution:', 1)}:{nome}"


def nome_da_retomada(pedido_id: str, n: int) -> str:
    """Name of the order's ``n``-th resumption, from 1."""
    return f"{pedido_id}-c{n}"


def pedido_da_execucao(execucao_arn: str, *, retomada_arn: str) -> str:
    """The order an execution is about, from its name alone."""
    nome = execucao_arn.rpartition(":")[2]
    if execucao_arn.startswith(arn_da_execucao(retomada_arn, "")):
        return nome.rpartition("-c")[0]
    return nome
