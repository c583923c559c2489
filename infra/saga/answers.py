"""Everything a person may send back: each valid answer, each with something wrong, and what is no answer at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from infra.saga.effects import AnswerMeaning
from infra.saga.world import Order

if TYPE_CHECKING:
    from collections.abc import Iterator

    from infra.saga.effects import PersonEffect

__all__ = ["Answer", "possible_answers"]


class Answer(NamedTuple):
    """Something a person may send back.

    Attributes:
        label: for the story.
        value: the JSON that arrives.
        order: what it tells the machine to do.
        due: what must be done for it.
    """

    label: str
    value: object
    order: str = Order.NOTHING
    due: str = ""


def possible_answers(effect: PersonEffect) -> Iterator[Answer]:
    """Every valid answer, each with something wrong, and what is no answer at all."""
    field = effect.decision_field
    for answer in effect.answers:
        said = f"a pessoa responde {answer.decision}"
        order = Order.RETRY if answer.meaning is AnswerMeaning.RETRY else Order.CLOSE
        whole: dict[str, object] = {field: answer.decision, **dict.fromkeys(answer.required, "fulana")}
        whole |= {name: ["estoque"] for name in answer.given}
        given = f" com {', '.join(answer.given)}" if answer.given else ""
        yield Answer(said + given, whole, order, answer.state or Order.ITSELF)
        yield Answer(f"{said}{given}, escrito errado", {**whole, field: f"{answer.decision}?"})
        yield Answer(f"{said}{given}, sem a decisão", {name: value for name, value in whole.items() if name != field})
        for name in answer.required:
            without = {key: value for key, value in whole.items() if key != name}
            yield Answer(f"{said}{given} sem {name}", without)
            yield Answer(f"{said}{given} com {name} vazio", {**whole, name: ""})
            yield Answer(f"{said}{given} com {name} numérico", {**whole, name: 7})
    yield Answer("a pessoa responde um objeto vazio", {})
    yield Answer("a pessoa responde uma decisão que não existe", {field: "TALVEZ"})
    yield Answer("a pessoa responde uma decisão numérica", {field: 1})
    yield Answer("a pessoa responde um texto solto", "sim")
