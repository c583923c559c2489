"""State machines."""

from __future__ import annotations

from typing import Any

from infra.local.creators.base import Context, Inputs, Outputs, creates

__all__ = ["CREATORS"]


@creates(
    "aws:sfn/stateMachine:StateMachine",
    handled=("name", "type", "roleArn", "definition", "loggingConfiguration", "tags"),
    ignored={"tracingConfiguration": "the emulator has no X-Ray"},
)
def state_machine(inputs: Inputs, context: Context) -> Outputs:
    optional: dict[str, Any] = {}
    if logging := inputs.block("loggingConfiguration", ("level", "includeExecutionData", "logDestination")):
        optional["loggingConfiguration"] = {
            "level": logging.string("level"),
            "includeExecutionData": logging.boolean("includeExecutionData", default=False),
            "destinations": [{"cloudWatchLogsLogGroup": {"logGroupArn": logging.string("logDestination")}}],
        }
    arn = context.aws.client("stepfunctions").create_state_machine(
        name=inputs.string("name"),
        type="EXPRESS" if inputs.optional_string("type") == "EXPRESS" else "STANDARD",
        roleArn=inputs.string("roleArn"),
        definition=inputs.string("definition"),
        tags=[{"key": key, "value": value} for key, value in inputs.string_map("tags").items()],
        **optional,
    )["stateMachineArn"]
    return Outputs(arn, {"arn": arn})


CREATORS = (state_machine,)
