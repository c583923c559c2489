"""The simulator's memory across restarts: a journal of JSON lines, one per change, the last line of a record wins.

Appending keeps a write at one small line however many orders there are, and a process killed half-way through a
line loses that line alone.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Literal, Protocol, TypedDict

from infra.local.simulator_records import (
    Cobranca,
    EstadoCobranca,
    EstadoEstorno,
    Estorno,
    PedidoDeCobranca,
    PedidoDeEstorno,
)

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["FileStore", "MemoryStore", "Store"]


class Store(Protocol):
    """Where the core writes each change, and what it starts from."""

    def save(self, registro: Cobranca | Estorno) -> None:
        """Remember the record as it is now."""
        ...

    def save_offset(self, segundos: float) -> None:
        """Remember how far the clock was moved ahead, seconds."""
        ...

    def load(self) -> tuple[list[Cobranca], list[Estorno], float]:
        """Charges and refunds in the order they began, and the clock's offset in seconds."""
        ...


class MemoryStore:
    """Forgets everything when the process ends."""

    def save(self, registro: Cobranca | Estorno) -> None:
        """Nothing to do: the core's own objects are the memory."""

    def save_offset(self, segundos: float) -> None:
        """Nothing to do, as in `save`."""

    def load(self) -> tuple[list[Cobranca], list[Estorno], float]:
        """An empty gateway."""
        return [], [], 0.0


class FileStore:
    """The journal in a file, readable by its owner alone: it holds card tokens, as a gateway does."""

    def __init__(self, path: Path) -> None:
        self._path = path
        path.touch(mode=0o600, exist_ok=True)
        self._drop_torn_line()

    def save(self, registro: Cobranca | Estorno) -> None:
        """Append the record; returns once the operating system has the line."""
        self._append(asdict(registro))

    def save_offset(self, segundos: float) -> None:
        """Append the clock's offset."""
        self._append({"tipo": "relogio", "segundos": segundos})

    def load(self) -> tuple[list[Cobranca], list[Estorno], float]:
        """Replay the journal."""
        cobrancas: dict[int, Cobranca] = {}
        estornos: dict[int, Estorno] = {}
        segundos = 0.0
        for texto in self._path.read_text(encoding="utf-8").splitlines():
            linha: _Line = json.loads(texto)
            match linha["tipo"]:
                case "cobranca":
                    cobrancas[linha["numero"]] = _charge(linha)
                case "estorno":
                    estornos[linha["numero"]] = _refund(linha)
                case "relogio":
                    segundos = linha["segundos"]
        return list(cobrancas.values()), list(estornos.values()), segundos

    def _append(self, linha: Mapping[str, object]) -> None:
        with self._path.open("a", encoding="utf-8") as journal:
            journal.write(json.dumps(linha) + "\n")

    def _drop_torn_line(self) -> None:
        conteudo = self._path.read_bytes()
        inteiro = conteudo[: conteudo.rfind(b"\n") + 1]
        if len(inteiro) < len(conteudo):
            self._path.write_bytes(inteiro)


class _Line(TypedDict):
    """A line of the journal; which keys are there depends on ``tipo``."""

    tipo: Literal["cobranca", "estorno", "relogio"]
    numero: int
    estado: str
    pedido: dict[str, object]
    segundos: float


def _charge(linha: _Line) -> Cobranca:
    pedido = PedidoDeCobranca(**linha["pedido"])  # pyright: ignore[reportArgumentType] - our own line, made by asdict
    mudado = {"pedido": pedido, "estado": EstadoCobranca(linha["estado"]), "esperando": 0}
    return Cobranca(**{**linha, **mudado})  # pyright: ignore[reportArgumentType] - as above


def _refund(linha: _Line) -> Estorno:
    pedido = PedidoDeEstorno(**linha["pedido"])  # pyright: ignore[reportArgumentType] - our own line, made by asdict
    return Estorno(**{**linha, "pedido": pedido, "estado": EstadoEstorno(linha["estado"])})  # pyright: ignore[reportArgumentType]
