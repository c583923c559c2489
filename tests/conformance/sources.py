"""The pages of AWS's documentation that say so."""

from __future__ import annotations

from typing import Final

from tests.conformance.behaviour import Page

__all__ = ["DYNAMODB", "EVENTS", "GATEWAY", "IAM", "LAMBDA", "SQS", "STATES", "WATCH"]


def _pages(base: str, **titles: tuple[str, str]) -> dict[str, Page]:
    return {
        key: Page(title, f"https://docs.aws.amazon.com/{base}/{path}.html") for key, (path, title) in titles.items()
    }


STATES: Final = _pages(
    "step-functions/latest",
    start=("apireference/API_StartExecution", "StartExecution"),
    stop=("apireference/API_StopExecution", "StopExecution"),
    describe=("apireference/API_DescribeExecution", "DescribeExecution"),
    success=("apireference/API_SendTaskSuccess", "SendTaskSuccess"),
    redrive=("apireference/API_RedriveExecution", "RedriveExecution"),
    create=("apireference/API_CreateStateMachine", "CreateStateMachine"),
    validate=("apireference/API_ValidateStateMachineDefinition", "ValidateStateMachineDefinition"),
    history=("apireference/API_HistoryEvent", "HistoryEvent"),
    errors=("dg/concepts-error-handling", "Handling errors in Step Functions workflows"),
    lambda_errors=("dg/bp-lambda-serviceexception", "Handle Lambda service exceptions"),
    callback=("dg/connect-to-resource", "Discover service integration patterns in Step Functions"),
    context=("dg/input-output-contextobject", "Accessing execution data from the Context object in Step Functions"),
    data=("dg/concepts-input-output-filtering", "Processing input and output in Step Functions"),
    result_path=("dg/input-output-resultpath", "Specifying state output using ResultPath in Step Functions"),
    intrinsics=("dg/intrinsic-functions", "Intrinsics for JSONPath states in Step Functions"),
    choice=("dg/state-choice", "Choice workflow state"),
    fail=("dg/state-fail", "Fail workflow state"),
    task=("dg/state-task", "Task workflow state"),
    lambda_=("dg/connect-lambda", "Invoke an AWS Lambda function with Step Functions"),
    dynamodb=("dg/connect-ddb", "Perform DynamoDB CRUD operations with Step Functions"),
    sdk=("dg/supported-services-awssdk", "Learning to use AWS service SDK integrations in Step Functions"),
    sqs=("dg/connect-sqs", "Send messages to an Amazon SQS queue with Step Functions"),
    quotas=("dg/service-quotas", "Step Functions service quotas"),
    events=("dg/eventbridge-integration", "Automating Step Functions event delivery with EventBridge"),
    logs=("dg/bp-cwl", "Avoiding Amazon CloudWatch Logs resource policy size restrictions"),
    traces=("dg/xray-iam", "IAM policies for AWS X-Ray"),
    roles=("dg/procedure-create-iam-role", "Creating an IAM role for your state machine in Step Functions"),
    kinds=("dg/choosing-workflow-type", "Choosing workflow type in Step Functions"),
)

DYNAMODB: Final = _pages(
    "amazondynamodb/latest",
    conditions=("developerguide/Expressions.ConditionExpressions", "DynamoDB condition expression CLI example"),
    working=("developerguide/WorkingWithItems", "Working with items and attributes in DynamoDB"),
    update=("APIReference/API_UpdateItem", "UpdateItem"),
    put=("APIReference/API_PutItem", "PutItem"),
    get=("APIReference/API_GetItem", "GetItem"),
    query=("APIReference/API_Query", "Query"),
    expressions=("developerguide/Expressions.UpdateExpressions", "Using update expressions in DynamoDB"),
    reserved=("developerguide/ReservedWords", "Reserved words in DynamoDB"),
    indexes=("developerguide/GSI", "Using Global Secondary Indexes in DynamoDB"),
    sparse=("developerguide/bp-indexes-general-sparse-indexes", "Take advantage of sparse indexes"),
    consistency=("developerguide/HowItWorks.ReadConsistency", "DynamoDB read consistency"),
    limits=("developerguide/Constraints", "Constraints in Amazon DynamoDB"),
    capacity=("developerguide/read-write-operations", "DynamoDB read and write operations"),
    partitions=(
        "developerguide/bp-partition-key-design",
        "Best practices for designing and using partition keys effectively in DynamoDB",
    ),
    attributes=("developerguide/specifying-conditions", "Using IAM policy conditions for fine-grained access control"),
    errors=("developerguide/Programming.Errors", "Error handling with DynamoDB"),
    tables=("developerguide/WorkingWithTables.Basics", "Basic operations on DynamoDB tables"),
)

SQS: Final = _pages(
    "AWSSimpleQueueService/latest",
    attributes=("APIReference/API_SetQueueAttributes", "SetQueueAttributes"),
    dead=("SQSDeveloperGuide/sqs-dead-letter-queues", "Using dead-letter queues in Amazon SQS"),
    retention=(
        "SQSDeveloperGuide/setting-up-dead-letter-queue-retention",
        "Setting-up dead-letter queue retention in Amazon SQS",
    ),
    visibility=("SQSDeveloperGuide/sqs-visibility-timeout", "Amazon SQS visibility timeout"),
    delivery=("SQSDeveloperGuide/standard-queues-at-least-once-delivery", "Amazon SQS at-least-once delivery"),
    polling=("SQSDeveloperGuide/sqs-short-and-long-polling", "Amazon SQS short and long polling"),
    url=("APIReference/API_GetQueueUrl", "GetQueueUrl"),
)

