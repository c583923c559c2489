"""How much memory the embedded stack's processes take at most while something runs."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Self

import psutil

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import TracebackType

__all__ = ["MemoryWatch"]

SAMPLE_SECONDS = 0.5
MIB = 1024 * 1024


class MemoryWatch:
    """Samples the processes from a thread of its own, for the length of a ``with`` block.

    Resident pages are added up, so that pages two processes share count twice: an upper bound.

    Attributes:
        peak_mib: the most seen at once, MiB.
        peak_processes: the most processes seen at once.
    """

    def __init__(self, processes: Callable[[], Sequence[psutil.Process]]) -> None:
        self._processes = processes
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="memory-watch", daemon=True)
        self.peak_mib = 0
        self.peak_processes = 0

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, _type: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while True:
            processes = self._processes()
            self.peak_processes = max(self.peak_processes, len(processes))
            self.peak_mib = max(self.peak_mib, sum(_resident(process) for process in processes) // MIB)
            if self._over.wait(SAMPLE_SECONDS):
                return


def _resident(process: psutil.Process) -> int:
    try:
        return process.memory_info().rss
    except psutil.Error:
        # Gone since it was listed.
        return 0
