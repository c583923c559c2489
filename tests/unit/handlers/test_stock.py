"""The stock's moves: one conditional write each, safe to repeat, and nothing ever lost or made up."""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from handlers.domain.errors import (
    CestaError,
    ConflitoTransitorioError,
    ErroInesperado,
    EstoqueInsuficienteError,
    ReservaCanceladaError,
    SkuInexistenteError,
)
from handlers.domain.stock import Estoque
from handlers.domain.table import MalformedItemError
from tests.support.dynamo import FakeDynamo

if TYPE_CHECKING:
    from collections.abc import Callable

pytestmark = pytest.mark.unit

LAPIDE = 1_785_000_000


def loja(saldo: int = 10, **entradas: int) -> FakeDynamo:
    """A table with one SKU."""
    reservas = {pedido.replace("_", "-"): {"N": str(entrada)} for pedido, entrada in entradas.items()}
    item = {"sku": {"S": "cafe"}, "saldo": {"N": str(saldo)}, "reservas": {"M": reservas}}
    return FakeDynamo({"estoque": "sku"}, {"estoque": {"cafe": item}})


def sem_mapa(saldo: int = 10) -> FakeDynamo:
    """A SKU as goods-in may write it: no ``reservas`` yet (case C21)."""
    dynamo = loja(saldo)
    del dynamo.tables["estoque"]["cafe"]["reservas"]
    return dynamo


def estoque(dynamo: FakeDynamo) -> Estoque:
    return Estoque(dynamo.client, "estoque")


def foto(dynamo: FakeDynamo) -> tuple[int, dict[str, int]]:
    """``saldo`` and the entries."""
    item = dynamo.tables["estoque"]["cafe"]
    reservas = item.get("reservas", {}).get("M", {})
    return int(item["saldo"]["N"]), {pedido: int(entrada["N"]) for pedido, entrada in reservas.items()}


class Corrida:
    """An `Outside` in which somebody else acts right before the n-th effect."""

    def __init__(self, dynamo: FakeDynamo, vez: int, outro: Callable[[Estoque], object]) -> None:
        self.outro = lambda: outro(Estoque(FakeDynamo(dynamo.keys, dynamo.tables).client, "estoque"))
        self.vez = vez
        self.efeitos = 0
        dynamo.outside = self

    def __call__(self, name: str, effect: Callable[[], Any]) -> Any:
        if self.efeitos == self.vez:
            self.outro()
        self.efeitos += 1
        return effect()


@pytest.mark.parametrize("fabrica", [loja, sem_mapa])
def test_reserving_moves_units_from_the_balance_to_the_order(fabrica: Callable[[], FakeDynamo]) -> None:
    dynamo = fabrica()
    estoque(dynamo).reservar("p-1", "cafe", 3)
    assert foto(dynamo) == (7, {"p-1": 3})


def test_reserving_down_to_the_last_unit_succeeds() -> None:
    dynamo = loja(3)
    estoque(dynamo).reservar("p-1", "cafe", 3)
    assert foto(dynamo) == (0, {"p-1": 3})


def test_reserving_twice_is_one_reservation_even_when_nothing_else_is_left() -> None:
    """Case C18: the first write landed and its answer was lost."""
    dynamo = loja(3)
    estoque(dynamo).reservar("p-1", "cafe", 3)
    estoque(dynamo).reservar("p-1", "cafe", 3)
    assert foto(dynamo) == (0, {"p-1": 3})


def test_reserving_more_than_the_balance_is_refused_with_the_figures() -> None:
    dynamo = loja(2, outro=5)
    with pytest.raises(EstoqueInsuficienteError) as refused:
        estoque(dynamo).reservar("p-1", "cafe", 3)
    assert (refused.value.sku, refused.value.quantidade, refused.value.saldo) == ("cafe", 3, 2)
    assert foto(dynamo) == (2, {"outro": 5})


def test_short_stock_without_a_map_is_refused_without_making_one() -> None:
    dynamo = sem_mapa(2)
    with pytest.raises(EstoqueInsuficienteError):
        estoque(dynamo).reservar("p-1", "cafe", 3)
    assert "reservas" not in dynamo.tables["estoque"]["cafe"]


