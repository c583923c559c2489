"""The stack's settings: read once, typed, and refused with one clear line when they are wrong.

Every key lives under ``cesta:`` in ``Pulumi.<stack>.yaml``. Times are seconds. A wrong one raises a `SettingsError`
(the hierarchy is in `infra.config_errors`).
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, fields
from enum import StrEnum
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from handlers.domain.credentials import COBRANCA, CONSULTA, ESTORNO
from infra.config_errors import (
    ForbiddenSettingError,
    MissingSettingError,
    SettingsChainError,
    StackNameError,
    UnknownSettingError,
)
from infra.config_reader import Reader
from infra.limits import Limits, read_limits
from infra.names import PROD, Names
from infra.sagas.pedido import AjustesDaSaga

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pulumi

    from infra.config_reader import Value

__all__ = ["LOCAL", "LOTE_DO_INICIADOR", "Authorizer", "LogsDeAcesso", "Settings", "from_mapping", "load"]

LOCAL: Final = "local"
"""The embedded stack's name."""
_DAY: Final = 24 * 3600
LOTE_DO_INICIADOR: Final = 10
"""Messages the starter takes at once: the most a standard queue hands over without a batching window."""
_STACK_NAME: Final = r"[a-z](?:[a-z0-9-]{0,18}[a-z0-9])?"
"""An IAM role's name has at most 64 characters: the longest of ours leaves 20 to the stack."""
_LONGEST_DELAY: Final = 60
"""A compensation never waits longer between two tries (design §4)."""
_LONGEST_DOUBT: Final = 20 * 3600
"""Past 20 h a gateway key is looked up, never sent again (design §5)."""
_MOST_LOOKUPS: Final = 1000
"""An execution's history ends at 25,000 events, and a lookup takes about five (Step Functions quotas)."""
_LOG_RETENTION_DAYS: Final = (
    *(1, 3, 5, 7, 14, 30, 60, 90, 120, 150, 180, 365, 400, 545, 731),
    *(1096, 1827, 2192, 2557, 2922, 3288, 3653),
)
"""What PutRetentionPolicy of CloudWatch Logs takes."""


class Authorizer(StrEnum):
    """Who may call the API."""

    IAM = "iam"
    COGNITO = "cognito"
    NONE = "none"


class LogsDeAcesso(StrEnum):
    """Whether the API keeps access logs, and by which role (an account has one for all of its APIs, per region)."""

    PAPEL_PROPRIO = "papel-proprio"
    PAPEL_DA_CONTA = "papel-da-conta"
    DESLIGADOS = "desligados"


