"""The compiler, the proof and the checks against the number of steps; other people's checkers on the same file."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, Final, TypeVar

import uv

from infra.saga import compile_saga
from infra.saga.checks import check
from infra.saga.derivation import effects_of
from infra.saga.explorer import explore
from infra.sagas.ours import our_machines
from tests.bench.measure import apart
from tests.saga.growth import saga_of
from tests.saga.samples import resources

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

T = TypeVar("T")

__all__ = ["PEERS", "SIZES", "Peer", "measure_compiler"]

SIZES: Final = (3, 4, 5, 6, 8, 10, 12, 14, 16, 18, 20)
_REPEATS: Final = 3
_CALL_TIMEOUT: Final = 120


@dataclass(frozen=True)
class Peer:
    """Somebody else's checker, put into an environment that is thrown away.

    Attributes:
        version: the one that was tried.
        install: words of the command that installs it, ``{home}`` being the environment's folder.
        run: words of the command that checks ``{file}`` (a definition) or ``{template}`` (a CloudFormation template).
    """

    version: str
    install: tuple[str, ...]
    run: tuple[str, ...]


_PIP: Final = (uv.find_uv_bin(), "pip", "install", "--quiet", "--python", "{home}/bin/python")
_NPM: Final = ("npm", "install", "--silent", "--no-fund", "--no-audit", "--prefix", "{home}")

PEERS: Final[Mapping[str, Peer]] = {
    "statelint": Peer("3.1.0", (*_PIP, "statelint==3.1.0"), ("{home}/bin/statelint", "{file}")),
    "cfn-lint": Peer("1.58.0", (*_PIP, "cfn-lint==1.58.0"), ("{home}/bin/cfn-lint", "{template}")),
    "asl-validator": Peer(
        "4.0.0", (*_NPM, "asl-validator@4.0.0"), ("{home}/node_modules/.bin/asl-validator", "--json-path", "{file}")
    ),
}


def measure_compiler(
    sizes: Sequence[int] = SIZES, peers: Mapping[str, Peer] | None = PEERS, repeats: int = _REPEATS
) -> dict[str, Any]:
    """Processor milliseconds by size, those of our own saga, and seconds of each checker on its file.

    Args:
        sizes: numbers of steps.
        peers: other people's checkers; None leaves the checkers out, ours too.
        repeats: how many times each is timed.
    """
    return {
        # As the commands do, in a process that did nothing before: the collector of garbage goes through all there is.
        "sizes": [apart(_of_size, size, repeats) for size in sizes],
        "ours": apart(_ours, repeats),
        "checkers": _checkers(peers) if peers is not None else {},
    }


def _of_size(steps: int, repeats: int) -> dict[str, Any]:
    saga = saga_of(steps)
    compiled, compile_ms = _timed(lambda: compile_saga(saga, resources(saga)), repeats)
    effects = effects_of(saga, resources(saga))
    found, prove_ms = _timed(lambda: explore(compiled, effects), repeats)
    assert found.proved, steps
    _, check_ms = _timed(lambda: check(compiled), repeats)
    return {
        "steps": steps,
        "states": len(compiled["States"]),
        "paths": found.paths,
        "worlds": found.states,
        "compile_ms": compile_ms,
        "check_ms": check_ms,
        "prove_ms": prove_ms,
    }


def _ours(repeats: int) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for machine in our_machines():
        found, prove_ms = _timed(lambda machine=machine: explore(machine.definition, machine.effects), repeats)
        rows.append({"machine": machine.name, "paths": found.paths, "worlds": found.states, "prove_ms": prove_ms})
    return rows


def _timed(work: Callable[[], T], repeats: int) -> tuple[T, float]:
    """The result, and the median processor time of a few runs, milliseconds."""
    results: list[T] = []
    spent: list[float] = []
    for _ in range(repeats):
        started = time.process_time()
        results.append(work())
        spent.append(1000 * (time.process_time() - started))
    return results[-1], median(spent)


# --- Checkers on the same file ---


def _checkers(peers: Mapping[str, Peer]) -> dict[str, Any]:
    """Seconds from the command to its end, on our own definition; a checker that cannot be had here says why."""
    (machine, *_) = our_machines()
    with tempfile.TemporaryDirectory(prefix="cesta-bench-") as folder:
        files = _files(Path(folder), machine.definition)
        cesta = [str(Path(sys.executable).with_name("cesta")), "saga", "verificar"]
        rows: dict[str, Any] = {
            "cesta (checks alone)": _run([*cesta, files["file"]]),
            "cesta (checks and proof of both machines)": _run(cesta),
        }
        for name, peer in peers.items():
            rows[f"{name} {peer.version}"] = _peer(peer, Path(folder) / name, files)
    return rows


def _files(folder: Path, definition: object) -> dict[str, str]:
    properties = {"Definition": definition, "RoleArn": "arn:aws:iam::000000000000:role/bench"}
    machine = {"Type": "AWS::StepFunctions::StateMachine", "Properties": properties}
    contents = {"file": definition, "template": {"Resources": {"Maquina": machine}}}
    for name, content in contents.items():
        (folder / f"{name}.json").write_text(json.dumps(content))
    return {name: str(folder / f"{name}.json") for name in contents}


def _peer(peer: Peer, home: Path, files: Mapping[str, str]) -> dict[str, Any]:
    words = {"home": str(home), **files}
    try:
        if peer.install[:2] == _PIP[:2]:
            _call([uv.find_uv_bin(), "venv", "--quiet", "--python", sys.executable, str(home)])
        _call([word.format(**words) for word in peer.install])
    except (OSError, subprocess.SubprocessError) as error:
        return {"unavailable": type(error).__name__}
    return _run([word.format(**words) for word in peer.run])


def _run(words: Sequence[str]) -> dict[str, Any]:
    """Seconds of the second run (the first one fills caches), and whether the checker was content (0)."""
    ended = _call(words, check=False)
    started = time.perf_counter()
    _call(words, check=False)
    return {"seconds": time.perf_counter() - started, "exit": ended}


def _call(words: Sequence[str], *, check: bool = True) -> int:
    done = subprocess.run(words, capture_output=True, check=check, timeout=_CALL_TIMEOUT)
    return done.returncode
