"""What the checks report, and what they may be told beforehand.

A finding's texts are for whoever runs ``cesta saga verificar``, so they are in Portuguese. Every code is
explained in docs/checks.md; a test holds the two together.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from infra.saga.checks.catalog import CATALOG

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Facts", "Finding", "Kind", "Severity", "finding"]

Severity: TypeAlias = Literal["erro", "aviso"]

Kind: TypeAlias = Literal["texto", "numero", "logico", "objeto", "erro", "qualquer"]
"""What is known of an input field; ``erro`` is an object ``{Error, Cause}``, as a Catch leaves it."""


@dataclass(frozen=True)
class Finding:
    """One fault of a definition.

    Attributes:
        codigo: ``SG`` and three digits.
        severidade: ``erro``: it will lose something or not deploy; ``aviso``: worth a look.
        estado: the state's name, or empty for the whole definition.
        mensagem: what is wrong there.
        porque: why it hurts, with the AWS page or case number.
        conserto: what to change.
    """

    codigo: str
    severidade: Severity
    estado: str
    mensagem: str
    porque: str
    conserto: str

    def to_json(self) -> dict[str, str]:
        """The finding as in the JSON of ``cesta saga verificar`` (design §10)."""
        return {
            "codigo": self.codigo,
            "severidade": self.severidade,
            "estado": self.estado,
            "mensagem": self.mensagem,
            "porque": self.porque,
            "conserto": self.conserto,
        }


@dataclass(frozen=True)
class Facts:
    """What the definition itself does not say.

    Attributes:
        input_fields: fields every input surely has; None means unknown, and then every field that is read and
            written by no state is taken for one.
        function_seconds: the Lambda timeout by state name.
        http_seconds: the longest a function waits for anybody outside, by state name.
    """

    input_fields: Mapping[str, Kind] | None = None
    function_seconds: Mapping[str, float] = field(default_factory=dict[str, float])
    http_seconds: Mapping[str, float] = field(default_factory=dict[str, float])


def finding(code: str, state: str, message: str, mend: str, *, severity: Severity | None = None) -> Finding:
    """A finding of the kind ``code``, with its usual severity unless another is given."""
    kind = CATALOG[code]
    return Finding(code, severity or kind.severity, state, message, kind.why, mend)
