"""What people decided about an order: each answer in its executions' histories, or the last one, from the row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

from infra.ops.history import json_object
from infra.ops.words import clean, iso

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from infra.ops.dossier import Dossier

__all__ = ["Taken", "decisions"]


@dataclass(frozen=True)
class Taken:
    """One decision; its texts are fit to be shown.

    Attributes:
        em: when, ISO-8601 UTC.
        responsavel: who decided.
        decisao: REPROCESSAR or ENCERRAR.
        justificativa: why, or "".
        pendencias: what was left open on purpose.
        origem: from where it was decided, or "".
        retomada: name of the execution that it started, or "" where the answer went by the task's token.
    """

    em: str
    responsavel: str
    decisao: str
    justificativa: str
    pendencias: tuple[str, ...]
    origem: str
    retomada: str

    def told(self) -> str:
        """``decidiu REPROCESSAR: "gateway no ar de novo"``."""
        said = f"decidiu {self.decisao}"
        if self.pendencias:
            said += f", deixando em aberto {' e '.join(self.pendencias)}"
        return f'{said}: "{self.justificativa}"' if self.justificativa else said


def decisions(dossier: Dossier) -> tuple[Taken, ...]:
    """Oldest first."""
    found = tuple(_from_histories(dossier))
    row = dossier.row
    if found or "decididoEm" not in row:
        return found
    # The history may be gone; the row keeps the last answer whole.
    known = {name: row[name] for name in ("responsavel", "justificativa") if name in row}
    return (_taken(row["decididoEm"], {**json_object(row.get("resolucao")), **known}),)


def _from_histories(dossier: Dossier) -> Iterator[Taken]:
    for execution in dossier.executions:
        if execution.name != dossier.pedido_id:
            decided: Mapping[str, Any] = json_object(execution.input).get("intervencao", {})
            yield _taken(iso(execution.started), decided, execution.name)
        for visit in execution.visits:
            if visit.answer and visit.left is not None:
                yield _taken(iso(visit.left), visit.answer)


def _taken(em: str, decided: Mapping[str, Any], retomada: str = "") -> Taken:
    left = decided.get("pendencias")
    return Taken(
        em=em,
        responsavel=clean(decided.get("responsavel") or "alguém que não disse quem é"),
        decisao=clean(decided.get("decisao") or "o que não ficou registrado"),
        justificativa=clean(decided.get("justificativa") or ""),
        pendencias=tuple(clean(item) for item in cast("list[object]", left)) if isinstance(left, list) else (),
        origem=clean(decided.get("origem") or ""),
        retomada=retomada,
    )
