"""Names of resources, for any stack there may be."""

from __future__ import annotations

import operator
from itertools import chain
from string import ascii_lowercase, digits

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.domain.status import Etapa
from infra.names import Names, base_da_etapa

pytestmark = pytest.mark.unit

STACKS = st.builds(
    operator.add,
    st.sampled_from(ascii_lowercase),
    st.text(f"{ascii_lowercase}{digits}-", max_size=19).filter(lambda rest: not rest.endswith("-")),
)


def functions(names: Names) -> list[str]:
    return [names.funcao_api, names.funcao_iniciador, *(names.funcao_da_etapa(etapa) for etapa in Etapa)]


def by_kind(names: Names) -> dict[str, list[str]]:
    """Names that live in one namespace of AWS."""
    machines = [names.maquina_pedido, names.maquina_retomada]
    return {
        "tables": [names.tabela_pedidos, names.tabela_estoque],
        "queues": [names.fila_criados, names.fila_criados_dlq, names.fila_humana],
        "topics": [names.topico],
        "machines": machines,
        "functions": functions(names),
        "roles": [names.papel(owner) for owner in (*functions(names), *machines)],
    }


@pytest.mark.parametrize(
    ("etapa", "base"),
    [
        (Etapa.RESERVAR_ESTOQUE, "reservar-estoque"),
        (Etapa.COBRAR_PAGAMENTO, "cobrar-pagamento"),
        (Etapa.CONFIRMAR_PEDIDO, "confirmar-pedido"),
        (Etapa.EFETIVAR_RESERVA, "efetivar-reserva"),
        (Etapa.ESTORNAR_PAGAMENTO, "estornar-pagamento"),
        (Etapa.LIBERAR_ESTOQUE, "liberar-estoque"),
    ],
)
def test_a_steps_function_is_named_after_its_state(etapa: Etapa, base: str) -> None:
    assert base_da_etapa(etapa) == base
    assert Names("prod").funcao_da_etapa(etapa) == f"cesta-{base}"
    assert Names("dev").funcao_da_etapa(etapa) == f"cesta-dev-{base}"


@given(STACKS)
def test_names_fit_the_limits_of_aws(stack: str) -> None:
    # Lambda 64, IAM roles 64, SQS 80, Step Functions 80, SNS 256, DynamoDB 255 characters.
    limits = {"tables": 255, "queues": 80, "topics": 256, "machines": 80, "functions": 64, "roles": 64}
    for kind, names in by_kind(Names(stack)).items():
        assert max(map(len, names)) <= limits[kind], kind


@given(STACKS, STACKS)
def test_two_stacks_of_one_account_share_no_name(one: str, other: str) -> None:
    if one == other:
        return
    ours, theirs = by_kind(Names(one)), by_kind(Names(other))
    for kind, names in ours.items():
        assert not set(names) & set(theirs[kind])


@given(STACKS)
def test_no_stack_has_a_name_of_prods(stack: str) -> None:
    if stack == "prod":
        return
    ours, prods = by_kind(Names(stack)), by_kind(Names("prod"))
    for kind, names in ours.items():
        assert not set(names) & set(prods[kind])


@given(STACKS)
def test_within_a_stack_no_name_is_used_twice(stack: str) -> None:
    for kind, names in by_kind(Names(stack)).items():
        assert len(names) == len(set(names)), kind
    assert all(name.startswith(Names(stack).prefix) for name in chain.from_iterable(by_kind(Names(stack)).values()))
