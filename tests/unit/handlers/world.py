"""The world around the steps: both tables, a scripted payment gateway and a clock, all of it state to copy and compare.

A test reaches it through a `Mundo`. Every effect the code under test has, on a table or at the gateway, passes
through an `Outside`, so that a test may kill the process there, lose the answer, or let somebody else run.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from handlers.cobrar_pagamento import cobrar
from handlers.confirmar_pedido import confirmar
from handlers.domain.clock import iso
from handlers.domain.errors import ConflitoTransitorioError, ErroInesperado, GatewayIndisponivelError
from handlers.domain.gateway import (
    CobrancaAprovada,
    CobrancaNoGateway,
    CobrancaRecusada,
    EstornoConcluido,
    EstornoPendente,
    SituacaoDaCobranca,
    SituacaoDoEstorno,
)
from handlers.domain.ledger import LivroDePagamentos
from handlers.domain.orders import Pedido, Pedidos
from handlers.domain.status import allowed_from
from handlers.domain.stock import Estoque
from handlers.efetivar_reserva import efetivar
from handlers.estornar_pagamento import estornar
from handlers.liberar_estoque import liberar
from handlers.reservar_estoque import reservar
from tests.support.dynamo import FakeDynamo, Tables, direct
from tests.support.expressions import copied

if TYPE_CHECKING:
    from collections.abc import Mapping

    from handlers.domain.clock import Clock
    from handlers.domain.status import Status
    from tests.support.dynamo import Item, Outside

AGORA = 1_785_000_000
PEDIDO = "p-1"
SKU = "sku-abc"
TOKEN = "tok-segredo-4242"
VALOR = 14_000
QUANTIDADE = 2
SALDO = 10
JANELA = 900.0
HORA = 3600

CHAVES = {"pedidos": "pedidoId", "estoque": "sku"}


@dataclass
class Cobrado:
    """One charge at the gateway."""

    pedido_id: str
    transacao_id: str
    valor_centavos: int
    situacao: SituacaoDaCobranca


@dataclass
class Devolvido:
    """One refund at the gateway."""

    transacao_id: str
    estorno_id: str
    valor_centavos: int
    situacao: SituacaoDoEstorno


@dataclass
class Terminal:
    """The gateway's state. ``cobrar``/``estornar`` script each attempt; the last word goes on for ever.

    Charge: ``aprova`` ``recusa`` ``cai`` (nothing done) ``cobra-e-cai`` ``tardia`` (nothing yet: lands with `pousar`)
    ``em-andamento`` (the same, and the look-up shows it). Refund: ``devolve`` ``cai`` ``devolve-e-cai`` ``pendente``.
    """

    cobrar: list[str] = field(default_factory=lambda: ["aprova"])
    estornar: list[str] = field(default_factory=lambda: ["devolve"])
    cobrados: list[Cobrado] = field(default_factory=list[Cobrado])
    devolvidos: list[Devolvido] = field(default_factory=list[Devolvido])
    no_ar: list[Cobrado] = field(default_factory=list[Cobrado])
    primeira_cobranca_em: float | None = None
    primeiro_estorno_em: float | None = None
    pedidos_de_cobranca: int = 0
    pedidos_de_estorno: int = 0

    def copia(self) -> Terminal:
        """Another gateway, the same so far."""
        return replace(
            self,
            cobrados=[replace(c) for c in self.cobrados],
            devolvidos=[replace(d) for d in self.devolvidos],
            no_ar=[replace(c) for c in self.no_ar],
        )

    def pousar(self) -> None:
        """What was in flight is charged now."""
        for cobrado in self.no_ar:
            cobrado.situacao = SituacaoDaCobranca.APROVADA
            self.cobrados.append(cobrado)
        self.no_ar.clear()

    @property
    def aprovadas(self) -> list[Cobrado]:
        return [c for c in self.cobrados if c.situacao is SituacaoDaCobranca.APROVADA]

    @property
    def liquido(self) -> int:
        """Centavos taken and not given back."""
        devolvido = sum(d.valor_centavos for d in self.devolvidos if d.situacao is SituacaoDoEstorno.CONCLUIDO)
        return sum(c.valor_centavos for c in self.aprovadas) - devolvido


@dataclass
class Estado:
    """All there is in the world."""

    tabelas: Tables
    terminal: Terminal
    agora: float = AGORA

    def copia(self) -> Estado:
        """Another world, the same so far."""
        tabelas = {
            tabela: {chave: copied(item) for chave, item in itens.items()} for tabela, itens in self.tabelas.items()
        }
        return Estado(tabelas, self.terminal.copia(), self.agora)


class GatewayFalso:
    """A `GatewayDePagamento` on a `Terminal`: keys are honoured for 24 h and then forgotten, as in real life."""

    def __init__(self, estado: Estado, outside: Outside) -> None:
        self._estado = estado
        self._outside = outside

    def cobrar(self, pedido_id: str, *, cartao_token: str, valor_centavos: int) -> CobrancaAprovada | CobrancaRecusada:
        assert cartao_token == TOKEN
        return self._outside("gateway.cobrar", lambda: self._cobrar(pedido_id, valor_centavos))

    def estornar(self, pedido_id: str, *, transacao_id: str, valor_centavos: int) -> EstornoConcluido | EstornoPendente:
        return self._outside("gateway.estornar", lambda: self._estornar(pedido_id, transacao_id, valor_centavos))

    def consultar(self, pedido_id: str) -> CobrancaNoGateway | None:
        return self._outside("gateway.consultar", lambda: self._consultar(pedido_id))

    def _cobrar(self, pedido_id: str, valor_centavos: int) -> CobrancaAprovada | CobrancaRecusada:
        terminal = self._estado.terminal
        palavra = terminal.cobrar[min(terminal.pedidos_de_cobranca, len(terminal.cobrar) - 1)]
        terminal.pedidos_de_cobranca += 1
        if palavra == "cai":
            raise GatewayIndisponivelError(pedido_id, operacao="cobranca", detalhe="HTTP 503")
        if terminal.no_ar:
            raise ConflitoTransitorioError(pedido_id, "cobrança em andamento")
        conhecida = self._pela_chave()
        if conhecida is None:
            conhecida = self._nova_cobranca(pedido_id, valor_centavos, palavra)
        assert conhecida.valor_centavos == valor_centavos, "same key, other body"
        if conhecida.situacao is SituacaoDaCobranca.RECUSADA:
            return CobrancaRecusada()
        if palavra == "cobra-e-cai":
            raise GatewayIndisponivelError(pedido_id, operacao="cobranca", detalhe="sem resposta (ReadTimeoutError)")
        return CobrancaAprovada(conhecida.transacao_id)

    def _pela_chave(self) -> Cobrado | None:
        terminal = self._estado.terminal
        inicio = terminal.primeira_cobranca_em
        if inicio is None or self._estado.agora - inicio > 24 * HORA:
            return None
        return terminal.cobrados[-1] if terminal.cobrados else None

    def _nova_cobranca(self, pedido_id: str, valor_centavos: int, palavra: str) -> Cobrado:
        terminal = self._estado.terminal
        terminal.primeira_cobranca_em = self._estado.agora
        recusa = palavra == "recusa"
        situacao = SituacaoDaCobranca.RECUSADA if recusa else SituacaoDaCobranca.APROVADA
        nova = Cobrado(pedido_id, f"tx-{len(terminal.cobrados) + 1}", valor_centavos, situacao)
        if palavra in ("tardia", "em-andamento"):
            nova.situacao = SituacaoDaCobranca.EM_ANDAMENTO
            terminal.no_ar.append(nova)
            raise GatewayIndisponivelError(pedido_id, operacao="cobranca", detalhe="sem resposta (ReadTimeoutError)")
        terminal.cobrados.append(nova)
        return nova

    def _estornar(self, pedido_id: str, transacao_id: str, valor_centavos: int) -> EstornoConcluido | EstornoPendente:
        terminal = self._estado.terminal
        palavra = terminal.estornar[min(terminal.pedidos_de_estorno, len(terminal.estornar) - 1)]
        terminal.pedidos_de_estorno += 1
        if palavra == "cai":
            raise GatewayIndisponivelError(pedido_id, operacao="estorno", detalhe="HTTP 503")
        if not any(c.transacao_id == transacao_id for c in terminal.aprovadas):
            raise ErroInesperado(pedido_id, "transacao_inexistente")
        feito = self._estorno_pela_chave()
        if feito is None:
            terminal.primeiro_estorno_em = self._estado.agora
            situacao = SituacaoDoEstorno.PENDENTE if palavra == "pendente" else SituacaoDoEstorno.CONCLUIDO
            feito = Devolvido(transacao_id, f"es-{len(terminal.devolvidos) + 1}", valor_centavos, situacao)
            terminal.devolvidos.append(feito)
        assert feito.valor_centavos == valor_centavos, "same key, other body"
        if palavra == "devolve-e-cai":
            raise GatewayIndisponivelError(pedido_id, operacao="estorno", detalhe="sem resposta (ReadTimeoutError)")
        if feito.situacao is SituacaoDoEstorno.PENDENTE:
            return EstornoPendente(feito.estorno_id)
        return EstornoConcluido(feito.estorno_id)

    def _estorno_pela_chave(self) -> Devolvido | None:
        terminal = self._estado.terminal
        inicio = terminal.primeiro_estorno_em
        if inicio is None or self._estado.agora - inicio > 24 * HORA:
            return None
        return terminal.devolvidos[-1]

    def _consultar(self, pedido_id: str) -> CobrancaNoGateway | None:
        terminal = self._estado.terminal
        visiveis = [c for c in terminal.cobrados if c.pedido_id == pedido_id]
        if terminal.no_ar and "em-andamento" in terminal.cobrar:
            visiveis += terminal.no_ar
        if len(visiveis) > 1:
            raise ErroInesperado(pedido_id, "várias cobranças")
        if not visiveis:
            return None
        (cobrado,) = visiveis
        devolvido = next((d for d in terminal.devolvidos if d.transacao_id == cobrado.transacao_id), None)
        aprovada = cobrado.situacao is SituacaoDaCobranca.APROVADA
        concluido = devolvido is not None and devolvido.situacao is SituacaoDoEstorno.CONCLUIDO
        return CobrancaNoGateway(
            situacao=cobrado.situacao,
            valor_centavos=cobrado.valor_centavos,
            transacao_id=cobrado.transacao_id if aprovada else None,
            valor_estornado_centavos=devolvido.valor_centavos if devolvido is not None and concluido else 0,
            estorno_id=devolvido.estorno_id if devolvido is not None else None,
            situacao_do_estorno=devolvido.situacao if devolvido is not None else None,
        )


class Mundo:
    """One process in the world: the six steps, wired to its state through one `Outside`."""

    def __init__(self, estado: Estado | None = None, *, outside: Outside = direct, agora: Clock | None = None) -> None:
        self.estado = estado if estado is not None else novo_estado()
        self.dynamo = FakeDynamo(CHAVES, self.estado.tabelas, outside)
        self.agora: Clock = agora if agora is not None else lambda: self.estado.agora
        self.pedidos = Pedidos(self.dynamo.client, "pedidos", agora=self.agora)
        self.livro = LivroDePagamentos(self.dynamo.client, "pedidos", agora=self.agora)
        self.estoque = Estoque(self.dynamo.client, "estoque")
        self.gateway = GatewayFalso(self.estado, outside)

    def reservar(self) -> Mapping[str, object]:
        return reservar(PEDIDO, sku=SKU, quantidade=QUANTIDADE, estoque=self.estoque)

    def cobrar(self) -> Mapping[str, object]:
        return cobrar(PEDIDO, livro=self.livro, gateway=self.gateway, agora=self.agora)

    def confirmar(self) -> Mapping[str, object]:
        return confirmar(PEDIDO, pedidos=self.pedidos)

    def efetivar(self) -> Mapping[str, object]:
        return efetivar(PEDIDO, sku=SKU, pedidos=self.pedidos, estoque=self.estoque)

    def estornar(self) -> Mapping[str, object]:
        return estornar(
            PEDIDO,
            pedidos=self.pedidos,
            livro=self.livro,
            gateway=self.gateway,
            agora=self.agora,
            janela_segundos=JANELA,
        )

    def liberar(self, *, reserva_respondida: bool = True) -> Mapping[str, object]:
        return liberar(PEDIDO, sku=SKU, reserva_respondida=reserva_respondida, estoque=self.estoque, agora=self.agora)

    def registrar(self, status: Status) -> None:
        """The status write of a Registrar* state: the machine's own updateItem, from the same table of transitions."""
        if self.status in allowed_from(status):
            self.linha["status"] = {"S": status.value}
            self.linha.pop("cartaoToken", None)

    @property
    def linha(self) -> Item:
        """The order's row."""
        return self.estado.tabelas["pedidos"][PEDIDO]

    @property
    def status(self) -> str:
        return self.linha["status"]["S"]

    @property
    def cobranca(self) -> Item:
        return self.linha["cobranca"]["M"]

    @property
    def item(self) -> Item:
        """The SKU's item."""
        return self.estado.tabelas["estoque"][SKU]

    @property
    def saldo(self) -> int:
        return int(self.item["saldo"]["N"])

    @property
    def entradas(self) -> dict[str, int]:
        """The SKU's entries, tombstones included."""
        return {pedido: int(entry["N"]) for pedido, entry in self.item.get("reservas", {}).get("M", {}).items()}

    @property
    def reservado(self) -> int:
        return sum(entry for entry in self.entradas.values() if entry > 0)

    def passar(self, segundos: float) -> None:
        self.estado.agora += segundos


def novo_estado(terminal: Terminal | None = None) -> Estado:
    """One order RECEBIDO, as `Pedidos.criar` writes it, and one SKU without reservations."""
    estado = Estado(
        tabelas={"pedidos": {}, "estoque": {SKU: {"sku": {"S": SKU}, "saldo": {"N": str(SALDO)}}}},
        terminal=terminal if terminal is not None else Terminal(),
    )
    pedido = Pedido(PEDIDO, SKU, QUANTIDADE, VALOR, iso(AGORA))
    assert Mundo(estado).pedidos.criar(pedido, TOKEN)
    return estado


def mundo(linha: Item | None = None, *, terminal: Terminal | None = None, status: Status | None = None) -> Mundo:
    """A world whose order has that ``status`` and the attributes of ``linha`` besides."""
    criado = Mundo(novo_estado(terminal))
    if status is not None:
        criado.linha["status"] = {"S": status.value}
    criado.linha.update(copied(linha or {}))
    return criado
