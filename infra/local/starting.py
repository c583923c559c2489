"""The embedded stack, with its start told to a person: progress goes to the error stream."""

from __future__ import annotations

from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Final

from rich.console import Console

from infra.local.stack import EmbeddedStack

if TYPE_CHECKING:
    from collections.abc import Generator

    from infra.local.stack import Phase

__all__ = ["progress", "start"]

progress: Final = Console(stderr=True, highlight=False)


@contextmanager
def start(
    *, porta_aws: int | None = None, porta_gateway: int | None = None, escala_espera: float
) -> Generator[EmbeddedStack]:
    """The stack, with its start told; the spinner is gone before the block begins."""
    with ExitStack() as resources:
        with progress.status("subindo a pilha local") as status:

            def tell(phase: Phase) -> None:
                if phase.seconds is not None:
                    progress.print(f"  {phase.name:<36} {phase.seconds:5.1f} s")
                    return
                status.update(f"{phase.name} {phase.detail}".strip())

            starting = EmbeddedStack.start(
                porta_aws=porta_aws, porta_gateway=porta_gateway, escala_espera=escala_espera, on_progress=tell
            )
            stack = resources.enter_context(starting)
        yield stack
