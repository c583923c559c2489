"""The order saga: reserve stock, charge the card, confirm, settle; undone in the mirror order.

Names of states and statuses are the contract's; error names come from the handlers' classes and the conditions
of status writes from their one transition table.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from handlers.domain.errors import (
    CartaoRecusadoError,
    CobrancaIndefinidaError,
    ConflitoTransitorioError,
    EstoqueInsuficienteError,
    GatewayIndisponivelError,
    PedidoJaConfirmadoError,
    ReservaCanceladaError,
    SkuInexistenteError,
)
from handlers.domain.status import Etapa, Status, allowed_from
from infra.saga import (
    Answer,
    Compensation,
    Constant,
    Context,
    DoubtWindow,
    ErrorClasses,
    HumanStep,
    Input,
    JsonText,
    Policies,
    Resources,
    Result,
    Retry,
    Saga,
    StatusRecord,
    StatusTable,
    StatusWrite,
    Step,
    StepKind,
    TaskRetries,
    Timeouts,
    compile_resumption,
    compile_saga,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from infra.saga import Value
    from infra.saga.compiler import Definition

__all__ = ["AjustesDaSaga", "Recursos", "compilar", "compilar_retomada", "definir"]

_PEDIDOS = "pedidos"
_FILA_HUMANA = "humana"

REPROCESSAR = "REPROCESSAR"
ENCERRAR = "ENCERRAR"
_RESPONSAVEL = ("responsavel", "justificativa")
_PENDENCIAS = "caso.pendencias"
_AGORA = Context("State.EnteredTime")
_VERIFICAR: Mapping[str, Value] = {"verificarEm": _AGORA}
"""A closed order is looked at once more by the reconciler: no stock held, no money kept (design §8)."""


@dataclass(frozen=True)
class AjustesDaSaga:
    """The stack's times, in seconds, and numbers of retries (design §4)."""

    http_segundos: float = 6
    lambda_segundos: int = 20
    estado_segundos: int = 30
    intervalo_plataforma_segundos: int = 25
    intervalo_transitorio_segundos: int = 2
    atraso_maximo_segundos: int = 60
    tentativas_do_passo: int = 4
    tentativas_da_compensacao: int = 20
    janela_duvida_segundos: float = 900
    intervalo_duvida_segundos: int = 60
    tentativas_duvida: int = 20
    prazo_humano_segundos: int = 13 * 24 * 3600


@dataclass(frozen=True)
class Recursos:
    """The deployed resources the definition points to.

    Attributes:
        funcoes: Lambda ARN by `Etapa`.
        tabela_pedidos: name of the orders table.
        fila_humana_url: URL of ``cesta-compensacao-falhou``.
    """

    funcoes: Mapping[str, str]
    tabela_pedidos: str
    fila_humana_url: str


def compilar(ajustes: AjustesDaSaga, recursos: Recursos) -> Definition:
    """The definition of ``cesta-saga-pedido``; raises `infra.saga.SagaError`."""
    return compile_saga(definir(ajustes), _resources(recursos))


def compilar_retomada(ajustes: AjustesDaSaga, recursos: Recursos) -> Definition:
    """The definition of ``cesta-saga-retomada``, which undoes and closes but never charges."""
    return compile_resumption(definir(ajustes), _resources(recursos))


def _resources(recursos: Recursos) -> Resources:
    return Resources(
        functions=dict(recursos.funcoes),
        queues={_FILA_HUMANA: recursos.fila_humana_url},
        tables={_PEDIDOS: recursos.tabela_pedidos},
    )


