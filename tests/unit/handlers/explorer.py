"""Explores every interleaving of a few programs, each effect on the world being one indivisible turn.

A program is run again from its start for each turn: the answers it had so far are replayed from a log, one new
effect is let through, and the next one stops it. Joint states seen before are not explored twice, which keeps the
search as small as the state space is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from handlers.domain.errors import CestaError
from tests.unit.handlers.world import Mundo

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tests.unit.handlers.world import Estado

    Programa = Callable[[Mundo], object]

MORTO = "morto"


class _PausaError(BaseException):
    """Stops a program at its next effect."""


@dataclass(frozen=True)
class Final:
    """A world in which every program has ended.

    Attributes:
        mundo: the world.
        resultados: by program: what it returned, the error it raised, or `MORTO`.
    """

    mundo: Mundo
    resultados: Mapping[str, object]


@dataclass(frozen=True)
class _Corrida:
    """One program so far: the answers it had while it runs, its result once it ended."""

    log: tuple[tuple[bool, Any], ...] = ()
    terminada: bool = False
    resultado: object = None


class _Replay:
    """The `Outside` and the clock of one program's turn."""

    def __init__(self, estado: Estado, log: Sequence[tuple[bool, Any]]) -> None:
        self.estado = estado
        self.log = list(log)
        self.at = 0
        self.turns = 1

    def __call__(self, name: str, effect: Callable[[], Any]) -> Any:
        if self.at < len(self.log):
            return self._replay()
        if self.turns == 0:
            raise _PausaError
        self.turns -= 1
        return self._record(effect)

    def agora(self) -> float:
        # Looking at the clock is no effect, so it is no turn either; but a replay must see the same time.
        return self._replay() if self.at < len(self.log) else self._record(lambda: self.estado.agora)

    def _replay(self) -> Any:
        good, answer = self.log[self.at]
        self.at += 1
        if good:
            return answer
        raise answer

    def _record(self, effect: Callable[[], Any]) -> Any:
        self.at += 1
        try:
            answer = effect()
        except Exception as error:
            self.log.append((False, error))
            raise
        self.log.append((True, answer))
        return answer


def explorar(estado: Estado, programas: Mapping[str, Programa], *, mortais: Sequence[str] = ()) -> Iterator[Final]:
    """Every way the programs can end, those in ``mortais`` dying at any point as well."""
    inicio = (estado, dict.fromkeys(programas, _Corrida()))
    pilha = [inicio]
    vistos = {_chave(*inicio)}
    while pilha:
        agora, corridas = pilha.pop()
        vivas = [nome for nome, corrida in corridas.items() if not corrida.terminada]
        if not vivas:
            yield Final(Mundo(agora), {nome: corrida.resultado for nome, corrida in corridas.items()})
        for nome in vivas:
            for seguinte in _seguintes(agora, corridas, nome, programas[nome], mortal=nome in mortais):
                chave = _chave(*seguinte)
                if chave not in vistos:
                    vistos.add(chave)
                    pilha.append(seguinte)


def _seguintes(
    estado: Estado, corridas: dict[str, _Corrida], nome: str, programa: Programa, *, mortal: bool
) -> Iterator[tuple[Estado, dict[str, _Corrida]]]:
    copia = estado.copia()
    yield copia, {**corridas, nome: _turno(copia, corridas[nome], programa)}
    if mortal:
        yield estado, {**corridas, nome: _Corrida(terminada=True, resultado=MORTO)}


def _turno(estado: Estado, corrida: _Corrida, programa: Programa) -> _Corrida:
    replay = _Replay(estado, corrida.log)
    try:
        resultado = programa(Mundo(estado, outside=replay, agora=replay.agora))
    except _PausaError:
        return _Corrida(tuple(replay.log))
    except CestaError as error:
        resultado = error
    # Without the log: worlds that differ only in how an ended program came to its result are one.
    return _Corrida(terminada=True, resultado=resultado)


def _chave(estado: Estado, corridas: dict[str, _Corrida]) -> str:
    return repr((estado, corridas))
