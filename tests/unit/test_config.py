"""The stack's settings: what is taken, what is refused, and how the refusal reads."""

from __future__ import annotations

from dataclasses import fields, replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from handlers.domain.status import Etapa
from infra.config import Authorizer, Settings, from_mapping
from infra.config_errors import (
    ForbiddenSettingError,
    InvalidSettingError,
    MissingSettingError,
    SettingsChainError,
    SettingsError,
    StackNameError,
    UnknownSettingError,
)
from infra.limits import Limits
from infra.sagas.pedido import AjustesDaSaga, Recursos, compilar
from tests.support.texts import CHARACTERS

if TYPE_CHECKING:
    from infra.config_reader import Value

pytestmark = pytest.mark.unit

GATEWAY: dict[str, Value] = {"gatewayUrl": "https://gateway.teste"}


def settings(**given: Value) -> Settings:
    return from_mapping("dev", {**GATEWAY, **given})


# --- Taken -----------------------------------------------------------------------------------------------------------


def test_the_gateway_is_all_a_stack_must_say() -> None:
    assert settings() == Settings(stack="dev", gateway_url="https://gateway.teste")


def test_the_defaults_are_the_designs() -> None:
    read = settings()
    assert read.authorizer is Authorizer.IAM
    assert read.injecao_de_falhas is False
    assert (read.retencao_logs_dias, read.concorrencia_maxima_iniciador) == (30, 10)
    # Below the lowest StartExecution quota of any region, and what a common gateway takes (docs/scale.md).
    assert read.inicios_por_segundo == 90
    assert (read.gateway_conexao_segundos, read.gateway_leitura_segundos) == (1, 5)
    assert (read.lambda_segundos, read.estado_segundos, read.intervalo_plataforma_segundos) == (20, 30, 25)
    assert (read.janela_duvida_segundos, read.intervalo_duvida_segundos) == (900, 60)
    assert read.prazo_humano_segundos == 13 * 24 * 3600


def test_the_limits_are_the_source_documents_where_it_has_any() -> None:
    limits = settings().limites
    assert limits.limite_compensacoes_por_cento == 5
    # "Não copie um número de outro laboratório", and "volume baixo demais para treinar um detector".
    assert limits.limite_saga_segundos is None
    assert limits.anomalia_de_compensacoes is False
    assert settings(limiteSagaSegundos="90").limites.limite_saga_segundos == 90


def test_texts_as_pulumi_hands_them_and_typed_values_are_the_same() -> None:
    typed = settings(injecaoDeFalhas=True, lambdaSegundos=10, gatewayLeituraSegundos=2.5, escalaEspera=1)
    texts = settings(injecaoDeFalhas="true", lambdaSegundos="10", gatewayLeituraSegundos="2.5", escalaEspera="1")
    assert typed == texts
    assert typed.lambda_segundos == 10


def test_the_defaults_of_the_saga_are_the_settings_defaults() -> None:
    assert settings().saga == AjustesDaSaga()


def test_every_time_of_the_saga_comes_from_its_setting() -> None:
    read = settings(
        gatewayConexaoSegundos="0.5",
        gatewayLeituraSegundos="3",
        lambdaSegundos="10",
        estadoSegundos="15",
        intervaloPlataformaSegundos="12",
        intervaloTransitorioSegundos="3",
        atrasoMaximoSegundos="50",
        tentativasDoPasso="2",
        tentativasDaCompensacao="5",
        janelaDuvidaSegundos="100",
        intervaloDuvidaSegundos="30",
        prazoHumanoSegundos="3600",
    )
    assert read.saga == AjustesDaSaga(
        http_segundos=3.5,
        lambda_segundos=10,
        estado_segundos=15,
        intervalo_plataforma_segundos=12,
        intervalo_transitorio_segundos=3,
        atraso_maximo_segundos=50,
        tentativas_do_passo=2,
        tentativas_da_compensacao=5,
        janela_duvida_segundos=100,
        intervalo_duvida_segundos=30,
        tentativas_duvida=9,
        prazo_humano_segundos=3600,
    )


def test_only_the_handlers_clock_sees_the_shrunk_doubt_window() -> None:
    read = from_mapping("local", {**GATEWAY, "escalaEspera": "0.05"})
    assert read.janela_duvida_no_relogio == 45
    assert read.saga.janela_duvida_segundos == 900


@pytest.mark.parametrize(
    "url", ["https://g.example", "https://g.example:8443/v1", "http://127.0.0.1:80", "http://[::1]:8"]
)
def test_urls_that_are_taken(url: str) -> None:
    assert from_mapping("dev", {"gatewayUrl": url}).gateway_url == url


