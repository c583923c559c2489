"""What AWS sends to functions, as the documentation shows it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["order", "post_event", "sqs_event"]


def order(pedido_id: str) -> dict[str, Any]:
    """An order as a customer posts it."""
    return {
        "pedidoId": pedido_id,
        "sku": "sku-cafe-500g",
        "quantidade": 2,
        "valorCentavos": 14_000,
        "cartaoToken": "tok-ok",
    }


def post_event(pedido_id: str) -> dict[str, Any]:
    """A POST of `order` through API Gateway's proxy integration (REST API), signed with IAM: every header it has."""
    headers = {
        "Accept": "*/*",
        "Accept-Encoding": "gzip, deflate, br",
        "Authorization": "AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE/20260701/us-east-1/execute-api/aws4_request",
        "CloudFront-Forwarded-Proto": "https",
        "CloudFront-Is-Desktop-Viewer": "true",
        "CloudFront-Viewer-Country": "BR",
        "Content-Type": "application/json",
        "Host": "abcdef1234.execute-api.us-east-1.amazonaws.com",
        "User-Agent": "cesta-loja/3.1",
        "Via": "1.1 0123456789abcdef.cloudfront.net (CloudFront)",
        "X-Amz-Cf-Id": "pXqN2example==",
        "X-Amz-Date": "20260701T120000Z",
        "X-Amzn-Trace-Id": "Root=1-66a0c1d2-0123456789abcdef01234567",
        "X-Forwarded-For": "203.0.113.9, 130.176.1.1",
        "X-Forwarded-Port": "443",
        "X-Forwarded-Proto": "https",
    }
    return {
        "resource": "/pedidos",
        "path": "/pedidos",
        "httpMethod": "POST",
        "headers": headers,
        "multiValueHeaders": {name: [value] for name, value in headers.items()},
        "queryStringParameters": None,
        "multiValueQueryStringParameters": None,
        "pathParameters": None,
        "stageVariables": None,
        "requestContext": {
            "accountId": "000000000000",
            "apiId": "abcdef1234",
            "domainName": "abcdef1234.execute-api.us-east-1.amazonaws.com",
            "domainPrefix": "abcdef1234",
            "extendedRequestId": "JKJaXmPLvHcESHA=",
            "httpMethod": "POST",
            "identity": {
                "accessKey": "AKIAEXAMPLE",
                "accountId": "000000000000",
                "caller": "AROAEXAMPLE:loja",
                "cognitoIdentityId": None,
                "sourceIp": "203.0.113.9",
                "user": "AROAEXAMPLE:loja",
                "userAgent": "cesta-loja/3.1",
                "userArn": "arn:aws:sts::000000000000:assumed-role/loja/loja",
            },
            "path": "/api/pedidos",
            "protocol": "HTTP/1.1",
            "requestId": "c6af9ac6-7b61-11e6-9a41-93e8deadbeef",
            "requestTime": "01/Jul/2026:12:00:00 +0000",
            "requestTimeEpoch": 1782907200000,
            "resourceId": "abc123",
            "resourcePath": "/pedidos",
            "stage": "api",
        },
        "body": json.dumps(order(pedido_id)),
        "isBase64Encoded": False,
    }


def sqs_event(bodies: Sequence[str]) -> dict[str, Any]:
    """One batch of the entry queue."""
    return {
        "Records": [
            {
                "messageId": f"059f36b4-87a3-44ab-83d2-{number:012d}",
                "receiptHandle": "AQEBwJnKyrHigUMZj6rYigCgxlaS3SLy0a",
                "body": body,
                "attributes": {
                    "ApproximateReceiveCount": "1",
                    "SentTimestamp": "1782907200000",
                    "SenderId": "AIDAEXAMPLE",
                    "ApproximateFirstReceiveTimestamp": "1782907200001",
                },
                "messageAttributes": {},
                "md5OfBody": "e4e68fb7bd0e697a0ae8f1bb342846b3",
                "eventSource": "aws:sqs",
                "eventSourceARN": "arn:aws:sqs:us-east-1:000000000000:cesta-bench-pedidos-criados",
                "awsRegion": "us-east-1",
            }
            for number, body in enumerate(bodies)
        ]
    }
