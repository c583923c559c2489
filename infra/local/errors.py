"""Every error of the embedded stack, in one hierarchy. The operator of ``cesta local`` reads the messages::

EmbeddedStackError
├── PortInUseError               a port asked for is taken
├── ProcessDiedError             a process of the stack ended by itself
├── DeadlineError                something awaited did not come in time
├── EmulatorVersionError         the emulator installed is not the one the patches were written for
├── WorkerEnvironmentError       the Lambda workers' environment could not be built
├── SettingsFileError            a Pulumi.<stack>.yaml that cannot be read
└── DeployError                  the Pulumi program could not be deployed on the emulator
    ├── UnknownResourceTypeError
    ├── UnknownInvokeError
    ├── UnknownPropertyError
    ├── MissingPropertyError
    ├── InvalidPropertyError
    ├── DuplicateUrnError
    └── ResourceCreationError
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = [
    "DeadlineError",
    "DeployError",
    "DuplicateUrnError",
    "EmbeddedStackError",
    "EmulatorVersionError",
    "InvalidPropertyError",
    "MissingPropertyError",
    "PortInUseError",
    "ProcessDiedError",
    "ResourceCreationError",
    "SettingsFileError",
    "UnknownInvokeError",
    "UnknownPropertyError",
    "UnknownResourceTypeError",
    "WorkerEnvironmentError",
]

CREATORS_HINT = "infra/local/creators/"


class EmbeddedStackError(Exception):
    """Base of every error of the embedded stack."""


class PortInUseError(EmbeddedStackError):
    """A port the user asked for is taken.

    Attributes:
        port: the port asked for, on 127.0.0.1.
        option: the option it was given with.
    """

    def __init__(self, port: int, *, option: str) -> None:
        self.port = port
        self.option = option
        super().__init__(
            f"a porta {port} ({option}) já está em uso em 127.0.0.1; "
            f"encerre quem a usa, escolha outra ou omita {option} para usar uma porta livre"
        )


class ProcessDiedError(EmbeddedStackError):
    """A process of the stack ended by itself; the rest of the stack was ended with it.

    Attributes:
        process: which one (``emulador``, ``gateway``, ``guardião``...).
        exit_code: its exit code, negative for a signal (as ``subprocess`` reports it).
        log_tail: the end of what it printed; may be empty.
    """

    def __init__(self, process: str, *, exit_code: int, log_tail: str) -> None:
        self.process = process
        self.exit_code = exit_code
        self.log_tail = log_tail
        end = f"fim do log:\n{log_tail}" if log_tail else "não deixou nada no log"
        super().__init__(f"o processo {process} terminou sozinho (código {exit_code}) e o ambiente caiu com ele; {end}")


class DeadlineError(EmbeddedStackError):
    """Something awaited did not come in time.

    Attributes:
        awaited: what was awaited.
        seconds: how long it was awaited, seconds.
    """

    def __init__(self, awaited: str, *, seconds: float, last_seen: str = "") -> None:
        self.awaited = awaited
        self.seconds = seconds
        seen = f"; último estado visto: {last_seen}" if last_seen else ""
        super().__init__(f"esperei {seconds:g} s por {awaited} e não veio{seen}")


class EmulatorVersionError(EmbeddedStackError):
    """The emulator installed is not the one the patches were written for.

    Attributes:
        found: version installed.
        expected: version the patches were written for.
    """

    def __init__(self, *, found: str, expected: str) -> None:
        self.found = found
        self.expected = expected
        super().__init__(
            f"ministack {found} instalado, mas as correções de infra/local/launcher.py valem para {expected}; "
            "instale a versão fixada no pyproject.toml ou reveja cada correção"
        )


class WorkerEnvironmentError(EmbeddedStackError):
    """The Lambda workers' environment could not be built.

    Attributes:
        command: the command that failed.
        output: what it printed.
    """

    def __init__(self, command: Sequence[str], *, output: str) -> None:
        self.command = tuple(command)
        self.output = output
        super().__init__(
            f"não consegui montar o ambiente dos workers Lambda: '{' '.join(command)}' falhou:\n{output}\n"
            "verifique o acesso ao índice de pacotes e tente de novo"
        )


class SettingsFileError(EmbeddedStackError):
    """A Pulumi.<stack>.yaml that cannot be used.

    Attributes:
        path: the file.
    """

    def __init__(self, path: Path, problem: str) -> None:
        self.path = path
        super().__init__(f"{path.name}: {problem}")


class DeployError(EmbeddedStackError):
    """The Pulumi program could not be deployed on the emulator."""


class UnknownResourceTypeError(DeployError):
    """The program uses a resource type that has no creator: never skipped, always an error.

    Attributes:
        type: the type token.
    """

    def __init__(self, type_: str) -> None:
        self.type = type_
        super().__init__(
            f"o ambiente embutido não sabe criar {type_}; "
            f"acrescente um criador em {CREATORS_HINT} (e a lista em {CREATORS_HINT}__init__.py)"
        )


class UnknownInvokeError(DeployError):
    """The program calls a provider function the monitor does not answer.

    Attributes:
        token: the function's token.
    """

    def __init__(self, token: str) -> None:
        self.token = token
        super().__init__(
            f"o ambiente embutido não responde à função {token}; acrescente-a a INVOKES em infra/local/monitor.py"
        )


class UnknownPropertyError(DeployError):
    """The program sets a property that the type's creator neither handles nor ignores on purpose.

    Attributes:
        type: the resource's type token.
        name: the resource's logical name.
        properties: the properties in question.
    """

    def __init__(self, type_: str, name: str, properties: Sequence[str]) -> None:
        self.type = type_
        self.name = name
        self.properties = tuple(properties)
        super().__init__(
            f"{type_} '{name}': o criador não conhece {', '.join(properties)}; "
            f"trate em {CREATORS_HINT} ou declare ali por que pode ser ignorada"
        )


class MissingPropertyError(DeployError):
    """A property the creator needs is absent.

    Attributes:
        type: the resource's type token.
        name: the resource's logical name.
        property: the missing property.
    """

    def __init__(self, type_: str, name: str, property_: str) -> None:
        self.type = type_
        self.name = name
        self.property = property_
        super().__init__(f"{type_} '{name}': falta a propriedade {property_}")


class InvalidPropertyError(DeployError):
    """A property has a value of another kind than expected. The value itself is not repeated: it may be a secret.

    Attributes:
        type: the resource's type token.
        name: the resource's logical name.
        property: the property in question.
        expected: what was expected.
    """

    def __init__(self, type_: str, name: str, property_: str, *, expected: str, found: str) -> None:
        self.type = type_
        self.name = name
        self.property = property_
        self.expected = expected
        super().__init__(f"{type_} '{name}': a propriedade {property_} devia ser {expected}, veio {found}")


class DuplicateUrnError(DeployError):
    """Two resources of the program have the same URN (``pulumi up`` refuses it too).

    Attributes:
        urn: the URN used twice.
    """

    def __init__(self, urn: str) -> None:
        self.urn = urn
        super().__init__(f"dois recursos têm a mesma URN {urn}; dê a um deles outro nome lógico")


class ResourceCreationError(DeployError):
    """The emulator refused to create a resource.

    Attributes:
        type: the resource's type token.
        name: the resource's logical name.
        cause: what the emulator or the SDK raised.
    """

    def __init__(self, type_: str, name: str, cause: Exception) -> None:
        self.type = type_
        self.name = name
        self.cause = cause
        super().__init__(f"não consegui criar {type_} '{name}': {type(cause).__name__}: {cause}")
