"""What an order can go through without anybody dying; the crash points are derived from what each was seen to call."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from infra.ops.intervention import Decision
from tests.inprocess.functions import API, INICIADOR, SETTINGS
from tests.inprocess.person import Person
from tests.inprocess.process import Call, Moment
from tests.inprocess.promises import Watch, broken_at_rest
from tests.inprocess.world import DAY, HOUR, MINUTE, Order, World

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.crash.points import Point
    from tests.inprocess.functions import Installed

__all__ = ["SCENARIOS", "Run", "Scenario", "run"]

_REPROCESSAR, _ENCERRAR = Decision.REPROCESSAR, Decision.ENCERRAR

_LONG_WAIT: Final = 12 * DAY

_ROUNDS: Final = (
    150,
    *[5 * MINUTE] * 7,
    HOUR,
    HOUR,
    22 * HOUR,
    HOUR,
    90 * MINUTE,
    _LONG_WAIT,
    5 * MINUTE,
    2 * DAY,
    5 * MINUTE,
    2 * DAY,
    *[5 * MINUTE] * 3,
)
"""Seconds between the rounds that matter: every due time of the reconciler falls before one of them (starts, look-ups
after 1 h and 24 h, messages after 13 days, tombstones after 15)."""

_CLIENT_TRIES: Final = 4


@dataclass(frozen=True)
class Scenario:
    """One life of one order.

    Attributes:
        name: what is special about it.
        ends: the order's last status when nobody dies.
        order: what is posted.
        decisions: what the person on call decides, case after case; with none left, cases are only held.
        stops_in: states in which the execution is stopped.
        events_lost: whether no event tells of it.
        posts: times the client posts, however it is answered.
        spoilt: what goes wrong by itself, call by call.
    """

    name: str
    ends: str
    order: Order = field(default_factory=Order)
    decisions: tuple[Decision, ...] = ()
    stops_in: tuple[str, ...] = ()
    events_lost: bool = False
    posts: int = 1
    spoilt: Callable[[Call], Moment | None] = lambda _: None

    def ends_after(self, point: Point) -> str | None:
        """Its end when that befalls it: one thing going wrong once is outlived. None where it may be another."""
        # In the place of what is spoilt, the point is the one time it is not.
        instead = self.spoilt(Call(point.function, point.first, point.index, point.name)) is not None
        # A claim that arrives while a person is asked has a closing asked for once more (docs/decisions.md).
        again = point.moment in (Moment.LATE, Moment.REPEATED_LATE) and _ENCERRAR in self.decisions
        return self.ends if point.times == 1 and not (instead or again) else None


@dataclass(frozen=True)
class Run:
    """What became of it.

    Attributes:
        world: at the end.
        broken: promises broken on the way and at the end.
    """

    world: World
    broken: list[str]

    @property
    def status(self) -> str:
        """The order's last status; "" when it was never written."""
        (pedido_id,) = self.world.orders
        return self.world.status(pedido_id)

    def wrongs(self, ends: str | None) -> list[str]:
        """What is wrong with it, its last status being another than ``ends`` included; None where that may change."""
        changed = ends is not None and self.status != ends
        return [*self.broken, f"terminou {self.status or 'sem pedido'}, esperado {ends}"] if changed else self.broken

    def told(self, *about: object) -> str:
        """What went wrong, and the story of how, for whoever reads a failure."""
        return "\n".join([*map(str, about), *self.broken, "", self.world.told()])


def run(
    here: Installed,
    scenario: Scenario,
    fault_of: Callable[[Call], Moment | None] | None = None,
    *,
    patient: bool = True,
    late_seconds: float | None = None,
) -> Run:
    """The scenario from the POST to sixteen days later, with what befalls its calls besides.

    Args:
        patient: whether the client repeats a POST that was not answered.
        late_seconds: as `World.late_seconds`.
    """

    def fault(call: Call) -> Moment | None:
        planned = fault_of(call) if fault_of is not None else None
        return planned or scenario.spoilt(call)

    world = here.world = World(fault_of=fault, stops_in=scenario.stops_in, events_lost=scenario.events_lost)
    world.late_seconds = late_seconds
    watch = Watch(world)
    person = Person(world, list(scenario.decisions))
    broken: list[str] = []
    _post(world, scenario, patient=patient)
    for gap in _ROUNDS:
        if gap == _LONG_WAIT:
            # Whatever goes wrong is put right, or seen by a person, within little more than a day.
            broken += broken_at_rest(world)
        world.settle(world.now + gap)
        if world.anything_due():
            world.round()
            world.settle(world.now + 1)
        person.visit()
        world.settle(world.now + 1)
    watch.look()
    broken += broken_at_rest(world)
    return Run(world, [*watch.broken, *dict.fromkeys(broken)])


def _post(world: World, scenario: Scenario, *, patient: bool) -> None:
    order = scenario.order
    for made in range(1, _CLIENT_TRIES + 1):
        world.post(order)
        world.settle(world.now + 1)
        answered = order.pedido_id in world.accepted
        if made >= scenario.posts and (answered or not patient):
            return


def _paying(name: str, token: str, ends: str, *decisions: Decision, **falhas: str) -> Scenario:
    return Scenario(name, ends, Order(cartao_token=token, falhas=falhas), decisions)


