"""Reads what strangers send, strictly. Pure: bytes in, an order or a problem out.

Python's parser accepts what others refuse or read differently (NaN, 1e999, duplicate keys, lone surrogates), and two
readings of one order are two orders: here all of it is refused. No message repeats a value that was sent.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NoReturn, cast

from handlers.domain.cards import contem_cartao, contem_token
from handlers.domain.faults import FALHA
from handlers.domain.status import Etapa

from .problems import (
    CamposInvalidosError,
    CorpoGrandeDemaisError,
    CorpoMalformadoError,
    ErroDeCampo,
    NumeroDeCartaoError,
    TipoDeConteudoError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = [
    "CHAVE",
    "ID",
    "MAX_CORPO_BYTES",
    "QUANTIDADE_MAXIMA",
    "TOKEN",
    "VALOR_MAXIMO_CENTAVOS",
    "NovoPedido",
    "ler_json",
    "ler_objeto",
    "ler_pedido",
    "pedido_id_possivel",
    "pedido_id_valido",
]

MAX_CORPO_BYTES: Final = 8 * 1024
"""An order is some 300 bytes; queue and execution take far more (case C31), and must never have to."""

MAX_OBJETOS_E_LISTAS: Final = 32
QUANTIDADE_MAXIMA: Final = 1000
VALOR_MAXIMO_CENTAVOS: Final = 10**9

ID: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
TOKEN: Final = re.compile(r"tok[-_][A-Za-z0-9_-]{1,64}")
CHAVE: Final = re.compile(r"[!-~]{1,255}")
_ID_ESPERADO: Final = "esperado um texto de 1 a 64 letras sem acento, números, _ ou -"
_SO_EM_CARTAO_TOKEN: Final = "parece conter um token de cartão, que só pode ir em cartaoToken"  # noqa: S105 - a message

# A name made of letters alone can be neither a card token nor a card number, so it may be repeated.
_NOME_SEGURO: Final = re.compile(r"[A-Za-z]{1,32}")
_NOME_OCULTO: Final = "(nome omitido)"
_CABECALHO_DA_CHAVE: Final = "Idempotency-Key"

_BOM: Final = b"\xef\xbb\xbf"
_SUBSTITUTO: Final = "\ufffd"
# Blanks of HTTP are space and tab (RFC 9110), not whatever Unicode calls one.
_CONTENT_TYPE: Final = re.compile(
    r'[ \t]*application/json([ \t]*;[ \t]*charset[ \t]*=[ \t]*("utf-?8"|utf-?8))?[ \t]*', re.IGNORECASE | re.ASCII
)


@dataclass(frozen=True)
class NovoPedido:
    """An order as posted, every field checked.

    Attributes:
        pedido_id: None where the client sent only an ``Idempotency-Key``.
        quantidade: units, 1 to 1000.
        valor_centavos: price of the whole order, centavos, 1 to 10^9.
        cartao_token: kept out of ``repr``.
        falhas: faults to inject, by state name (design §8).
    """

    pedido_id: str | None
    sku: str
    quantidade: int
    valor_centavos: int
    cartao_token: str = field(repr=False)
    falhas: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True)
class _Fracao:
    """A number with a fraction or an exponent, as written: never one of ours, and ``float`` would turn 1e999 to inf."""

    texto: str


def pedido_id_valido(pedido_id: str) -> bool:
    """Whether the text has the grammar of an order's id (and of a SKU)."""
    return ID.fullmatch(pedido_id) is not None


def pedido_id_possivel(pedido_id: str) -> bool:
    """Whether an order of that id may exist: ids with card data in them are never accepted."""
    return not contem_cartao(pedido_id) and not contem_token(pedido_id)


