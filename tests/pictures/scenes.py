"""One real order for each end and each stop: how to make it on the embedded stack, and how to read what it shows."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from handlers.domain.status import Etapa, Status
from infra.local.proofs.people import attempts_of_a_round
from infra.ops.intervention import Decision, Pending, load
from infra.ops.intervention_act import Answer, answer, wait_for_result
from infra.ops.order_view import look

if TYPE_CHECKING:
    from collections.abc import Callable, Generator

    from mypy_boto3_lambda import LambdaClient

    from infra.local.proofs.workbench import Workbench
    from infra.ops.order_view import OrderView

__all__ = ["SCENES", "Scene"]

_HUMAN: Final = "CompensacaoFalhouParaFilaHumana"
_UNCONFIRMED: Final = {Etapa.CONFIRMAR_PEDIDO.value: "antes"}
_SECONDS: Final = 120


@dataclass(frozen=True)
class Scene:
    """An order worth showing.

    Attributes:
        name: of the order, and of its picture.
        title: what a customer's question finds.
        reading: how to read it: where it stopped, the money, what to do. Portuguese, Markdown.
        make: puts such an order through the stack and looks at it.
        pictured: whether the document shows its page, not its text alone.
    """

    name: str
    title: str
    reading: str
    make: Callable[[Workbench, str], OrderView]
    pictured: bool = False


def _post(
    bench: Workbench, pedido_id: str, *, cartao: str = "tok-ok", sku: str = "sku-cafe-500g", **extra: Any
) -> None:
    bench.post({**bench.order("", sku, cartao=cartao, **extra), "pedidoId": pedido_id, "quantidade": 2})


def _ended(**order: Any) -> Callable[[Workbench, str], OrderView]:
    def make(bench: Workbench, pedido_id: str) -> OrderView:
        _post(bench, pedido_id, **order)
        bench.end(pedido_id)
        return look(bench.target, pedido_id)

    return make


def _waiting(state: str, **order: Any) -> Callable[[Workbench, str], OrderView]:
    def make(bench: Workbench, pedido_id: str) -> OrderView:
        _post(bench, pedido_id, **order)
        bench.waiting_in(pedido_id, state)
        return look(bench.target, pedido_id)

    return make


def _undoing(bench: Workbench, pedido_id: str) -> OrderView:
    _post(bench, pedido_id, cartao="tok-estorno-indisponivel", falhas=_UNCONFIRMED)

    def undoing() -> OrderView | None:
        view = look(bench.target, pedido_id)
        return view if view["status"] == Status.COMPENSANDO and view["erro"] is not None else None

    return bench.wait(f"{pedido_id} COMPENSANDO", undoing, lambda: look(bench.target, pedido_id)["status"])


def _not_begun(bench: Workbench, pedido_id: str) -> OrderView:
    with _starter_paused(bench):
        _post(bench, pedido_id)
        return look(bench.target, pedido_id)


@contextmanager
def _starter_paused(bench: Workbench) -> Generator[None]:
    """The entry queue's mapping off: orders are accepted, and nobody starts them."""
    functions: LambdaClient = bench.target.clients.client("lambda")
    (mapping,) = functions.list_event_source_mappings()["EventSourceMappings"]
    uuid = mapping.get("UUID", "")
    functions.update_event_source_mapping(UUID=uuid, Enabled=False)
    try:
        yield
    finally:
        functions.update_event_source_mapping(UUID=uuid, Enabled=True)


def _decided(bench: Workbench, pedido_id: str, decision: Decision, *pendencias: Pending) -> OrderView:
    why = "gateway no ar de novo" if decision is Decision.REPROCESSAR else "cliente atendido por fora, chamado 812"
    given = Answer(decision, "ana", why, "plantão", pendencias)
    bench.human_case(pedido_id)
    wait_for_result(bench.target, answer(bench.target, load(bench.target, pedido_id), given), seconds=_SECONDS)
    return look(bench.target, pedido_id)


