"""A small Pulumi program, with one of each kind of resource."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pulumi
import pulumi_aws as aws

from tests.e2e.local.function import FUNCTION

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MACHINE = "sample-machine"

ASSUME_ROLE = {
    "Version": "2012-10-17",
    "Statement": [
        {
            "Effect": "Allow",
            "Principal": {"Service": ["lambda.amazonaws.com", "states.amazonaws.com"]},
            "Action": "sts:AssumeRole",
        }
    ],
}


def machine_definition(function_arn: str) -> str:
    """A state machine that invokes the function with its input and catches nothing."""
    return json.dumps(
        {
            "StartAt": "Invoke",
            "States": {
                "Invoke": {
                    "Type": "Task",
                    "Resource": "arn:aws:states:::lambda:invoke",
                    "Parameters": {"FunctionName": function_arn, "Payload.$": "$"},
                    "TimeoutSeconds": 60,
                    "End": True,
                }
            },
        }
    )


def api_document(invoke_arn: str) -> str:
    """An API in the form Chalice generates: a path with a parameter, one with two methods."""
    integration = {
        "type": "aws_proxy",
        "httpMethod": "POST",
        "uri": invoke_arn,
        "passthroughBehavior": "when_no_match",
        "contentHandling": "CONVERT_TO_TEXT",
        "responses": {"default": {"statusCode": "200"}},
    }
    operation = {
        "consumes": ["application/json"],
        "produces": ["application/json"],
        "responses": {"200": {"description": "200 response"}},
        "x-amazon-apigateway-integration": integration,
    }
    return json.dumps(
        {
            "swagger": "2.0",
            "info": {"version": "1.0", "title": "sample"},
            "schemes": ["https"],
            "paths": {"/things": {"get": operation, "post": operation}, "/things/{id}": {"get": operation}},
            "x-amazon-apigateway-binary-media-types": ["image/png"],
            "x-amazon-apigateway-gateway-responses": {
                "DEFAULT_4XX": {
                    "responseParameters": {"gatewayresponse.header.Access-Control-Allow-Origin": "'https://a.example'"}
                }
            },
        }
    )


def program(package: Path, extra: Callable[[], None] = lambda: None) -> Callable[[], None]:
    """The program; ``extra`` declares more at its end."""

    def run() -> None:
        table = aws.dynamodb.Table(
            "table",
            name="sample-table",
            billing_mode="PAY_PER_REQUEST",
            hash_key="id",
            attributes=[{"name": "id", "type": "S"}, {"name": "status", "type": "S"}, {"name": "since", "type": "S"}],
            global_secondary_indexes=[
                {
                    "name": "pending",
                    "hash_key": "status",
                    "range_key": "since",
                    "projection_type": "INCLUDE",
                    "non_key_attributes": ["created"],
                }
            ],
            point_in_time_recovery={"enabled": True},
            server_side_encryption={"enabled": True},
            tags={"Projeto": "sample"},
        )
        dlq = aws.sqs.Queue("dlq", name="sample-dlq", sqs_managed_sse_enabled=True)
        queue = aws.sqs.Queue(
            "queue",
            name="sample-queue",
            visibility_timeout_seconds=120,
            message_retention_seconds=86400,
            max_message_size=65536,
            redrive_policy=pulumi.Output.json_dumps({"deadLetterTargetArn": dlq.arn, "maxReceiveCount": 3}),
        )
        aws.sqs.RedriveAllowPolicy(
            "allow",
            queue_url=dlq.url,
            redrive_allow_policy=pulumi.Output.json_dumps(
                {"redrivePermission": "byQueue", "sourceQueueArns": [queue.arn]}
            ),
        )
        topic = aws.sns.Topic("topic", name="sample-topic")
        inbox = aws.sqs.Queue("inbox", name="sample-inbox")
        aws.sns.TopicSubscription("subscription", topic=topic.arn, protocol="sqs", endpoint=inbox.arn)
        role = aws.iam.Role("role", name="sample-role", assume_role_policy=json.dumps(ASSUME_ROLE))
        policy = aws.iam.RolePolicy(
            "policy",
            name="sample-policy",
            role=role.name,
            policy=pulumi.Output.json_dumps(
                {
                    "Version": "2012-10-17",
                    "Statement": [{"Effect": "Allow", "Action": "dynamodb:GetItem", "Resource": table.arn}],
                }
            ),
        )
        function = aws.lambda_.Function(
            "function",
            name=FUNCTION,
            role=role.arn,
            handler="sample_handler.handler",
            runtime="python3.13",
            architectures=["arm64"],
            memory_size=256,
            timeout=30,
            code=pulumi.FileArchive(str(package)),
            environment={"variables": {"VARIABLE": pulumi.Output.secret("value")}},
        )
        logs = aws.cloudwatch.LogGroup("logs", name="/aws/vendedlogs/states/sample", retention_in_days=30)
        machine = aws.sfn.StateMachine(
            "machine",
            name=MACHINE,
            type="STANDARD",
            role_arn=role.arn,
            definition=function.arn.apply(machine_definition),
            logging_configuration={
                "level": "ALL",
                "include_execution_data": False,
                "log_destination": pulumi.Output.concat(logs.arn, ":*"),
            },
            opts=pulumi.ResourceOptions(depends_on=[policy]),
        )
        aws.lambda_.EventSourceMapping(
            "mapping",
            event_source_arn=queue.arn,
            function_name=function.arn,
            batch_size=5,
            function_response_types=["ReportBatchItemFailures"],
            scaling_config={"maximum_concurrency": 2},
        )
        aws.cloudwatch.MetricAlarm(
            "alarm",
            name="sample-alarm",
            namespace="AWS/SQS",
            metric_name="ApproximateNumberOfMessagesVisible",
            dimensions={"QueueName": dlq.name},
            statistic="Maximum",
            period=60,
            evaluation_periods=1,
            threshold=1,
            comparison_operator="GreaterThanOrEqualToThreshold",
            treat_missing_data="notBreaching",
            alarm_actions=[topic.arn],
        )
        api = aws.apigateway.RestApi("api", name="sample-api", body=function.invoke_arn.apply(api_document))
        deployment = aws.apigateway.Deployment("deployment", rest_api=api.id, triggers={"body": "hash"})
        stage = aws.apigateway.Stage(
            "stage", rest_api=api.id, deployment=deployment.id, stage_name="api", tags={"Projeto": "sample"}
        )
        aws.apigateway.MethodSettings(
            "settings",
            rest_api=api.id,
            stage_name=stage.stage_name,
            method_path="*/*",
            settings={"throttling_rate_limit": 50, "throttling_burst_limit": 100},
        )
        aws.lambda_.Permission(
            "permission",
            statement_id="api",
            action="lambda:InvokeFunction",
            function=function.name,
            principal="apigateway.amazonaws.com",
            source_arn=pulumi.Output.concat(api.execution_arn, "/*/POST/things"),
        )
        extra()
        identity = aws.get_caller_identity_output()
        pulumi.export("account", identity.account_id)
        pulumi.export("region", aws.get_region_output().region)
        pulumi.export("queue", queue.url)
        pulumi.export("dlq", dlq.url)
        pulumi.export("topic", topic.arn)
        pulumi.export("machine", machine.arn)
        pulumi.export("function", function.arn)
        pulumi.export("url", stage.invoke_url)

    return run