def test_prod_is_the_only_stack_that_is_production() -> None:
    assert from_mapping("prod", GATEWAY).producao
    assert not from_mapping("dev", GATEWAY).producao


# --- Refused ---------------------------------------------------------------------------------------------------------


def test_a_missing_required_key_is_named() -> None:
    with pytest.raises(MissingSettingError, match="falta cesta:gatewayUrl") as refused:
        from_mapping("dev", {})
    assert refused.value.key == "gatewayUrl"


def test_a_typo_is_refused_and_the_right_key_suggested() -> None:
    with pytest.raises(UnknownSettingError, match="talvez cesta:injecaoDeFalhas") as refused:
        settings(injecaoDeFalha="true")
    assert refused.value.suggestion == "injecaoDeFalhas"


def test_a_key_like_no_other_gets_the_list() -> None:
    with pytest.raises(UnknownSettingError, match="existem gatewayUrl, authorizer") as refused:
        settings(xyz="1")
    assert refused.value.suggestion is None


def test_the_stacks_name_is_no_setting() -> None:
    with pytest.raises(UnknownSettingError):
        settings(stack="prod")


WRONG: list[tuple[str, Value]] = [
    ("gatewayUrl", "http://gateway.teste"),
    ("gatewayUrl", "http://127.0.0.1.gateway.teste"),
    ("gatewayUrl", "ftp://127.0.0.1"),
    ("gatewayUrl", "https://"),
    ("gatewayUrl", "https://g.teste/"),
    ("gatewayUrl", "https://g.teste?x=1"),
    ("gatewayUrl", "https://g.teste#x"),
    ("gatewayUrl", "https://g teste"),
    ("gatewayUrl", "https://g.teste:porta"),
    ("gatewayUrl", "https://[::1"),
    ("gatewayUrl", ""),
    ("gatewayUrl", 3),
    ("apiUrlBase", "api.cesta.teste"),
    ("authorizer", "IAM"),
    ("authorizer", ""),
    ("injecaoDeFalhas", "sim"),
    ("injecaoDeFalhas", "True"),
    ("injecaoDeFalhas", 1),
    ("retencaoLogsDias", "31"),
    ("retencaoLogsDias", "0"),
    ("retencaoLogsDias", True),
    ("alertasEmail", "plantao"),
    ("alertasEmail", "a@b c.d"),
    ("gatewayParametroCobranca", "sem-barra"),
    ("gatewayParametroEstorno", "/aws/reservado"),
    ("gatewayParametroConsulta", "/termina/em/barra/"),
    ("cognitoUserPoolArn", "us-east-1_AbC"),
    ("lambdaSegundos", "20.5"),
    ("lambdaSegundos", "vinte"),
    ("lambdaSegundos", ""),
    ("lambdaSegundos", "0"),
    ("lambdaSegundos", "-1"),
    ("lambdaSegundos", "901"),
    ("lambdaSegundos", True),
    ("lambdaSegundos", 20.0),
    ("lambdaSegundos", "9" * 400),
    ("lambdaSegundos", "１０"),
    ("gatewayLeituraSegundos", "nan"),
    ("gatewayLeituraSegundos", "inf"),
    ("gatewayLeituraSegundos", float("nan")),
    ("gatewayLeituraSegundos", "1e1"),
    ("gatewayLeituraSegundos", "0"),
    ("gatewayLeituraSegundos", "-1"),
    ("janelaDuvidaSegundos", "0.5"),
    ("janelaDuvidaSegundos", "72001"),
    ("atrasoMaximoSegundos", "61"),
    ("prazoHumanoSegundos", str(14 * 24 * 3600)),
    ("concorrenciaMaximaIniciador", "1"),
    ("concorrenciaMaximaIniciador", "1001"),
    ("iniciosPorSegundo", "0"),
    ("iniciosPorSegundo", "10001"),
    ("concorrenciaReservadaApi", "0"),
    ("metricasDetalhadas", "sim"),
    ("rastreamento", "sim"),
    ("limiteFilaSegundos", "59"),
    ("limiteCasoSegundos", "299"),
    ("limiteErrosDaApi", "-1"),
    ("limiteLatenciaMilissegundos", "29001"),
    ("limiteSagaSegundos", "0"),
    ("limiteCompensacoesPorCento", "101"),
    ("limiteThrottles", "-1"),
    ("anomaliaDeCompensacoes", "talvez"),
    ("intervaloConciliadorMinutos", "0"),
    ("intervaloConciliadorMinutos", "61"),
    ("esperaInicioSegundos", "29"),
    ("reverificacaoSegundos", "59"),
    ("reverificacaoFinalSegundos", str(14 * 24 * 3600 + 1)),
    ("requisicoesPorSegundo", "0"),
    ("requisicoesPorSegundo", "10001"),
    ("rajadaDeRequisicoes", "5001"),
    ("origensPermitidas", "*"),
    ("origensPermitidas", "null"),
    ("origensPermitidas", "loja.exemplo"),
    ("origensPermitidas", "http://loja.exemplo"),
    ("origensPermitidas", "https://loja.exemplo/"),
    ("origensPermitidas", "https://Loja.exemplo"),
    ("origensPermitidas", "https://loja.exemplo:443"),
    ("origensPermitidas", "https://*.exemplo"),
    ("origensPermitidas", "https://loja.exemplo,https://a'b"),
    ("logsDeAcesso", "sim"),
    ("escalaEspera", "0"),
    ("escalaEspera", "1.5"),
]