def test_reserving_an_unknown_sku_is_refused_and_creates_nothing() -> None:
    dynamo = loja()
    with pytest.raises(SkuInexistenteError) as refused:
        estoque(dynamo).reservar("p-1", "cha", 1)
    assert refused.value.sku == "cha"
    assert dynamo.tables["estoque"].keys() == {"cafe"}


def test_reserving_another_quantity_for_the_same_order_is_a_defect_not_a_success() -> None:
    dynamo = loja(10, p_1=2)
    with pytest.raises(ErroInesperado):
        estoque(dynamo).reservar("p-1", "cafe", 3)
    assert foto(dynamo) == (10, {"p-1": 2})


def test_a_reservation_that_comes_after_its_release_meets_the_tombstone() -> None:
    dynamo = loja(10, p_1=-LAPIDE)
    with pytest.raises(ReservaCanceladaError) as refused:
        estoque(dynamo).reservar("p-1", "cafe", 3)
    assert refused.value.cancelada_em == LAPIDE
    assert foto(dynamo) == (10, {"p-1": -LAPIDE})


def test_a_sku_without_a_balance_is_an_error_not_a_refusal() -> None:
    dynamo = loja()
    del dynamo.tables["estoque"]["cafe"]["saldo"]
    with pytest.raises(MalformedItemError, match="saldo"):
        estoque(dynamo).reservar("p-1", "cafe", 1)


@pytest.mark.parametrize(("lapide", "depois"), [(None, {}), (LAPIDE, {"p-1": -LAPIDE})])
def test_releasing_gives_back_what_the_entry_says(lapide: int | None, depois: dict[str, int]) -> None:
    dynamo = loja(7, p_1=3)
    assert estoque(dynamo).liberar("p-1", "cafe", lapide=lapide) == 3
    assert foto(dynamo) == (10, depois)


@pytest.mark.parametrize("lapide", [None, LAPIDE])
def test_releasing_five_times_gives_back_once(lapide: int | None) -> None:
    """Case C20."""
    dynamo = loja(7, p_1=3, p_2=1)
    devolvidas = [estoque(dynamo).liberar("p-1", "cafe", lapide=lapide) for _ in range(5)]
    assert devolvidas == [3, 0, 0, 0, 0]
    assert foto(dynamo)[0] == 10


@pytest.mark.parametrize("fabrica", [loja, sem_mapa])
def test_releasing_what_was_never_found_leaves_a_tombstone(fabrica: Callable[[], FakeDynamo]) -> None:
    dynamo = fabrica()
    assert estoque(dynamo).liberar("p-1", "cafe", lapide=LAPIDE) == 0
    assert foto(dynamo) == (10, {"p-1": -LAPIDE})


@pytest.mark.parametrize("fabrica", [loja, sem_mapa])
def test_releasing_a_known_reservation_that_is_gone_changes_nothing(fabrica: Callable[[], FakeDynamo]) -> None:
    dynamo = fabrica()
    antes = repr(dynamo.tables)
    assert estoque(dynamo).liberar("p-1", "cafe", lapide=None) == 0
    assert repr(dynamo.tables) == antes


def test_a_second_release_keeps_the_first_tombstone() -> None:
    dynamo = loja(10, p_1=-LAPIDE)
    assert estoque(dynamo).liberar("p-1", "cafe", lapide=LAPIDE + 60) == 0
    assert foto(dynamo) == (10, {"p-1": -LAPIDE})


def test_releasing_from_an_unknown_sku_succeeds_and_creates_nothing() -> None:
    dynamo = loja()
    assert estoque(dynamo).liberar("p-1", "cha", lapide=LAPIDE) == 0
    assert dynamo.tables["estoque"].keys() == {"cafe"}


def test_a_reservation_that_lands_while_the_release_looks_is_released() -> None:
    dynamo = loja(10)
    Corrida(dynamo, 1, lambda outro: outro.reservar("p-1", "cafe", 4))
    assert estoque(dynamo).liberar("p-1", "cafe", lapide=LAPIDE) == 4
    assert foto(dynamo) == (10, {"p-1": -LAPIDE})


def test_settling_drops_the_entry_and_leaves_the_balance() -> None:
    dynamo = loja(7, p_1=3, p_2=1)
    assert estoque(dynamo).efetivar("p-1", "cafe") is True
    assert foto(dynamo) == (7, {"p-2": 1})


