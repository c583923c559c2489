"""What a stack really runs: its machines' definitions as deployed, beside what the model says their states do.

A definition edited by hand, or left behind by a deploy that stopped half-way, is judged like the compiled one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from handlers.domain.status import Etapa
from infra.config import from_mapping
from infra.local.settings_file import SETTINGS_FILE, read_settings
from infra.names import PROJETO
from infra.saga.asl import parse
from infra.saga.compiler import Resources
from infra.saga.derivation import effects_of
from infra.sagas.ours import OurMachine, facts
from infra.sagas.pedido import definir

if TYPE_CHECKING:
    from infra.ops.target import Target
    from infra.sagas.pedido import AjustesDaSaga

__all__ = ["deployed_machines"]


def deployed_machines(target: Target) -> tuple[OurMachine, OurMachine]:
    """The saga and its resumption as the stack runs them.

    Raises:
        SettingsFileError, SettingsError: the stack's ``Pulumi.<stack>.yaml`` cannot be read, or is wrong.
        infra.saga.errors.DefinitionError: what is deployed is no definition.
    """
    settings = _settings(target.stack)
    effects = effects_of(definir(settings), Resources(_functions(target)))

    def machine(key: str) -> OurMachine:
        arn = target.maquinas[key]
        name = arn.rpartition(":")[2]
        deployed = target.sfn.describe_state_machine(stateMachineArn=arn)["definition"]
        known = facts(settings, resumption=key == "retomada")
        return OurMachine(name, parse(deployed, source=name), effects, known)

    return machine("pedido"), machine("retomada")


def _settings(stack: str) -> AjustesDaSaga:
    """The times the stack's saga should have been compiled with."""
    prefix = f"{PROJETO}:"
    config = read_settings({}, path=SETTINGS_FILE.with_name(f"Pulumi.{stack}.yaml"))
    own = {key.removeprefix(prefix): value for key, value in config.items() if key.startswith(prefix)}
    return from_mapping(stack, own).saga


def _functions(target: Target) -> dict[str, str]:
    """The ARN of each step's function, in the account and region of the machines."""
    _, _, _, region, account, *_ = target.maquinas["pedido"].split(":")
    where = f"arn:aws:lambda:{region}:{account}:function:"
    return {etapa.value: where + target.names.funcao_da_etapa(etapa) for etapa in Etapa}
