"""Counts what was asked and judges every answer by one rule, whoever made the request."""

from __future__ import annotations

import threading
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["Tally", "complaint"]

PROBLEM = "application/problem+json"
GATEWAY_MARK = "x-amzn-errortype"
"""Header of what API Gateway answers by itself (no such route or method): our code never saw the request."""

KEPT_COMPLAINTS = 50
KEPT_BYTES = 300
"""Of the body of an answer that is complained of."""


def complaint(status: int, headers: Mapping[str, str]) -> str | None:
    """What is wrong with an answer, or None.

    Args:
        status: HTTP status; 0 where there was no answer.
        headers: by lower-case name.
    """
    if status == 0 or status >= 500:
        return f"respondeu {status}"
    kind = headers.get("content-type", "")
    if status >= 400 and GATEWAY_MARK not in headers and kind != PROBLEM:
        return f"respondeu {status} com Content-Type {kind!r}, e não {PROBLEM}"
    return None


@dataclass
class Tally:
    """What a run saw; safe to share between threads.

    Attributes:
        on_case: told the number of requests so far.
        statuses: answers by HTTP status.
        complaints: what should not have been, with what is needed to see it again.
    """

    on_case: Callable[[int], None] = lambda _: None
    statuses: Counter[int] = field(default_factory=Counter[int])
    complaints: list[str] = field(default_factory=list[str])
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    @property
    def cases(self) -> int:
        """Requests made."""
        return self.statuses.total()

    def judge(self, status: int, headers: Mapping[str, str], body: bytes, request: Callable[[], str]) -> None:
        """Count an answer and keep what is wrong with it.

        Args:
            status: HTTP status; 0 where there was no answer.
            headers: by lower-case name.
            body: of the answer.
            request: gives what was asked, in words.
        """
        with self._lock:
            self.statuses[status] += 1
            cases = self.cases
        wrong = complaint(status, headers)
        if wrong is not None:
            self.complain(f"{wrong}: {request()}\n{body[:KEPT_BYTES].decode(errors='replace')}")
        self.on_case(cases)

    def complain(self, text: str) -> None:
        """Keep a complaint; after the first fifty they say nothing new."""
        with self._lock:
            if len(self.complaints) < KEPT_COMPLAINTS and text not in self.complaints:
                self.complaints.append(text)
