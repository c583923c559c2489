"""Requests no document would make: any method, path, header and bytes, sent as they are."""

from __future__ import annotations

import http.client
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import quote_from_bytes, urlsplit

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st

from api.chalicelib.parsing import MAX_CORPO_BYTES
from handlers.domain.status import Etapa

if TYPE_CHECKING:
    from tests.e2e.fuzz.tally import Tally

__all__ = ["ask"]

TIMEOUT_SECONDS = 30.0
UNHURRIED = (HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example)

ORDER: dict[str, object] = {
    "pedidoId": "cru-1",
    "sku": "sku-cru",
    "quantidade": 1,
    "valorCentavos": 100,
    "cartaoToken": "tok-ok",
    "falhas": {Etapa.CONFIRMAR_PEDIDO.value: "antes"},
}


@dataclass(frozen=True)
class RawRequest:
    """One request.

    Attributes:
        path: with its query, percent-encoded, below the API's base URL.
        headers: values are Latin-1 texts, as HTTP/1.1 has them.
    """

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


def ask(url: str, tally: Tally, *, cases: int, seed: int) -> None:
    """Make that many requests.

    Args:
        url: the API's base URL.
        tally: told of every answer.
        cases: how many.
        seed: makes a run repeatable.
    """

    @seeded(seed)
    @settings(
        max_examples=cases, database=None, deadline=None, phases=[Phase.generate], suppress_health_check=UNHURRIED
    )
    @given(request=requests)
    def ask_once(request: RawRequest) -> None:
        tally.judge(*_send(url, request), lambda: repr(request))

    ask_once()


def _send(url: str, request: RawRequest) -> tuple[int, dict[str, str], bytes]:
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.netloc, timeout=TIMEOUT_SECONDS)
    try:
        connection.putrequest(request.method, parts.path + request.path, skip_accept_encoding=True)
        for name, value in request.headers.items():
            connection.putheader(name, value.encode("latin-1"))
        connection.putheader("Content-Length", str(len(request.body)))
        connection.endheaders(request.body)
        response = connection.getresponse()
        body = response.read()
    except (OSError, http.client.HTTPException) as error:
        return 0, {}, repr(error).encode()
    finally:
        connection.close()
    return response.status, {name.lower(): value for name, value in response.headers.items()}, body


# --- What is sent ----------------------------------------------------------------------------------------------------

segments = st.binary(max_size=80).map(lambda raw: quote_from_bytes(raw, safe=""))
looked_up = segments.map("/pedidos/{}".format)
anywhere = (
    looked_up
    | st.lists(segments, max_size=4).map(lambda parts: "/" + "/".join(parts))
    | segments.map("/pedidos?{}".format)
    | st.tuples(looked_up, segments).map("?".join)
)
methods = st.sampled_from(["POST", "GET", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE"]) | st.text(
    st.characters(min_codepoint=65, max_codepoint=90), min_size=1, max_size=12
)

# What a header's value may be made of (RFC 9110, field-content), Latin-1 included.
texts = st.text(st.characters(min_codepoint=0x20, max_codepoint=0xFF, exclude_characters="\x7f"), max_size=60).map(
    str.strip
)
json_types = st.sampled_from(["application/json", "application/json; charset=utf-8"])
other_types = st.sampled_from(["application/json; charset=utf-16", "text/plain", "*/*"]) | texts
other_headers = {
    "Idempotency-Key": texts,
    "Accept": texts,
    "Authorization": texts,
    "Cookie": texts,
    "Content-Encoding": st.sampled_from(["gzip", "identity"]) | texts,
    "X-Forwarded-For": texts,
    "X-HTTP-Method-Override": methods,
    "Origin": texts,
}
json_headers = st.fixed_dictionaries({"Content-Type": json_types}, optional=other_headers)
any_headers = st.fixed_dictionaries({}, optional={"Content-Type": other_types, **other_headers})

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20) | st.just("4111111111111111")
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
)
near_orders = st.fixed_dictionaries({}, optional={name: st.just(value) | values for name, value in ORDER.items()})
json_texts = (values | near_orders | near_orders).map(lambda value: json.dumps(value).encode())


@st.composite
def damaged(draw: st.DrawFn) -> bytes:
    """JSON with bytes put in, or taken out, somewhere."""
    text = draw(json_texts)
    start = draw(st.integers(0, len(text)))
    end = min(start + draw(st.integers(0, 5)), len(text))
    return text[:start] + draw(st.binary(max_size=8)) + text[end:]


long_ones = st.integers(MAX_CORPO_BYTES - 2, MAX_CORPO_BYTES + 2).map(
    lambda size: b'{"a":"' + b"x" * (size - 8) + b'"}'
)
deep_ones = st.integers(1, 4000).map(lambda depth: b"[" * depth)
bodies = json_texts | json_texts | damaged() | st.binary(max_size=300) | long_ones | deep_ones

posted = st.builds(RawRequest, method=st.just("POST"), path=st.just("/pedidos"), headers=json_headers, body=bodies)
fetched = st.builds(RawRequest, method=st.just("GET"), path=looked_up, headers=any_headers, body=st.just(b""))
anything = st.builds(RawRequest, method=methods, path=anywhere, headers=any_headers, body=bodies)
# Without a word from us half of it would be for routes there are not, which API Gateway answers.
requests = posted | posted | fetched | anything
