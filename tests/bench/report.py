"""The tables of docs/performance.md, from what was measured: what people wrote around them stays."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

__all__ = ["GOALS", "Goal", "MissingSectionError", "table", "tables", "written"]


class MissingSectionError(Exception):
    """The document has no place for a table.

    Attributes:
        name: the table's.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(
            f"o documento não tem onde pôr a tabela {name}; escreva nele <!-- bench:{name} --> e <!-- /bench -->"
        )


def written(document: str, results: Mapping[str, Any]) -> str:
    """The document with the table of each result between its marks; the rest of it is left as it is.

    Raises:
        MissingSectionError: a result has no marks.
    """
    for name, text in tables(results).items():
        section = re.compile(rf"(<!-- bench:{name} -->\n).*?(<!-- /bench -->)", re.DOTALL)
        if section.search(document) is None:
            raise MissingSectionError(name)
        document = section.sub(lambda found, text=text: f"{found[1]}{text}\n{found[2]}", document)
    return document


def tables(results: Mapping[str, Any]) -> dict[str, str]:
    """The table of each result, in Markdown, by the result's name; and how the goals stand, as ``goals``."""
    found = {name: _TABLES[name](result) for name, result in results.items() if name in _TABLES}
    return found | {"goals": _goals(results)}


def table(heads: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A table in Markdown."""
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)


def _machine(result: Mapping[str, Any]) -> str:
    return (
        f"Measured on {result['date']}: {result['cpus']} × {result['cpu']}, Python {result['python']}, "
        f"load {result['load']:.1f} at the start. {result['note']}"
    )


def _post(result: Mapping[str, Any]) -> str:
    ours, limit = result["ours"], result["limit"]
    rows = [
        ["p50", f"{ours['p50_ms']:.2f} ms", f"{limit['p50_ms']:.2f} ms", f"**{result['ratio_p50']:.2f}**"],
        ["median of pairs", "", "", f"{result['ratio_pairs']:.2f}"],
        ["p99", f"{ours['p99_ms']:.2f} ms", f"{limit['p99_ms']:.2f} ms", f"{result['ratio_p99']:.2f}"],
        [
            "processor, p50",
            f"{ours['cpu_p50_ms']:.2f} ms",
            f"{limit['cpu_p50_ms']:.2f} ms",
            f"{result['ratio_cpu']:.2f}",
        ],
    ]
    head = table(["POST /pedidos", "ours", "two SDK calls alone", "ratio"], rows)
    parts = table(
        ["part of ours, without the SDK", "µs"], [[part, f"{us:.0f}"] for part, us in result["parts"].items()]
    )
    return f"{head}\n\n{result['rounds']} calls of each, in turn.\n\n{parts}"


def _cold(result: Mapping[str, Any]) -> str:
    limit = result["limit"]
    rows = [
        [
            f"`{name}`",
            f"{row['import_ms']:.0f} ms",
            f"{row['import_ratio']:.2f}",
            f"{row['ready_ms']:.0f} ms",
            f"**{row['ready_ratio']:.2f}**",
            f"{row['compiled_ms']:.0f} ms",
            f"**{row['compiled_ratio']:.2f}**",
            f"{row['mib']:.0f} MiB",
        ]
        for name, row in result["functions"].items()
    ]
    rows.append(
        ["`import boto3` + 1 client", "", "", f"{limit['cpu_ms']:.0f} ms", "1", "", "1", f"{limit['mib']:.0f} MiB"]
    )
    heads = ["function", "import", "ratio", "ready for a call", "ratio", "ready, with bytecode", "ratio", "peak memory"]
    zips = ", ".join(f"{name}.zip {size / 1000:.0f} KB" for name, size in result["zips"].items())
    imports = "\n\n".join(
        f"What `{name}` imports (own time, `-X importtime`, no bytecode for what the zip holds):\n\n"
        + table(
            ["package", "modules", "ms"], [[cost["package"], cost["modules"], f"{cost['ms']:.1f}"] for cost in costs]
        )
        for name, costs in result["imports"].items()
    )
    return f"{table(heads, rows)}\n\nMedians of {result['rounds']} fresh processes each, in turn. {zips}.\n\n{imports}"


def _starter(result: Mapping[str, Any]) -> str:
    rows = [
        [
            f"batch of 10, {where}",
            f"{result[name]['ours_ms']:.0f} ms",
            f"{result[name]['limit_ms']:.0f} ms",
            f"**{result[name]['ratio']:.2f}**",
        ]
        for name, where in (("stub", "every AWS call takes 20 ms"), ("emulator", "embedded emulator"))
        if name in result
    ]
    backlog = result["backlog"]
    rows.append(
        [
            f"backlog of {backlog['messages']}, 20 ms a call",
            f"{backlog['ours_per_second']:.0f} messages/s",
            f"{backlog['limit_per_second']:.0f} messages/s",
            f"**{backlog['ratio']:.2f}** × as many",
        ]
    )
    return table(["starter", "ours, one environment", "StartExecution one after the other", "ratio"], rows)


def _saga(result: Mapping[str, Any]) -> str:
    rate, alone, p99, cpu = (result[name] for name in ("per_second", "alone_ms", "p99_ms", "cpu_ms_per_execution"))
    rows = [
        ["executions a second", f"{rate['ours']:.1f}", f"{rate['limit']:.1f}", f"**{result['ratio']:.2f}**"],
        [
            "one alone",
            f"{alone['ours']:.0f} ms",
            f"{alone['limit']:.0f} ms",
            f"{alone['ours'] / alone['limit']:.2f}",
        ],
        ["p99 of a round", f"{p99['ours']:.0f} ms", f"{p99['limit']:.0f} ms", f"{p99['ours'] / p99['limit']:.2f}"],
    ]
    same = f"{rate['same_calls']:.1f}"
    rows.append(["beside as many DynamoDB calls", f"{rate['ours']:.1f}", same, f"{result['ratio_same_calls']:.2f}"])
    head = table(["saga", "ours", "four functions that do nothing", "ratio"], rows)
    names = {
        "ours": "the saga",
        "limit": "the bare machine",
        "same_calls": "the bare machine whose functions make as many DynamoDB calls and nothing else",
    }
    profiles = "\n\n".join(
        f"Processor time of one execution of {names[name]}: {sum(spent.values()):.0f} ms\n\n"
        + table(["process", "ms"], [[process, f"{ms:.1f}"] for process, ms in sorted(spent.items(), key=_second)])
        for name, spent in cpu.items()
    )
    return f"{head}\n\n{result['rounds']} rounds of {result['per_round']} executions, in turn.\n\n{profiles}"


def _second(pair: tuple[str, float]) -> float:
    return -pair[1]


def _bill(result: Mapping[str, Any]) -> str:
    usages: Mapping[str, Any] = result["usages"]
    fields = list(next(iter(usages.values())))
    used = table(
        ["one order of the kind uses", *(name.replace("_", " ") for name in fields)],
        [[kind, *(f"{usage[name]:.1f}" for name in fields)] for kind, usage in usages.items()],
    )
    bills: Mapping[str, Mapping[str, float]] = result["bills"]
    lines = list(next(iter(bills.values())))
    priced = table(
        ["US$ per million orders", *bills],
        [
            *([line, *(f"{each[line]:.2f}" for each in bills.values())] for line in lines),
            ["**total**", *(f"**{sum(each.values()):.2f}**" for each in bills.values())],
        ],
    )
    said = ", ".join(f"{name} = {value:g}" for name, value in result["assumptions"].items())
    return f"{used}\n\n{priced}\n\nPrices: {result['prices']}. Assumed: {said}."


def _compiler(result: Mapping[str, Any]) -> str:
    sizes = table(
        ["steps", "states", "ways through", "states of the world", "compile", "checks", "proof"],
        [
            [
                row["steps"],
                row["states"],
                f"{row['paths']:,}",
                f"{row['worlds']:,}",
                f"{row['compile_ms']:.1f} ms",
                f"{row['check_ms']:.0f} ms",
                f"**{row['prove_ms']:.0f} ms**" if row["steps"] == 12 else f"{row['prove_ms']:.0f} ms",
            ]
            for row in result["sizes"]
        ],
    )
    ours = "; ".join(
        f"`{row['machine']}`: {row['paths']:,} ways, {row['worlds']:,} states of the world, {row['prove_ms']:.0f} ms"
        for row in result["ours"]
    )
    checkers = table(
        ["checker, on the definition of `cesta-saga-pedido`", "from command to end", "exit"],
        [
            [
                name,
                f"{row['seconds']:.2f} s" if "seconds" in row else f"not to be had here ({row['unavailable']})",
                row.get("exit", ""),
            ]
            for name, row in result["checkers"].items()
        ],
    )
    return f"{sizes}\n\n{ours}.\n\n{checkers}"


def _waits(result: Mapping[str, float]) -> str:
    return table(["wait", "seconds"], [[what, f"{spent:.2f}"] for what, spent in result.items()])


# --- Goals -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Goal:
    """What a measure should come to. Told, and nothing fails by it.

    Attributes:
        what: for people, with its unit.
        measure: the result's name.
        value: what was reached, read from the result; None where it was not measured.
        limit: the most it should be, or the least.
        at_least: whether it is the least.
    """

    what: str
    measure: str
    value: Callable[[Any], float | None]
    limit: float
    at_least: bool = False

    def row(self, reached: float) -> tuple[str, str, str, str]:
        """What, goal, reached, and whether that is enough."""
        met = reached >= self.limit if self.at_least else reached <= self.limit
        bound = f"{'≥' if self.at_least else '≤'} {self.limit:g}"
        # Where two decimals would hide on which side of the bound it is, all are told.
        shown = f"{reached:.2f}" if f"{reached:.2f}" != f"{self.limit:.2f}" else f"{reached:.4g}"
        return self.what, bound, shown, "met" if met else "**missed**"


def _of_twelve_steps(result: Any) -> float | None:
    return next((row["prove_ms"] / 1000 for row in result["sizes"] if row["steps"] == 12), None)


GOALS: Final = (
    Goal("POST beside the two SDK calls, p50", "post", lambda result: result["ratio_p50"], 1.15),
    Goal(
        "the dearest cold start, ready for a call, beside boto3 and a client",
        "cold",
        lambda result: max(row["ready_ratio"] for row in result["functions"].values()),
        1.25,
    ),
    Goal("executions a second beside functions that do nothing", "saga", lambda result: result["ratio"], 0.8, True),
    Goal("proof of 12 steps, seconds of processor", "compiler", _of_twelve_steps, 1.0),
    Goal("`cesta --help`, seconds", "waits", lambda result: result.get("cesta --help"), 0.3),
    Goal("second `make demo`, seconds", "waits", lambda result: result.get("make demo, environment there"), 45),
    Goal("unit tests, seconds", "waits", lambda result: result.get("unit tests"), 10),
)


def _goals(results: Mapping[str, Any]) -> str:
    measured = ((goal, goal.value(results[goal.measure])) for goal in GOALS if goal.measure in results)
    rows = (goal.row(reached) for goal, reached in measured if reached is not None)
    return table(["what", "goal", "reached", ""], rows)


_TABLES: Final[Mapping[str, Callable[[Any], str]]] = {
    "machine": _machine,
    "post": _post,
    "cold": _cold,
    "starter": _starter,
    "saga": _saga,
    "bill": _bill,
    "compiler": _compiler,
    "waits": _waits,
}
