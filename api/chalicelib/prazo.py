"""How long an order may wait to be started (design §6)."""

from __future__ import annotations

from datetime import datetime
from typing import Final

__all__ = ["PRAZO_SEGUNDOS", "vencido"]

PRAZO_SEGUNDOS: Final = 24 * 3600
"""After a day the customer has bought elsewhere, and the reconciler has made a human case of it."""


def vencido(criado_em: str, agora: float) -> bool:
    """Whether an order accepted at ``criado_em`` (ISO-8601) is too old to start at ``agora`` (epoch seconds).

    Raises:
        ValueError: ``criado_em`` is no date.
    """
    return agora - datetime.fromisoformat(criado_em).timestamp() > PRAZO_SEGUNDOS
