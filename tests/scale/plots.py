"""The page's pictures, as SVG: readable without colours, and the same bytes for the same data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeAlias

import matplotlib as mpl

mpl.use("svg")

from matplotlib.figure import Figure

from tests.scale.capacity import item_orders
from tests.scale.demand import DAY
from tests.scale.runs import TRANSACTIONS_PER_SECOND

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from tests.scale.demand import Day

__all__ = ["draw"]

Axes: TypeAlias = Any
"""matplotlib's own type is partial: strict checking finds something unknown in every call."""

mpl.rcParams.update({"svg.hashsalt": "cesta", "svg.fonttype": "none", "font.size": 9, "font.family": "sans-serif"})

_STYLES: Final = ("-", "--", "-.", ":")
# No dots: each becomes a dozen curves, and the file ten times as large.
_HATCHES: Final = ("", "///", "xxx", "---", "++")
_GREYS: Final = ("0.85", "0.95", "0.5", "1.0", "0.7")


def draw(folder: Path, day: Day, model: Mapping[str, Any]) -> None:
    """Every picture, into that folder."""
    folder.mkdir(parents=True, exist_ok=True)
    _save(folder / "scale-day.svg", lambda axes: _day(axes, day, model))
    _save(folder / "scale-queue.svg", lambda axes: _queue(axes, model))
    _save(folder / "scale-ends.svg", lambda axes: _ends(axes, model), height=4.2)
    _save(folder / "scale-sku.svg", lambda axes: _sku(axes, model))


def _save(path: Path, plot: Callable[[Axes], None], *, height: float = 3.4) -> None:
    figure: Any = Figure(figsize=(7.5, height), layout="constrained")
    plot(figure.subplots())
    figure.savefig(path, metadata={"Date": None, "Creator": None})


def _day(axes: Axes, day: Day, model: Mapping[str, Any]) -> None:
    # Every 20 s: the sale lasts some minutes.
    seconds = range(0, DAY, 20)
    axes.plot([second / 3600 for second in seconds], [day.rate(second) for second in seconds], color="black", lw=1)
    limits = [(each["limit"], each["orders"]) for each in model["capacities"]["defaults"] if each["orders"] < 320]
    limits.append(("StartExecution in other regions", 150))
    for style, (name, orders) in enumerate(sorted(limits, key=lambda limit: limit[1])):
        axes.axhline(orders, color="0.3", lw=0.8, ls=_STYLES[1 + style % 3])
        # Side by side, so that neighbours do not write over each other.
        axes.annotate(
            f"{name.replace('`', '')}: {orders:.0f}/s", (0.2 + 9.5 * (style % 2), orders), va="bottom", fontsize=7
        )
    axes.set(xlim=(0, 24), ylim=(0, 330), xlabel="hour of the day", ylabel="orders per second")
    axes.set_xticks(range(0, 25, 4))


def _queue(axes: Axes, model: Mapping[str, Any]) -> None:
    series = model["series"]["common-gateway"]
    minutes = [second / 60 for second in series["second"]]
    for style, (name, label) in zip(
        _STYLES, (("accepted", "accepted"), ("started", "started"), ("waiting", "waiting in the queue")), strict=False
    ):
        axes.plot(minutes, series[name], color="black", lw=1.2, ls=style, label=label)
    axes.set(xlim=(0, minutes[-1]), ylim=(0, None), xlabel="minutes", ylabel="orders")
    axes.legend(frameon=False)


def _ends(axes: Axes, model: Mapping[str, Any]) -> None:
    runs: list[Mapping[str, Any]] = [run for name, run in model["runs"].items() if name != "day"]
    ends: list[Mapping[str, int]] = [{**run["ends"], "never placed": run["lost"]} for run in runs]
    kinds = list(dict.fromkeys(kind for of_run in ends for kind in of_run))
    left = [0.0] * len(runs)
    for place, kind in enumerate(kinds):
        shares = [100 * of_run.get(kind, 0) / sum(of_run.values()) for of_run in ends]
        axes.barh(
            [run["title"] for run in runs],
            shares,
            left=left,
            label=kind,
            color=_GREYS[place % len(_GREYS)],
            hatch=_HATCHES[place % len(_HATCHES)],
            edgecolor="black",
            lw=0.5,
        )
        left = [begun + share for begun, share in zip(left, shares, strict=True)]
    axes.invert_yaxis()
    axes.set(xlim=(0, 100), xlabel="% of the orders clients wanted to place")
    axes.tick_params(axis="y", labelsize=7)
    axes.legend(frameon=False, fontsize=7, ncols=len(kinds), loc="lower center", bbox_to_anchor=(0.2, 1.0))


def _sku(axes: Axes, model: Mapping[str, Any]) -> None:
    seconds = [10 ** (power / 20) for power in range(-10, 61)]
    for style, shards in zip(_STYLES, (1, 4, 16), strict=False):
        label = "one item" if shards == 1 else f"{shards} items"
        axes.plot(
            seconds,
            [item_orders(open_, shards=shards) for open_ in seconds],
            color="black",
            lw=1.2,
            ls=style,
            label=label,
        )
    axes.axhline(TRANSACTIONS_PER_SECOND, color="0.5", lw=1, ls=":", label="reservations as items of their own")
    usual = model["open_seconds"]
    axes.axvline(usual, color="0.5", lw=0.8)
    axes.annotate("usual", (usual, 2.2), fontsize=7, rotation=90, ha="right", va="bottom")
    axes.set(
        xscale="log",
        yscale="log",
        ylim=(2, 10_000),
        xlabel="seconds a reservation stays open",
        ylabel="orders per second of one SKU",
    )
    axes.legend(frameon=False, fontsize=8)
