"""The commented example of an effects' file that ``cesta saga verificar --exemplo-efeitos`` prints."""

from __future__ import annotations

from typing import Final

__all__ = ["EXAMPLE"]

EXAMPLE: Final = """\
# O que cada estado da sua máquina faz, para o explorador provar (cesta saga verificar ARQUIVO --efeitos EFEITOS.yaml).
# Só entram os estados que fazem alguma coisa; Choice, Pass e Wait não precisam aparecer.

# O status do pedido antes da saga, e o atributo em que ele fica ("status", se nada for dito).
inicial: RECEBIDO
atributo: status

# Erros que qualquer função sua pode levantar sem ser uma recusa. "passageiros": a tentativa acabou e outra é segura.
# "desconhecidos": pode ter feito. Timeouts e erros da plataforma não precisam aparecer: são sempre explorados.
erros:
  passageiros: [GatewayIndisponivelError]
  desconhecidos: []

# Alguém é chamado quando uma execução morre (regra do EventBridge para FAILED, TIMED_OUT e ABORTED)?
rede_de_seguranca: false

estados:
  # Um passo que se desfaz. A ordem dos passos neste arquivo é a ordem em que são feitos.
  ReservarEstoque:
    tipo: passo
    efeito: estoque reservado            # o que fica para trás, em palavras
    recusas: [EstoqueInsuficienteError]  # erros que dizem que com certeza nada foi feito
    idempotente: true                    # repetir não faz duas vezes
    resposta: reserva                    # opcional: o campo ($.reserva) que mostra que a resposta chegou
  CobrarPagamento:
    tipo: passo
    efeito: dinheiro cobrado
    recusas: [CartaoRecusadoError]

  # O ponto sem volta. "escreve" é o status que ele grava; "de", sobre quais. Com "guarda: false" ele decide mesmo que
  # o desfazer já tenha começado.
  ConfirmarPedido:
    tipo: pivo
    escreve: {status: CONFIRMADO, de: [RECEBIDO, CONFIRMADO]}
    guarda: true

  # Um passo depois do ponto sem volta: só anda para a frente.
  AvisarArmazem:
    tipo: adiante
    efeito: armazém avisado

  # O que desfaz um passo. "pivo_venceu" é o erro com que ele diz que o pedido já foi confirmado.
  EstornarPagamento:
    tipo: compensacao
    desfaz: dinheiro cobrado
    idempotente: true
    pivo_venceu: PedidoJaConfirmadoError
    escreve: {status: COMPENSANDO, de: [RECEBIDO, COMPENSANDO]}
    # Uma tentativa do passo que ainda vai chegar: "nada" (não é vista), "recusa" (deixa uma marca que a recusa) ou
    # "espera" (só termina quando o resultado não muda mais).
    tardio: espera
    duvida: {erro: CobrancaIndefinidaError, segundos: 900}
  LiberarEstoque:
    tipo: compensacao
    desfaz: estoque reservado
    tardio: recusa
    tardio_salvo_se: reserva             # com $.reserva presente a resposta chegou, e nada mais pode chegar

  # Uma escrita de status. O status e a condição são lidos da definição (dynamodb:updateItem ou putItem); se quem
  # escreve é uma função, diga-os aqui. "diz": sucesso, nada_feito, desfeito, pessoa, auditoria ou encerrado.
  RegistrarFalhaSemCompensacao:
    tipo: registro
    diz: nada_feito
    status: FALHOU_SEM_RESERVA
    de: [RECEBIDO, FALHOU_SEM_RESERVA]   # sobre quais status é legítimo escrever; sem isto, não se confere

  # Uma espera por uma pessoa (waitForTaskToken), e o Choice que lê a resposta.
  PerguntarAUmaPessoa:
    tipo: pessoa
    decide: Decidir
    resposta: intervencao                # o campo ($.intervencao) em que a resposta fica
    campo: decisao                       # o campo da resposta que traz a decisão
    precisa_status: REQUER_PESSOA        # opcional: o status que mostra que alguém foi chamado
    depois_do_pivo: false
    respostas:
      - {decisao: REPROCESSAR, ordena: desfazer, exige: [responsavel]}
      - {decisao: ENCERRAR, ordena: encerrar, exige: [responsavel], estado: RegistrarEncerrado}

  # Uma mensagem a uma pessoa, sem esperar resposta: quem a lê fica com o caso.
  MensagemParaFila: {tipo: aviso}

  # Um Succeed que encerra um caso a mando de uma pessoa, e um Fail: "diz" é nada_feito ou desfeito; sem isto, é o
  # último recurso, quando nem a pessoa pôde ser chamada.
  CasoEncerrado: {tipo: encerramento}
  PedidoFalhou: {tipo: falha, diz: desfeito}
"""