def ler_objeto(corpo: bytes, content_type: str | None) -> dict[str, object]:
    """The JSON object in a request's body.

    Raises:
        TipoDeConteudoError: not declared as JSON in UTF-8.
        CorpoGrandeDemaisError: longer than `MAX_CORPO_BYTES`; nothing of it was parsed.
        CorpoMalformadoError: no JSON object, or an ambiguous one.
    """
    if content_type is None or _CONTENT_TYPE.fullmatch(content_type) is None:
        raise TipoDeConteudoError
    if len(corpo) > MAX_CORPO_BYTES:
        raise CorpoGrandeDemaisError(f"O corpo tem {len(corpo)} bytes; o máximo é {MAX_CORPO_BYTES}.")
    return ler_json(corpo)


def ler_json(corpo: bytes) -> dict[str, object]:
    """The JSON object in ``corpo``, read strictly.

    Raises:
        CorpoMalformadoError: no JSON object, or an ambiguous one.
    """
    if corpo.startswith(_BOM):
        raise CorpoMalformadoError("O corpo começa com BOM; envie UTF-8 sem BOM.")
    try:
        texto = corpo.decode("utf-8")
    except UnicodeDecodeError:
        raise CorpoMalformadoError("O corpo não é UTF-8 válido.") from None
    if _SUBSTITUTO in texto:
        # API Gateway turns bytes that are no UTF-8 into U+FFFD before we see them.
        raise CorpoMalformadoError("O corpo tem caracteres corrompidos (U+FFFD); envie UTF-8 válido.")
    # An order has two at most. Bounding how many there are bounds how deep they nest, on every Python alike.
    if texto.count("{") + texto.count("[") > MAX_OBJETOS_E_LISTAS:
        raise CorpoMalformadoError("O corpo tem objetos e listas demais para um pedido.")
    try:
        valor: object = json.loads(
            texto, object_pairs_hook=_sem_repeticao, parse_float=_Fracao, parse_constant=_recusar_constante
        )
    except ValueError:
        raise CorpoMalformadoError("O corpo não é JSON válido.") from None
    if not isinstance(valor, dict):
        raise CorpoMalformadoError("O corpo precisa ser um objeto JSON.")
    return cast("dict[str, object]", valor)


def ler_pedido(objeto: Mapping[str, object], *, chave: str | None, aceita_falhas: bool) -> NovoPedido:
    """The order in a posted object.

    Args:
        chave: the ``Idempotency-Key`` header. Without it ``pedidoId`` is required: a double click must not be two
            charges (case C11).
        aceita_falhas: whether the stack allows fault injection; elsewhere ``falhas`` is an unknown field.

    Raises:
        NumeroDeCartaoError: a name or value, at any depth, or the key holds a card number.
        CamposInvalidosError: with everything that is wrong, field by field.
    """
    com_cartao = [_nome(nome) for nome, valor in objeto.items() if _tem_cartao(nome, valor)]
    if chave is not None and contem_cartao(chave):
        com_cartao.append(_CABECALHO_DA_CHAVE)
    if com_cartao:
        raise NumeroDeCartaoError(com_cartao)
    leitor = _Leitor(objeto)
    novo = NovoPedido(
        pedido_id=leitor.identificador("pedidoId") if "pedidoId" in objeto else None,
        sku=leitor.identificador("sku"),
        quantidade=leitor.inteiro("quantidade", QUANTIDADE_MAXIMA),
        valor_centavos=leitor.inteiro("valorCentavos", VALOR_MAXIMO_CENTAVOS),
        cartao_token=leitor.texto(
            "cartaoToken", TOKEN, "esperado o token do gateway (tok- ou tok_ e de 1 a 64 letras, números, _ ou -)"
        ),
        falhas=leitor.falhas() if aceita_falhas and "falhas" in objeto else {},
    )
    leitor.recusar_o_resto()
    leitor.conferir_chave(chave)
    if leitor.erros:
        raise CamposInvalidosError(leitor.erros)
    return novo


