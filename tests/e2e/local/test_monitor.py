"""The monitor creates what a program declares, answers as a provider would, and refuses what it does not know."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

import pulumi
import pulumi_aws
import pytest
import urllib3

from infra.local.creators.apigateway import REST_API_ID
from infra.local.deploy import deploy
from infra.local.errors import (
    DuplicateUrnError,
    InvalidPropertyError,
    MissingPropertyError,
    ResourceCreationError,
    UnknownInvokeError,
    UnknownPropertyError,
    UnknownResourceTypeError,
)
from tests.e2e.local import function, sample

if TYPE_CHECKING:
    from collections.abc import Callable

    from infra.local.deploy import Deployment
    from infra.local.emulator import AwsLocal
    from infra.local.monitor import DeployedResource

pytestmark = pytest.mark.e2e


def run(aws: AwsLocal, program: Callable[[], None]) -> Deployment:
    # No program here has a function, so no worker is needed.
    return deploy(aws, {}, program, worker_python=None)


# -- What was created is what was declared


def test_a_table_is_created_as_declared(emulator: AwsLocal, deployment: Deployment) -> None:
    client = emulator.client("dynamodb")
    table = client.describe_table(TableName="sample-table")["Table"]
    assert table.get("KeySchema") == [{"AttributeName": "id", "KeyType": "HASH"}]
    assert table.get("BillingModeSummary", {}).get("BillingMode") == "PAY_PER_REQUEST"
    (index,) = table.get("GlobalSecondaryIndexes", [])
    assert index.get("IndexName") == "pending"
    assert index.get("KeySchema") == [
        {"AttributeName": "status", "KeyType": "HASH"},
        {"AttributeName": "since", "KeyType": "RANGE"},
    ]
    assert index.get("Projection") == {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["created"]}
    backups = client.describe_continuous_backups(TableName="sample-table")["ContinuousBackupsDescription"]
    assert backups.get("PointInTimeRecoveryDescription", {}).get("PointInTimeRecoveryStatus") == "ENABLED"


def test_a_queue_is_created_as_declared(emulator: AwsLocal, deployment: Deployment) -> None:
    client = emulator.client("sqs")
    attributes = client.get_queue_attributes(QueueUrl=deployment.outputs["queue"], AttributeNames=["All"])["Attributes"]
    dlq = client.get_queue_attributes(QueueUrl=deployment.outputs["dlq"], AttributeNames=["All"])["Attributes"]
    assert attributes["VisibilityTimeout"] == "120"
    assert attributes["MessageRetentionPeriod"] == "86400"
    assert attributes["MaximumMessageSize"] == "65536"
    assert json.loads(attributes["RedrivePolicy"]) == {"deadLetterTargetArn": dlq["QueueArn"], "maxReceiveCount": 3}
    assert dlq["SqsManagedSseEnabled"] == "true"
    assert json.loads(dlq["RedriveAllowPolicy"])["sourceQueueArns"] == [attributes["QueueArn"]]


def test_a_role_holds_its_policy(emulator: AwsLocal, deployment: Deployment) -> None:
    client = emulator.client("iam")
    answer = client.get_role_policy(RoleName="sample-role", PolicyName="sample-policy")
    (statement,) = cast("Any", answer)["PolicyDocument"]["Statement"]
    assert statement["Action"] == "dynamodb:GetItem"
    assert statement["Resource"].endswith(":table/sample-table")


def test_a_machine_logs_where_declared(emulator: AwsLocal, deployment: Deployment) -> None:
    client = emulator.client("stepfunctions")
    machine = client.describe_state_machine(stateMachineArn=deployment.outputs["machine"])
    logging = machine.get("loggingConfiguration", {})
    (destination,) = logging.get("destinations", [])
    assert logging.get("level") == "ALL"
    assert destination == {
        "cloudWatchLogsLogGroup": {
            "logGroupArn": f"arn:aws:logs:us-east-1:{emulator.account_id}:log-group:/aws/vendedlogs/states/sample:*"
        }
    }
    (group,) = emulator.client("logs").describe_log_groups(logGroupNamePrefix="/aws/vendedlogs/states/sample")[
        "logGroups"
    ]
    assert group.get("retentionInDays") == 30


def test_a_mapping_and_a_permission_are_created_as_declared(emulator: AwsLocal, deployment: Deployment) -> None:
    client = emulator.client("lambda")
    (mapping,) = client.list_event_source_mappings(FunctionName=function.FUNCTION)["EventSourceMappings"]
    assert mapping.get("BatchSize") == 5
    assert mapping.get("FunctionResponseTypes") == ["ReportBatchItemFailures"]
    assert mapping.get("ScalingConfig") == {"MaximumConcurrency": 2}
    (statement,) = json.loads(client.get_policy(FunctionName=function.FUNCTION)["Policy"])["Statement"]
    assert statement["Condition"]["ArnLike"]["AWS:SourceArn"].endswith(f":{REST_API_ID}/*/POST/things")


def test_a_stage_throttles_as_declared(emulator: AwsLocal, deployment: Deployment) -> None:
    stage = emulator.client("apigateway").get_stage(restApiId=REST_API_ID, stageName="api")
    settings = stage["methodSettings"]["*/*"]
    assert (settings.get("throttlingRateLimit"), settings.get("throttlingBurstLimit")) == (50, 100)


def test_a_stage_logs_no_requests_unless_declared(emulator: AwsLocal, deployment: Deployment) -> None:
    settings = emulator.client("apigateway").get_stage(restApiId=REST_API_ID, stageName="api")["methodSettings"]["*/*"]
    assert (settings.get("loggingLevel"), settings.get("dataTraceEnabled")) == ("OFF", False)


def test_what_the_gateway_answers_by_itself_has_the_declared_headers(
    emulator: AwsLocal, deployment: Deployment
) -> None:
    url = f"{emulator.endpoint}/restapis/{REST_API_ID}/api/_user_request_/nowhere"
    response = urllib3.request("GET", url, retries=False)
    assert (response.status, response.headers["Access-Control-Allow-Origin"]) == (403, "https://a.example")


def test_the_functions_variables_are_opened_secrets(emulator: AwsLocal, deployment: Deployment) -> None:
    assert function.invoke(emulator)["variable"] == "value"


@pytest.mark.parametrize(("method", "path"), [("GET", "/things"), ("POST", "/things"), ("GET", "/things/7")])
def test_the_api_answers_at_the_url_known_beforehand(
    emulator: AwsLocal, deployment: Deployment, method: str, path: str
) -> None:
    url = f"{emulator.endpoint}/restapis/{REST_API_ID}/api/_user_request_"
    assert deployment.outputs["url"] == url
    answer = urllib3.request(method, f"{url}{path}", retries=False)
    assert answer.status == 200
    assert answer.json()["event"]["path"] == path


def test_a_route_the_document_does_not_have_is_not_served(deployment: Deployment) -> None:
    assert urllib3.request("DELETE", f"{deployment.outputs['url']}/things", retries=False).status == 403


def test_the_exports_and_every_resource_are_reported(emulator: AwsLocal, deployment: Deployment) -> None:
    assert deployment.outputs["account"] == emulator.account_id
    assert deployment.outputs["region"] == "us-east-1"
    assert len(deployment.resources) == 19
    assert all(resource.id and resource.seconds > 0 for resource in deployment.resources)


# -- What it does not know is an error


def test_an_unknown_type_is_an_error_that_says_where_to_add_it(emulator: AwsLocal) -> None:
    with pytest.raises(UnknownResourceTypeError) as caught:
        run(emulator, lambda: _key("a"))
    assert caught.value.type == "aws:kms/key:Key"
    assert "infra/local/creators/" in str(caught.value)


def test_an_unknown_function_call_is_an_error(emulator: AwsLocal) -> None:
    with pytest.raises(UnknownInvokeError, match="getAvailabilityZones"):
        run(emulator, lambda: pulumi.export("zones", pulumi_aws.get_availability_zones_output().names))


def test_looking_a_resource_up_is_an_error(emulator: AwsLocal) -> None:
    with pytest.raises(UnknownInvokeError, match=r"aws:sqs/queue:Queue\.get"):
        run(emulator, lambda: _use(pulumi_aws.sqs.Queue.get("found", "id")))


def test_an_unknown_property_is_an_error(emulator: AwsLocal) -> None:
    with pytest.raises(UnknownPropertyError) as caught:
        run(emulator, lambda: _use(pulumi_aws.sqs.Queue("queue", name="never.fifo", fifo_queue=True)))
    assert caught.value.properties == ("fifoQueue",)
    assert emulator.client("sqs").list_queues(QueueNamePrefix="never").get("QueueUrls", []) == []


def test_an_unknown_nested_property_is_an_error(emulator: AwsLocal) -> None:
    def program() -> None:
        pulumi_aws.dynamodb.Table(
            "table",
            name="never",
            billing_mode="PAY_PER_REQUEST",
            hash_key="id",
            attributes=[{"name": "id", "type": "S"}],
            server_side_encryption={"enabled": True, "kms_key_arn": "arn:aws:kms:us-east-1:1:key/a"},
        )

    with pytest.raises(UnknownPropertyError, match=r"serverSideEncryption\.kmsKeyArn"):
        run(emulator, program)


def test_a_property_the_creator_needs_and_does_not_get_is_an_error(emulator: AwsLocal) -> None:
    with pytest.raises(MissingPropertyError, match="name"):
        run(emulator, lambda: _use(pulumi_aws.sqs.Queue("autonamed")))


def test_an_api_document_with_more_than_is_understood_is_an_error(emulator: AwsLocal) -> None:
    document: dict[str, Any] = {"swagger": "2.0", "info": {}, "paths": {"/a": {"get": {"security": [{"sigv4": []}]}}}}

    with pytest.raises(InvalidPropertyError, match=r"body\.paths\./a\.get.*security"):
        run(emulator, lambda: _use(pulumi_aws.apigateway.RestApi("other", name="other", body=json.dumps(document))))


def test_two_resources_with_one_urn_are_an_error(emulator: AwsLocal) -> None:
    def program() -> None:
        pulumi_aws.sqs.Queue("twin", name="twin-1")
        pulumi_aws.sqs.Queue("twin", name="twin-2")

    with pytest.raises(DuplicateUrnError, match="twin"):
        run(emulator, program)


def test_a_refusal_of_the_emulator_names_the_resource(emulator: AwsLocal, deployment: Deployment) -> None:
    again = json.dumps(sample.ASSUME_ROLE)
    with pytest.raises(ResourceCreationError, match=r"aws:iam/role:Role 'again'.*EntityAlreadyExists"):
        run(emulator, lambda: _use(pulumi_aws.iam.Role("again", name="sample-role", assume_role_policy=again)))


def test_the_programs_own_error_is_told_as_it_is(emulator: AwsLocal) -> None:
    def program() -> None:
        raise ValueError("cesta:gatewayUrl")

    with pytest.raises(ValueError, match="cesta:gatewayUrl"):
        run(emulator, program)


def test_another_region_than_the_emulators_is_an_error(emulator: AwsLocal) -> None:
    with pytest.raises(InvalidPropertyError, match="region"):
        run(emulator, lambda: _use(pulumi_aws.Provider("elsewhere", region="sa-east-1")))


# -- Runs are independent of each other


def test_runs_after_a_failed_one_see_their_own_settings_and_resources(emulator: AwsLocal) -> None:
    def program() -> None:
        name = pulumi.Config("cesta").require("name")
        pulumi_aws.sqs.Queue("queue", name=name)
        pulumi.export("name", name)

    with pytest.raises(UnknownResourceTypeError):
        run(emulator, lambda: _key("a"))
    seen: list[DeployedResource] = []
    for name in ("first-run", "second-run"):
        made = deploy(emulator, {"cesta:name": name}, program, on_resource=seen.append)
        assert made.outputs == {"name": name}
        assert [resource.name for resource in made.resources] == ["queue"]
    assert [resource.id.rsplit("/", 1)[-1] for resource in seen] == ["first-run", "second-run"]


def test_a_component_is_nothing_of_its_own_but_its_children_are_created(emulator: AwsLocal) -> None:
    class Pair(pulumi.ComponentResource):
        def __init__(self) -> None:
            super().__init__("cesta:test:Pair", "pair")
            for number in (1, 2):
                pulumi_aws.sqs.Queue(f"pair-{number}", name=f"pair-{number}", opts=pulumi.ResourceOptions(parent=self))
            self.register_outputs({})

    made = run(emulator, lambda: _use(Pair()))
    assert sorted(resource.name for resource in made.resources) == ["pair-1", "pair-2"]


def _key(name: str) -> None:
    pulumi_aws.kms.Key(name)


def _use(_resource: pulumi.Resource) -> None:
    """A program that is one resource: a lambda must not return it."""
