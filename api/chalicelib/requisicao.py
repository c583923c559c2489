"""What the app needs of a Chalice request, whoever sent it: API Gateway, an emulator or ``chalice local``."""

from __future__ import annotations

import binascii
import hashlib
import re
import uuid
from typing import TYPE_CHECKING, Final, cast

from .problems import CamposInvalidosError, CorpoMalformadoError, ErroDeCampo

if TYPE_CHECKING:
    from collections.abc import Mapping

    from chalice.app import Request

__all__ = ["cabecalho", "cliente", "corpo", "id_da_requisicao", "pedido_id_derivado", "quem_chama", "url_base"]

ANONIMO: Final = "anonimo"

# UUIDv5 needs a namespace of its own: with a well-known one, others could compute the same ids for other things.
_NAMESPACE: Final = uuid.UUID("6d1f4d0e-5c0b-5f6e-9a55-2f6a3c1b7e10")
_ASSUMED_ROLE: Final = re.compile(r"(arn:[^:]+:sts::\d+:assumed-role/[^/]+)/.+")
_HOST: Final = re.compile(r"[A-Za-z0-9.-]{1,253}(:\d{1,5})?|\[[0-9a-fA-F:]+\](:\d{1,5})?")


def cabecalho(request: Request, nome: str) -> str | None:
    """A header's value, whatever the case of its name; None when absent.

    Raises:
        CamposInvalidosError: it was sent more than once with different values. The gateway would take the last, and a
            proxy before it perhaps the first: two readings of one request.
    """
    valores = set(_repeticoes(request, nome))
    if len(valores) > 1:
        raise CamposInvalidosError([ErroDeCampo(nome, "cabeçalho repetido com valores diferentes; envie um só")])
    return cast("Mapping[str, str]", request.headers).get(nome)


def corpo(request: Request) -> bytes:
    """The body's bytes; empty when there is none.

    Raises:
        CorpoMalformadoError: the gateway's wrapping cannot be undone, so the client's bytes are unknown.
    """
    try:
        raw = request.raw_body
    except (binascii.Error, UnicodeError):
        raise CorpoMalformadoError("O corpo não pôde ser decodificado; envie JSON em UTF-8.") from None
    return raw if isinstance(raw, bytes) else raw.encode()


def quem_chama(contexto: Mapping[str, object]) -> str:
    """Who sent the request, as the gateway's authorizer says: the same text for each request of one caller.

    A role's session is left out: a service that retries after a restart has another session and is the same caller.
    The users of a Cognito identity pool all come in one role, and are told apart by their identity in the pool.
    """
    claims = _sub(_sub(contexto, "authorizer"), "claims")
    sub = claims.get("sub")
    if isinstance(sub, str) and sub:
        return f"cognito:{sub}"
    identity = _sub(contexto, "identity")
    no_pool = identity.get("cognitoIdentityId")
    if isinstance(no_pool, str) and no_pool:
        return f"pool:{no_pool}"
    arn = identity.get("userArn")
    if isinstance(arn, str) and arn:
        role = _ASSUMED_ROLE.fullmatch(arn)
        return f"iam:{role[1] if role else arn}"
    return ANONIMO


def id_da_requisicao(contexto: Mapping[str, object]) -> str | None:
    """The gateway's own id of the request, by which its access log has it; None where no gateway is in front.

    Not ``requestId``, which a client can set.
    """
    extended = contexto.get("extendedRequestId")
    return extended if isinstance(extended, str) and extended else None


def cliente(quem: str) -> str | None:
    """Whose an order is, as its row keeps it: SHA-256 (hex) of `quem_chama`, None where nobody is identified.

    A hash, because the row only has to answer "the same one?", and who it was is personal data it then need not keep.
    """
    return None if quem == ANONIMO else hashlib.sha256(quem.encode()).hexdigest()


def pedido_id_derivado(chave: str, quem: str) -> str:
    """The id of an order posted without one: the same caller and key always give the same order (case C11).

    Args:
        chave: the ``Idempotency-Key``, checked.
        quem: `quem_chama`.
    """
    # A key holds no line break, so no two pairs of caller and key make the same text.
    return str(uuid.uuid5(_NAMESPACE, f"{quem}\n{chave}"))


def url_base(configurada: str | None, contexto: Mapping[str, object], host: str | None, recurso: str) -> str:
    """The API's own URL, stage included, without trailing slash; empty (links are relative) when it can't be told.

    Args:
        configurada: the stack's ``API_URL_BASE``, which wins.
        contexto: the gateway's request context.
        host: the ``Host`` header, believed only where no gateway is in front.
        recurso: the path of this request within the API, as in ``/pedidos``.
    """
    if configurada:
        return configurada.rstrip("/")
    caminho = str(contexto.get("path", "")).rstrip("/")
    prefixo = caminho.removesuffix(recurso) if caminho.endswith(recurso) else ""
    dominio = contexto.get("domainName")
    if isinstance(dominio, str) and dominio:
        return f"https://{dominio}{prefixo}"
    if host is not None and _HOST.fullmatch(host):
        return f"http://{host}{prefixo}"
    return ""


def _repeticoes(request: Request, nome: str) -> list[str]:
    """Every value of a header; empty where whoever called says nothing of repetitions (``chalice local``)."""
    todos = cast("Mapping[str, list[str]] | None", request.to_original_event().get("multiValueHeaders")) or {}
    procurado = nome.lower()
    return [valor for chave, valores in todos.items() if chave.lower() == procurado for valor in valores]


def _sub(objeto: Mapping[str, object], nome: str) -> Mapping[str, object]:
    valor = objeto.get(nome)
    return cast("Mapping[str, object]", valor) if isinstance(valor, dict) else {}
