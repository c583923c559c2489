"""The net under the logs: whatever is logged, by whatever logger, card data is not in what is written."""

from __future__ import annotations

import io
import json
import logging
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from aws_lambda_powertools import Logger
from hypothesis import given
from hypothesis import strategies as st

from api.chalicelib import observabilidade
from handlers import conciliador
from handlers.domain import redaction, runtime
from handlers.domain.redaction import CARTAO_OMITIDO, TOKEN_OMITIDO, mask, serialize
from tests.support.texts import CHARACTERS

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = pytest.mark.unit

ROOT = Path(__file__).resolve().parents[3]
VISA = "4111111111111111"
TOKEN = "tok_9f2e-segredo"


@pytest.fixture
def written() -> Iterator[io.StringIO]:
    """What the loggers of the test wrote."""
    yield io.StringIO()
    logging.getLogger("biblioteca").handlers.clear()


def library(written: io.StringIO) -> logging.Logger:
    """A logger nobody of ours made, with the plainest handler there is."""
    logger = logging.getLogger("biblioteca")
    logger.addHandler(logging.StreamHandler(written))
    return logger


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        (f"cartão {VISA} recusado", f"cartão {CARTAO_OMITIDO} recusado"),
        ("cartão 4111-1111 1111.1111!", f"cartão {CARTAO_OMITIDO}!"),
        (f"{VISA} e {VISA}", f"{CARTAO_OMITIDO} e {CARTAO_OMITIDO}"),
        (f'{{"cartaoToken":"{TOKEN}"}}', f'{{"cartaoToken":"{TOKEN_OMITIDO}"}}'),
        (f"tok-{VISA}", TOKEN_OMITIDO),
        ("pedido p-1 em 2026-08-07T13:04:11.000Z", "pedido p-1 em 2026-08-07T13:04:11.000Z"),
        ("arn:aws:states:us-east-1:123456789012:execution:cesta:p-1", None),
        ("", None),
    ],
)
def test_card_data_is_masked_and_the_rest_is_kept(text: str, masked: str | None) -> None:
    assert mask(text) == (text if masked is None else masked)


@given(before=st.text(CHARACTERS, max_size=30), after=st.text(CHARACTERS, max_size=30))
def test_no_digit_of_a_card_and_nothing_of_a_token_is_left(before: str, after: str) -> None:
    masked = mask(f"{before} x{VISA}x {TOKEN} {after}")
    assert "1111111111" not in masked
    assert "segredo" not in masked


@given(st.text(CHARACTERS, max_size=60))
def test_masking_again_changes_nothing(text: str) -> None:
    assert mask(mask(text)) == mask(text)


def test_every_name_and_value_of_a_structured_record_is_masked() -> None:
    record: dict[str, object] = {
        "message": f"token {TOKEN}",
        VISA: 1,
        "numero": int(VISA),
        "fundo": {"lista": [f"x {VISA}", (TOKEN, 7)], "objeto": ValueError(TOKEN)},
        "nada": None,
        "sim": True,
        "valor": 4590,
        "quando": "2026-08-07T13:04:11.000Z",
    }
    line = serialize(record)
    assert VISA not in line
    assert TOKEN not in line
    kept = json.loads(line)
    assert (kept["nada"], kept["sim"], kept["valor"], kept["quando"]) == (None, True, 4590, "2026-08-07T13:04:11.000Z")


def test_digits_of_neighbouring_fields_are_not_joined() -> None:
    assert json.loads(serialize({"a": ["4111", "1111", "1111", "1111"]})) == {"a": ["4111", "1111", "1111", "1111"]}


def test_a_librarys_message_arguments_and_traceback_are_masked(written: io.StringIO) -> None:
    redaction.install()
    logger = library(written)
    logger.error("pedido de %s com %s", VISA, {"cartaoToken": TOKEN})
    try:
        raise ValueError(f"recusado: {TOKEN} {VISA}")
    except ValueError:
        logger.exception("falhou")
    text = written.getvalue()
    assert "falhou" in text
    assert "ValueError" in text
    assert "test_redaction.py" in text
    assert VISA not in text
    assert TOKEN not in text


def test_installing_twice_masks_once(written: io.StringIO) -> None:
    redaction.install()
    redaction.install()
    library(written).error("cartão %s", VISA)
    assert written.getvalue() == f"cartão {CARTAO_OMITIDO}\n"


def test_our_own_logger_masks_what_is_put_beside_the_message() -> None:
    written = io.StringIO()
    logger = Logger(service="cesta-test-redacao", json_serializer=serialize, stream=written)
    try:
        raise ValueError(TOKEN)
    except ValueError:
        logger.exception("falhou", extra={"dados": {"cartao": VISA}, "token": TOKEN})
    line = json.loads(written.getvalue())
    assert line["dados"] == {"cartao": CARTAO_OMITIDO}
    assert line["token"] == TOKEN_OMITIDO
    assert "ValueError" in line["exception"]
    assert TOKEN not in written.getvalue()


@pytest.mark.parametrize("logger", [runtime.logger, observabilidade.logger, conciliador.logger])
def test_the_loggers_of_every_function_have_the_net(logger: Logger) -> None:
    assert logger.registered_formatter.json_serializer is serialize  # pyright: ignore[reportUnknownMemberType, reportAttributeAccessIssue]
    assert logging.getLogRecordFactory().__module__ == redaction.__name__


def test_no_function_makes_a_logger_of_its_own() -> None:
    """Powertools configures one logger per service and process: the first one made decides for all."""
    sources = [path for folder in ("handlers", "api") for path in (ROOT / folder).rglob("*.py")]
    makers = {path.name for path in sources if re.search(r"\bLogger\(", path.read_text())}
    assert makers == {"redaction.py"}
