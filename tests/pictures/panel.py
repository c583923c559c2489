"""The dashboard's picture: its real body, each widget where CloudWatch would put it, with what one run left behind.

The embedded stack draws no graphs and has few of AWS's metrics. So each line shows one value over the whole run: ours
as the functions wrote them, the queues' and executions' as the emulator tells them, and a dash for what only AWS has.
"""

from __future__ import annotations

import io
import json
from collections import defaultdict
from dataclasses import dataclass
from html import escape
from statistics import quantiles
from typing import TYPE_CHECKING, Any, Final

from PIL import Image

from infra.names import Names
from infra.packaging import ROOT
from tests.support.emf import emitted
from tests.support.metric_math import evaluate, names_in

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from mypy_boto3_lambda import LambdaClient
    from playwright.sync_api import Browser

    from infra.local.proofs.workbench import Workbench

__all__ = ["Seen", "draw_panel", "html", "make_panel"]

PICTURE: Final = ROOT / "docs" / "img" / "painel.png"
Key = tuple[str, str, frozenset[tuple[str, str]]]
"""Namespace, name and dimensions of a metric."""


@dataclass(frozen=True)
class Seen:
    """A dashboard and what it would show.

    Attributes:
        body: as CloudWatch has it.
        values: every value of each metric during the run.
        states: state of each alarm, by ARN.
    """

    body: dict[str, Any]
    values: Mapping[Key, Sequence[float]]
    states: Mapping[str, str]


def make_panel(bench: Workbench) -> Seen:
    """The running stack's dashboard, after whatever was done to the stack."""
    cloudwatch, name = bench.target.cloudwatch, bench.target.names.painel
    # A round, which tells the age of the oldest case; by itself one comes every five minutes.
    functions: LambdaClient = bench.target.clients.client("lambda")
    functions.invoke(FunctionName=bench.target.names.funcao_conciliador, Payload=json.dumps({"source": "aws.events"}))
    alarms = cloudwatch.describe_alarms(AlarmTypes=["MetricAlarm", "CompositeAlarm"])
    values: dict[Key, list[float]] = defaultdict(list)
    for key, value in (*_own(bench), *_queues(bench), *_executions(bench)):
        values[key].append(value)
    return Seen(
        body=json.loads(cloudwatch.get_dashboard(DashboardName=name)["DashboardBody"]),
        values=values,
        states={
            alarm.get("AlarmArn", ""): alarm.get("StateValue", "")
            for alarm in (*alarms["MetricAlarms"], *alarms["CompositeAlarms"])
        },
    )


def draw_panel(seen: Seen, browser: Browser) -> None:
    """Writes docs/img/painel.png."""
    page = browser.new_page(viewport={"width": 1500, "height": 900})
    page.set_content(html(seen))
    PICTURE.parent.mkdir(parents=True, exist_ok=True)
    shot = Image.open(io.BytesIO(page.screenshot(full_page=True)))
    # It has few colours, and their shades make the letters smooth.
    shot.convert("RGB").quantize(64).save(PICTURE, optimize=True)
    page.close()


# --- What the run left ------------------------------------------------------------------------------------------------


def _own(bench: Workbench) -> Iterator[tuple[Key, float]]:
    logs = bench.target.clients.client("logs")
    for function in bench.target.names.funcoes:
        pages = logs.get_paginator("filter_log_events").paginate(logGroupName=Names.logs_da_funcao(function))
        output = "\n".join(event["message"].strip() for page in pages for event in page["events"])
        for metric in emitted(output):
            for value in metric.values:
                yield (metric.namespace, metric.name, frozenset(metric.dimensions.items())), value


def _queues(bench: Workbench) -> Iterator[tuple[Key, float]]:
    for url in bench.target.filas.values():
        found = bench.target.sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
        where = frozenset({("QueueName", url.rpartition("/")[2])})
        # SQS's attributes and metrics differ in one name.
        yield ("AWS/SQS", "ApproximateNumberOfMessagesVisible", where), float(found["ApproximateNumberOfMessages"])
        hidden = "ApproximateNumberOfMessagesNotVisible"
        yield ("AWS/SQS", hidden, where), float(found[hidden])


def _executions(bench: Workbench) -> Iterator[tuple[Key, float]]:
    endings = {"FAILED": "ExecutionsFailed", "TIMED_OUT": "ExecutionsTimedOut", "ABORTED": "ExecutionsAborted"}
    for arn in bench.target.maquinas.values():
        where = frozenset({("StateMachineArn", arn)})
        yield from ((("AWS/States", metric, where), 0.0) for metric in endings.values())
        for page in bench.target.sfn.get_paginator("list_executions").paginate(stateMachineArn=arn):
            for execution in page["executions"]:
                if execution["status"] in endings:
                    yield ("AWS/States", endings[execution["status"]], where), 1.0
                if "stopDate" in execution:
                    took = execution["stopDate"] - execution["startDate"]
                    yield ("AWS/States", "ExecutionTime", where), took.total_seconds() * 1000


# --- The page ---------------------------------------------------------------------------------------------------------