@dataclass(frozen=True)
class Settings:
    """The settings of one stack. Each field but ``stack`` is the key of the same name in camelCase.

    Attributes:
        stack: name of the Pulumi stack.
        gateway_url: base URL of the payment gateway, without trailing slash.
        authorizer: who may call the API; ``none`` is refused in prod.
        cognito_user_pool_arn: the pool that ``authorizer = cognito`` trusts, else None.
        injecao_de_falhas: whether orders may carry ``falhas`` (design §8); refused in prod.
        retencao_logs_dias: days that logs are kept.
        api_url_base: base of the links the API answers with, without trailing slash; None takes it from the request.
        alertas_email: address subscribed to the alarms, or None.
        gateway_parametro_cobranca: parameter with the gateway's credential for charges; None for the stack's own name.
        gateway_parametro_estorno: the same, for refunds.
        gateway_parametro_consulta: the same, for look-ups.
        gateway_conexao_segundos: connect timeout at the gateway.
        gateway_leitura_segundos: read timeout at the gateway.
        lambda_segundos: timeout of the steps' functions and of the starter.
        estado_segundos: timeout of every Task of the machine.
        intervalo_plataforma_segundos: first wait after an error of the platform.
        intervalo_transitorio_segundos: first wait after a transient error our own code raised.
        atraso_maximo_segundos: longest wait between two tries.
        tentativas_do_passo: retries of a step.
        tentativas_da_compensacao: retries of a compensation.
        janela_duvida_segundos: how long a charge the gateway does not know stays in doubt.
        intervalo_duvida_segundos: wait between two lookups of such a charge.
        prazo_humano_segundos: how long a case waits for an answer before it is asked again.
        concorrencia_maxima_iniciador: how many starters the entry queue may feed at once.
        inicios_por_segundo: how many executions the starters begin a second at most, all together; the rest waits in
            the queue. At most what the gateway takes and what StartExecution allows in the region.
        concorrencia_reservada_api: Lambda executions set aside for the API, and the most it may use; None sets none
            aside, and a gateway that hangs under load then fills the account's with charges and shuts the front door.
        requisicoes_por_segundo: how many the API takes steadily, over all callers; more is answered 429.
        rajada_de_requisicoes: how many it takes at once.
        origens_permitidas: web origins whose pages may call the API; none turns CORS off.
        logs_de_acesso: ``papel-proprio`` makes the account's role for API logs, ``papel-da-conta`` uses the one there
            is, ``desligados`` keeps none.
        intervalo_conciliador_minutos: between two rounds of the reconciler.
        espera_inicio_segundos: how long an accepted order may wait for its execution before its message is sent again;
            the waits that follow grow with it (`handlers.domain.reconciliation`).
        reverificacao_segundos: after the last charge attempt, when a charge in doubt is looked up first.
        reverificacao_final_segundos: and when last.
        metricas_detalhadas: whether API Gateway counts and times each method and path apart (a metric each, billed),
            without which the alarms and the dashboard cannot tell POST from GET.
        rastreamento: whether X-Ray traces the API, the functions and the machines.
        limites: from which values on the alarms ring, each by its own key.
        escala_espera: factor of the doubt window and of the reconciler's times on the handlers' clock; 1 but on the
            embedded stack, whose emulator shrinks the machine's waits by the same factor.
    """

    stack: str
    gateway_url: str
    authorizer: Authorizer = Authorizer.IAM
    cognito_user_pool_arn: str | None = None
    injecao_de_falhas: bool = False
    retencao_logs_dias: int = 30
    api_url_base: str | None = None
    alertas_email: str | None = None
    gateway_parametro_cobranca: str | None = None
    gateway_parametro_estorno: str | None = None
    gateway_parametro_consulta: str | None = None
    gateway_conexao_segundos: float = 1
    gateway_leitura_segundos: float = 5
    lambda_segundos: int = AjustesDaSaga.lambda_segundos
    estado_segundos: int = AjustesDaSaga.estado_segundos
    intervalo_plataforma_segundos: int = AjustesDaSaga.intervalo_plataforma_segundos
    intervalo_transitorio_segundos: int = AjustesDaSaga.intervalo_transitorio_segundos
    atraso_maximo_segundos: int = AjustesDaSaga.atraso_maximo_segundos
    tentativas_do_passo: int = AjustesDaSaga.tentativas_do_passo
    tentativas_da_compensacao: int = AjustesDaSaga.tentativas_da_compensacao
    janela_duvida_segundos: float = AjustesDaSaga.janela_duvida_segundos
    intervalo_duvida_segundos: int = AjustesDaSaga.intervalo_duvida_segundos
    prazo_humano_segundos: int = AjustesDaSaga.prazo_humano_segundos
    concorrencia_maxima_iniciador: int = 10
    inicios_por_segundo: int = 90
    concorrencia_reservada_api: int | None = None
    requisicoes_por_segundo: int = 200
    rajada_de_requisicoes: int = 400
    origens_permitidas: tuple[str, ...] = ()
    logs_de_acesso: LogsDeAcesso = LogsDeAcesso.PAPEL_PROPRIO
    intervalo_conciliador_minutos: int = 5
    espera_inicio_segundos: int = 120
    reverificacao_segundos: int = 3600
    reverificacao_final_segundos: int = _DAY
    metricas_detalhadas: bool = True
    rastreamento: bool = False
    limites: Limits = field(default_factory=Limits)
    escala_espera: float = 1

    @property
    def segundos_por_inicio(self) -> float:
        """How long one starter takes over each record at least, so that all of them together keep the pace."""
        return self.concorrencia_maxima_iniciador / self.inicios_por_segundo

    @property
    def somente_tls(self) -> bool:
        """Whether queues and topic refuse plain http: every stack but the embedded one, whose emulator speaks it."""
        return self.stack != LOCAL

    @property
    def producao(self) -> bool:
        """Whether this stack holds what must not be lost: its data is protected, its doors are locked."""
        return self.stack == PROD

    @property
    def gateway_provisorio(self) -> bool:
        """Whether the gateway is still the placeholder of the stack file: ``.invalid`` exists nowhere (RFC 2606)."""
        return (urlsplit(self.gateway_url).hostname or "").endswith(".invalid")

    @property
    def parametros_do_gateway(self) -> dict[str, str]:
        """The SecureString parameters with the gateway's credentials, by operation.

        Made by hand: a secret never enters a stack's state.
        """
        names = Names(self.stack)
        given = {
            COBRANCA: self.gateway_parametro_cobranca,
            ESTORNO: self.gateway_parametro_estorno,
            CONSULTA: self.gateway_parametro_consulta,
        }
        return {operation: name or names.parametro_do_gateway(operation) for operation, name in given.items()}

    @property
    def user_pools(self) -> tuple[str, ...]:
        """The Cognito pools whose users may call the API."""
        return () if self.cognito_user_pool_arn is None else (self.cognito_user_pool_arn,)

    @property
    def janela_duvida_no_relogio(self) -> float:
        """The doubt window as a handler's clock sees it, in seconds."""
        return self.no_relogio(self.janela_duvida_segundos)

    def no_relogio(self, segundos: float) -> float:
        """A time as a handler's clock sees it, in seconds."""
        return segundos * self.escala_espera

    @property
    def saga(self) -> AjustesDaSaga:
        """The times and numbers the saga is compiled with."""
        # The lookups outlast the window: its end is counted from the last charge attempt, which may come later
        # than the state's start by as long as one attempt of it takes.
        lookups = math.ceil(self.janela_duvida_segundos / self.intervalo_duvida_segundos) + 5
        return AjustesDaSaga(
            http_segundos=self.gateway_conexao_segundos + self.gateway_leitura_segundos,
            lambda_segundos=self.lambda_segundos,
            estado_segundos=self.estado_segundos,
            intervalo_plataforma_segundos=self.intervalo_plataforma_segundos,
            intervalo_transitorio_segundos=self.intervalo_transitorio_segundos,
            atraso_maximo_segundos=self.atraso_maximo_segundos,
            tentativas_do_passo=self.tentativas_do_passo,
            tentativas_da_compensacao=self.tentativas_da_compensacao,
            janela_duvida_segundos=self.janela_duvida_segundos,
            intervalo_duvida_segundos=self.intervalo_duvida_segundos,
            tentativas_duvida=lookups,
            prazo_humano_segundos=self.prazo_humano_segundos,
        )