def _broken(name: str, ends: str, *decisions: Decision, **falhas: str) -> Scenario:
    return Scenario(name, ends, Order(falhas=falhas), decisions)


def _stopped(state: str, ends: str, *, falhas: dict[str, str] | None = None, **more: bool) -> Scenario:
    lost = more.get("events_lost", False)
    return Scenario(
        f"parada em {state}" + (", sem evento" if lost else ""),
        ends,
        Order(falhas=falhas or {}),
        (_REPROCESSAR,),
        (state,),
        events_lost=lost,
    )


def _first_send_is_lost(call: Call) -> Moment | None:
    return Moment.REQUEST_LOST if call.function == API and call.name == "send_message" else None


def _never_starts(call: Call) -> Moment | None:
    return Moment.THROTTLED if call.function == INICIADOR and call.name == "start_execution" else None


def _settles_late(call: Call) -> Moment | None:
    """The whole first visit fails; the person's answer leads to another."""
    tried = SETTINGS.tentativas_do_passo + 1
    return Moment.THROTTLED if call.function == "EfetivarReserva" and call.invocation < tried else None


_UNDONE = "FALHOU_COMPENSADO"
_HUMAN = "REQUER_INTERVENCAO_HUMANA"
_CLOSED = "RESOLVIDO_MANUALMENTE"

SCENARIOS: Final = (
    Scenario("caminho feliz", "CONFIRMADO"),
    Scenario("SKU sem mapa de reservas", "CONFIRMADO", Order(sku="sku-sem-mapa")),
    Scenario("postado duas vezes", "CONFIRMADO", posts=2),
    Scenario("fila fora no POST", "CONFIRMADO", spoilt=_first_send_is_lost),
    Scenario("nunca inicia", _UNDONE, decisions=(_REPROCESSAR,), spoilt=_never_starts),
    Scenario("sem saldo", "FALHOU_SEM_RESERVA", Order(sku="sku-ultimo")),
    Scenario("SKU que não existe", "FALHOU_SEM_RESERVA", Order(sku="sku-fantasma")),
    _paying("recusada", "tok-forcar-recusa", _UNDONE),
    _paying("gateway fora", "tok-indisponivel", _UNDONE),
    _paying("gateway fora duas vezes", "tok-indisponivel-2", "CONFIRMADO"),
    _paying("silêncio sem cobrar", "tok-timeout-sem-cobrar", _UNDONE),
    _paying("silêncio e cobra", "tok-timeout-cobrado", _UNDONE),
    _paying("500 e cobra", "tok-500-cobrado", _UNDONE),
    _paying("cobrança tardia", "tok-cobranca-tardia", _UNDONE),
    _paying("cobrança muito tardia", "tok-cobranca-muito-tardia", _UNDONE, _REPROCESSAR),
    _paying("cobrança muito tardia, encerrada", "tok-cobranca-muito-tardia", _CLOSED, _ENCERRAR),
    _paying("estorno perdido", "tok-estorno-perdido", _UNDONE, ConfirmarPedido="antes"),
    _paying("estorno pendente", "tok-estorno-pendente", _UNDONE, ConfirmarPedido="antes"),
    _paying("estorno indisponível, retido", "tok-estorno-indisponivel", _HUMAN, ConfirmarPedido="antes"),
    _paying("estorno indisponível, encerrado", "tok-estorno-indisponivel", _CLOSED, _ENCERRAR, ConfirmarPedido="antes"),
    _paying("estorno lento, reprocessado", "tok-estorno-lento-21", _UNDONE, _REPROCESSAR, ConfirmarPedido="antes"),
    _broken("reserva ambígua", _UNDONE, ReservarEstoque="depois"),
    _broken("cobrança ambígua", _UNDONE, CobrarPagamento="depois"),
    _broken("confirmação ambígua", "CONFIRMADO", ConfirmarPedido="depois"),
    Scenario("efetivação pendente, reprocessada", "CONFIRMADO", decisions=(_REPROCESSAR,), spoilt=_settles_late),
    _broken("efetivação pendente, encerrada", "CONFIRMADO", _ENCERRAR, EfetivarReserva="antes"),
    _broken("liberação falha, encerrada", _CLOSED, _ENCERRAR, CobrarPagamento="antes", LiberarEstoque="antes"),
    _broken("liberação falha, retida", _HUMAN, ConfirmarPedido="antes", LiberarEstoque="antes"),
    _stopped("ReservarEstoque", _UNDONE),
    _stopped("CobrarPagamento", _UNDONE),
    Scenario("parada em CobrarPagamento, retida", _HUMAN, stops_in=("CobrarPagamento",)),
    _stopped("ConfirmarPedido", _UNDONE, events_lost=True),
    _stopped("EfetivarReserva", "CONFIRMADO"),
    _stopped("EstornarPagamento", _UNDONE, falhas={"ConfirmarPedido": "antes"}),
    _stopped("LiberarEstoque", _UNDONE, falhas={"ConfirmarPedido": "antes"}, events_lost=True),
)
"""Every way an order can go, by what happens to its charge, its stock, its execution and its case."""
