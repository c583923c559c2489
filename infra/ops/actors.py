"""Who acted on an order: the customer, the starter, the saga, the reconciler, and people by name and reason."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from infra.ops.decisions import decisions
from infra.ops.timeline import ACCEPTED
from infra.ops.words import iso, state_told

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from infra.ops.dossier import Dossier
    from infra.ops.timeline import Line, Who

__all__ = ["Actor", "actors"]


class Actor(TypedDict):
    """One of who acted; ``em`` is ISO-8601 UTC."""

    quem: Who
    nome: str
    em: str
    acao: str


def actors(dossier: Dossier, lines: Sequence[Line]) -> list[Actor]:
    """In the order in which they came in, the customer first."""
    found = [*_machines(dossier, lines), *_people(dossier)]
    # The front door's clock is not the machine's.
    return sorted(found, key=lambda actor: (actor["quem"] != "cliente", actor["em"]))


def _machines(dossier: Dossier, lines: Sequence[Line]) -> Iterator[Actor]:
    # Whose the order is, the row keeps as a hash that support may not read: nobody needs it here.
    yield {"quem": "cliente", "nome": "cliente", "em": dossier.row["criadoEm"], "acao": f"fez o pedido ({ACCEPTED})"}
    for execution in dossier.executions:
        em = iso(execution.started)
        own = execution.name == dossier.pedido_id
        if own:
            yield {"quem": "iniciador", "nome": "cesta-iniciador", "em": em, "acao": "iniciou a saga"}
        machine = "cesta-saga-pedido" if own else "cesta-saga-retomada"
        last = f", por último “{state_told(execution.visits[-1].state)}”" if execution.visits else ""
        said = f"passou por {len(execution.visits)} etapa(s){last} (execução {execution.name})"
        yield {"quem": "saga", "nome": machine, "em": em, "acao": said}
    for line in lines:
        if line["quem"] == "conciliador":
            yield {"quem": "conciliador", "nome": "cesta-conciliador", "em": line["em"], "acao": line["evento"]}


def _people(dossier: Dossier) -> Iterator[Actor]:
    for taken in decisions(dossier):
        how = f", retomando em {taken.retomada}" if taken.retomada else ""
        where = f" ({taken.origem})" if taken.origem else ""
        yield {
            "quem": "pessoa",
            "nome": taken.responsavel,
            "em": taken.em,
            "acao": f"{taken.told()}{how}{where}",
        }
