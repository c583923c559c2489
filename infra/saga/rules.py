"""What must hold when the machine arrives at a state, and when it ends.

The promise behind all of them: no order keeps an effect without being confirmed, for good; what the machine cannot
settle, a person sees, and sees when there is need to.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from infra.saga.effects import (
    ClosingEffect,
    CompensationEffect,
    FailureEnd,
    ForwardEffect,
    Meaning,
    NoticeEffect,
    PersonEffect,
    PivotEffect,
    RecordEffect,
    StepEffect,
)
from infra.saga.world import END, FAILED, KILLED, Fault, Found, Known, Order, Race

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from infra.saga.effects import Effects
    from infra.saga.world import World

__all__ = ["Rules"]

_NOT_AN_ORDER: Final = (Order.CLOSE, Order.NOTHING)


class Rules:
    """The rules for one definition.

    Args:
        effects: what its states do.
        records: the status each record writes, where the definition or the effects tell.
    """

    def __init__(self, effects: Effects, records: Mapping[str, str]) -> None:
        self.effects = effects
        self.steps = effects.steps()
        self.forwards = effects.forwards()
        self.pivot = effects.pivot()
        people = [effect for effect in effects.states.values() if isinstance(effect, PersonEffect)]
        self.deciders = frozenset(person.decide for person in people)
        self.positions = {effect: index for index, effect in enumerate(self.steps)}
        self._all_in_doubt = (Known.MAYBE,) * len(self.steps)
        self.statuses: dict[str, Meaning] = {}
        for name, effect in effects.states.items():
            if isinstance(effect, RecordEffect) and name in records:
                self.statuses[records[name]] = effect.meaning

    # --- Arriving ---

    def arrive(self, world: World, target: str) -> tuple[World, tuple[Found, ...]]:
        """The world in the state ``target``, and the rules broken by going there."""
        effect = self.effects.states.get(target)
        found: list[Found] = []
        if world.closed and effect is not None and not isinstance(effect, ClosingEffect):
            found.append(
                Found(Fault.RECORD, target, f"{target} ainda roda depois de registrado o fim ({world.status})")
            )
        if target in self.deciders and world.heard < 0:
            found.append(Found(Fault.PERSON, target, f"{target} decide sem que haja resposta nova de uma pessoa"))
        arrived = world._replace(state=target)
        match effect:
            case StepEffect() | PivotEffect():
                found += self._forward_again(world, target)
                found += _acts_on_nothing(world, target)
            case ForwardEffect():
                found += self._after_pivot(world, target)
                found += _acts_on_nothing(world, target)
                found += _unrecorded_order(world, target)
                arrived = _acted(arrived, Order.RETRY)
            case CompensationEffect():
                found += self._undoes(world, target, effect)
                found += _acts_on_nothing(world, target)
                found += _unrecorded_order(world, target)
                arrived = _acted(arrived, Order.RETRY)
                if not (arrived.undoing and arrived.touched):
                    arrived = arrived._replace(undoing=True, touched=True)
            case RecordEffect():
                found += self._records(world, target, effect.meaning)
                if effect.meaning is Meaning.CLOSED:
                    arrived = _acted(arrived, Order.CLOSE)
                elif effect.meaning is Meaning.AUDIT:
                    arrived = arrived._replace(due=Order.ITSELF)
            case PersonEffect():
                found += self._asks(world, target, effect)
                arrived = self._asked(arrived, effect)
            case NoticeEffect():
                found += _needs_resort(world, target)
            case ClosingEffect():
                found += _closes(world, target)
                arrived = _acted(arrived, Order.CLOSE)
            case FailureEnd(meaning=None) if not world.call_failed:
                message = f"{target} desiste sem que a chamada de uma pessoa tenha falhado"
                found.append(Found(Fault.PERSON, target, message))
            case _:
                pass
        return arrived, tuple(found)

    def _asked(self, world: World, effect: PersonEffect) -> World:
        """The world in which a person is asked: what went before no longer counts, so all must be undone again."""
        known = world.known
        if not effect.after_pivot:
            known = self._all_in_doubt + known[len(self.steps) :]
        return world._replace(
            known=known,
            order=Order.NOTHING,
            due="",
            heard=-1,
            tried=False,
            call_failed=False,
            undoing=True,
            touched=True,
            failed=True,
        )

    def _forward_again(self, world: World, target: str) -> Iterator[Found]:
        if world.undoing:
            yield Found(Fault.REDONE, target, f"{target} roda depois de ter começado o desfazer")
        elif world.known_pivot != Known.NO and target != (self.pivot[0] if self.pivot is not None else None):
            yield Found(Fault.REDONE, target, f"{target} roda depois do ponto sem volta")

    def _after_pivot(self, world: World, target: str) -> Iterator[Found]:
        if self.pivot is not None and world.known_pivot != Known.YES:
            message = f"{target} segue adiante sem que se saiba que {self.pivot[0]} decidiu"
            yield Found(Fault.INCOMPLETE, target, message)

    def _undoes(self, world: World, target: str, effect: CompensationEffect) -> Iterator[Found]:
        asked_to = world.order == Order.RETRY
        if world.known_pivot == Known.YES and not (asked_to and not self.forwards):
            yield Found(Fault.AFTER_PIVOT, target, f"{target} volta atrás depois do ponto sem volta")
        if not world.failed:
            yield Found(Fault.NEEDLESS, target, f"{target} desfaz sem que nada tenha falhado")
        index = self.positions.get(effect.effect)
        if index is None:
            return
        if world.known[index] == Known.NO and not asked_to:
            message = f"{target} desfaz '{effect.effect}', que sabidamente não existe"
            yield Found(Fault.NEEDLESS, target, message)
        for later in range(index + 1, len(self.steps)):
            if world.known[later] != Known.NO:
                message = (
                    f"{target} desfaz '{effect.effect}' antes de se desfazer '{self.steps[later]}', que veio depois"
                )
                yield Found(Fault.MIRROR, target, message)

    def _records(self, world: World, target: str, meaning: Meaning) -> Iterator[Found]:
        match meaning:
            case Meaning.CLOSED:
                yield from _closes(world, target)
            case Meaning.AUDIT:
                if world.order != Order.RETRY or world.due != target:
                    yield Found(Fault.PERSON, target, f"{target} registra uma ordem que ninguém deu")
            case Meaning.PERSON:
                yield from _needs_resort(world, target)
                yield from self._undoing_a_success(world, target)
            case Meaning.NOTHING_DONE | Meaning.COMPENSATED:
                yield from _acts_on_nothing(world, target)
                yield from self._records_failure(world, target, meaning)
            case Meaning.SUCCESS:
                pass

    def _records_failure(self, world: World, target: str, meaning: Meaning) -> Iterator[Found]:
        if world.known_pivot == Known.YES:
            yield Found(Fault.AFTER_PIVOT, target, f"{target} registra falha depois do ponto sem volta")
        if (meaning is Meaning.NOTHING_DONE) is world.touched:
            said = "que nada foi feito" if world.touched else "que tudo foi desfeito"
            yield Found(Fault.RECORD, target, f"{target} registra {said}, e não foi isso que houve")
        for index, effect in enumerate(self.steps):
            if world.known[index] != Known.NO:
                message = f"{target} registra falha enquanto '{effect}' existe ou pode existir"
                yield Found(Fault.RECORD, target, message)

    def _undoing_a_success(self, world: World, target: str) -> Iterator[Found]:
        if world.known_pivot == Known.YES and self.forwards:
            message = f"{target} trata como caso de desfazer um pedido que passou do ponto sem volta"
            yield Found(Fault.PERSON, target, message)

    def _asks(self, world: World, target: str, effect: PersonEffect) -> Iterator[Found]:
        yield from _needs_resort(world, target)
        if world.due:
            yield Found(Fault.PERSON, target, f"{target} pergunta de novo sem ter feito o que a pessoa mandou")
        if effect.after_pivot:
            if world.known_pivot != Known.YES:
                message = f"{target} pede a alguém que siga adiante, e não se sabe se o pedido foi confirmado"
                yield Found(Fault.PERSON, target, message)
            return
        yield from self._undoing_a_success(world, target)
        if effect.needs_status is not None and effect.needs_status != world.status and not world.tried:
            message = (
                f"{target} chama uma pessoa sem tentar registrar {effect.needs_status}: o pedido não mostra o caso"
            )
            yield Found(Fault.PERSON, target, message)

    # --- Ending ---

    def end(self, world: World) -> Iterator[Found]:
        """The rules broken if the execution ends like this."""
        if world.state == KILLED:
            if not self.effects.net:
                yield from self._nobody_sees(world)
            return
        if world.told or (world.state.startswith(FAILED) and self._last_resort(world)):
            return
        if world.due:
            yield Found(Fault.PERSON, "fim", "a execução termina sem ter feito o que a pessoa mandou")
        if world.order == Order.CLOSE or (world.state != END and not world.state.startswith(FAILED)):
            return
        if self._succeeded(world):
            yield from self._complete(world)
            return
        if self._failed(world):
            yield from self._left_behind(world)
            return
        held = self._held(world)
        message = f"a execução termina e nada fica registrado (status {world.status or 'nenhum'}{held})"
        yield Found(Fault.UNRECORDED, "fim", message)

    def _last_resort(self, world: World) -> bool:
        effect = self.effects.states.get(world.state.removeprefix(FAILED + ":"))
        return isinstance(effect, FailureEnd) and effect.meaning is None

    def _succeeded(self, world: World) -> bool:
        if world.state != END:
            return False
        if self.pivot is not None:
            return world.race == Race.PIVOT
        if Meaning.SUCCESS in self.statuses.values():
            return self.statuses.get(world.status) is Meaning.SUCCESS
        return world.status == self.effects.initial and not world.undoing and world.known[-1:] == (Known.YES,)

    def _failed(self, world: World) -> bool:
        if world.state.startswith(FAILED):
            effect = self.effects.states.get(world.state.removeprefix(FAILED + ":"))
            return isinstance(effect, FailureEnd) and effect.meaning is not None
        return self.statuses.get(world.status) in (Meaning.NOTHING_DONE, Meaning.COMPENSATED)

    def _complete(self, world: World) -> Iterator[Found]:
        for index, effect in enumerate((*self.steps, *self.forwards)):
            if not world.counts[index]:
                yield Found(Fault.INCOMPLETE, effect, f"o pedido dá certo, mas falta: {effect}")

    def _left_behind(self, world: World) -> Iterator[Found]:
        recorded = world.status if world.state == END else world.state.removeprefix(FAILED + ":")
        for index, effect in enumerate(self.steps):
            if world.counts[index]:
                message = f"o pedido termina {recorded} e continua com: {effect}. Ninguém vai desfazer"
                yield Found(Fault.LEFT_BEHIND, effect, message)

    def _nobody_sees(self, world: World) -> Iterator[Found]:
        for index, effect in enumerate(self.steps):
            if world.counts[index] and not self._succeeded(world._replace(state=END)):
                message = f"a execução morre com {effect}, e não há rede de segurança que chame alguém"
                yield Found(Fault.DIED, effect, message)

    def _held(self, world: World) -> str:
        held = [effect for index, effect in enumerate(self.steps) if world.counts[index]]
        return f"; continua com: {', '.join(held)}" if held else ""


def _acted(world: World, order: str) -> World:
    return world._replace(due="") if world.due and world.order == order else world


def _unrecorded_order(world: World, target: str) -> Iterator[Found]:
    if world.order == Order.RETRY and world.due not in ("", Order.ITSELF):
        yield Found(Fault.PERSON, target, f"{target} age sem que {world.due} registre quem mandou")


def _acts_on_nothing(world: World, target: str) -> Iterator[Found]:
    if world.order in _NOT_AN_ORDER:
        yield Found(Fault.PERSON, target, f"{target} age sem que uma pessoa o tenha mandado")


def _closes(world: World, target: str) -> Iterator[Found]:
    if world.order != Order.CLOSE:
        yield Found(Fault.PERSON, target, f"{target} encerra um caso que ninguém mandou encerrar")
    elif world.due not in (Order.ITSELF, target):
        yield Found(
            Fault.PERSON, target, f"{target} encerra o caso de outro jeito que o mandado ({world.due or 'já feito'})"
        )


def _needs_resort(world: World, target: str) -> Iterator[Found]:
    if not world.resort:
        yield Found(Fault.PERSON, target, f"{target} chama uma pessoa sem que o desfazer tenha sido tentado e falhado")
