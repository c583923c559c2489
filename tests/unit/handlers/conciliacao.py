"""Many orders, broken in every way, and the reconciler over them: tables, executions and queues in memory."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

from botocore.exceptions import ClientError

from handlers.domain.clock import iso
from handlers.domain.gateway import CobrancaNoGateway, SituacaoDaCobranca, SituacaoDoEstorno
from handlers.domain.ledger import LivroDePagamentos
from handlers.domain.orders import Pedido, Pedidos
from handlers.domain.reconciliation import Prazos
from handlers.domain.reconciliation_closed import Conferencia
from handlers.domain.reconciliation_executions import Execucoes, arn_da_execucao
from handlers.domain.reconciliation_round import Conciliador, Resultado
from handlers.domain.reconciliation_rows import INDICES, Linhas
from handlers.domain.status import Status
from handlers.domain.stock import Estoque
from tests.support.dynamo import FakeDynamo, Tables, direct
from tests.support.expressions import copied

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from mypy_boto3_stepfunctions import SFNClient

    from tests.support.dynamo import Item

AGORA = 1_785_000_000
HORA = 3600
DIA = 24 * HORA
SKU = "sku-abc"
VALOR = 14_000
MAQUINA = "arn:aws:states:us-east-1:1:stateMachine:cesta-saga-pedido"
RETOMADA = "arn:aws:states:us-east-1:1:stateMachine:cesta-saga-retomada"
TOKEN = "tok-segredo-4242"
REQUER = Status.REQUER_INTERVENCAO_HUMANA
MORTES = ("FAILED", "TIMED_OUT", "ABORTED")


class ExecucoesFalsas:
    """Step Functions, as far as the reconciler asks."""

    def __init__(self) -> None:
        self.por_arn: dict[str, dict[str, str]] = {}
        self.perguntas: list[str] = []

    @property
    def client(self) -> SFNClient:
        return cast("SFNClient", cast("object", self))

    def por(self, nome: str, status: str, *, maquina: str = MAQUINA, erro: str = "") -> None:
        self.por_arn[arn_da_execucao(maquina, nome)] = {"status": status, "error": erro}

    def describe_execution(self, *, executionArn: str) -> dict[str, str]:  # noqa: N803 - boto3's own spelling
        self.perguntas.append(executionArn)
        if executionArn not in self.por_arn:
            raise ClientError({"Error": {"Code": "ExecutionDoesNotExist"}}, "DescribeExecution")
        return self.por_arn[executionArn]


@dataclass
class GatewayFalso:
    """A gateway that is only looked at: the reconciler must never do more."""

    conhece: dict[str, CobrancaNoGateway] = field(default_factory=dict[str, CobrancaNoGateway])
    fora: Exception | None = None
    consultas: list[str] = field(default_factory=list[str])

    def cobrar(self, *_: object, **__: object) -> Any:
        raise AssertionError("the reconciler never charges")

    def estornar(self, *_: object, **__: object) -> Any:
        raise AssertionError("the reconciler never refunds")

    def consultar(self, pedido_id: str) -> CobrancaNoGateway | None:
        self.consultas.append(pedido_id)
        if self.fora is not None:
            raise self.fora
        return self.conhece.get(pedido_id)


@dataclass
class Mundo:
    """Everything the reconciler can see or touch."""

    outside: Callable[[str, Callable[[], Any]], Any] = direct
    agora: float = AGORA
    prazos: Prazos = field(default_factory=Prazos)

    def __post_init__(self) -> None:
        self.tabelas: Tables = {
            "pedidos": {},
            "estoque": {SKU: {"sku": {"S": SKU}, "saldo": {"N": "1000"}, "reservas": {"M": {}}}},
        }
        self.dynamo = FakeDynamo(
            {"pedidos": "pedidoId", "estoque": "sku"},
            self.tabelas,
            lambda name, effect: self.outside(name, effect),
            indexes={indice: ("status", chave) for indice, chave in INDICES.items()},
        )
        self.sfn = ExecucoesFalsas()
        self.gateway = GatewayFalso()
        self.criados: list[str] = []
        self.humana: list[str] = []
        self.falhas: list[tuple[str, Exception]] = []
        self.pedidos = Pedidos(self.dynamo.client, "pedidos", agora=lambda: self.agora)
        self.estoque = Estoque(self.dynamo.client, "estoque")

    def conciliador(self) -> Conciliador:
        client, agora = self.dynamo.client, lambda: self.agora
        return Conciliador(
            linhas=Linhas(client, "pedidos", agora=agora),
            execucoes=Execucoes(self.sfn.client, pedido_arn=MAQUINA, retomada_arn=RETOMADA),
            pedidos=self.pedidos,
            estoque=self.estoque,
            conferencia=Conferencia(
                livro=LivroDePagamentos(client, "pedidos", agora=agora),
                estoque=self.estoque,
                gateway=self.gateway,
                prazos=self.prazos,
            ),
            enviar_pedido=lambda corpo: self.outside("sqs.criados", lambda: self.criados.append(corpo)),
            chamar_pessoa=lambda corpo: self.outside("sqs.humana", lambda: self.humana.append(corpo)),
            agora=agora,
            prazos=self.prazos,
            anotar=self._anotar,
        )

    def _anotar(self, pedido_id: str, resultado: Resultado, erro: Exception | None) -> None:
        if erro is not None:
            assert resultado is Resultado.FALHOU
            self.falhas.append((pedido_id, erro))

    def rodada(self) -> Mapping[str, int]:
        contagem = self.conciliador().rodada(restam=lambda: 60.0).contagem
        return {resultado.value: n for resultado, n in contagem.items()}

    def caso_mais_antigo(self) -> float:
        """Seconds that the oldest case has waited, as a round sees it."""
        return self.conciliador().rodada(restam=lambda: 60.0).caso_mais_antigo_segundos

    def pedido(self, pedido_id: str, *, idade: float = 10 * 60) -> Item:
        """An order RECEBIDO that old, and its row."""
        criado = self.agora - idade
        assert Pedidos(self.dynamo.client, "pedidos", agora=lambda: criado).criar(
            Pedido(pedido_id, SKU, 2, VALOR, iso(criado)), TOKEN
        )
        return self.tabelas["pedidos"][pedido_id]

    def em(self, pedido_id: str, status: Status, *, idade: float = 10 * 60, **atributos: dict[str, Any]) -> Item:
        """An order of that status, still pending, with these attributes besides."""
        linha = self.pedido(pedido_id, idade=idade)
        linha["status"] = {"S": status}
        linha.pop("cartaoToken")
        linha.update(copied(atributos))
        return linha

    def fechado(self, pedido_id: str, status: Status, *, idade: float = 10 * 60, **atributos: dict[str, Any]) -> Item:
        """A closed order, due for its second look."""
        linha = self.em(pedido_id, status, idade=idade, **atributos)
        linha["verificarEm"] = linha.pop("pendenteDesde")
        self.sfn.por(pedido_id, "SUCCEEDED")
        return linha

    def reservar(self, pedido_id: str, entrada: int = 2) -> None:
        """The order's entry in the stock item: a tombstone when negative."""
        self.tabelas["estoque"][SKU]["reservas"]["M"][pedido_id] = {"N": str(entrada)}

    def linha(self, pedido_id: str) -> Item:
        return self.tabelas["pedidos"][pedido_id]

    def avisos(self, pedido_id: str | None = None) -> list[dict[str, Any]]:
        """The human queue's messages, of one order or of all."""
        corpos = [json.loads(corpo) for corpo in self.humana]
        return [corpo for corpo in corpos if pedido_id in (None, corpo["pedidoId"])]

    def foto(self) -> Tables:
        """The tables as they are, to compare with."""
        return {
            tabela: {chave: copied(item) for chave, item in itens.items()} for tabela, itens in self.tabelas.items()
        }


