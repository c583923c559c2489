"""The campaign's plan: the same seed, the same campaign; every fate and every blow in it."""

from __future__ import annotations

from collections import Counter

import pytest

from tests.campaign.plan import FATES, SCARCE, SHARES, SLOW_FATES, Blow, CampaignPlan

pytestmark = pytest.mark.unit


def test_a_seed_gives_the_same_campaign_and_another_seed_another() -> None:
    first, again, other = CampaignPlan(200, 8), CampaignPlan(200, 8), CampaignPlan(200, 9)
    assert first.orders == again.orders
    assert first.blows == again.blows
    assert first.stock == again.stock
    assert first.orders != other.orders
    assert first.blows != other.blows


@pytest.mark.parametrize("pedidos", [60, 1_000])
def test_every_fate_and_every_blow_is_there(pedidos: int) -> None:
    plan = CampaignPlan(pedidos, 8)
    assert len(plan.orders) == pedidos
    brought = {(order.cartao, tuple(order.falhas.items())) for order in plan.orders}
    assert {(fate.cartao, tuple(fate.falhas.items())) for fate in (*FATES, *SLOW_FATES)} <= brought
    for blow, share in SHARES.items():
        assert plan.count(blow) == max(1, round(pedidos * share))


def test_most_orders_of_a_thousand_bring_nothing() -> None:
    fates = Counter((order.cartao, bool(order.falhas)) for order in CampaignPlan(1_000, 8).orders)
    assert fates["tok-ok", False] > 500


def test_only_the_scarce_skus_are_short() -> None:
    plan = CampaignPlan(500, 8)
    wanted = Counter[str]()
    for order in plan.orders:
        wanted[order.sku] += order.quantidade
    assert wanted.keys() == plan.stock.keys()
    short = [sku for sku, units in plan.stock.items() if units < wanted[sku]]
    assert len(short) == SCARCE
    assert all(plan.stock[sku] == wanted[sku] for sku in wanted.keys() - short)


def test_a_plan_without_blows_strikes_nothing() -> None:
    plan = CampaignPlan(60, 8, golpes=False)
    assert not plan.blows
    assert plan.count(Blow.KILL) == 0


def test_without_the_slow_fates_no_order_lasts_a_doubt_window() -> None:
    cards = {order.cartao for order in CampaignPlan(60, 8, lentos=False).orders}
    assert cards.isdisjoint({fate.cartao for fate in SLOW_FATES})
