"""The zips: the same bytes from the same sources, and nothing in them missing or superfluous."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from concurrent.futures import ThreadPoolExecutor
from hashlib import sha256
from importlib.metadata import version
from typing import TYPE_CHECKING

import pytest
import uv

from infra.packaging import API, HANDLERS, ROOT, Package, SourceMissingError, VendoringError, build

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.infra

PACKAGES = [HANDLERS, API]


def copy_of_sources(folder: Path) -> Path:
    for source in ("handlers", "api"):
        shutil.copytree(ROOT / source, folder / source, ignore=shutil.ignore_patterns("__pycache__", ".chalice"))
    return folder


def digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()


def names_in(path: Path) -> list[str]:
    with zipfile.ZipFile(path) as archive:
        return archive.namelist()


# --- Reproducible ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_two_builds_are_the_same_bytes_wherever_whenever_and_however_the_files_lie(
    package: Package, tmp_path: Path
) -> None:
    one = copy_of_sources(tmp_path / "one")
    other = copy_of_sources(tmp_path / "a" / "deeper" / "other")
    for path in other.rglob("*.py"):
        os.utime(path, (1_000_000_000, 1_000_000_000))
        path.chmod(0o600)
    (other / "handlers" / "__pycache__").mkdir(exist_ok=True)
    (other / "handlers" / "__pycache__" / "reservar_estoque.cpython-311.pyc").write_bytes(b"compiled")
    assert digest(build(package, one)) == digest(build(package, other)) == digest(build(package, one))


def test_builds_beside_each_other_end_in_the_same_bytes_and_leave_nothing(tmp_path: Path) -> None:
    root = copy_of_sources(tmp_path / "root")
    with ThreadPoolExecutor(8) as pool:
        built = [future.result() for future in [pool.submit(build, package, root) for package in PACKAGES * 4]]
    assert len({digest(path) for path in built}) == len(PACKAGES)
    left = sorted(path.name.partition("-")[0] for path in (root / ".cesta" / "build").iterdir())
    assert left == ["api.zip", "handlers.zip", "vendor", "vendor"]


def test_what_a_killed_build_left_is_swept_and_one_at_work_is_not(tmp_path: Path) -> None:
    root = copy_of_sources(tmp_path / "root")
    folder = root / ".cesta" / "build"
    left, at_work = folder / "zipping-killed", folder / "installing-now"
    for scratch in (left, at_work):
        scratch.mkdir(parents=True)
        (scratch / "half.zip").write_bytes(b"PK")
    os.utime(left, (0, 0))
    build(HANDLERS, root)
    assert not left.exists()
    assert at_work.exists()


def test_a_changed_source_is_another_zip(tmp_path: Path) -> None:
    root = copy_of_sources(tmp_path / "root")
    before = digest(build(HANDLERS, root))
    with (root / "handlers" / "reservar_estoque.py").open("a") as source:
        source.write("\n# changed\n")
    assert digest(build(HANDLERS, root)) != before


def test_changed_requirements_are_installed_anew(tmp_path: Path) -> None:
    root = copy_of_sources(tmp_path / "root")
    build(HANDLERS, root)
    requirements = root / HANDLERS.requirements
    requirements.write_text("typing_extensions==4.16.0\n")
    assert not any(name.startswith("aws_lambda_powertools/") for name in names_in(build(HANDLERS, root)))


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_entries_carry_nothing_of_the_machine_that_built_them(package: Package) -> None:
    with zipfile.ZipFile(build(package)) as archive:
        entries = archive.infolist()
    assert [entry.filename for entry in entries] == sorted(entry.filename for entry in entries)
    assert {entry.date_time for entry in entries} == {(1980, 1, 1, 0, 0, 0)}
    assert {entry.external_attr >> 16 for entry in entries} == {0o100644}
    assert {entry.create_system for entry in entries} == {3}


# --- Lean ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_nothing_ships_that_a_function_does_not_need(package: Package) -> None:
    names = names_in(build(package))
    tops = {name.partition("/")[0] for name in names}
    # The SDK and what it brings are the runtime's: of two versions in one process, one was tried with neither.
    assert not tops & {"boto3", "botocore", "s3transfer", "jmespath", "urllib3", "dateutil", "six"}
    assert not tops & {
        "bin",
        "tests",
        "infra",
        "policies",
        ".lock",
        ".chalice",
        "requirements.txt",
    }
    for name in names:
        assert not name.endswith((".pyc", ".so", "/RECORD", "/INSTALLER", "/direct_url.json")), name
        assert "/tests/" not in name
    if package is API:
        chalice = {name for name in names if name.startswith("chalice/")}
        assert chalice == {"chalice/__init__.py", "chalice/app.py"}
        assert "app.py" in names
        assert "handlers/reservar_estoque.py" not in names


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_what_scanners_and_lawyers_read_ships_too(package: Package) -> None:
    names = names_in(build(package))
    infos = {name.partition("/")[0] for name in names if ".dist-info/" in name}
    assert infos
    for info in infos:
        assert f"{info}/METADATA" in names
        assert [name for name in names if name.startswith(f"{info}/") and "LICENSE" in name], info


# --- Complete --------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def lambda_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python that has what the Lambda runtime has, boto3, and nothing else."""
    venv = tmp_path_factory.mktemp("runtime") / "venv"
    run_uv("venv", "--quiet", "--python", sys.executable, str(venv))
    python = venv / "bin" / "python"
    run_uv("pip", "install", "--quiet", "--python", str(python), f"boto3=={version('boto3')}")
    return python


