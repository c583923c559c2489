"""The plots of a campaign's report. Every series is told apart by hatch, dash or mark, and named beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

import matplotlib as mpl
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from tests.campaign.plan import FROZEN_SECONDS, Blow

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["draw"]

# The same report gives the same file, byte for byte.
_STYLE: Final[Any] = {"svg.hashsalt": "cesta", "svg.fonttype": "none", "font.family": "sans-serif", "font.size": 10}
_METADATA: Final = {"Date": None, "Creator": "tests.campaign"}
_rc_context: Final = cast("Any", mpl).rc_context
"""Typed by the name of every setting there is."""
# No dots: each becomes a dozen curves, and the file ten times as large.
_HATCHES: Final = ("", "///", "")
_GREYS: Final = ("#111111", "#bbbbbb", "#ffffff")


def draw(report: Mapping[str, Any], labels: Mapping[str, str], titles: Mapping[str, str], folder: Path) -> list[Path]:
    """Write every plot; their paths.

    Args:
        report: as `tests.campaign.report` makes it.
        labels: harms as the reader knows them, in the order they are drawn.
        titles: systems as the reader knows them.
        folder: where the files go.
    """
    with _rc_context(_STYLE):
        return [
            _save(_broken(report, labels, titles), folder / "campaign-broken.svg"),
            _save(_progress(report["sistemas"][0]), folder / "campaign-progress.svg"),
            _save(_seconds(report["sistemas"][0]), folder / "campaign-seconds.svg"),
        ]


def _broken(report: Mapping[str, Any], labels: Mapping[str, str], titles: Mapping[str, str]) -> Any:
    figure, axes = _figure(8, 4.4)
    systems = report["sistemas"]
    height = 0.8 / len(systems)
    for place, system in enumerate(systems):
        counts = [system["danos"][harm] for harm in labels]
        rows = [row + (place - (len(systems) - 1) / 2) * height for row in range(len(labels))]
        bars = axes.barh(
            rows, counts, height, label=titles[system["sistema"]], color=_GREYS[place], hatch=_HATCHES[place],
            edgecolor="black", linewidth=0.6,
        )  # fmt: skip
        axes.bar_label(bars, [str(count) for count in counts], padding=3)
    axes.set_yticks(range(len(labels)), labels.values())
    axes.invert_yaxis()
    axes.margins(x=0.12)
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel(f"orders, of {report['plano']['pedidos']}")
    axes.set_title("Orders left broken, by what is wrong with them")
    axes.legend(loc="lower right", frameon=False)
    return figure


def _progress(system: Mapping[str, Any]) -> Any:
    figure, axes = _figure(8, 4)
    at = [sample[0] for sample in system["amostras"]]
    axes.plot(at, [sample[1] for sample in system["amostras"]], "k--", label="posted")
    axes.plot(at, [sample[2] for sample in system["amostras"]], "k-", label="ended, or with a person")
    marks = system["marcas"]
    for blow, mark, label in ((Blow.KILL, "|", "worker killed"), (Blow.STOP, "x", "execution stopped")):
        struck = [when for when, name in marks if name == blow]
        axes.plot(struck, [-0.03 * _top(system)] * len(struck), mark, color="black", markersize=6, label=label)
    frozen = [when for when, name in marks if name == Blow.FREEZE]
    for place, when in enumerate(frozen):
        axes.axvspan(
            when, when + FROZEN_SECONDS, facecolor="none", edgecolor="#999999", hatch="////", linewidth=0,
            label=None if place else "gateway stands still",
        )  # fmt: skip
    axes.set_xlabel("seconds")
    axes.set_ylabel("orders")
    axes.set_title("Cesta under fire")
    axes.legend(loc="lower right", frameon=True)
    return figure


def _seconds(system: Mapping[str, Any]) -> Any:
    figure, axes = _figure(8, 3.4)
    durations = system["duracoes"]
    shares = [100 * (index + 1) / len(durations) for index in range(len(durations))]
    axes.step(durations, shares, "k-", where="post")
    for percent, dash in ((50, ":"), (99, "--")):
        seconds = system[f"p{percent}Segundos"]
        if seconds is None:
            continue
        axes.axvline(seconds, color="black", linestyle=dash, linewidth=1)
        axes.annotate(f"p{percent}: {seconds:g} s ", (seconds, 5), ha="right")
    axes.set_ylim(0, 101)
    axes.set_xlim(left=0)
    axes.set_xlabel("seconds from 202 to the end of the execution")
    axes.set_ylabel("% of orders")
    axes.set_title("Time to end under fire, of orders no person had to do with")
    return figure


def _figure(width: float, height: float) -> tuple[Any, Any]:
    # No pyplot: nothing is kept between figures, and no backend but the file's is asked for.
    figure: Any = Figure(figsize=(width, height), layout="constrained")
    axes = figure.subplots()
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    return figure, axes


def _top(system: Mapping[str, Any]) -> int:
    return max((sample[1] for sample in system["amostras"]), default=1)


def _save(figure: Any, path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, format="svg", metadata=_METADATA)
    return path
