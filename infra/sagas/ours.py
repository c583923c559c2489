"""Our two machines, with all that the tools need to know of them: what ``cesta saga`` works on by default."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from handlers.domain.status import Etapa
from infra.names import Names
from infra.saga.checks import Facts
from infra.saga.compiler import Resources
from infra.saga.derivation import effects_of
from infra.saga.explorer import prove
from infra.sagas.pedido import AjustesDaSaga, Recursos, compilar, compilar_retomada, definir

if TYPE_CHECKING:
    from collections.abc import Mapping

    from infra.saga.asl import Definition
    from infra.saga.checks.findings import Kind
    from infra.saga.effects import Effects

__all__ = ["OurMachine", "facts", "our_machines", "prove_ours"]

_ACCOUNT, _REGION = "111122223333", "us-east-1"

_ORDER: Mapping[str, Kind] = {
    "pedidoId": "texto",
    "sku": "texto",
    "quantidade": "numero",
    "valorCentavos": "numero",
    "criadoEm": "texto",
}
"""The input of ``cesta-saga-pedido`` (design §4)."""

_CASE: Mapping[str, Kind] = {"erro": "erro", "erroCompensacao": "erro"}
"""What the input of ``cesta-saga-retomada`` must hold beside the order: its first states may write them down."""


@dataclass(frozen=True)
class OurMachine:
    """One of our state machines.

    Attributes:
        name: as deployed in prod.
        definition: compiled for an account that does not exist.
        effects: what its states do, from the model.
        facts: what its input and functions are.
    """

    name: str
    definition: Definition
    effects: Effects
    facts: Facts


def our_machines(settings: AjustesDaSaga | None = None) -> tuple[OurMachine, OurMachine]:
    """The saga and its resumption, compiled with ``settings`` or the defaults; raises `infra.saga.SagaError`."""
    chosen = settings or AjustesDaSaga()
    names = Names("prod")
    queue = f"https://sqs.{_REGION}.amazonaws.com/{_ACCOUNT}/{names.fila_humana}"
    functions = {
        etapa.value: f"arn:aws:lambda:{_REGION}:{_ACCOUNT}:function:{names.funcao_da_etapa(etapa)}" for etapa in Etapa
    }
    resources = Recursos(functions, names.tabela_pedidos, queue)
    # The functions alone: with them the explorer sees a state that calls another state's function.
    effects = effects_of(definir(chosen), Resources(functions))
    return (
        OurMachine(names.maquina_pedido, compilar(chosen, resources), effects, facts(chosen)),
        OurMachine(
            names.maquina_retomada, compilar_retomada(chosen, resources), effects, facts(chosen, resumption=True)
        ),
    )


@cache
def prove_ours(settings: AjustesDaSaga) -> None:
    """Prove both machines with a stack's times before anything is deployed; half a second, once a process.

    On names that do not exist: in a preview the real ones are not known yet, and no edge depends on them.

    Raises:
        infra.saga.SagaError: the model is malformed, or a path loses something; the message tells it.
    """
    for machine in our_machines(settings):
        prove(machine.definition, machine.effects)


def facts(settings: AjustesDaSaga, *, resumption: bool = False) -> Facts:
    """What the definitions do not say themselves: their input, and the times of the functions."""
    states = [etapa.value for etapa in Etapa]
    return Facts(
        input_fields={**_ORDER, **_CASE} if resumption else _ORDER,
        function_seconds=dict.fromkeys(states, settings.lambda_segundos),
        http_seconds=dict.fromkeys(states, settings.http_segundos),
    )
