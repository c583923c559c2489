"""``docs/campaign.md``, its plots and the README's table, from a campaign's report and nothing else."""

from __future__ import annotations

import json
import re
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any, Final

from tests.campaign.plan import FATES, FROZEN_SECONDS, SLOW_FATES, Blow
from tests.campaign.plots import draw
from tests.campaign.saga import CLOSED_PERCENT, REPROCESSED_PERCENT
from tests.campaign.verdict import Harm

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

__all__ = ["DOCS", "PAGE", "REPORT", "headline", "page", "with_headline", "write"]

DOCS: Final = Path(__file__).resolve().parents[2] / "docs"
PAGE: Final = "campaign.md"
REPORT: Final = "campaign.json"

_README: Final = DOCS.parent / "README.md"
_BLOCK: Final = re.compile(r"(?<=<!-- campaign -->\n).*?(?=<!-- /campaign -->)", re.DOTALL)
"""What `write` keeps current in the README, where the README has it."""

_TEMPLATE: Final = Path(__file__).with_name("page.md")
_TITLES: Final = {"cesta": "Cesta", "doc000": "000, as written", "minimo": "nested try/except"}
_LABELS: Final = {
    Harm.PERDIDO.value: "lost or stuck, and nobody knows",
    Harm.ESTOQUE.value: "stock held, order not confirmed",
    Harm.DINHEIRO.value: "money taken, order not confirmed",
    Harm.SEM_DINHEIRO.value: "confirmed, and the money is not there",
    Harm.COBRANCA_DUPLA.value: "charged twice",
}
_BLOWS: Final = {
    Blow.REPOST.value: "orders posted twice at once",
    Blow.REMESSAGE.value: "queue messages put in again",
    Blow.POISON.value: "queue messages that are no order",
    Blow.KILL.value: "Lambda workers killed (SIGKILL)",
    Blow.STOP.value: "executions stopped (StopExecution)",
    Blow.FREEZE.value: f"times the gateway stood still for {FROZEN_SECONDS:g} s, and then did what it had been asked",
}
_STRUCK: Final = {
    "DynamoDB limita (antes)": "DynamoDB throttles, before the effect",
    "SQS limita (antes)": "SQS throttles, before the effect",
    "Step Functions limita (antes)": "Step Functions throttles, before the effect",
    "erro 500 (antes)": "500, before the effect",
    "erro 503 (antes)": "503, before the effect",
    "conexão derrubada (antes)": "connection reset, before the effect",
    "resposta perdida (depois)": "answer lost, after the effect",
}
_NO_RECORD: Final = "no record of the order"
_SERVICES: Final = {
    "dynamodb": "DynamoDB",
    "sqs": "SQS",
    "stepfunctions": "Step Functions",
    "ssm": "Parameter Store",
    "logs": "CloudWatch Logs",
    "sns": "SNS",
    "cloudwatch": "CloudWatch",
}


def write(report: Mapping[str, Any], folder: Path = DOCS, readme: Path = _README) -> None:
    """Write the page, the plots beside it, the report they are made from, and the README's table."""
    text = json.dumps(report, ensure_ascii=False, separators=(",", ":"))
    (folder / REPORT).write_text(text + "\n", encoding="utf-8")
    (folder / PAGE).write_text(page(report), encoding="utf-8")
    readme.write_text(with_headline(readme.read_text(encoding="utf-8"), report), encoding="utf-8")
    draw(report, _LABELS, _TITLES, folder / "img")


def with_headline(readme: str, report: Mapping[str, Any]) -> str:
    """The README with the report's table between its two marks."""
    return _BLOCK.sub(lambda _: f"\n{headline(report)}\n\n", readme)


def headline(report: Mapping[str, Any]) -> str:
    """The table of the README: what each design leaves broken."""
    systems = report["sistemas"]
    return _table(
        systems,
        "",
        [
            ["orders accepted", *(system["aceitos"] for system in systems)],
            ["**left broken**", *(f"**{system['quebrados']}**" for system in systems)],
            # Slow is not lost: who objects that some only needed longer can subtract them.
            ["of them still under way when time was up", *(system["emAndamento"] for system in systems)],
            *([label, *(system["danos"][harm] for system in systems)] for harm, label in _LABELS.items()),
            ["units sold beyond the stock", *(system["unidadesVendidasAlem"] for system in systems)],
            ["units gone for nobody", *(system["unidadesSumidas"] for system in systems)],
            ["with a person, who was told", *(system["comPessoa"] for system in systems)],
        ],
    )


