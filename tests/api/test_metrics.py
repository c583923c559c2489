"""What the functions measure, taken from the output of the real code: every name, its unit, and two dimensions."""

from __future__ import annotations

import io
from contextlib import redirect_stdout, suppress
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final, cast

import pytest

from handlers import conciliador, estornar_pagamento, liberar_estoque
from handlers.domain import environment, wiring
from handlers.domain.clock import iso
from handlers.domain.errors import (
    CartaoRecusadoError,
    CestaError,
    CobrancaIndefinidaError,
    ConflitoTransitorioError,
    ErroInesperado,
)
from handlers.domain.ledger import LivroDePagamentos
from handlers.domain.metrics import NAMESPACE, UNIDADES, Metrica, emit
from handlers.domain.orders import Pedidos
from handlers.domain.stock import Estoque
from tests.api.world import PEDIDO, build, down
from tests.support.emf import emitted, json_lines
from tests.unit.handlers import conciliacao
from tests.unit.handlers.test_cobrar_pagamento import cobranca
from tests.unit.handlers.test_conciliador_handler import Contexto
from tests.unit.handlers.test_other_steps import reservado
from tests.unit.handlers.test_runtime import bem, chamar, evento, falhar
from tests.unit.handlers.world import AGORA, JANELA, SKU, mundo

if TYPE_CHECKING:
    from collections.abc import Callable

    from aws_lambda_powertools.utilities.typing import LambdaContext

    from tests.support.emf import Emitted
    from tests.unit.handlers.world import Mundo

pytestmark = pytest.mark.api

CONTEXTO: Final = cast("LambdaContext", Contexto())


def wire(patch: pytest.MonkeyPatch, um: Mundo, *, agora: float = AGORA) -> None:
    """The steps' collaborators, on the world's tables and gateway."""
    client = um.dynamo.client
    patch.setattr(wiring, "pedidos", lambda: Pedidos(client, "pedidos", agora=lambda: agora))
    patch.setattr(wiring, "livro", lambda: LivroDePagamentos(client, "pedidos", agora=lambda: agora))
    patch.setattr(wiring, "estoque", lambda: Estoque(client, "estoque"))
    patch.setattr(wiring, "gateway", lambda: um.gateway)
    for module in (estornar_pagamento, liberar_estoque):
        patch.setattr(module, "time", SimpleNamespace(time=lambda: agora))
    patch.setenv(environment.JANELA_DUVIDA_SEGUNDOS, str(JANELA))


def doubtful(patch: pytest.MonkeyPatch) -> None:
    """A charge nobody answered for, its window over."""
    um = mundo(cobranca("INICIADA"))
    wire(patch, um, agora=AGORA + JANELA + 1)
    estornar_pagamento.handler(evento({"sku": SKU}), CONTEXTO)


def released(patch: pytest.MonkeyPatch) -> None:
    """An order accepted ninety seconds ago gives its units back."""
    wire(patch, reservado(mundo()))
    liberar_estoque.handler(evento({"sku": SKU, "criadoEm": iso(AGORA - 90)}), CONTEXTO)


def outcomes(_: pytest.MonkeyPatch) -> None:
    refused, passing = CartaoRecusadoError("p-1"), ConflitoTransitorioError("p-1", "x")
    unknown, unforeseen = CobrancaIndefinidaError("p-1", duvida_ate=1), ErroInesperado("p-1", "x")
    for step in (bem, *(falhar(error) for error in (refused, passing, unknown, unforeseen))):
        with suppress(CestaError):
            chamar(step, evento())


def front_door(patch: pytest.MonkeyPatch) -> None:
    with build(patch) as world:
        world.post()
        world.post()
        world.post({**PEDIDO, "quantidade": 3})
        world.start(world.sqs.bodies[0], "{}")
        world.sfn.finished.update(world.sfn.inputs)
        world.start(world.sqs.bodies[0])
        world.rows["p-1"]["status"] = {"S": "CONFIRMADO"}
        world.start(world.sqs.bodies[0])
        world.sqs.error = down("SendMessage")
        world.post({**PEDIDO, "pedidoId": "p-2"})
        patch.delenv(environment.TABELA_PEDIDOS)
        world.post({**PEDIDO, "pedidoId": "p-3"})


