"""Cold start: each function's module in a fresh process, beside ``import boto3`` and one client.

Twice: as deployed (the zip holds no bytecode, and Lambda's ``/var/task`` is read-only, so every cold start compiles
what it imports), and with bytecode already there. The SDK has its own in both, as in the runtime.
"""

from __future__ import annotations

import os
import subprocess
import tempfile
import zipfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Final

from infra.local import worker_env
from infra.packaging import API, HANDLERS, Package, build
from tests.bench.measure import ratio_of_pairs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["FUNCTIONS", "Function", "import_costs", "measure_cold"]

ROUNDS: Final = 9
_LIMIT: Final = "import boto3; boto3.client('dynamodb')"
_PEAK: Final = "; print(next(line for line in open('/proc/self/status') if line.startswith('VmHWM:')))"
"""Peak memory of the process itself, in kB (Linux): what wait4 tells is never less than its parent had at the fork."""
_SHOWN: Final = 12
_ENVIRONMENT: Final = {
    "AWS_DEFAULT_REGION": "us-east-1",
    "AWS_ACCESS_KEY_ID": "bench",
    "AWS_SECRET_ACCESS_KEY": "bench",
    "POWERTOOLS_SERVICE_NAME": "bench",
}


@dataclass(frozen=True)
class Function:
    """What a function's first call needs.

    Attributes:
        package: its zip.
        module: its module.
        clients: of AWS that its first call makes, as `handlers.domain.aws` names them.
    """

    package: Package
    module: str
    clients: tuple[str, ...]

    def script(self, *, ready: bool) -> str:
        """Python that imports the module and, to be ready for a call, makes the clients."""
        lines = [f"import {self.module}"]
        if ready:
            lines += ["from handlers.domain import aws", *(f"aws.{client}()" for client in self.clients)]
        return "; ".join(lines)


FUNCTIONS: Final[Mapping[str, Function]] = {
    "api": Function(API, "app", ("dynamodb", "sqs")),
    "iniciador": Function(API, "app", ("dynamodb", "stepfunctions")),
    "reservar-estoque": Function(HANDLERS, "handlers.reservar_estoque", ("dynamodb",)),
    "liberar-estoque": Function(HANDLERS, "handlers.liberar_estoque", ("dynamodb",)),
    "efetivar-reserva": Function(HANDLERS, "handlers.efetivar_reserva", ("dynamodb",)),
    "cobrar-pagamento": Function(HANDLERS, "handlers.cobrar_pagamento", ("dynamodb", "ssm")),
    "estornar-pagamento": Function(HANDLERS, "handlers.estornar_pagamento", ("dynamodb", "ssm")),
    "confirmar-pedido": Function(HANDLERS, "handlers.confirmar_pedido", ("dynamodb",)),
    "conciliador": Function(HANDLERS, "handlers.conciliador", ("dynamodb", "sqs", "stepfunctions")),
}


@dataclass(frozen=True)
class _Start:
    """One fresh process: processor seconds, and peak of resident memory in MiB."""

    cpu: float
    mib: float


def measure_cold(rounds: int = ROUNDS, functions: Mapping[str, Function] = FUNCTIONS) -> dict[str, Any]:
    """Milliseconds of processor time and MiB of every function, their ratios, and what the imports cost."""
    python = worker_env.ensure()
    with tempfile.TemporaryDirectory(prefix="cesta-bench-") as folder:
        zips = {package.name: build(package) for package in (HANDLERS, API)}
        sizes = {name: path.stat().st_size for name, path in zips.items()}
        deployed, compiled = _unpacked(zips, Path(folder) / "zip"), _unpacked(zips, Path(folder) / "compiled")
        for function in functions.values():
            _start(python, compiled[function.package.name], function.script(ready=True), write_bytecode=True)
        ways = {"limit": (Path(folder), _LIMIT)}
        for name, function in functions.items():
            home = function.package.name
            ways[f"{name} import"] = (deployed[home], function.script(ready=False))
            ways[f"{name} ready"] = (deployed[home], function.script(ready=True))
            ways[f"{name} compiled"] = (compiled[home], function.script(ready=True))
        starts: dict[str, list[_Start]] = {way: [] for way in ways}
        for _ in range(rounds):
            for way, (home, script) in ways.items():
                starts[way].append(_start(python, home, script))
        return {
            "rounds": rounds,
            "limit": {"cpu_ms": _cpu_ms(starts["limit"]), "mib": median(start.mib for start in starts["limit"])},
            "functions": {name: _compared(name, starts) for name in functions},
            "zips": sizes,
            "imports": {
                name: import_costs(python, deployed[functions[name].package.name], functions[name].script(ready=True))
                for name in ("api", "cobrar-pagamento")
                if name in functions
            },
        }