def definir(ajustes: AjustesDaSaga) -> Saga:
    """The order saga with the stack's times."""
    return Saga(
        name="Cesta: saga do pedido",
        input_fields=("pedidoId", "sku", "quantidade", "valorCentavos", "criadoEm", "falhas"),
        steps=(
            Step(
                Etapa.RESERVAR_ESTOQUE.value,
                StepKind.COMPENSABLE,
                refusals=(EstoqueInsuficienteError, SkuInexistenteError, ReservaCanceladaError),
                compensation=Compensation(Etapa.LIBERAR_ESTOQUE.value),
                result=Result("reserva", ("sku", "quantidade")),
                leaves="estoque reservado",
            ),
            Step(
                Etapa.COBRAR_PAGAMENTO.value,
                StepKind.COMPENSABLE,
                refusals=(CartaoRecusadoError,),
                compensation=_estorno(ajustes),
                result=Result("cobranca", ("transacaoId", "valorCentavos")),
                leaves="dinheiro cobrado",
            ),
            Step(Etapa.CONFIRMAR_PEDIDO.value, StepKind.PIVOT, writes=_escrita(Status.CONFIRMADO)),
            Step(
                Etapa.EFETIVAR_RESERVA.value,
                StepKind.RETRIABLE,
                pending=_pendencia(ajustes),
                leaves="reserva efetivada",
            ),
        ),
        errors=ErrorClasses(
            refusals=(
                EstoqueInsuficienteError,
                SkuInexistenteError,
                ReservaCanceladaError,
                CartaoRecusadoError,
                PedidoJaConfirmadoError,
            ),
            transient=(GatewayIndisponivelError, ConflitoTransitorioError),
            unknown=(CobrancaIndefinidaError,),
        ),
        table=StatusTable(table=_PEDIDOS, key="pedidoId", key_path="pedidoId", status="status"),
        nothing_done=_fim("RegistrarFalhaSemCompensacao", Status.FALHOU_SEM_RESERVA),
        compensated=_fim("RegistrarFalhaComEstoqueLiberado", Status.FALHOU_COMPENSADO),
        human=_intervencao(ajustes),
        undelivered="IntervencaoNaoEntregue",
        timeouts=Timeouts(http=ajustes.http_segundos, function=ajustes.lambda_segundos, state=ajustes.estado_segundos),
        policies=_policies(ajustes),
        error_key="erro",
        compensation_error_key="erroCompensacao",
        answer_key="intervencao",
    )


def _estorno(ajustes: AjustesDaSaga) -> Compensation:
    return Compensation(
        Etapa.ESTORNAR_PAGAMENTO.value,
        pivot_won=PedidoJaConfirmadoError,
        claims=_escrita(Status.COMPENSANDO),
        doubt=DoubtWindow(
            error=CobrancaIndefinidaError,
            seconds=ajustes.janela_duvida_segundos,
            retry=Retry(interval=ajustes.intervalo_duvida_segundos, attempts=ajustes.tentativas_duvida, backoff=1.0),
        ),
    )


def _policies(ajustes: AjustesDaSaga) -> Policies:
    return Policies(
        step=_retries(ajustes, ajustes.tentativas_do_passo),
        compensation=_retries(ajustes, ajustes.tentativas_da_compensacao),
        record=Retry(interval=2, attempts=ajustes.tentativas_da_compensacao, max_delay=ajustes.atraso_maximo_segundos),
        notice=Retry(interval=2, attempts=ajustes.tentativas_da_compensacao, max_delay=ajustes.atraso_maximo_segundos),
        service_timeout=ajustes.estado_segundos,
    )


def _retries(ajustes: AjustesDaSaga, tentativas: int) -> TaskRetries:
    return TaskRetries(
        transient=Retry(
            interval=ajustes.intervalo_transitorio_segundos,
            attempts=tentativas,
            max_delay=ajustes.atraso_maximo_segundos,
            jitter=True,
        ),
        platform=Retry(
            interval=ajustes.intervalo_plataforma_segundos,
            attempts=tentativas,
            max_delay=ajustes.atraso_maximo_segundos,
        ),
    )


def _fim(nome: str, status: Status) -> StatusRecord:
    """A saga that ended without the order: the reason stays, the card token goes."""
    return StatusRecord(
        name=nome,
        status=status.value,
        allowed_from=_de(status),
        assign={**_motivo(), "atualizadoEm": _AGORA, **_VERIFICAR},
        remove=("cartaoToken", "pendenteDesde"),
    )


