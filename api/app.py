"""The front door and the starter: routes and wiring; what they do is in `chalicelib`."""

from __future__ import annotations

import json
import os
import time
from functools import wraps
from typing import TYPE_CHECKING, ParamSpec, cast

from chalice.app import Chalice, Response
from chalicelib import cors, requisicao
from chalicelib.consulta import visao
from chalicelib.iniciador import Iniciador, Mensagem
from chalicelib.observabilidade import correlacionar, descrever, logger
from chalicelib.parsing import ler_objeto, ler_pedido, pedido_id_possivel, pedido_id_valido
from chalicelib.pedidos import receber
from chalicelib.problems import (
    CamposInvalidosError,
    ErroDeCampo,
    IndisponivelError,
    MetodoNaoPermitidoError,
    PedidoNaoEncontradoError,
    ProblemaError,
)
from chalicelib.ritmo import Ritmo

from handlers.domain import aws, environment, settings
from handlers.domain.metrics import Metrica, emit
from handlers.domain.orders import Pedidos

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from chalice.app import HeadersType, Request, SQSEvent

P = ParamSpec("P")

app = Chalice(app_name="cesta-api")


def _responder(se_falhar: str) -> Callable[[Callable[P, Response]], Callable[P, Response]]:
    """Turn whatever a view raises into a problem answer: never a stack trace, never Chalice's own JSON.

    Args:
        se_falhar: what to tell the client of a failure nobody foresaw.
    """

    def decorar(view: Callable[P, Response]) -> Callable[P, Response]:
        @wraps(view)
        def respondido(*args: P.args, **kwargs: P.kwargs) -> Response:
            try:
                return view(*args, **kwargs)
            except ProblemaError as problema:
                return _resposta_de_problema(problema)
            except Exception as erro:
                logger.error("requisição falhou", extra={"rota": view.__name__, **descrever(erro)})
                emit(Metrica.REQUISICOES_FALHADAS)
                return _resposta_de_problema(IndisponivelError(se_falhar))

        return respondido

    return decorar


@app.route("/pedidos", methods=["POST"], content_types=["*/*"])
@_responder(
    # Unknown is never "nothing happened": the write may have been made, and trying again is safe.
    "Não foi possível concluir agora, e o pedido pode ou não ter sido gravado. Repita a mesma requisição, com o mesmo "
    "pedidoId ou a mesma Idempotency-Key: ela não vira dois pedidos."
)
def criar_pedido() -> Response:
    """Accept an order: 202 and where to follow it."""
    request = _request()
    fila_url = settings.required(environment.FILA_CRIADOS_URL)
    chave = requisicao.cabecalho(request, "Idempotency-Key")
    quem = requisicao.quem_chama(request.context)
    novo = ler_pedido(
        ler_objeto(requisicao.corpo(request), requisicao.cabecalho(request, "Content-Type")),
        chave=chave,
        aceita_falhas=settings.flag(environment.INJECAO_DE_FALHAS),
    )
    # Given both, pedidoId wins: it is the order's own name, the key only stands in for it.
    pedido_id = novo.pedido_id or requisicao.pedido_id_derivado(chave or "", quem)
    correlacionar(pedido_id, requisicao.id_da_requisicao(request.context))
    aceite = receber(
        pedido_id,
        novo,
        cliente=requisicao.cliente(quem),
        pedidos=_pedidos(),
        enviar=lambda corpo: aws.sqs().send_message(QueueUrl=fila_url, MessageBody=corpo),
        agora=time.time,
    )
    link = _link(request, "/pedidos", pedido_id)
    return _resposta(202, {"pedidoId": pedido_id, "status": aceite.status, "links": {"self": link}}, {"Location": link})


