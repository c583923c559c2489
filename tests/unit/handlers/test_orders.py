"""The orders table: what is stored, what is read, and which status writes go through."""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from typing import Any

import pytest

from handlers.domain.clock import iso
from handlers.domain.ledger import EstadoDaCobranca
from handlers.domain.orders import Pedido, PedidoRegistrado, ResumoDoPedido, entrada_canonica, hash_conteudo
from handlers.domain.status import Status, allowed_from
from handlers.domain.table import MalformedItemError
from tests.unit.handlers.world import AGORA, PEDIDO, QUANTIDADE, SKU, TOKEN, VALOR, Mundo, mundo

pytestmark = pytest.mark.unit

CRIADO = "2026-07-25T17:20:00.000Z"
POSTADO = Pedido(PEDIDO, SKU, QUANTIDADE, VALOR, CRIADO)
APROVADA: dict[str, Any] = {"M": {"estado": {"S": "APROVADA"}, "transacaoId": {"S": "tx-1"}}}


def test_the_row_of_a_new_order_is_the_outbox_entry_and_holds_the_token() -> None:
    um = Mundo()
    assert um.linha == {
        "pedidoId": {"S": PEDIDO},
        "sku": {"S": SKU},
        "quantidade": {"N": "2"},
        "valorCentavos": {"N": "14000"},
        "cartaoToken": {"S": TOKEN},
        "hashConteudo": {"S": hash_conteudo(POSTADO, TOKEN)},
        "status": {"S": "RECEBIDO"},
        "criadoEm": {"S": CRIADO},
        "atualizadoEm": {"S": CRIADO},
        "pendenteDesde": {"S": CRIADO},
    }


def test_creating_an_order_again_writes_nothing_and_says_so() -> None:
    um = Mundo()
    antes = repr(um.linha)
    assert um.pedidos.criar(replace(POSTADO, valor_centavos=1), "tok-outro") is False
    assert repr(um.linha) == antes


def test_faults_are_stored_and_read_back() -> None:
    um = Mundo()
    com_falhas = replace(POSTADO, pedido_id="p-2", falhas={"ConfirmarPedido": "antes:1"})
    assert um.pedidos.criar(com_falhas, TOKEN)
    lido = um.pedidos.ler("p-2")
    assert lido is not None
    assert lido.pedido == com_falhas


def test_an_order_is_read_back_without_its_token() -> None:
    um = Mundo()
    lido = um.pedidos.ler(PEDIDO)
    assert lido == PedidoRegistrado(POSTADO, Status.RECEBIDO, hash_conteudo(POSTADO, TOKEN))
    assert TOKEN not in repr(lido)


def test_an_unknown_order_reads_as_none_everywhere() -> None:
    pedidos = Mundo().pedidos
    assert (pedidos.ler("x"), pedidos.ler_resumo("x"), pedidos.ler_status("x")) == (None, None, None)


def test_the_summary_tells_the_stage_of_the_charge_and_the_reason() -> None:
    um = mundo({"cobranca": APROVADA, "motivo": {"S": "ErroInesperado"}}, status=Status.COMPENSANDO)
    assert um.pedidos.ler_resumo(PEDIDO) == ResumoDoPedido(
        pedido_id=PEDIDO,
        status=Status.COMPENSANDO,
        criado_em=CRIADO,
        atualizado_em=CRIADO,
        motivo="ErroInesperado",
        cobranca=EstadoDaCobranca.APROVADA,
    )


def test_only_the_read_for_charging_asks_for_the_token() -> None:
    um = Mundo()
    leituras = {
        "ler": um.pedidos.ler,
        "ler_resumo": um.pedidos.ler_resumo,
        "ler_status": um.pedidos.ler_status,
        "ler_para_estornar": um.livro.ler_para_estornar,
        "ler_para_cobrar": um.livro.ler_para_cobrar,
    }
    pedem = set[str]()
    for nome, ler in leituras.items():
        um.dynamo.requests.clear()
        ler(PEDIDO)
        ((_, pedido),) = um.dynamo.requests
        assert pedido["ConsistentRead"] is True
        if "cartaoToken" in pedido["ExpressionAttributeNames"].values():
            pedem.add(nome)
    assert pedem == {"ler_para_cobrar"}


@pytest.mark.parametrize(
    ("atributo", "valor"),
    [
        ("status", {"S": "INVENTADO"}),
        ("status", {"N": "1"}),
        ("quantidade", {"S": "2"}),
        ("quantidade", {"N": "2.5"}),
        ("falhas", {"S": "antes"}),
        ("sku", {"N": "1"}),
    ],
)
def test_a_malformed_row_is_an_error_that_names_the_attribute_and_not_its_value(
    atributo: str, valor: dict[str, str]
) -> None:
    um = mundo({atributo: valor})
    with pytest.raises(MalformedItemError) as malformed:
        um.pedidos.ler(PEDIDO)
    assert malformed.value.attribute == atributo
    assert str(malformed.value).startswith(f"o atributo {atributo}")
    assert "INVENTADO" not in str(malformed.value)


