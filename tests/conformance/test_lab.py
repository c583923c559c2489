"""The lab leaves nothing behind, and the way to an account is the one the probes take here."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from infra.local.processes import child_environment
from tests.conformance.behaviour import Alvo
from tests.conformance.catalog import CATALOG
from tests.conformance.lab import PREFIX, Lab, transitions
from tests.conformance.sweep import left, main
from tests.conformance.targets import on_emulator

if TYPE_CHECKING:
    from pathlib import Path

    from infra.local.emulator import AwsLocal


class _NoClients:
    def client(self, name: Any) -> Any:
        raise AssertionError(f"no client of {name} is needed here")

    def environment(self) -> dict[str, str]:
        return {}


def _lab(alvo: Alvo = Alvo.LOCAL) -> Lab:
    return Lab(_NoClients(), alvo, lambda archive: ("python3.13", archive))


@pytest.mark.unit
def test_what_was_made_goes_the_last_first_and_one_failure_keeps_no_other() -> None:
    gone: list[str] = []

    def fail() -> None:
        raise RuntimeError("busy")

    lab = _lab()
    lab.later(lambda: gone.append("first"))
    lab.later(fail)
    lab.later(lambda: gone.append("last"))
    with pytest.raises(ExceptionGroup, match=lab.prefix) as caught:
        lab.close()
    assert gone == ["last", "first"]
    assert [str(error) for error in caught.value.exceptions] == ["busy"]
    lab.close()  # nothing is removed twice
    assert gone == ["last", "first"]


@pytest.mark.unit
def test_a_probe_that_fails_leaves_nothing_either() -> None:
    gone: list[str] = []
    with pytest.raises(ZeroDivisionError), _lab() as lab:
        lab.later(lambda: gone.append("made"))
        raise ZeroDivisionError
    assert gone == ["made"]


@pytest.mark.unit
def test_runs_have_names_of_their_own() -> None:
    one, other = _lab(), _lab()
    assert one.prefix != other.prefix
    assert one.name("fila").startswith(one.prefix)
    assert one.name("fila") != one.name("fila")


@pytest.mark.unit
def test_an_account_is_given_longer_and_the_emulator_never_waits_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr("tests.conformance.lab.time.sleep", slept.append)
    assert (_lab().patience(local=1, aws=9), _lab(Alvo.AWS).patience(local=1, aws=9)) == (1, 9)
    _lab().settle(30)
    assert slept == []
    _lab(Alvo.AWS).settle(30)
    assert slept == [30]


@pytest.mark.unit
def test_what_may_never_come_is_waited_for_no_longer_once_nobody_asks() -> None:
    lab = _lab(Alvo.AWS)
    lab.abandon()
    assert lab.happens(lambda: False, local=60, aws=600) is False


@pytest.mark.parametrize(
    ("kinds", "billed"),
    [
        (["ExecutionStarted", "PassStateEntered", "PassStateExited", "ExecutionSucceeded"], 1),
        (["TaskStateEntered", "TaskScheduled", "TaskSucceeded", "TaskStateExited"], 1),
        (["TaskStateEntered", "TaskScheduled", "TaskFailed", "TaskScheduled", "TaskFailed", "PassStateEntered"], 3),
        (["TaskStateEntered", "ExecutionFailed"], 1),
    ],
    ids=["a state", "an attempt", "a retry, then a catch", "no attempt"],
)
@pytest.mark.unit
def test_a_retry_is_billed_and_a_first_attempt_is_its_states(kinds: list[str], billed: int) -> None:
    assert transitions([{"type": kind} for kind in kinds]) == billed


# Neither needs a function, whose runtime there is not this one's, nor sits out an account's propagation.
ON_THE_WAY = (
    "execution-same-start",
    "execution-other-start",
    "execution-names",
    "stop-kills-token",
    "error-condition-optimized",
    "catch-taskfailed-any-name",
    "callback-answered-twice",
    "definition-refused",
    "write-races",
    "queue-retention",
)


@pytest.mark.e2e
def test_the_command_for_an_account_finds_exactly_the_differences_and_leaves_nothing(
    alvo: Alvo, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    """Told that the emulator is AWS, by the environment alone: the SDK's own clients, AWS's answers expected."""
    if alvo is Alvo.AWS:
        pytest.skip("the whole run is on an account")
    emulator: AwsLocal = request.getfixturevalue("emulator")
    chosen = [one for one in CATALOG if one.id in ON_THE_WAY]
    node = "tests/conformance/test_behaviours.py::test_aws_does_so_or_the_emulator_differs_as_pinned"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--alvo", "aws"]
    done = subprocess.run(
        [*command, *(f"{node}[{one.id}]" for one in chosen)],
        env={**child_environment(tmp_path), **emulator.environment(), "AWS_CONFIG_FILE": os.devnull},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    failed = set(re.findall(r"^FAILED .*\[([\w-]+)\]", done.stdout, flags=re.MULTILINE))
    assert failed == {one.id for one in chosen if one.probe and one.probe.emulator}, done.stdout + done.stderr
    assert f"{len(failed)} failed, {len(chosen) - len(failed)} passed" in done.stdout
    assert left(on_emulator(emulator), _prefix_told(done.stdout)) == []


def _prefix_told(output: str) -> str:
    found = re.search(rf"{PREFIX}\w+", output)
    assert found is not None, output
    return found[0]


@pytest.mark.e2e
def test_what_a_killed_run_left_is_shown_and_then_removed(
    alvo: Alvo, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    if alvo is Alvo.AWS:
        pytest.skip("would remove the run that is under way")
    emulator: AwsLocal = request.getfixturevalue("emulator")
    killed = on_emulator(emulator)
    made = _one_of_each(killed)
    assert Counter(one.kind.word for one in left(killed, killed.prefix)) == made
    # The way to an account is the test's above; a session of its own would load every service's model again.
    monkeypatch.setattr("tests.conformance.sweep.on_account", lambda: on_emulator(emulator))
    code, shown = _sweep("--prefixo", killed.prefix)
    assert (code, shown.count("sobrou: ")) == (1, made.total()), shown
    code, swept = _sweep("--prefixo", killed.prefix, "--limpar")
    assert (code, swept.count("removido: ")) == (0, made.total()), swept
    assert left(killed, killed.prefix) == []
    assert _sweep("--prefixo", killed.prefix) == (0, "nada sobrou\n")


@pytest.mark.unit
def test_only_what_runs_made_can_be_swept() -> None:
    code, said = _sweep("--prefixo", "cesta-", "--limpar")
    assert code == 2
    assert PREFIX in said


def _one_of_each(lab: Lab) -> Counter[str]:
    """Make one of everything that probes make, with no thought of removing it; how many of each."""
    name, queue = lab.name("coisa"), lab.queue("fila", VisibilityTimeout="60")
    function = lab.new_function("sonda", seconds=5)  # and with it a table and a role
    lab.client("lambda").create_event_source_mapping(EventSourceArn=lab.queue_arn(queue), FunctionName=function)
    lab.machine({"Passa": {"Type": "Pass", "End": True}})
    lab.client("dynamodb").update_table(TableName=lab.table, DeletionProtectionEnabled=True)
    lab.client("events").put_rule(Name=name, EventPattern=json.dumps({"source": [name]}))
    lab.client("events").put_targets(Rule=name, Targets=[{"Id": "fila", "Arn": lab.queue_arn(queue)}])
    lab.client("sns").create_topic(Name=name)
    watch = lab.client("cloudwatch")
    watch.put_metric_alarm(
        AlarmName=name,
        Namespace="x",
        MetricName="x",
        Statistic="Sum",
        Period=60,
        EvaluationPeriods=1,
        Threshold=0,
        ComparisonOperator="GreaterThanThreshold",
    )
    watch.put_composite_alarm(AlarmName=f"{name}-c", AlarmRule=f'ALARM("{name}")')
    watch.put_dashboard(DashboardName=name, DashboardBody='{"widgets": []}')
    lab.client("logs").create_log_group(logGroupName=name)
    lab.client("ssm").put_parameter(Name=f"/{name}", Value="x", Type="SecureString")
    lab.client("apigateway").create_rest_api(name=name)
    kinds = "mapeamento função máquina regra alarme alarme painel tópico fila tabela log parâmetro API papel"
    return Counter(kinds.split())


def _sweep(*options: str) -> tuple[int, str]:
    """The command's exit code and what it printed."""
    done = CliRunner().invoke(main, options)
    return done.exit_code, done.output
