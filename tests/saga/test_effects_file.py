"""Reading what a definition's states do from YAML."""

from __future__ import annotations

import pytest

from infra.saga.asl import parse
from infra.saga.effects import (
    CompensationEffect,
    Doubt,
    Effects,
    FailureEnd,
    Late,
    Meaning,
    PersonEffect,
    PivotEffect,
    RecordEffect,
    StepEffect,
)
from infra.saga.effects_file import EXAMPLE, EffectsError, read_effects
from infra.saga.model import StatusWrite

pytestmark = pytest.mark.saga

SMALLEST = """
inicial: NOVO
estados:
  A: {tipo: passo, efeito: coisa feita}
"""


def test_the_example_that_is_printed_can_be_read_and_says_what_it_says() -> None:
    effects = read_effects(EXAMPLE)
    assert effects.initial == "RECEBIDO"
    assert effects.transient == ("GatewayIndisponivelError",)
    assert not effects.net
    states = effects.states
    assert states["ReservarEstoque"] == StepEffect(
        "estoque reservado", ("EstoqueInsuficienteError",), idempotent=True, answer_key="reserva"
    )
    assert states["ConfirmarPedido"] == PivotEffect((), StatusWrite("CONFIRMADO", ("RECEBIDO", "CONFIRMADO")))
    assert states["EstornarPagamento"] == CompensationEffect(
        "dinheiro cobrado",
        pivot_won="PedidoJaConfirmadoError",
        claims=StatusWrite("COMPENSANDO", ("RECEBIDO", "COMPENSANDO")),
        doubt=Doubt("CobrancaIndefinidaError", 900),
        late=Late.AWAITED,
    )
    assert states["RegistrarFalhaSemCompensacao"] == RecordEffect(
        Meaning.NOTHING_DONE, ("RECEBIDO", "FALHOU_SEM_RESERVA"), "FALHOU_SEM_RESERVA"
    )
    person = states["PerguntarAUmaPessoa"]
    assert isinstance(person, PersonEffect)
    assert [answer.state for answer in person.answers] == [None, "RegistrarEncerrado"]
    assert states["PedidoFalhou"] == FailureEnd(Meaning.COMPENSATED)


def test_the_least_that_can_be_said() -> None:
    assert read_effects(SMALLEST) == Effects(states={"A": StepEffect("coisa feita")}, initial="NOVO")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "o YAML não se lê"),
        ("[]", "não é um objeto"),
        ("inicial: X", "falta estados"),
        ("estados: {A: {tipo: passo, efeito: x}}", "falta inicial"),
        (SMALLEST.replace("tipo: passo", "tipo: passos"), "A: tipo é 'passos'"),
        (SMALLEST.replace("efeito: coisa feita", "efeito: 3"), "A: efeito não é um texto"),
        (SMALLEST.replace("efeito: coisa feita", "feito: x"), "A: falta efeito"),
        (SMALLEST.replace("}", ", idempotente: sim}"), "A: idempotente não é true ou false"),
        (SMALLEST.replace("}", ", recusas: [1]}"), "A: recusas não é uma lista de textos"),
        (SMALLEST.replace("}", ", outra: 1}"), "A: campo desconhecido: outra"),
        (SMALLEST + "\nmais: 1", "campo desconhecido: mais"),
        (SMALLEST + "  B: {tipo: compensacao, desfaz: coisa}", "B: desfaz 'coisa', que nenhum passo faz"),
        (SMALLEST + "  B: {tipo: registro, diz: talvez}", "B: diz é 'talvez'"),
        (SMALLEST + "  B: {tipo: registro}", "B: diz é None"),
    ],
)
def test_what_is_wrong_is_told_with_its_place_and_mend(text: str, message: str) -> None:
    with pytest.raises(EffectsError) as error:
        read_effects(text, source="e.yaml")
    assert str(error.value).startswith("e.yaml")
    assert message in str(error.value)
    assert "Conserto: " in str(error.value)


def test_a_state_that_the_definition_does_not_have_is_refused() -> None:
    definition = parse('{"StartAt": "a", "States": {"a": {"Type": "Succeed"}}}')
    with pytest.raises(EffectsError, match="A: a definição não tem este estado"):
        read_effects(SMALLEST, definition)
