"""The API's front door, as a customer uses it: signed on stacks whose authorizer is IAM."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import urllib3
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest

from infra.ops.errors import FrontDoorError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from infra.ops.target import Target

__all__ = ["FrontDoor", "Reply"]

TIMEOUT_SECONDS = 30.0
"""API Gateway answers within 29 s, or 504 (API Gateway, "Quotas")."""


@dataclass(frozen=True)
class Reply:
    """What the API answered.

    Attributes:
        status: HTTP status.
        headers: header fields, lower-case names.
        body: the JSON object of the answer.
    """

    status: int
    headers: Mapping[str, str]
    body: Mapping[str, Any]


@dataclass(frozen=True)
class FrontDoor:
    """A client of the API of one stack."""

    target: Target

    @cached_property
    def _pool(self) -> urllib3.PoolManager:
        return urllib3.PoolManager(maxsize=32, retries=False, timeout=urllib3.Timeout(total=TIMEOUT_SECONDS))

    def post(self, order: Mapping[str, Any], *, key: str | None = None) -> Reply:
        """``POST /pedidos``; raises `FrontDoorError` when what came back is not JSON."""
        headers = {"Content-Type": "application/json"}
        if key is not None:
            headers["Idempotency-Key"] = key
        return self.request("POST", f"{self.target.api}/pedidos", json.dumps(order).encode(), headers)

    def get(self, pedido_id: str) -> Reply:
        """``GET /pedidos/{pedidoId}``."""
        return self.request("GET", f"{self.target.api}/pedidos/{pedido_id}")

    def request(self, method: str, url: str, body: bytes = b"", headers: Mapping[str, str] | None = None) -> Reply:
        """Any request, signed where the stack wants it; raises `FrontDoorError`."""
        sent = self._signed(method, url, body, dict(headers or {}))
        try:
            response = self._pool.request(method, url, body=body or None, headers=sent)
        except urllib3.exceptions.HTTPError as error:
            raise FrontDoorError(0, type(error).__name__) from error
        try:
            answer = json.loads(response.data)
        except ValueError:
            raise FrontDoorError(response.status, "o corpo não é JSON") from None
        return Reply(response.status, {name.lower(): value for name, value in response.headers.items()}, answer)

    def _signed(self, method: str, url: str, body: bytes, headers: dict[str, str]) -> dict[str, str]:
        credentials = self.target.signing
        if credentials is None:
            return headers
        request = AWSRequest(method=method, url=url, data=body, headers=headers)
        SigV4Auth(credentials.get_frozen_credentials(), "execute-api", self.target.regiao).add_auth(request)
        return dict(request.headers.items())