@pytest.mark.parametrize("fabrica", [loja, sem_mapa])
def test_settling_twice_is_a_success_that_says_so(fabrica: Callable[[], FakeDynamo]) -> None:
    assert estoque(fabrica()).efetivar("p-1", "cafe") is False


def test_settling_a_cancelled_reservation_needs_a_person() -> None:
    dynamo = loja(10, p_1=-LAPIDE)
    with pytest.raises(ErroInesperado, match="cancelada"):
        estoque(dynamo).efetivar("p-1", "cafe")
    assert foto(dynamo) == (10, {"p-1": -LAPIDE})


def test_settling_on_a_sku_that_is_gone_needs_a_person() -> None:
    with pytest.raises(ErroInesperado, match="sumiu"):
        estoque(loja()).efetivar("p-1", "cha")


def test_a_sku_deleted_while_it_is_looked_at_is_not_brought_back() -> None:
    dynamo = sem_mapa()
    Corrida(dynamo, 1, lambda _: dynamo.tables["estoque"].clear())
    with pytest.raises(SkuInexistenteError):
        estoque(dynamo).reservar("p-1", "cafe", 1)
    assert dynamo.tables["estoque"] == {}


def test_losing_every_race_is_transient() -> None:
    dynamo = sem_mapa()

    class Teimosia:
        """Somebody takes the map away again before each look."""

        def __call__(self, name: str, effect: Callable[[], Any]) -> Any:
            dynamo.tables["estoque"]["cafe"].pop("reservas", None)
            return effect()

    dynamo.outside = Teimosia()
    with pytest.raises(ConflitoTransitorioError):
        estoque(dynamo).reservar("p-1", "cafe", 1)
    with pytest.raises(ConflitoTransitorioError):
        estoque(dynamo).liberar("p-1", "cafe", lapide=LAPIDE)


def test_the_item_does_not_grow_with_the_orders_that_passed_through_it() -> None:
    """Case C22: settled and released orders leave nothing behind."""
    dynamo = loja(20_000)
    uma = estoque(dynamo)
    for n in range(1_000):
        uma.reservar(f"p-{n}", "cafe", 2)
        assert uma.efetivar(f"p-{n}", "cafe") if n % 2 else uma.liberar(f"p-{n}", "cafe", lapide=None) == 2
    assert foto(dynamo) == (19_000, {})


Movimento = tuple[str, str, int]
# One draw for each, not three: longer sequences in half the time.
_cada_um = product(["reservar", "liberar", "liberar em dúvida", "efetivar"], ["p-1", "p-2", "p-3"], range(1, 7))
_movimentos = st.lists(st.sampled_from([*_cada_um]), max_size=30)


@settings(max_examples=150, deadline=None)
@given(saldo=st.integers(0, 12), mapa=st.booleans(), movimentos=_movimentos)
def test_no_sequence_of_moves_loses_or_makes_up_stock(saldo: int, mapa: bool, movimentos: list[Movimento]) -> None:
    dynamo = loja(saldo) if mapa else sem_mapa(saldo)
    uma = estoque(dynamo)
    vendidas = 0
    for movimento, pedido, quantidade in movimentos:
        antes = foto(dynamo)[1].get(pedido, 0)
        try:
            if movimento == "reservar":
                uma.reservar(pedido, "cafe", quantidade)
            elif movimento == "efetivar":
                vendidas += max(antes, 0) if uma.efetivar(pedido, "cafe") else 0
            else:
                devolvidas = uma.liberar(pedido, "cafe", lapide=LAPIDE if "dúvida" in movimento else None)
                assert devolvidas == max(antes, 0)
        except CestaError:
            assert foto(dynamo)[1].get(pedido, 0) == antes
        livre, entradas = foto(dynamo)
        assert livre >= 0
        assert livre + sum(entrada for entrada in entradas.values() if entrada > 0) == saldo - vendidas


def test_only_this_table_is_asked_for_old_values() -> None:
    dynamo = loja()
    estoque(dynamo).reservar("p-1", "cafe", 1)
    ((_, pedido),) = dynamo.requests
    assert pedido["ReturnValuesOnConditionCheckFailure"] == "ALL_OLD"
