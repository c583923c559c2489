"""The embedded stack, whole: emulator, payment gateway, the real program deployed, stock, alarms.

::

    with EmbeddedStack.start() as stack:
        print(stack.endpoints()["api"])
"""

from __future__ import annotations

import secrets
import sys
import time
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

import urllib3
from botocore.exceptions import BotoCoreError

from infra.config import LOCAL, Settings, from_mapping
from infra.local import worker_env
from infra.local.alarm_watcher import AlarmWatcher
from infra.local.deploy import Deployment, deploy
from infra.local.emulator import AwsLocal, configure, is_up, start_emulator
from infra.local.endpoints import Endpoints, api_url, endpoints
from infra.local.errors import ProcessDiedError
from infra.local.guardian import session_members
from infra.local.processes import LOOPBACK, Guardian, child_environment, choose_port, poll_until
from infra.local.seed import seed, seed_parameters
from infra.local.settings_file import read_settings
from infra.local.simulator import CREDENTIAL_VARIABLES
from infra.names import PROJETO, Names

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence
    from pathlib import Path

    import psutil

    from infra.local.monitor import DeployedResource

__all__ = ["DEFAULT_WAIT_SCALE", "EmbeddedStack", "Phase"]

DEFAULT_WAIT_SCALE: Final = 0.05
GATEWAY_PROCESS: Final = "gateway"
GATEWAY_DEADLINE_SECONDS: Final = 30.0
# What a call to a process that is gone raises, depending on who called.
CONNECTION_ERRORS: Final = (OSError, BotoCoreError, urllib3.exceptions.HTTPError)
DEATH_NOTICE_SECONDS: Final = 1.0


@dataclass(frozen=True)
class Phase:
    """A step of the stack's start, for whoever shows progress.

    Attributes:
        name: what is being done, for the operator.
        detail: the last thing done in it; empty when there is nothing to say.
        seconds: how long the phase took, once it is over; None while it runs.
    """

    name: str
    detail: str = ""
    seconds: float | None = None


@dataclass
class EmbeddedStack:
    """A running embedded stack. Made by `start`; everything it started ends with the block.

    Attributes:
        aws: the emulator and its clients.
        gateway_url: the payment gateway simulator, without trailing slash.
        settings: the stack's settings, overrides included.
        deployment: what the program made.
        phases: seconds each phase of the start took, in order.
    """

    aws: AwsLocal
    gateway_url: str
    settings: Settings
    deployment: Deployment
    phases: dict[str, float]
    _guardian: Guardian = field(repr=False)

    @classmethod
    @contextmanager
    def start(
        cls,
        *,
        porta_aws: int | None = None,
        porta_gateway: int | None = None,
        escala_espera: float = DEFAULT_WAIT_SCALE,
        iam: bool = False,
        on_progress: Callable[[Phase], None] | None = None,
    ) -> Generator[EmbeddedStack]:
        """Start everything; ready when the block begins.

        Args:
            porta_aws: the emulator's port on 127.0.0.1; a free one by default.
            porta_gateway: the gateway's port on 127.0.0.1; a free one by default.
            escala_espera: factor of retry intervals, Wait states and the doubt window; 1 = real time.
            iam: whether the emulator enforces the roles' policies.
            on_progress: told of every phase and resource, from whichever thread made it.

        Raises:
            EmbeddedStackError: something could not be started; or, inside the block, a process died.
            SettingsError: a setting of the stack is wrong.
        """
        builder = _Builder(on_progress or (lambda _: None))
        with ExitStack() as resources:
            ports = builder.choose_ports(porta_aws, porta_gateway)
            guardian = resources.enter_context(Guardian())
            with _deaths_told(guardian):
                stack = builder.build(guardian, ports, escala_espera, iam=iam)
                resources.enter_context(AlarmWatcher(stack.aws))
                yield stack

    @property
    def outputs(self) -> Mapping[str, Any]:
        """The program's exports."""
        return self.deployment.outputs

    @property
    def run_dir(self) -> Path:
        """Where the processes write; gone with the stack."""
        return self._guardian.run_dir

    def processes(self) -> list[psutil.Process]:
        """Every live process of the stack: emulator, gateway, the functions' workers."""
        return session_members(self._guardian.session)

    def start_process(self, name: str, argv: Sequence[str]) -> int:
        """Start one more process that ends with the stack, and the stack with it; returns its pid.

        Args:
            name: the process in messages and the name of its log file.
            argv: command line; it runs in ``run_dir``.

        Raises:
            ProcessDiedError: it could not start.
        """
        return self._guardian.start(name, argv, child_environment(self.run_dir))

    def check(self) -> None:
        """Raise ProcessDiedError if a process of the stack has died."""
        self._guardian.check()

    def wait(self, seconds: float | None = None) -> None:
        """Block until Ctrl-C, the seconds are over, or a process dies (ProcessDiedError)."""
        self._guardian.wait(seconds)

    def endpoints(self) -> Endpoints:
        """Where everything is, in the shape of ``cesta local --json``."""
        return endpoints(self.aws, self.gateway_url)


