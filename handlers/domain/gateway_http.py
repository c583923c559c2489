"""The payment gateway over HTTP (design §7), on urllib3.

No retry, no redirect: a step decides what to repeat. Nothing the gateway writes goes into an error's text but
codes of the contract, and nothing of the request: either could carry the card token or a credential.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final, Protocol, TypeVar
from urllib.parse import quote

import urllib3
from urllib3.exceptions import HTTPError

from handlers.domain.credentials import COBRANCA, CONSULTA, ESTORNO
from handlers.domain.errors import (
    CestaError,
    ConflitoTransitorioError,
    ErroInesperado,
    GatewayIndisponivelError,
)
from handlers.domain.gateway import (
    CobrancaAprovada,
    CobrancaNoGateway,
    CobrancaRecusada,
    EstornoConcluido,
    EstornoPendente,
    SituacaoDaCobranca,
    SituacaoDoEstorno,
    chave_da_cobranca,
    chave_do_estorno,
)
from handlers.domain.gateway_answer import Answer, MalformedAnswerError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from handlers.domain.credentials import Credenciais

__all__ = ["GatewayHttp", "HttpPool", "HttpResponse"]

T = TypeVar("T")

_UNKNOWN_STATUSES: Final = frozenset({408, 425, 429})
"""4xx that say "not now" rather than "no": the outcome is as unknown as after a 5xx."""

_REFUSED_CREDENTIAL: Final = frozenset({401, 403})


class HttpResponse(Protocol):
    """What is used of urllib3's answer."""

    status: int

    @property
    def data(self) -> bytes:
        """The whole body."""
        ...


class HttpPool(Protocol):
    """What is used of `urllib3.PoolManager`."""

    def request(
        self,
        method: str,
        url: str,
        *,
        body: bytes | None,
        headers: Mapping[str, str],
        retries: bool,
        redirect: bool,
    ) -> HttpResponse:
        """One request over a kept-alive connection."""
        ...


class GatewayHttp:
    """A `GatewayDePagamento` reached over HTTP; each operation carries its own credential, where there is one."""

    def __init__(self, url: str, pool: HttpPool, credenciais: Credenciais | None = None) -> None:
        self._url = url.rstrip("/")
        self._pool = pool
        self._credenciais = credenciais

    @classmethod
    def conectar(
        cls, url: str, *, conexao_segundos: float, leitura_segundos: float, credenciais: Credenciais | None = None
    ) -> GatewayHttp:
        """A gateway on a pool of its own, meant to be kept: its connections outlive an invocation.

        Args:
            url: the gateway's base URL.
            conexao_segundos: seconds to connect.
            leitura_segundos: seconds between two bytes of the answer.
            credenciais: what each operation is sent with; None where something on the way adds it.
        """
        timeout = urllib3.Timeout(connect=conexao_segundos, read=leitura_segundos)
        return cls(url, urllib3.PoolManager(timeout=timeout, retries=False), credenciais)

    def cobrar(self, pedido_id: str, *, cartao_token: str, valor_centavos: int) -> CobrancaAprovada | CobrancaRecusada:
        """`GatewayDePagamento.cobrar` by POST /cobrancas."""

        def read(answer: Answer) -> CobrancaAprovada | CobrancaRecusada | None:
            if answer.status == 201:
                answer.expect("estado", "aprovada")
                _check(pedido_id, answer, {"pedidoId": pedido_id, "valorCentavos": valor_centavos})
                return CobrancaAprovada(answer.identifier("transacaoId"))
            if answer.status == 402:
                answer.expect("codigo", "cartao_recusado")
                answer.expect("estado", "recusada")
                _check(pedido_id, answer, {"pedidoId": pedido_id})
                return CobrancaRecusada()
            return None

        body = {"pedidoId": pedido_id, "cartaoToken": cartao_token, "valorCentavos": valor_centavos}
        key = chave_da_cobranca(pedido_id)
        return self._call(pedido_id, COBRANCA, "POST", "/cobrancas", read, key=key, body=body)

    def estornar(self, pedido_id: str, *, transacao_id: str, valor_centavos: int) -> EstornoConcluido | EstornoPendente:
        """`GatewayDePagamento.estornar` by POST /estornos."""
        body = {"pedidoId": pedido_id, "transacaoId": transacao_id, "valorCentavos": valor_centavos}

        def read(answer: Answer) -> EstornoConcluido | EstornoPendente | None:
            if answer.status == 201:
                answer.expect("estado", "concluido")
                _check(pedido_id, answer, body)
                return EstornoConcluido(answer.identifier("estornoId"))
            if answer.status == 202:
                answer.expect("estado", "pendente")
                _check(pedido_id, answer, body)
                return EstornoPendente(answer.identifier("estornoId"))
            if answer.status == 409 and answer.code == "ja_estornada":
                _check(pedido_id, answer, {"transacaoId": transacao_id, "valorCentavos": valor_centavos})
                return EstornoConcluido(answer.identifier("estornoId"))
            return None

        key = chave_do_estorno(pedido_id)
        return self._call(pedido_id, ESTORNO, "POST", "/estornos", read, key=key, body=body)

    def consultar(self, pedido_id: str) -> CobrancaNoGateway | None:
        """`GatewayDePagamento.consultar` by GET /cobrancas."""

        def read(answer: Answer) -> list[CobrancaNoGateway] | None:
            if answer.status != 200:
                return None
            return [_cobranca(pedido_id, entry) for entry in answer.entries("cobrancas")]

        path = f"/cobrancas?pedidoId={quote(pedido_id, safe='')}"
        cobrancas = self._call(pedido_id, CONSULTA, "GET", path, read)
        if len(cobrancas) > 1:
            raise ErroInesperado(
                pedido_id,
                f"o gateway mostra {len(cobrancas)} cobranças deste pedido, esperada no máximo uma; "
                "confira e estorne a sobra no painel do gateway",
            )
        return cobrancas[0] if cobrancas else None

    def _call(
        self,
        pedido_id: str,
        operacao: str,
        method: str,
        path: str,
        read: Callable[[Answer], T | None],
        *,
        key: str | None = None,
        body: Mapping[str, object] | None = None,
    ) -> T:
        """One request; ``read`` says what its answer means, None for an answer it does not know."""
        answer = self._send(pedido_id, operacao, method, path, key, body)
        try:
            result = read(answer)
        except MalformedAnswerError as error:
            problem = f"HTTP {answer.status} fora do contrato: {error}"
        else:
            if result is not None:
                return result
            raise _failure(pedido_id, operacao, answer)
        # Out of the except block: whatever is raised there drags its cause along.
        raise GatewayIndisponivelError(pedido_id, operacao=operacao, detalhe=problem)

    def _send(
        self,
        pedido_id: str,
        operacao: str,
        method: str,
        path: str,
        key: str | None,
        body: Mapping[str, object] | None,
    ) -> Answer:
        headers = {"Accept": "application/json"}
        credencial = self._credenciais.ler(operacao) if self._credenciais is not None else None
        if credencial is not None:
            headers["Authorization"] = f"Bearer {credencial}"
        if key is not None:
            headers["Idempotency-Key"] = key
            headers["Content-Type"] = "application/json"
        payload = json.dumps(body, sort_keys=True).encode() if body is not None else None
        try:
            response = self._pool.request(
                method, f"{self._url}{path}", body=payload, headers=headers, retries=False, redirect=False
            )
            answer = Answer.parse(response.status, response.data)
        except (HTTPError, OSError) as error:
            problem = f"sem resposta ({type(error).__name__})"
        else:
            if credencial is None or answer.status not in _REFUSED_CREDENTIAL:
                return answer
            problem = f"HTTP {answer.status}: credencial de {operacao} recusada, confira o parâmetro"
            self._forget(operacao)
        raise GatewayIndisponivelError(pedido_id, operacao=operacao, detalhe=problem)

    def _forget(self, operacao: str) -> None:
        # It may have been rotated since it was read: the next attempt reads it again.
        if self._credenciais is not None:
            self._credenciais.esquecer(operacao)