def _intervencao(ajustes: AjustesDaSaga) -> HumanStep:
    """A compensation, or a record, that could not finish: a person decides."""
    registro = _resolvido("RegistrarResolvidoManualmente")
    # What stays open must be in the row, not in the history alone: the reconciler respects it (design §4).
    com_pendencias = _resolvido("RegistrarResolvidoComPendencias", **{_PENDENCIAS: JsonText("intervencao.pendencias")})
    requer = Status.REQUER_INTERVENCAO_HUMANA
    return HumanStep(
        wait="CompensacaoFalhouParaFilaHumana",
        decide="DecidirIntervencao",
        queue=_FILA_HUMANA,
        message={
            "pedidoId": Input("pedidoId"),
            "execucao": Context("Execution.Id"),
            "erroOriginal": Input("erro"),
            "erroDaCompensacao": Input("erroCompensacao"),
        },
        deadline=ajustes.prazo_humano_segundos,
        answers=(
            Answer(
                REPROCESSAR,
                then=None,
                required=_RESPONSAVEL,
                record=StatusRecord(
                    name="RegistrarReprocessamento",
                    status=requer.value,
                    allowed_from=_de(requer),
                    assign=_decisao(),
                    remove=("cartaoToken",),
                ),
            ),
            Answer(
                ENCERRAR,
                then=com_pendencias.name,
                required=_RESPONSAVEL,
                given=("pendencias",),
                record=com_pendencias,
            ),
            Answer(ENCERRAR, then=registro.name, required=_RESPONSAVEL),
        ),
        decision_field="decisao",
        record=_requer_intervencao(),
        closing=registro,
    )


def _resolvido(nome: str, **tambem: JsonText) -> StatusRecord:
    """A person closed the case."""
    encerrado = Status.RESOLVIDO_MANUALMENTE
    return StatusRecord(
        name=nome,
        status=encerrado.value,
        allowed_from=_de(encerrado),
        assign={**_decisao(), **_VERIFICAR, **tambem},
        remove=("cartaoToken", "pendenteDesde"),
    )


def _decisao() -> dict[str, Value]:
    """Who decided what, why, when and from where: the whole answer is in ``resolucao``."""
    return {
        "responsavel": Input("intervencao.responsavel"),
        "justificativa": Input("intervencao.justificativa"),
        "resolucao": JsonText("intervencao"),
        "decididoEm": _AGORA,
        "atualizadoEm": _AGORA,
    }


def _requer_intervencao() -> StatusRecord:
    status = Status.REQUER_INTERVENCAO_HUMANA
    return StatusRecord(
        name="RegistrarRequerIntervencaoHumana",
        status=status.value,
        allowed_from=_de(status),
        assign={**_motivo(), "atualizadoEm": _AGORA},
        # Once: a case asked again, or failed again after a person resumed it, has been open since the first time.
        assign_once={"caso": {"origem": Constant("saga"), "abertoEm": _AGORA}},
        remove=("cartaoToken",),
    )


def _pendencia(ajustes: AjustesDaSaga) -> HumanStep:
    """The reservation of a confirmed order that could not be settled: the order stays CONFIRMADO throughout."""
    encerrada = StatusRecord(
        name="PendenciaEncerrada",
        status=Status.CONFIRMADO.value,
        allowed_from=(Status.CONFIRMADO.value,),
        assign=_decisao(),
        # A person settled the reservation, or answers for it: nobody looks for the order any more.
        remove=("pendenteDesde",),
    )
    return HumanStep(
        wait="PendenciaParaFilaHumana",
        decide="DecidirPendencia",
        queue=_FILA_HUMANA,
        message={
            "pedidoId": Input("pedidoId"),
            "execucao": Context("Execution.Id"),
            "erro": Input("erro"),
        },
        deadline=ajustes.prazo_humano_segundos,
        answers=(
            Answer(
                REPROCESSAR,
                then=None,
                required=_RESPONSAVEL,
                record=replace(encerrada, name="RegistrarPendenciaReprocessada", remove=()),
            ),
            Answer(ENCERRAR, then=encerrada.name, required=_RESPONSAVEL),
        ),
        decision_field="decisao",
        record=None,
        closing=encerrada,
    )


def _motivo() -> dict[str, Input | JsonText]:
    # Error is always a text; Cause may be JSON, text or absent, so it is only ever written whole.
    return {"motivo": Input("erro.Error"), "detalhe": JsonText("erro")}


def _escrita(status: Status) -> StatusWrite:
    return StatusWrite(status.value, _de(status))


def _de(status: Status) -> tuple[str, ...]:
    return tuple(source.value for source in allowed_from(status))
