"""Two hundred orders broken in every way, and runs that die at any effect."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from handlers.domain.gateway import SituacaoDaCobranca
from handlers.domain.status import Status
from tests.unit.handlers.conciliacao import (
    AGORA,
    DIA,
    HORA,
    MORTES,
    REQUER,
    RETOMADA,
    Contador,
    Mundo,
    caso,
    cobranca,
    direto,
    estorno,
    no_gateway,
)

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.unit


@pytest.fixture
def mundo() -> Mundo:
    return Mundo()


def quebrados(mundo: Mundo, quantos: int) -> set[str]:
    """That many broken orders, in turn of each kind design §8 lists; the ids that a person must be called for."""
    ids: set[str] = set()
    for i in range(quantos):
        pedido_id = f"q-{i}"
        ids.add(pedido_id)
        QUEBRAS[i % len(QUEBRAS)](mundo, pedido_id)
    return ids


def nunca_comecou(mundo: Mundo, pedido_id: str) -> None:
    mundo.pedido(pedido_id, idade=DIA + 60)


def cansou_de_reenviar(mundo: Mundo, pedido_id: str) -> None:
    linha = mundo.pedido(pedido_id, idade=23 * HORA)
    linha["reenvio"] = {"M": {"vezes": {"N": "5"}, "em": {"N": str(AGORA - 12 * HORA)}}}


def morreu(status: Status, morte: str) -> Callable[[Mundo, str], None]:
    def quebra(mundo: Mundo, pedido_id: str) -> None:
        mundo.em(pedido_id, status)
        mundo.sfn.por(pedido_id, morte)

    return quebra


def morreu_sem_rastro(mundo: Mundo, pedido_id: str) -> None:
    mundo.em(pedido_id, Status.COMPENSANDO, idade=91 * DIA)


def retomada_morreu(mundo: Mundo, pedido_id: str) -> None:
    mundo.em(pedido_id, Status.COMPENSANDO)
    mundo.sfn.por(pedido_id, "ABORTED")
    mundo.sfn.por(f"{pedido_id}-c1", "FAILED", maquina=RETOMADA)


def confirmado_sem_efetivar(mundo: Mundo, pedido_id: str) -> None:
    mundo.em(pedido_id, Status.CONFIRMADO)
    mundo.reservar(pedido_id)
    mundo.sfn.por(pedido_id, "TIMED_OUT")


def fechado_com_reserva(mundo: Mundo, pedido_id: str) -> None:
    mundo.fechado(pedido_id, Status.FALHOU_COMPENSADO)
    mundo.reservar(pedido_id)


def fechado_com_dinheiro(mundo: Mundo, pedido_id: str) -> None:
    mundo.fechado(pedido_id, Status.FALHOU_COMPENSADO, cobranca=cobranca("APROVADA"), estorno=estorno("PENDENTE"))


def duvida_que_apareceu(mundo: Mundo, pedido_id: str) -> None:
    mundo.fechado(pedido_id, Status.FALHOU_COMPENSADO, cobranca=cobranca("INICIADA", ha=2 * HORA))
    mundo.gateway.conhece[pedido_id] = no_gateway(SituacaoDaCobranca.APROVADA)


def encerrado_sem_dizer(mundo: Mundo, pedido_id: str) -> None:
    mundo.fechado(pedido_id, Status.RESOLVIDO_MANUALMENTE, caso=caso(None))
    mundo.reservar(pedido_id)


def mensagem_velha(mundo: Mundo, pedido_id: str) -> None:
    avisado = {"chave": {"S": pedido_id}, "motivo": {"S": "EXECUCAO_MORTA"}}
    datas = {"reivindicadoEm": {"N": str(AGORA - 13 * DIA)}, "avisadoEm": {"N": str(AGORA - 13 * DIA)}}
    mundo.em(pedido_id, REQUER, idade=14 * DIA, caso={"M": {**caso(None)["M"], **avisado, **datas}})
    mundo.sfn.por(pedido_id, "FAILED")


QUEBRAS: tuple[Callable[[Mundo, str], None], ...] = (
    nunca_comecou,
    cansou_de_reenviar,
    *(morreu(status, morte) for status in (Status.RECEBIDO, Status.COMPENSANDO, REQUER) for morte in MORTES),
    morreu_sem_rastro,
    retomada_morreu,
    confirmado_sem_efetivar,
    fechado_com_reserva,
    fechado_com_dinheiro,
    duvida_que_apareceu,
    encerrado_sem_dizer,
    mensagem_velha,
)


def sadios(mundo: Mundo, quantos: int) -> None:
    for i in range(quantos):
        vivo = f"s-{i}"
        mundo.em(vivo, (Status.RECEBIDO, Status.COMPENSANDO, Status.CONFIRMADO, REQUER)[i % 4], idade=3 * HORA)
        mundo.sfn.por(vivo, "RUNNING")
        novo = f"n-{i}"
        mundo.pedido(novo, idade=30)
        feito = mundo.em(f"f-{i}", Status.CONFIRMADO)
        feito.pop("pendenteDesde")


def test_two_hundred_broken_orders_call_a_person_once_each_and_no_healthy_one_is_touched(mundo: Mundo) -> None:
    sadios(mundo, 60)
    antes = mundo.foto()
    ids = quebrados(mundo, 200)
    assert mundo.rodada()["CasosAbertos"] == 200
    assert sorted(aviso["pedidoId"] for aviso in mundo.avisos()) == sorted(ids)
    depois = mundo.foto()
    assert {chave: depois["pedidos"][chave] for chave in antes["pedidos"]} == antes["pedidos"]
    assert mundo.rodada().keys() == {"PedidosSadios"}
    mundo.agora += 300
    assert mundo.rodada().keys() <= {"PedidosSadios", "PedidosReenviados"}, "only what was too young before"
    assert len(mundo.humana) == 200
    assert mundo.falhas == []


@pytest.mark.parametrize("quebra", QUEBRAS)
def test_every_kind_of_broken_order_survives_a_run_that_dies_at_any_effect(
    quebra: Callable[[Mundo, str], None],
) -> None:
    for n in range(1, 30):
        mundo = Mundo()
        quebra(mundo, "p-1")
        efeitos = Contador(n)
        mundo.outside = efeitos
        with suppress(OSError):
            mundo.rodada()
        mundo.outside = direto
        for _ in range(4):
            mundo.agora += 130
            mundo.rodada()
        assert 1 <= len(mundo.humana) <= 2, f"died at effect {n}"
        if not efeitos.morreu:
            return
    raise AssertionError("more effects than looked at")


def test_the_card_token_is_never_read_and_no_table_is_scanned(mundo: Mundo) -> None:
    quebrados(mundo, 40)
    mundo.rodada()
    assert {name for name, _ in mundo.dynamo.requests} <= {"get_item", "put_item", "query", "update_item"}
    for name, request in mundo.dynamo.requests:
        if name != "put_item" and "ProjectionExpression" in request:
            assert "cartaoToken" not in json.dumps(request)
    assert "tok-segredo" not in json.dumps([mundo.humana, mundo.criados])
