"""What an exercise breaks on a running embedded stack; each break is mended when its block ends.

Definitions and functions are replaced as a deploy would replace them, so everything else of the stack is as it was.
"""

from __future__ import annotations

import io
import json
import zipfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from infra import packaging
from infra.local import worker_env
from infra.names import base_da_etapa

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Sequence

    from mypy_boto3_lambda import LambdaClient

    from handlers.domain.status import Etapa
    from infra.ops.target import Target
    from infra.saga.asl import State

__all__ = ["edited_state", "faulty_function", "removed_alarms", "silenced_alarms"]

_FAULTY: Final = Path(__file__).with_name("faulty")


@contextmanager
def edited_state(target: Target, state: Etapa, edit: Callable[[State], None]) -> Generator[None]:
    """The saga deployed with one of its states edited: executions that start meanwhile are of that definition."""
    arn = target.maquinas["pedido"]
    original = target.sfn.describe_state_machine(stateMachineArn=arn)["definition"]
    definition = json.loads(original)
    edit(definition["States"][state.value])
    target.sfn.update_state_machine(stateMachineArn=arn, definition=json.dumps(definition))
    try:
        yield
    finally:
        target.sfn.update_state_machine(stateMachineArn=arn, definition=original)


@contextmanager
def faulty_function(target: Target, etapa: Etapa, module: str) -> Generator[None]:
    """A step's function deployed with its handler replaced by one of `infra.local.exercises.faulty`."""
    # Imported on use: it brings Pulumi's SDK, and the exercises are read without a stack.
    from infra.local.creators.functions import repack

    lambdas: LambdaClient = target.clients.client("lambda")
    name = target.names.funcao_da_etapa(etapa)
    ours = packaging.build(packaging.HANDLERS).read_bytes()
    faulty = (_FAULTY / f"{module}.py").read_bytes()
    handler = f"handlers/{base_da_etapa(etapa).replace('-', '_')}.py"
    python = worker_env.ensure()
    lambdas.update_function_code(FunctionName=name, ZipFile=repack(_with_file(ours, handler, faulty), python))
    try:
        yield
    finally:
        lambdas.update_function_code(FunctionName=name, ZipFile=repack(ours, python))


def _with_file(archive: bytes, name: str, content: bytes) -> bytes:
    """The zip with the content of one of its files replaced."""
    replaced = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(archive)) as before, zipfile.ZipFile(replaced, "w", zipfile.ZIP_DEFLATED) as after:
        before.getinfo(name)  # a KeyError here: the handler moved, and nothing would be broken
        for entry in before.infolist():
            after.writestr(entry, content if entry.filename == name else before.read(entry))
    return replaced.getvalue()


@contextmanager
def silenced_alarms(target: Target) -> Generator[None]:
    """Every alarm of the stack with its actions switched off: it changes its state, and tells nobody."""
    prefix = target.names.alarme("")
    found = target.cloudwatch.describe_alarms(AlarmNamePrefix=prefix, AlarmTypes=["MetricAlarm", "CompositeAlarm"])
    alarms = [*found.get("MetricAlarms", []), *found.get("CompositeAlarms", [])]
    names = [alarm.get("AlarmName", "") for alarm in alarms]
    target.cloudwatch.disable_alarm_actions(AlarmNames=names)
    try:
        yield
    finally:
        target.cloudwatch.enable_alarm_actions(AlarmNames=names)


@contextmanager
def removed_alarms(target: Target, suffixes: Sequence[str]) -> Generator[None]:
    """Metric alarms of the stack deleted, as by hand on the console."""
    names = [target.names.alarme(suffix) for suffix in suffixes]
    alarms: list[Any] = list(target.cloudwatch.describe_alarms(AlarmNames=names)["MetricAlarms"])
    takes = target.cloudwatch.meta.service_model.operation_model("PutMetricAlarm").input_shape
    known = frozenset(takes.members) if takes is not None else frozenset[str]()
    target.cloudwatch.delete_alarms(AlarmNames=names)
    try:
        yield
    finally:
        for alarm in alarms:
            target.cloudwatch.put_metric_alarm(**{key: value for key, value in alarm.items() if key in known})
