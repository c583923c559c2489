"""Answers a case: through its task token, or, when that is lost, on ``cesta-saga-retomada`` (design §4).

A message leaves the queue only once its answer was accepted. Nothing is told as done before it is seen to be done.
"""

from __future__ import annotations

import getpass
import json
import os
import random
import socket
import time
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from botocore.exceptions import BotoCoreError, ClientError

from handlers.domain.reconciliation_executions import nome_da_retomada
from infra.ops.errors import CaseRefusedError
from infra.ops.executions import ASKING, resumption_arn
from infra.ops.history import read_execution
from infra.ops.human_queue import delete, held, others_hold
from infra.ops.intervention import load
from infra.ops.words import INTERRUPTED

if TYPE_CHECKING:
    from collections.abc import Generator, Mapping, Sequence

    from infra.ops.facts import OrderRow
    from infra.ops.history import Execution
    from infra.ops.human_queue import Message
    from infra.ops.intervention import Case, Decision, Pending
    from infra.ops.target import Target

__all__ = [
    "Answer",
    "Outcome",
    "Resumed",
    "answer",
    "discard",
    "discard_stray",
    "resumption_input",
    "wait_for_result",
    "who_asks",
]

_DEAD_TOKEN: Final = frozenset({"TaskTimedOut", "TaskDoesNotExist", "InvalidToken"})
"""What Step Functions says of a token whose task is over (SendTaskSuccess, "Errors")."""
_CONTENTION_SECONDS: Final = 70
"""Longer than another reader can hide a message."""
_TIDYING_SECONDS: Final = 3
_POLL_SECONDS: Final = {"local": 0.2, "aws": 3.0}


@dataclass(frozen=True)
class Answer:
    """What a person decided, and who, why and from where.

    Attributes:
        decision: the decision.
        responsavel: who decided.
        justificativa: why.
        origem: from where.
        pendencias: what stays open on purpose.
    """

    decision: Decision
    responsavel: str
    justificativa: str
    origem: str
    pendencias: tuple[Pending, ...] = ()

    def body(self) -> dict[str, Any]:
        """As the machine wants it (design §4)."""
        body: dict[str, Any] = {
            "decisao": self.decision.value,
            "responsavel": self.responsavel,
            "justificativa": self.justificativa,
            "origem": self.origem,
        }
        if self.pendencias:
            body["pendencias"] = [pending.value for pending in self.pendencias]
        return body


class Outcome(StrEnum):
    """What became of an answered case."""

    CONCLUIDO = "concluido"
    VOLTOU_A_FILA = "voltou_a_fila"
    INTERROMPIDO = "interrompido"
    EM_ANDAMENTO = "em_andamento"


@dataclass(frozen=True)
class Resumed:
    """An execution that goes on.

    Attributes:
        arn: the execution.
        seen: states it had been through when it was answered.
        by_token: whether the answer went by its task token.
    """

    arn: str
    seen: int
    by_token: bool


def answer(target: Target, case: Case, given: Answer) -> Resumed:
    """Make the case go on.

    Raises:
        CaseRefusedError: it moved meanwhile; nothing was answered.
    """
    _stop_superseded(target, case)
    with _messages_of(target, case) as ours:
        resumed = _by_token(target, case, given, ours)
        if resumed is None:
            resumed = _by_resumption(target, case, given)
        # Older tokens are dead and notices are answered: what comes from here on is a new case.
        delete(target, ours)
    return resumed


@contextmanager
def _messages_of(target: Target, case: Case) -> Generator[list[Message]]:
    """The case's messages, held; a message somebody else is reading is waited for, and not taken for lost."""
    # A token is worth waiting for as long as it can be hidden; a notice is only tidied up.
    deadline = time.monotonic() + (_CONTENTION_SECONDS if case.asking else _TIDYING_SECONDS)
    while True:
        with held(target) as messages:
            ours = [message for message in messages if message.pedido_id == case.pedido_id]
            found = any(_answers(message, case) for message in ours)
            if found or time.monotonic() > deadline or not others_hold(target, len(messages)):
                yield ours
                return
        # Two operators must not keep meeting: each comes back after a time of its own.
        time.sleep(random.uniform(0.2, 1.5))  # noqa: S311 - no secret


def _answers(message: Message, case: Case) -> bool:
    """Whether its token is one of the execution that waits."""
    return bool(message.token) and case.execution is not None and message.execution == case.execution.arn


def _by_token(target: Target, case: Case, given: Answer, messages: Sequence[Message]) -> Resumed | None:
    if not case.asking or case.execution is None:
        return None
    for message in reversed(messages):
        if _answers(message, case) and _accepted(target, message.token, given):
            return Resumed(case.execution.arn, len(case.execution.visits), by_token=True)
    return None


def _accepted(target: Target, token: str, given: Answer) -> bool:
    try:
        target.sfn.send_task_success(taskToken=token, output=json.dumps(given.body(), ensure_ascii=False))
    except ClientError as error:
        if error.response.get("Error", {}).get("Code") in _DEAD_TOKEN:
            return False
        raise
    return True


