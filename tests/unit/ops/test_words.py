"""Nothing support reads is a class name alone: each state, error, status and reason has its words."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from handlers.domain import errors
from handlers.domain.errors import CestaError
from handlers.domain.reconciliation_rows import Motivo
from handlers.domain.status import Status
from infra.ops.words import ARROWS, ERRORS, REASONS, STATES, STATUSES, ago, clean, error_told, lasted, moment
from infra.saga.picture import arrows
from infra.sagas.ours import our_machines

pytestmark = pytest.mark.unit

ABSTRACT = {"CestaError", "RecusaError", "TransitorioError"}
NOW = datetime(2026, 8, 7, 13, 4, 11, tzinfo=UTC)


def test_every_state_of_the_saga_has_words_and_no_other() -> None:
    assert set(STATES) == set(our_machines()[0].definition["States"])


def test_every_error_a_step_may_raise_has_words() -> None:
    raised = {name for name in errors.__all__ if issubclass(getattr(errors, name), CestaError)} - ABSTRACT
    assert raised <= set(ERRORS)
    assert "desconhecido" in error_told("Lambda.NuncaVisto")


def test_every_status_and_every_reason_has_words() -> None:
    assert set(STATUSES) == set(Status)
    assert set(REASONS) == set(Motivo)


def test_every_arrow_of_the_saga_has_words() -> None:
    labels = {text for arrow in arrows(our_machines()[0].definition) for text in arrow.label}
    assert labels - set(ARROWS) == {"outra resposta"}


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("linha 1\nlinha 2\t fim", "linha 1 linha 2 fim"),
        ("\x1b[31mvermelho\x1b[0m", "[31mvermelho [0m"),
        ("a\u202ebc\u2066d", "a bc d"),
        ("cartão 4111 1111 1111 1111 e tok-ok", "cartão [cartao omitido] e [token omitido]"),
        ("x" * 500, "x" * 399 + "…"),
        (None, "None"),
    ],
)
def test_a_free_text_is_made_fit_to_be_shown(said: object, shown: str) -> None:
    assert clean(said) == shown


@pytest.mark.parametrize(
    ("seconds", "told"),
    [(0.04, "0,0 s"), (0.44, "0,4 s"), (12.6, "13 s"), (61, "1 min"), (7200, "2 h"), (172_800, "2 dias")],
)
def test_a_duration_is_told_in_one_unit(seconds: float, told: str) -> None:
    assert lasted(seconds) == told


def test_how_long_ago_is_never_negative() -> None:
    assert ago(NOW - timedelta(hours=3), NOW) == "há 3 h"
    # Two clocks.
    assert ago(NOW + timedelta(seconds=1), NOW) == "há 0,0 s"
    assert moment(NOW) == "07/08/2026 13:04:11 UTC"
