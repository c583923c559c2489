"""docs/scale.md: its words are in page.md, its figures come from the two files of results and from nowhere else."""

from __future__ import annotations

from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from handlers.domain.reconciliation import ESPERAS_DE_INICIO
from infra.config import Settings
from tests.scale.demand import DAY
from tests.scale.items import EMPTY_SKU_BYTES, ENTRY_BYTES, KB, ORDER_BYTES, TOMBSTONE_BYTES, write_units
from tests.scale.limits import ITEM_BYTES, LIMITS, OTHER_REGIONS
from tests.scale.money import ListPrices
from tests.scale.runs import OF_QUOTA, SET_ASIDE, TRANSACTIONS_PER_SECOND
from tests.scale.saga import PERSON

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

__all__ = ["render"]

_TEXT: Final = Path(__file__).with_name("page.md")
_LOADS: Final = {
    "latencia": "POST alone, 2 clients",
    "carga": "every kind of order, 8 clients",
    "sku-quente": "all orders for one SKU, 8 clients",
    "represa": "waiting in the queue, let loose",
}
_RUN_HEAD: Final = (
    *("run", "clients who gave up", "confirmed", "cancelled", "people asked"),
    *("to start p99", "to end p50 / p99", "refused first"),
)


def render(load: Mapping[str, Any], model: Mapping[str, Any]) -> str:
    """The page.

    Args:
        load: docs/scale-load.json.
        model: docs/scale-model.json.
    """
    figures = {
        **_measured(load),
        **_capacity(model),
        **_runs(model),
        **_item(model),
        **_settings(model),
        **_model(model["durations"]),
    }
    return _TEXT.read_text().format_map(figures)


def _measured(load: Mapping[str, Any]) -> dict[str, str]:
    machine, runs = load["maquina"], load["corridas"]
    backlog = runs["represa"]
    rows = [
        (
            told,
            f"{run['plano']['pedidos']:,}",
            "–" if run["p50_ms"] is None else f"{run['p50_ms']} / {run['p99_ms']} ms",
            f"{run['pedidos_por_segundo']:g}",
            f"{run['segundos']:g} s",
            f"{run['memoria_mib']:,} MiB in {run['processos']}",
            ", ".join(f"{count:,} {end}" for end, count in run["fins"].items()),
            _findings(run),
        )
        for name, told in _LOADS.items()
        for run in (runs[name],)
    ]
    head = ("load", "orders", "POST p50 / p99", "orders/s", "all ended in", "memory, processes", "ends", "findings")
    taken = (f"{name.removeprefix('cesta-local-')} {ms:g}" for name, ms in backlog["cpu_ms"].items() if ms)
    return {
        "measured_on": f"{load['medidoEm'][:10]}, {machine['processador']}, {machine['nucleos']} cores, "
        f"{machine['memoriaGib']:g} GiB, {machine['sistema']}, Python {machine['python']}, ministack "
        f"{machine['ministack']}; load average just before {load['ocupacaoAntes']:g} a core. Memory adds up "
        "pages that processes share.",
        "measured": _table(head, rows),
        "processor": ", ".join(taken),
        "backlog_orders": f"{backlog['plano']['pedidos']:,}",
        "backlog_rate": f"{backlog['pedidos_por_segundo']:g}",
        "backlog_books": "**do not balance**" if backlog["achados"] else "balance",
    }


def _findings(run: Mapping[str, Any]) -> str:
    found = run["achados"]
    return f"**{len(found)}**, the first: {found[0]}" if found else "none: every promise held"


def _capacity(model: Mapping[str, Any]) -> dict[str, str]:
    head = ("limit", "an order takes", "orders/s")
    tables = {
        f"capacity_{name.removesuffix('-2')}": _table(head, (_capacity_row(each) for each in found))
        for name, found in model["capacities"].items()
    }
    tightest = model["capacities"]["defaults"][0]
    limits = (
        (each.service, each.what, each.value, "yes" if each.raised else "no", f"[page]({each.source})")
        for each in LIMITS
    )
    return {
        **tables,
        "tightest": tightest["limit"],
        "tightest_orders": f"{tightest['orders']:.0f}",
        "limits": _table(("service", "of what", "default", "raised on request", "source"), limits),
    }