def _reprocessed(bench: Workbench, pedido_id: str) -> OrderView:
    card = f"tok-estorno-lento-{attempts_of_a_round(bench)}"
    _waiting(_HUMAN, cartao=card, falhas=_UNCONFIRMED)(bench, pedido_id)
    return _decided(bench, pedido_id, Decision.REPROCESSAR)


def _closed(bench: Workbench, pedido_id: str) -> OrderView:
    _waiting(_HUMAN, cartao="tok-estorno-indisponivel", falhas=_UNCONFIRMED)(bench, pedido_id)
    return _decided(bench, pedido_id, Decision.ENCERRAR, Pending.COBRANCA, Pending.ESTOQUE)


def _dead(bench: Workbench, pedido_id: str) -> OrderView:
    _waiting(Etapa.COBRAR_PAGAMENTO.value, cartao="tok-timeout-cobrado")(bench, pedido_id)
    bench.wait("a cobrança feita", lambda: bench.facts.charges(pedido_id) or None, lambda: "nenhuma cobrança")
    bench.target.sfn.stop_execution(executionArn=bench.target.execution_arn(pedido_id))
    bench.human_case(pedido_id)
    return look(bench.target, pedido_id)


def _resumed(bench: Workbench, pedido_id: str) -> OrderView:
    _dead(bench, pedido_id)
    return _decided(bench, pedido_id, Decision.REPROCESSAR)


def _forgotten(bench: Workbench, pedido_id: str) -> OrderView:
    """As in 90 days: the order is looked for among machines that never ran it."""
    _closed(bench, pedido_id)
    elsewhere = {name: f"{arn}-de-outrora" for name, arn in bench.target.maquinas.items()}
    return look(replace(bench.target, maquinas=elsewhere), pedido_id)