def _unpacked(zips: Mapping[str, Path], target: Path) -> dict[str, Path]:
    for name, path in zips.items():
        with zipfile.ZipFile(path) as archive:
            archive.extractall(target / name)
    return {name: target / name for name in zips}


def _compared(name: str, starts: Mapping[str, Sequence[_Start]]) -> dict[str, float]:
    limit = [start.cpu for start in starts["limit"]]
    row: dict[str, float] = {}
    for way in ("import", "ready", "compiled"):
        own = starts[f"{name} {way}"]
        row[f"{way}_ms"] = _cpu_ms(own)
        row[f"{way}_ratio"] = ratio_of_pairs([start.cpu for start in own], limit)
    row["mib"] = median(start.mib for start in starts[f"{name} ready"])
    return row


def _cpu_ms(starts: Sequence[_Start]) -> float:
    return 1000 * median(start.cpu for start in starts)


def _start(python: Path, home: Path, script: str, *, write_bytecode: bool = False) -> _Start:
    with _process(python, home, script + _PEAK, () if write_bytecode else ("-B",), stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        told = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise subprocess.CalledProcessError(process.returncode, script)
    return _Start(usage.ru_utime + usage.ru_stime, int(told.split()[-2]) / 1024)


def _process(
    python: Path,
    home: Path,
    script: str,
    options: Sequence[str],
    *,
    stdout: int | None = None,
    stderr: int | None = None,
) -> subprocess.Popen[str]:
    # -I: nothing of this project, nor of the user, may lend a module.
    words = [str(python), "-I", *options, "-c", f"import sys; sys.path.insert(0, {str(home)!r}); {script}"]
    return subprocess.Popen(words, env=dict(_ENVIRONMENT), cwd=home, stdout=stdout, stderr=stderr, text=True)


# --- What each import costs ---


def import_costs(python: Path, home: Path, script: str) -> list[dict[str, Any]]:
    """The dearest packages by their own modules' time (``-X importtime``, which itself costs), milliseconds."""
    with _process(python, home, script, ("-B", "-X", "importtime"), stderr=subprocess.PIPE) as process:
        _, lines = process.communicate()
    own, modules = Counter[str](), Counter[str]()
    for line in lines.splitlines():
        microseconds, module = _import_line(line)
        package = _package(module)
        own[package] += microseconds
        modules[package] += 1
    return [
        {"package": package, "ms": spent / 1000, "modules": modules[package]}
        for package, spent in own.most_common(_SHOWN)
    ]


def _import_line(line: str) -> tuple[int, str]:
    """Own microseconds and module of ``import time: <own> | <together> | <module>``; zero for any other line."""
    head, _, rest = line.partition(":")
    fields = [field.strip() for field in rest.split("|")]
    if head != "import time" or len(fields) != 3 or not fields[0].isdecimal():
        return 0, ""
    return int(fields[0]), fields[2]


def _package(module: str) -> str:
    top = module.partition(".")[0]
    ours = {"app", "chalicelib", "handlers"}
    shipped = {"aws_lambda_powertools", "typing_extensions", "chalice"}
    sdk = {"boto3", "botocore", "s3transfer", "jmespath", "urllib3", "dateutil", "six"}
    if top in ours:
        return "ours"
    return top if top in shipped | sdk else "standard library"
