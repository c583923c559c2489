"""Every refusal of the API, as one hierarchy of problem answers (RFC 9457, ``application/problem+json``)::

    ProblemaError
    ├── CorpoMalformadoError      400  not a JSON object we can trust
    ├── CamposInvalidosError      400  fields or headers with wrong values
    ├── PedidoNaoEncontradoError  404
    ├── MetodoNaoPermitidoError   405
    ├── ConteudoDivergenteError   409  same id, other content
    ├── CorpoGrandeDemaisError    413
    ├── TipoDeConteudoError       415
    ├── NumeroDeCartaoError       422  a card number where none may be
    └── IndisponivelError         503  with Retry-After

The texts are for the customer's developer, in Portuguese, and say what to do next. None may repeat a value that was
sent: any field may hold a card's data.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = [
    "CamposInvalidosError",
    "ConteudoDivergenteError",
    "CorpoGrandeDemaisError",
    "CorpoMalformadoError",
    "ErroDeCampo",
    "IndisponivelError",
    "MetodoNaoPermitidoError",
    "NumeroDeCartaoError",
    "PedidoNaoEncontradoError",
    "ProblemaError",
    "TipoDeConteudoError",
]


@dataclass(frozen=True)
class ErroDeCampo:
    """What is wrong with one field or header.

    Attributes:
        campo: its name; never a name the client made up that could itself hold card data.
        mensagem: what was expected.
    """

    campo: str
    mensagem: str


class ProblemaError(Exception):
    """Base of every problem answer.

    Attributes:
        status: HTTP status.
        tipo: the stable last part of the problem's ``type`` URI.
        titulo: the same for every problem of the type.
        detalhe: what was wrong this time and what to do.
        erros: field by field, where it can be told.
    """

    status: ClassVar[int]
    tipo: ClassVar[str]
    titulo: ClassVar[str]

    def __init__(self, detalhe: str, erros: Sequence[ErroDeCampo] = ()) -> None:
        self.detalhe = detalhe
        self.erros = tuple(erros)
        super().__init__(detalhe)

    @property
    def corpo(self) -> dict[str, object]:
        """The answer's body (design §10)."""
        return {
            "type": f"urn:cesta:problema:{self.tipo}",
            "title": self.titulo,
            "status": self.status,
            "detail": self.detalhe,
            "erros": [{"campo": erro.campo, "mensagem": erro.mensagem} for erro in self.erros],
        }

    @property
    def cabecalhos(self) -> Mapping[str, str]:
        """Headers of the answer, the content type apart."""
        return {}


class CorpoMalformadoError(ProblemaError):
    """The body is no JSON object, or one that two parsers could read differently."""

    status = 400
    tipo = "corpo-malformado"
    titulo = "Corpo malformado"


class CamposInvalidosError(ProblemaError):
    """Fields or headers are missing, unknown or have wrong values."""

    status = 400
    tipo = "campos-invalidos"
    titulo = "Campos inválidos"

    def __init__(self, erros: Sequence[ErroDeCampo]) -> None:
        super().__init__("Corrija os campos indicados em erros e envie de novo.", erros)


class PedidoNaoEncontradoError(ProblemaError):
    """There is no such order."""

    status = 404
    tipo = "pedido-nao-encontrado"
    titulo = "Pedido não encontrado"

    def __init__(self) -> None:
        super().__init__("Não há pedido com esse identificador; confira o pedidoId.")


class MetodoNaoPermitidoError(ProblemaError):
    """The route exists, but not for this method."""

    status = 405
    tipo = "metodo-nao-permitido"
    titulo = "Método não permitido"

    def __init__(self) -> None:
        super().__init__("Use POST /pedidos para criar e GET /pedidos/{pedidoId} para consultar.")


class ConteudoDivergenteError(ProblemaError):
    """The order exists with other content: a second order needs an id of its own."""

    status = 409
    tipo = "conteudo-divergente"
    titulo = "Conteúdo divergente"

    def __init__(self) -> None:
        super().__init__(
            "Já existe um pedido com esse identificador e outro conteúdo, e ele não foi alterado. "
            "Para um pedido novo, use outro pedidoId ou outra Idempotency-Key."
        )


class CorpoGrandeDemaisError(ProblemaError):
    """The body is longer than an order can be."""

    status = 413
    tipo = "corpo-grande-demais"
    titulo = "Corpo grande demais"


class TipoDeConteudoError(ProblemaError):
    """The body is not declared as JSON in UTF-8."""

    status = 415
    tipo = "tipo-de-conteudo"
    titulo = "Tipo de conteúdo não aceito"

    def __init__(self) -> None:
        super().__init__("Envie o corpo em JSON, com o cabeçalho Content-Type: application/json (UTF-8).")


class NumeroDeCartaoError(ProblemaError):
    """Something that looks like a card number was sent; nothing of it is kept."""

    status = 422
    tipo = "numero-de-cartao"
    titulo = "Número de cartão recusado"

    def __init__(self, campos: Sequence[str]) -> None:
        super().__init__(
            "A requisição contém o que parece ser um número de cartão, e nada dele foi guardado. "
            "Troque o número por um token diretamente com o gateway de pagamento e envie só o token.",
            [ErroDeCampo(campo, "parece conter um número de cartão") for campo in campos],
        )


class IndisponivelError(ProblemaError):
    """We could not tell, or could not do it: trying again is safe, and worth it.

    Attributes:
        repetir_apos_segundos: value of ``Retry-After``.
    """

    status = 503
    tipo = "indisponivel"
    titulo = "Serviço indisponível"
    repetir_apos_segundos: ClassVar[int] = 5

    @property
    def cabecalhos(self) -> Mapping[str, str]:
        """``Retry-After``, in seconds."""
        return {"Retry-After": str(self.repetir_apos_segundos)}