def rounds(patch: pytest.MonkeyPatch) -> None:
    um = conciliacao.Mundo()
    um.pedido("perdido")
    um.em("morto", conciliacao.REQUER)
    um.em("efetivado", conciliacao.Status.CONFIRMADO)
    um.em("vivo", conciliacao.Status.COMPENSANDO)
    um.em("estranho", conciliacao.Status.COMPENSANDO).pop("sku")
    um.sfn.por("morto", "ABORTED")
    um.sfn.por("efetivado", "ABORTED")
    um.sfn.por("vivo", "RUNNING")
    patch.setattr(conciliador, "_conciliador", um.conciliador)
    conciliador.handler({"source": "aws.events"}, CONTEXTO)
    patch.setattr(conciliador, "_conciliador", lambda: None)
    conciliador.handler({"source": "aws.events"}, CONTEXTO)


SCENES: Final[tuple[Callable[[pytest.MonkeyPatch], None], ...]] = (outcomes, doubtful, released, front_door, rounds)


@pytest.fixture(scope="module")
def everything() -> list[Emitted]:
    """What all of them emit, as functions of the stack dev."""
    output = io.StringIO()
    for scene in SCENES:
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(output):
            patch.setenv("POWERTOOLS_SERVICE_NAME", "uma-funcao")
            patch.setenv(environment.STACK, "dev")
            scene(patch)
    return emitted(output.getvalue())


def test_every_metric_that_has_a_name_is_emitted_with_its_unit_and_nothing_else_is(everything: list[Emitted]) -> None:
    assert {metric.name: metric.unit for metric in everything} == {
        name.value: unit.value for name, unit in UNIDADES.items()
    }
    assert {metric.namespace for metric in everything} == {NAMESPACE}


def test_no_metric_has_more_dimensions_than_function_and_stack(everything: list[Emitted]) -> None:
    """CloudWatch bills each combination: an order's id among them would be a metric for each order."""
    assert len(everything) > len(UNIDADES)
    for metric in everything:
        assert metric.dimensions.keys() == {"service", "stack"}, metric.name
        assert metric.dimensions["stack"] == "dev"
        assert not any(value.startswith("p-") for value in metric.dimensions.values())


def test_what_a_line_says_besides_is_masked_and_no_dimension(capsys: pytest.CaptureFixture[str]) -> None:
    emit(Metrica.PEDIDOS_RECEBIDOS, sobre={"correlation_id": "p-1", "message": "cartão 4111 1111 1111 1111, tok-ok"})
    output = capsys.readouterr().out
    (line,) = json_lines(output)
    assert (line["correlation_id"], line["message"]) == ("p-1", "cartão [cartao omitido], [token omitido]")
    (metric,) = emitted(output)
    assert metric.dimensions.keys() == {"service", "stack"}


def values(everything: list[Emitted], name: Metrica) -> list[float]:
    return [value for metric in everything if metric.name == name for value in metric.values]


def test_stock_is_held_from_the_orders_acceptance_to_its_release(everything: list[Emitted]) -> None:
    assert values(everything, Metrica.ESTOQUE_RETIDO) == [90]


def test_a_charge_in_doubt_is_counted_once_its_window_is_over(everything: list[Emitted]) -> None:
    assert values(everything, Metrica.COBRANCA_EM_DUVIDA) == [1]


@pytest.mark.parametrize("linha", [cobranca("RECUSADA"), cobranca("APROVADA"), {}])
def test_an_order_whose_money_is_known_is_not_in_doubt(
    linha: dict[str, Any], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wire(monkeypatch, mundo(linha))
    with suppress(CestaError):
        estornar_pagamento.handler(evento({"sku": SKU}), CONTEXTO)
    assert Metrica.COBRANCA_EM_DUVIDA not in {metric.name for metric in emitted(capsys.readouterr().out)}


@pytest.mark.parametrize("criado_em", ["ontem", None])
def test_a_release_never_fails_for_what_it_measures(
    criado_em: object, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    wire(monkeypatch, reservado(mundo()))
    assert liberar_estoque.handler(evento({"sku": SKU, "criadoEm": criado_em}), CONTEXTO) == {"liberada": 2}
    assert Metrica.ESTOQUE_RETIDO not in {metric.name for metric in emitted(capsys.readouterr().out)}