def _capacity_row(each: Mapping[str, Any]) -> tuple[str, ...]:
    limit = f"{each['limit']} *(ours)*" if each["ours"] else each["limit"]
    return limit, each["per_order"], f"{each['orders']:,.0f}"


def _runs(model: Mapping[str, Any]) -> dict[str, str]:
    runs = model["runs"]
    ready, defaults, common = runs["ready-2"], runs["defaults"], runs["common-gateway"]
    return {
        "runs": _table(_RUN_HEAD, (_run_row(run) for name, run in runs.items() if not name.startswith("backlog"))),
        "backlogs": _table(_RUN_HEAD, (_run_row(runs[name]) for name in ("backlog-unpaced", "backlog"))),
        "window_orders": f"{runs['ready-2']['offered']:,}",
        "defaults_lost": _share(defaults["lost"], defaults["offered"]),
        "ready_accepted": f"{ready['accepted']:,}",
        "ready_confirmed": f"{_confirmed(ready):,}",
        "ready_p99": f"{ready['to_end']['p99']:.0f}",
        "refused_cards": f"{model['refused_cards']:.0%}",
        "unpaced_confirmed": f"{_confirmed(runs['backlog-unpaced']):,}",
        "paced_confirmed": f"{_confirmed(runs['backlog']):,}",
        "paced_last": f"{runs['backlog']['to_end']['max']:.0f}",
        "one_sku_people": f"{runs['one-sku']['ends'].get(PERSON, 0):,}",
        "sharded_people": f"{runs['one-sku-sharded']['ends'].get(PERSON, 0):,}",
        "common_wait": f"{common['to_start']['max']:.0f}",
        "common_resends": f"{common['used'].get('resends', 0):,.0f}",
    }


def _run_row(run: Mapping[str, Any]) -> tuple[str, ...]:
    first = min(run["first_refusal"].items(), key=lambda refusal: refusal[1], default=None)
    ends = run["ends"]
    return (
        run["title"],
        _share(run["lost"], run["offered"]),
        f"{_confirmed(run):,}",
        f"{ends.get('FALHOU_COMPENSADO', 0) + ends.get('FALHOU_SEM_RESERVA', 0):,}",
        f"{ends.get(PERSON, 0):,}",
        f"{run['to_start']['p99']:.1f} s",
        f"{run['to_end']['p50']:.1f} / {run['to_end']['p99']:.1f} s",
        "nothing" if first is None else f"{first[0]}, at {first[1]:.0f} s",
    )


def _confirmed(run: Mapping[str, Any]) -> int:
    return run["ends"].get("CONFIRMADO", 0)


def _item(model: Mapping[str, Any]) -> dict[str, str]:
    law = model["item_law"]
    rows = (
        (
            f"{each['open_seconds']:.2f} s",
            f"{each['orders']:.0f}",
            f"{each['orders_4']:.0f}",
            f"{each['kilobytes']:.1f} KB",
        )
        for each in law
    )
    return {
        "item_law": _table(("reservation open", "orders/s, one item", "orders/s, 4 items", "each item then"), rows),
        "item_orders": f"{law[0]['orders']:.0f}",
        "sku_bytes": f"{EMPTY_SKU_BYTES}",
        "entry_bytes": f"{ENTRY_BYTES}",
        "order_bytes": f"{ORDER_BYTES}",
        "tombstone_bytes": f"{TOMBSTONE_BYTES}",
        "entries_100": f"{(100 * KB - EMPTY_SKU_BYTES) // ENTRY_BYTES:,}",
        "entries_full": f"{(ITEM_BYTES - EMPTY_SKU_BYTES) // ENTRY_BYTES:,}",
        "graves_full": f"{(ITEM_BYTES - EMPTY_SKU_BYTES) // TOMBSTONE_BYTES:,}",
        "grave_units": f"{write_units(EMPTY_SKU_BYTES + 1000 * TOMBSTONE_BYTES)}",
        "transactions": f"{TRANSACTIONS_PER_SECOND}",
        "transactions_from": f"{model['transactions_from']:g}",
    }


