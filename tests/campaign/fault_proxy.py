"""Faults between the functions and AWS: microburst, a protocol-aware proxy, with the rules of a campaign.

Both kinds of fault are there: *before* the effect (throttled, 500, 503, connection reset: the request never arrives)
and *after* it (the request is done, and its answer is lost).
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import urllib3

from infra.local.emulator import is_up
from infra.local.processes import LOOPBACK, choose_port, poll_until

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from infra.local.stack import EmbeddedStack

__all__ = ["RULES", "Calls", "FaultProxy", "silent"]

RULES: Final[dict[str, dict[str, Any]]] = {
    "DynamoDB limita (antes)": {
        "service": "dynamodb",
        "probability": 0.015,
        "error": {"code": "ProvisionedThroughputExceededException", "status": 400},
    },
    "SQS limita (antes)": {
        "service": "sqs",
        "probability": 0.05,
        "error": {"code": "RequestThrottled", "status": 400},
    },
    "Step Functions limita (antes)": {
        # microburst's name for it: botocore's, and not the one that is signed for.
        "service": "stepfunctions",
        "probability": 0.05,
        "error": {"code": "ThrottlingException", "status": 400},
    },
    "erro 500 (antes)": {"probability": 0.01, "error": {"code": "InternalServerError", "status": 500}},
    "erro 503 (antes)": {"probability": 0.01, "error": {"code": "ServiceUnavailable", "status": 503}},
    "conexão derrubada (antes)": {"probability": 0.01, "reset": True},
    "resposta perdida (depois)": {"probability": 0.025, "response": {"abort_bytes": 0}},
}
"""By what a person calls them. The first that fires decides, so each later one meets slightly fewer calls."""

_PROGRAM: Final = Path(__file__).with_name("proxy_process.py")
_NAME: Final = "proxy-de-falhas"
_START_SECONDS: Final = 30.0
SURE_TIMES: Final = 10.0
"""Times a rule is expected to fire from which on not once is no accident (e^-10)."""


@dataclass(frozen=True)
class Calls:
    """Calls that came to the proxy, by service.

    Attributes:
        seen: all of them.
        failed: those some rule struck.
    """

    seen: Counter[str]
    failed: Counter[str]

    def __sub__(self, earlier: Calls) -> Calls:
        return Calls(self.seen - earlier.seen, self.failed - earlier.failed)


def silent(calls: Calls, struck: Mapping[str, int]) -> list[str]:
    """Rules that met calls enough to fire for certain, and did not: one that names no service there is, say."""
    return [
        name
        for name, rule in RULES.items()
        if not struck[name] and rule["probability"] * _met(rule, calls) >= SURE_TIMES
    ]


def _met(rule: Mapping[str, Any], calls: Calls) -> int:
    return calls.seen[rule["service"]] if "service" in rule else calls.seen.total()


@dataclass(frozen=True)
class FaultProxy:
    """A running proxy; it ends with the stack.

    Attributes:
        url: where the functions find AWS.
    """

    url: str

    @classmethod
    def start(cls, stack: EmbeddedStack, seed: int) -> FaultProxy:
        """Start it beside the stack; it passes everything on until `strike`."""
        port = choose_port(None, option="")
        proxy = cls(f"http://{LOOPBACK}:{port}")
        stack.start_process(_NAME, [sys.executable, str(_PROGRAM), str(seed), stack.aws.endpoint, str(port)])
        poll_until(
            lambda: True if is_up(f"{proxy.url}/_microburst/health") else None,
            awaited="o proxy de falhas",
            seconds=_START_SECONDS,
            check=stack.check,
        )
        return proxy

    def strike(self, rules: Mapping[str, Mapping[str, Any]] = RULES) -> None:
        """Put every rule in force, counting from zero."""
        self._call("POST", "rules", list(rules.values()))

    def rest(self) -> dict[str, int]:
        """Take the rules away, and tell how often each struck."""
        struck = {name: rule["fired_count"] for name, rule in zip(RULES, self._call("GET", "rules"), strict=True)}
        self._call("POST", "rules", [])
        return struck

    def calls(self) -> Calls:
        """What came since it started."""
        services = self._call("GET", "stats")["by_service"]
        return Calls(
            Counter({each["service"]: each["requests"] for each in services}),
            Counter({each["service"]: each["faulted"] for each in services}),
        )

    def _call(self, method: str, path: str, body: Sequence[Mapping[str, Any]] | None = None) -> Any:
        answer = urllib3.request(method, f"{self.url}/_microburst/{path}", json=body, timeout=10.0, retries=False)
        return answer.json()
