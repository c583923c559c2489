"""SQS, and Lambda that reads from it."""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any

from infra.ops import target
from tests.conformance.behaviour import Behaviour, Difference, Elsewhere, OnlyOnAws, Probe
from tests.conformance.lab import refusal
from tests.conformance.sources import LAMBDA, SQS

if TYPE_CHECKING:
    from tests.conformance.lab import Lab

__all__ = ["BEHAVIOURS"]

_DAY = 24 * 3600
_VISIBILITY = 3
"""Seconds; Lambda wants at least the function's timeout."""


def _send(lab: Lab, url: str, *bodies: str) -> None:
    for body in bodies:
        lab.client("sqs").send_message(QueueUrl=url, MessageBody=body)


def _size(lab: Lab) -> object:
    url = lab.queue("pequena", MaximumMessageSize="1024")
    # Two bytes a character.
    return {
        "1,024 bytes": refusal(lambda: _send(lab, url, "é" * 512)),
        "1,026 bytes": refusal(lambda: _send(lab, url, "é" * 513)),
    }


def _retention(lab: Lab) -> object:
    longest = 14 * _DAY
    return {
        "14 days": refusal(lambda: lab.queue("longa", MessageRetentionPeriod=str(longest))),
        "a second more": refusal(lambda: lab.queue("longa-demais", MessageRetentionPeriod=str(longest + 1))),
    }


def _redrive(lab: Lab, attempts: int) -> tuple[str, str]:
    """A queue and its dead-letter queue."""
    dead = lab.queue("morta")
    policy = json.dumps({"deadLetterTargetArn": lab.queue_arn(dead), "maxReceiveCount": attempts})
    return lab.queue("viva", RedrivePolicy=policy, VisibilityTimeout=str(_VISIBILITY)), dead


def _dead_after(lab: Lab) -> object:
    url, dead = _redrive(lab, 2)
    _send(lab, url, "x")
    counts: list[str] = []
    for _ in range(2):
        asked: dict[str, Any] = {"VisibilityTimeout": 0, "MessageSystemAttributeNames": ["All"]}
        message = lab.receive(url, **asked)
        counts.append(message["Attributes"]["ApproximateReceiveCount"] if message else "none")
    return {"receives": counts, "then": _in_dead_letters(lab, url, dead)}


def _in_dead_letters(lab: Lab, url: str, dead: str) -> str:
    """Where the message is once it is asked for again."""
    for _ in range(15):
        if lab.receive(url, seconds=1, VisibilityTimeout=0):
            return "received again"
        if lab.receive(dead, seconds=1, VisibilityTimeout=0):
            return "in the dead-letter queue"
    return "nowhere"


def _keeps_its_age(lab: Lab) -> object:
    url, dead = _redrive(lab, 1)
    _send(lab, url, "x")
    asked: dict[str, Any] = {"MessageSystemAttributeNames": ["SentTimestamp"]}
    first = lab.receive(url, VisibilityTimeout=0, **asked)
    time.sleep(1.1)
    assert not lab.receive(url, seconds=1, VisibilityTimeout=0)
    moved = lab.receive(dead, **asked)
    assert first is not None
    assert moved is not None
    return first["Attributes"]["SentTimestamp"] == moved["Attributes"]["SentTimestamp"]


def _hidden(lab: Lab) -> object:
    sqs, url = lab.client("sqs"), lab.queue("vista", VisibilityTimeout="60")
    _send(lab, url, "x")
    message = lab.receive(url)
    assert message is not None
    hidden = lab.receive(url, seconds=1.5) is None
    sqs.change_message_visibility(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"], VisibilityTimeout=0)
    return {"hidden from others": hidden, "back at once when given back": lab.receive(url) is not None}


def _long_poll(lab: Lab) -> object:
    """How many of five messages, each alone in the queue, one long poll finds."""
    sqs, url = lab.client("sqs"), lab.queue("longa-espera")
    found = 0
    for number in range(5):
        _send(lab, url, str(number))
        for message in sqs.receive_message(QueueUrl=url, WaitTimeSeconds=2).get("Messages", []):
            sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])
            found += 1
    return found