SCENES: Final = (
    Scene(
        "p-confirmado",
        "CONFIRMADO: deu certo",
        "Passou por todas as etapas, o cliente pagou e o estoque saiu. **Nada a fazer.** Um pedido confirmado "
        "nunca é estornado pela saga: devolução de pedido confirmado é assunto do pós-venda.",
        _ended(),
        pictured=True,
    ),
    Scene(
        "p-sem-estoque",
        "FALHOU_SEM_RESERVA: não havia o produto",
        "Parou na primeira etapa, antes de qualquer efeito: nada foi reservado e **nada foi cobrado**. O "
        "cliente pode pedir de novo, com outro `pedidoId`, quando houver estoque.",
        _ended(sku="sku-zerado"),
    ),
    Scene(
        "p-cartao-recusado",
        "FALHOU_COMPENSADO: o cartão foi recusado",
        "Parou na cobrança: o cartão foi recusado, **nada foi cobrado**, e o que estava reservado voltou ao "
        "estoque. O cliente precisa de outro cartão, em outro pedido.",
        _ended(cartao="tok-forcar-recusa"),
        pictured=True,
    ),
    Scene(
        "p-estornado",
        "FALHOU_COMPENSADO: foi cobrado e devolvido",
        "A confirmação falhou depois da cobrança, e a saga desfez tudo: **o dinheiro foi devolvido por "
        "inteiro**. O prazo até aparecer na fatura é do emissor do cartão. Nada a fazer.",
        _ended(falhas=_UNCONFIRMED),
    ),
    Scene(
        "p-em-duvida",
        "FALHOU_COMPENSADO: a cobrança ficou em dúvida",
        "O gateway não respondeu e, passada a janela de dúvida, não conhecia cobrança nenhuma. **Provavelmente "
        "nada foi cobrado**, e é isso, nem mais nem menos, que se diz ao cliente. O conciliador procura a "
        "cobrança de novo em 1 h e em 24 h; se ela aparecer, o plantão é chamado.",
        _ended(cartao="tok-indisponivel"),
    ),
    Scene(
        "p-recebido",
        "RECEBIDO: a saga ainda não começou",
        "O pedido está guardado e a mensagem espera na fila. **Nada foi cobrado.** Se demorar mais de 2 "
        "minutos, o conciliador envia a mensagem de novo; o cliente pode repetir o mesmo POST sem risco.",
        _not_begun,
    ),
    Scene(
        "p-em-andamento",
        "RECEBIDO: em andamento",
        "A saga está na etapa escrita em “Onde parou”. **Se a etapa é a cobrança, o dinheiro pode ou não ter "
        "saído**: espere e consulte de novo em alguns minutos; nada de pedir que o cliente pague outra vez.",
        _waiting(Etapa.COBRAR_PAGAMENTO.value, cartao="tok-timeout-cobrado"),
    ),
    Scene(
        "p-desfazendo",
        "COMPENSANDO: sendo desfeito",
        "O pedido não vai acontecer, e a saga está devolvendo o que pegou. **O dinheiro, se saiu, voltará**, ou uma "
        "pessoa será chamada; a linha “Dinheiro” diz o que já se sabe. Consulte de novo em alguns minutos.",
        _undoing,
    ),
    Scene(
        "p-espera-uma-pessoa",
        "REQUER_INTERVENCAO_HUMANA: a saga não conseguiu desfazer",
        "Nenhuma tentativa de devolução foi confirmada: **o dinheiro saiu, e não se sabe se voltou**; o estoque está "
        "preso até o plantão decidir. A linha “Espera” diz há quanto tempo. O suporte encaminha; o plantão usa o "
        "comando do próximo passo (com `--simular` ele só mostra o que seria feito).",
        _waiting(_HUMAN, cartao="tok-estorno-indisponivel", falhas=_UNCONFIRMED),
        pictured=True,
    ),
    Scene(
        "p-execucao-morta",
        "REQUER_INTERVENCAO_HUMANA: a execução morreu",
        "Alguém (ou a AWS) interrompeu a execução no meio da cobrança; o conciliador percebeu e chamou uma "
        "pessoa. **Não se sabe se houve cobrança**: reprocessar procura no gateway e devolve o que houver.",
        _dead,
    ),
    Scene(
        "p-reserva-por-efetivar",
        "CONFIRMADO, com a reserva por efetivar",
        "O cliente pagou e o pedido está confirmado: **para ele, está tudo certo**. Falta baixar a reserva no "
        "estoque, e o plantão decide.",
        _waiting("PendenciaParaFilaHumana", falhas={Etapa.EFETIVAR_RESERVA.value: "antes"}),
    ),
    Scene(
        "p-reprocessado",
        "FALHOU_COMPENSADO, depois de uma pessoa reprocessar",
        "A linha do tempo mostra a decisão, com nome e justificativa, e o que a saga fez depois dela. **O "
        "dinheiro foi devolvido.** Nada a fazer.",
        _reprocessed,
    ),
    Scene(
        "p-retomado",
        "FALHOU_COMPENSADO, depois de a execução morrer e uma pessoa retomar",
        "São duas execuções, em ordem: a que morreu e a que a retomou (`-c1`), que desfaz e encerra mas nunca "
        "cobra. **O dinheiro foi devolvido.**",
        _resumed,
        pictured=True,
    ),
    Scene(
        "p-encerrado",
        "RESOLVIDO_MANUALMENTE: uma pessoa encerrou",
        "Ninguém desfez nada pela saga: quem encerrou escreveu por quê e o que ficou em aberto de propósito. "
        "**O dinheiro está como a linha “Dinheiro” diz**; acertá-lo cabe a quem encerrou.",
        _closed,
    ),
    Scene(
        "p-antigo",
        "Um pedido com mais de 90 dias",
        "A AWS apaga o histórico da execução em 90 dias; o registro do pedido fica. O status, o dinheiro, o "
        "estoque e a última decisão continuam certos; o passo a passo já não existe.",
        _forgotten,
    ),
)
"""In the order of the document."""
