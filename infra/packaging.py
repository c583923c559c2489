"""The Lambda zips, byte for byte the same from the same sources.

Two artefacts: ``handlers.zip`` (the six steps) and ``api.zip`` (the Chalice app, with the starter in it). Each holds
our own modules and its pinned requirements, built for the runtime that will run them; boto3 is the runtime's own, and
so is what boto3 brings (urllib3, jmespath): AWS updates them together, and a zip with some of them alone fails on the
day they no longer fit ("Building Lambda functions with Python", runtime dependencies).
Whatever differs between two builds (times, modes, order, compiled files, installer's records) is left out or fixed,
so a deploy changes a function only when its code changed.
"""

from __future__ import annotations

import hashlib
import shutil
import stat
import subprocess
import sys
import tempfile
import time
import zipfile
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import uv

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = ["API", "HANDLERS", "ROOT", "Package", "PackagingError", "SourceMissingError", "VendoringError", "build"]

ROOT: Final = Path(__file__).resolve().parent.parent
"""The repository: ``pulumi up`` runs with another working directory."""

_EPOCH: Final = (1980, 1, 1, 0, 0, 0)
"""The earliest time a zip can hold."""
_MODE: Final = stat.S_IFREG | 0o644
_UNIX: Final = 3
_TARGET: Final = ("--python-platform", "aarch64-manylinux_2_28", "--python-version", "3.13")
_ONLY_WHEELS: Final = ("--only-binary", ":all:", "--no-deps")
_INSTALL_TIMEOUT: Final = 300
_INSTALLING: Final = "installing-"
_ZIPPING: Final = "zipping-"

_KEPT_OF: Final[Mapping[str, tuple[str, ...]]] = {
    # chalice.app is standalone by design (it says so on top); the rest is the command line and its deployer.
    "chalice/": ("chalice/__init__.py", "chalice/app.py"),
    # We use the Logger and the Metrics alone, and what they import.
    "aws_lambda_powertools/event_handler/": (),
    "aws_lambda_powertools/utilities/": (
        "aws_lambda_powertools/utilities/__init__.py",
        "aws_lambda_powertools/utilities/jmespath_utils/",
        "aws_lambda_powertools/utilities/typing/",
    ),
}
"""Parts of packages that are left out but for what is named: an import that misses one fails at once, in the tests."""


@dataclass(frozen=True)
class Package:
    """What goes into one zip.

    Attributes:
        name: of the zip, without extension.
        requirements: file of pinned requirements, relative to the repository.
        sources: (folder, pattern) pairs; what matches keeps its path below the folder.
    """

    name: str
    requirements: str
    sources: tuple[tuple[str, str], ...]


HANDLERS: Final = Package("handlers", "handlers/requirements.txt", ((".", "handlers/**/*.py"),))
API: Final = Package(
    "api",
    "api/requirements.txt",
    (
        ("api", "app.py"),
        ("api", "chalicelib/**/*.py"),
        (".", "handlers/__init__.py"),
        (".", "handlers/domain/**/*.py"),
    ),
)


class PackagingError(Exception):
    """Base of what can go wrong while a zip is built.

    Attributes:
        package: name of the zip.
    """

    def __init__(self, package: str, message: str) -> None:
        self.package = package
        super().__init__(f"{package}.zip: {message}")


class SourceMissingError(PackagingError):
    """Nothing matches a pattern that the zip cannot do without.

    Attributes:
        pattern: what was looked for.
    """

    def __init__(self, package: str, pattern: str) -> None:
        self.pattern = pattern
        super().__init__(package, f"nenhum arquivo em {pattern}; confira se o repositório está completo")


class VendoringError(PackagingError):
    """The requirements could not be installed.

    Attributes:
        detail: the installer's last words.
    """

    def __init__(self, package: str, detail: str) -> None:
        self.detail = detail
        super().__init__(
            package, f"as dependências não puderam ser instaladas ({detail}); confira a rede e o índice de pacotes"
        )


