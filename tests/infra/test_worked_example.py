"""docs/change-the-saga.md is true: its blocks are what is run, in order, on a copy of the repository.

Every diff must apply, and the refusals, the proofs and the new step's own tests must come out as told. ``make
worked-example`` runs the rest too: the picture, every action of AWS decided for every role, and the proofs on a stack.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from tests.support.worked_example import DOCUMENT, copy_repository, follow, mismatch

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.worked_example import Answer

pytestmark = pytest.mark.infra


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> list[Answer]:
    copy: Path = tmp_path_factory.mktemp("copia")
    copy_repository(copy)
    return list(follow(DOCUMENT, copy, leaving_out=("cesta politicas", "cesta saga desenhar")))


def test_every_command_prints_what_the_document_says(answers: list[Answer]) -> None:
    assert [told for answer in answers if (told := mismatch(answer))] == []


def test_the_example_goes_through_refusal_to_proof_and_tests(answers: list[Answer]) -> None:
    printed = ["\n".join(answer.printed) for answer in answers]
    assert ["provada" in text for text in printed[:4]] == [True, False, False, True]
    assert "3 passed" in printed[-1]


def test_another_answer_would_be_found(answers: list[Answer]) -> None:
    first = answers[0]
    assert mismatch(replace(first, printed=[*first.printed, "mais uma linha"]))
    assert mismatch(replace(first, printed=[line.replace("provada", "NÃO PROVADA") for line in first.printed]))
