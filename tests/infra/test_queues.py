"""The queues: redrive, retention, visibility, encryption."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from tests.infra.harness import ACCOUNT, REGION, queue_arn
from tests.scale.entry import MAX_RECEIVES, VISIBILITY_FACTOR

if TYPE_CHECKING:
    from tests.infra.harness import Run

pytestmark = pytest.mark.infra


def test_the_entry_queue_redrives_to_a_dlq_that_outlives_it(stack: Run) -> None:
    names = stack.names
    criados = stack.one("sqs/queue:Queue", names.fila_criados)
    dlq = stack.one("sqs/queue:Queue", names.fila_criados_dlq)
    redrive = json.loads(criados.inputs["redrivePolicy"])
    assert redrive == {"deadLetterTargetArn": queue_arn(names.fila_criados_dlq), "maxReceiveCount": 5}
    assert dlq.inputs["messageRetentionSeconds"] == 14 * 86400
    assert 86400 < criados.inputs["messageRetentionSeconds"] < dlq.inputs["messageRetentionSeconds"]
    (allowed,) = stack.of("sqs/redriveAllowPolicy:RedriveAllowPolicy")
    assert json.loads(allowed.inputs["redriveAllowPolicy"]) == {
        "redrivePermission": "byQueue",
        "sourceQueueArns": [queue_arn(names.fila_criados)],
    }


def test_the_entry_queue_hides_a_message_for_six_runs_of_the_starter(stack: Run) -> None:
    names = stack.names
    criados = stack.one("sqs/queue:Queue", names.fila_criados)
    assert criados.inputs["visibilityTimeoutSeconds"] >= 6 * stack.function("iniciador").inputs["timeout"]
    assert criados.inputs["maxMessageSize"] == 16 * 1024


def test_the_model_of_a_million_orders_has_the_queues_own_numbers(stack: Run) -> None:
    criados = stack.one("sqs/queue:Queue", stack.names.fila_criados)
    assert json.loads(criados.inputs["redrivePolicy"])["maxReceiveCount"] == MAX_RECEIVES
    seconds = stack.function("iniciador").inputs["timeout"]
    assert criados.inputs["visibilityTimeoutSeconds"] == VISIBILITY_FACTOR * seconds


def test_the_human_queue_keeps_a_case_as_long_as_sqs_can_and_has_no_redrive(stack: Run) -> None:
    humana = stack.one("sqs/queue:Queue", stack.names.fila_humana)
    assert humana.inputs["messageRetentionSeconds"] == 14 * 86400
    assert "redrivePolicy" not in humana.inputs
    assert "maxMessageSize" not in humana.inputs


def test_prods_human_queue_cannot_be_deleted_by_mistake(prod: Run, dev: Run) -> None:
    assert prod.one("sqs/queue:Queue", prod.names.fila_humana).protect
    assert not dev.one("sqs/queue:Queue", dev.names.fila_humana).protect


def test_every_queue_is_encrypted_without_a_key_anyone_could_lack(stack: Run) -> None:
    for queue in stack.of("sqs/queue:Queue"):
        assert queue.inputs["sqsManagedSseEnabled"] is True
        assert "kmsMasterKeyId" not in queue.inputs


def test_every_queue_refuses_plain_http_but_on_the_emulator(dev: Run, prod: Run, local: Run) -> None:
    for run in (dev, prod):
        refused = {resource.inputs["queueUrl"] for resource in run.of("sqs/queuePolicy:QueuePolicy")}
        assert len(refused) == len(run.of("sqs/queue:Queue")) == 3
        for resource in run.of("sqs/queuePolicy:QueuePolicy"):
            (statement,) = [
                statement
                for statement in json.loads(resource.inputs["policy"])["Statement"]
                if statement["Effect"] == "Deny"
            ]
            assert statement["Condition"] == {"Bool": {"aws:SecureTransport": "false"}}
            assert statement["Resource"] == [queue_arn(resource.inputs["queueUrl"].rpartition("/")[2])]
    for resource in local.of("sqs/queuePolicy:QueuePolicy"):
        assert "Deny" not in resource.inputs["policy"]


def test_the_human_queue_takes_what_one_rule_could_not_deliver_and_nobody_elses(stack: Run) -> None:
    names = stack.names
    policies = {resource.inputs["queueUrl"]: resource for resource in stack.of("sqs/queuePolicy:QueuePolicy")}
    policy = policies[stack.exports["filaHumanaUrl"]]
    (statement,) = [item for item in json.loads(policy.inputs["policy"])["Statement"] if item["Effect"] == "Allow"]
    assert statement["Principal"] == {"Service": "events.amazonaws.com"}
    assert statement["Action"] == ["sqs:SendMessage"]
    assert statement["Resource"] == [queue_arn(names.fila_humana)]
    rule = f"arn:aws:events:{REGION}:{ACCOUNT}:rule/{names.regra_execucoes_mortas}"
    assert statement["Condition"]["ArnEquals"] == {"aws:SourceArn": rule}
    others = [url for url, other in policies.items() if "Allow" in other.inputs["policy"]]
    assert others == [stack.exports["filaHumanaUrl"]]