def build(package: Package, root: Path = ROOT) -> Path:
    """Builds the zip under ``<root>/.cesta/build`` and returns its path.

    Safe beside another build of the same tree: what is written appears whole or not at all.

    Raises:
        PackagingError: a source is missing, or the requirements cannot be installed.
    """
    folder = root / ".cesta" / "build"
    folder.mkdir(parents=True, exist_ok=True)
    _sweep(folder)
    files = dict(_vendored_files(_vendored(package, root, folder))) | dict(_own_files(package, root))
    return _write_zip(files, folder / f"{package.name}.zip")


def _sweep(folder: Path) -> None:
    """Removes what a build that was killed left behind; one still at work is younger than that."""
    for scratch in (*folder.glob(f"{_INSTALLING}*"), *folder.glob(f"{_ZIPPING}*")):
        with suppress(FileNotFoundError):  # another build has just finished with it
            if time.time() - scratch.stat().st_mtime > 2 * _INSTALL_TIMEOUT:
                shutil.rmtree(scratch, ignore_errors=True)


def _own_files(package: Package, root: Path) -> Iterator[tuple[str, Path]]:
    for base, pattern in package.sources:
        found = [path for path in (root / base).glob(pattern) if path.is_file()]
        if not found:
            raise SourceMissingError(package.name, f"{base}/{pattern}")
        for path in found:
            yield path.relative_to(root / base).as_posix(), path


# --- Requirements ----------------------------------------------------------------------------------------------------


def _vendored(package: Package, root: Path, folder: Path) -> Path:
    """The requirements, installed once per content of the requirements file."""
    requirements = root / package.requirements
    if not requirements.is_file():
        raise SourceMissingError(package.name, package.requirements)
    recipe = b"\0".join([requirements.read_bytes(), *(word.encode() for word in (*_TARGET, *_ONLY_WHEELS))])
    tree = folder / f"vendor-{hashlib.sha256(recipe).hexdigest()[:16]}"
    if tree.is_dir():
        return tree
    with tempfile.TemporaryDirectory(dir=folder, prefix=_INSTALLING) as scratch:
        fresh = Path(scratch) / "tree"
        _install(package, requirements, fresh)
        try:
            fresh.rename(tree)
        except OSError:
            if not tree.is_dir():  # else another build of the same requirements was quicker
                raise
    return tree


def _install(package: Package, requirements: Path, target: Path) -> None:
    words = [uv.find_uv_bin(), "pip", "install", "--quiet", "--python", sys.executable, "--link-mode", "copy"]
    words += [*_TARGET, *_ONLY_WHEELS, "--target", str(target), "--requirement", str(requirements)]
    try:
        done = subprocess.run(words, capture_output=True, text=True, check=False, timeout=_INSTALL_TIMEOUT)  # noqa: S603 - no shell, own words
    except subprocess.TimeoutExpired:
        raise VendoringError(package.name, f"sem resposta em {_INSTALL_TIMEOUT} s") from None
    if done.returncode != 0:
        raise VendoringError(package.name, " ".join(done.stderr.split())[-400:])


def _vendored_files(tree: Path) -> Iterator[tuple[str, Path]]:
    for path in tree.rglob("*"):
        name = path.relative_to(tree).as_posix()
        if path.is_file() and _ships(name):
            yield name, path


def _ships(name: str) -> bool:
    parts = name.split("/")
    if parts[0] == "bin" or name.startswith(".") or name.endswith(".pyc") or "tests" in parts[1:]:
        return False
    if parts[0].endswith(".dist-info"):
        # METADATA is what vulnerability scanners of deployed functions read; the rest is the installer's diary.
        return parts[1] == "METADATA" or "licens" in name.lower() or "notice" in name.lower()
    for part, kept in _KEPT_OF.items():
        if name.startswith(part):
            return name.startswith(kept)
    return True


# --- The zip ---------------------------------------------------------------------------------------------------------


def _write_zip(files: Mapping[str, Path], target: Path) -> Path:
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=_ZIPPING) as scratch:
        fresh = Path(scratch) / target.name
        with zipfile.ZipFile(fresh, "w") as archive:
            for name in sorted(files):
                archive.writestr(_entry(name), files[name].read_bytes(), zipfile.ZIP_DEFLATED, 9)
        return fresh.replace(target)


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, _EPOCH)
    entry.create_system = _UNIX
    entry.external_attr = _MODE << 16
    return entry
