"""The REST API, built resource by resource from its OpenAPI document.

The emulator's own import makes an empty API and its put fails, so the document is walked here. What the walk does not
understand is an error: a document half applied would answer 403 where AWS answers.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from infra.cors import GATEWAY_RESPONSES
from infra.local.creators.base import Context, Inputs, Outputs, creates
from infra.local.errors import InvalidPropertyError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from mypy_boto3_apigateway import APIGatewayClient

__all__ = ["CREATORS", "REST_API_ID"]

# The emulator gives an API the id this tag asks for: the API's URL is then known before it is deployed, and the
# functions can be told it.
REST_API_ID: Final = "cesta-local"
ID_TAG: Final = "ms-custom-id"

HTTP_METHODS: Final = frozenset({"get", "put", "post", "delete", "options", "head", "patch"})
INTEGRATION: Final = "x-amazon-apigateway-integration"
BINARY_MEDIA_TYPES: Final = "x-amazon-apigateway-binary-media-types"
# What an OpenAPI document may hold at its top: "definitions" are models no method names here.
DOCUMENT_KEYS: Final = frozenset(
    {"swagger", "info", "schemes", "paths", "definitions", "host", "basePath", BINARY_MEDIA_TYPES, GATEWAY_RESPONSES}
)
OPERATION_KEYS: Final = frozenset(
    {"consumes", "produces", "responses", "parameters", "summary", "description", "operationId", INTEGRATION}
)
INTEGRATION_KEYS: Final = frozenset(
    {"type", "httpMethod", "uri", "passthroughBehavior", "contentHandling", "requestTemplates", "responses"}
)

Json = dict[str, Any]


@dataclass
class _Walk:
    """One pass over the document: the resources made so far, by path."""

    client: APIGatewayClient
    api: str
    resources: dict[str, str] = field(default_factory=dict[str, str])

    def resource(self, path: str) -> str:
        """Id of the resource of a path, made with its ancestors on first need."""
        if path not in self.resources:
            parent, _, part = path.rpartition("/")
            answer = self.client.create_resource(
                restApiId=self.api, parentId=self.resource(parent or "/"), pathPart=part
            )
            self.resources[path] = answer["id"]
        return self.resources[path]

    def add_path(self, path: str, operations: Mapping[str, Json]) -> None:
        for method, operation in operations.items():
            self._add_method(self.resource(path.rstrip("/") or "/"), method.upper(), operation)

    def _add_method(self, resource: str, method: str, operation: Json) -> None:
        place: Json = {"restApiId": self.api, "resourceId": resource, "httpMethod": method}
        self.client.put_method(**place, authorizationType="NONE", apiKeyRequired=False)
        self._add_integration(place, operation[INTEGRATION])
        for status, response in operation.get("responses", {}).items():
            headers = {f"method.response.header.{name}": False for name in response.get("headers", {})}
            self.client.put_method_response(**place, statusCode=status, responseParameters=headers)

    def _add_integration(self, place: Json, integration: Json) -> None:
        names = {"httpMethod": "integrationHttpMethod"}
        arguments: Json = {names.get(key, key): value for key, value in integration.items() if key != "responses"}
        arguments["type"] = arguments["type"].upper()
        self.client.put_integration(**place, **arguments)
        for pattern, response in integration.get("responses", {}).items():
            self.client.put_integration_response(
                **place,
                statusCode=response["statusCode"],
                responseParameters=response.get("responseParameters", {}),
                responseTemplates=response.get("responseTemplates", {}),
                **({} if pattern == "default" else {"selectionPattern": pattern}),
            )


def _read_document(inputs: Inputs) -> Json:
    """The OpenAPI document, made only of what the walk understands.

    Raises:
        InvalidPropertyError: it holds something else; nothing was created yet.
    """
    try:
        document: Json = json.loads(inputs.string("body"))
    except ValueError as error:
        raise InvalidPropertyError(inputs.type, inputs.name, "body", expected="JSON", found="outra coisa") from error
    parts = [("body", document, DOCUMENT_KEYS)]
    for path, operations in document["paths"].items():
        parts.append((f"body.paths.{path}", operations, HTTP_METHODS))
        for method, operation in operations.items():
            where = f"body.paths.{path}.{method}"
            parts.append((where, operation, OPERATION_KEYS))
            parts.append((f"{where}.{INTEGRATION}", operation.get(INTEGRATION, {}), INTEGRATION_KEYS))
    for where, part, known in parts:
        if strange := sorted(part.keys() - known):
            raise InvalidPropertyError(
                inputs.type,
                inputs.name,
                where,
                expected="feito só do que infra/local/creators/apigateway.py entende",
                found=", ".join(strange),
            )
    return document


@creates(
    "aws:apigateway/restApi:RestApi",
    handled=("name", "description", "body", "tags"),
    ignored={"endpointConfiguration": "the emulator has one kind of endpoint"},
)
def rest_api(inputs: Inputs, context: Context) -> Outputs:
    client = context.aws.client("apigateway")
    document = _read_document(inputs)
    answer = client.create_rest_api(
        name=inputs.string("name"),
        description=inputs.optional_string("description") or "",
        binaryMediaTypes=document.get(BINARY_MEDIA_TYPES, []),
        tags=inputs.string_map("tags") | {ID_TAG: REST_API_ID},
    )
    api = answer["id"]
    root = next(item.get("id", "") for item in client.get_resources(restApiId=api)["items"] if item.get("path") == "/")
    walk = _Walk(client, api, {"/": root})
    for path, operations in document["paths"].items():
        walk.add_path(path, operations)
    for kind, response in document.get(GATEWAY_RESPONSES, {}).items():
        client.put_gateway_response(
            restApiId=api, responseType=kind, responseParameters=response.get("responseParameters", {})
        )
    arn = f"arn:aws:execute-api:{context.aws.region}:{context.aws.account_id}:{api}"
    return Outputs(
        api,
        {
            "rootResourceId": root,
            "executionArn": arn,
            "arn": f"arn:aws:apigateway:{context.aws.region}::/restapis/{api}",
        },
    )


@creates(
    "aws:apigateway/deployment:Deployment",
    handled=("restApi", "description"),
    ignored={"triggers": "they only make Pulumi deploy again after a change"},
)
def deployment(inputs: Inputs, context: Context) -> Outputs:
    answer = context.aws.client("apigateway").create_deployment(
        restApiId=inputs.string("restApi"), description=inputs.optional_string("description") or ""
    )
    return Outputs(answer["id"])


@creates(
    "aws:apigateway/stage:Stage",
    handled=("restApi", "deployment", "stageName", "description", "tags"),
    ignored={"xrayTracingEnabled": "the emulator has no X-Ray"},
)
def stage(inputs: Inputs, context: Context) -> Outputs:
    api, name = inputs.string("restApi"), inputs.string("stageName")
    context.aws.client("apigateway").create_stage(
        restApiId=api,
        stageName=name,
        deploymentId=inputs.string("deployment"),
        description=inputs.optional_string("description") or "",
        tags=inputs.string_map("tags"),
    )
    region, account = context.aws.region, context.aws.account_id
    return Outputs(
        f"ags-{api}-{name}",
        {
            "invokeUrl": f"{context.aws.endpoint}/restapis/{api}/{name}/_user_request_",
            "executionArn": f"arn:aws:execute-api:{region}:{account}:{api}/{name}",
            "arn": f"arn:aws:apigateway:{region}::/restapis/{api}/stages/{name}",
        },
    )


# Setting of the provider -> path of API Gateway's patch operation
# (https://docs.aws.amazon.com/apigateway/latest/api/patch-operations.html#UpdateStage-Patch).
METHOD_SETTINGS: Final = {
    "throttlingRateLimit": "throttling/rateLimit",
    "throttlingBurstLimit": "throttling/burstLimit",
    "loggingLevel": "logging/loglevel",
    "dataTraceEnabled": "logging/dataTrace",
    "metricsEnabled": "metrics/enabled",
}


def _method_values(settings: Inputs) -> dict[str, str]:
    numbers = {name: settings.optional_integer(name) for name in ("throttlingRateLimit", "throttlingBurstLimit")}
    switches = {name: settings.boolean(name, default=False) for name in ("dataTraceEnabled", "metricsEnabled")}
    level = settings.optional_string("loggingLevel") or "OFF"
    given = {name: str(value) for name, value in numbers.items() if value is not None}
    return {**given, **{name: str(on).lower() for name, on in switches.items()}, "loggingLevel": level}


@creates("aws:apigateway/methodSettings:MethodSettings", handled=("restApi", "stageName", "methodPath", "settings"))
def method_settings(inputs: Inputs, context: Context) -> Outputs:
    api, stage_name, path = inputs.string("restApi"), inputs.string("stageName"), inputs.string("methodPath")
    settings = inputs.block("settings", METHOD_SETTINGS)
    operations: list[Any] = [
        {"op": "replace", "path": f"/{path}/{METHOD_SETTINGS[setting]}", "value": value}
        for setting, value in (_method_values(settings) if settings else {}).items()
    ]
    context.aws.client("apigateway").update_stage(restApiId=api, stageName=stage_name, patchOperations=operations)
    return Outputs(f"{api}-{stage_name}-{path}")


CREATORS = (rest_api, deployment, stage, method_settings)