def load(config: pulumi.Config) -> Settings:
    """The settings of the run in course.

    Raises:
        SettingsError: a setting is wrong; the message is one line for the person at the terminal.
    """
    import pulumi
    from pulumi.runtime.config import CONFIG  # the only list of keys the SDK has: an unknown key must be seen

    prefix = f"{config.name}:"
    given = {key.removeprefix(prefix): value for key, value in CONFIG.get().items() if key.startswith(prefix)}
    return from_mapping(pulumi.get_stack(), given)


def from_mapping(stack: str, mapping: Mapping[str, Value]) -> Settings:
    """Settings out of what the stack file holds, keys without ``cesta:``, values as text or already typed.

    Raises:
        SettingsError: the first setting found wrong.
    """
    if not re.fullmatch(_STACK_NAME, stack):
        raise StackNameError(stack)
    own = (each.name for each in fields(Settings) if each.name not in ("stack", "limites"))
    known = tuple(_camel(name) for name in (*own, *(each.name for each in fields(Limits))))
    for key in mapping:
        if key not in known:
            raise UnknownSettingError(key, known)
    settings = _parse(stack, Reader(mapping))
    _check_stack(settings)
    _check_times(settings)
    return settings


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _parse(stack: str, read: Reader) -> Settings:
    return Settings(
        stack=stack,
        gateway_url=read.required_url("gatewayUrl"),
        authorizer=read.member("authorizer", Authorizer, default=Settings.authorizer),
        cognito_user_pool_arn=read.matching(
            "cognitoUserPoolArn",
            r"arn:aws[a-z-]*:cognito-idp:[a-z0-9-]+:\d{12}:userpool/[\w-]+",
            "o ARN de um user pool do Cognito",
        ),
        injecao_de_falhas=read.boolean("injecaoDeFalhas", default=Settings.injecao_de_falhas),
        retencao_logs_dias=read.one_of("retencaoLogsDias", _LOG_RETENTION_DAYS, default=Settings.retencao_logs_dias),
        api_url_base=read.optional_url("apiUrlBase"),
        alertas_email=read.matching("alertasEmail", r"[^@\s]+@[^@\s]+\.[^@\s]+", "um endereço de e-mail"),
        gateway_parametro_cobranca=_parameter(read, "gatewayParametroCobranca"),
        gateway_parametro_estorno=_parameter(read, "gatewayParametroEstorno"),
        gateway_parametro_consulta=_parameter(read, "gatewayParametroConsulta"),
        gateway_conexao_segundos=read.number(
            "gatewayConexaoSegundos", default=Settings.gateway_conexao_segundos, low=0.1, high=60
        ),
        gateway_leitura_segundos=read.number(
            "gatewayLeituraSegundos", default=Settings.gateway_leitura_segundos, low=0.1, high=600
        ),
        lambda_segundos=read.integer("lambdaSegundos", default=Settings.lambda_segundos, low=1, high=900),
        estado_segundos=read.integer("estadoSegundos", default=Settings.estado_segundos, low=1, high=3600),
        intervalo_plataforma_segundos=read.integer(
            "intervaloPlataformaSegundos", default=Settings.intervalo_plataforma_segundos, low=1, high=3600
        ),
        intervalo_transitorio_segundos=read.integer(
            "intervaloTransitorioSegundos", default=Settings.intervalo_transitorio_segundos, low=1, high=3600
        ),
        atraso_maximo_segundos=read.integer(
            "atrasoMaximoSegundos", default=Settings.atraso_maximo_segundos, low=1, high=_LONGEST_DELAY
        ),
        tentativas_do_passo=read.integer("tentativasDoPasso", default=Settings.tentativas_do_passo, low=1, high=100),
        tentativas_da_compensacao=read.integer(
            "tentativasDaCompensacao", default=Settings.tentativas_da_compensacao, low=1, high=100
        ),
        janela_duvida_segundos=read.number(
            "janelaDuvidaSegundos", default=Settings.janela_duvida_segundos, low=1, high=_LONGEST_DOUBT
        ),
        intervalo_duvida_segundos=read.integer(
            "intervaloDuvidaSegundos", default=Settings.intervalo_duvida_segundos, low=1, high=3600
        ),
        prazo_humano_segundos=read.integer(
            "prazoHumanoSegundos", default=Settings.prazo_humano_segundos, low=60, high=14 * _DAY - 1
        ),
        # Fewer than 2 is refused by SQS event sources, and would let throttling eat the receive count (case C30).
        concorrencia_maxima_iniciador=read.integer(
            "concorrenciaMaximaIniciador", default=Settings.concorrencia_maxima_iniciador, low=2, high=1000
        ),
        inicios_por_segundo=read.integer("iniciosPorSegundo", default=Settings.inicios_por_segundo, low=1, high=10_000),
        # Lambda keeps 100 of the account's for functions without a share of their own.
        concorrencia_reservada_api=read.optional_integer("concorrenciaReservadaApi", low=1, high=10_000),
        # The account's own quotas, for all of its APIs (API Gateway, "Quotas").
        requisicoes_por_segundo=read.integer(
            "requisicoesPorSegundo", default=Settings.requisicoes_por_segundo, low=1, high=10_000
        ),
        rajada_de_requisicoes=read.integer(
            "rajadaDeRequisicoes", default=Settings.rajada_de_requisicoes, low=1, high=5000
        ),
        origens_permitidas=read.origins("origensPermitidas"),
        logs_de_acesso=read.member("logsDeAcesso", LogsDeAcesso, default=Settings.logs_de_acesso),
        intervalo_conciliador_minutos=read.integer(
            "intervaloConciliadorMinutos", default=Settings.intervalo_conciliador_minutos, low=1, high=60
        ),
        espera_inicio_segundos=read.integer(
            "esperaInicioSegundos", default=Settings.espera_inicio_segundos, low=30, high=3600
        ),
        reverificacao_segundos=read.integer(
            "reverificacaoSegundos", default=Settings.reverificacao_segundos, low=60, high=_LONGEST_DOUBT
        ),
        reverificacao_final_segundos=read.integer(
            "reverificacaoFinalSegundos", default=Settings.reverificacao_final_segundos, low=60, high=14 * _DAY
        ),
        metricas_detalhadas=read.boolean("metricasDetalhadas", default=Settings.metricas_detalhadas),
        rastreamento=read.boolean("rastreamento", default=Settings.rastreamento),
        limites=read_limits(read),
        escala_espera=read.number("escalaEspera", default=Settings.escala_espera, low=0.0001, high=1),
    )


