"""Sizes and units as DynamoDB counts them, on items the handlers write."""

from __future__ import annotations

from typing import Any

import pytest

from tests.scale.capacity import ITEM_WRITES, item_orders
from tests.scale.items import EMPTY_SKU_BYTES, ENTRY_BYTES, KB, ORDER_BYTES, TOMBSTONE_BYTES, item_bytes, write_units
from tests.scale.limits import ITEM_BYTES, Rate
from tests.scale.resources import Bucket, Item
from tests.scale.runs import TRANSACTIONS_PER_SECOND

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("item", "size"),
    [
        ({"sku": {"S": "café"}}, 3 + 5),
        ({"n": {"N": "1"}}, 1 + 2),
        ({"n": {"N": "1234567"}}, 1 + 5),
        ({"n": {"N": "1000000"}}, 1 + 2),
        ({"n": {"N": "-12"}}, 1 + 3),
        ({"n": {"N": "0"}}, 1 + 2),
        ({"b": {"BOOL": True}}, 2),
        ({"m": {"M": {}}}, 1 + 3),
        ({"m": {"M": {"a": {"N": "1"}, "bb": {"S": "x"}}}}, 1 + 3 + (1 + 2 + 1) + (2 + 1 + 1)),
    ],
)
def test_an_item_weighs_its_names_and_values(item: dict[str, Any], size: int) -> None:
    assert item_bytes(item) == size


def test_a_type_the_tables_do_not_hold_has_no_size() -> None:
    with pytest.raises(ValueError, match="no size known for a SS"):
        item_bytes({"s": {"SS": ["a"]}})


@pytest.mark.parametrize(("size", "units"), [(0, 1), (1, 1), (1024, 1), (1025, 2), (100 * 1024, 100), (102_401, 101)])
def test_a_write_is_billed_by_the_kilobyte_begun(size: int, units: int) -> None:
    assert write_units(size) == units


def test_a_reservation_is_the_orders_id_its_quantity_and_an_entry_of_a_map() -> None:
    assert (ENTRY_BYTES, TOMBSTONE_BYTES) == (36 + 2 + 1, 36 + 7 + 1)
    assert EMPTY_SKU_BYTES < 64
    assert ORDER_BYTES < KB, "each write of an order is one unit as long as this holds"


def test_a_hundred_kilobytes_of_open_reservations_leave_ten_writes_a_second() -> None:
    item = Item(Bucket(Rate(1000, 1000)), size=100 * KB - ENTRY_BYTES)
    written = sum(item.write(0.0, 0) for _ in range(100))
    assert written == 10


def test_the_larger_of_the_sizes_before_and_after_is_billed() -> None:
    item = Item(Bucket(Rate(1, 9)), size=2 * KB)
    assert item.units(-ENTRY_BYTES) == 2
    assert item.units(ENTRY_BYTES) == 3
    assert [item.write(0.0, change) for change in (ENTRY_BYTES, -ENTRY_BYTES, -ENTRY_BYTES, ENTRY_BYTES)] == [
        *(True, True, True),
        False,
    ]
    assert item.size == 2 * KB - ENTRY_BYTES
    assert item.peak == 2 * KB + ENTRY_BYTES


def test_what_an_item_takes_uses_its_units_up_and_no_more() -> None:
    for seconds in (0.1, 0.7, 6.0, 30.0, 900.0):
        orders = item_orders(seconds)
        size = EMPTY_SKU_BYTES + ENTRY_BYTES * orders * seconds
        assert ITEM_WRITES * orders * write_units(int(size)) <= 1000
        assert ITEM_WRITES * 1.02 * orders * write_units(int(size * 1.02) + KB // 50) > 1000 or seconds < 0.2
        assert size < ITEM_BYTES


def test_a_stay_four_times_as_long_halves_what_an_item_takes() -> None:
    assert item_orders(120) / item_orders(480) == pytest.approx(2, rel=0.1)
    assert item_orders(30, shards=4) == 4 * item_orders(30)


def test_reservations_of_their_own_take_two_transactions_of_two_units() -> None:
    assert TRANSACTIONS_PER_SECOND * 2 * 2 == 1000
