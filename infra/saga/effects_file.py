"""Reading what a definition's states do from YAML, for definitions that no model of ours made.

The format is shown, with its reasons, by `EXAMPLE`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

import yaml

from infra.saga.effects import (
    AnswerEffect,
    AnswerMeaning,
    ClosingEffect,
    CompensationEffect,
    Doubt,
    Effects,
    FailureEnd,
    ForwardEffect,
    Late,
    Meaning,
    NoticeEffect,
    PersonEffect,
    PivotEffect,
    RecordEffect,
    StepEffect,
)
from infra.saga.effects_example import EXAMPLE
from infra.saga.errors import EffectsError
from infra.saga.model import StatusWrite

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from enum import Enum

    from infra.saga.asl import Definition
    from infra.saga.effects import StateEffect

__all__ = ["EXAMPLE", "EffectsError", "read_effects"]


def read_effects(text: str, definition: Definition | None = None, *, source: str = "") -> Effects:
    """The effects in ``text``.

    Args:
        text: YAML in the format of `EXAMPLE`.
        definition: the state machine; with it, a state that it does not have is refused.
        source: the file's name, for messages.

    Raises:
        EffectsError: it is not such a file.
    """
    try:
        loaded = yaml.safe_load(text)
    except yaml.YAMLError as error:
        problem = f"o YAML não se lê ({' '.join(str(error).split())})"
        raise EffectsError("", problem, "corrija o texto", source=source) from None
    try:
        effects = _effects(_Fields("", loaded))
    except EffectsError as error:
        raise EffectsError(error.where, error.problem, error.mend, source=source) from None
    _check_undone(effects, source)
    if definition is not None:
        _check_known(effects, definition, source)
    return effects


class _Fields:
    """One object of the file, each field read once and by name."""

    def __init__(self, where: str, value: object) -> None:
        if not isinstance(value, dict):
            raise EffectsError(where, "não é um objeto", "veja cesta saga verificar --exemplo-efeitos")
        self.where = where
        self.left = dict(cast("dict[str, Any]", value))

    def _take(self, name: str, kind: type | tuple[type, ...], expected: str, default: object) -> Any:
        value = self.left.pop(name, default)
        if value is not default and not isinstance(value, kind):
            raise EffectsError(self.where or name, f"{name} não é {expected}", f"escreva {expected} em {name}")
        return value

    def need(self, name: str) -> str:
        value = self.text(name)
        if value is None:
            raise EffectsError(self.where, f"falta {name}", f"escreva {name}")
        return value

    def text(self, name: str) -> str | None:
        return self._take(name, str, "um texto", None)

    def flag(self, name: str, *, default: bool) -> bool:
        return self._take(name, bool, "true ou false", default)

    def number(self, name: str) -> float:
        return self._take(name, (int, float), "um número", 0)

    def texts(self, name: str) -> tuple[str, ...] | None:
        value: list[object] | None = self._take(name, list, "uma lista de textos", None)
        if value is None:
            return None
        if not all(isinstance(item, str) for item in value):
            raise EffectsError(self.where or name, f"{name} não é uma lista de textos", "escreva só textos")
        return tuple(cast("list[str]", value))

    def objects(self, name: str) -> list[_Fields]:
        value: list[object] = self._take(name, list, "uma lista", [])
        return [_Fields(f"{self.where}, {name}", item) for item in value]

    def inner(self, name: str) -> _Fields | None:
        return (
            _Fields(f"{self.where}, {name}" if self.where else name, self.left.pop(name)) if name in self.left else None
        )

    def one_of(self, name: str, among: type[Enum], default: str | None) -> Any:
        value = self.text(name) or default
        if value not in {item.value for item in among}:
            known = ", ".join(str(item.value) for item in among)
            raise EffectsError(self.where, f"{name} é {value!r}", f"escreva um destes: {known}")
        return among(value)

    def done(self) -> None:
        if self.left:
            names = ", ".join(map(str, self.left))
            raise EffectsError(
                self.where, f"campo desconhecido: {names}", "veja cesta saga verificar --exemplo-efeitos"
            )


def _effects(fields: _Fields) -> Effects:
    errors = fields.inner("erros") or _Fields("erros", {})
    states = fields.inner("estados")
    if states is None or not states.left:
        raise EffectsError("", "falta estados", "diga o que cada estado faz")
    effects = Effects(
        states={name: _state(_Fields(name, value)) for name, value in states.left.items()},
        initial=fields.need("inicial"),
        transient=errors.texts("passageiros") or (),
        unknown=errors.texts("desconhecidos") or (),
        net=fields.flag("rede_de_seguranca", default=False),
        attribute=fields.text("atributo") or "status",
    )
    errors.done()
    fields.done()
    return effects


def _state(fields: _Fields) -> StateEffect:
    kind = fields.need("tipo")
    if kind not in _KINDS:
        raise EffectsError(fields.where, f"tipo é {kind!r}", f"escreva um destes: {', '.join(_KINDS)}")
    effect = _KINDS[kind](fields)
    fields.done()
    return effect


def _step(fields: _Fields) -> StepEffect:
    return StepEffect(
        fields.need("efeito"),
        fields.texts("recusas") or (),
        idempotent=fields.flag("idempotente", default=True),
        answer_key=fields.text("resposta"),
    )


def _pivot(fields: _Fields) -> PivotEffect:
    return PivotEffect(fields.texts("recusas") or (), _write(fields), guarded=fields.flag("guarda", default=True))


def _write(fields: _Fields) -> StatusWrite | None:
    inner = fields.inner("escreve")
    if inner is None:
        return None
    write = StatusWrite(inner.need("status"), inner.texts("de") or ())
    inner.done()
    return write


def _compensation(fields: _Fields) -> CompensationEffect:
    doubt = fields.inner("duvida")
    effect = CompensationEffect(
        fields.need("desfaz"),
        idempotent=fields.flag("idempotente", default=True),
        pivot_won=fields.text("pivo_venceu"),
        claims=_write(fields),
        doubt=Doubt(doubt.need("erro"), doubt.number("segundos")) if doubt is not None else None,
        late=fields.one_of("tardio", Late, Late.UNSEEN.value),
        late_unless=fields.text("tardio_salvo_se"),
    )
    if doubt is not None:
        doubt.done()
    return effect


def _record(fields: _Fields) -> RecordEffect:
    return RecordEffect(fields.one_of("diz", Meaning, None), fields.texts("de"), fields.text("status"))


def _person(fields: _Fields) -> PersonEffect:
    return PersonEffect(
        tuple(_answer(answer) for answer in fields.objects("respostas")),
        decide=fields.need("decide"),
        answer_key=fields.need("resposta"),
        decision_field=fields.need("campo"),
        needs_status=fields.text("precisa_status"),
        after_pivot=fields.flag("depois_do_pivo", default=False),
    )


def _answer(fields: _Fields) -> AnswerEffect:
    answer = AnswerEffect(
        fields.need("decisao"),
        fields.one_of("ordena", AnswerMeaning, None),
        fields.texts("exige") or (),
        fields.texts("com") or (),
        fields.text("estado"),
    )
    fields.done()
    return answer


def _failure(fields: _Fields) -> FailureEnd:
    return FailureEnd(fields.one_of("diz", Meaning, None) if "diz" in fields.left else None)


_KINDS: Final[Mapping[str, Callable[[_Fields], StateEffect]]] = {
    "passo": _step,
    "pivo": _pivot,
    "adiante": lambda fields: ForwardEffect(fields.need("efeito")),
    "compensacao": _compensation,
    "registro": _record,
    "pessoa": _person,
    "aviso": lambda _: NoticeEffect(),
    "encerramento": lambda _: ClosingEffect(),
    "falha": _failure,
}


def _check_undone(effects: Effects, source: str) -> None:
    """An undone effect that no step has would be an undoing that is never looked at."""
    steps = effects.steps()
    for name, effect in effects.states.items():
        if isinstance(effect, CompensationEffect) and effect.effect not in steps:
            problem = f"desfaz {effect.effect!r}, que nenhum passo faz"
            raise EffectsError(
                name, problem, f"use o efeito de um passo: {', '.join(steps) or 'não há'}", source=source
            )


def _check_known(effects: Effects, definition: Definition, source: str) -> None:
    for name in effects.states:
        if name not in definition["States"]:
            problem = "a definição não tem este estado"
            raise EffectsError(name, problem, "confira o nome, que diferencia maiúsculas", source=source)