@contextmanager
def _deaths_told(guardian: Guardian) -> Generator[None]:
    """Turn the connection error that a dead process causes into that process's death, with its log."""
    try:
        yield
    except Exception as error:
        if isinstance(error, ProcessDiedError) or not _is_connection_error(error):
            raise
        try:
            # The guardian needs a moment to notice.
            guardian.wait(DEATH_NOTICE_SECONDS)
        except ProcessDiedError as death:
            raise death from error
        raise


def _is_connection_error(error: BaseException | None) -> bool:
    return error is not None and (isinstance(error, CONNECTION_ERRORS) or _is_connection_error(error.__cause__))


class _Builder:
    """Starts the stack phase by phase, keeping the time of each."""

    def __init__(self, on_progress: Callable[[Phase], None]) -> None:
        self._on_progress = on_progress
        self._seconds: dict[str, float] = {}

    def choose_ports(self, porta_aws: int | None, porta_gateway: int | None) -> tuple[int, int]:
        # A port chosen freely must not be the one that the other was asked for.
        asked = [port for port in (porta_aws, porta_gateway) if port is not None]
        aws = choose_port(porta_aws, option="--porta-aws", taken=asked if porta_aws is None else ())
        return aws, choose_port(porta_gateway, option="--porta-gateway", taken=[aws])

    def build(self, guardian: Guardian, ports: tuple[int, int], wait_scale: float, *, iam: bool) -> EmbeddedStack:
        aws_port, gateway_port = ports
        gateway_url = f"http://{LOOPBACK}:{gateway_port}"
        config = read_settings(
            {
                "gatewayUrl": gateway_url,
                "apiUrlBase": api_url(AwsLocal(endpoint=f"http://{LOOPBACK}:{aws_port}")),
                "escalaEspera": str(wait_scale),
            },
        )
        prefix = f"{PROJETO}:"
        settings = from_mapping(
            LOCAL, {key.removeprefix(prefix): value for key, value in config.items() if key.startswith(prefix)}
        )
        with self._phase("ambiente dos workers Lambda"):
            worker_python = worker_env.ensure()
        with self._phase("emulador da AWS"):
            aws = start_emulator(guardian, aws_port, iam=iam)
            configure(aws, wait_scale=wait_scale)
        with self._phase("gateway de pagamento"):
            # The gateway takes an operation with its own credential alone, as the functions read them.
            credentials = {operation: secrets.token_urlsafe() for operation in CREDENTIAL_VARIABLES}
            _start_gateway(guardian, gateway_port, settings, credentials)
        with self._phase("recursos do programa Pulumi") as name:
            deployment = deploy(
                aws,
                config,
                _load_program(),
                on_resource=lambda resource: self._tell_resource(name, resource),
                worker_python=worker_python,
            )
        with self._phase("estoque inicial"):
            seed(aws, Names(LOCAL).tabela_estoque)
            by_operation = settings.parametros_do_gateway
            seed_parameters(aws, {by_operation[operation]: value for operation, value in credentials.items()})
        return EmbeddedStack(
            aws=aws,
            gateway_url=gateway_url,
            settings=settings,
            deployment=deployment,
            phases=self._seconds,
            _guardian=guardian,
        )

    @contextmanager
    def _phase(self, name: str) -> Generator[str]:
        self._on_progress(Phase(name))
        started = time.monotonic()
        yield name
        self._seconds[name] = time.monotonic() - started
        self._on_progress(Phase(name, seconds=self._seconds[name]))

    def _tell_resource(self, phase: str, resource: DeployedResource) -> None:
        self._on_progress(Phase(phase, detail=f"{resource.type} {resource.name}"))


def _load_program() -> Callable[[], None]:
    # Imported on use: pulumi_aws alone takes the better part of a second, and errors need none of it.
    from infra.__main__ import program

    return program


def _start_gateway(guardian: Guardian, port: int, settings: Settings, credentials: Mapping[str, str]) -> None:
    argv = [sys.executable, "-m", "infra.local.simulator", "--porta", str(port)]
    argv += ["--janela-duvida-segundos", str(settings.janela_duvida_no_relogio)]
    # A function that waits for it is ended first, so a hang always outlasts its client.
    argv += ["--pendura-segundos", str(settings.lambda_segundos + 10)]
    secret = {CREDENTIAL_VARIABLES[operation]: value for operation, value in credentials.items()}
    guardian.start(GATEWAY_PROCESS, argv, child_environment(guardian.run_dir) | secret)
    url = f"http://{LOOPBACK}:{port}/_simulador/saude"
    poll_until(
        lambda: True if is_up(url) else None,
        awaited="a resposta do gateway de pagamento",
        seconds=GATEWAY_DEADLINE_SECONDS,
        check=guardian.check,
    )
