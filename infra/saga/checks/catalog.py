# ruff: noqa: E501  (a table: one code a line)
"""Every code: how bad it is and why it hurts. docs/checks.md explains each at length."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["CATALOG", "CodeKind"]

_ERRORS = "Step Functions, “Handling errors in Step Functions workflows”"
_LANGUAGE = "Amazon States Language"
_DATA = "Step Functions, “Processing input and output”"
_QUOTAS = "Step Functions, “Quotas”"


@dataclass(frozen=True)
class CodeKind:
    """What all findings of one code share.

    Attributes:
        severity: ``erro`` or ``aviso``.
        title: a few words.
        why: why it hurts, and the source of that.
    """

    severity: Literal["erro", "aviso"]
    title: str
    why: str


# fmt: off
CATALOG: Mapping[str, CodeKind] = {
    # --- Reading ---
    "SG001": CodeKind("erro", "definição ilegível", f"a AWS recusa a definição ({_LANGUAGE})"),
    "SG002": CodeKind("erro", "chave repetida", "quase todo leitor fica com a última e descarta a outra em silêncio: um estado ou um Catch some (RFC 8259 §4)"),
    "SG003": CodeKind("erro", "JSONata", "o que não se lê não se prova"),
    # --- Structure ---
    "SG101": CodeKind("erro", "destino inexistente", f"a AWS recusa a definição ({_LANGUAGE}, “Transitions”)"),
    "SG102": CodeKind("erro", "estado inalcançável", "o que se escreveu para um caso nunca roda; a AWS recusa"),
    "SG103": CodeKind("erro", "Next e End juntos", f"o estado teria dois destinos; a AWS recusa ({_LANGUAGE})"),
    "SG104": CodeKind("erro", "estado sem saída", f"falta Next ou End; a AWS recusa ({_LANGUAGE}, “Transitions”)"),
    "SG105": CodeKind("erro", "desfecho sem uso", "um fim previsto a que nada leva: o caso dele termina em outro lugar, sem registro"),
    "SG106": CodeKind("erro", "tipo desconhecido", f"a AWS recusa a definição ({_LANGUAGE}, “State Types”)"),
    "SG107": CodeKind("erro", "campo obrigatório ausente", f"a AWS recusa a definição ({_LANGUAGE})"),
    "SG108": CodeKind("erro", "campo que não existe no tipo", f"um nome errado é ignorado ou recusado, e o que ele faria não se faz ({_LANGUAGE})"),
    "SG109": CodeKind("erro", "nome longo demais", f"a AWS recusa nomes de estado com mais de 80 caracteres ({_LANGUAGE})"),
    "SG110": CodeKind("erro", "nenhum fim alcançável", "a execução não termina por si: roda até a cota de 25.000 eventos"),
    "SG111": CodeKind("erro", "ciclo sem pessoa, espera nem decisão", "repete efeitos sem limite (cobra de novo depois de estornar) até a cota de 25.000 eventos, que nenhum Catch pega"),
    "SG112": CodeKind("aviso", "Choice sem Default", f"sem regra que sirva, a execução acaba em States.NoChoiceMatched, sem Catch ({_ERRORS})"),
    # --- Errors ---
    "SG201": CodeKind("erro", "States.ALL acompanhado", f"States.ALL aparece só; a AWS recusa ({_ERRORS}; caso C14)"),
    "SG202": CodeKind("erro", "States.ALL fora do fim", f"States.ALL vem por último; a AWS recusa ({_ERRORS}; caso C14)"),
    "SG203": CodeKind("erro", "nome States. desconhecido", f"nomes com States. são reservados: este nunca ocorre, e nada o pega ({_ERRORS})"),
    "SG204": CodeKind("erro", "entrada encoberta", f"só vale a primeira entrada que serve: esta nunca é usada ({_ERRORS})"),
    "SG205": CodeKind("erro", "Task sem Catch", f"uma falha encerra a execução ali, com tudo o que foi feito por desfazer ({_ERRORS}; caso C04)"),
    "SG206": CodeKind("erro", "Catch que deixa escapar", f"o erro que escapa encerra a execução; States.TaskFailed não pega States.Timeout ({_ERRORS}; caso C14)"),
    "SG207": CodeKind("erro", "erro da plataforma sem Retry", "uma falha passageira da AWS vira falha do pedido (Step Functions, “Handle transient Lambda service exceptions”; caso C13)"),
    "SG208": CodeKind("erro", "desfazer sem Retry", "o que desfaz e desiste na primeira falha deixa dinheiro ou estoque preso (caso C17)"),
    "SG209": CodeKind("erro", "recusa repetida", "uma resposta definitiva é perguntada de novo: o cartão é recusado N vezes (caso C12)"),
    "SG210": CodeKind("erro", "MaxAttempts inválido", f"vai de 0 a 99999999; a AWS recusa o resto ({_ERRORS})"),
    "SG211": CodeKind("erro", "BackoffRate inválido", f"é 1.0 ou mais; a AWS recusa o resto ({_ERRORS})"),
    "SG212": CodeKind("erro", "número inválido no Retry", f"a AWS recusa a definição ({_ERRORS})"),
    "SG213": CodeKind("erro", "ErrorEquals vazia", f"uma lista vazia não serve para erro nenhum; a AWS recusa ({_ERRORS})"),
    "SG214": CodeKind("aviso", "erro que nada pega", f"States.Runtime sempre encerra a execução, listado ou não ({_ERRORS})"),
    # --- Times ---
    "SG301": CodeKind("erro", "Task sem TimeoutSeconds", "sem prazo, a Task espera para sempre uma resposta que não vem (Step Functions, “Use timeouts to avoid stuck executions”; caso C15)"),
    "SG302": CodeKind("erro", "prazo inválido", f"TimeoutSeconds é inteiro e positivo, e HeartbeatSeconds é menor que ele ({_LANGUAGE}, “Timeouts”)"),
    "SG303": CodeKind("erro", "prazos fora de ordem", "HTTP < função < estado: ao contrário, a máquina segue e a função ainda age depois (caso C15)"),
    "SG304": CodeKind("erro", "tentativas que se sobrepõem", "a tentativa seguinte começa com a anterior ainda rodando: dois efeitos ao mesmo tempo (casos C12 e C15)"),
    "SG305": CodeKind("erro", "prazo da execução curto", f"o prazo da máquina inteira encerra a execução sem desfazer nada ({_ERRORS}; caso C16)"),
    # --- Data ---
    "SG401": CodeKind("erro", "resultado no lugar da entrada", f"os estados seguintes perdem o pedido ({_DATA}; caso C07)"),
    "SG402": CodeKind("erro", "erro no lugar da entrada", f"quem trata a falha não sabe mais de que pedido se trata ({_DATA}; caso C07)"),
    "SG403": CodeKind("erro", "escreve sobre a entrada", "o que desfaz passa a agir sobre outro valor que não o do pedido (caso C07)"),
    "SG404": CodeKind("erro", "caminho que pode não existir", f"um caminho ausente é States.Runtime, que Catch nenhum pega: a execução acaba ali ({_ERRORS}; casos C04 e C07)"),
    "SG405": CodeKind("aviso", "dois resultados na mesma chave", "o segundo apaga o primeiro, e quem desfaz lê o que não é seu (caso C07)"),
    "SG406": CodeKind("aviso", "nome parecido com outro", "um nome com erro de digitação é um caminho ausente: States.Runtime, que Catch nenhum pega"),
    "SG407": CodeKind("erro", "caminho que depende de quem responde", "a definição não garante o campo: a resposta de uma função tomou o lugar da entrada, ou veio de fora (caso C07)"),
    "SG408": CodeKind("erro", "faltou .$ no nome", f"sem .$ o caminho vai como texto: a função recebe “$.x” e não o valor ({_DATA})"),
    "SG409": CodeKind("erro", ".$ sem caminho", f"um nome com .$ pede um caminho ou uma função States.; a AWS recusa ({_DATA})"),
    "SG410": CodeKind("erro", "caminho mal escrito", f"a AWS recusa a definição, ou a execução acaba em States.Runtime ({_LANGUAGE}, “Paths”)"),
    "SG411": CodeKind("erro", "Cause lido por dentro", "Cause pode ser JSON, texto ou faltar: o que o lê falha justo quando há erro a tratar (casos C04 e C07)"),
    # --- Integrations ---
    "SG501": CodeKind("erro", "integração desconhecida", "a AWS recusa a definição (Step Functions, “Integrating services”)"),
    "SG502": CodeKind("erro", "parâmetro obrigatório ausente", "a chamada falha sempre, ou a AWS recusa a definição (Step Functions, “Integrating optimized services”)"),
    "SG503": CodeKind("erro", "espera sem token", "sem $$.Task.Token ninguém pode responder: espera até o prazo (Step Functions, “Wait for a callback with task token”)"),
    "SG504": CodeKind("erro", "prefixo do erro", "a integração otimizada usa DynamoDB., a do SDK usa DynamoDb.: com o outro, nada pega o erro (caso C26)"),
    "SG505": CodeKind("erro", "tipo do AttributeValue", "o valor de S e de N é texto; com outro tipo a Task nem começa, e Catch nenhum pega (caso C05)"),
    "SG506": CodeKind("erro", "putItem sobre o que existe", "putItem troca o item inteiro: o que não foi repetido some (DynamoDB, “PutItem”; caso C03)"),
    "SG507": CodeKind("erro", "palavra reservada", "o DynamoDB recusa a expressão quando ela roda (DynamoDB, “Reserved words”; caso C21)"),
    "SG508": CodeKind("erro", "apelido sem par", "o DynamoDB recusa a expressão quando ela roda: apelido usado e não definido, ou o contrário (DynamoDB, “Expressions”)"),
    "SG509": CodeKind("aviso", "escrita sem condição", "um escritor atrasado ou repetido volta atrás um estado final (caso C08)"),
    "SG510": CodeKind("erro", "dado sensível exposto", "filas, tópicos e o histórico (guardado por 90 dias) são lidos por mais gente do que a tabela (PCI DSS 3)"),
    # --- Limits ---
    "SG601": CodeKind("aviso", "pode passar de 256 KiB", f"a entrada de um estado tem no máximo 262.144 bytes: States.DataLimitExceeded, que States.ALL não pega ({_QUOTAS})"),
    "SG602": CodeKind("erro", "pode passar de 25.000 eventos", f"a execução é encerrada, sem Catch ({_QUOTAS})"),
    "SG603": CodeKind("erro", "definição grande demais", f"a AWS aceita até 1 MiB ({_QUOTAS})"),
    # --- Exploration ---
    "SG901": CodeKind("erro", "saga não provada", "há uma sequência de falhas que deixa estoque ou dinheiro sem dono, ou o caso sem registro"),
}
# fmt: on