def test_a_missing_attribute_is_an_error_too() -> None:
    um = Mundo()
    del um.linha["hashConteudo"]
    with pytest.raises(MalformedItemError, match="hashConteudo"):
        um.pedidos.ler(PEDIDO)


@pytest.mark.parametrize("status", list(Status))
def test_confirming_goes_through_only_from_where_the_table_of_transitions_allows(status: Status) -> None:
    um = mundo({"cobranca": APROVADA}, status=status)
    um.passar(60)
    permitido = status in allowed_from(Status.CONFIRMADO)
    assert um.pedidos.confirmar(PEDIDO) is permitido
    assert um.status == (Status.CONFIRMADO if permitido else status)
    assert ("cartaoToken" in um.linha) is not permitido
    assert um.linha["atualizadoEm"]["S"] == iso(AGORA + 60 if permitido else AGORA)
    assert um.linha["pendenteDesde"] == {"S": CRIADO}


@pytest.mark.parametrize("cobranca", [None, {"M": {"estado": {"S": "INICIADA"}}}, {"M": {"estado": {"S": "RECUSADA"}}}])
def test_an_order_whose_charge_is_not_approved_is_never_confirmed(cobranca: dict[str, Any] | None) -> None:
    um = mundo({"cobranca": cobranca} if cobranca is not None else None)
    assert um.pedidos.confirmar(PEDIDO) is False
    assert um.status == Status.RECEBIDO
    assert "cartaoToken" in um.linha


@pytest.mark.parametrize("status", list(Status))
def test_claiming_for_undoing_goes_through_only_from_where_the_table_of_transitions_allows(status: Status) -> None:
    um = mundo(status=status)
    permitido = status in allowed_from(Status.COMPENSANDO)
    assert um.pedidos.marcar_compensando(PEDIDO) is permitido
    assert um.status == (Status.COMPENSANDO if permitido else status)
    assert ("cartaoToken" in um.linha) is not permitido
    assert "pendenteDesde" in um.linha


@pytest.mark.parametrize("status", list(Status))
def test_only_a_confirmed_order_leaves_the_index_of_pending_ones_here(status: Status) -> None:
    um = mundo(status=status)
    assert um.pedidos.encerrar_pendencia(PEDIDO) is (status is Status.CONFIRMADO)
    assert ("pendenteDesde" in um.linha) is (status is not Status.CONFIRMADO)


def test_no_status_write_makes_a_row_out_of_nothing() -> None:
    um = Mundo()
    for escrita in (um.pedidos.confirmar, um.pedidos.marcar_compensando, um.pedidos.encerrar_pendencia):
        assert escrita("fantasma") is False
    assert um.estado.tabelas["pedidos"].keys() == {PEDIDO}


def test_writes_leave_every_other_attribute_as_it_was() -> None:
    """Case C03."""
    um = mundo({"cobranca": APROVADA})
    antes = dict(um.linha)
    um.pedidos.confirmar(PEDIDO)
    mudados = {nome for nome in antes.keys() | um.linha.keys() if antes.get(nome) != um.linha.get(nome)}
    assert mudados == {"status", "cartaoToken"}


def test_the_canonical_input_is_sorted_compact_and_without_the_token() -> None:
    esperado = (
        '{"criadoEm":"2026-07-25T17:20:00.000Z","pedidoId":"p-1","quantidade":2,"sku":"sku-abc","valorCentavos":14000}'
    )
    assert entrada_canonica(POSTADO) == esperado


def test_the_canonical_input_carries_faults_only_when_there_are_any() -> None:
    entrada = json.loads(entrada_canonica(replace(POSTADO, falhas={"b": "depois", "a": "antes"})))
    assert entrada["falhas"] == {"a": "antes", "b": "depois"}


def test_the_content_hash_is_the_documented_one() -> None:
    canonico = f'{{"cartaoToken":"{TOKEN}","quantidade":2,"sku":"sku-abc","valorCentavos":14000}}'
    assert hash_conteudo(POSTADO, TOKEN) == hashlib.sha256(canonico.encode()).hexdigest()


@pytest.mark.parametrize("mudanca", [{"sku": "outro"}, {"quantidade": 3}, {"valor_centavos": 1}])
def test_the_content_hash_changes_with_the_content(mudanca: dict[str, Any]) -> None:
    assert hash_conteudo(replace(POSTADO, **mudanca), TOKEN) != hash_conteudo(POSTADO, TOKEN)


def test_the_content_hash_changes_with_the_token_and_not_with_id_or_time() -> None:
    assert hash_conteudo(POSTADO, "tok-outro") != hash_conteudo(POSTADO, TOKEN)
    assert hash_conteudo(replace(POSTADO, pedido_id="x", criado_em="y"), TOKEN) == hash_conteudo(POSTADO, TOKEN)


def test_times_are_utc_with_milliseconds() -> None:
    assert iso(1_785_000_000.25) == "2026-07-25T17:20:00.250Z"