class _Leitor:
    """Reads fields one by one and collects what is wrong; a wrong field reads as a harmless placeholder."""

    def __init__(self, objeto: Mapping[str, object]) -> None:
        self._objeto = objeto
        self._lidos: set[str] = set()
        self.erros: list[ErroDeCampo] = []

    def texto(self, nome: str, padrao: re.Pattern[str], esperado: str) -> str:
        valor = self._valor(nome)
        if isinstance(valor, str) and padrao.fullmatch(valor):
            return valor
        self._errar(nome, esperado)
        return ""

    def identificador(self, nome: str) -> str:
        valor = self.texto(nome, ID, _ID_ESPERADO)
        # Ids go into messages, histories and logs: a token put here by mistake would be in all of them.
        if contem_token(valor):
            self._errar(nome, _SO_EM_CARTAO_TOKEN)
        return valor

    def inteiro(self, nome: str, maximo: int) -> int:
        valor = self._valor(nome)
        # bool is an int to Python; to a customer, true is no quantity.
        if isinstance(valor, int) and not isinstance(valor, bool) and 1 <= valor <= maximo:
            return valor
        self._errar(nome, f"esperado um número inteiro de 1 a {maximo}")
        return 0

    def falhas(self) -> dict[str, str]:
        valor = self._valor("falhas")
        if not isinstance(valor, dict):
            self._errar("falhas", "esperado um objeto de etapa para falha")
            return {}
        lidas: dict[str, str] = {}
        for etapa, falha in cast("dict[str, object]", valor).items():
            if etapa not in set(Etapa):
                self._errar(f"falhas.{_nome(etapa)}", f"etapa desconhecida; esperada uma de {', '.join(Etapa)}")
            elif not isinstance(falha, str) or FALHA.fullmatch(falha) is None:
                self._errar(f"falhas.{etapa}", "esperado antes, depois ou morrer, com :N (1 a 9999) se for o caso")
            else:
                lidas[etapa] = falha
        return lidas

    def recusar_o_resto(self) -> None:
        for nome in self._objeto:
            if nome not in self._lidos:
                self._errar(_nome(nome), "campo desconhecido")

    def conferir_chave(self, chave: str | None) -> None:
        if chave is None and "pedidoId" not in self._objeto:
            self._errar("pedidoId", "obrigatório quando não há o cabeçalho Idempotency-Key; envie um dos dois")
        if chave is not None and CHAVE.fullmatch(chave) is None:
            self._errar(_CABECALHO_DA_CHAVE, "esperado um cabeçalho de 1 a 255 caracteres ASCII visíveis, sem espaços")
        elif chave is not None and contem_token(chave):
            self._errar(_CABECALHO_DA_CHAVE, _SO_EM_CARTAO_TOKEN)

    def _valor(self, nome: str) -> object:
        self._lidos.add(nome)
        return self._objeto.get(nome)

    def _errar(self, campo: str, mensagem: str) -> None:
        faltou = campo in self._lidos and campo not in self._objeto
        self.erros.append(ErroDeCampo(campo, f"obrigatório; {mensagem}" if faltou else mensagem))


def _nome(nome: str) -> str:
    return nome if _NOME_SEGURO.fullmatch(nome) else _NOME_OCULTO


def _sem_repeticao(pares: list[tuple[str, object]]) -> dict[str, object]:
    objeto = dict(pares)
    if len(objeto) < len(pares):
        raise CorpoMalformadoError("O corpo tem um campo repetido; cada campo pode aparecer uma vez só.")
    return objeto


def _recusar_constante(_constante: str) -> NoReturn:
    raise CorpoMalformadoError("O corpo tem NaN ou Infinity, que não são JSON.")


def _tem_cartao(nome: str, valor: object) -> bool:
    return any(contem_cartao(texto) for texto in (nome, *_textos(valor)))


def _textos(valor: object) -> Iterator[str]:
    """Every text and number inside ``valor``, however deep; a loop, as depth is the sender's choice."""
    por_ver = [valor]
    while por_ver:
        atual = por_ver.pop()
        if isinstance(atual, dict):
            objeto = cast("dict[str, object]", atual)
            por_ver.extend((*objeto.keys(), *objeto.values()))
        elif isinstance(atual, list):
            por_ver.extend(cast("list[object]", atual))
        elif isinstance(atual, _Fracao):
            yield atual.texto
        else:
            yield str(atual)