@pytest.mark.parametrize(("key", "value"), WRONG)
def test_a_wrong_value_is_refused_in_one_line_that_names_it(key: str, value: Value) -> None:
    with pytest.raises(InvalidSettingError) as refused:
        settings(**{key: value})
    message = str(refused.value)
    assert (refused.value.key, refused.value.value) == (key, value) or value != value  # NaN equals nothing
    assert message.startswith(f"cesta:{key} = ")
    assert refused.value.expected in message
    assert f"pulumi config set cesta:{key}" in message
    assert "\n" not in message


def test_every_key_has_a_value_it_refuses() -> None:
    unchecked = {field.name for field in (*fields(Settings), *fields(Limits))} - {"stack", "limites"}
    for key, _ in WRONG:
        unchecked.discard("".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in key))
    assert unchecked == {
        # Same rules as their neighbours, and in a chain below.
        *("gateway_conexao_segundos", "estado_segundos", "intervalo_plataforma_segundos"),
        *("intervalo_transitorio_segundos", "tentativas_do_passo", "tentativas_da_compensacao"),
        "intervalo_duvida_segundos",
    }


def test_a_url_with_a_password_is_refused_without_repeating_it() -> None:
    with pytest.raises(InvalidSettingError) as refused:
        settings(gatewayUrl="https://cesta:segredo@gateway.teste")
    assert "segredo" not in str(refused.value)
    assert "segredo" not in repr(refused.value.value)


@pytest.mark.parametrize(
    ("stack", "key", "value"),
    [
        ("prod", "authorizer", "none"),
        ("prod", "injecaoDeFalhas", "true"),
        ("prod", "escalaEspera", "0.5"),
        ("dev", "escalaEspera", "0.5"),
    ],
)
def test_what_is_right_elsewhere_is_refused_where_it_is_a_danger(stack: str, key: str, value: str) -> None:
    with pytest.raises(ForbiddenSettingError, match=f"não é permitido na stack {stack}") as refused:
        from_mapping(stack, {**GATEWAY, key: value})
    assert (refused.value.key, refused.value.stack) == (key, stack)
    from_mapping("local", {**GATEWAY, key: value})


def test_cognito_needs_its_pool() -> None:
    with pytest.raises(MissingSettingError, match="cognitoUserPoolArn"):
        settings(authorizer="cognito")
    arn = "arn:aws:cognito-idp:us-east-1:123456789012:userpool/us-east-1_AbC"
    assert settings(authorizer="cognito", cognitoUserPoolArn=arn).user_pools == (arn,)


@pytest.mark.parametrize(
    ("given", "key", "other"),
    [
        ({"gatewayLeituraSegundos": "19"}, "gatewayLeituraSegundos", "lambdaSegundos"),
        ({"estadoSegundos": "20"}, "lambdaSegundos", "estadoSegundos"),
        ({"intervaloPlataformaSegundos": "20"}, "intervaloPlataformaSegundos", "lambdaSegundos"),
        ({"atrasoMaximoSegundos": "24"}, "atrasoMaximoSegundos", "intervaloPlataformaSegundos"),
        (
            {"atrasoMaximoSegundos": "25", "intervaloTransitorioSegundos": "26"},
            "atrasoMaximoSegundos",
            "intervaloTransitorioSegundos",
        ),
        ({"iniciosPorSegundo": "9"}, "iniciosPorSegundo", "concorrenciaMaximaIniciador"),
        ({"tentativasDaCompensacao": "4"}, "tentativasDaCompensacao", "tentativasDoPasso"),
        ({"janelaDuvidaSegundos": "30"}, "janelaDuvidaSegundos", "estadoSegundos"),
        (
            {"janelaDuvidaSegundos": "72000", "intervaloDuvidaSegundos": "60"},
            "janelaDuvidaSegundos",
            "intervaloDuvidaSegundos",
        ),
    ],
)
def test_values_that_cannot_hold_together_are_refused_by_both_names(
    given: dict[str, Value], key: str, other: str
) -> None:
    with pytest.raises(SettingsChainError, match="não combinam") as refused:
        settings(**given)
    assert (refused.value.key, refused.value.other) == (key, other)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("stack", ["", "Prod", "dev_1", "1dev", "-dev", "dev-", "d" * 21, "dev.x", "dev\n", "prød"])
