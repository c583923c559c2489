"""A card token or number put into any input is nowhere afterwards: logs, queues, executions, tables, answers, metrics.

Not looked at are two places that hold it by right: the gateway, which is who it is for, and the order's row until the
order leaves RECEBIDO.
"""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from infra.local.proofs.workbench import Workbench
from tests.e2e.orders.holdings import Holdings

if TYPE_CHECKING:
    from collections.abc import Iterator

    from infra.local.stack import EmbeddedStack
    from infra.ops.front_door import Reply

pytestmark = pytest.mark.e2e

MARK = f"vaz{uuid.uuid4().hex[:12]}"
"""In every token of this run and in nothing else."""
CARDS = ("4111111111111111", "4111 1111 1111 1111", "378282246310005")
BARE_CARDS = tuple({card.replace(" ", "").replace("-", "") for card in CARDS} | set(CARDS))
JSON = {"Content-Type": "application/json"}
FAULTS: dict[str, dict[str, str]] = {
    "good": {},
    "dies-charging": {"CobrarPagamento": "morrer:1"},
    "fails-charging": {"CobrarPagamento": "depois"},
    "fails-confirming": {"ConfirmarPedido": "antes"},
    "fails-reserving": {"ReservarEstoque": "depois"},
    "cannot-refund": {"ConfirmarPedido": "antes", "EstornarPagamento": "antes"},
}
HUMAN = "cannot-refund"


@dataclass(frozen=True)
class Campaign:
    """What was put in everywhere, after all of it ended."""

    replies: list[Reply]
    found: dict[str, str]
    human: str
    """The order that reached a person; its id is in every place an order gets to."""


@pytest.fixture(scope="module")
def campaign(stack: EmbeddedStack, bench: Workbench) -> Iterator[Campaign]:
    own = Workbench(bench.target)
    sku = own.stock_sku("vazamento")
    orders = {name: own.order(name, sku, cartao=f"tok_{MARK}_{name}", falhas=falhas) for name, falhas in FAULTS.items()}
    replies = [own.front_door.post(order) for order in orders.values()]
    replies += [own.front_door.post(orders["good"]), *_hostile(own, orders["good"], sku)]
    for poison in _poison(orders["good"]):
        own.target.sqs.send_message(QueueUrl=own.target.filas["criados"], MessageBody=poison)
    for name, order in orders.items():
        if name != HUMAN:
            own.end(order["pedidoId"])
    case = own.human_case(orders[HUMAN]["pedidoId"])
    replies += [own.front_door.get(order["pedidoId"]) for order in orders.values()]
    yield Campaign(replies, Holdings(stack, own).all(), orders[HUMAN]["pedidoId"])
    # It keeps money and stock, and says so.
    answer: dict[str, object] = {"decisao": "ENCERRAR", "responsavel": "teste", "justificativa": "fim do teste"}
    answer["pendencias"] = ["cobranca", "estoque"]
    own.target.sfn.send_task_success(taskToken=case["taskToken"], output=json.dumps(answer))
    own.end(orders[HUMAN]["pedidoId"])
    # Otherwise the malformed messages go round for ten minutes, and end in a dead-letter queue others look at.
    own.target.sqs.purge_queue(QueueUrl=own.target.filas["criados"])


def _hostile(bench: Workbench, order: dict[str, object], sku: str) -> list[Reply]:
    """Requests with a token or a card number where none may be; each is refused."""
    replies: list[Reply] = []
    url = f"{bench.target.api}/pedidos"
    secrets = (f"tok-{MARK}", f"tok_{MARK}", *CARDS)
    for secret in secrets:
        fields = ("pedidoId", "sku", "quantidade", "valorCentavos", "outro", secret)
        replies += [
            bench.front_door.post({**order, "pedidoId": f"novo-{uuid.uuid4()}", name: secret}) for name in fields
        ]
        replies.append(bench.front_door.post({**order, "falhas": {secret: secret}}))
        replies.append(bench.front_door.post({**order, "quantidade": [{"a": secret}], secret: {secret: [secret]}}))
        replies.append(bench.front_door.post(order | {"pedidoId": f"novo-{uuid.uuid4()}", "sku": sku}, key=secret))
        body = json.dumps({**order, "pedidoId": secret}).encode()
        replies += [
            bench.front_door.request("POST", url, body, {"Content-Type": f"text/{secret}"}),
            bench.front_door.request("POST", url, body[:-1], JSON),
            bench.front_door.request("POST", url, b"[" + body + b"]", JSON),
            bench.front_door.request("POST", url, body + b" " * 9000, JSON),
            bench.front_door.request("GET", f"{url}/{secret.replace(' ', '%20')}", headers={"X-Cartao": secret}),
            bench.front_door.request("GET", f"{url}/nenhum?cartao={secret.replace(' ', '+')}"),
        ]
    # Another card for an order there is: a conflict.
    replies.append(bench.front_door.post({**order, "cartaoToken": f"tok_{MARK}_outro"}))
    assert all(400 <= reply.status < 500 for reply in replies), [reply.status for reply in replies]
    return replies


def _poison(order: dict[str, object]) -> list[str]:
    """Messages that never came through the door. They stay in the queue, as a queue's messages do; see the filter."""
    return [json.dumps({**order, "cartaoToken": f"tok_{MARK}_fila"}), f"tok_{MARK}_fila {CARDS[0]}", f"[{CARDS[0]}]"]


def _not_put_there_by_us(place: str, text: str) -> str:
    """The text without the messages the test itself put into the queue."""
    return (
        "\n".join(line for line in text.splitlines() if f"tok_{MARK}_fila" not in line) if place == "queues" else text
    )


def test_there_was_something_to_find(campaign: Campaign) -> None:
    for place, text in campaign.found.items():
        assert text.strip(), place
    for place in ("function logs", "tables", "executions", "queues"):
        assert campaign.human in campaign.found[place], place
    assert "execução iniciada" in campaign.found["function logs"]
    assert "mensagem recusada" in campaign.found["function logs"]
    assert "passo não concluído" in campaign.found["function logs"]
    assert "REQUER_INTERVENCAO_HUMANA" in campaign.found["tables"]
    assert "erroDaCompensacao" in campaign.found["queues"]
    assert sum(reply.status == 422 for reply in campaign.replies) > 10
    assert {400, 404, 409, 413, 415} <= {reply.status for reply in campaign.replies}


@pytest.mark.parametrize(
    "place", ["function logs", "process logs and files", "tables", "executions", "queues", "metrics"]
)
def test_no_token_and_no_card_number_is_left_in(campaign: Campaign, place: str) -> None:
    text = _not_put_there_by_us(place, campaign.found[place])
    assert MARK not in text
    assert not [card for card in BARE_CARDS if card in text]


def test_no_answer_tells_one(campaign: Campaign) -> None:
    told = json.dumps([[reply.status, dict(reply.headers), dict(reply.body)] for reply in campaign.replies])
    assert MARK not in told
    assert not [card for card in BARE_CARDS if card in told]