def _by_resumption(target: Target, case: Case, given: Answer) -> Resumed:
    """Start the resumption first, then stop the execution whose token is lost.

    In this order the order never looks abandoned to the reconciler. The stopped one only waits: it can do nothing
    beside the resumption, and neither can do anything twice.
    """
    current = load(target, case.pedido_id)
    if _identity(current) != _identity(case):
        raise CaseRefusedError(case.pedido_id, "o caso mudou neste instante; veja com `cesta intervencao listar`")
    n = case.resumptions + 1
    try:
        target.sfn.start_execution(
            stateMachineArn=target.maquinas["retomada"],
            name=nome_da_retomada(case.pedido_id, n),
            input=json.dumps(resumption_input(case.row, case.execution, given.body()), ensure_ascii=False),
        )
    except ClientError as error:
        if error.response.get("Error", {}).get("Code") != "ExecutionAlreadyExists":
            raise
        raise CaseRefusedError(
            case.pedido_id, "outra pessoa acaba de retomá-lo; acompanhe com `cesta pedido`"
        ) from None
    if case.running and case.execution is not None:
        _stop(target, case.execution.arn)
    return Resumed(resumption_arn(target, case.pedido_id, n), 0, by_token=False)


def _stop_superseded(target: Target, case: Case) -> None:
    for arn in case.superseded:
        _stop(target, arn)


def _stop(target: Target, arn: str) -> None:
    try:
        target.sfn.stop_execution(
            executionArn=arn, error=INTERRUPTED, cause="token perdido: o pedido foi retomado em cesta-saga-retomada"
        )
    except ClientError as error:
        # It ended by itself meanwhile.
        if error.response.get("Error", {}).get("Code") != "ValidationException":
            raise


def _identity(case: Case) -> tuple[object, ...]:
    execution = case.execution
    seen = (execution.arn, execution.status, execution.states()) if execution is not None else ()
    return (case.status, case.row.get("atualizadoEm"), seen)


def resumption_input(row: OrderRow, execution: Execution | None, decision: Mapping[str, Any]) -> dict[str, Any]:
    """The input of ``cesta-saga-retomada``: the order, what is known of the errors, and the decision.

    Every field a state may address is there (`tests/saga`): on AWS a path that is not ends the execution where no
    catcher sees it. No ``reserva``: whether the reservation answered is not known, so the release leaves a tombstone.
    """
    order = {name: row[name] for name in ("pedidoId", "sku", "quantidade", "valorCentavos", "criadoEm")}
    if "falhas" in row:
        order["falhas"] = row["falhas"]
    ended = (execution.error if execution is not None else "") or INTERRUPTED
    return {
        **order,
        "erro": _error(row.get("detalhe")) or {"Error": row.get("motivo") or ended},
        "erroCompensacao": {"Error": ended},
        "intervencao": dict(decision),
    }


def _error(detalhe: object) -> dict[str, Any] | None:
    """``detalhe`` is the error as JSON text, written by the machine."""
    try:
        loaded: Any = json.loads(detalhe) if isinstance(detalhe, str) else None
    except ValueError:
        return None
    return loaded if isinstance(loaded, dict) and isinstance(loaded.get("Error"), str) else None  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]


def wait_for_result(target: Target, resumed: Resumed, *, seconds: float) -> tuple[Outcome, Execution | None]:
    """Watch the execution until it ends or asks a person again; EM_ANDAMENTO when the seconds are over."""
    deadline = time.monotonic() + seconds
    while True:
        execution = read_execution(target.sfn, resumed.arn)
        outcome = _outcome(execution, resumed.seen)
        if outcome is not Outcome.EM_ANDAMENTO or time.monotonic() > deadline:
            return outcome, execution
        time.sleep(_POLL_SECONDS[target.alvo])


def _outcome(execution: Execution | None, seen: int) -> Outcome:
    if execution is None:
        return Outcome.EM_ANDAMENTO
    if execution.status == "SUCCEEDED":
        return Outcome.CONCLUIDO
    if execution.status != "RUNNING":
        return Outcome.INTERROMPIDO
    asks_again = len(execution.visits) > seen and execution.visits[-1].state in ASKING
    return Outcome.VOLTOU_A_FILA if asks_again else Outcome.EM_ANDAMENTO


def discard(target: Target, case: Case) -> int:
    """Take the messages of an order that waits for nobody out of the queue, and tell how many there were.

    Raises:
        CaseRefusedError: the order waits for a person, or its saga is under way: a message of it may be needed.
    """
    if case.waiting or case.running:
        raise CaseRefusedError(case.pedido_id, "ainda não chegou ao fim: decida o caso em vez de descartar a mensagem")
    _stop_superseded(target, case)
    with _messages_of(target, case) as ours:
        delete(target, ours)
    return len(ours)


def discard_stray(target: Target, name: str) -> int:
    """Take messages about no order of the table out of the queue, and tell how many there were.

    Nothing can be decided by them: what has no row was never charged.

    Args:
        target: the stack.
        name: an id the table does not know, or SQS's id of a message that names no order.
    """
    with held(target) as messages:
        strays = [message for message in messages if (message.pedido_id or message.id) == name]
        delete(target, strays)
    return len(strays)


def who_asks(target: Target) -> str:
    """From where a decision comes: the identity AWS knows, the user and the machine."""
    try:
        identity: str = target.clients.client("sts").get_caller_identity()["Arn"]
    except (BotoCoreError, ClientError):
        identity = "identidade desconhecida"
    return f"cesta intervencao, {identity}, {_user()}@{socket.gethostname()}"


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        # A container may run as a user its machine does not know.
        return f"uid {os.getuid()}"