def page(report: Mapping[str, Any]) -> str:
    """The page, as text."""
    plan, machine, systems = report["plano"], report["maquina"], report["sistemas"]
    ours = systems[0]
    return Template(_TEMPLATE.read_text(encoding="utf-8")).substitute(
        day=report["em"][:10],
        cores=machine["nucleos"],
        python=machine["python"],
        seed=plan["semente"],
        orders=f"{plan['pedidos']:,}",
        skus=len(plan["skus"]),
        rate=f"{plan['por_segundo']:g}",
        clients=plan["clientes"],
        headline=headline(report),
        found=_found(report["achados"]),
        p50=_seconds(ours["p50Segundos"]),
        p99=_seconds(ours["p99Segundos"]),
        machine_ended=len(ours["duracoes"]),
        speed=f"{1 / plan['escalaEspera']:g}",
        duration=f"{ours['segundos']:g}",
        memory=ours["memoriaMib"],
        ends=_table(systems, "", _ends(systems)),
        blows=_table(systems, "beside the orders", _blows(systems)),
        kills="\n".join(_kills(systems)),
        services=_table(systems, "calls, and how many of them failed", _services(systems)),
        struck=_table(systems, "calls that failed", _struck(systems)),
        reprocessed=REPROCESSED_PERCENT,
        closed=CLOSED_PERCENT,
        fates=_rows(["orders", "card", "steps that fail"], _fates(lasting=plan["lentos"])),
    )


def _found(found: Sequence[str]) -> str:
    if not found:
        return "Cesta kept every promise."
    return "**Cesta broke promises in this run:**\n\n" + "\n".join(f"- {finding}" for finding in found)


def _ends(systems: Sequence[Mapping[str, Any]]) -> Iterator[list[object]]:
    for end in sorted({end for system in systems for end in system["fins"]}, reverse=True):
        yield [end or _NO_RECORD, *(system["fins"].get(end, 0) for system in systems)]


def _blows(systems: Sequence[Mapping[str, Any]]) -> Iterator[list[object]]:
    for blow, label in _BLOWS.items():
        yield [label, *(system["golpes"][blow] for system in systems)]


def _kills(systems: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for system in systems:
        killed = ", ".join(f"`{name}` {count}" for name, count in system["mortos"].items())
        yield f"- {_TITLES[system['sistema']]}: {killed}"


def _services(systems: Sequence[Mapping[str, Any]]) -> Iterator[list[object]]:
    for service in sorted({service for system in systems for service in system["chamadas"]}):
        counts = ((system["chamadas"].get(service, 0), system["chamadasFalhas"].get(service, 0)) for system in systems)
        yield [_SERVICES.get(service, service), *(f"{calls:,}, {failed}" for calls, failed in counts)]


def _struck(systems: Sequence[Mapping[str, Any]]) -> Iterator[list[object]]:
    for rule, label in _STRUCK.items():
        yield [label, *(system["atingidasPorRegra"].get(rule, 0) for system in systems)]


def _fates(*, lasting: bool) -> Iterator[list[object]]:
    for fate in (*FATES, *SLOW_FATES) if lasting else FATES:
        steps = ", ".join(f"{step}: {how}" for step, how in fate.falhas.items()) or "none"
        yield [f"{100 * fate.share:g} %", f"`{fate.cartao}`", steps]
    yield ["the others", "`tok-ok`", "none"]


def _seconds(value: float | None) -> str:
    return "-" if value is None else f"{value:g} s"


def _table(systems: Sequence[Mapping[str, Any]], head: str, rows: Iterable[Sequence[object]]) -> str:
    return _rows([head, *(_TITLES[system["sistema"]] for system in systems)], rows)


def _rows(head: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(str(cell) for cell in line) + " |" for line in lines)