def cobranca(estado: str, *, ha: float = 10 * 60, **resto: dict[str, Any]) -> dict[str, Any]:
    """A charge last tried that long ago."""
    em = {"N": str(int(AGORA - ha))}
    transacao = {"transacaoId": {"S": "tx-1"}} if estado == "APROVADA" else {}
    valor = {"valorCentavos": {"N": str(VALOR)}}
    return {"M": {"estado": {"S": estado}, "em": em, "ultimaTentativa": em, **valor, **transacao, **resto}}


def estorno(estado: str) -> dict[str, Any]:
    return {"M": {"estado": {"S": estado}, "em": {"N": str(AGORA - 300)}, "estornoId": {"S": "es-1"}}}


def no_gateway(situacao: SituacaoDaCobranca, *, valor: int = VALOR, devolvido: int = 0) -> CobrancaNoGateway:
    aprovada = situacao is SituacaoDaCobranca.APROVADA
    return CobrancaNoGateway(
        situacao,
        valor,
        transacao_id="tx-1" if aprovada else None,
        valor_estornado_centavos=devolvido,
        estorno_id="es-1" if devolvido else None,
        situacao_do_estorno=SituacaoDoEstorno.CONCLUIDO if devolvido else None,
    )


def caso(pendencias: str | None) -> dict[str, Any]:
    dito = {} if pendencias is None else {"pendencias": {"S": pendencias}}
    return {"M": {"origem": {"S": "saga"}, "abertoEm": {"S": "2026-07-01T00:00:00.000Z"}, **dito}}


class Contador:
    """Dies after the ``n``-th effect, once."""

    def __init__(self, n: int) -> None:
        self.restam = n
        self.morreu = False

    def __call__(self, name: str, effect: Callable[[], Any]) -> Any:
        resultado = effect()
        self.restam -= 1
        if self.restam == 0:
            self.morreu = True
            raise OSError(f"died after {name}")
        return resultado


def direto(name: str, effect: Callable[[], Any]) -> Any:
    return effect()


def quebra(onde: str, *, a_partir_de: int = 1) -> Callable[[str, Callable[[], Any]], Any]:
    vistos: list[str] = []

    def outside(name: str, effect: Callable[[], Any]) -> Any:
        vistos.append(name)
        if name == onde and vistos.count(onde) >= a_partir_de:
            raise OSError(onde)
        return effect()

    return outside