def _parameter(read: Reader, key: str) -> str | None:
    # A full path: only then is its ARN ``parameter`` and the name, one after the other.
    return read.matching(
        key,
        r"(?!/aws/|/ssm/)(?:/[A-Za-z0-9_.-]+){1,15}",
        "o nome completo de um parâmetro SecureString, que começa por /",
    )


def _check_stack(settings: Settings) -> None:
    if settings.producao and settings.authorizer is Authorizer.NONE:
        raise ForbiddenSettingError("authorizer", "none", settings.stack, "a API ficaria aberta a qualquer um")
    if settings.producao and settings.injecao_de_falhas:
        raise ForbiddenSettingError("injecaoDeFalhas", "true", settings.stack, "um cliente poderia derrubar etapas")
    if settings.stack != LOCAL and settings.escala_espera != 1:
        raise ForbiddenSettingError(
            "escalaEspera", settings.escala_espera, settings.stack, "só a stack embutida encolhe as esperas"
        )
    if settings.authorizer is Authorizer.COGNITO and settings.cognito_user_pool_arn is None:
        raise MissingSettingError("cognitoUserPoolArn", "o ARN do user pool, já que cesta:authorizer é cognito")


def _check_times(settings: Settings) -> None:
    """HTTP < Lambda < state, and no attempt over another (design §4, case C15)."""
    http = settings.gateway_conexao_segundos + settings.gateway_leitura_segundos
    if http >= settings.lambda_segundos:
        raise SettingsChainError(
            "gatewayLeituraSegundos",
            "lambdaSegundos",
            f"conexão mais leitura no gateway somam {http:g} s, esperado menos que os {settings.lambda_segundos} s da "
            "função",
        )
    if settings.lambda_segundos >= settings.estado_segundos:
        raise SettingsChainError(
            "lambdaSegundos",
            "estadoSegundos",
            f"a função tem {settings.lambda_segundos} s, esperado menos que os {settings.estado_segundos} s do estado",
        )
    if settings.intervalo_plataforma_segundos <= settings.lambda_segundos:
        raise SettingsChainError(
            "intervaloPlataformaSegundos",
            "lambdaSegundos",
            f"o intervalo tem {settings.intervalo_plataforma_segundos} s, esperado mais que os "
            f"{settings.lambda_segundos} s da função, para que duas tentativas nunca se sobreponham",
        )
    for key, interval in (
        ("intervaloPlataformaSegundos", settings.intervalo_plataforma_segundos),
        ("intervaloTransitorioSegundos", settings.intervalo_transitorio_segundos),
    ):
        if settings.atraso_maximo_segundos < interval:
            raise SettingsChainError(
                "atrasoMaximoSegundos",
                key,
                f"o atraso máximo é {settings.atraso_maximo_segundos} s, esperado pelo menos os {interval} s do "
                "intervalo",
            )
    batch = LOTE_DO_INICIADOR * settings.segundos_por_inicio
    if batch > settings.lambda_segundos / 2:
        raise SettingsChainError(
            "iniciosPorSegundo",
            "concorrenciaMaximaIniciador",
            f"um lote de {LOTE_DO_INICIADOR} levaria {batch:g} s a esse ritmo, esperado no máximo metade dos "
            f"{settings.lambda_segundos} s da função: menos iniciadores ao mesmo tempo, ou mais inícios por segundo",
        )
    if settings.tentativas_da_compensacao <= settings.tentativas_do_passo:
        raise SettingsChainError(
            "tentativasDaCompensacao",
            "tentativasDoPasso",
            f"a compensação tem {settings.tentativas_da_compensacao} tentativas, esperado mais que as "
            f"{settings.tentativas_do_passo} do passo",
        )
    if settings.janela_duvida_segundos <= settings.estado_segundos:
        raise SettingsChainError(
            "janelaDuvidaSegundos",
            "estadoSegundos",
            f"a janela tem {settings.janela_duvida_segundos:g} s, esperado mais que os {settings.estado_segundos} s do "
            "estado: uma tentativa de cobrança ainda em curso não pode ser dada por perdida",
        )
    lookups = settings.janela_duvida_segundos / settings.intervalo_duvida_segundos
    if lookups > _MOST_LOOKUPS:
        raise SettingsChainError(
            "janelaDuvidaSegundos",
            "intervaloDuvidaSegundos",
            f"são {math.ceil(lookups)} consultas, esperado no máximo {_MOST_LOOKUPS} (o histórico da execução acaba)",
        )
    if settings.reverificacao_final_segundos <= settings.reverificacao_segundos:
        raise SettingsChainError(
            "reverificacaoFinalSegundos",
            "reverificacaoSegundos",
            f"a última consulta é aos {settings.reverificacao_final_segundos} s, esperado depois da primeira, aos "
            f"{settings.reverificacao_segundos} s",
        )
