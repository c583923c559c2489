"""Every benchmark that needs no emulator runs, once and small: what no longer runs is found here, not on the day."""

from __future__ import annotations

import json

import pytest
import urllib3

from tests.bench import report
from tests.bench.cold import FUNCTIONS, measure_cold
from tests.bench.compiler import measure_compiler
from tests.bench.events import order
from tests.bench.post import measure_post
from tests.bench.starter import measure_starter
from tests.bench.stub import AwsStub, aws_stub

pytestmark = pytest.mark.unit


def test_post_is_measured() -> None:
    result = measure_post(rounds=3)
    assert result["rounds"] == 3
    assert result["ours"]["p50_ms"] > 0
    assert result["parts"]["all of it"] > result["parts"]["Chalice, CORS, headers, answer"] > 0
    assert "**" in report.tables({"post": result})["post"]


def test_the_starter_is_measured() -> None:
    result = measure_starter(rounds=1, backlog=50, emulator=False)
    assert result["backlog"]["messages"] == 50
    # Ten starts one after the other wait ten times; at once, twice: a read and a start.
    assert result["stub"]["limit_ms"] > 10 * 20
    assert "batch of 10" in report.tables({"starter": result})["starter"]


def test_a_cold_start_is_measured() -> None:
    result = measure_cold(rounds=1, functions={"confirmar-pedido": FUNCTIONS["confirmar-pedido"]})
    assert result["functions"]["confirmar-pedido"]["import_ms"] > 0
    # Its own memory, not that of whoever started it.
    assert 20 < result["limit"]["mib"] < 80
    assert "`confirmar-pedido`" in report.tables({"cold": result})["cold"]


def test_the_compiler_is_measured() -> None:
    result = measure_compiler(sizes=(3,), peers=None, repeats=1)
    assert result["sizes"][0]["worlds"] > 1000
    assert "from command to end" in report.tables({"compiler": result})["compiler"]


def test_the_stub_keeps_rows_but_no_card_token() -> None:
    stub = AwsStub()
    row = {"pedidoId": {"S": "p-1"}, "cartaoToken": {"S": order("p-1")["cartaoToken"]}}
    stub.answer("PutItem", json.dumps({"Item": row}).encode())
    assert stub.answer("GetItem", b'{"Key": {"pedidoId": {"S": "p-1"}}}') == {"Item": {"pedidoId": {"S": "p-1"}}}
    assert stub.answer("GetItem", b'{"Key": {"pedidoId": {"S": "p-2"}}}') == {}
    with pytest.raises(NotImplementedError, match="DeleteTable"):
        stub.answer("DeleteTable", b"{}")


def test_the_stub_answers_over_http() -> None:
    with aws_stub() as url:
        headers = {"X-Amz-Target": "AmazonSQS.SendMessage"}
        assert urllib3.request("POST", url, body=b"{}", headers=headers, timeout=5.0).json() == {"MessageId": "1"}