def _absent_queue(lab: Lab) -> object:
    code = refusal(lambda: lab.client("sqs").get_queue_url(QueueName=lab.name("nunca")))
    return code in target._ABSENT  # pyright: ignore[reportPrivateUsage] - what the commands take for "no such queue"


# --- Lambda reads ---


def _come_back(lab: Lab, *bodies: str) -> object:
    """Which messages end in the dead-letter queue after two deliveries to the function."""
    url, dead = _redrive(lab, 2)
    reader = lab.warm(lab.new_function("leitora", seconds=_VISIBILITY))
    _send(lab, url, *bodies)
    _mapping(lab, url, reader)
    sqs = lab.client("sqs")
    wanted = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]

    def empty() -> bool | None:
        # Counts are approximate: twice in a row, a moment apart, is empty.
        for _ in range(2):
            counts = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=wanted)["Attributes"].values()
            if any(count != "0" for count in counts):
                return None
            time.sleep(0.3)
        return True

    lab.until(empty, "the queue to be empty")
    found: set[str] = set()
    while message := lab.receive(dead, seconds=2):
        found.add(message["Body"])
    return sorted(found)


def _mapping(lab: Lab, url: str, reader: str) -> None:
    lambdas = lab.client("lambda")
    identity: str = lab.spread(
        lambda: lambdas.create_event_source_mapping(
            EventSourceArn=lab.queue_arn(url),
            FunctionName=reader,
            BatchSize=10,
            FunctionResponseTypes=["ReportBatchItemFailures"],
        )
    )["UUID"]
    lab.later(lambda: lambdas.delete_event_source_mapping(UUID=identity))


def _failed_alone(lab: Lab) -> object:
    return _come_back(lab, "bom 1", "ruim 1", "bom 2")


def _whole_batch(lab: Lab) -> object:
    return _come_back(lab, "explode 1", "explode 2")


def _empty_identifier(lab: Lab) -> object:
    return _come_back(lab, "vazio 1", "vazio 2")


def _short_visibility(lab: Lab) -> object:
    lambdas, arn = lab.client("lambda"), lab.queue_arn(lab.queue("curta", VisibilityTimeout="1"))

    def create() -> None:
        made = lambdas.create_event_source_mapping(EventSourceArn=arn, FunctionName=lab.function)
        lab.later(lambda: lambdas.delete_event_source_mapping(UUID=made["UUID"]))

    return refusal(create) or "taken"


_QUEUES = "infra/components/queues.py"
_STARTER = "infra/components/starter.py"
_INVALID = "InvalidParameterValueException"