def _cobranca(pedido_id: str, entry: Answer) -> CobrancaNoGateway:
    _check(pedido_id, entry, {"pedidoId": pedido_id})
    situacao = entry.member("estado", SituacaoDaCobranca)
    refunded = entry.get("estornoEstado") is not None
    return CobrancaNoGateway(
        situacao=situacao,
        valor_centavos=entry.integer("valorCentavos"),
        transacao_id=entry.identifier("transacaoId") if situacao is SituacaoDaCobranca.APROVADA else None,
        valor_estornado_centavos=entry.integer("valorEstornadoCentavos"),
        estorno_id=entry.identifier("estornoId") if refunded else None,
        situacao_do_estorno=entry.member("estornoEstado", SituacaoDoEstorno) if refunded else None,
    )


def _check(pedido_id: str, answer: Answer, expected: Mapping[str, str | int]) -> None:
    """An answer about something else than what was asked: a fault, and no attempt of ours will mend it."""
    for name, value in expected.items():
        got = answer.integer(name) if isinstance(value, int) else answer.identifier(name)
        if got != value:
            raise ErroInesperado(
                pedido_id,
                f"a resposta do gateway traz {name} diferente do pedido; confira o pedido no painel do gateway",
            )


def _failure(pedido_id: str, operacao: str, answer: Answer) -> CestaError:
    status, code = answer.status, answer.code
    if status == 409 and code == "em_andamento":
        return ConflitoTransitorioError(
            pedido_id, f"{operacao} ainda em andamento no gateway; repita com a mesma chave"
        )
    if status == 409 and code == "chave_reutilizada":
        return ErroInesperado(
            pedido_id, f"o gateway já viu a chave de {operacao} com outro conteúdo; é um defeito nosso"
        )
    told = f"HTTP {status}" + (f" ({code})" if code else "")
    unreadable_conflict = status == 409 and not code
    if status in _UNKNOWN_STATUSES or not 300 <= status < 500 or unreadable_conflict:
        return GatewayIndisponivelError(pedido_id, operacao=operacao, detalhe=told)
    return ErroInesperado(
        pedido_id,
        f"o gateway não aceitou a operação {operacao}: {told}; confira a integração antes de repetir",
    )
