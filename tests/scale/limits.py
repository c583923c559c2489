"""What AWS allows: default quotas as data, each with the page it is on.

Quotas change and are raised on request. These are the defaults of an account that has been used for a while: new ones
start lower (Step Functions and Lambda say so on the same pages).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = [
    "ITEM_BYTES",
    "LIMITS",
    "OTHER_REGIONS",
    "US_EAST_1",
    "Limit",
    "Quotas",
    "Rate",
]


@dataclass(frozen=True)
class Rate:
    """A token bucket.

    Attributes:
        per_second: tokens it gains a second.
        burst: tokens it holds.
    """

    per_second: float
    burst: float


@dataclass(frozen=True)
class Quotas:
    """The limits of one account in one region that the model runs into.

    Attributes:
        region: which.
        starts: StartExecution, Standard.
        transitions: state transitions, Standard; throttled ones wait, they do not fail.
        concurrency: Lambda executions at once, all functions together.
        scaling: execution environments each function may gain.
        partition: write units of one DynamoDB partition: a single item can have no more.
        describes: DescribeExecution, which the reconciler and the starter's duplicates use.
        parameters: GetParameter, all parameters together.
    """

    region: str
    starts: Rate
    transitions: Rate
    concurrency: int = 1000
    scaling: Rate = Rate(100, 1000)
    partition: Rate = Rate(1000, 1000)
    describes: Rate = Rate(15, 300)
    parameters: Rate = Rate(40, 40)


US_EAST_1: Final = Quotas("us-east-1, us-west-2, eu-west-1", starts=Rate(300, 1300), transitions=Rate(5000, 5000))
OTHER_REGIONS: Final = Quotas(
    "other regions (São Paulo among them)",
    starts=Rate(150, 800),
    transitions=Rate(800, 800),
    describes=Rate(10, 250),
)
ITEM_BYTES: Final = 400 * 1024
"""The largest DynamoDB item."""


@dataclass(frozen=True)
class Limit:
    """One limit, for people.

    Attributes:
        service: whose.
        what: of what.
        value: the default.
        raised: whether AWS raises it on request.
        source: the page's address.
    """

    service: str
    what: str
    value: str
    raised: bool
    source: str


_STATES = "https://docs.aws.amazon.com/step-functions/latest/dg/service-quotas.html"
_LAMBDA = "https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html"
_LAMBDA_SCALING = "https://docs.aws.amazon.com/lambda/latest/dg/scaling-behavior.html"
_LAMBDA_SQS = "https://docs.aws.amazon.com/lambda/latest/dg/services-sqs-scaling.html"
_LAMBDA_MEMORY = "https://docs.aws.amazon.com/lambda/latest/dg/configuration-memory.html"
_PARTITIONS = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html"
_UNITS = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/read-write-operations.html"
_SIZES = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html"
_ON_DEMAND = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/on-demand-capacity-mode.html"
_DYNAMO = "https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/Constraints.html"
_API = "https://docs.aws.amazon.com/apigateway/latest/developerguide/limits.html"
_SQS = "https://docs.aws.amazon.com/AWSSimpleQueueService/latest/SQSDeveloperGuide/quotas-queues.html"
_SSM = "https://docs.aws.amazon.com/general/latest/gr/ssm.html"
_STRIPE = "https://docs.stripe.com/rate-limits"

LIMITS: Final = (
    Limit(
        "API Gateway", "requests, all APIs of the account", "10,000/s, burst 5,000 (2,500/1,250 in some)", True, _API
    ),
    Limit("Lambda", "executions at once, all functions", "1,000", True, _LAMBDA),
    Limit("Lambda", "new environments of one function", "1,000 every 10 s", False, _LAMBDA_SCALING),
    Limit("Lambda", "processor at 1,769 MB", "1 vCPU, proportional below", False, _LAMBDA_MEMORY),
    Limit(
        "SQS to Lambda",
        "batches at once",
        "5, then 300 more a minute, to 1,250 (a mapping's own maximum: 1,000)",
        False,
        _LAMBDA_SQS,
    ),
    Limit("SQS", "messages in flight, standard queue", "about 120,000", True, _SQS),
    Limit("Step Functions", "StartExecution, Standard", "bucket 1,300, 300/s; elsewhere 800, 150/s", True, _STATES),
    Limit(
        "Step Functions", "state transitions, Standard", "bucket 5,000, 5,000/s; elsewhere 800, 800/s", True, _STATES
    ),
    Limit("Step Functions", "DescribeExecution", "bucket 300, 15/s; elsewhere 250, 10/s", True, _STATES),
    Limit("Step Functions", "input or output of a state", "262,144 bytes", False, _STATES),
    Limit("Step Functions", "executions open at once", "1,000,000", True, _STATES),
    Limit("DynamoDB", "writes of one partition, so of one item", "1,000 units/s, 1 unit per KB", False, _PARTITIONS),
    Limit("DynamoDB", "what a write costs", "the whole item, before or after, the larger", False, _UNITS),
    Limit("DynamoDB", "item", "400 KB", False, _DYNAMO),
    Limit("DynamoDB", "how an item is measured", "names + values; 3 bytes a map, 1 an entry", False, _SIZES),
    Limit("DynamoDB", "new table on demand", "4,000 writes/s, then twice the last peak", False, _ON_DEMAND),
    Limit("Parameter Store", "GetParameter and the like together", "40/s (10,000/s for a fee)", True, _SSM),
    Limit("Payment gateway", "requests", "yours; Stripe's is 100/s", True, _STRIPE),
)
