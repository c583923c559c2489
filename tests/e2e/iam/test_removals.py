"""Each permission is needed, and an order that misses one still ends safe: ``make iam`` for all of them.

Safe: no money kept without a confirmed order but where a person is called, no stock held but likewise, and never a
confirmed order that was not paid.
"""

from __future__ import annotations

import json
import os
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

from handlers.domain.status import Status
from infra.local.proofs.workbench import INITIAL_STOCK, VALUE
from tests.e2e.iam.removals import NOT_TRIED, REMOVALS, SLICE, Removal

if TYPE_CHECKING:
    from collections.abc import Generator

    from infra.local.proofs.workbench import Workbench
    from infra.local.stack import EmbeddedStack

pytestmark = pytest.mark.e2e

ALL = os.environ.get("CESTA_IAM") == "completo"
TRIED = [removal for removal in REMOVALS if ALL or removal.id in SLICE]
LOCAL = "cesta-local"


@contextmanager
def without(enforced: EmbeddedStack, removal: Removal) -> Generator[None]:
    """The role without the permission, for the block."""
    iam = enforced.aws.client("iam")
    role, name = f"{LOCAL}-{removal.role}-role", f"{LOCAL}-{removal.role}"
    policy: Any = iam.get_role_policy(RoleName=role, PolicyName=name)["PolicyDocument"]
    whole = policy if isinstance(policy, str) else json.dumps(policy)
    less = json.loads(whole)
    (statement,) = [one for one in less["Statement"] if one["Sid"] == removal.sid]
    if removal.resource:
        statement["Resource"] = [arn for arn in statement["Resource"] if not arn.endswith(removal.resource)]
    else:
        statement["Action"] = [action for action in statement["Action"] if action != removal.action]
    if not statement["Action"] or not statement["Resource"]:
        less["Statement"].remove(statement)
    assert len(json.dumps(less)) < len(whole), "nothing was taken away"
    iam.put_role_policy(RoleName=role, PolicyName=name, PolicyDocument=json.dumps(less))
    _restart(enforced, name, removal.id)
    try:
        yield
    finally:
        iam.put_role_policy(RoleName=role, PolicyName=name, PolicyDocument=whole)


def _restart(enforced: EmbeddedStack, function: str, mark: str) -> None:
    """A process keeps the credentials it read; a changed environment is a new process."""
    client = enforced.aws.client("lambda")
    variables = client.get_function_configuration(FunctionName=function).get("Environment", {}).get("Variables", {})
    client.update_function_configuration(FunctionName=function, Environment={"Variables": {**variables, "MARCA": mark}})


@pytest.mark.parametrize("removal", TRIED, ids=lambda removal: removal.id)
def test_without_it_the_order_is_denied_and_ends_safe(
    removal: Removal, enforced: EmbeddedStack, guarded: Workbench
) -> None:
    key = f"iam-{REMOVALS.index(removal)}"
    sku = guarded.stock_sku(key)
    order = guarded.order(key, sku, cartao=removal.cartao, **removal.extra)
    since = int(time.time() * 1000)
    with without(enforced, removal):
        reply = guarded.front_door.post(order)
        if removal.status is None:
            assert reply.status == 503
            assert guarded.facts.order(order["pedidoId"]) is None
        elif removal.status is Status.RECEBIDO:
            assert reply.status == 202
        else:
            _ended(guarded, order["pedidoId"], removal)
        _wait_for_denial(enforced, guarded, removal, since)
    _assert_safe(guarded, order, sku, removal)


def _ended(bench: Workbench, pedido_id: str, removal: Removal) -> None:
    if removal.waits_in:
        bench.waiting_in(pedido_id, removal.waits_in)
        assert bench.human_case(pedido_id)["taskToken"]
    else:
        assert bench.end(pedido_id).status == "SUCCEEDED"


def _wait_for_denial(enforced: EmbeddedStack, bench: Workbench, removal: Removal, since: int) -> None:
    """The function's own log says, since then (epoch milliseconds), that it was denied something."""
    logs = enforced.aws.client("logs")
    group = f"/aws/lambda/{LOCAL}-{removal.role}"

    def said() -> bool | None:
        events = logs.filter_log_events(logGroupName=group, startTime=since)["events"]
        return any("AccessDenied" in event.get("message", "") for event in events) or None

    bench.wait(f"AccessDenied no log de {removal.role}", said, lambda: "nada no log")


def _assert_safe(bench: Workbench, order: dict[str, Any], sku: str, removal: Removal) -> None:
    stock, net = bench.stock(sku), bench.facts.net_charged(order["pedidoId"])
    held = stock.reserved(order["pedidoId"])
    assert net == (VALUE if removal.net else 0)
    assert stock.saldo + held == INITIAL_STOCK - (1 if _sold(removal) else 0)
    if removal.status is not None:
        assert bench.row(order["pedidoId"])["status"] == removal.status
    # Only a person's case, or an order that nobody refused yet, may hold anything.
    if not removal.waits_in:
        assert held == 0


def _sold(removal: Removal) -> bool:
    """Settled before the last write failed."""
    return removal.role == "efetivar-reserva" and removal.sid == "EscreverPedido"


def test_each_permission_of_the_functions_is_tried_or_said_why_not(enforced: EmbeddedStack) -> None:
    iam = enforced.aws.client("iam")
    tried = {(one.role, one.sid, one.resource or one.action) for one in REMOVALS}
    left: list[tuple[str, str, str]] = []
    for role in sorted({one.role for one in REMOVALS}):
        policy: Any = iam.get_role_policy(RoleName=f"{LOCAL}-{role}-role", PolicyName=f"{LOCAL}-{role}")
        document = policy["PolicyDocument"]
        for statement in (json.loads(document) if isinstance(document, str) else document)["Statement"]:
            of_secrets = statement["Sid"] == "Credenciais"
            names = (
                [arn.partition(f"{LOCAL}/")[2] for arn in statement["Resource"]] if of_secrets else statement["Action"]
            )
            left += [
                (role, statement["Sid"], name)
                for name in names
                if (role, statement["Sid"], name) not in tried and not {(role, name), ("*", name)} & NOT_TRIED.keys()
            ]
    assert left == []