@app.route("/pedidos/{pedidoId}", methods=["GET"], content_types=["*/*"])
@_responder("Não foi possível consultar o pedido agora; tente de novo em instantes.")
def consultar_pedido(pedidoId: str) -> Response:  # noqa: N803 - the route's parameter, named by contract
    """Where an order stands."""
    if not pedido_id_valido(pedidoId):
        raise CamposInvalidosError([ErroDeCampo("pedidoId", "esperados de 1 a 64 letras, números, _ ou -")])
    request = _request()
    resumo = None
    if pedido_id_possivel(pedidoId):
        correlacionar(pedidoId, requisicao.id_da_requisicao(request.context))
        resumo = _pedidos().ler_resumo(pedidoId)
    # Another caller's order is a 404, not a 403: that it exists is told to its owner alone.
    if resumo is None or resumo.cliente != requisicao.cliente(requisicao.quem_chama(request.context)):
        raise PedidoNaoEncontradoError
    return _resposta(200, visao(resumo, _link(request, f"/pedidos/{pedidoId}", pedidoId)))


@app.on_sqs_message(queue="cesta-pedidos-criados", batch_size=10, name="iniciador")
def iniciador(event: SQSEvent) -> dict[str, list[dict[str, str]]]:
    """Start the saga of each order in the batch; the answer names the records that failed."""
    mensagens = [Mensagem(str(registro["messageId"]), str(registro["body"])) for registro in event.to_dict()["Records"]]
    maquina_arn = settings.required(environment.MAQUINA_ARN)
    ritmo = Ritmo(settings.seconds(environment.SEGUNDOS_POR_INICIO))
    quem_inicia = Iniciador(_pedidos(), aws.stepfunctions(), maquina_arn, agora=time.time, ritmo=ritmo)
    return quem_inicia.iniciar_lote(mensagens)


@app.middleware("http")
def porta(event: Request, get_response: Callable[[Request], Response]) -> Response:
    """What every answer has, whoever made it: a problem's form where it is a refusal, and the CORS headers."""
    correlacionar(None, requisicao.id_da_requisicao(event.context))
    permitidas = cors.origens(os.environ.get(environment.ORIGENS_PERMITIDAS, ""))
    origem = cast("Mapping[str, str]", event.headers).get("origin")
    if permitidas and event.method == "OPTIONS":
        headers = cors.cabecalhos_do_preflight(origem, permitidas)
        return Response(body="", headers=cast("HeadersType", headers), status_code=204)
    response = _como_problema(event, get_response)
    response.headers.update(cors.cabecalhos(origem, permitidas))
    return response


def _como_problema(event: Request, get_response: Callable[[Request], Response]) -> Response:
    """The app's answer, with Chalice's own refusals made problem answers like ours."""
    try:
        response = get_response(event)
    except Exception as erro:
        logger.error("requisição sem resposta", extra=descrever(erro))
        return _resposta_de_problema(IndisponivelError("Não foi possível atender agora; tente de novo em instantes."))
    if response.status_code != 405:
        return response
    problema = _resposta_de_problema(MetodoNaoPermitidoError())
    problema.headers["Allow"] = response.headers["Allow"]
    return problema


def _request() -> Request:
    request = app.current_request
    assert request is not None  # noqa: S101 - Chalice sets it before it calls a view
    return request


def _pedidos() -> Pedidos:
    return Pedidos(aws.dynamodb(), settings.required(environment.TABELA_PEDIDOS), agora=time.time)


def _link(request: Request, recurso: str, pedido_id: str) -> str:
    base = requisicao.url_base(
        os.environ.get(environment.API_URL_BASE), request.context, requisicao.cabecalho(request, "host"), recurso
    )
    return f"{base}/pedidos/{pedido_id}"


def _resposta(status: int, corpo: Mapping[str, object], cabecalhos: Mapping[str, str] | None = None) -> Response:
    headers = {"Content-Type": "application/json", **(cabecalhos or {})}
    texto = json.dumps(corpo, ensure_ascii=False, separators=(",", ":"))
    return Response(body=texto, headers=cast("HeadersType", headers), status_code=status)


def _resposta_de_problema(problema: ProblemaError) -> Response:
    return _resposta(
        problema.status, problema.corpo, {**problema.cabecalhos, "Content-Type": "application/problem+json"}
    )
