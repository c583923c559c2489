"""Queues and topics."""

from __future__ import annotations

from typing import Any, Final

from infra.local.creators.base import Context, Inputs, Outputs, creates

__all__ = ["CREATORS"]

# Property of the queue -> attribute of SQS. Which reader it takes is what its value must be.
QUEUE_NUMBERS: Final = {
    "visibilityTimeoutSeconds": "VisibilityTimeout",
    "messageRetentionSeconds": "MessageRetentionPeriod",
    "maxMessageSize": "MaximumMessageSize",
    "receiveWaitTimeSeconds": "ReceiveMessageWaitTimeSeconds",
    "delaySeconds": "DelaySeconds",
}


@creates(
    "aws:sqs/queue:Queue",
    handled=("name", *QUEUE_NUMBERS, "sqsManagedSseEnabled", "redrivePolicy", "tags"),
)
def queue(inputs: Inputs, context: Context) -> Outputs:
    client = context.aws.client("sqs")
    attributes = {
        attribute: str(value)
        for property_, attribute in QUEUE_NUMBERS.items()
        if (value := inputs.optional_integer(property_)) is not None
    }
    attributes["SqsManagedSseEnabled"] = "true" if inputs.boolean("sqsManagedSseEnabled", default=False) else "false"
    if redrive := inputs.optional_string("redrivePolicy"):
        attributes["RedrivePolicy"] = redrive
    # The stubs want the attributes' names as literals.
    typed: Any = attributes
    url = client.create_queue(QueueName=inputs.string("name"), Attributes=typed, tags=inputs.string_map("tags"))[
        "QueueUrl"
    ]
    arn = client.get_queue_attributes(QueueUrl=url, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    return Outputs(url, {"url": url, "arn": arn})


@creates("aws:sqs/queuePolicy:QueuePolicy", handled=("queueUrl", "policy"))
def queue_policy(inputs: Inputs, context: Context) -> Outputs:
    return _set_queue_attribute(inputs, context, {"Policy": inputs.string("policy")})


@creates("aws:sqs/redriveAllowPolicy:RedriveAllowPolicy", handled=("queueUrl", "redriveAllowPolicy"))
def redrive_allow_policy(inputs: Inputs, context: Context) -> Outputs:
    return _set_queue_attribute(inputs, context, {"RedriveAllowPolicy": inputs.string("redriveAllowPolicy")})


def _set_queue_attribute(inputs: Inputs, context: Context, attributes: Any) -> Outputs:
    url = inputs.string("queueUrl")
    context.aws.client("sqs").set_queue_attributes(QueueUrl=url, Attributes=attributes)
    return Outputs(url)


@creates("aws:sns/topic:Topic", handled=("name", "tags"))
def topic(inputs: Inputs, context: Context) -> Outputs:
    tags = [{"Key": key, "Value": value} for key, value in inputs.string_map("tags").items()]
    typed: Any = tags
    arn = context.aws.client("sns").create_topic(Name=inputs.string("name"), Tags=typed)["TopicArn"]
    return Outputs(arn, {"arn": arn})


@creates("aws:sns/topicPolicy:TopicPolicy", handled=("arn", "policy"))
def topic_policy(inputs: Inputs, context: Context) -> Outputs:
    arn = inputs.string("arn")
    context.aws.client("sns").set_topic_attributes(
        TopicArn=arn, AttributeName="Policy", AttributeValue=inputs.string("policy")
    )
    return Outputs(arn)


@creates("aws:sns/topicSubscription:TopicSubscription", handled=("topic", "protocol", "endpoint"))
def topic_subscription(inputs: Inputs, context: Context) -> Outputs:
    arn = context.aws.client("sns").subscribe(
        TopicArn=inputs.string("topic"),
        Protocol=inputs.string("protocol"),
        Endpoint=inputs.string("endpoint"),
        ReturnSubscriptionArn=True,
    )["SubscriptionArn"]
    return Outputs(arn, {"arn": arn})


CREATORS = (queue, queue_policy, redrive_allow_policy, topic, topic_policy, topic_subscription)