LAMBDA: Final = _pages(
    "lambda/latest",
    batch=("dg/services-sqs-errorhandling", "Handling errors for an SQS event source in Lambda"),
    mapping=("dg/services-sqs-configure", "Creating and configuring an Amazon SQS event source mapping"),
    scaling=("dg/services-sqs-scaling", "Configuring scaling behavior for SQS event source mappings"),
    errors=("dg/python-exceptions", "Lambda function errors in Python"),
    exits=("dg/troubleshooting-invocation", "Troubleshoot invocation issues in Lambda"),
    packages=("dg/python-package", "Working with .zip file archives for Python Lambda functions"),
    logs=("dg/monitoring-cloudwatchlogs-loggroups", "Configuring CloudWatch log groups"),
    destinations=("dg/invocation-async-retain-records", "Capturing records of Lambda asynchronous invocations"),
    concurrency=("dg/configuration-concurrency", "Configuring reserved concurrency for a function"),
    permission=("dg/access-control-resource-based", "Viewing resource-based IAM policies in Lambda"),
    role=("dg/lambda-intro-execution-role", "Defining Lambda function permissions with an execution role"),
)

EVENTS: Final = _pages(
    "eventbridge/latest",
    states=("ref/events-ref-states", "AWS Step Functions events"),
    dead=("userguide/eb-rule-dlq", "Using dead-letter queues to process undelivered events in EventBridge"),
    schedule=("userguide/eb-create-rule-schedule", "Creating a scheduled rule in Amazon EventBridge"),
    targets=("userguide/eb-use-resource-based", "Using resource-based policies for Amazon EventBridge"),
    trail=("userguide/eb-service-event-cloudtrail", "AWS service events delivered via AWS CloudTrail"),
)

WATCH: Final = _pages(
    "AmazonCloudWatch/latest",
    alarms=("monitoring/alarm-actions", "Alarm actions"),
    metric_alarm=("APIReference/API_PutMetricAlarm", "PutMetricAlarm"),
    math=("APIReference/API_MetricDataQuery", "MetricDataQuery"),
    anomaly=("monitoring/CloudWatch_Anomaly_Detection", "Using CloudWatch anomaly detection"),
    dashboard=("APIReference/API_PutDashboard", "PutDashboard"),
    missing=("monitoring/alarms-and-missing-data", "Configuring how CloudWatch alarms treat missing data"),
    composite=("APIReference/API_PutCompositeAlarm", "PutCompositeAlarm"),
    state=("APIReference/API_SetAlarmState", "SetAlarmState"),
    emf=("monitoring/CloudWatch_Embedded_Metric_Format_Specification", "Specification: embedded metric format"),
    masking=("logs/mask-sensitive-log-data", "Help protect sensitive log data with masking"),
) | {
    "sqs": Page(
        "Available CloudWatch metrics for Amazon SQS",
        "https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/sqs-available-cloudwatch-metrics.html",
    ),
    "states": Page(
        "Monitoring Step Functions metrics using Amazon CloudWatch",
        "https://docs.aws.amazon.com/step-functions/latest/dg/procedure-cw-metrics.html",
    ),
    "topic": Page(
        "Amazon SNS message encryption: key management",
        "https://docs.aws.amazon.com/sns/latest/dg/sns-key-management.html",
    ),
}

GATEWAY: Final = _pages(
    "apigateway/latest/developerguide",
    responses=("supported-gateway-response-types", "Gateway response types for API Gateway"),
    limits=(
        "api-gateway-execution-service-limits-table",
        "Quotas for configuring and running a REST API in API Gateway",
    ),
    payloads=("api-gateway-payload-encodings", "Binary media types for REST APIs in API Gateway"),
    import_=("api-gateway-import-api", "Develop REST APIs using OpenAPI in API Gateway"),
    logs=("set-up-logging", "Set up CloudWatch logging for REST APIs in API Gateway"),
    throttling=("api-gateway-request-throttling", "Throttle requests to your REST APIs"),
    metrics=("api-gateway-metrics-and-dimensions", "Amazon API Gateway dimensions and metrics"),
    context=("api-gateway-mapping-template-reference", "Variables for data transformations for API Gateway"),
    deployments=("how-to-deploy-api", "Deploy REST APIs in API Gateway"),
)

IAM: Final = {
    "states": Page(
        "Actions, resources, and condition keys for AWS Step Functions",
        "https://docs.aws.amazon.com/service-authorization/latest/reference/list_stepfunctions.html",
    ),
    "pass": Page(
        "Grant a user permissions to pass a role to an AWS service",
        "https://docs.aws.amazon.com/IAM/latest/UserGuide/id_roles_use_passrole.html",
    ),
    "transport": Page(
        "AWS global condition context keys",
        "https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_policies_condition-keys.html",
    ),
    "actions": Page(
        "Service Authorization Reference",
        "https://docs.aws.amazon.com/service-authorization/latest/reference/reference.html",
    ),
    "parameter": Page(
        "GetParameter",
        "https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_GetParameter.html",
    ),
    "quotas": Page(
        "IAM and AWS STS quotas",
        "https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_iam-quotas.html",
    ),
}