_ADVICE: Final[Mapping[str, Callable[[Mapping[str, Any]], str]]] = {
    "orders a day": lambda each: f"{each['orders']:,}",
    "at the sale's height": lambda each: f"{each['peak']:g}/s",
    "`requisicoesPorSegundo`": lambda each: f"{each['requisicoesPorSegundo']:,}",
    "`rajadaDeRequisicoes`": lambda each: f"{each['rajadaDeRequisicoes']:,}",
    "`iniciosPorSegundo`": lambda each: f"{each['iniciosPorSegundo']:,}",
    "`concorrenciaMaximaIniciador`": lambda each: f"{each['concorrenciaMaximaIniciador']:,}",
    "Lambda executions at once, to ask AWS for": lambda each: f"{each['lambda_concurrency']:,}",
    "requests the gateway must take, or a lower pace": lambda each: f"{each['gateway']:,}/s",
    "one SKU's share of the sale, at most": lambda each: f"{each['sale_share']:.0%}",
    "dollars a month": lambda each: f"${each['dollars_per_month']:,.0f}",
}


def _settings(model: Mapping[str, Any]) -> dict[str, str]:
    advised, dollars = model["advice"], model["dollars_per_million"]
    rows = ((name, *(told(each) for each in advised)) for name, told in _ADVICE.items())
    lines = [
        *((name, f"{each:,.2f}") for name, each in dollars.items()),
        ("**all**", f"**{sum(dollars.values()):,.2f}**"),
    ]
    pace = Settings.inicios_por_segundo
    minutes = [Settings.espera_inicio_segundos * total // 60 for total in accumulate(ESPERAS_DE_INICIO)]
    return {
        "advice": _table(("", "today", "growth", "high scale"), rows),
        "bill": _table(("service", "dollars per million orders"), lines),
        "prices": ListPrices.date,
        "today_peak": f"{advised[0]['peak']:g}",
        "million_month": f"{advised[-1]['dollars_per_month']:,.0f}",
        "dollars": f"{sum(dollars.values()):,.0f}",
        "step_functions": f"{dollars['Step Functions']:,.0f}",
        "pace": f"{pace}",
        "pace_day": f"{pace * DAY / 1_000_000:.1f}",
        "set_aside": f"{SET_ASIDE}",
        "south_pace": f"{OF_QUOTA * OTHER_REGIONS.starts.per_second:.0f}",
        "resent_after": f"{', '.join(map(str, minutes[:-2]))} and {minutes[-2]}",
        "given_up_after": f"{minutes[-1] // 60} h {minutes[-1] % 60} min",
        "longest_queue": f"{pace * minutes[-1] * 60 / 1_000_000:.1f}",
    }


def _model(durations: Mapping[str, Any]) -> dict[str, str]:
    medians = {
        "the API": durations["api"],
        "a starter's batch": durations["starter"],
        "and each record of it": durations["starter_record"],
        **durations["steps"],
    }
    return {
        "spread": f"{durations['spread']:g}",
        "durations": ", ".join(f"{name} {1000 * seconds:.0f}" for name, seconds in medians.items()),
        "gateway_ms": f"{1000 * durations['gateway']:.0f}",
        "timeout_ms": f"{1000 * durations['gateway_timeout']:.0f}",
    }


def _share(part: float, whole: float) -> str:
    share = part / whole if whole else 0.0
    return f"{share:.0%}" if share == 0 or share >= 0.01 else f"{share:.2%}"


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
