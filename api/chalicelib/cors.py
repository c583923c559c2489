"""Which web pages may call the API (CORS, https://fetch.spec.whatwg.org/#http-cors-protocol). Pure.

Off unless the stack lists origins: an API called by services alone answers no page at all. No answer ever allows
credentials, so a browser sends no cookie; who calls is told by the Authorization header.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

__all__ = ["cabecalhos", "cabecalhos_do_preflight", "origens"]

_DURACAO_SEGUNDOS: Final = 3600
"""How long a browser may remember a preflight; each one remembered is a call less."""

_PREFLIGHT: Final[Mapping[str, str]] = {
    "Access-Control-Allow-Methods": "GET, POST",
    # What our clients send, and what signing a request adds (API Gateway, "Enabling CORS").
    "Access-Control-Allow-Headers": "Authorization, Content-Type, Idempotency-Key, X-Amz-Date, X-Amz-Security-Token",
    "Access-Control-Max-Age": str(_DURACAO_SEGUNDOS),
}
_RESPOSTA: Final[Mapping[str, str]] = {"Access-Control-Expose-Headers": "Location, Retry-After"}


def origens(configuradas: str) -> tuple[str, ...]:
    """The origins of the stack's setting, separated by commas; none where it is empty."""
    return tuple(origem.strip() for origem in configuradas.split(",") if origem.strip())


def cabecalhos(origem: str | None, permitidas: Sequence[str]) -> Mapping[str, str]:
    """What any answer carries.

    Args:
        origem: the request's ``Origin``.
        permitidas: the stack's origins.
    """
    return _para(origem, permitidas, _RESPOSTA)


def cabecalhos_do_preflight(origem: str | None, permitidas: Sequence[str]) -> Mapping[str, str]:
    """What the answer to a preflight carries; arguments as in `cabecalhos`."""
    return _para(origem, permitidas, _PREFLIGHT)


def _para(origem: str | None, permitidas: Sequence[str], liberados: Mapping[str, str]) -> Mapping[str, str]:
    if not permitidas:
        return {}
    # Caches must not hand one origin's answer to another, nor the refused one's to anybody.
    vary = {"Vary": "Origin"}
    if origem is None or origem not in permitidas:
        return vary
    return {**vary, "Access-Control-Allow-Origin": origem, **liberados}