def run_uv(*words: str) -> None:
    subprocess.run([uv.find_uv_bin(), *words], check=True, capture_output=True, text=True, timeout=300)


def run_in_zip(python: Path, package: Package, folder: Path, code: str) -> str:
    with zipfile.ZipFile(build(package)) as archive:
        archive.extractall(folder)
    # -I: neither this folder nor PYTHONPATH may lend a module the zip lacks.
    script = f"import sys; sys.path.insert(0, {str(folder)!r}); {code}"
    done = subprocess.run(
        [str(python), "-I", "-c", script],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        cwd=folder,
        env={"AWS_DEFAULT_REGION": "us-east-1"},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


STEPS = sorted(path.stem for path in (ROOT / "handlers").glob("*.py") if path.stem != "__init__")


def test_there_is_one_handler_per_step() -> None:
    assert len(STEPS) == 7, "six steps and the reconciler"


@pytest.mark.parametrize("module", STEPS)
def test_every_step_imports_from_its_zip_with_nothing_but_boto3(
    module: str, lambda_python: Path, tmp_path: Path
) -> None:
    code = f"from handlers.{module} import handler; print(callable(handler))"
    assert run_in_zip(lambda_python, HANDLERS, tmp_path, code) == "True"


def test_api_and_starter_import_from_their_zip_with_nothing_but_boto3(lambda_python: Path, tmp_path: Path) -> None:
    code = "import app; print(sorted(app.app.routes), callable(app.app), callable(app.iniciador))"
    assert run_in_zip(lambda_python, API, tmp_path, code) == "['/pedidos', '/pedidos/{pedidoId}'] True True"


@pytest.mark.parametrize("package", PACKAGES, ids=lambda package: package.name)
def test_the_tests_run_on_the_versions_that_ship(package: Package) -> None:
    for line in (ROOT / package.requirements).read_text().splitlines():
        name, _, pinned = line.partition("==")
        assert version(name) == pinned, line


# --- Failures --------------------------------------------------------------------------------------------------------


def test_a_missing_source_is_an_error_that_names_it(tmp_path: Path) -> None:
    root = copy_of_sources(tmp_path / "root")
    (root / "api" / "app.py").unlink()
    with pytest.raises(SourceMissingError, match=r"api\.zip: nenhum arquivo em api/app\.py"):
        build(API, root)


def test_missing_requirements_are_an_error_that_names_them(tmp_path: Path) -> None:
    root = copy_of_sources(tmp_path / "root")
    (root / HANDLERS.requirements).unlink()
    with pytest.raises(SourceMissingError, match=r"handlers/requirements\.txt"):
        build(HANDLERS, root)


def test_requirements_that_cannot_be_installed_are_an_error_with_the_reason_and_leave_nothing(tmp_path: Path) -> None:
    root = copy_of_sources(tmp_path / "root")
    (root / HANDLERS.requirements).write_text("isto nao e um requisito\n")
    with pytest.raises(VendoringError, match="não puderam ser instaladas") as refused:
        build(HANDLERS, root)
    assert refused.value.package == "handlers"
    assert "isto" in refused.value.detail
    assert "\n" not in str(refused.value)
    assert list((root / ".cesta" / "build").iterdir()) == []
