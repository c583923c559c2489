"""Mistakes made on purpose, each a real one somebody shipped: the crash points must find every one of them."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

import handlers.cobrar_pagamento
import handlers.domain.gateway_http
import handlers.liberar_estoque
import handlers.reservar_estoque
from handlers.domain import wiring
from handlers.domain.aws import dynamodb
from handlers.domain.errors import GatewayIndisponivelError
from handlers.domain.gateway import EstornoConcluido
from handlers.domain.gateway_http import GatewayHttp
from handlers.domain.orders import Pedidos
from handlers.domain.reconciliation_rows import Linhas
from handlers.domain.stock import Estoque
from handlers.domain.table import n

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

__all__ = ["BUGS", "Bug"]


@dataclass(frozen=True)
class Bug:
    """A mistake.

    Attributes:
        name: what is wrong.
        scenario: name of a scenario in which dying, or losing a call, somewhere makes it show.
        made: makes it, for a block.
    """

    name: str
    scenario: str
    made: Callable[[], AbstractContextManager[Any]]


def _charges_first() -> AbstractContextManager[Any]:
    def answer(pedido_id: str, pedido: Any, livro: Any, gateway: Any, _agora: object) -> Any:
        charged = gateway.cobrar(pedido_id, cartao_token=pedido.cartao_token, valor_centavos=pedido.valor_centavos)
        livro.iniciar_cobranca(pedido_id, valor_centavos=pedido.valor_centavos)
        return charged

    return patch.object(handlers.cobrar_pagamento, "_obter_resposta", answer)


def _another_key_each_time() -> AbstractContextManager[Any]:
    numbers = itertools.count()

    def key(pedido_id: str) -> str:
        return f"cesta-cobranca-{pedido_id}-{next(numbers)}"

    return patch.object(handlers.domain.gateway_http, "chave_da_cobranca", key)


def _silence_is_refunded() -> AbstractContextManager[Any]:
    real = GatewayHttp.estornar

    def refund(self: GatewayHttp, pedido_id: str, **more: Any) -> Any:
        try:
            return real(self, pedido_id, **more)
        except GatewayIndisponivelError:
            return EstornoConcluido("est-?")

    return patch.object(GatewayHttp, "estornar", refund)


def _refunds_a_confirmed_order() -> AbstractContextManager[Any]:
    def claim(self: Any, pedido_id: str) -> bool:
        return self._table.update(
            pedido_id,
            update="SET #status = :novo REMOVE #cartaoToken",
            condition="attribute_exists(#status)",
            values={":novo": {"S": "COMPENSANDO"}},
        )

    return patch.object(Pedidos, "marcar_compensando", claim)


def _no_tombstone() -> AbstractContextManager[Any]:
    def release(pedido_id: str, *, sku: str, estoque: Estoque, **_: object) -> dict[str, int]:
        return {"liberada": estoque.liberar(pedido_id, sku, lapide=None)}

    return patch.object(handlers.liberar_estoque, "liberar", release)


def _reserves_each_time() -> AbstractContextManager[Any]:
    def reserve(self: Any, pedido_id: str, sku: str, quantidade: int) -> None:
        self._move(
            pedido_id,
            sku,
            update="SET #saldo = #saldo - :q, #reservas.#p = :q",
            condition="attribute_exists(#reservas) AND #saldo >= :q",
            values={":q": n(quantidade)},
        )

    return patch.object(Estoque, "reservar", reserve)


def _releases_each_time() -> AbstractContextManager[Any]:
    def release(self: Any, pedido_id: str, sku: str, *, lapide: int | None) -> int:
        self._move(
            pedido_id,
            sku,
            update="SET #saldo = #saldo + :q REMOVE #reservas.#p",
            condition="attribute_exists(#saldo)",
            values={":q": n(2)},
        )
        return 2

    return patch.object(Estoque, "liberar", release)


def _rings_before_it_sends() -> AbstractContextManager[Any]:
    real = Linhas.reivindicar

    def claim(self: Linhas, linha: Any, *, chave: str, motivo: Any) -> int | None:
        em = real(self, linha, chave=chave, motivo=motivo)
        if em is not None:
            self.marcar_avisado(linha.pedido_id, chave=chave, reivindicado_em=em)
        return em

    return patch.object(Linhas, "reivindicar", claim)


def _tries_at_once() -> AbstractContextManager[Any]:
    def reserve(pedido_id: str, *, sku: str, quantidade: int, estoque: Estoque) -> dict[str, object]:
        estoque.reservar(pedido_id, sku, quantidade)
        return {"sku": sku, "quantidade": quantidade}

    return patch.object(handlers.reservar_estoque, "reservar", reserve)


def _sdk_repeats() -> AbstractContextManager[Any]:
    return patch.object(wiring, "dynamodb_once", dynamodb)


BUGS: Final = (
    Bug("cobra antes de anotar que vai cobrar", "caminho feliz", _charges_first),
    Bug("cobra com outra chave a cada tentativa", "caminho feliz", _another_key_each_time),
    Bug("toma o silêncio do gateway por estorno feito", "cobrança ambígua", _silence_is_refunded),
    Bug("estorna um pedido confirmado", "caminho feliz", _refunds_a_confirmed_order),
    Bug("libera sem deixar lápide", "reserva ambígua", _no_tombstone),
    Bug("reserva de novo a cada tentativa", "caminho feliz", _reserves_each_time),
    Bug("devolve ao saldo a cada tentativa", "recusada", _releases_each_time),
    Bug("anota que avisou antes de avisar", "parada em CobrarPagamento, retida", _rings_before_it_sends),
    Bug("repete logo uma reserva que ficou sem resposta", "caminho feliz", _tries_at_once),
    Bug("deixa o SDK repetir uma reserva", "caminho feliz", _sdk_repeats),
)