BEHAVIOURS = (
    Behaviour(
        "queue-message-size",
        "A message over the queue's MaximumMessageSize, in bytes, is refused.",
        SQS["attributes"],
        (_QUEUES,),
        (
            Probe(_size, {"1,024 bytes": "", "1,026 bytes": "InvalidParameterValue"}),
            Elsewhere("tests/infra/test_queues.py::test_the_entry_queue_hides_a_message_for_six_runs_of_the_starter"),
        ),
    ),
    Behaviour(
        "queue-retention",
        "A queue keeps messages for at most 14 days.",
        SQS["attributes"],
        (_QUEUES, "handlers/domain/reconciliation.py"),
        (
            Probe(_retention, {"14 days": "", "a second more": "InvalidAttributeValue"}),
            Elsewhere(
                "tests/infra/test_queues.py::test_the_human_queue_keeps_a_case_as_long_as_sqs_can_and_has_no_redrive"
            ),
        ),
    ),
    Behaviour(
        "queue-redrive",
        "A message received maxReceiveCount times goes to the dead-letter queue when it would be received again.",
        SQS["dead"],
        (_QUEUES,),
        (Probe(_dead_after, {"receives": ["1", "2"], "then": "in the dead-letter queue"}),),
    ),
    Behaviour(
        "queue-redrive-keeps-age",
        "A redriven message keeps its age: a dead-letter queue that keeps no longer than its source loses it.",
        SQS["retention"],
        (_QUEUES,),
        (
            Probe(_keeps_its_age, True),
            Elsewhere("tests/infra/test_hygiene.py::test_every_dead_letter_queue_outlives_the_queue_it_serves"),
        ),
    ),
    Behaviour(
        "queue-visibility",
        "A received message is hidden from others until its visibility timeout, or until it is given back.",
        SQS["visibility"],
        ("infra/ops/human_queue.py", _QUEUES),
        (Probe(_hidden, {"hidden from others": True, "back at once when given back": True}),),
    ),
    Behaviour(
        "queue-long-poll",
        "A long poll asks every server of the queue: one that finds nothing means that nothing is there.",
        SQS["polling"],
        ("infra/ops/human_queue.py",),
        (Probe(_long_poll, 5),),
    ),
    Behaviour(
        "queue-at-least-once",
        "A standard queue may deliver a message more than once.",
        SQS["delivery"],
        ("api/chalicelib/iniciador.py",),
        (
            OnlyOnAws("cannot be brought about; messages are repeated on purpose instead."),
            Elsewhere("tests/api/test_iniciador.py::test_the_same_message_twice_is_one_execution"),
        ),
    ),
    Behaviour(
        "queue-absent",
        "GetQueueUrl of a queue that is not there has a code of its own, by which the commands say so.",
        SQS["url"],
        ("infra/ops/target.py",),
        (Probe(_absent_queue, True),),
    ),
    Behaviour(
        "batch-failed-alone",
        "Of a batch, only the records the function names in `batchItemFailures` come back.",
        LAMBDA["batch"],
        ("api/chalicelib/iniciador.py", _STARTER),
        (
            Probe(_failed_alone, ["ruim 1"]),
            Elsewhere("tests/infra/test_front_door.py::test_the_starter_is_fed_in_batches_that_fail_one_by_one"),
        ),
    ),
    Behaviour(
        "batch-whole",
        "A function that raises sends its whole batch back.",
        LAMBDA["batch"],
        ("api/chalicelib/iniciador.py",),
        (
            Probe(_whole_batch, ["explode 1", "explode 2"]),
            Elsewhere("tests/api/test_iniciador.py::test_a_poisonous_record_fails_alone"),
        ),
    ),
    Behaviour(
        "batch-empty-identifier",
        "An answer that names no record (`itemIdentifier` empty, null or misspelt) sends the whole batch back.",
        LAMBDA["batch"],
        ("api/chalicelib/iniciador.py",),
        (
            Probe(
                _empty_identifier,
                ["vazio 1", "vazio 2"],
                Difference([], "takes the batch for done"),
            ),
        ),
    ),
    Behaviour(
        "mapping-concurrency",
        "A mapping's MaximumConcurrency is at least 2.",
        LAMBDA["scaling"],
        ("infra/config.py", _STARTER),
        (
            OnlyOnAws("the SDK's own model has the bound and refuses 1 before any call; so does our setting."),
            Elsewhere("tests/unit/test_config.py::test_a_wrong_value_is_refused_in_one_line_that_names_it"),
            Elsewhere("tests/infra/test_front_door.py::test_the_starter_is_fed_in_batches_that_fail_one_by_one"),
        ),
    ),
    Behaviour(
        "mapping-visibility",
        "A mapping is refused whose queue hides a message for less than the function's timeout.",
        LAMBDA["mapping"],
        (_QUEUES,),
        (
            Probe(_short_visibility, _INVALID, Difference("taken", "takes it")),
            Elsewhere("tests/infra/test_queues.py::test_the_entry_queue_hides_a_message_for_six_runs_of_the_starter"),
        ),
    ),
    Behaviour(
        "mapping-throttled",
        "Deliveries that a throttled function refuses count as receives, unless the mapping's concurrency bounds them.",
        LAMBDA["scaling"],
        (_QUEUES, _STARTER),
        (
            OnlyOnAws("needs a burst against a reserved concurrency; five receives leave room for it."),
            Elsewhere("tests/infra/test_front_door.py::test_the_starter_is_fed_in_batches_that_fail_one_by_one"),
        ),
    ),
)
