"""The rule by which ``make fuzz`` judges an answer: a judge that lets things pass would prove nothing."""

from __future__ import annotations

import pytest

from tests.e2e.fuzz.tally import Tally, complaint

pytestmark = pytest.mark.unit

PROBLEM = {"content-type": "application/problem+json"}
JSON = {"content-type": "application/json"}
OF_THE_GATEWAY = {**JSON, "x-amzn-errortype": "MissingAuthenticationTokenException"}


@pytest.mark.parametrize(
    ("status", "headers"), [(202, JSON), (200, JSON), (204, {}), (400, PROBLEM), (422, PROBLEM), (403, OF_THE_GATEWAY)]
)
def test_a_good_answer_is_let_pass(status: int, headers: dict[str, str]) -> None:
    assert complaint(status, headers) is None


@pytest.mark.parametrize(
    ("status", "headers"),
    [
        (0, {}),
        (500, PROBLEM),
        (503, PROBLEM),
        (502, OF_THE_GATEWAY),
        (400, JSON),
        (404, {}),
        (415, {"content-type": "x"}),
    ],
)
def test_a_bad_answer_is_complained_of(status: int, headers: dict[str, str]) -> None:
    assert complaint(status, headers) is not None


def test_a_tally_counts_everything_and_keeps_what_is_wrong() -> None:
    seen: list[int] = []
    tally = Tally(on_case=seen.append)
    tally.judge(202, JSON, b"{}", lambda: "um")
    tally.judge(500, JSON, b"ai", lambda: "dois")
    assert (tally.cases, dict(tally.statuses), seen) == (2, {202: 1, 500: 1}, [1, 2])
    assert tally.complaints == ["respondeu 500: dois\nai"]