def html(seen: Seen) -> str:
    """The page: self-contained, every text escaped."""
    drawn = "\n".join(_widget(widget, seen) for widget in seen.body["widgets"])
    head = f'<meta charset="utf-8"><title>Painel</title><style>{_STYLE}</style>'
    return f'<!doctype html><html lang="pt-BR"><head>{head}</head><body><main>{drawn}</main>{_NOTE}</body></html>'


def _widget(widget: dict[str, Any], seen: Seen) -> str:
    x, y, width, height = (widget[key] for key in ("x", "y", "width", "height"))
    place = f"grid-column:{x + 1}/span {width};grid-row:{y + 1}/span {height}"
    inside = {"text": _text, "alarm": _alarms, "metric": _graph}[widget["type"]](widget["properties"], seen)
    return f'<section class="{widget["type"]}" style="{place}">{inside}</section>'


def _text(properties: dict[str, Any], _: Seen) -> str:
    first, *rest = properties["markdown"].splitlines()
    return f"<h1>{escape(first.lstrip('# '))}</h1><p>{escape(' '.join(rest))}</p>"


def _alarms(properties: dict[str, Any], seen: Seen) -> str:
    def one(arn: str) -> str:
        state = seen.states.get(arn, "INSUFFICIENT_DATA")
        mark = {"ALARM": "▲ ", "OK": "✓ "}.get(state, "· ")
        return f'<li class="{escape(state.lower())}">{mark}{escape(arn.rpartition(":")[2])}</li>'

    return f"<h2>{escape(properties['title'])}</h2><ul>{''.join(map(one, properties['alarms']))}</ul>"


def _graph(properties: dict[str, Any], seen: Seen) -> str:
    limits = [line["value"] for line in properties.get("annotations", {}).get("horizontal", ())]
    lines = list(_lines(properties["metrics"], seen))
    known = [value for _, value in lines if value is not None]
    scale = max([*known, *limits, 1.0])
    rows = "".join(_row(label, value, scale) for label, value in lines)
    told = "".join(f"<span>alarme acima de {limit:g}</span>" for limit in limits)
    unit = properties["yAxis"]["left"]["label"]
    return f"<h2>{escape(properties['title'])}</h2><p>{escape(unit)}{told}</p><dl>{rows}</dl>"


def _row(label: str, value: float | None, scale: float) -> str:
    said = "—" if value is None else f"{value:,.1f}".rstrip("0").rstrip(".")
    width = 0 if value is None else 100 * value / scale
    return f'<dt>{escape(label)}</dt><dd><i style="width:{width:.1f}%"></i><b>{said}</b></dd>'


def _lines(entries: Sequence[list[Any]], seen: Seen) -> Iterator[tuple[str, float | None]]:
    """Each visible line and its value over the run."""
    by_id = {entry[-1]["id"]: _value(entry, seen) for entry in entries if "id" in entry[-1]}
    for entry in entries:
        options = entry[-1]
        if len(entry) == 1:
            _, named = names_in(options["expression"])
            yield options["label"], _expression(options["expression"], {key: by_id[key] for key in named})
        elif options.get("visible", True):
            yield options["label"], _value(entry, seen)


def _expression(expression: str, over: Mapping[str, float | None]) -> float | None:
    (value,) = evaluate(expression, {key: [point] for key, point in over.items()})
    return value


def _value(entry: list[Any], seen: Seen) -> float | None:
    namespace, name, *pairs, options = entry
    values = seen.values.get((namespace, name, frozenset(zip(pairs[::2], pairs[1::2], strict=True))))
    return None if not values else _statistic(options["stat"], values)


def _statistic(stat: str, values: Iterable[float]) -> float:
    found = sorted(values)
    if stat.startswith("p") and len(found) > 1:
        return quantiles(found, n=100, method="inclusive")[int(stat[1:]) - 1]
    return sum(found) if stat == "Sum" else found[-1]


_NOTE: Final = (
    "<footer>Disposição do painel do CloudWatch, com os valores de uma corrida inteira na pilha embutida; "
    "— é o que só a AWS mede.</footer>"
)
_STYLE: Final = """
:root { font: 14px/1.35 system-ui, "DejaVu Sans", sans-serif; color: #16202c; background: #eef1f5 }
body { margin: 0 }
main { display: grid; grid-template-columns: repeat(24, 1fr); grid-auto-rows: 34px; gap: 8px; padding: 14px }
section { background: #fff; border: 1px solid #c9d1dc; border-radius: 6px; padding: 10px 14px; overflow: hidden }
section.text { background: none; border: none; padding: 4px }
h1 { font-size: 22px; margin: 0 } h2 { font-size: 15px; margin: 0 0 4px }
p { margin: 0 0 8px; color: #45536a; font-size: 12px } p span { float: right }
dl { display: grid; grid-template-columns: minmax(9em, 42%) 1fr; gap: 4px 10px; margin: 0 }
dt { font-size: 12.5px } dd { margin: 0; display: flex; align-items: center; gap: 8px; font-size: 12.5px }
dd i { background: #2f6db5; height: 10px; border-radius: 2px; min-width: 0; max-width: calc(100% - 4.5em) }
ul { columns: 4; margin: 0; padding: 0; list-style: none; font-size: 12px }
footer { padding: 0 18px 14px; color: #45536a; font-size: 12px }
li { white-space: nowrap } li.alarm { font-weight: 700; color: #a11414 } li.insufficient_data { color: #5a6779 }
"""