def test_a_stack_name_no_resource_could_bear_is_refused(stack: str) -> None:
    with pytest.raises(StackNameError):
        from_mapping(stack, GATEWAY)


# --- For every input -------------------------------------------------------------------------------------------------

INTEGERS = (
    *("lambdaSegundos", "estadoSegundos", "intervaloPlataformaSegundos", "intervaloTransitorioSegundos"),
    *("atrasoMaximoSegundos", "tentativasDoPasso", "tentativasDaCompensacao", "intervaloDuvidaSegundos"),
    *("prazoHumanoSegundos", "gatewayLeituraSegundos", "janelaDuvidaSegundos"),
)
RECURSOS = Recursos({etapa.value: f"arn:aws:lambda:::function:{etapa.value}" for etapa in Etapa}, "pedidos", "fila")


@given(st.dictionaries(st.sampled_from(INTEGERS), st.integers(1, 70)))
def test_settings_that_are_taken_compile_whatever_they_are(given: dict[str, int]) -> None:
    try:
        read = settings(**given)
    except SettingsError:
        return
    compilar(read.saga, RECURSOS)


@given(
    st.dictionaries(
        st.sampled_from([*INTEGERS, "gatewayUrl", "authorizer", "injecaoDeFalhas", "alertasEmail", "outra"]),
        st.text(CHARACTERS) | st.integers() | st.floats() | st.booleans(),
    ),
    st.text(CHARACTERS, max_size=25),
)
def test_nothing_but_a_settings_error_of_one_line_ever_comes_out(given: dict[str, Value], stack: str) -> None:
    try:
        from_mapping(stack, given)
    except SettingsError as error:
        assert len(str(error).splitlines()) == 1


def test_every_setting_can_be_set() -> None:
    """The parser reads each field: none keeps its default whatever the stack file says."""
    other: dict[str, Value] = {
        "gatewayUrl": "https://outro.teste",
        "authorizer": "cognito",
        "cognitoUserPoolArn": "arn:aws:cognito-idp:us-east-1:123456789012:userpool/us-east-1_AbC",
        "injecaoDeFalhas": "true",
        "retencaoLogsDias": "7",
        "apiUrlBase": "https://api.teste",
        "alertasEmail": "a@b.cd",
        "gatewayParametroCobranca": "/outro/cobranca",
        "gatewayParametroEstorno": "/outro/estorno",
        "gatewayParametroConsulta": "/outro/consulta",
        "gatewayConexaoSegundos": "2",
        "gatewayLeituraSegundos": "6",
        "lambdaSegundos": "21",
        "estadoSegundos": "31",
        "intervaloPlataformaSegundos": "26",
        "intervaloTransitorioSegundos": "3",
        "atrasoMaximoSegundos": "59",
        "tentativasDoPasso": "5",
        "tentativasDaCompensacao": "9",
        "janelaDuvidaSegundos": "901",
        "intervaloDuvidaSegundos": "61",
        "prazoHumanoSegundos": "61",
        "concorrenciaMaximaIniciador": "11",
        "iniciosPorSegundo": "91",
        "concorrenciaReservadaApi": "200",
        "requisicoesPorSegundo": "201",
        "rajadaDeRequisicoes": "401",
        "origensPermitidas": "https://loja.exemplo, http://localhost:3000",
        "logsDeAcesso": "papel-da-conta",
        "intervaloConciliadorMinutos": "6",
        "esperaInicioSegundos": "121",
        "reverificacaoSegundos": "3601",
        "reverificacaoFinalSegundos": "86401",
        "metricasDetalhadas": "false",
        "rastreamento": "true",
        "limiteFilaSegundos": "301",
        "limiteCasoSegundos": "301",
        "limiteErrosDaApi": "1",
        "limiteLatenciaMilissegundos": "301",
        "limiteSagaSegundos": "61",
        "limiteCompensacoesPorCento": "6",
        "limiteThrottles": "1",
        "anomaliaDeCompensacoes": "true",
        "escalaEspera": "0.5",
    }
    read = from_mapping("local", other)
    default = replace(settings(), stack="local")
    same = [field.name for field in fields(Settings) if getattr(read, field.name) == getattr(default, field.name)]
    assert same == ["stack"]
    limits, usual = read.limites, default.limites
    assert [field.name for field in fields(Limits) if getattr(limits, field.name) == getattr(usual, field.name)] == []
