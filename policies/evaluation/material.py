"""What is verified: every document of one stack, and where the stack is.

Travels as JSON, so that a copy can be judged.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypedDict

from policies.evaluation.grants import Place

if TYPE_CHECKING:
    from collections.abc import Mapping

    from policies.documents import PolicyDocument

__all__ = ["Material", "MaterialJson", "MaterialShapeError"]


class PlaceJson(TypedDict):
    """`Place` as JSON."""

    prefixo: str
    regiao: str
    conta: str


class MaterialJson(TypedDict):
    """``cesta politicas mostrar --json``."""

    stack: str
    lugar: PlaceJson
    papeis: dict[str, PolicyDocument]
    confianca: dict[str, PolicyDocument]
    gerenciadas: dict[str, list[str]]
    recursos: dict[str, PolicyDocument]
    arns: list[str]
    rastreada: bool


class MaterialShapeError(Exception):
    """A file is not what ``cesta politicas mostrar --json`` prints.

    Attributes:
        key: the key that is absent or wrong.
    """

    def __init__(self, key: str) -> None:
        self.key = key
        super().__init__(
            f"falta {key}, ou não é o que `cesta politicas mostrar --json` imprime; gere o arquivo de novo"
        )


@dataclass(frozen=True)
class Material:
    """Attributes:
    stack: the Pulumi stack.
    place: its prefix, region and account.
    identity: what each principal may do, by its short name (``cobrar-pagamento``, ``saga-pedido``, ``suporte``).
    trust: who may take each role.
    attached: ARNs of the AWS managed policies attached to a role, by its short name.
    resource: policies attached to resources, by the resource's ARN.
    arns: the stack's resources.
    traced: whether X-Ray traces it.
    """

    stack: str
    place: Place
    identity: Mapping[str, PolicyDocument]
    trust: Mapping[str, PolicyDocument]
    attached: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, "tuple[str, ...]"])
    resource: Mapping[str, PolicyDocument] = field(default_factory=dict[str, "PolicyDocument"])
    arns: tuple[str, ...] = ()
    traced: bool = False

    def to_json(self) -> MaterialJson:
        """As `from_json` reads it."""
        return {
            "stack": self.stack,
            "lugar": {"prefixo": self.place.prefix, "regiao": self.place.region, "conta": self.place.account},
            "papeis": dict(self.identity),
            "confianca": dict(self.trust),
            "gerenciadas": {name: list(arns) for name, arns in self.attached.items()},
            "recursos": dict(self.resource),
            "arns": list(self.arns),
            "rastreada": self.traced,
        }

    @classmethod
    def from_json(cls, data: Any) -> Material:
        """What `to_json` gave. Raises `MaterialShapeError`."""
        try:
            where = data["lugar"]
            return cls(
                stack=data["stack"],
                place=Place(where["prefixo"], where["regiao"], where["conta"]),
                identity=dict(data["papeis"]),
                trust=dict(data["confianca"]),
                attached={name: tuple(arns) for name, arns in data["gerenciadas"].items()},
                resource=dict(data["recursos"]),
                arns=tuple(data["arns"]),
                traced=bool(data["rastreada"]),
            )
        except KeyError as error:
            raise MaterialShapeError(str(error.args[0])) from None
        except (TypeError, ValueError, AttributeError):
            raise MaterialShapeError("o objeto principal") from None
