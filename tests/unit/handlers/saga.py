"""A saga small enough to run thousands of times: the steps, their retries and their catches as design §4 has them.

Not the state machine (that one is proved elsewhere): only what is needed to run an order to its end after a crash.
"""

from __future__ import annotations

from contextlib import suppress
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from botocore.exceptions import ReadTimeoutError

from handlers.domain.errors import (
    CobrancaIndefinidaError,
    GatewayIndisponivelError,
    PedidoJaConfirmadoError,
    RecusaError,
    TransitorioError,
)
from handlers.domain.failures import as_cesta_error
from handlers.domain.status import Status
from tests.unit.handlers.world import PEDIDO, Mundo

if TYPE_CHECKING:
    from collections.abc import Callable, Container

    from tests.unit.handlers.world import Estado

TENTATIVAS = 5


class Fim(StrEnum):
    """How the saga ended."""

    CONFIRMADO = "confirmado"
    SEM_RESERVA = "sem reserva"
    COMPENSADO = "compensado"
    HUMANO = "humano"


class MorteError(BaseException):
    """The process is gone: nothing of the step catches it, the platform reports it and the state retries."""


class Desastre(StrEnum):
    """What befalls one effect on the world."""

    MORRE_ANTES = "morre antes"
    MORRE_DEPOIS = "morre depois"
    PERDE_PEDIDO = "o pedido não chega"
    PERDE_RESPOSTA = "a resposta se perde"
    REPETE = "o SDK repete depois de perder a resposta"


class Azar:
    """An `Outside` in which ``desastre`` befalls the effects numbered ``vezes`` (from 0), and which counts them all."""

    def __init__(self, vezes: Container[int] = (), desastre: Desastre = Desastre.MORRE_ANTES) -> None:
        self.vezes = vezes
        self.desastre = desastre
        self.efeitos = 0

    def __call__(self, name: str, effect: Callable[[], Any]) -> Any:
        esta = self.efeitos
        self.efeitos += 1
        if esta not in self.vezes:
            return effect()
        if self.desastre is Desastre.MORRE_ANTES:
            raise MorteError
        if self.desastre is Desastre.PERDE_PEDIDO:
            raise self._perda(name)
        # Good or bad, nobody hears the answer.
        with suppress(Exception):
            effect()
        if self.desastre is Desastre.MORRE_DEPOIS:
            raise MorteError
        # The gateway's adapter never repeats by itself; the SDK does.
        if self.desastre is Desastre.PERDE_RESPOSTA or name.startswith("gateway"):
            raise self._perda(name)
        return effect()

    @staticmethod
    def _perda(name: str) -> Exception:
        if name.startswith("gateway"):
            return GatewayIndisponivelError(PEDIDO, operacao=name, detalhe="sem resposta (ReadTimeoutError)")
        return ReadTimeoutError(endpoint_url="https://dynamodb")


def correr(estado: Estado, azar: Azar | None = None) -> Fim:
    """Runs the order of ``estado`` from ReservarEstoque to its end."""
    mundo = Mundo(estado, outside=azar if azar is not None else Azar())
    return _Saga(mundo).correr()


class _Saga:
    def __init__(self, mundo: Mundo) -> None:
        self.mundo = mundo

    def correr(self) -> Fim:
        erro = self._tentar(self.mundo.reservar)
        if isinstance(erro, RecusaError):
            self.mundo.registrar(Status.FALHOU_SEM_RESERVA)
            return Fim.SEM_RESERVA
        if erro is not None:
            return self._liberar(reserva_respondida=False)
        erro = self._tentar(self.mundo.cobrar)
        if isinstance(erro, RecusaError):
            return self._liberar()
        if erro is not None or self._tentar(self.mundo.confirmar) is not None:
            return self._estornar()
        return self._efetivar()

    def _efetivar(self) -> Fim:
        return Fim.CONFIRMADO if self._tentar(self.mundo.efetivar) is None else Fim.HUMANO

    def _estornar(self) -> Fim:
        erro = self._tentar(self.mundo.estornar)
        if isinstance(erro, PedidoJaConfirmadoError):
            return self._efetivar()
        return self._humano() if erro is not None else self._liberar()

    def _liberar(self, *, reserva_respondida: bool = True) -> Fim:
        if self._tentar(lambda: self.mundo.liberar(reserva_respondida=reserva_respondida)) is not None:
            return self._humano()
        self.mundo.registrar(Status.FALHOU_COMPENSADO)
        return Fim.COMPENSADO

    def _humano(self) -> Fim:
        self.mundo.registrar(Status.REQUER_INTERVENCAO_HUMANA)
        return Fim.HUMANO

    def _tentar(self, passo: Callable[[], object]) -> Exception | None:
        """Runs a state with its retries; the error its catchers see, or None."""
        ultimo: Exception | None = None
        for _ in range(TENTATIVAS):
            # Longer than a function lives: two attempts never overlap.
            self.mundo.passar(25)
            try:
                passo()
            except MorteError:
                ultimo = RuntimeError("Lambda.Unknown")
                continue
            except Exception as error:
                ultimo = as_cesta_error(PEDIDO, error)
            else:
                return None
            if isinstance(ultimo, CobrancaIndefinidaError):
                self.mundo.estado.agora = max(self.mundo.estado.agora, ultimo.duvida_ate)
            elif not isinstance(ultimo, TransitorioError):
                return ultimo
        return ultimo
